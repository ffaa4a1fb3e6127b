"""Table of the statuses: how searches and games end. Domains declare further ones.

Results and rows have the name of a status.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Retry = Literal["failed", "limits", "none"]
"""Rows that a sweep makes again when it goes on: those of failures, also those of limits, or none."""


@dataclass(frozen=True)
class Status:
    """End of a search or a game.

    Attributes
    ----------
    is_answer : bool
        Whether the instance is answered. Only rows with an answer count in comparisons.
    is_success : bool
        Whether the goal was reached: a plan, a proof that there is none, or the prize of a game. If less of a metric is
        better, only successes can be the best.
    is_failure : bool
        Whether something went wrong. The exit code is then 1.
    is_left_out : bool
        Whether the instance was not searched. The row says why, and counts neither as an answer nor as a failure.
    retry : {"failed", "limits"} or None
        Setting of ``retry`` with which a sweep makes the row again. The setting "limits" includes "failed".
    meaning : str
        Text for docs/metrics.md.
    """

    name: str
    is_answer: bool = False
    is_success: bool = False
    is_failure: bool = False
    is_left_out: bool = False
    retry: Literal["failed", "limits"] | None = None
    meaning: str = ""

    @property
    def is_end(self) -> bool:
        """Whether the search or game came to its end: it neither failed nor ended at a limit."""
        return self.retry is None

    def is_made_again(self, retry: Retry) -> bool:
        """Return whether a sweep with this setting makes a row with this status again."""
        return self.retry is not None and retry in (self.retry, "limits")


SOLVED = Status("solved", is_answer=True, is_success=True, meaning="a plan was found")
UNSOLVABLE = Status("unsolvable", is_answer=True, is_success=True, meaning="there is proof that no plan exists")
CUTOFF = Status(
    "cutoff",
    meaning="the search ended without a plan and without a proof: the algorithm is incomplete, a heuristic that is not "
    "declared safe pruned states, or the plan that was found costs more than its reward, and another one may not",
)
TIME_LIMIT = Status("time_limit", retry="limits", meaning="`limits.time` was reached")
CPU_LIMIT = Status("cpu_limit", retry="limits", meaning="`limits.cpu` was reached")
NODE_LIMIT = Status("node_limit", retry="limits", meaning="`limits.nodes` was reached")
MEMORY_LIMIT = Status(
    "memory_limit", retry="limits", meaning="`limits.memory` was reached, or the system had no memory left"
)
SOLUTION_LIMIT = Status(
    "solution_limit", retry="limits", meaning="`limits.solutions` was reached: there may be further solutions"
)
UNSUPPORTED = Status(
    "unsupported",
    is_left_out=True,
    meaning="the file of the instance cannot be read, or needs what is not supported; the column `reason` says what, "
    "with file and line",
)
ERROR = Status(
    "error", is_failure=True, retry="failed", meaning="an exception was raised; the column `error` has its message"
)
CRASHED = Status("crashed", is_failure=True, retry="failed", meaning="the process that searched the instance died")
INTERRUPTED = Status("interrupted", retry="failed", meaning="a signal ended the search")

ENDED_BY = "the search was ended by "
"""Beginning of the `reason` of an anytime search that has a solution and ended at a limit, whose status follows."""

AFTER_PLAN = "after its plan, the program "
"""Beginning of the `reason` of a valid plan of a program whose end `exit_codes` does not name."""

STATUSES = (
    *(SOLVED, UNSOLVABLE, CUTOFF, TIME_LIMIT, CPU_LIMIT, NODE_LIMIT, MEMORY_LIMIT, SOLUTION_LIMIT),
    *(UNSUPPORTED, ERROR, CRASHED, INTERRUPTED),
)

LIMITS = frozenset(status.name for status in STATUSES if status.retry == "limits")
"""Names of the statuses of searches that ended at a limit."""
