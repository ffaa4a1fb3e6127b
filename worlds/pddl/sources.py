"""Sources of planning tasks: PDDL files, SAS+ files, and a suite in the package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

from runner.base.errors import Incompatible, UserError
from runner.base.files import checked_id, file_error, find_files, read_bytes, read_text
from worlds.interface import Instance
from worlds.pddl import formats
from worlds.pddl.definition import Definition, PddlDefinition, SasDefinition
from worlds.pddl.task import CostMode
from worlds.pddl.translator import check_installed
from worlds.pddl.world import PlanningInstance, PlanningWorld
from worlds.sources import WORLDS, FileSource, UserFiles, suite_paths
from worlds.unsupported import Refusal, summary

SUITES = Path(__file__).parent / "suites"
_INSTANCES = ("instances", "problems", "tasks", "")
_SPLITS = ("training", "testing", "easy", "medium", "hard")
"""Names of folders that are not the name of a domain."""
MAX_PDDL_BYTES = 8 * 1024 * 1024
"""Largest size of a PDDL file. To read it may take a second and 80 times its size in memory for each MiB."""


@dataclass(frozen=True)
class TaskSource(FileSource[PlanningInstance]):
    """Base of all sources of planning tasks.

    Attributes
    ----------
    cost : {"normal", "one", "plus_one"}
        What operators cost: as in the task; 1; or 1 more than in the task, unless all of them cost 1.
    """

    domain: ClassVar[str] = PlanningWorld.domain

    cost: CostMode = "normal"

    def name_of_file(self, path: Path) -> str:
        """Return the names of the folder and of the file."""
        return "#".join(names_of(path))

    def _instance(self, path: Path, definition: Definition) -> PlanningInstance:
        """Return the instance of a file, named after the folder and the file."""
        name = checked_id(self.name_of_file(path), partial(file_error, path))
        return Instance(PlanningWorld(definition, self.cost), name, source=self.registered_name)


@dataclass(frozen=True)
class _PddlFiles(TaskSource):
    """Base of sources that read PDDL."""

    def load(self, path: Path) -> Iterator[PlanningInstance]:
        """Read one problem and its domain. It is translated when it is searched."""
        domain = self._domain_of(path)
        definition = PddlDefinition((domain, path), (_read(domain), _read(path)))
        if self.unreadable != "row":  # else the search reads it: collections have files of many megabytes
            definition.read()
        yield self._instance(path, definition)

    def _domain_of(self, path: Path) -> Path:
        return find_domain(path)

    def check(self) -> None:
        """Read all files, and make sure that the translator is there."""
        check_installed()
        super().check()

    def samples(self) -> Iterator[PlanningInstance]:
        """Yield the first task whose files have no mistake.

        Raises
        ------
        Incompatible
            If there is none.
        """
        refusals = []
        for instance in self.loaded:
            try:
                instance.world.definition.read()
            except UserError as error:
                refusals.append(Refusal(Path(instance.id), str(error)))
            else:
                yield instance
                return
        raise Incompatible(f"no task can be read: {summary(refusals)}")


@WORLDS.register("pddl/file")
@dataclass(frozen=True)
class PddlFiles(UserFiles[PlanningInstance], _PddlFiles):
    """Planning tasks in PDDL: a problem, or all problems in a folder and the folders in it.

    Attributes
    ----------
    domain_ : str, optional
        File of the domain of all problems. Unless given, the domain of a problem ``NAME.pddl`` is, in the same folder,
        ``domain_NAME``, ``domain-NAME``, ``NAME_domain``, ``NAME-domain``, ``p01-domain`` if ``NAME`` begins with
        ``p01-``, or ``domain``, with the extension ``.pddl``; else ``domain.pddl`` in the nearest folder above.
    group : str, optional
        Only tasks of this group: the part of their ids before ``#``, usually the name of the domain's folder.
    split, difficulty : str, optional
        Only tasks in a folder of this name, as the learning track has them: ``training`` or ``testing``; ``easy``,
        ``medium`` or ``hard``.
    """

    extensions = (".pddl",)
    content = "PDDL problems"

    domain_: str | None = None
    group: str | None = None
    split: str | None = None
    difficulty: str | None = None

    def paths(self) -> list[Path]:
        """Return the files of problems: those whose names are not the names of domains, and that are asked for."""
        folder = Path(self.path).expanduser()
        found = find_files(f"{self.path}/**/*.pddl" if folder.is_dir() else self.path, self.extensions, self.content)
        problems = [path for path in found if len(found) == 1 or not is_domain_name(path)]
        if not problems:
            raise UserError(f"world.path: {self.path} holds domains only; expected {self.content}")
        places = [each for each in (self.split, self.difficulty) if each is not None]
        groups = {path: names_of(path)[0] for path in problems}
        chosen = [path for path in problems if {*places} <= {*path.parts} and self.group in (None, groups[path])]
        if not chosen:
            wanted = " and ".join(map(repr, [*places, *filter(None, [self.group])]))
            names = ", ".join(sorted({*groups.values()}))
            raise UserError(f"world.path: {self.path} holds no tasks of {wanted}; its groups are {names}")
        return chosen

    def _domain_of(self, path: Path) -> Path:
        return find_domain(path) if self.domain_ is None else Path(self.domain_).expanduser()


@WORLDS.register("pddl/static")
@dataclass(frozen=True)
class StaticTasks(_PddlFiles):
    """A suite of planning tasks that comes with the package.

    Attributes
    ----------
    suite : str
        Name of a folder under ``worlds/pddl/suites``.
    """

    small_space: ClassVar[Mapping[str, Any]] = {}

    suite: str = "small"

    def paths(self) -> list[Path]:
        """Return the problems of the suite."""
        return [path for path in suite_paths(SUITES, self.suite, "*/*.pddl") if not is_domain_name(path)]


@WORLDS.register("pddl/sas")
@dataclass(frozen=True)
class SasFiles(UserFiles[PlanningInstance], TaskSource):
    """Tasks that Fast Downward's translator has written, as SAS+ files of version 3."""

    extensions = (".sas",)
    content = "SAS+ tasks"

    def load(self, path: Path) -> Iterator[PlanningInstance]:
        """Read the task of one file."""
        text = read_text(path, formats.MAX_BYTES)
        yield self._instance(path, SasDefinition(text, formats.parse(path, text)))


