"""Options of registered entries, from their dataclasses and docstrings.

``python -m runner.config.options`` writes them to the files of conf/.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import textwrap
import types
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from docstring_parser import DocstringStyle, parse
from msgspec import Meta

from runner import registry
from runner.config.sections import AS_PUBLISHED
from runner.messages import ROOT

_WIDTH = 118
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
        return "required" if self.default is dataclasses.MISSING else f"default {_yaml(self.default)}"


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
                meanings.update((registry.yaml_name(name.strip()), text) for name in each.arg_name.split(","))
    hints = {registry.yaml_name(name): hint for name, hint in get_type_hints(entry, include_extras=True).items()}
    return [
        Option(name, default, _kind(hints[name]), meanings.get(name, ""))
        for name, default in registry.parameters(entry).items()
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


def files() -> Iterator[tuple[Path, str]]:
    """Yield the path and the content of the file in conf/ for each registered entry."""
    domains: dict[str, list[str | None]] = {}
    for kind, domain, name in registry.entries():
        if kind == "heuristic":
            domains.setdefault(name, []).append(domain)
        else:
            entry = registry.find(kind, name)
            yield (
                ROOT / "conf" / kind / f"{name}.yaml",
                _file([summary_of(entry)], [f"name: {name}"], options_of(entry)),
            )
    for name, owners in domains.items():
        yield ROOT / "conf" / "heuristic" / f"{name}.yaml", _heuristic_file(name, [str(owner) for owner in owners])


def _heuristic_file(name: str, owners: list[str]) -> str:
    entries = [registry.find("heuristic", name, domain=owner) for owner in owners]
    summaries = [f"{owner}: {summary_of(entry)}" for owner, entry in zip(owners, entries, strict=True)]
    stacks = {(*entry.builds_on, name) for entry in entries}
    if len(stacks) > 1:
        raise ValueError(f"heuristic '{name}' has several documented stacks; it needs several names")
    found: dict[str, Option] = {}
    for owner, entry in zip(owners, entries, strict=True):
        for option in options_of(entry):
            if len(owners) > 1:  # null leaves it at the default; other domains do not have it
                meaning = f"Of {owner} (default {_yaml(option.default)}): {option.meaning}"
                option = dataclasses.replace(option, default=None, meaning=meaning)
            if option.name == AS_PUBLISHED and entry.builds_on:
                option = dataclasses.replace(option, meaning=f"{option.meaning} Holds for the whole stack.")
            found[option.name] = option
    known = "As published, where the stack differs."
    found.setdefault(AS_PUBLISHED, Option(AS_PUBLISHED, None, "null | true | false", known))
    fixed = [
        f"stack: {_yaml([*entries[0].builds_on, name])}",
        "# How the values of a stack combine. [sum | max]",
        "combine: sum",
    ]
    return _file(summaries, fixed, list(found.values()))


def _file(summaries: list[str], fixed: list[str], options: list[Option]) -> str:
    lines = [line for summary in summaries for line in _comment(summary)] + fixed
    for option in options:
        lines += [*_comment(f"{option.meaning} [{option.kind}]".strip()), f"{option.name}: {_yaml(option.default)}"]
    return "\n".join(lines) + "\n"


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(text, _WIDTH)]


def _yaml(value: Any) -> str:
    if value is dataclasses.MISSING:
        return "???"
    if isinstance(value, str) and value.replace("_", "").replace("-", "").replace("/", "").isalnum():
        return value
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_yaml, value))}]"
    return json.dumps(value)


def main() -> None:
    """Write the files of conf/."""
    from runner import packages

    packages.load()
    for file, content in files():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
