"""A declarative experiment runner for heuristic search.

``python -m runner algorithm=astar heuristic=flood_fill`` runs an experiment; from Python, `load` instances, `solve`
them, evaluate a `heuristic`, and `read` results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runner.api import heuristic, load, solve
    from runner.registry import UserError, register
    from runner.results import read
    from runner.solver import Result

__all__ = ["Result", "UserError", "heuristic", "load", "read", "register", "solve"]

_HOMES = {
    "heuristic": "runner.api",
    "load": "runner.api",
    "solve": "runner.api",
    "UserError": "runner.registry",
    "register": "runner.registry",
    "read": "runner.results",
    "Result": "runner.solver",
}


def __getattr__(name: str) -> Any:
    """Import the public names when they are first used: `runner.registry` must stay importable from everywhere."""
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module 'runner' has no attribute {name!r}")
    if _HOMES[name] == "runner.api":
        plugins = import_module("runner.plugins")
        plugins.load_built_in()
        plugins.load_installed()
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
