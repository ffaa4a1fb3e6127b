"""Place of a task in a collection: the folders around its file are its group, its split and its difficulty."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

SPLITS = ("training", "testing")
DIFFICULTIES = ("easy", "medium", "hard")
"""Names of folders, as the learning track of 2023 has them. They are not the names of domains."""
_INSTANCES = ("instances", "problems", "tasks", "")
"""Names of folders that give way to the folders that they are in."""


@dataclass(frozen=True)
class TaskPlace:
    """Place of a task.

    Attributes
    ----------
    group : str
        Name of the folder of the domain.
    folders : tuple of str
        Names of the folders for a split or a difficulty in it, the outermost first.
    stem : str
        Name of the file.
    """

    group: str
    folders: tuple[str, ...]
    stem: str

    @classmethod
    def of(cls, path: Path) -> TaskPlace:
        """Return the place of a file: ``ferry/testing/easy/p01.pddl`` is a task of the group ``ferry``."""
        folders: list[str] = []
        for folder in path.resolve().parents:
            if folder.name in (*SPLITS, *DIFFICULTIES):
                folders.insert(0, folder.name)
            elif folder.name not in _INSTANCES:
                return cls(folder.name, tuple(folders), path.stem)
        return cls("task", tuple(folders), path.stem)

    @property
    def name(self) -> str:
        """Name of the task in its group, such as ``testing-easy-p01``."""
        return "-".join((*self.folders, self.stem))

    @property
    def split(self) -> str:
        """The nearest folder among `SPLITS`; empty if there is none."""
        return self._nearest(SPLITS)

    @property
    def difficulty(self) -> str:
        """The nearest folder among `DIFFICULTIES`; empty if there is none."""
        return self._nearest(DIFFICULTIES)

    def _nearest(self, names: tuple[str, ...]) -> str:
        return next((folder for folder in reversed(self.folders) if folder in names), "")
