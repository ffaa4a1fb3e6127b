"""A declarative experiment runner for heuristic search.

``python -m runner algorithm=astar heuristic=flood_fill`` runs an experiment. In Python, use `load` to make instances,
`solve` to search them, `heuristic` to evaluate heuristics, and `read` to load results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runner.registry import UserError, register

if TYPE_CHECKING:
    from runner.api import (
        EXPAND,
        IS_GOAL,
        UNREACHABLE,
        CompiledWorld,
        PythonHeuristic,
        PythonWorld,
        Result,
        WorldError,
        check_world,
        compiled_heuristic,
        draw_expansions,
        file_error,
        helper,
        heuristic,
        kernel,
        load,
        python_algorithm,
        python_heuristic,
        read,
        read_text,
        solve,
    )
    from runner.audit.api import audit as audit
    from runner.metric import Metric

__all__ = [
    "EXPAND",
    "IS_GOAL",
    "UNREACHABLE",
    "CompiledWorld",
    "Metric",
    "PythonHeuristic",
    "PythonWorld",
    "Result",
    "UserError",
    "WorldError",
    "audit",
    "check_world",
    "compiled_heuristic",
    "draw_expansions",
    "file_error",
    "helper",
    "heuristic",
    "kernel",
    "load",
    "python_algorithm",
    "python_heuristic",
    "read",
    "read_text",
    "register",
    "solve",
]


def __getattr__(name: str) -> Any:
    """Import the public API at its first use. It cannot be imported above, because worlds import `runner.registry`."""
    if name not in __all__:
        raise AttributeError(f"module 'runner' has no attribute {name!r}")
    from importlib import import_module

    from runner import packages

    packages.load()  # before another import of these packages
    return import_module("runner.audit") if name == "audit" else getattr(import_module("runner.api"), name)


def __dir__() -> list[str]:
    return __all__
