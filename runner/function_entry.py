"""Registered dataclasses made from functions, whose further parameters are the fields."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import field, make_dataclass
from functools import partial
from typing import Any, get_type_hints


def dataclass_of(function: Callable[..., Any], *, given: int, base: type[Any], body: Mapping[str, object]) -> type[Any]:
    """Return a frozen dataclass with the name and the documentation of a function.

    Parameters
    ----------
    function : callable
        Its first `given` parameters get their arguments in each call. The others are the fields of the dataclass.
    base : type
        Base of the dataclass.
    body : mapping
        Attributes and methods of the dataclass.

    Raises
    ------
    TypeError
        If a field has no default.
    """
    hints = get_type_hints(function)
    fields = []
    for parameter in list(inspect.signature(function).parameters.values())[given:]:
        if parameter.default is inspect.Parameter.empty:
            raise TypeError(f"{function.__name__}: the parameter '{parameter.name}' needs a default")
        fields.append((parameter.name, hints.get(parameter.name, Any), field(default=parameter.default)))
    names = {"__module__": function.__module__, "__qualname__": function.__qualname__, "__doc__": function.__doc__}
    return make_dataclass(function.__name__, fields, bases=(base,), namespace={**body, **names}, frozen=True)


def with_options(function: Callable[..., Any], entry: Any) -> Callable[..., Any]:
    """Return a function with the fields of its dataclass as arguments."""
    options = {name: getattr(entry, name) for name in entry.__dataclass_fields__}
    return partial(function, **options) if options else function
