"""Parts of its world that a function in plain Python reads.

Instances whose worlds agree in these parts have the same values in the same states, so an audit computes them once.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from types import FunctionType
from typing import Any

from worlds.interface import Instance, World

Path = tuple[str, ...]
"""Attributes that lead to a part of a world: ``("puzzle", "goal")`` for ``world.puzzle.goal``."""

_INDIRECT = {"locals", "eval", "exec"}
"""Functions that may read a parameter without its name."""


def parts_read(function: Callable[..., Any], world: Any) -> tuple[Any, ...] | None:
    """Return the parts of a world that a function reads; None if they are unknown or cannot be compared.

    A part is a field, or a field of a dataclass in a field: ``world.puzzle.goal.index(1)`` reads the goal. The
    parts are unknown if the function uses the world in another way: as an argument of another function, or a method.

    Parameters
    ----------
    function : callable
        Function or method that takes a state and its world.
    world : World or Instance
        An instance has the fields of its world.
    """
    parameters = [*inspect.signature(function).parameters.values()]
    if len(parameters) < 2 or parameters[1].kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD:
        return None
    function = getattr(function, "__func__", function)
    paths = _paths_read(function, parameters[1].name) if isinstance(function, FunctionType) else None
    parts = None if paths is None else tuple(_part(world, path) for path in paths)
    try:
        hash(parts)
    except TypeError:
        return None
    return None if parts is None or any(isinstance(part, Instance | World) for part in parts) else parts


@cache
def _paths_read(function: FunctionType, parameter: str) -> tuple[Path, ...] | None:
    """Return the paths from a parameter that the source of a function contains; None if there is no source.

    The empty path stands for the parameter itself.
    """
    if hasattr(function, "__wrapped__"):
        return None
    try:
        body = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    except (OSError, SyntaxError):
        return None
    if len(body) != 1 or not isinstance(body[0], ast.FunctionDef):  # such as the line with a lambda
        return None
    return tuple({path for statement in body[0].body for path in _paths(statement, parameter)})


def _paths(node: ast.AST, parameter: str) -> Iterator[Path]:
    names: list[str] = []
    first = node
    while isinstance(first, ast.Attribute):
        names.insert(0, first.attr)
        first = first.value
    if isinstance(first, ast.Name) and first.id == parameter:
        yield tuple(names)
        return
    if isinstance(node, ast.Name) and node.id in _INDIRECT:
        yield ()
    for child in ast.iter_child_nodes(node):
        yield from _paths(child, parameter)


def _part(world: Any, path: Path) -> Any:
    part = world
    for name in path:
        owner = part.world if isinstance(part, Instance) and not _is_field(part, name) else part
        if not _is_field(owner, name):
            break
        part = getattr(owner, name)
    return part


def _is_field(owner: Any, name: str) -> bool:
    return dataclasses.is_dataclass(owner) and any(each.name == name for each in dataclasses.fields(owner))
