"""Sources with one instance per file: files of the user's, and suites that come with the package."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from runner.registry import UserError, suggest
from worlds.files import file_error, natural_order
from worlds.interface import Instance, Source


@dataclass(frozen=True)
class FileSource(Source):
    """Instances that are read from files, one from each, in the order of their names."""

    @abstractmethod
    def _paths(self) -> list[Path]:
        """The files, in order."""

    @abstractmethod
    def _load(self, path: Path) -> Instance:
        """Read one file."""

    @cached_property
    def _instances(self) -> list[Instance]:
        return [self._load(path) for path in self._paths()]

    def check(self) -> None:
        """Read all files."""
        first: dict[str, int] = {}
        for index, instance in enumerate(self._instances):
            if first.setdefault(instance.id, index) != index:
                paths = self._paths()
                raise file_error(paths[index], f"id: '{instance.id}' is also that of {paths[first[instance.id]]}")

    def instances(self) -> Iterator[Instance]:
        """The instances in the order of their file names."""
        yield from self._instances

    def __len__(self) -> int:
        return len(self._instances)


def suite_paths(suites: Path, suite: str, pattern: str) -> list[Path]:
    """The files of a suite, which is a folder in `suites`.

    Raises
    ------
    UserError
        If there is no such suite.
    """
    names = sorted(folder.name for folder in suites.iterdir() if folder.is_dir())
    if suite not in names:
        raise UserError(f"world.suite: there is no suite '{suite}'{suggest(suite, names)}")
    return sorted((suites / suite).glob(pattern), key=natural_order)
