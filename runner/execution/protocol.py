"""Messages between a worker and its parent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from runner.records.row import Row
from worlds.compile.clock import Identity


@dataclass(frozen=True)
class WorkerTask:
    """Instances of a cell with the numbers from `first` to `last` - 1."""

    cell: int
    first: int
    last: int


@dataclass(frozen=True)
class CellStarted:
    """The worker has built what the heuristics of a cell need, and begins with its instances."""

    cell: int


@dataclass(frozen=True)
class Building:
    """Progress of building what the heuristics of a cell need.

    Attributes
    ----------
    title : str
        Name of what is built.
    share : float
        Share that is done, from 0 to 1.
    """

    title: str
    share: float


@dataclass(frozen=True)
class Rows:
    """Rows of a cell.

    Attributes
    ----------
    plans : bytes
        Lines of plans.jsonl with improved solutions of the instance that is searched.
    repeated : int
        Number of instances that the source has repeated.
    """

    cell: int
    rows: list[Row]
    plans: bytes = b""
    repeated: int = 0


@dataclass(frozen=True)
class Failed:
    """Failure of a cell: its source, or the preparation of its heuristics, has raised an error.

    Attributes
    ----------
    traceback : str
        Traceback in a plug-in; empty if there is none.
    is_mistake : bool
        Whether it is a `UserError`.
    """

    cell: int
    problem: str
    traceback: str = ""
    is_mistake: bool = False


@dataclass(frozen=True)
class Log:
    """Line for the log of a cell."""

    cell: int
    text: str


@dataclass(frozen=True)
class Loaded:
    """Kernel that the worker has loaded or compiled."""

    kernel: Identity


Message = CellStarted | Building | Rows | Failed | Loaded | Log | WorkerTask
"""Messages of a worker. It sends back a task that it has finished."""

Send = Callable[[Message], None]
"""Function that sends a message. When it returns, the rows of a `Rows` are on disk."""
