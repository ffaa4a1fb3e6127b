"""Planners that are known by name: Fast Downward and pyperplan."""

from __future__ import annotations

import os
import re
import shutil
import sys
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Literal

from algorithms.interface import ALGORITHMS
from algorithms.programs import run_pyperplan
from algorithms.programs.commands import literal
from algorithms.programs.interface import ExternalPlanner
from algorithms.programs.output import OutputColumn
from algorithms.programs.program import Program
from algorithms.programs.run_pyperplan import NO_SOLUTION, NOT_FOUND, NOT_READ
from runner.base import (
    CUTOFF,
    ERROR,
    MEMORY_LIMIT,
    TIME_LIMIT,
    UNSOLVABLE,
    UNSUPPORTED,
    Incompatible,
    UserError,
    text_if_any,
)
from worlds.interface import Instance
from worlds.pddl.world import PlanningWorld

FAST_DOWNWARD = "FAST_DOWNWARD"
"""Environment variable with the path of fast-downward.py."""
_FAST_DOWNWARD_PACKAGE, _PYPERPLAN_PACKAGE = "up-fast-downward", "pyperplan"
_DRIVER = "fast-downward.py"
_MAX_BYTES = 2**16
"""Largest size of the file in which Fast Downward declares its version."""
_PDDL_PLAN: dict[str, str | None] = {"format": "pddl"}

FAST_DOWNWARD_OUTPUT: dict[str, str | bool | OutputColumn] = {
    "cost": r"Plan cost: (\d+)$",
    "expanded": r"Expanded (\d+) state",
    "expanded_before_last_layer": r"Expanded until last jump: (\d+) state",
    "generated": r"Generated (\d+) state",
    "evaluated": r"Evaluated (\d+) state",
    "reopened": r"Reopened (\d+) state",
    "initial_h": r"Initial heuristic value for .+: (\d+)$",
    "dead_ends": OutputColumn(
        r"Dead ends: (\d+) state", better="neither", meaning="states whose heuristic value was infinite"
    ),
    "translator_seconds": OutputColumn(
        r"^Done! \[\S+ CPU, (\S+)s wall-clock\]$", unit="s", digits=3, meaning="time of the translator"
    ),
    "planner_seconds": OutputColumn(
        r" Search time: (\S+)s$", unit="s", digits=6, meaning="time of the search, as the planner has measured it"
    ),
    "planner_memory": OutputColumn(
        r"^Peak memory: (\d+) KB$", scale=1024, unit="bytes", aggregate="mean",
        meaning="peak memory of the search, as the planner has measured it",
    ),
}  # fmt: skip
"""Columns of Fast Downward. Searches that consist of several print their sums at the end."""

FAST_DOWNWARD_EXIT_CODES = {
    10: UNSOLVABLE.name,
    11: UNSOLVABLE.name,
    12: CUTOFF.name,
    13: CUTOFF.name,
    20: MEMORY_LIMIT.name,
    21: TIME_LIMIT.name,
    22: MEMORY_LIMIT.name,
    23: TIME_LIMIT.name,
    24: MEMORY_LIMIT.name,
    34: UNSUPPORTED.name,
    37: UNSUPPORTED.name,
    **dict.fromkeys((1, 2, 3, 30, 31, 32, 33, 35, 36), ERROR.name),
}
"""Statuses of tasks without a plan, by driver/returncodes.py. With 0 to 3 there is a plan, or the driver has failed."""

_ADMISSIBLE = (
    "blind", "hmax", "lmcut", "hm", "pdb", "cpdbs", "ipdb", "zopdbs", "cegar", "merge_and_shrink", "operatorcounting",
    "initial_state_potential", "all_states_potential", "diverse_potentials", "sample_based_potentials",
)  # fmt: skip
_OPTIMAL_SEARCH = re.compile(rf"astar\((?:{'|'.join(_ADMISSIBLE)})\(")
_OTHER_COSTS = ("transform", "cost_type")
_INCOMPLETE = ("bound=", "max_time=")

PYPERPLAN_OUTPUT: dict[str, str | bool | OutputColumn] = {
    "cost": r"Plan length: (\d+)$",
    "expanded": r"(\d+) Nodes expanded$",
    "initial_h": r"Initial h value: (\d+)\.0+$",
    "planner_seconds": OutputColumn(
        r"Search time: (\S+)$", unit="s", digits=6, meaning="time of the search, as the planner has measured it"
    ),
}
"""Columns of pyperplan. It has no costs, and counts the goal as expanded."""
PYPERPLAN_EXIT_CODES = {NO_SOLUTION: UNSOLVABLE.name, NOT_FOUND: CUTOFF.name, NOT_READ: UNSUPPORTED.name}

Promise = Literal["always", "unit_costs", "never"]
Kept = Literal["failed", "all", "none"]


def _of_program(name: str) -> Any:
    """Return an attribute of a preset that is the one of its program."""
    return property(lambda preset: getattr(preset.program, name))


