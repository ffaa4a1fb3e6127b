"""Exam of one submission: what criteria ask about it. Answers are kept, so that each question is asked once."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.engine import Limits
from algorithms.spaces import INFINITY, StateSpace, values
from heuristics.interface import BoundStack, Entries, Stack, stack_of_entries
from runner.base import ERROR, Result, UserError, one_line
from runner.features.audits import Analysis, InstanceTooLarge
from runner.features.grading.material import Material, Size, algorithm_of, search, size_of
from runner.features.grading.submission import Submission, SubmissionError, submitted_algorithm, submitted_heuristic
from runner.features.grading.submitted_program import ProgramSubmission
from runner.features.grading.submitted_world import submitted_instance
from worlds.compile import KernelError
from worlds.interface import Instance, Problem, Unsolvable, Words

Values = list[tuple[StateSpace, NDArray[np.int64]]]
"""Values of all states of some spaces, in the engine's units."""
STUDENT = "student"
"""Value of a seed that depends on the student."""
_SEEDS = 10**6


class Exam:
    """Exam of one submission.

    Parameters
    ----------
    submission : Submission, ProgramSubmission or None
        None to check the exercise.
    kind : {"heuristic", "algorithm", "world", "program"}
    world : mapping
        Section of the world of the exercise, for criteria without one of their own.
    reference : str or list
        Heuristic of ours, for criteria without one of their own, and for optimal plans.
    student : str
        Id of the student, on which seeds may depend.
    material : Material
    has_form : bool
        Whether the submission has states of its own (`Exercise.form`).

    Attributes
    ----------
    failures : list of str
        What the submission did instead of answering, so far.
    """

    def __init__(
        self, submission: Any, kind: str, world: Mapping[str, Any], reference: Entries, student: str,
        material: Material, has_form: bool = False,
    ) -> None:  # fmt: skip
        self.submission: Submission = submission
        self.kind = kind
        self.material, self.has_form = material, has_form
        self._program: ProgramSubmission | None = submission if kind == "program" else None
        self._world, self._reference, self._student = world, reference, student
        self.failures: list[str] = []
        self._analyses: dict[str, list[Analysis]] = {}
        self._values: dict[str, Values | SubmissionError] = {}
        self._results: dict[tuple[str, str, str, int | None, str], list[Result]] = {}
        self._submitted: list[Instance] = []
        self._digest, self._is_noted = hashlib.sha256(), False
        self._is_ours = kind == "world" or self.has_reference

    @property
    def digest(self) -> str:
        """Digest of the answers on worlds that all students share; empty without any, or if all are those of ours.

        Submissions with the same one behave identically there.
        """
        return self._digest.hexdigest() if self._is_noted and not self._is_ours else ""

    @property
    def has_reference(self) -> bool:
        """Whether the exercise has a heuristic of ours."""
        return bool(self._reference)

    def is_of_student(self, section: Mapping[str, Any] | None) -> bool:
        """Return whether the student has instances of their own."""
        return (self._world if section is None else section).get("seed") == STUDENT

    def world(self, section: Mapping[str, Any] | None) -> str:
        """Return the JSON of a section of a world, with the seed of the student."""
        given = dict(self._world if section is None else section)
        if given.get("seed") == STUDENT:
            given["seed"] = int.from_bytes(hashlib.sha256(self._student.encode()).digest()[:8], "big") % _SEEDS
        return json.dumps(given)

    def instances(self, section: Mapping[str, Any] | None) -> list[Instance]:
        """Return the instances of a world."""
        return self.material.instances(self.world(section))

    def check_reference(
        self, section: Mapping[str, Any] | None, reference: Entries | None, key: str = "reference"
    ) -> None:
        """Raise `UserError` if a heuristic of ours, by default the reference of the exercise, does not exist."""
        domain = self.instances(section)[0].world.domain
        stack_of_entries(domain, self._reference if reference is None else reference, where=key)

    def entries(self, reference: Entries | None) -> str:
        """Return the JSON of the entries of a stack; by default those of the reference of the exercise."""
        return json.dumps(self._reference if reference is None else reference)

    def analyses(self, section: Mapping[str, Any] | None) -> list[Analysis]:
        """Return the values of the submission, a heuristic, in all states that can be reached in the instances."""
        world = self.world(section)
        if world not in self._analyses:
            stack = Stack((submitted_heuristic(self.submission),))
            found = []
            for space, h in self.values(section, self.submission):
                self._note(section, h.tolist(), partial(self._our_values, world, space.problem, space.all_states()))
                bound = BoundStack(stack, space.problem, ())
                found.append(Analysis(space.problem.instance, stack, space, space, bound, h, space.distance))
            self._analyses[world] = found
        return self._analyses[world]

    def values(self, section: Mapping[str, Any] | None, submission: Submission) -> Values:
        """Return the values in all states of the spaces of a world. They are asked for once: searches use them, too.

        Parameters
        ----------
        submission : Submission
            Process that is asked the first time. It may be another one than that of the exam.
        """
        world = self.world(section)
        if world not in self._values:
            try:
                spaces = self.material.spaces(world)
                found = [(space, submission.values(space.problem, space.all_states())) for space in spaces]
            except SubmissionError as error:
                self._values[world] = error
            else:
                self._values[world] = found
                self.submission.know(found)
        known = self._values[world]
        if isinstance(known, SubmissionError):
            raise known
        return known

    def starts(self, section: Mapping[str, Any] | None) -> list[float]:
        """Return the value of the submission, a heuristic, at the start of each instance, in the user's units."""
        found = []
        for instance in self.instances(section):
            problem = instance.problem()
            value = self.submission.values(problem, problem.initial)
            ours = partial(self._our_values, self.world(section), problem, problem.initial)
            self._note(section, value.tolist(), ours)
            found.append(math.inf if value[0] == INFINITY else float(instance.world.user_cost(int(value[0]))))
        return found

    def search(
        self, section: Mapping[str, Any] | None, algorithm: str = "astar", heuristic: Entries | None = None,
        nodes: int | None = None, entry: str = "",
    ) -> list[Result]:  # fmt: skip
        """Search each instance: with the submission, or by it if it is an algorithm.

        Parameters
        ----------
        algorithm : str
            Algorithm of ours that a submitted heuristic guides.
        heuristic : str, list or None
            Heuristic of ours that guides a submitted algorithm; None for the reference. A program has its own.
        nodes : int or None
            Limit of the expansions of all instances together.
        entry : str
            Algorithm of the submission, if it has several.

        Raises
        ------
        SubmissionError
            If a search ends with an error.
        """
        key = self.world(section), algorithm, self.entries(heuristic), nodes, entry
        if key not in self._results:
            found = self._results[key] = self._searched(*key)
            self._note(section, _behaviours(found), partial(self._our_searches, *key[:3], found))
        return self._results[key]

    def _searched(self, world: str, algorithm: str, entries: str, nodes: int | None, entry: str) -> list[Result]:
        found, left = list[Result](), nodes
        for instance in self.material.instances(world):
            chosen: Any
            limits = Limits(nodes=None if left is None else left + 1)
            if self._program is not None:
                result = self._program.solve(instance)
            elif self.kind == "algorithm":
                chosen = submitted_algorithm(self.submission, entry)
                result = search(chosen, self.material.stack(world, entries), instance, limits)
            else:
                chosen = algorithm_of(algorithm)
                result = search(chosen, Stack((submitted_heuristic(self.submission),)), instance, limits)
            if result.status == ERROR.name:
                raise self.submission.failure or SubmissionError(f"{instance.id}: {result.error}")
            found.append(result)
            left = None if left is None else left - (result.expanded or 0)
            if left is not None and left < 0:
                break
        return found

    def optima(self, section: Mapping[str, Any] | None, reference: Entries | None = None) -> list[float | None]:
        """Return the cost of an optimal plan of each instance, by A* with the reference; None without a plan."""
        found = self.material.searched(self.world(section), "astar", self.entries(reference))
        return [result.cost for result in found]

    def submitted(self, most: int) -> list[Instance]:
        """Return the first instances of the submission, a world."""
        while len(self._submitted) < most:
            instance = submitted_instance(self.submission, len(self._submitted))
            if instance is None:
                break
            self._submitted.append(instance)
        return self._submitted[:most]

    def sizes(self, expected: Sequence[Size]) -> list[Size | None]:
        """Return the sizes of the spaces of the submission, a world, up to the first one that is larger: None."""
        found = list[Size | None]()
        for instance, size in zip(self.submitted(len(expected)), expected, strict=True):
            found.append(_size_of(instance, size.states))
            if found[-1] is None:
                break
        self._note(None, found, lambda: expected)
        return found

    def _note(self, section: Mapping[str, Any] | None, answer: object, ours: Callable[[], object]) -> None:
        """Add an answer to the digest, and compare it with ours, unless it is on a world of the student's own."""
        if not self.is_of_student(section):
            text = json.dumps(answer)
            self._is_noted = True
            self._digest.update(text.encode())
            self._is_ours = self._is_ours and text == json.dumps(ours())

    def _our_values(self, world: str, problem: Problem, states: Words) -> list[int] | None:
        """Return the values of the reference in some states; None if it has none there."""
        try:
            bound = self.material.stack(world, self.entries(None)).prepare(problem)
        except (UserError, Unsolvable):
            return None
        return values(bound, states).tolist() if bound.problem is problem else None

    def _our_searches(self, world: str, algorithm: str, entries: str, found: Sequence[Result]) -> object:
        """Return what a search of ours finds with as many expansions; A* where algorithms are handed in."""
        try:
            chosen = algorithm if self.kind == "heuristic" else "astar"
            limits = tuple((each.expanded or 0) + 1 for each in found)
            return _behaviours(self.material.searched(world, chosen, entries, limits))
        except UserError:
            return None


def _behaviours(results: Sequence[Result]) -> list[tuple[int | None, Any]]:
    return [(each.expanded, each.plan) for each in results]


def _size_of(instance: Instance, most: int) -> Size | None:
    try:
        return size_of(instance, most)
    except InstanceTooLarge:
        return None
    except (KernelError, ValueError) as error:
        raise SubmissionError(f"{instance.id}: {one_line(str(error))}") from None