def _read(path: Path) -> str:
    """Return the content of a file of PDDL in UTF-8, else in Latin-1: comments may have any characters."""
    content = read_bytes(path, MAX_PDDL_BYTES)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def names_of(path: Path) -> tuple[str, str]:
    """Return the names of the group and of the task of a file: those of its folder, and of the file.

    A folder for instances gives way to the one that it is in, and so do those for a split or a difficulty, which
    become a part of the name: ``ferry/testing/easy/p01.pddl`` is the task ``testing-easy-p01`` of the group ``ferry``.
    """
    places = [path.stem]
    for folder in path.resolve().parents:
        if folder.name in _SPLITS:
            places.insert(0, folder.name)
        elif folder.name not in _INSTANCES:
            return folder.name, "-".join(places)
    return "task", "-".join(places)


def is_domain_name(path: Path) -> bool:
    """Return whether a file has the name of a domain."""
    return path.stem.startswith("domain") or path.stem.endswith("domain")


def find_domain(problem: Path) -> Path:
    """Return the file with the domain of a problem, as the usual collections lay them out.

    Raises
    ------
    UserError
        If there is none.
    """
    name = problem.stem
    of_number = f"{name.partition('-')[0]}-domain"  # p01-domain for p01-airport1-p1
    names = [f"domain_{name}", f"domain-{name}", f"{name}_domain", f"{name}-domain", of_number, "domain"]
    above = (folder / "domain.pddl" for folder in problem.absolute().parent.parents)
    places = chain((problem.parent / f"{each}.pddl" for each in names), above)
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise file_error(
            problem,
            "no domain file beside it or above (domain.pddl, or a name such as domain_NAME.pddl); set world.domain",
        )
    return found
