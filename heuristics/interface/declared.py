"""Declarations of a heuristic that a decorator makes of a function, in plain Python and compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict

from heuristics.interface.heuristic import HEURISTICS, Heuristic
from runner.base import Signature, register_function, suggest
from worlds.interface import Instance

Property = bool | Callable[[Any], bool | None] | None


class HeuristicDeclaration(TypedDict, total=False):
    """Keywords of `python_heuristic` and `compiled_heuristic`.

    Functions among them take the heuristic, whose attributes are its parameters, such as ``lambda h: h.factor <= 1``.

    Attributes
    ----------
    admissible, consistent : bool or callable
        Properties of the function; a callable if they depend on parameters. Declare only what you know: the `bound`
        column relies on it.
    safe : bool or callable
        Whether it is infinite for dead ends only, as an admissible function is. Otherwise a search that finds no plan
        and has pruned states ends with `cutoff`, not with `unsolvable`.
    builds_on : tuple of str
        Names of the heuristics before it in its documented stack, a sum.
    stands_alone : bool
        Whether it is consistent without the heuristics that it builds on, provided that it is consistent with them.
    validate : callable
        ``validate(heuristic)`` raises `runner.UserError` if parameters do not fit together.
    check : callable
        ``check(heuristic, instance)`` raises `runner.UserError` if the heuristic does not support the instance.
    """

    admissible: Property
    consistent: Property
    safe: Property
    builds_on: tuple[str, ...]
    stands_alone: bool
    validate: Callable[[Any], None]
    check: Callable[[Any, Instance], None]


def register(
    name: str,
    domain: str,
    function: Callable[..., Any],
    signature: Signature,
    base: type[Heuristic],
    declared: HeuristicDeclaration,
    **methods: Any,
) -> None:
    """Register the class of a heuristic that a decorator makes of a function. `methods` are its other attributes.

    Raises
    ------
    TypeError
        If a declaration is unknown, or not of its type.
    """
    keywords = HeuristicDeclaration.__annotations__
    for key in declared:
        if key not in keywords:
            raise TypeError(f"heuristic '{name}': unknown keyword {key}{suggest(key, keywords)}")
    body: dict[str, Any] = {**declared, **methods}
    if "validate" in body:
        body["__post_init__"] = body.pop("validate")
    for key in ("admissible", "consistent", "safe"):
        if callable(body.get(key)):
            body[key] = property(body[key])
    register_function(HEURISTICS, name, domain, function, signature, (base,), **body)
