"""Sources of planning tasks: PDDL files, SAS+ files, and a suite in the package."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

from runner.registry import register
from worlds.files import checked_id, file_error, read_text
from worlds.pddl import formats
from worlds.pddl.definition import Definition, SasDefinition
from worlds.pddl.instance import PlanningInstance
from worlds.pddl.task import CostMode
from worlds.sources import FileSource, UserFiles


@dataclass(frozen=True)
class TaskSource(FileSource[PlanningInstance]):
    """Base of all sources of planning tasks.

    Attributes
    ----------
    cost : {"normal", "one", "plus_one"}
        What operators cost: as in the task; 1; or 1 more than in the task, unless all of them cost 1.
    """

    domain: ClassVar[str] = PlanningInstance.domain

    cost: CostMode = "normal"

    def _instance(self, path: Path, definition: Definition) -> PlanningInstance:
        """Return the instance of a file, named after the folder and the file."""
        name = checked_id(f"{folder_name(path)}#{path.stem}", partial(file_error, path))
        return PlanningInstance(definition, self.cost, name, world=self.registered_name)


@register("world", "pddl/sas")
@dataclass(frozen=True)
class SasFiles(UserFiles[PlanningInstance], TaskSource):
    """Tasks that Fast Downward's translator has written, as SAS+ files of version 3."""

    extensions = (".sas",)
    content = "SAS+ tasks"

    def load(self, path: Path) -> Iterator[PlanningInstance]:
        """Read the task of one file."""
        text = read_text(path, formats.MAX_BYTES)
        yield self._instance(path, SasDefinition(text, formats.parse(path, text)))


def folder_name(path: Path) -> str:
    """Return the name of the folder of a file. A folder for instances only gives way to the one that it is in."""
    folders = [folder.name for folder in path.resolve().parents]
    return next((name for name in folders if name not in ("instances", "problems", "tasks", "")), "task")