class PlanningPreset(ExternalPlanner):
    """Base of planners that are known by name, read PDDL, and minimise the costs in the files.

    A few parameters say what their command is.
    """

    metrics: ClassVar[Any] = _of_program("metrics")
    answer: ClassVar[Any] = _of_program("answer")
    complete: Any = _of_program("complete")
    promised_bound: Any = _of_program("promised_bound")
    check_limits: Any = _of_program("check_limits")
    reading_parts: Any = _of_program("reading_parts")
    can_read: Any = _of_program("can_read")
    session: Any = _of_program("session")
    by_hand: Any = _of_program("by_hand")

    @property
    @abstractmethod
    def program(self) -> Program:
        """The program, as YAML would configure it."""

    def check(self, instance: Instance) -> None:
        """Refuse instances that are no planning tasks, and tasks whose costs are not those of their files."""
        world = instance.world
        if not isinstance(world, PlanningWorld):
            raise Incompatible(f"algorithm: {self.registered_name} needs planning tasks, such as world=pddl/file")
        if world.costs != "normal":
            raise Incompatible(
                f"world.cost: {self.registered_name} reads the costs in the files, so it needs world.cost=normal"
            )
        self.check_installed()
        self.check_files(world)
        self.program.check(instance)

    @abstractmethod
    def check_installed(self) -> None:
        """Raise `UserError` if the planner is missing."""

    @abstractmethod
    def check_files(self, world: PlanningWorld) -> None:
        """Refuse a task that lacks a file in PDDL which the planner reads."""


@ALGORITHMS.register("fast_downward")
@dataclass(frozen=True)
class FastDownward(PlanningPreset):
    """Fast Downward (Helmert, JAIR 26, 2006): pip install up-fast-downward, or FAST_DOWNWARD=PATH/fast-downward.py.

    Parameters
    ----------
    search : str, optional
        Search in the language of Fast Downward; by default ``astar(lmcut())``, unless `driver` chooses one.
    driver : list
        Options of the driver, such as ``[--alias,lama-first]``. Placeholders are possible:
        ``[--alias,seq-opt-fdss-1,--overall-time-limit,"{time}s"]``.
    input : {"pddl", "sas"}
        Files that it reads. Of `sas` the translation is not part of its time.
    optimal_ : {"always", "unit_costs", "never"}, optional
        What it promises about the cost of its plans; by default ``always`` for A* with a heuristic that is known as
        admissible, and for the aliases ``seq-opt-...``. Audits hold it to that.
    keep : {"failed", "all", "none"}
        Whose output is kept in the folder `logs` beside the rows.
    """

    search: str | None = None
    driver: list[str] = field(default_factory=list)
    input: Literal["pddl", "sas"] = "pddl"
    optimal_: Promise | None = None
    keep: Kept = "failed"

    without_effect = ("optimal", "keep")

    def __post_init__(self) -> None:
        """Refuse a search beside one of the driver."""
        if self.search is not None and self._is_chosen_by_driver:
            raise UserError("algorithm.search: the driver's --alias or --portfolio has a search; give one of both")

    @property
    def _is_chosen_by_driver(self) -> bool:
        return any(word.startswith(("--alias", "--portfolio")) for word in self.driver)

    @property
    def _search(self) -> str:
        return "" if self._is_chosen_by_driver else self.search or "astar(lmcut())"

    @cached_property
    def program(self) -> Program:
        """The driver, with the files of a task and the search."""
        driver = _driver() or Path(_DRIVER)
        interpreter = [literal(sys.executable)] if driver.suffix == ".py" else []
        files = ["{domain}", "{problem}"] if self.input == "pddl" else ["{sas}"]
        search = ["--search", self._search] if self._search else []
        return Program(
            command=[*interpreter, literal(driver), *self.driver, "--plan-file", "{plan}", *files, *search],
            output=FAST_DOWNWARD_OUTPUT, plan=_PDDL_PLAN, exit_codes=FAST_DOWNWARD_EXIT_CODES,
            title_=self.title, optimal_=self.optimal_ or ("always" if self._is_optimal else "never"),
            complete_=self._is_optimal and not any(option in self._search for option in _INCOMPLETE), keep=self.keep,
        )  # fmt: skip

    @property
    def _is_optimal(self) -> bool:
        """Whether the search is known as optimal."""
        search = self._search.replace(" ", "")
        if search:
            return _OPTIMAL_SEARCH.match(search) is not None and not any(option in search for option in _OTHER_COSTS)
        return any("seq-opt-" in word for word in self.driver)

    def check_installed(self) -> None:
        """Raise `UserError` if there is no driver."""
        driver = _driver()
        if driver is None:
            raise _missing("Fast Downward", _FAST_DOWNWARD_PACKAGE, f"; or set {FAST_DOWNWARD}=PATH/{_DRIVER}")
        if not driver.is_file():
            raise UserError(f"{FAST_DOWNWARD}: there is no file '{driver}'; expected the path of {_DRIVER}")

    def check_files(self, world: PlanningWorld) -> None:
        """Refuse a task without PDDL."""
        if self.input == "pddl" and "domain" not in world.inputs():
            raise Incompatible("algorithm.input: the task has no files in PDDL; set algorithm.input=sas")

    def code_parts(self) -> Iterator[Path | str]:
        """Yield the files that its options name, and the version or files of the planner."""
        driver = _driver()
        if driver is None:
            return
        yield from self.program.settings.command.files
        if driver == _packaged_driver():
            yield f"{_FAST_DOWNWARD_PACKAGE} {version(_FAST_DOWNWARD_PACKAGE)}"
            return
        yield driver
        built = driver.resolve().parent.glob("builds/*/bin/**/*")
        yield from sorted(file for file in built if file.is_file() and file.suffix != ".pyc")

    def versions(self) -> dict[str, str]:
        """Return the version of the package, or the one that the driver's folder declares."""
        driver = _driver()
        if driver is None:
            return {}
        if driver == _packaged_driver():
            return {"Fast Downward": f"{version(_FAST_DOWNWARD_PACKAGE)} ({_FAST_DOWNWARD_PACKAGE})"}
        declared = text_if_any(driver.resolve().parent / "driver" / "version.py", _MAX_BYTES) or ""
        match = re.search(r"""^__version__ *= *["'](.+)["']""", declared, re.MULTILINE)
        return {"Fast Downward": match[1] if match else "of unknown version"}


