"""Files of conf/ for all registered entries, from their dataclasses and docstrings."""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Iterator
from pathlib import Path

from heuristics.interface import AS_PUBLISHED, COMBINATIONS, HEURISTICS, SIMPLE, Heuristic
from runner.base import ROOT
from runner.config import Option, entries, options_of, summary_of, yaml_text

_WIDTH = 118


def pages() -> Iterator[tuple[Path, str]]:
    """Yield the path and the content of the file in conf/ for each registered entry."""
    domains: dict[str, list[str | None]] = {}
    for kind, domain, name, entry in entries():
        if kind == "heuristic":
            domains.setdefault(name, []).append(domain or "all domains")
        else:
            text = _file([summary_of(entry)], [f"name: {name}"], options_of(entry))
            if "/" in name:  # Hydra 1.4 would place it in a section of its folder
                text = f"# @package {kind}\n{text}"
            yield ROOT / "conf" / kind / f"{name}.yaml", text
    for name, owners in domains.items():
        yield ROOT / "conf" / "heuristic" / f"{name}.yaml", _heuristic_file(name, [str(owner) for owner in owners])


def _heuristic_file(name: str, owners: list[str]) -> str:
    entries = [HEURISTICS.find(name, domain=owner) for owner in owners]
    if len({*entries}) == 1:  # one class of several domains
        owners, entries = [", ".join(owners)], entries[:1]
    summaries = [f"{owner}: {summary_of(entry)}" for owner, entry in zip(owners, entries, strict=True)]
    stacks = {(*entry.builds_on, name) for entry in entries}
    if len(stacks) > 1:
        raise ValueError(f"heuristic '{name}' has several documented stacks; it needs several names")
    found: dict[str, Option] = {}
    for owner, entry in zip(owners, entries, strict=True):
        for option in options_of(entry):
            if len(owners) > 1:  # null leaves it at the default; other domains do not have it
                meaning = f"Of {owner} (default {yaml_text(option.default)}): {option.meaning}"
                option = dataclasses.replace(option, default=None, meaning=meaning)
            if option.name in found:
                option = dataclasses.replace(option, meaning=f"{found[option.name].meaning} {option.meaning}")
            if option.name == AS_PUBLISHED and entry.builds_on:
                option = dataclasses.replace(option, meaning=f"{option.meaning} Holds for the whole stack.")
            found[option.name] = option
    known = "As published, where the stack differs."
    found.setdefault(AS_PUBLISHED, Option(AS_PUBLISHED, None, "null | true | false", known))
    fixed = [
        f"stack: {yaml_text([*entries[0].builds_on, name])}",
        f"# How the values of a stack combine. [{' | '.join(_combinations(owners, entries))}]",
        "combine: sum",
    ]
    return _file(summaries, fixed, list(found.values()))


def _combinations(owners: list[str], entries: list[type[Heuristic]]) -> list[str]:
    """Return the names of all combinations that an entry of one of the domains allows."""
    dividing = [owner for owner, entry in zip(owners, entries, strict=True) if entry().has_abstractions]
    return [*SIMPLE, *(f"{name} ({owner})" for owner in dividing for name in COMBINATIONS.names(domain=owner))]


def _file(summaries: list[str], fixed: list[str], options: list[Option]) -> str:
    lines = [line for summary in summaries for line in _comment(summary)] + fixed
    for option in options:
        lines += [*_comment(f"{option.meaning} [{option.kind}]".strip()), f"{option.name}: {yaml_text(option.default)}"]
    return "\n".join(lines) + "\n"


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(text, _WIDTH)]
