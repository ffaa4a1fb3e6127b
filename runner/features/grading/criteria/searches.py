"""Criteria of searches: values of instances, plans, and expansions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

from algorithms.interface import ALGORITHMS
from runner.base import CUTOFF, NODE_LIMIT, SOLVED, UNSOLVABLE, Result, UserError, plural
from runner.features.grading.criterion import Criterion, Outcome, Points, Reference, criterion
from runner.features.grading.exam import Exam
from runner.features.grading.material import algorithm_of
from worlds.interface import looks_of


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
        found = exam.starts(self.world) if exam.kind == "heuristic" else [each.cost for each in exam.search(self.world)]
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
        wrong = wrong or [f"{each.instance}: prints no number of expansions" for each in found if each.expanded is None]
        if wrong:
            return self.all_or_nothing(wrong, "")
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
        shares = ["all" if given == self.points else f"{given:g} of {self.points:g}" for _, given in chosen]
        gets = [f"{limit:,} or fewer get {share} points" for (limit, _), share in zip(chosen, shares, strict=True)]
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
        return _OurSearch(f"{name} with {results[0].heuristic}", sum(each.expanded or 0 for each in results))


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
            for name in ("cost", "expanded"):
                right, given = getattr(ours, name), getattr(theirs, name)
                if right != given:
                    wrong.append(f"{ours.instance}: {name}: expected {right}, got {given}")
                    break
        return self.all_or_nothing(wrong, f"the counts of {self.reference} on {plural(len(expected), 'instance')}")


def _unsolved(result: Result) -> str | None:
    """Return a line on a search without a valid plan; None if it has one."""
    if result.status == SOLVED.name and result.valid:
        return None
    reason = result.error or result.reason
    words = {SOLVED.name: "the plan is not valid", CUTOFF.name: "no plan, but there is one"}
    return f"{result.instance}: {words.get(result.status, result.status)}{f': {reason}' if reason else ''}"
