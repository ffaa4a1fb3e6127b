"""One audit: all instances of a source are examined, every check is tallied, and counterexamples are made small."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from runner.audit.accuracy import HeuristicAccuracy
from runner.audit.analysis import Analysis, Examiner
from runner.audit.checks import PROPERTIES, dominates
from runner.audit.counterexample import Counterexample, describe
from runner.audit.promises import PROMISES, try_out
from runner.audit.request import Request
from runner.audit.shrink import Look, looked_at_anew, shrink
from runner.audit.tally import Subject, Tally
from runner.execution.solver import Solver
from runner.execution.stop import Stopped
from runner.messages import PluginError
from runner.registry import UserError
from worlds.interface import Instance


@dataclass(frozen=True, repr=False)
class Audit:
    """What an audit has found.

    Attributes
    ----------
    world, subject : str
    exhaustive : str or None
    tallies : list of Tally
    errors : HeuristicAccuracy
    proven : int
        Instances that the world itself proves unsolvable; nothing was checked on them.
    is_interrupted : bool
        Ctrl-C came before all instances were examined.
    counterexamples : list of Counterexample
        One for each check that is violated, in the order of the checks.
    """

    world: str
    subject: str
    exhaustive: str | None
    tallies: list[Tally]
    errors: HeuristicAccuracy
    proven: int
    counterexamples: list[Counterexample]
    is_interrupted: bool = False

    @property
    def is_exhaustive(self) -> bool:
        """Whether all that there are of something were examined."""
        return self.exhaustive is not None and not self.is_interrupted

    @property
    def violated(self) -> list[str]:
        """Names of the checks that are violated."""
        return [tally.check.name for tally in self.tallies if tally.violations]

    @property
    def broken(self) -> list[str]:
        """Of these, the ones that the heuristic or the algorithm declares to hold."""
        return [tally.check.name for tally in self.tallies if tally.broken]

    def __str__(self) -> str:
        """Return what was found, a line for each check and statistic."""
        lines = [f"{self.subject}, on {self.world}"]
        for tally in self.tallies:
            count = f", {tally.violations:,} violations" if tally.violations else ""
            declared = ", but declared" if tally.broken else ""
            lines.append(f"  {tally.check.name}: {tally.verdict(self.is_exhaustive)}{count}{declared}")
        return "\n".join([*lines, *(f"  {each.name}: {each.value:.6g}" for each in self.errors.statistics())])

    __repr__ = __str__


def run(
    request: Request,
    start: Callable[[str], None] = lambda _: None,
    watch: Callable[[int], None] = lambda _: None,
    finish: Callable[[], None] = lambda: None,
    check: Callable[[], None] = lambda: None,
) -> Audit:
    """Audit a heuristic, or an algorithm with it.

    Parameters
    ----------
    request : Request
    start : callable
        Called with the name of each instance.
    watch : callable
        Called with the number of states found, while an instance is explored.
    finish : callable
        Called after each instance.
    check : callable
        Called often; if it raises `Stopped`, the audit ends with what has been found so far.

    Raises
    ------
    UserError
        If an instance exceeds a limit.
    PluginError
        If a world or a heuristic raises something.
    """

    def explored(states: int) -> None:
        watch(states)
        check()

    examiner = Examiner(request.stack, request.limits, explored)
    properties = [Tally(check) for check in (*PROPERTIES, *map(dominates, request.others))]
    promises = [Tally(check) for check in PROMISES] if request.algorithm is not None else []
    search = _searches(request, check)
    errors, proven, is_interrupted = HeuristicAccuracy(), 0, False
    try:
        for instance in request.instances:
            start(instance.id)
            check()
            with _plugin_errors(instance):
                analysis = examiner.examine(instance, share=True)
                if analysis is None:
                    proven += 1
                    continue
                trial = search(analysis) if promises else analysis
                errors.add(analysis)
                for tally in properties:
                    tally.add(analysis)
                for tally in promises:
                    tally.add(trial)
            finish()
    except Stopped:
        is_interrupted = True

    def try_anew(instance: Instance) -> Subject | None:
        analysis = examiner.examine(instance)
        return None if analysis is None else search(analysis)

    looks: list[tuple[Tally, Look]] = [*((tally, examiner.examine) for tally in properties)]
    looks += [(tally, try_anew) for tally in promises]
    found = list(_counterexamples(looks, request.shrink and not is_interrupted, start))
    return Audit(
        request.world,
        request.subject,
        request.exhaustive,
        [*properties, *promises],
        errors,
        proven,
        found,
        is_interrupted,
    )


@contextmanager
def _plugin_errors(instance: Instance) -> Iterator[None]:
    """What a world or a heuristic of the user's raises is shown as it is."""
    try:
        yield
    except (UserError, Stopped):
        raise
    except BaseException as error:  # code of the user's may raise anything, and signals raise nothing
        raise PluginError(f"{instance.id}: cannot be audited", error) from error


def _searches(request: Request, check: Callable[[], None]) -> Callable[[Analysis], Subject]:
    """Searches an examined instance."""
    algorithm = request.algorithm

    def search(analysis: Analysis) -> Subject:
        assert algorithm is not None
        return try_out(analysis, solver, algorithm, request.weighting, lambda _: check())

    if algorithm is not None:
        solver = Solver(algorithm, request.stack, request.weighting, request.limits, request.declared)
    return search


def _counterexamples(
    tallies: Iterable[tuple[Tally, Look]], make_small: bool, start: Callable[[str], None]
) -> Iterator[Counterexample]:
    for tally, look in tallies:
        if tally.witness is None:
            continue
        found, origin = tally.witness, tally.witness.analysis.instance
        with _plugin_errors(origin):
            try:
                start(f"making a counterexample to {tally.check.name} small")
                found = looked_at_anew(found, look)
                found = shrink(found, look) if make_small else found
            except Stopped:  # the audit itself is done
                make_small = False
            if not found.analysis.is_shared:
                yield describe(found, origin)
