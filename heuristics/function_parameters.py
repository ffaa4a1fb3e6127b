"""Heuristics made from functions. The parameters of the function with defaults are those of the heuristic in YAML."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, make_dataclass
from typing import Any, get_type_hints

from heuristics.interface import Heuristic
from runner.registry import register


@dataclass(frozen=True)
class Signature:
    """Parameters of a function that is registered as a heuristic.

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

    def values(self, heuristic: Heuristic) -> dict[str, Any]:
        """Return the values of the parameters."""
        return {name: getattr(heuristic, name) for name in self.defaults}


def signature_of(name: str, function: Callable[..., Any], forms: Mapping[int, str]) -> Signature:
    """Return the parameters of a function.

    Parameters
    ----------
    name : str
        Name of the heuristic, for messages.
    function : callable
    forms : mapping
        The possible parameters without default, by their number.

    Raises
    ------
    TypeError
        If the function has none of these forms, or collects arguments (``*args``).
    """
    given = inspect.signature(function).parameters.values()
    required = [parameter for parameter in given if parameter.default is inspect.Parameter.empty]
    collected = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    if len(required) not in forms or any(parameter.kind in collected for parameter in given):
        raise TypeError(
            f"heuristic '{name}': the function takes {' or '.join(forms.values())}, and after these only parameters "
            f"with defaults; this one takes {inspect.signature(function)}"
        )
    hints = get_type_hints(function)
    options = [parameter for parameter in given if parameter.default is not inspect.Parameter.empty]
    return Signature(
        len(required),
        {parameter.name: hints.get(parameter.name, Any) for parameter in options},
        {parameter.name: parameter.default for parameter in options},
    )


def register_function(
    name: str, domain: str, function: Callable[..., Any], signature: Signature, base: type[Heuristic], **body: Any
) -> None:
    """Register a frozen dataclass for a function. Its fields are the parameters, `body` are its other attributes."""
    fields = [(key, signature.hints[key], field(default=value)) for key, value in signature.defaults.items()]
    names = {"__module__": function.__module__, "__qualname__": function.__qualname__, "__doc__": function.__doc__}
    cls = make_dataclass(function.__name__, fields, bases=(base,), namespace={**body, **names}, frozen=True)
    register("heuristic", name, domain=domain)(cls)
