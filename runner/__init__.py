"""A declarative experiment runner for heuristic search.

``python -m runner algorithm=astar heuristic=flood_fill`` runs an experiment. In Python, use `load` to make instances,
`solve` to search them, `replay` to watch a plan, `explore` to watch a search, `heuristic` to evaluate heuristics,
`sweep` to run a sweep, and `read` to load results.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False  # imports nothing before `__main__` has removed the working directory from `sys.path`
if TYPE_CHECKING:
    from typing import Any

    from algorithms.interface import python_algorithm as python_algorithm
    from heuristics.interface import UNREACHABLE as UNREACHABLE
    from heuristics.interface import PythonHeuristic as PythonHeuristic
    from heuristics.interface import compiled_heuristic as compiled_heuristic
    from heuristics.interface import priority as priority
    from heuristics.interface import python_heuristic as python_heuristic
    from runner.api import heuristic as heuristic
    from runner.api import levels as levels
    from runner.api import load as load
    from runner.api import solve as solve
    from runner.base import Metric as Metric
    from runner.base import Result as Result
    from runner.base import UserError as UserError
    from runner.base import file_error as file_error
    from runner.base import read_text as read_text
    from runner.config import register as register
    from runner.features.audits.api import audit as audit
    from runner.features.audits.checker import WorldError as WorldError
    from runner.features.audits.checker import check_world as check_world
    from runner.features.audits.priorities import check_priority as check_priority
    from runner.features.explorer.api import explore as explore
    from runner.features.explorer.api import replay as replay
    from runner.features.grading.grader import grade as grade
    from runner.features.notebook.report import report as report
    from runner.features.notebook.sweep import sweep as sweep
    from runner.records import read as read
    from worlds.compile import EXPAND as EXPAND
    from worlds.compile import IS_GOAL as IS_GOAL
    from worlds.compile import helper as helper
    from worlds.compile import kernel as kernel
    from worlds.interface import CompiledWorld as CompiledWorld
    from worlds.interface import Family as Family
    from worlds.interface import Kernels as Kernels
    from worlds.interface import Looks as Looks
    from worlds.interface import Playable as Playable
    from worlds.interface import PythonWorld as PythonWorld
    from worlds.interface import World as World
    from worlds.interface import source as source

_NAMES = {
    "algorithms.interface": "python_algorithm",
    "heuristics.interface": "UNREACHABLE PythonHeuristic compiled_heuristic priority python_heuristic",
    "runner.api": "heuristic levels load solve",
    "runner.base": "Metric Result UserError file_error read_text",
    "runner.config": "register",
    "runner.features.audits.api": "audit",
    "runner.features.audits.checker": "WorldError check_world",
    "runner.features.audits.priorities": "check_priority",
    "runner.features.explorer.api": "explore replay",
    "runner.features.grading.grader": "grade",
    "runner.features.notebook.report": "report",
    "runner.features.notebook.sweep": "sweep",
    "runner.records": "read",
    "worlds.compile": "EXPAND IS_GOAL helper kernel",
    "worlds.interface": "CompiledWorld Family Kernels Looks Playable PythonWorld World source",
}
"""The public API: names by the modules that they are imported from at their first use."""
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}
__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    """Import the public API at its first use.

    It cannot be imported above: worlds import `runner.base`, and `python -m runner` reports missing dependencies.
    """
    if name not in _MODULES:
        raise AttributeError(f"module 'runner' has no attribute {name!r}")
    if name == "UserError":  # so that it can be caught if the packages cannot be loaded
        from importlib import import_module

        return import_module("runner.base.errors").UserError
    from runner.base import import_own, own_packages

    own_packages.load()  # before another import of these packages
    return import_own(_MODULES[name], name)


def __dir__() -> list[str]:
    return __all__
