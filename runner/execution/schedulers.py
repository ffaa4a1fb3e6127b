"""Schedulers of clusters, to which features submit sweeps: which tasks of a sweep are queued or running."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.base import Registry, own_entries


@dataclass(frozen=True)
class SubmittedTask:
    """Task of a scheduler that runs instances of a sweep.

    Attributes
    ----------
    id : str
    state : str
        State as the scheduler calls it.
    instances : dict of str to list of range
        Numbers of its instances, by the folders of their cells, relative to that of the sweep.
    log : str
        Its log, relative to the folder of the sweep; empty if it has none.
    is_over : bool
        Whether it has ended.
    unknown : str
        Why its state is unknown; empty if it is known.
    """

    id: str
    state: str
    instances: Mapping[str, Sequence[range]]
    log: str
    is_over: bool
    unknown: str = ""


SCHEDULERS: Registry[Callable[[Path], list[SubmittedTask]]] = Registry(
    "scheduler", "search_runner.schedulers", own_entries.SCHEDULERS
)
"""Functions that return the tasks of the sweep in a folder, oldest first."""


def submitted_tasks(sweep: Path) -> list[SubmittedTask]:
    """Return the tasks of a sweep at all schedulers."""
    return [task for name in SCHEDULERS.names() for task in SCHEDULERS.find(name)(sweep)]
