"""How searches and games end: one table of statuses, to which domains add theirs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Retry = Literal["failed", "limits", "none"]
"""Which rows a sweep makes again when it is run again into its folder."""


@dataclass(frozen=True)
class Status:
    """How a search or a game has ended.

    Attributes
    ----------
    is_answer : bool
        The instance is answered: its row counts in comparisons.
    is_success : bool
        What was sought was reached: a plan, a proof that there is none, the prize of a game. Only successes can be the
        best of an instance by a metric where less is better.
    is_failure : bool
        Something went wrong: exit code 1.
    retry : {"failed", "limits"} or None
        With which setting of ``retry`` a sweep makes the row again; "limits" makes those of "failed" again, too.
    """

    name: str
    is_answer: bool = False
    is_success: bool = False
    is_failure: bool = False
    retry: Literal["failed", "limits"] | None = None
    meaning: str = ""

    def is_made_again(self, retry: Retry) -> bool:
        """Whether a sweep makes a row with this status again."""
        return self.retry is not None and retry in (self.retry, "limits")


SOLVED = Status("solved", is_answer=True, is_success=True, meaning="a plan was found")
UNSOLVABLE = Status("unsolvable", is_answer=True, is_success=True, meaning="there is none, proven")
CUTOFF = Status("cutoff", meaning="an incomplete algorithm ended without a plan")
TIME_LIMIT = Status("time_limit", retry="limits", meaning="`limits.time` was reached")
CPU_LIMIT = Status("cpu_limit", retry="limits", meaning="`limits.cpu` was reached")
NODE_LIMIT = Status("node_limit", retry="limits", meaning="`limits.nodes` was reached")
MEMORY_LIMIT = Status(
    "memory_limit", retry="limits", meaning="`limits.memory` was reached, or the system has no memory left"
)
ERROR = Status("error", is_failure=True, retry="failed", meaning="see the column `error`")
CRASHED = Status("crashed", is_failure=True, retry="failed", meaning="its process died")
INTERRUPTED = Status("interrupted", retry="failed", meaning="by a signal")

STATUSES = (
    *(SOLVED, UNSOLVABLE, CUTOFF, TIME_LIMIT, CPU_LIMIT, NODE_LIMIT, MEMORY_LIMIT),
    *(ERROR, CRASHED, INTERRUPTED),
)
