"""Sources of planning tasks: PDDL files, SAS+ files, and a suite in the package."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from runner.base import Incompatible, UserError, file_error, find_files, read_bytes, read_text
from worlds.interface import Refusal, Unreadable, source, suite_paths, summary
from worlds.pddl import formats
from worlds.pddl.definition import PddlDefinition, SasDefinition
from worlds.pddl.places import TaskPlace
from worlds.pddl.task import CostMode
from worlds.pddl.translator import check_installed
from worlds.pddl.world import PlanningInstance, PlanningWorld

SUITES = Path(__file__).parent / "suites"
MAX_PDDL_BYTES = 8 * 1024 * 1024
"""Largest size of a PDDL file. To read it may take a second and 80 times its size in memory for each MiB."""
_CONTENT = "PDDL problems"


@dataclass(frozen=True)
class OperatorCosts:
    """Parameters of all sources.

    Attributes
    ----------
    cost : {"normal", "one", "plus_one"}
        What operators cost: as in the task; 1; or 1 more than in the task, unless all of them cost 1.
    """

    cost: CostMode = "normal"


def _first_without_mistake(_: Any, tasks: Iterator[PlanningInstance]) -> Iterator[PlanningInstance]:
    """Yield the first task whose files have no mistake.

    Raises
    ------
    Incompatible
        If there is none.
    """
    refusals = []
    for task in tasks:
        try:
            task.world.definition.read()
        except UserError as error:
            refusals.append(Refusal(Path(task.id), str(error)))
        else:
            yield task
            return
    raise Incompatible(f"no task can be read: {summary(refusals)}")


def _chosen_problems(parameters: Any) -> list[Path]:
    """Return the files of problems: those whose names are not the names of domains, and that are asked for."""
    check_installed()
    path = parameters.path
    found = find_files(path, (".pddl",), _CONTENT, is_recursive=True)
    problems = [file for file in found if len(found) == 1 or not is_domain_name(file)]
    if not problems:
        raise UserError(f"world.path: {path} holds domains only; expected {_CONTENT}")
    places = [place for place in (parameters.split, parameters.difficulty) if place is not None]
    groups = {file: TaskPlace.of(file).group for file in problems}
    chosen = [file for file in problems if {*places} <= {*file.parts} and parameters.group in (None, groups[file])]
    if not chosen:
        wanted = " and ".join(map(repr, [*places, *filter(None, [parameters.group])]))
        names = ", ".join(sorted({*groups.values()}))
        raise UserError(f"world.path: {path} holds no tasks of {wanted}; its groups are {names}")
    return chosen


def task_name(path: Path) -> str:
    """Return the name of the instance of a file: the names of its folder and of the file.

    A folder for instances gives way to the one that it is in, and so do those for a split or a difficulty, which
    become a part of the name: ``ferry/testing/easy/p01.pddl`` is the task ``testing-easy-p01`` of the group ``ferry``.
    """
    place = TaskPlace.of(path)
    return f"{place.group}#{place.name}"


@source("pddl/file", id=task_name, files=_chosen_problems, content=_CONTENT, samples=_first_without_mistake)
def loaded_task(
    file: Path,
    unreadable: Unreadable,
    costs: OperatorCosts,
    domain_: str | None = None,
    group: str | None = None,
    split: str | None = None,
    difficulty: str | None = None,
) -> PlanningWorld:
    """Planning tasks in PDDL: a problem, or all problems in a folder and the folders in it.

    Parameters
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
    domain = find_domain(file) if domain_ is None else Path(domain_).expanduser()
    return _world(domain, file, unreadable, costs)


@source("pddl/static", sampled=True, samples=_first_without_mistake, small_space={})
def tasks_of_suite(costs: OperatorCosts, suite: str = "small") -> Iterator[tuple[str, PlanningWorld]]:
    """A suite of planning tasks that comes with the package.

    Parameters
    ----------
    suite : str
        Name of a suite: a folder in ``suites`` of the domain.
    """
    check_installed()
    for file in suite_paths(SUITES, suite, "*/*.pddl"):
        if not is_domain_name(file):
            yield task_name(file), _world(find_domain(file), file, "refuse", costs)


def _world(domain: Path, problem: Path, unreadable: Unreadable, costs: OperatorCosts) -> PlanningWorld:
    """Read one problem and its domain. It is translated when it is searched."""
    definition = PddlDefinition((domain, problem), (_read(domain), _read(problem)))
    if unreadable != "row":  # else the search reads it: collections have files of many megabytes
        definition.read()
    return PlanningWorld(definition, costs.cost)


@source("pddl/sas", id=task_name, files=".sas", content="SAS+ tasks")
def loaded_sas_task(file: Path, costs: OperatorCosts) -> PlanningWorld:
    """Tasks that Fast Downward's translator has written, as SAS+ files of version 3."""
    text = read_text(file, formats.MAX_BYTES)
    return PlanningWorld(SasDefinition(text, formats.parse(file, text), file), costs.cost)


def _read(path: Path) -> str:
    """Return the content of a file of PDDL in UTF-8, else in Latin-1: comments may have any characters."""
    content = read_bytes(path, MAX_PDDL_BYTES).removeprefix(BOM_UTF8)
    try:
        return content.decode()
    except UnicodeDecodeError:
        if b"\0" in content:  # UTF-16
            raise file_error(path, "not a text file (UTF-8)") from None
        return content.decode("latin-1")


def is_domain_name(path: Path) -> bool:
    """Return whether a file has the name of a domain."""
    name = path.stem.lower()
    return name.startswith("domain") or name.endswith("domain")


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
    folders = (*problem.absolute().parent.parents, *problem.resolve().parents)  # the folder may be a link
    above = (folder / "domain.pddl" for folder in folders)
    places = chain((problem.parent / f"{each}.pddl" for each in names), above)
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise file_error(
            problem,
            "no domain file beside it or above (domain.pddl, or a name such as domain_NAME.pddl); set world.domain",
        )
    return found
