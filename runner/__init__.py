"""A declarative experiment runner for heuristic search.

``python -m runner algorithm=astar heuristic=flood_fill`` runs an experiment; from Python, `load` instances, `solve`
them, evaluate a `heuristic`, and `read` results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from heuristics.python_heuristic import PythonHeuristic, python_heuristic
    from runner import audit as audit
    from runner.api import heuristic, load, solve
    from runner.check import WorldError, check_world
    from runner.registry import UserError, register
    from runner.result import Result
    from runner.results import read
    from worlds.python_world import PythonWorld

__all__ = [
    "PythonHeuristic",
    "PythonWorld",
    "Result",
    "UserError",
    "WorldError",
    "audit",
    "check_world",
    "heuristic",
    "load",
    "python_heuristic",
    "read",
    "register",
    "solve",
]

_HOMES = {
    "PythonHeuristic": "heuristics.python_heuristic",
    "python_heuristic": "heuristics.python_heuristic",
    "PythonWorld": "worlds.python_world",
    "WorldError": "runner.check",
    "check_world": "runner.check",
    "heuristic": "runner.api",
    "load": "runner.api",
    "solve": "runner.api",
    "audit": "runner.audit",
    "UserError": "runner.registry",
    "register": "runner.registry",
    "read": "runner.results",
    "Result": "runner.result",
}


def __getattr__(name: str) -> Any:
    """Import the public names when they are first used: `runner.registry` must stay importable from everywhere."""
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module 'runner' has no attribute {name!r}")
    if _HOMES[name] in ("runner.api", "runner.check"):
        plugins = import_module("runner.plugins")
        plugins.load_built_in()
        plugins.load_installed()
    home = import_module(_HOMES[name])
    return home if name == "audit" else getattr(home, name)


def __dir__() -> list[str]:
    return __all__
