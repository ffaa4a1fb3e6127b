"""World that is handed in, in the grader: made of answers (`numbered_world`). The grader explores and checks it."""

from __future__ import annotations

from collections import deque
from typing import Any

import msgspec

from runner.base import MAX_ID, one_line
from runner.features.grading.numbered_world import Look, NumberedStep, Start
from runner.features.grading.submission import Submission, SubmissionError
from worlds.interface import Instance, Step, Unsolvable, World

_MAX_STEPS = 1 << 16
"""Bound of the steps in one answer."""


class SubmittedWorld(World):
    """World of the answers of a submission. Its states are numbers.

    Each answer is used once, so that checks ask again, and must be the same every time.

    Parameters
    ----------
    submission : Submission
    place : int
        Place of the instance among those of the submission.
    start : Start
    """

    def __init__(self, submission: Submission, place: int, start: Start) -> None:
        self._submission, self._place, self._start = submission, place, start
        self._answers: dict[tuple[Any, ...], int] = {}
        self._looks: dict[int, Look] = {}
        self._known, self._ahead = {start.initial}, deque[int]()
        self._batch = max(1, _MAX_STEPS // max(1, start.max_successors))

    @property
    def domain(self) -> str:
        """Name of the submission."""
        return self._submission.name

    @property
    def unit_costs(self) -> bool:
        """Whether every step costs 1."""
        return self._start.unit_costs

    @property
    def max_successors(self) -> int:
        """Upper bound of the number of successors and of predecessors of a state."""
        return self._start.max_successors

    def initial(self) -> int:
        """Return the start state."""
        if self._start.initial is None:
            raise Unsolvable("the submission says so")
        return self._start.initial

    def is_goal(self, state: int) -> bool:
        """Return whether a state is a goal. Looks at states that were found before, too."""
        if state not in self._looks:
            others = [self._ahead.popleft() for _ in range(min(self._batch - 1, len(self._ahead)))]
            numbers = list(dict.fromkeys((state, *others)))
            looks: list[Look] = self._ask(list[Look], "look", numbers)
            if len(looks) != len(numbers):
                raise SubmissionError("sent an answer that is none: another number of states")
            for number, look in zip(numbers, looks, strict=True):
                self._same([look[0]], number, "whether it is a goal")
                self._looks[number] = look
        return self._looks[state][0]

    def successors(self, state: int) -> list[Step]:
        """Return the steps from a state."""
        _, steps = self._looks.pop(state, (False, None))
        answer = self._ask(list[NumberedStep], "steps", state, False) if steps is None else steps
        found = self._same(answer, state, "for its successors")
        new = [after for _, after, _ in found if after not in self._known]
        self._known.update(new)
        self._ahead.extend(new)
        return found

    def step_of(self, state: int, action: str) -> tuple[int, float] | None:
        """Return the successor and the cost of an action."""
        step: tuple[int, int] | None = self._ask(tuple[int, int] | None, "play", state, action)
        return step

    def _ask(self, kind: Any, method: str, *arguments: Any) -> Any:
        return checked(self._submission.ask("world", self._place, method, *arguments), kind)

    def _same(self, answer: list[Any], *question: Any) -> list[Any]:
        """Return an answer. Raise `SubmissionError` if it differs from the earlier ones to the same question."""
        digest = hash(tuple(answer))
        if self._answers.setdefault(question, digest) != digest:
            found = f"gave another answer for the same state than before, when asked {question[1]}"
            raise SubmissionError(f"{found}: a state must have all that matters")
        return answer


class InvertibleSubmittedWorld(SubmittedWorld):
    """World of a submission that also gives predecessors and goals."""

    def goals(self) -> list[int]:
        """Return all goals."""
        return self._start.goals or []

    def predecessors(self, state: int) -> list[Step]:
        """Return the steps to a state."""
        return self._same(self._ask(list[NumberedStep], "steps", state, True), state, "for its predecessors")


def submitted_instance(submission: Submission, place: int) -> Instance | None:
    """Return an instance of a submission; None if it has no more.

    Raises
    ------
    SubmissionError
        If it does not answer.
    """
    start: Start | None = checked(submission.ask("instance", place), Start | None)
    if start is None:
        return None
    kind = SubmittedWorld if start.goals is None else InvertibleSubmittedWorld
    return Instance(kind(submission, place, start), one_line(start.id)[:MAX_ID])


def checked(answer: Any, kind: Any) -> Any:
    """Return an answer of a type. Raise `SubmissionError` if it has another one."""
    try:
        return msgspec.convert(answer, kind)
    except (msgspec.ValidationError, OverflowError) as error:
        raise SubmissionError(f"sent an answer that is none: {error}") from None
