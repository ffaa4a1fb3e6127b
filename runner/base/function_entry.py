"""Registered dataclasses made from functions. The parameters with defaults are those of the entry in YAML."""

from __future__ import annotations

import inspect
import math
import traceback
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, make_dataclass
from functools import partial
from typing import Any, get_type_hints

from runner.base.errors import UserError, suggest
from runner.base.own_places import is_own_module
from runner.base.registry import PartRegistry, check_callable


@dataclass(frozen=True)
class Signature:
    """Parameters of a function that is registered.

    Attributes
    ----------
    required : int
        Number of the parameters without default: state, world and the like.
    hints, defaults : dict
        Type hint (`Any` if there is none) and default of each other parameter.
    """

    required: int
    hints: dict[str, Any]
    defaults: dict[str, Any]

    def values(self, entry: object) -> dict[str, Any]:
        """Return the values of the parameters in the dataclass that was made from the function."""
        return {name: getattr(entry, name) for name in self.defaults}

    def bound(self, function: Callable[..., Any], entry: object) -> Callable[..., Any]:
        """Return the function with its parameters set to the values of an entry: it takes the required ones only."""
        values = self.values(entry)
        return partial(function, **values) if values else function


def check_name(decorator: str, name: object, *, domain: object = "...") -> None:
    """Raise `TypeError` if a decorator was written without a name, or without parentheses: `name` is the function then.

    Parameters
    ----------
    domain : str or None
        Domain, for a decorator that needs one.
    """
    if not isinstance(name, str) or not name or domain is None:
        written = getattr(name, "__name__", "my_name") if not isinstance(name, str) else name or "my_name"
        needed, rest = (
            ("a name", "...") if domain == "..." else ("a name and a domain", f'domain="{domain or "npuzzle"}"')
        )
        raise TypeError(f'{decorator} takes {needed}: write @{decorator}("{written}", {rest}) above the function')


def merged(*signatures: Signature) -> Signature:
    """Return the last signature with the parameters of the others, too. Of those of one name, the last counts."""
    hints: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    for each in signatures:
        hints |= each.hints
        defaults |= each.defaults
    return Signature(signatures[-1].required, hints, defaults)


def signature_of(
    kind: str, name: str, function: Callable[..., Any], forms: Mapping[int, str], what: str = "the function"
) -> Signature:
    """Return the parameters of a function. What a `functools.partial` binds is one if YAML can have it.

    Parameters
    ----------
    kind, name : str
        Kind and name of the entry, for messages.
    function : callable
    forms : mapping
        The possible parameters without default, by their number.
    what : str
        Noun for the function, for messages.

    Raises
    ------
    TypeError
        If it is no function, has none of these forms, or collects arguments (``*args``).
    """
    check_callable(f"{kind} '{name}'", function)
    bound = function.keywords if isinstance(function, partial) else {}
    fixed = [key for key, value in bound.items() if not _is_plain(value)]
    given = [each for key, each in inspect.signature(function).parameters.items() if key not in fixed]
    for each in given:
        if each.default is not inspect.Parameter.empty and type(each.default).__hash__ is None:
            raise TypeError(
                f"{kind} '{name}': the default of the parameter {each.name}={each.default!r} can change: put "
                f"'{each.name} = {each.default!r}' before the function, and leave the parameter out (or write a tuple)"
            )
    required = [parameter for parameter in given if parameter.default is inspect.Parameter.empty]
    collected = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    is_callable = all(parameter.kind is not inspect.Parameter.KEYWORD_ONLY for parameter in required)
    if len(required) not in forms or not is_callable or any(parameter.kind in collected for parameter in given):
        raise TypeError(
            f"{kind} '{name}': {what} takes {' or '.join(forms.values())}, and after these only parameters "
            f"with defaults; this one takes {inspect.signature(function)}"
        )
    hints = get_type_hints(_called(function), include_extras=True)
    options = [parameter for parameter in given if parameter.default is not inspect.Parameter.empty]
    return Signature(
        len(required),
        {parameter.name: hints.get(parameter.name, Any) for parameter in options},
        {parameter.name: parameter.default for parameter in options},
    )


def _is_plain(value: object) -> bool:
    """Return whether a value is a number, a text, a truth value or None, or a tuple of such."""
    return all(
        type(each) in (bool, int, float, str, type(None)) for each in (value if isinstance(value, tuple) else [value])
    )


def _innermost(function: Any) -> Any:
    """Return what a `functools.partial` calls."""
    while isinstance(function, partial):
        function = function.func
    return function


def _called(function: Any) -> Callable[..., Any]:
    """Return the function that a `functools.partial` or an object calls."""
    inner: Any = _innermost(function)
    return inner if hasattr(inner, "__qualname__") else type(inner).__call__


def _caller() -> str:
    """Return the module whose code has called search-runner, for what has no module of its own."""
    frames = (frame.f_globals.get("__name__") or "__main__" for frame, _ in traceback.walk_stack(None))
    return next((name for name in frames if not is_own_module(name)), "__main__")


def check_bound(owner: str, bound: float | str | None, defaults: Mapping[str, Any]) -> None:
    """Raise `TypeError` unless a declared bound is a number of at least 1, the name of a parameter, or None."""
    if isinstance(bound, str) and bound not in defaults:
        raise TypeError(f"{owner}: bound='{bound}' is no parameter of the function{suggest(bound, defaults)}")
    if isinstance(bound, int | float) and not 1 <= bound < math.inf:
        raise TypeError(f"{owner}: bound is a number of at least 1 or the name of a parameter, not {bound!r}")


def bound_of(entry: object, bound: float | str, where: str) -> float:
    """Return the bound of an entry, which is declared as a number or as the name of a parameter.

    Raises
    ------
    UserError
        If it is no number of at least 1.
    """
    value = getattr(entry, bound) if isinstance(bound, str) else bound
    if not isinstance(value, int | float) or not 1 <= value < math.inf:
        raise UserError(f"{where} needs a number of at least 1, got {value!r}")
    return float(value)


def register_function(
    registry: PartRegistry[Any], name: str, domain: str | None, function: Callable[..., Any], signature: Signature,
    bases: tuple[type[Any], ...], /, **body: Any,
) -> None:  # fmt: skip
    """Register a frozen dataclass for a function.

    Its fields are the parameters, and `body` are its other attributes; for None it has the attribute of its bases. A
    parameter whose default is `dataclasses.MISSING` is required.
    """
    attributes = {key: value for key, value in body.items() if value is not None}
    fields = [
        (key, signature.hints[key], field(default=value, kw_only=value is MISSING))
        for key, value in signature.defaults.items()
    ]
    called = _called(function)
    inner = _innermost(function)
    defined = inner if hasattr(inner, "__qualname__") else type(inner)
    module = function.__module__ if hasattr(function, "__qualname__") else _caller()
    names = {
        "__module__": module or "__main__",  # `exec` may get globals without a name
        "__qualname__": defined.__qualname__,
        "__doc__": called.__doc__ or defined.__doc__ or f"{name}.",
    }
    cls = make_dataclass(defined.__name__, fields, bases=bases, namespace={**attributes, **names}, frozen=True)
    cls.__module__ = names["__module__"]  # Python 3.12 and later replace that of the namespace
    registry.register(name, domain=domain)(cls)
