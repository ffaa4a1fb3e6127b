"""Base classes of planners: algorithms that do not search on the engine, and answer with the names of actions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from algorithms.engine import Limits
from algorithms.interface import PlanningAlgorithm
from algorithms.plan_sets import Claim
from worlds.interface import Instance


@dataclass(frozen=True)
class PlannerAnswer:
    """Answer of a planner about one instance. The runner replays the plan, which decides the status.

    Attributes
    ----------
    status : str
        How the planner ended: the status of an instance without a plan. With a plan only a limit or an interruption
        counts, after which the plan stands.
    plan : tuple of str or None
        Names of the actions.
    solutions : tuple of Claim
        Solutions of an answer of several, in any order, in place of `plan`.
    refusal : str or None
        Why a plan that was given cannot be read. It is then a wrong plan.
    cost : float or None
        Cost that the planner claims, in the user's units.
    precision : float
        Largest difference of the claimed cost and the right one that rounding explains.
    reason, error : str or None
        Texts for the columns of these names.
    origin : str
        Where the plan was found and how the planner ended, for the `reason` of a wrong plan.
    columns : mapping of str to number or str
        Built-in columns: times, counts, and what the planner has taken of the machine.
    measured : mapping of str to number
        Values of the algorithm's `metrics`.
    output : str
        Text for a file beside the rows, if the instance fails or the plan is wrong; empty if nothing is to be kept.
    keeps_output : bool
        Whether to keep this text in any case.
    """

    status: str
    plan: tuple[str, ...] | None = None
    refusal: str | None = None
    cost: float | None = None
    precision: float = 0.0
    reason: str | None = None
    error: str | None = None
    origin: str = ""
    columns: Mapping[str, float | str | None] = field(default_factory=dict)
    measured: Mapping[str, float | None] = field(default_factory=dict)
    output: str = ""
    keeps_output: bool = False
    solutions: tuple[Claim, ...] = ()


class KeptRun(NamedTuple):
    """Run of a planner whose output is kept, so that it can be read again.

    Attributes
    ----------
    file : Path
        Its output: `PlannerAnswer.output`.
    columns : mapping of str to number or str
        Columns of its row that do not depend on how the output is read, such as its times.
    improvements : sequence of (tuple of str, float)
        Its plans before the last one, and the seconds since its start.
    """

    file: Path
    columns: Mapping[str, float | str | None]
    improvements: Sequence[tuple[tuple[str, ...], float]]


class PlannerSession(ABC):
    """Planner at work, for one instance after the other."""

    @abstractmethod
    def answer(
        self,
        instance: Instance,
        limits: Limits,
        is_stopped: Callable[[], bool],
        improved: Callable[[tuple[str, ...], float], None],
    ) -> PlannerAnswer:
        """Return the answer about an instance, at the latest a few seconds after a limit of time.

        Parameters
        ----------
        limits : Limits
            Limits, which the session enforces itself.
        is_stopped : callable
            Returns whether to end. To be called about 20 times a second.
        improved : callable
            To be called with each plan of an anytime planner, and the seconds since its start.
        """

    def again(self, instance: Instance, output: str, columns: Mapping[str, float | str | None]) -> PlannerAnswer:
        """Return the answer that a kept output has (`ExternalPlanner.can_read`), given the columns of its run."""
        raise NotImplementedError

    def warm(self, instance: Instance, limits: Limits, is_stopped: Callable[[], bool]) -> None:  # noqa: B027
        """Start what all instances need, so that this is not measured.

        Parameters
        ----------
        instance : Instance
            First instance of the worker, which may be answered without counting.
        limits, is_stopped
            As for `answer`.
        """

    def close(self) -> None:  # noqa: B027
        """End what the session has started. It is not used afterwards."""


class ExternalPlanner(PlanningAlgorithm):
    """Base of algorithms that do not search on the engine, and answer with the names of actions: programs.

    It uses its own heuristics, and ignores those of the runner.
    """

    heuristic = "ignored"
    expands_states = False

    @abstractmethod
    def session(self) -> PlannerSession:
        """Return a new session."""

    @property
    def expected(self) -> Mapping[str, str]:
        """Words on what should fill a column, by columns: a note names those that nothing fills in a whole run."""
        return {}

    def can_read(self, output: str) -> bool:
        """Return whether a kept output is whole, so that a session can read it again."""
        return False

    def by_hand(self, instance: Instance, limits: Limits, folder: Path) -> str | None:
        """Return the line for a shell that asks the planner about an instance; None if there is none.

        Parameters
        ----------
        folder : Path
            Existing folder for the files that the line names. They are written.
        """
        return None
