"""One audit: analyse all instances of a source, count violations of each check, and simplify the counterexamples."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta

from algorithms.engine.distances import INFINITY
from algorithms.engine.search import INTERRUPTED, SOLVED, Counts, Limiter
from algorithms.must_expand import vertex_cover
from runner.base.errors import PluginError, UserError
from runner.base.messages import message, plural
from runner.features.audits.analysis import Accuracy, Analyser, Analysis, InstanceTooLarge
from runner.features.audits.checks import GUIDANCE, PROPERTIES, Check, dominates
from runner.features.audits.counterexample import describe
from runner.features.audits.finding import Audit, Counterexample, Finding, Outcome, RecordedCover, Statistic
from runner.features.audits.promises import PROMISES, Subject, Trial, analysis_of
from runner.features.audits.request import ANY_SIZE, Request
from runner.features.audits.shrink import Analyse, IsSupported, Witness, shrink, unshared, witness
from runner.plugin import Improvement, ProgressDisplay, Solver, Stopped, WorkerState
from worlds.compile.clock import compile_seconds
from worlds.interface import Instance, Unsolvable

SIMPLIFYING = "simplifying a counterexample to"
MIN_ANNOUNCED_SECONDS = 10.0


class Tally:
    """Counts of one check over many instances.

    Attributes
    ----------
    check : Check
    witness : Witness or None
        Violation nearest to a goal, of several that in the instance with the fewest states; violations of declared
        properties come first.
    """

    def __init__(self, check: Check) -> None:
        self.check = check
        self.witness: Witness | None = None
        self._rank = (True, INFINITY, INFINITY)
        self._instances = self._spaces = self._states = self._steps = 0
        self._violations = self._violating = self._declaring = self._denying = self._broken = 0
        self._cut_off = 0  # instances where the check was impossible because the search ended at a limit

    def add(self, subject: Subject) -> None:
        """Check one more instance."""
        analysis = analysis_of(subject)
        if analysis.is_shared and self.check.counted != "instances":
            self._instances += 1  # its states have been checked
            return
        found = self.check.violations(subject)
        if found is None:
            self._cut_off += isinstance(subject, Trial) and subject.is_cut_off
            return
        declared = self.check.declared(subject)
        self._instances += 1
        self._spaces += 1
        self._states += analysis.states
        self._steps += analysis.steps
        self._declaring += declared is True
        self._denying += declared is False
        if not len(found):
            return
        self._violations += len(found)
        self._violating += 1
        self._broken += declared is True
        nearest = witness(self.check, subject, found)
        rank = (not declared, int(analysis.h_star[nearest.state]), analysis.states)
        if rank < self._rank:
            self._rank, self.witness = rank, nearest

    def finding(
        self, is_exhaustive: bool, reason: str, left_out: str, counterexample: Counterexample | None
    ) -> Finding[Counterexample]:
        """Return the result.

        Parameters
        ----------
        is_exhaustive : bool
            Whether the instances are all that there are of a family.
        reason : str
            Why no instance was analysed; empty if there was one.
        left_out : str
            Description of the instances that exceed a limit; empty if there is none.
        """
        outcome: Outcome = "not checked"
        verdict = reason or ("every search ended at a limit" if self._cut_off else self.check.otherwise)
        if self._instances:
            outcome = "passed" if not self._violations else "failed" if self._broken else "not declared"
            verdict = self._verdict(is_exhaustive) + (f"; not in {left_out}" if left_out else "")
        return Finding(
            check=self.check.name,
            outcome=outcome,
            verdict=verdict,
            claim=self.check.claim,
            declared=self._declared,
            violations=self._violations,
            violating=self._violating,
            declaring=self._declaring,
            broken=self._broken,
            instances=self._instances,
            states=self._states if self.check.counted != "instances" else None,
            steps=self._steps if self.check.counted == "steps" else None,
            counterexample=counterexample,
        )

    @property
    def _declared(self) -> str:
        if not self._declaring:
            return "no" if self._denying else "unknown"
        return "yes" if not self._denying else f"for {self._declaring:,} instances"

    def _verdict(self, is_exhaustive: bool) -> str:
        """Return the result as text. It never claims more than what was checked."""
        where = plural(self._instances, "instance")
        rest = f"; in {self._cut_off:,} more the search ended at a limit" if self._cut_off else ""
        checked, violations = where, f"{self._violations:,} of {where}"
        if self.check.counted != "instances":
            if self._spaces < self._instances:
                where = f"{plural(self._spaces, 'space')} that {where} share"
            number = plural(self._states if self.check.counted == "states" else self._steps, self.check.counted[:-1])
            checked = f"{number} of {where}"
            violations = f"{self._violations:,} of {number} ({self._violating:,} of {where})"
        if self._violations:
            return f"VIOLATED in {violations}{rest}"
        return f"no violation in {checked}{rest}" if rest or not is_exhaustive else f"holds in all {checked}"


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


class Watcher:
    """Observer of an audit. It shows how far the audit is.

    Parameters
    ----------
    state : WorkerState, optional
        State in which the instance and the counts are shown.
    is_stopped : callable, optional
        Whether the audit is to end. `Stopped` then ends it, and it returns what it has found so far.
    limit : callable, optional
        Begins what the limit of time applies to: the analysis of an instance, or its search.
    progress : ProgressDisplay, optional
        Display of the same process.
    announce : callable, optional
        Shows a line to the user.
    """

    def __init__(
        self,
        state: WorkerState | None = None,
        is_stopped: Callable[[], bool] = lambda: False,
        limit: Callable[[], None] = lambda: None,
        progress: ProgressDisplay | None = None,
        announce: Callable[[str], None] = message,
    ) -> None:
        self.limit, self.announce = limit, announce
        self._state, self._is_stopped, self._progress = state or WorkerState(), is_stopped, progress
        self._done = 0

    def start(self, title: str) -> None:
        """Note the beginning of an instance, by its id, or of the simplification of a counterexample."""
        self._state.begin_search(self._done, {"instance": title})
        self._raise_if_stopped()

    def explored(self, states: int) -> None:
        """Note the number of states so far. Called often."""
        self._state.set_counts(Counts(expanded=states, peak_nodes=states))
        self._raise_if_stopped()
        if self._progress is not None:
            self._progress.show_workers([self._state])

    def finish(self) -> None:
        """Count an instance."""
        self._done += 1
        if self._progress is not None:
            self._progress.advance(1)

    def _raise_if_stopped(self) -> None:
        if self._is_stopped():
            raise Stopped


def run(request: Request, watcher: Watcher | None = None) -> Audit[Counterexample]:
    """Audit a stack of heuristics, or an algorithm with it, in this process.

    Parameters
    ----------
    request : Request
    watcher : Watcher, optional

    Raises
    ------
    UserError
        If an instance exceeds a limit, unless the request leaves out such instances.
    PluginError
        If a world or a heuristic raises an exception.
    """
    watcher = watcher or Watcher()
    if request.vertex_cover:
        return _covers(request, watcher)
    estimate = _Estimate(request.count, watcher.announce)
    analyser = Analyser(
        request.stack, request.limits, watcher.limit, watcher.explored, request.others, estimate.announce
    )
    guidance = GUIDANCE if request.stack.heuristics and request.stack.admissible is None else ()
    properties = [Tally(check) for check in (*PROPERTIES, *guidance, *map(dominates, request.others))]
    promises = [Tally(check) for check in PROMISES] if request.algorithm is not None else []
    search = _search(request, watcher)
    accuracy, unsolvable, is_interrupted = Accuracy(), 0, False
    sizes = set[tuple[int, ...]]()
    too_large: list[str] = []
    try:
        for instance in request.instances:
            watcher.start(instance.id)
            estimate.start()
            with _plugin_errors(instance):
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
                    sizes.add(instance.rules.dimensions)
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
        return request.shrink == ANY_SIZE or instance.rules.dimensions in sizes

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
        statistics=accuracy.statistics(),
        notes=[*request.notes, *(notes if unsolvable else [])],
    )


def _covers(request: Request, watcher: Watcher) -> Audit[Counterexample]:
    """Return the minimum vertex cover of each instance, and how many nodes the algorithm expands."""
    covers: list[RecordedCover] = []
    left_out = 0
    solver = None
    if request.algorithm is not None:
        solver = Solver(request.algorithm, request.stack, request.weighting, request.limits, request.declared)
    with suppress(Stopped):
        for instance in request.instances:
            watcher.start(instance.id)
            watcher.limit()
            with _plugin_errors(instance):
                cover = None
                with suppress(Unsolvable):
                    stack = request.stack.prepare(instance.problem())
                    cover = vertex_cover(
                        stack, Limiter(request.limits, lambda counts: watcher.explored(counts.peak_nodes))
                    )
            if cover is None:
                left_out += 1
            else:
                result = None if solver is None else solver.attempt(instance).result()
                expanded = result.expanded if result is not None and result.status == SOLVED else None
                covers.append(RecordedCover(instance.id, float(instance.user_cost(cover.cost)), cover.size, expanded))
            watcher.finish()
    sizes, both = [each.vertex_cover for each in covers], [each for each in covers if each.expanded is not None]
    statistics = [Statistic("mean vertex cover", sum(sizes) / max(1, len(sizes)), sum(sizes), len(sizes))]
    expanded, least = sum(each.expanded or 0 for each in both), sum(each.vertex_cover for each in both)
    if least:
        statistics.append(Statistic("expanded / vertex cover", expanded / least, expanded, len(both)))
    notes = (
        [f"without a vertex cover, because A* found no solution: {plural(left_out, 'instance')}"] if left_out else []
    )
    return Audit(
        request.world, request.subject, request.exhaustive, [], statistics, [*request.notes, *notes], covers=covers
    )


@contextmanager
def _plugin_errors(instance: Instance) -> Iterator[None]:
    """Raise a `PluginError` for an exception of the user's world or heuristic."""
    try:
        yield
    except (UserError, Stopped):
        raise
    except BaseException as error:  # the user's code may raise anything, and signals raise nothing
        raise PluginError(f"{instance.id}: cannot be audited", error) from error


