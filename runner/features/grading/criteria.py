"""Criteria that exercises can choose."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import gt, lt, ne
from typing import Any, ClassVar, NamedTuple

import numpy as np

from algorithms.engine import Limits
from algorithms.interface import ALGORITHMS
from algorithms.spaces import values
from heuristics.interface import Stack
from runner.base import CUTOFF, NODE_LIMIT, SOLVED, UNSOLVABLE, Result, UserError, plural
from runner.features.audits import INSTANCES, Analysis, Check, Tally, Witness, checks_of, run_checks
from runner.features.grading.counterexample import estimate, text_of, told, too_much, too_steep
from runner.features.grading.criterion import Criterion, Outcome, Points, Reference, criterion
from runner.features.grading.exam import Exam
from runner.features.grading.marks import same_error
from runner.features.grading.material import Size, algorithm_of
from runner.features.grading.submitted_world import checked
from worlds.interface import looks_of

_CHECKS = {check.name: check for check in checks_of("heuristic")}


# Heuristics, in all states.


@dataclass(frozen=True)
class _InAllStates(Criterion):
    """Property in all states that can be reached in the instances, with the smallest counterexample."""

    turn: ClassVar[int] = 0  # the values are kept, so that searches do not get others
    asks_all_states: ClassVar[bool] = True

    @abstractmethod
    def property(self, exam: Exam) -> Check:
        """Return the check."""

    @abstractmethod
    def words(self, exam: Exam, found: Witness) -> str:
        """Return a sentence on the counterexample."""

    def judge(self, exam: Exam) -> Outcome:
        tally = Tally(self.property(exam))
        for analysis in exam.analyses(self.world):
            tally.add(analysis)
        witness = tally.witness
        if witness is None:
            return Outcome(self.points, f"{tally.check.claim}: {tally.finding(is_exhaustive=True).verdict}")
        verdict = tally.finding(is_exhaustive=True).verdict
        return Outcome(0, *told(witness, self.words(exam, witness), verdict, has_calls=not exam.has_form))


def _of_checks(name: str, sentence: Callable[[Witness], str]) -> type[Criterion]:
    """Register the criterion for a check of audits."""

    @criterion(name)
    @dataclass(frozen=True)
    class OfCheck(_InAllStates):
        def property(self, exam: Exam) -> Check:
            return _CHECKS[name]

        def words(self, exam: Exam, found: Witness) -> str:
            return sentence(found)

    OfCheck.__doc__ = f"{_CHECKS[name].claim}, in all states."
    return OfCheck


for _name, _sentence in (
    ("admissible", too_much), ("consistent", too_steep), ("zero_at_goals", too_much), ("dead_ends", too_much),
):  # fmt: skip
    _of_checks(_name, _sentence)


@dataclass(frozen=True)
class _Compared(_InAllStates):
    """Comparison with a reference in all states.

    Attributes
    ----------
    reference : str or list, optional
        Heuristic of ours; default: the reference of the exercise.
    """

    is_wrong: ClassVar[Callable[[Any, Any], Any]]
    sign: ClassVar[str]
    than: ClassVar[str]

    reference: Reference | None = None

    def check_parts(self, exam: Exam) -> None:
        exam.check_reference(self.world, self.reference)

    def property(self, exam: Exam) -> Check:
        stack = self._stack(exam)

        def violations(analysis: Analysis) -> Any:
            bound = stack.prepare(analysis.space.problem)
            if bound.problem is not analysis.space.problem:
                raise UserError(f"reference: {stack} changes the problem, and cannot be compared in all states")
            return np.flatnonzero(type(self).is_wrong(analysis.h, values(bound, analysis.space.all_states())))

        claim = f"h {self.sign} that of {stack} at every state"
        return Check(self.registered_name, claim, "states", violations, lambda _: None)

    def words(self, exam: Exam, found: Witness) -> str:
        stack, searched = self._stack(exam), found.analysis.searched
        (value,) = values(stack.prepare(searched.problem), searched.state(found.state))
        return f"{estimate(found)}, {self.than} that of {stack}, {text_of(found.analysis, value)}: here"

    def _stack(self, exam: Exam) -> Stack:
        return exam.material.stack(exam.world(self.world), exam.entries(self.reference))


@criterion("dominates")
@dataclass(frozen=True)
class Dominates(_Compared):
    """At least the value of a reference in all states."""

    is_wrong = lt
    sign = ">="
    than = "less than"


@criterion("dominated_by")
@dataclass(frozen=True)
class DominatedBy(_Compared):
    """At most the value of a reference in all states."""

    is_wrong = gt
    sign = "<="
    than = "more than"


@criterion("equals")
@dataclass(frozen=True)
class Equals(_Compared):
    """The value of a reference in all states."""

    is_wrong = ne
    sign = "="
    than = "and not"


# Searches, and values of instances.


@criterion("table")
@dataclass(frozen=True)
class ExpectedValues(Criterion):
    """Values of a table: of a heuristic at the start of each instance; else the cost of the plan found.

    Attributes
    ----------
    values : mapping of str to float
        Value by the id of an instance.
    """

    judges: ClassVar[tuple[str, ...]] = ("heuristic", "algorithm")

    values: dict[str, float] = None  # type: ignore[assignment]

    def check(self) -> None:
        if not self.values:
            raise UserError("values: missing; give the value of each instance by its id")

    def judge(self, exam: Exam) -> Outcome:
        instances = exam.instances(self.world)
        missing = [name for name in self.values if name not in {each.id for each in instances}]
        if missing:
            raise UserError(f"values: the world has no instance '{missing[0]}'")
        found: Sequence[float | None]
        if exam.kind == "heuristic":
            found = exam.starts(self.world)
        else:
            found = [result.cost for result in exam.search(self.world)]
        wrong = [
            f"{instance.id}: expected {self.values[instance.id]:g}, got {'none' if value is None else f'{value:g}'}"
            for instance, value in zip(instances, found, strict=True)
            if instance.id in self.values and value != self.values[instance.id]
        ]
        return self.all_or_nothing(wrong, f"right in {plural(len(self.values), 'instance')}")


@dataclass(frozen=True)
class _OfSearches(Criterion):
    """Property of searches of all instances.

    Attributes
    ----------
    algorithm : str or mapping
        Algorithm of ours that a submitted heuristic guides, or that a submitted algorithm is compared with. With
        parameters: ``{name: astar, ties: fifo}``.
    heuristic : str or list, optional
        Heuristic of ours that guides a submitted algorithm; default: the reference of the exercise.
    entry : str
        Algorithm that is judged, of a submission that has several (`Exercise.form`).
    """

    judges: ClassVar[tuple[str, ...]] = ("heuristic", "algorithm")

    algorithm: str | dict[str, Any] = "astar"
    heuristic: Reference | None = None
    entry: str = ""

    @property
    def chosen(self) -> str:
        """Algorithm of ours as text."""
        return self.algorithm if isinstance(self.algorithm, str) else json.dumps(self.algorithm)

    @property
    def guide(self) -> Reference | None:
        """Heuristic of ours that guides a submitted algorithm; None for the reference of the exercise."""
        return self.heuristic

    def check_parts(self, exam: Exam) -> None:
        exam.check_reference(self.world, self.guide, "reference" if self.heuristic is None else "heuristic")
        algorithm_of(self.chosen)

    def searched(self, exam: Exam, nodes: int | None = None) -> list[Result]:
        """Return the results of the submission."""
        return exam.search(self.world, self.chosen, self.guide, nodes, self.entry)


@dataclass(frozen=True)
class _OfPlans(_OfSearches):
    """Property of the plans of all instances.

    Attributes
    ----------
    reference : str or list, optional
        Heuristic of ours for optimal plans, and instead of `heuristic`; default: the reference of the exercise. A world
        of another domain needs one.
    """

    reference: Reference | None = None

    @property
    def guide(self) -> Reference | None:
        """`heuristic`, or else `reference`."""
        return self.reference if self.heuristic is None else self.heuristic

    def check_parts(self, exam: Exam) -> None:
        super().check_parts(exam)
        exam.check_reference(self.world, self.reference)

    def plans(self, exam: Exam, fault: Callable[[Result, float], str | None], right: str) -> Outcome:
        """Return all points if no plan has a fault, else the faults and a picture, nearest to the goal first."""
        instances, optima = exam.instances(self.world), exam.optima(self.world, self.reference)
        found = [
            (optimum, instance, result, text)
            for instance, result, optimum in zip(instances, self.searched(exam), optima, strict=True)
            if optimum is not None and (text := fault(result, optimum)) is not None
        ]
        found.sort(key=lambda each: each[0])
        draw = next((looks_of(instance.world).picture(result.plan or ()) for _, instance, result, _ in found), None)
        return replace(self.all_or_nothing([text for *_, text in found], right), draw=draw)


@criterion("valid")
@dataclass(frozen=True)
class Valid(_OfPlans):
    """A plan that the rules accept for each instance that has one."""

    def judge(self, exam: Exam) -> Outcome:
        return self.plans(exam, lambda result, _: _unsolved(result), "the rules accept every plan")


@criterion("optimal")
@dataclass(frozen=True)
class Optimal(_OfPlans):
    """An optimal plan for each instance that has one."""

    def judge(self, exam: Exam) -> Outcome:
        def fault(result: Result, optimum: float) -> str | None:
            if _unsolved(result) is not None or result.cost == optimum:
                return _unsolved(result)
            whose = "the plan found with your heuristic" if exam.kind == "heuristic" else "your plan"
            costs = f"{whose} costs {result.cost:g}, and the cheapest one {optimum:g}"
            return f"{result.instance}: {costs}: {' '.join(result.plan or ())}"

        return self.plans(exam, fault, "every plan is optimal")


@criterion("expanded")
@dataclass(frozen=True)
class Expanded(_OfSearches):
    """Few expansions on all instances together, if each is solved. Requires `admissible` and `optimal` by default.

    Attributes
    ----------
    at_most : float or mapping
        Number of expansions for all points; or points by the number of expansions, such as ``{500: 4, 1000: 2}``.
    reference : str or list, optional
        Heuristic of ours. With it, `at_most` is a ratio of the expansions of the same algorithm with it.
    ranked : bool
        Whether it has a leaderboard. One that requires nothing would be led by heuristics that overestimate.
    """

    required: ClassVar[tuple[str, ...]] = ("admissible", "optimal")

    at_most: float | dict[float, Points] = None  # type: ignore[assignment]
    reference: Reference | None = None
    ranked: bool = True

    def check(self) -> None:
        if self.at_most is None:
            raise UserError("at_most: missing; give a number of expansions, or points by numbers")
        best = max(self._steps().values(), default=None)
        if best != self.points:
            raise UserError(f"at_most: the most points must be those of the criterion, {self.points:g}, got {best}")

    def check_parts(self, exam: Exam) -> None:
        super().check_parts(exam)
        if self.reference is not None or self.ranked:  # the leaderboard may compare with the reference of the exercise
            exam.check_reference(self.world, self.reference)

    def _steps(self) -> Mapping[float, float]:
        return self.at_most if isinstance(self.at_most, dict) else {self.at_most: self.points}

    def judge(self, exam: Exam) -> Outcome:
        ours = self._by_reference(exam, self.reference) if self.reference is not None else None
        base = ours.expanded if ours else 1
        compared = f" ({ours.search}: {ours.expanded:,})" if ours else ""
        steps = sorted((limit * base, points) for limit, points in self._steps().items())
        found = self.searched(exam, int(steps[-1][0]))
        if found[-1].status == NODE_LIMIT.name:
            return Outcome(0, f"{self._needed(steps, 0)}\n\nexpanded more than {int(steps[-1][0]):,}{compared}")
        unsolved = [(number, text) for number, each in enumerate(found) if (text := _unsolved(each)) is not None]
        optima = exam.optima(self.world, self.heuristic) if unsolved else []
        none = CUTOFF.name, UNSOLVABLE.name
        wrong = [text for number, text in unsolved if optima[number] is not None or found[number].status not in none]
        if wrong:
            return self.all_or_nothing(wrong, "")
        uncounted = [f"{each.instance}: prints no number of expansions" for each in found if each.expanded is None]
        if uncounted:
            return self.all_or_nothing(uncounted, "")
        count = sum(each.expanded or 0 for each in found)
        points = next((points for limit, points in steps if count <= limit), 0.0)
        text = f"expanded {count:,} on {plural(len(found), 'instance')}{compared}"
        if points < self.points:
            text = f"{self._needed(steps, points)}\n\n{text}"
        return Outcome(points, text, None, *self._on_leaderboard(exam, count, ours))

    def _needed(self, steps: Sequence[tuple[float, float]], points: float) -> str:
        """Return a sentence on the numbers of expansions that would give more points, the next one first."""
        better = [(int(limit), given) for limit, given in reversed(steps) if given > points]
        chosen = dict.fromkeys((better[0], next(each for each in better if each[1] == self.points)))
        gets = [f"{limit:,} or fewer get {_of_all(given, self.points)}" for limit, given in chosen]
        return f"The searches expand too many states for more points: {', and '.join(gets)}"

    def _on_leaderboard(self, exam: Exam, count: int, ours: _OurSearch | None) -> tuple[float | None, str]:
        """Return a number that can be compared with those of other students, and what it is; None if there is none."""
        if not self.ranked:
            return None, ""
        if ours is None and not exam.is_of_student(self.world):
            return count, ""
        if ours is None and exam.has_reference:
            ours = self._by_reference(exam, None)
        return (count / max(1, ours.expanded), f"ratio to {ours.search}") if ours else (None, "")

    def _by_reference(self, exam: Exam, reference: Reference | None) -> _OurSearch:
        """Search the instances with a heuristic of ours."""
        results = exam.material.searched(exam.world(self.world), self.chosen, exam.entries(reference))
        name = self.algorithm if isinstance(self.algorithm, str) else self.algorithm["name"]
        name = f"{name} with {results[0].heuristic}"
        return _OurSearch(name, sum(each.expanded or 0 for each in results))


class _OurSearch(NamedTuple):
    """Expansions of a search of ours on all instances, and its name."""

    search: str
    expanded: int


@criterion("counts")
@dataclass(frozen=True)
class ReferenceCounts(_OfSearches):
    """The expansions and costs of an algorithm of ours on each instance.

    Attributes
    ----------
    reference : str
        The algorithm.
    """

    judges: ClassVar[tuple[str, ...]] = ("algorithm",)

    reference: str = "astar"

    def check_parts(self, exam: Exam) -> None:
        super().check_parts(exam)
        ALGORITHMS.build(self.reference, {})

    def judge(self, exam: Exam) -> Outcome:
        expected = exam.material.searched(exam.world(self.world), self.reference, exam.entries(self.heuristic))
        wrong = []
        for ours, theirs in zip(expected, self.searched(exam), strict=True):
            pairs = [(name, getattr(ours, name), getattr(theirs, name)) for name in ("cost", "expanded")]
            wrong += [
                f"{ours.instance}: {name}: expected {right}, got {given}"
                for name, right, given in pairs
                if right != given
            ][:1]
        return self.all_or_nothing(wrong, f"the counts of {self.reference} on {plural(len(expected), 'instance')}")


# Worlds.


@criterion("world_checks")
@dataclass(frozen=True)
class WorldChecks(Criterion):
    """All checks of worlds, such as that the rules do not change between two calls."""

    judges: ClassVar[tuple[str, ...]] = ("world",)

    def judge(self, exam: Exam) -> Outcome:
        violation: str | None = checked(exam.submission.ask("check"), str | None)
        if violation is None:  # it may be forged
            failed = [each for each in run_checks(exam.submitted(INSTANCES)) if each.outcome == "failed"]
            violation = f"{failed[0].check}: {failed[0].verdict}" if failed else None
        return self.all_or_nothing([] if violation is None else [violation], "no check is violated")


@criterion("same_space")
@dataclass(frozen=True)
class SameSpace(Criterion):
    """The numbers of states and steps, and the optimal costs, of the world of the exercise, instance by instance."""

    judges: ClassVar[tuple[str, ...]] = ("world",)

    def judge(self, exam: Exam) -> Outcome:
        expected = exam.material.sizes(exam.world(self.world))
        count = len(exam.submitted(len(expected) + 1))
        if count != len(expected):
            return Outcome(
                0, f"expected {plural(len(expected), 'instance')}, got {'more' if count > len(expected) else count}"
            )
        wrong = []
        for number, (ours, theirs) in enumerate(zip(expected, exam.sizes(expected), strict=False)):
            if theirs is None:
                wrong.append(f"instance {number}: expected {plural(ours.states, 'state')}, got more")
                continue
            wrong += [
                f"instance {number}: {name.replace('_', ' ')}: expected {right}, got {given}"
                for name, right, given in zip(Size._fields, ours, theirs, strict=True)
                if right != given
            ]
        return self.all_or_nothing(wrong, f"the spaces of {plural(len(expected), 'instance')} agree")


# All kinds.


@criterion("limits")
@dataclass(frozen=True)
class TimeLimit(Criterion):
    """All other criteria were judged without an error, within a time.

    Attributes
    ----------
    cpu : float or str, optional
        Processor time for all criteria, such as 5s. It is the only measure that depends on the machine.
    """

    judges: ClassVar[tuple[str, ...]] = ("heuristic", "algorithm", "world", "program")
    turn: ClassVar[int] = 2

    cpu: float | str | None = None

    def check(self) -> None:
        Limits.of({"cpu": self.cpu})

    def judge(self, exam: Exam) -> Outcome:
        exam.submission.end()
        seconds, limit = exam.submission.cpu_seconds, Limits.of({"cpu": self.cpu}).cpu
        stopped = "" if exam.submission.failure is None else str(exam.submission.failure)
        errors = filter(None, (*exam.failures, stopped, exam.submission.warning))
        wrong = list({same_error(each): each for each in errors}.values())
        if limit is not None and seconds > limit:
            wrong.append(f"took {seconds:.1f} s of processor time, more than {limit:g} s")
        return self.all_or_nothing(wrong, "kept")


def _of_all(points: float, most: float) -> str:
    return "all points" if points == most else f"{points:g} of {most:g} points"


def _unsolved(result: Result) -> str | None:
    """Return a line on a search without a valid plan; None if it has one."""
    if result.status == SOLVED.name and result.valid:
        return None
    reason = result.error or result.reason
    what = {SOLVED.name: "the plan is not valid", CUTOFF.name: "no plan, but there is one"}.get(
        result.status, result.status
    )
    return f"{result.instance}: {what}{f': {reason}' if reason else ''}"
