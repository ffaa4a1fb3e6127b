"""Common part of the decorators of functions: declarations of heuristics, and parameters of compiled functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, TypedDict, get_args, get_origin

from heuristics.interface.heuristic import HEURISTICS, Heuristic
from runner.base import Signature, register_function, suggest
from worlds.compile import helper
from worlds.interface import Instance

NUMBA_TYPES = {bool: "boolean", int: "int64", float: "float64"}
"""Types of the parameters of compiled functions in YAML."""
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
        ``check(heuristic, instance)`` raises `runner.plugin.Incompatible` if the heuristic does not support the
        instance: a sweep skips the cell. A `UserError` counts as refused.
    """

    admissible: Property
    consistent: Property
    safe: Property
    builds_on: tuple[str, ...]
    stands_alone: bool
    validate: Callable[[Any], None]
    check: Callable[[Any, Instance], None]


def type_of(hint: Any) -> Any:
    """Return a type without its range."""
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def compiled_signature(owner: str, function: Callable[..., Any], signature: Signature) -> Signature:
    """Mark a function as a helper. Return its parameters, with the type of each.

    Raises
    ------
    TypeError
        If a parameter has a type that compiled functions do not take.
    """
    hints = {key: type(signature.defaults[key]) if hint is Any else hint for key, hint in signature.hints.items()}
    for key, hint in hints.items():
        if type_of(hint) not in NUMBA_TYPES:
            allowed = ", ".join(kind.__name__ for kind in NUMBA_TYPES)
            raise TypeError(f"{owner}: parameter {key} is {hint}; a compiled function takes {allowed}")
    # numba's cache pickles the annotations of functions of a script or notebook, and a range cannot be pickled
    function.__annotations__.update({key: type_of(hint) for key, hint in hints.items()})
    helper(function)
    return replace(signature, hints=hints)


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