def _search(request: Request, watcher: Watcher) -> Callable[[Analysis], Subject]:
    """Return a function that searches an analysed instance; without an algorithm it returns the analysis itself."""
    algorithm = request.algorithm
    if algorithm is None:
        return lambda analysis: analysis
    solver = Solver(algorithm, request.stack, request.weighting, request.limits, request.declared)

    def search(analysis: Analysis) -> Trial:
        watcher.limit()
        improvements: list[Improvement] = []
        attempt = solver.attempt(analysis.instance)
        result = attempt.result(lambda counts: watcher.explored(counts.peak_nodes), improvements.append)
        if result.status == INTERRUPTED:
            raise Stopped
        return Trial(analysis, algorithm, request.weighting, result, improvements)

    return search


def _counterexample(
    first: Witness | None, analyse: Analyse, is_supported: IsSupported | None, watcher: Watcher
) -> Counterexample | None:
    """Return the description of a violation, in a simpler instance if there is one that is supported."""
    if first is None:
        return None
    found = first
    with _plugin_errors(first.analysis.instance):
        try:
            watcher.start(f"{SIMPLIFYING} {first.check.name}")
            found = first = unshared(first, analyse)
            found = first if is_supported is None else shrink(first, analyse, is_supported)
        except Stopped:  # all instances were analysed before: only the simplification is cut short
            pass
        return None if found.analysis.is_shared else describe(found, first)
