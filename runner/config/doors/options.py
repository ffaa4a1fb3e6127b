"""Options of registered entries, from their dataclasses and docstrings."""

from __future__ import annotations

import dataclasses
import inspect
import json
import types
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from docstring_parser import DocstringStyle, parse
from msgspec import Meta

from runner.base import parameters_of, yaml_name

_UNLIMITED = 2**53
_NAMES = {int: "whole number", float: "number", str: "text", bool: "true | false", type(None): "null"}


@dataclass(frozen=True)
class Option:
    """Parameter of a registered entry.

    Attributes
    ----------
    name : str
        Name in YAML.
    default : object
        Default; `dataclasses.MISSING` if the parameter is required.
    kind : str
        Type, range and choices.
    """

    name: str
    default: Any
    kind: str
    meaning: str

    @property
    def default_text(self) -> str:
        """Default in words."""
        return "required" if self.default is dataclasses.MISSING else f"default {yaml_text(self.default)}"


def summary_of(entry: type) -> str:
    """Return the first paragraph of an entry's docstring."""
    return _plain(inspect.getdoc(entry) or "").split("\n\n")[0].replace("\n", " ")


def options_of(entry: type) -> list[Option]:
    """Return the parameters of an entry, in their order."""
    meanings: dict[str, str] = {}
    for cls in reversed(entry.__mro__):
        for each in parse(inspect.cleandoc(cls.__dict__.get("__doc__") or ""), style=DocstringStyle.NUMPYDOC).params:
            text = " ".join(_plain(each.description or "").replace("None", "null").split())
            if text:
                meanings.update((yaml_name(name.strip()), text) for name in each.arg_name.split(","))
    hints = {yaml_name(name): hint for name, hint in get_type_hints(entry, include_extras=True).items()}
    return [
        Option(name, default, _kind(hints[name]), meanings.get(name, ""))
        for name, default in parameters_of(entry).items()
    ]


def _plain(text: str) -> str:
    return text.replace("``", "`")


def _kind(hint: Any) -> str:
    """Return a type in words, with its range."""
    if get_origin(hint) is Annotated:
        base, *more = get_args(hint)
        ranges = [_range(each) for each in more if isinstance(each, Meta)]
        return " ".join([_kind(base), *filter(None, ranges)])
    if get_origin(hint) is Literal:
        return " | ".join("null" if each is None else str(each) for each in get_args(hint))
    if get_origin(hint) in (Union, types.UnionType):
        return " | ".join(_kind(each) for each in get_args(hint))
    if get_origin(hint) in (list, tuple):
        items = [each for each in get_args(hint) if each is not Ellipsis]
        kinds = " | ".join(dict.fromkeys(map(_kind, items)))
        return f"list of ({kinds})" if "|" in kinds else f"list of {kinds or 'values'}"
    return _NAMES.get(hint, getattr(hint, "__name__", str(hint)))


def _range(meta: Meta) -> str:
    low = "" if meta.ge is None else f"from {meta.ge:,}"
    low = low if meta.gt is None else f"above {meta.gt:,}"
    high = "" if meta.le is None or meta.le >= _UNLIMITED else f"to {meta.le:,}"
    high = high if meta.lt is None or meta.lt >= _UNLIMITED else f"below {meta.lt:,}"
    return " ".join(filter(None, (low, high)))


def yaml_text(value: Any) -> str:
    """Return a value as it stands in YAML; ``???`` if it is missing."""
    if value is dataclasses.MISSING:
        return "???"
    if isinstance(value, str) and value.replace("_", "").replace("-", "").replace("/", "").isalnum():
        return value
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(yaml_text, value))}]"
    return json.dumps(value)
