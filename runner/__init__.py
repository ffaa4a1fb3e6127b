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

    from runner.api import (
        EXPAND,
        IS_GOAL,
        UNREACHABLE,
        CompiledWorld,
        Family,
        Kernels,
        Looks,
        Playable,
        PythonHeuristic,
        PythonWorld,
        Result,
        World,
        compiled_heuristic,
        file_error,
        helper,
        heuristic,
        kernel,
        levels,
        load,
        priority,
        python_algorithm,
        python_heuristic,
        read,
        read_text,
        solve,
        source,
    )
    from runner.base import Metric, UserError
    from runner.config import register
    from runner.features.audits.api import audit as audit
    from runner.features.audits.checker import WorldError, check_world
    from runner.features.audits.priorities import check_priority
    from runner.features.explorer.api import explore, replay
    from runner.features.grading.grader import grade as grade
    from runner.features.notebook.report import report as report
    from runner.features.notebook.sweep import sweep

__all__ = [
    "EXPAND",
    "IS_GOAL",
    "UNREACHABLE",
    "CompiledWorld",
    "Family",
    "Kernels",
    "Looks",
    "Metric",
    "Playable",
    "PythonHeuristic",
    "PythonWorld",
    "Result",
    "UserError",
    "World",
    "WorldError",
    "audit",
    "check_priority",
    "check_world",
    "compiled_heuristic",
    "explore",
    "file_error",
    "grade",
    "helper",
    "heuristic",
    "kernel",
    "levels",
    "load",
    "priority",
    "python_algorithm",
    "python_heuristic",
    "read",
    "read_text",
    "register",
    "replay",
    "report",
    "solve",
    "source",
    "sweep",
]


def __getattr__(name: str) -> Any:
    """Import the public API at its first use.

    It cannot be imported above: worlds import `runner.base`, and `python -m runner` reports missing dependencies.
    """
    if name not in __all__:
        raise AttributeError(f"module 'runner' has no attribute {name!r}")
    from importlib import import_module

    if name == "UserError":  # so that it can be caught if the packages cannot be loaded
        return import_module("runner.base.errors").UserError
    from runner.base import import_own, own_packages

    own_packages.load()  # before another import of these packages
    modules = {
        "register": "runner.config.cell.registries",
        "audit": "runner.features.audits.api",
        "WorldError": "runner.features.audits.checker",
        "check_world": "runner.features.audits.checker",
        "check_priority": "runner.features.audits.priorities",
        "explore": "runner.features.explorer.api",
        "replay": "runner.features.explorer.api",
        "grade": "runner.features.grading.grader",
        "sweep": "runner.features.notebook.sweep",
        "report": "runner.features.notebook.report",
    }
    return import_own(modules.get(name, "runner.api"), name)


def __dir__() -> list[str]:
    return __all__
