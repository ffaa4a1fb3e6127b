"""Messages between a worker and its parent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from runner.records.row import Row
from worlds.kernel import Identity


@dataclass(frozen=True)
class Task:
    """Instances of a cell: those with the numbers from `first` to `last` - 1."""

    cell: int
    first: int
    last: int


@dataclass(frozen=True)
class Begun:
    """The worker has built what a cell needs, and begins with its instances."""

    cell: int


@dataclass(frozen=True)
class Building:
    """Something that takes long is being built: its title, and the share that is done."""

    title: str
    share: float


@dataclass(frozen=True)
class Rows:
    """Rows of a cell, plans of better solutions on the way to the next one, and how many instances occurred again."""

    cell: int
    rows: list[Row]
    plans: bytes = b""
    repeated: int = 0


@dataclass(frozen=True)
class Failed:
    """A cell that cannot go on: its source, or what builds its heuristics, has failed.

    Attributes
    ----------
    traceback : str
        Of a plug-in.
    is_mistake : bool
        The user can correct it.
    """

    cell: int
    problem: str
    traceback: str = ""
    is_mistake: bool = False


@dataclass(frozen=True)
class Log:
    """A line for the log of a cell."""

    cell: int
    text: str


@dataclass(frozen=True)
class Loaded:
    """A kernel that the worker has needed, and could load."""

    kernel: Identity


Message = Begun | Building | Rows | Failed | Loaded | Log | Task
"""Messages of a worker; it sends a task back when it has finished it."""

Send = Callable[[Message], None]
"""Sends a message; when it returns from `Rows`, these are on disk."""
