"""Criterion of an exercise: what it asks about a submission, and the share of its points that this gets.

Our own are in `criteria`. They enter by the same decorator as those of plug-ins.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar

from msgspec import Meta

from runner.base import PartRegistry, check_class, check_name

if TYPE_CHECKING:
    from runner.features.grading.exam import Exam

Points = Annotated[float, Meta(ge=0, le=10**6)]
Reference = str | list[str | dict[str, Any]]
"""Heuristic of ours, or of a plug-in of the exercise: the name of a documented stack, or a list of names."""
_LISTED = 5


@dataclass(frozen=True)
class Outcome:
    """Points and findings of a criterion.

    Attributes
    ----------
    points : float
    text : str
        What was found, for the student.
    draw : callable or None
        Draws the smallest counterexample on axes of matplotlib.
    value : float or None
        Number for the leaderboard; less is better.
    measure : str
        What the number is, if the title does not tell.
    """

    points: float
    text: str
    draw: Callable[[Any], None] | None = None
    value: float | None = None
    measure: str = ""


@dataclass(frozen=True)
class Criterion(ABC):
    """Base of criteria. A subclass is a registered dataclass whose fields are its parameters in YAML.

    Attributes
    ----------
    points : float
        Points for a submission that fulfils it.
    title : str
        Title; default: its name.
    visible : bool
        Whether students see it before the end of the exercise.
    feedback : bool
        Whether students see what was found, not only their points.
    world : mapping, optional
        Section of a world; default: that of the exercise. The seed may be `student`.
    requires : str or list of str, optional
        Names or titles of criteria that must have all points; else this one has none. Default: `required`.
    """

    registered_name: ClassVar[str]
    judges: ClassVar[tuple[str, ...]] = ("heuristic",)
    turn: ClassVar[int] = 1
    """Criteria with a smaller number are judged first, whatever their order in the file."""
    asks_all_states: ClassVar[bool] = False
    """Whether it uses `Exam.analyses` of its world. These values are asked for before the first search."""
    required: ClassVar[tuple[str, ...]] = ()
    """Names of criteria that it requires by default, if the exercise has them."""

    points: Points
    title: str = ""
    visible: bool = True
    feedback: bool = True
    world: dict[str, Any] | None = None
    requires: str | list[str] | None = None

    @property
    def shown_title(self) -> str:
        """Title, or the name without underscores."""
        return self.title or self.registered_name.replace("_", " ")

    @abstractmethod
    def judge(self, exam: Exam) -> Outcome:
        """Return what the criterion finds.

        Raises
        ------
        SubmissionError
            If the submission does not answer.
        """

    def check(self) -> None:  # noqa: B027
        """Raise `UserError` if parameters do not fit together."""

    def check_parts(self, exam: Exam) -> None:
        """Raise `UserError` if the world has no instances, or a heuristic or algorithm of ours does not exist.

        The exam has no submission.
        """
        exam.check_reference(self.world, None)

    def all_or_nothing(self, violations: Sequence[str], right: str) -> Outcome:
        """Return all points, or list the first violations."""
        if not violations:
            return Outcome(self.points, right)
        more = [f"... and {len(violations) - _LISTED} more"] if len(violations) > _LISTED else []
        return Outcome(0, "\n".join([*violations[:_LISTED], *more]))


CRITERIA: PartRegistry[Criterion] = PartRegistry("criterion")
C = TypeVar("C", bound=Criterion)


def criterion(name: str) -> Callable[[type[C]], type[C]]:
    """Register a criterion of exercises: a frozen dataclass derived from `Criterion`.

    Its fields are the keys that it has in ``exercise.yaml`` in addition to those of every criterion::

        @criterion("short")
        @dataclass(frozen=True)
        class Short(Criterion):
            judges = ("algorithm",)
            at_most: int = 10

            def judge(self, exam: Exam) -> Outcome:
                plans = [result.plan or () for result in exam.search(self.world)]
                wrong = [f"a plan of {len(plan)} steps" for plan in plans if len(plan) > self.at_most]
                return self.all_or_nothing(wrong, "every plan is short")

    Parameters
    ----------
    name : str
        Name in ``exercise.yaml``.

    Raises
    ------
    TypeError
        If the class is not derived from `Criterion`, or has no method `judge`.
    ValueError
        If the class is not a dataclass, a field has a name of `Criterion`, or another criterion has the name.
    """
    check_name("criterion", name)

    def register(entry: type[C]) -> type[C]:
        check_class(f"criterion '{name}'", entry)
        if not issubclass(entry, Criterion):
            raise TypeError(f"criterion '{name}': {entry.__name__} must be derived from Criterion")
        added = {
            each for base in entry.__mro__ if base not in Criterion.__mro__ for each in inspect.get_annotations(base)
        }
        for each in fields(Criterion):
            if each.name in added:
                raise ValueError(f"criterion '{name}': '{each.name}' is a key of every criterion; choose another name")
        return CRITERIA.register(name)(entry)

    return register
