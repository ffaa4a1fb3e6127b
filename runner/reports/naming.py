"""Short names of configurations, made of the settings in which they differ."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from runner.base.errors import UserError, suggest
from runner.base.parameters import assignments
from runner.reports.grouping import distinct

CHOICES = ("algorithm", "heuristic", "weighting", "parameters", "ties")
"""Columns in which configurations may differ. `heuristic` stands for the whole stack."""


@dataclass(frozen=True)
class Configurations:
    """Names of the configurations of rows.

    Attributes
    ----------
    labels : Series of categories
        Name of the configuration of each row.
    meanings : dict of str
        Full description of each name.
    constants : dict of str
        Columns that have the same value in all rows, with this value.
    """

    labels: pd.Series
    meanings: dict[str, str]
    constants: dict[str, str]


def swept_limits(table: pd.DataFrame) -> list[str]:
    """Return the columns of the limits that were swept."""
    return [name for name in map(str, table) if name.startswith(("limits.", "choice.limits"))]


def name_configurations(table: pd.DataFrame, by_limits: bool) -> Configurations:
    """Name the configuration of each row. If `by_limits`, rows under other limits are other configurations."""
    choices = (*CHOICES, "limits") if by_limits else CHOICES
    by_name, codes = distinct(table, ("stack", *choices))
    by_name["stack"] = by_name["stack"].where(
        by_name["stack"] != "", by_name["heuristic"]
    )  # older tables have no stack
    identity = ["stack", *(name for name in choices if name != "heuristic")]
    by_name["is_plain"] = by_name["heuristic"] == by_name["stack"]
    groups = by_name.sort_values("is_plain", kind="stable").drop_duplicates(identity).sort_index()
    shown = groups[list(choices)].assign(heuristic=_heuristics(groups))
    varying = _varying(shown, choices)
    shorten = {"heuristic": _last_heuristics, "weighting": _differences}
    short = {name: shorten[name](shown[name].tolist()) if name in shorten else {} for name in varying}
    labels: list[str] = []
    meanings: dict[str, str] = {}
    for values, stack in zip(shown.itertuples(index=False), groups["stack"], strict=True):
        row = dict(zip(choices, map(str, values), strict=True))
        parts = [short[name].get(row[name], row[name]) for name in varying if row[name] not in ("", "none")]
        full = {**row, "stack": "" if stack == row["heuristic"] else str(stack)}
        meaning = assignments({name: full[name] for name in ("algorithm", "heuristic", *full) if full[name]}, " ")
        label = " ".join(parts) or (row["heuristic"] if "heuristic" in varying else row["algorithm"])
        label = meaning if label in meanings else label
        labels.append(label)
        meanings[label] = meaning
    order = pd.MultiIndex.from_frame(groups[identity])
    places = order.get_indexer(pd.MultiIndex.from_frame(by_name[identity]))
    categories = pd.Categorical.from_codes(places[codes], categories=pd.Index(labels))
    return Configurations(pd.Series(categories, index=table.index), meanings, _constants(table, shown, groups))


def _heuristics(groups: pd.DataFrame) -> pd.Series:
    """Return the name of each stack, or the full stack if several stacks have the same name."""
    stacks = groups.drop_duplicates(["heuristic", "stack"])["heuristic"].value_counts()
    return groups["heuristic"].where(groups["heuristic"].map(stacks) == 1, groups["stack"])


def _varying(groups: pd.DataFrame, choices: Sequence[str]) -> list[str]:
    """Return the columns in which the rows differ. Columns that add no difference to the ones before are left out."""
    varying: list[str] = []
    groups_found = 1
    for name in choices:
        if (number := len(groups[[*varying, name]].drop_duplicates())) > groups_found:
            varying.append(name)
            groups_found = number
    return varying


def _constants(table: pd.DataFrame, shown: pd.DataFrame, groups: pd.DataFrame) -> dict[str, str]:
    found = {str(name): str(shown[name].iloc[0]) for name in shown if shown[name].nunique() == 1}
    if groups["stack"].nunique() == 1 and groups["stack"].iloc[0] != found["heuristic"]:
        found["stack"] = str(groups["stack"].iloc[0])
    for name in ("world", "label"):
        texts = list(table[name].cat.add_categories("").fillna("").unique())
        if len(texts) == 1:
            found[name] = str(texts[0])
    return {name: text for name, text in found.items() if text}


def _last_heuristics(stacks: Iterable[str]) -> dict[str, str]:
    """Return the last heuristic of each stack, as in the names of documented stacks; empty if these are not unique."""
    stacks = list(dict.fromkeys(stacks))
    last = {stack: stack if stack.startswith("max(") else stack.rsplit("+", 1)[-1] for stack in stacks}
    names_only = {stack: name if name == stack else name.split("(")[0] for stack, name in last.items()}
    for names in (names_only, last):
        if len(set(names.values())) == len(stacks):
            return names
    return {}


def _differences(texts: Iterable[str]) -> dict[str, str]:
    """Return texts such as ``name(a=1,b=2)`` without the parameters that are the same for all texts with this name."""
    found = {text: re.fullmatch(r"(\w+)\((.*)\)", text) for text in dict.fromkeys(texts) if text}
    shown = {}
    for text, match in found.items():
        if match is not None:
            alike = [other[2].split(",") for other in found.values() if other is not None and other[1] == match[1]]
            own = [part for part in match[2].split(",") if len(alike) == 1 or not all(part in parts for parts in alike)]
            shown[text] = f"{match[1]}({','.join(own)})"
    return shown


def with_revisions(
    found: Configurations, revisions: pd.Series, key: str = "revision"
) -> tuple[Configurations, dict[str, dict[str, str]]]:
    """Add the revision to the names of configurations with several revisions.

    Parameters
    ----------
    key : str
        What the revisions are, for the descriptions of the names.

    Returns
    -------
    configurations : Configurations
        Configurations in their order, with the revisions of each side by side.
    variants : dict
        For each configuration with several revisions: the names of its revisions, with the new name of each.
    """
    names, texts = list(found.labels.cat.categories), list(revisions.cat.categories)
    pairs = found.labels.cat.codes.to_numpy().astype(int) * len(texts) + revisions.cat.codes.to_numpy()
    distinct, codes = np.unique(pairs, return_inverse=True)
    present = [(names[pair // len(texts)], texts[pair % len(texts)]) for pair in distinct]
    counts = pd.Series([name for name, _ in present]).value_counts()
    labels: list[str] = []
    meanings: dict[str, str] = {}
    variants: dict[str, dict[str, str]] = {}
    for name, revision in present:
        label = name
        if counts[name] > 1:
            label = unused(f"{name} [{revision}]", {*meanings, *names})
            variants.setdefault(name, {})[revision] = label
        labels.append(label)
        meanings[label] = found.meanings[name] + (f" {key}={revision}" if counts[name] > 1 else "")
    categories = pd.Categorical.from_codes(codes, categories=pd.Index(labels))
    series = pd.Series(categories, index=found.labels.index)
    return Configurations(series, meanings, found.constants), variants


def renames(texts: Sequence[str], names: Sequence[str], variants: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return new names of configurations.

    Parameters
    ----------
    texts : sequence of str
        Texts ``NAME=NEW``. NAME is a configuration, or one with revisions: then all of them have the new name.
    names : sequence of str
        Names of all configurations.
    variants : mapping of str to mapping of str
        Revisions, as `with_revisions` returns them.

    Raises
    ------
    UserError
        If a configuration does not exist, or two would have the same name.
    """
    present = [*names, *variants]
    new = {name: name for name in present}
    for text in texts:
        splits = [(text[:place], text[place + 1 :]) for place, each in enumerate(text) if each == "="]
        name, chosen = next((each for each in splits if each[0] in present), splits[-1] if splits else (text, ""))
        if not chosen.strip():
            raise UserError(f"--rename: '{text}': expected NAME=NEW, as in 'astar octile=A*'")
        if name not in present:
            raise UserError(f"--rename: there is no configuration '{name}'{suggest(name, present)}")
        new[name] = chosen
        new |= {label: f"{chosen} [{revision}]" for revision, label in variants.get(name, {}).items()}
    for name, count in Counter(new[name] for name in names).items():
        if count > 1:
            raise UserError(f"--rename: {count} configurations would have the name '{name}'")
    return new


def unused(name: str, used: Iterable[str]) -> str:
    """Return a name, with a number added if the name is in use."""
    taken, number, result = set(used), 1, name
    while result in taken:
        number += 1
        result = f"{name} ({number})"
    return result
