"""One audit: analyse all instances of a source, count violations of each check, and simplify the counterexamples."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta

from algorithms.programs.interface import ExternalPlanner
from runner.base import INTERRUPTED, Result, plural
from runner.execution import Solver, Stopped
from runner.features.audits.analysis import Accuracy, Analyser, Analysis, InstanceTooLarge, dimensions_of
from runner.features.audits.audit_progress import SIMPLIFYING, Watcher, plugin_errors
from runner.features.audits.checks.algorithm import Subject, Trial
from runner.features.audits.checks.heuristic import dominates
from runner.features.audits.checks.registration import checks_of
from runner.features.audits.counterexample import describe
from runner.features.audits.finding import Audit, Counterexample
from runner.features.audits.request import ANY_SIZE, AuditRequest
from runner.features.audits.shrink import Analyse, IsSupported, Witness, shrink, unshared
from runner.features.audits.tally import Tally
from runner.records import Improvement
from worlds.compile import compile_seconds
from worlds.interface import Instance

MIN_ANNOUNCED_SECONDS = 10.0


class _Estimate:
    """Time for states that must be checked again for each instance, which is announced once if it is long.

    Parameters
    ----------
    count : int
        Number of instances.
    show : callable
        Shows a line.
    """

    def __init__(self, count: int, show: Callable[[str], None]) -> None:
        self._count, self._show = count, show
        self._started = self._seconds = 0.0
        self._is_shown = False

    def start(self) -> None:
        """Note the beginning of an instance."""
        self._started = _working_seconds()
        self._count -= 1

    def finish(self, analysis: Analysis) -> None:
        """Note the time of an instance that has states of its own."""
        if not analysis.is_shared:
            self._seconds = _working_seconds() - self._started

    def announce(self, last: Analysis, reason: str) -> None:
        """Announce that states are checked again for this instance and the following ones."""
        count = self._count + 1
        seconds = self._seconds * count
        if not self._is_shown and seconds > MIN_ANNOUNCED_SECONDS:
            self._is_shown = True
            states, others = plural(last.states, "state"), plural(count, "other start")
            duration = timedelta(seconds=round(seconds))
            self._show(f"note: {states} are checked again for {others}, because {reason}: about {duration}")


def _working_seconds() -> float:
    return time.monotonic() - compile_seconds()[0]


def run(request: AuditRequest, watcher: Watcher | None = None) -> Audit[Counterexample]:
    """Audit a stack of heuristics, or an algorithm with it, in this process.

    Parameters
    ----------
    request : AuditRequest
    watcher : Watcher, optional

    Raises
    ------
    UserError
        If an instance exceeds a limit, unless the request leaves out such instances.
    PluginError
        If a world or a heuristic raises an exception.
    """
    watcher = watcher or Watcher()
    with _searching(request, watcher) as search:
        return _audited(request, watcher, search)


def _audited(request: AuditRequest, watcher: Watcher, search: Callable[[Analysis], Subject]) -> Audit[Counterexample]:
    estimate = _Estimate(request.count, watcher.announce)
    analyser = Analyser(
        request.stack, request.limits, watcher.limit, watcher.explored, request.others, estimate.announce
    )
    algorithm = request.algorithm
    has_heuristic = not isinstance(algorithm, ExternalPlanner)
    of_heuristics = [each for each in checks_of("heuristic") if has_heuristic and each.is_for(request.stack)]
    properties = [Tally(check) for check in (*of_heuristics, *map(dominates, request.others))]
    of_algorithms = [] if algorithm is None else [each for each in checks_of("algorithm") if each.is_for(algorithm)]
    promises = [Tally(check) for check in of_algorithms]
    accuracy = Accuracy()
    unsolvable = 0
    is_interrupted = False
    sizes = set[tuple[int, ...]]()
    too_large: list[str] = []
    try:
        for instance in request.instances:
            watcher.start(instance.id)
            estimate.start()
            with plugin_errors(instance):
                try:
                    analysis = analyser.analyse(instance, share=True)
                except InstanceTooLarge as error:
                    if not request.skip_large:
                        raise
                    too_large.append(error.excess)
                    continue
                if analysis is None:
                    unsolvable += 1
                    continue
                trial = search(analysis)
                accuracy.add(analysis)
                if not analysis.is_shared:
                    sizes.add(dimensions_of(instance.world))
                for tally in properties:
                    tally.add(analysis)
                for tally in promises:
                    tally.add(trial)
                estimate.finish(analysis)
            watcher.finish()
    except Stopped:
        is_interrupted = True

    def is_supported(instance: Instance) -> bool:
        """Return whether the stack is made for an instance, which may have another size than those of the audit."""
        for heuristic in request.stack.heuristics:
            heuristic.check(instance)
        return request.shrink == ANY_SIZE or dimensions_of(instance.world) in sizes

    def analyse_and_search(instance: Instance) -> Subject | None:
        analysis = analyser.analyse(instance)
        return None if analysis is None else search(analysis)

    left_out = f"{plural(len(too_large), 'instance')} with {too_large[0]}" if too_large else ""
    reason = left_out or ("the world proves every instance unsolvable" if unsolvable else "")
    is_exhaustive = request.exhaustive is not None and not is_interrupted
    findings = []
    for tally in (*properties, *promises):
        analyse = analyser.analyse if tally in properties else analyse_and_search
        supported = is_supported if request.shrink and not is_interrupted else None
        example = _counterexample(tally.witness, analyse, supported, watcher)
        findings.append(tally.finding(is_exhaustive, "" if accuracy.instances else reason, left_out, example))
    family = f": all {request.exhaustive}" if is_exhaustive else ", interrupted" if is_interrupted else ""
    notes = [f"not checked because the world itself proves them unsolvable: {unsolvable:,} instances"]
    return Audit(
        world=request.world + family,
        subject=request.subject,
        exhaustive=request.exhaustive,
        findings=findings,
        statistics=accuracy.statistics() if has_heuristic else [],
        notes=[*request.notes, *(notes if unsolvable else [])],
    )


@contextmanager
def _searching(request: AuditRequest, watcher: Watcher) -> Iterator[Callable[[Analysis], Subject]]:
    """Yield a function that searches an analysed instance; without an algorithm it returns the analysis itself."""
    algorithm = request.algorithm
    if algorithm is None:
        yield lambda analysis: analysis
        return
    solver = Solver(algorithm, request.stack, request.weighting, request.limits, request.declared)

    is_external = isinstance(algorithm, ExternalPlanner)

    def result_of(instance: Instance, improvements: list[Improvement]) -> Result:
        if is_external:  # it enforces the limits itself
            watcher.leave_to_planner()
        else:
            watcher.limit()
        attempt = solver.attempt(instance)
        result = attempt.result(lambda counts: watcher.explored(counts.peak_nodes), improvements.append)
        if result.status == INTERRUPTED.name:
            raise Stopped
        return result

    def search(analysis: Analysis) -> Trial:
        improvements: list[Improvement] = []
        result = result_of(analysis.instance, improvements)
        again = result_of(analysis.instance, []) if is_external else None
        return Trial(analysis, algorithm, request.weighting, result, improvements, again)

    with closing(solver):
        yield search


def _counterexample(
    first: Witness | None, analyse: Analyse, is_supported: IsSupported | None, watcher: Watcher
) -> Counterexample | None:
    """Return the description of a violation, in a simpler instance if there is one that is supported."""
    if first is None:
        return None
    found = first
    with plugin_errors(first.analysis.instance):
        try:
            watcher.start(f"{SIMPLIFYING} {first.check.name}")
            found = first = unshared(first, analyse)
            found = first if is_supported is None else shrink(first, analyse, is_supported)
        except Stopped:  # all instances were analysed before: only the simplification is cut short
            pass
        return None if found.analysis.is_shared else describe(found, first)
