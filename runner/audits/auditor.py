"""One audit: analyse all instances of a source, tally every check, and simplify the counterexamples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape

from runner.audits.accuracy import HeuristicAccuracy
from runner.audits.analysis import Analyser, Analysis, InstanceTooLarge
from runner.audits.checks import PROPERTIES, dominates
from runner.audits.counterexample import Counterexample, describe
from runner.audits.promises import PROMISES, Trial, run_trial
from runner.audits.request import Request
from runner.audits.shrink import Analyse, shrink, unshared
from runner.audits.tally import Subject, Tally
from runner.base.errors import PluginError, UserError
from runner.execution.solver import Solver
from runner.execution.stop import Stopped
from worlds.interface import Instance

SIMPLIFYING = "simplifying a counterexample to"


@dataclass(frozen=True, repr=False)
class Audit:
    """Results of an audit.

    Attributes
    ----------
    world, subject : str
        Name of the instances, and of the audited stack and algorithm.
    exhaustive : str or None
        Description of the family, if these are all its instances; None if they are a sample.
    tallies : list of Tally
        One for each check.
    accuracy : HeuristicAccuracy
    unsolvable : int
        Number of instances that the world itself proves unsolvable. They are not checked.
    too_large : list of str
        The limit that each instance exceeds that was left out (see `Request.skip_large`).
    counterexamples : list of Counterexample
        One for each violated check, in the order of the checks.
    is_interrupted : bool
        Whether a signal ended the audit before all instances were analysed.
    request_notes : tuple of str
        Notes on settings that have no effect.
    """

    world: str
    subject: str
    exhaustive: str | None
    tallies: list[Tally]
    accuracy: HeuristicAccuracy
    unsolvable: int
    too_large: list[str]
    counterexamples: list[Counterexample]
    is_interrupted: bool = False
    request_notes: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the checks, and the counterexamples."""
        from runner.base.html import table

        checks = [
            (each.check.name, each.check.claim, each.declared,
             each.verdict(self.is_exhaustive))
            for each in self.tallies
        ]  # fmt: skip
        examples = [(each.check, "\n".join([*each.picture.splitlines(), *each.lines])) for each in self.counterexamples]
        title = f"<p>{escape(self.subject)}, on {escape(self.family)}</p>"
        return title + table(checks, ("check", "claim", "declared", "verdict")) + (table(examples) if examples else "")

    @property
    def is_exhaustive(self) -> bool:
        """Whether all instances of a family were analysed."""
        return self.exhaustive is not None and not self.is_interrupted

    @property
    def family(self) -> str:
        """Name of the instances, and whether they are all instances of a family."""
        if self.is_interrupted:
            return f"{self.world}, interrupted"
        return self.world if self.exhaustive is None else f"{self.world}: all {self.exhaustive}"

    @property
    def violated(self) -> list[str]:
        """Names of the violated checks."""
        return [tally.check.name for tally in self.tallies if tally.violations]

    @property
    def broken(self) -> list[str]:
        """Names of the violated checks whose property the heuristic or the algorithm declares."""
        return [tally.check.name for tally in self.tallies if tally.broken]

    @property
    def notes(self) -> list[str]:
        """Notes on settings without effect and on instances that were not checked."""
        notes = list(self.request_notes)
        if self.unsolvable:
            notes.append(f"not checked because the world itself proves them unsolvable: {self.unsolvable:,} instances")
        if self.too_large:
            notes.append(f"not checked because they exceed a limit: {len(self.too_large):,} instances")
        return notes

    def __str__(self) -> str:
        """Return the results with a line for each check and statistic."""
        lines = [f"{self.subject}, on {self.world}"]
        for tally in self.tallies:
            count = f", {tally.violations:,} violations" if tally.violations else ""
            declared = ", but declared" if tally.broken else ""
            lines.append(f"  {tally.check.name}: {tally.verdict(self.is_exhaustive)}{count}{declared}")
        return "\n".join([*lines, *(f"  {each.name}: {each.value:.6g}" for each in self.accuracy.statistics())])

    __repr__ = __str__


class Watcher:
    """Observer of an audit. This one does nothing.

    Its methods may raise `Stopped` to end the audit, which then returns what has been found so far.
    """

    def start(self, title: str) -> None:
        """Note the beginning of an instance, by its id, or of the simplification of a counterexample."""

    def limit(self) -> None:
        """Begin what the limit of time applies to: the analysis of an instance, or its search."""

    def explored(self, states: int) -> None:
        """Note the number of states so far. Called often."""

    def finish(self) -> None:
        """Note the end of an instance."""


def run(request: Request, watcher: Watcher | None = None) -> Audit:
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
    analyser = Analyser(request.stack, request.limits, watcher.limit, watcher.explored)
    properties = [Tally(check) for check in (*PROPERTIES, *map(dominates, request.others))]
    promises = [Tally(check) for check in PROMISES] if request.algorithm is not None else []
    search = _search(request, watcher)
    accuracy, unsolvable, is_interrupted = HeuristicAccuracy(), 0, False
    too_large: list[str] = []
    try:
        for instance in request.instances:
            watcher.start(instance.id)
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
                for tally in properties:
                    tally.add(analysis)
                for tally in promises:
                    tally.add(trial)
            watcher.finish()
    except Stopped:
        is_interrupted = True

    def analyse_and_search(instance: Instance) -> Subject | None:
        analysis = analyser.analyse(instance)
        return None if analysis is None else search(analysis)

    tallies: list[tuple[Tally, Analyse]] = [*((tally, analyser.analyse) for tally in properties)]
    tallies += [(tally, analyse_and_search) for tally in promises]
    found = list(_counterexamples(tallies, request.shrink and not is_interrupted, watcher.start))
    return Audit(
        request.world,
        request.subject,
        request.exhaustive,
        [*properties, *promises],
        accuracy,
        unsolvable,
        too_large,
        found,
        is_interrupted,
        request.notes,
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
        return run_trial(
            analysis, solver, algorithm, request.weighting, lambda counts: watcher.explored(counts.peak_nodes)
        )

    return search


def _counterexamples(
    tallies: Iterable[tuple[Tally, Analyse]], do_shrink: bool, start: Callable[[str], None]
) -> Iterator[Counterexample]:
    for tally, analyse in tallies:
        if tally.witness is None:
            continue
        found = first = tally.witness
        with _plugin_errors(first.analysis.instance):
            try:
                start(f"{SIMPLIFYING} {tally.check.name}")
                found = first = unshared(first, analyse)
                found = shrink(first, analyse) if do_shrink else first
            except Stopped:  # all instances were analysed before: only the simplification is cut short
                do_shrink = False
            if not found.analysis.is_shared:
                yield describe(found, first)