@ALGORITHMS.register("pyperplan")
@dataclass(frozen=True)
class Pyperplan(PlanningPreset):
    """Pyperplan, a planner in plain Python for STRIPS tasks without costs: pip install pyperplan.

    Parameters
    ----------
    search : {"astar", "wastar", "gbf", "bfs", "ehs", "ids"}
        A*, weighted A* with the weight 5, greedy best-first search, breadth-first search, enforced hill climbing, or
        iterative deepening.
    heuristic_ : {"blind", "hmax", "hadd", "hff", "hsa", "landmark", "lmcut"}
        Heuristic; `bfs` and `ids` use none.
    keep : {"failed", "all", "none"}
        Whose output is kept in the folder `logs` beside the rows.
    """

    search: Literal["astar", "wastar", "gbf", "bfs", "ehs", "ids"] = "astar"
    heuristic_: Literal["blind", "hmax", "hadd", "hff", "hsa", "landmark", "lmcut"] = "lmcut"
    keep: Kept = "failed"

    without_effect = ("keep",)

    @cached_property
    def program(self) -> Program:
        """The planner, with the files of a task."""
        script = literal(Path(run_pyperplan.__file__))
        options = ["-s", self.search, "-H", self.heuristic_]
        is_optimal = self.search == "bfs" or (self.search == "astar" and self.heuristic_ in _ADMISSIBLE)
        return Program(
            command=[literal(sys.executable), script, "{plan}", *options, "{domain}", "{problem}"],
            output=PYPERPLAN_OUTPUT, plan=_PDDL_PLAN, exit_codes=PYPERPLAN_EXIT_CODES,
            title_=self.title, optimal_="always" if is_optimal else "never", complete_=is_optimal, keep=self.keep,
        )  # fmt: skip

    def check_installed(self) -> None:
        """Raise `UserError` if the package is missing."""
        if find_spec(_PYPERPLAN_PACKAGE) is None:
            raise _missing("pyperplan", _PYPERPLAN_PACKAGE)

    def check_files(self, world: PlanningWorld) -> None:
        """Refuse a task without PDDL."""
        if "domain" not in world.inputs():
            raise Incompatible("algorithm: pyperplan needs files in PDDL, such as those of world=pddl/file")

    def code_parts(self) -> Iterator[Path | str]:
        """Yield the version of the package."""
        if find_spec(_PYPERPLAN_PACKAGE) is not None:
            yield f"{_PYPERPLAN_PACKAGE} {version(_PYPERPLAN_PACKAGE)}"

    def versions(self) -> dict[str, str]:
        """Return the version of the package."""
        return {"pyperplan": version(_PYPERPLAN_PACKAGE)} if find_spec(_PYPERPLAN_PACKAGE) is not None else {}


def _missing(name: str, package: str, otherwise: str = "") -> UserError:
    return UserError(
        f"algorithm: {name} is not installed: pip install {package} (or the extra 'planners' of search-runner)"
        f"{otherwise}"
    )


def _driver() -> Path | None:
    """Return the driver of Fast Downward: that of the environment variable, of the package, or on PATH."""
    named = os.environ.get(FAST_DOWNWARD)
    if named:
        path = Path(named).expanduser().absolute()
        return path / _DRIVER if path.is_dir() else path
    on_path = shutil.which(_DRIVER) or shutil.which("fast-downward")
    return _packaged_driver() or (None if on_path is None else Path(on_path))


def _packaged_driver() -> Path | None:
    package = find_spec(_FAST_DOWNWARD_PACKAGE.replace("-", "_"))
    folders = package.submodule_search_locations if package is not None else None
    return Path(folders[0]) / "downward" / _DRIVER if folders else None
