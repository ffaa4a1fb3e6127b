"""Names in reports: configurations by what differs, revisions, plug-ins and instances."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

import numpy as np
import pandas as pd

from runner.base.columns import NAMES
from runner.base.errors import UserError, suggest
from runner.base.messages import plural
from runner.base.parameters import assignments
from runner.features.reports.columns import (
    CONFIGURATION,
    FOLDER,
    PATH,
    REVISION,
    Codes,
    categorical,
    differs,
    distinct,
    group_codes,
    group_text,
    is_text,
)
from runner.features.reports.origin import plugin_files

CHOICES = ("algorithm", "heuristic", "weighting", "parameters", "ties")
"""Columns in which configurations may differ. `heuristic` stands for the whole stack."""
NO_LABEL = "no label"


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
    found, codes = distinct(table, ("stack", *choices))
    found["stack"] = found["stack"].where(found["stack"] != "", found["heuristic"])
    found["is_plain"] = found["heuristic"] == found["stack"]
    identity = ["stack", *(name for name in choices if name != "heuristic")]
    groups = found.sort_values("is_plain", kind="stable").drop_duplicates(identity).sort_index()
    stacks = groups.drop_duplicates(["heuristic", "stack"])["heuristic"].value_counts()
    is_unique = groups["heuristic"].map(stacks) == 1  # else several stacks have this name
    shown = groups[list(choices)].assign(heuristic=groups["heuristic"].where(is_unique, groups["stack"]))
    varying = _varying(shown)
    shorten = {"heuristic": _last_heuristics, "weighting": _differences}
    short = {name: shorten[name](shown[name].tolist()) if name in shorten else {} for name in varying}
    meanings: dict[str, str] = {}
    for values, stack in zip(shown.itertuples(index=False), groups["stack"], strict=True):
        row = dict(zip(choices, map(str, values), strict=True))
        parts = [short[name].get(row[name], row[name]) for name in varying if row[name] not in ("", "none")]
        full = {**row, "stack": "" if stack == row["heuristic"] else str(stack)}
        meaning = assignments({name: full[name] for name in ("algorithm", "heuristic", *full) if full[name]}, " ")
        label = " ".join(parts) or (row["heuristic"] if "heuristic" in varying else row["algorithm"])
        meanings[meaning if label in meanings else label] = meaning
    constants = {str(name): str(shown[name].iloc[0]) for name in shown if shown[name].nunique() == 1}
    if groups["stack"].nunique() == 1 and groups["stack"].iloc[0] != constants["heuristic"]:
        constants["stack"] = str(groups["stack"].iloc[0])
    for name in ("world", "label"):
        texts = list(table[name].cat.add_categories("").fillna("").unique())
        if len(texts) == 1:
            constants[name] = str(texts[0])
    order = pd.MultiIndex.from_frame(groups[identity])
    places = order.get_indexer(pd.MultiIndex.from_frame(found[identity]))
    labels = pd.Series(categorical(places[codes], list(meanings)), index=table.index)
    return Configurations(labels, meanings, {name: text for name, text in constants.items() if text})


def _varying(groups: pd.DataFrame) -> list[str]:
    """Return the columns in which the rows differ. Columns that add no difference to the ones before are left out."""
    varying: list[str] = []
    groups_found = 1
    for name in map(str, groups):
        if (number := len(groups[[*varying, name]].drop_duplicates())) > groups_found:
            varying.append(name)
            groups_found = number
    return varying


def _last_heuristics(stacks: Iterable[str]) -> dict[str, str]:
    """Return the last heuristic of each stack, as in the names of documented stacks; empty if these are not unique."""
    stacks = list(dict.fromkeys(stacks))
    last = {stack: stack if stack.startswith("max(") else stack.rsplit("+", 1)[-1] for stack in stacks}
    names_only = {stack: name if name == stack else name.split("(")[0] for stack, name in last.items()}
    return next((names for names in (names_only, last) if len(set(names.values())) == len(stacks)), {})


def _differences(texts: Iterable[str]) -> dict[str, str]:
    """Return texts such as ``name(a=1,b=2)`` without the parameters that are the same for all texts with this name."""
    found = [match for text in dict.fromkeys(texts) if (match := re.fullmatch(r"(\w+)\((.*)\)", text))]
    shown = {}
    for match in found:
        alike = [other[2].split(",") for other in found if other[1] == match[1]]
        own = [part for part in match[2].split(",") if len(alike) == 1 or not all(part in parts for parts in alike)]
        shown[match[0]] = f"{match[1]}({','.join(own)})"
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
    numbers, codes = np.unique(pairs, return_inverse=True)
    present = [(names[pair // len(texts)], texts[pair % len(texts)]) for pair in numbers]
    counts = Counter(name for name, _ in present)
    meanings: dict[str, str] = {}
    variants: dict[str, dict[str, str]] = {}
    for name, revision in present:
        label, meaning = name, found.meanings[name]
        if counts[name] > 1:
            label, meaning = _unused(f"{name} [{revision}]", {*meanings, *names}), f"{meaning} {key}={revision}"
            variants.setdefault(name, {})[revision] = label
        meanings[label] = meaning
    labels = pd.Series(categorical(codes, list(meanings)), index=found.labels.index)
    return Configurations(labels, meanings, found.constants), variants


def _unused(name: str, taken: set[str]) -> str:
    number, result = 1, name
    while result in taken:
        number += 1
        result = f"{name} ({number})"
    return result


def renames(texts: Sequence[str], names: Sequence[str], variants: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return new names of configurations.

    Parameters
    ----------
    texts : sequence of str
        Texts ``NAME=NEW``. NAME is a configuration, or one with revisions: then all of them have the new name. Or it is
        a part of names, such as an algorithm or a heuristic: then it is replaced in all of them.
    names : sequence of str
        Names of all configurations.
    variants : mapping of str to mapping of str
        Revisions, as `with_revisions` returns them.
    """
    present = [*names, *variants]
    new = {name: name for name in present}
    for text in texts:
        splits = [(text[:place], text[place + 1 :]) for place, each in enumerate(text) if each == "="]
        whole = [each for each in splits if each[0] in present]
        known = whole or [each for each in splits if _has(each[0], new.values())]
        name, chosen = next(iter(known), splits[-1] if splits else (text, ""))
        if not chosen.strip():
            raise UserError(f"--rename: '{text}': expected NAME=NEW, as in 'astar octile=A*'")
        if not known:
            parts = dict.fromkeys(part for each in present for part in (each, *each.split()))
            raise UserError(f"--rename: there is no configuration '{name}'{suggest(name, parts)}")
        if name not in present:
            literal = chosen.replace("\\", r"\\")
            new = {old: _part(name).sub(literal, now) for old, now in new.items()}
            continue
        new[name] = chosen
        new |= {label: f"{chosen} [{revision}]" for revision, label in variants.get(name, {}).items()}
    for name, count in Counter(new[name] for name in names).items():
        if count > 1:
            raise UserError(f"--rename: {count} configurations would have the name '{name}'")
    return new


def _part(text: str) -> re.Pattern[str]:
    """Return a pattern for a text that is a part of a name: one or more words, or a name in a stack."""
    return re.compile(rf"(?<![^\s+(]){re.escape(text)}(?![^\s+()])")


def _has(part: str, names: Iterable[str]) -> bool:
    return bool(part.strip()) and any(_part(part).search(name) for name in names)


def folder_names(folders: Sequence[Path]) -> list[str]:
    """Return short names of folders: as many of the last parts of their paths as make the names unique."""
    return _tails([folder.resolve() for folder in folders])


def _tails(paths: Sequence[PurePath]) -> list[str]:
    length = 1
    while len({path.parts[-length:] for path in paths}) < len(set(paths)):
        length += 1
    return ["/".join(path.parts[-length:]).encode(errors="replace").decode() for path in paths]


def name_revisions(table: pd.DataFrame) -> pd.Series:
    """Return the revision of each row, as categories in the order of their first rows; "" if there is only one.

    The revision is the label, if labels differ. The given folder is added if several folders have the same search of
    the same instance with the same label.
    """
    labels, folders, parts = table["label"].cat.add_categories("").fillna(""), table[FOLDER], list[pd.Series]()
    if labels.nunique() > 1:
        parts.append(labels.cat.rename_categories({"": NO_LABEL}) if NO_LABEL not in labels.cat.categories else labels)
    if folders.nunique() > 1:
        searches = group_codes(table, ["label", "run_id"])
        places = pd.DataFrame({"search": searches, "folder": folders.cat.codes.to_numpy()}).drop_duplicates()
        parts += [folders] if places["search"].duplicated().any() else []
    if not parts:
        return pd.Series("", index=table.index, dtype="category")
    found, codes = distinct(pd.concat(parts, axis=1), [str(part.name) for part in parts])
    return pd.Series(categorical(codes, [*map(" ".join, found.to_numpy().tolist())]), index=table.index)


def plugin_codes(table: pd.DataFrame) -> Codes:
    """Return the number of the code of each row's plug-ins, which follows a ``+`` in the column `code`."""
    code = table["code"].cat
    plugins = pd.factorize(np.array([*(text.partition("+")[2] for text in code.categories), ""], object))[0]
    return plugins[code.codes.to_numpy()].astype(np.int64)


def name_plugins(
    table: pd.DataFrame, searches: Codes, configurations: pd.Series, folders: Sequence[Path], notes: list[str]
) -> pd.Series:
    """Return the plug-ins of each row, as categories; "" for configurations without several codes for a search.

    Parameters
    ----------
    searches : array of int
        Number of the search of each row.
    configurations : Series of categories
    folders : sequence of Path
        Folders of the rows, where the files of plug-ins are recorded.
    notes : list of str
        Receives a note if there are such configurations.
    """
    several = configurations[differs(plugin_codes(table), searches)].unique()
    if not len(several):
        return pd.Series("", index=table.index, dtype="category")
    notes.append(
        f"{', '.join(several)}: plug-ins with different code made the same searches (column `code`), so they are "
        "different configurations"
    )
    is_named = configurations.isin(several).to_numpy()
    code = table["code"].cat.add_categories("").fillna("").cat.remove_unused_categories()
    names = _names_of_codes(list(code[is_named].unique()), plugin_files(folders))
    texts = code.astype(str).map(names).where(is_named, "")
    return texts.astype(pd.CategoricalDtype(list(dict.fromkeys(texts))))


def _names_of_codes(codes: Sequence[str], files: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Name codes by the plug-ins in which they differ, or by the fingerprints of these."""
    sets = [set(files.get(code, ())) for code in codes]
    common = sets[0].intersection(*sets)
    own = {code: sorted(found - common) for code, found in zip(codes, sets, strict=True)}
    paths = sorted({file for found in own.values() for file in found})
    short = dict(zip(paths, _tails([PurePath(path) for path in paths]), strict=True))
    names = {code: "+".join(short[file] for file in found) for code, found in own.items()}
    fingerprints = {code: code.partition("+")[2] or "no plug-in" for code in codes}
    counts = Counter(name for name, _ in {(names[code], fingerprints[code]) for code in codes})
    return {
        code: name if name and counts[name] == 1 else f"{name} {fingerprints[code]}".strip()
        for code, name in names.items()
    }


def groups_of(instances: pd.Series) -> pd.Categorical[Any]:
    """Return the column `instance_group` for a column of names. It has no value for names without ``#``."""
    split = [str(name).partition("#") for name in instances.cat.categories]
    codes, groups = pd.factorize(np.array([group if mark else None for group, mark, _ in split], object))
    return categorical(np.array([*codes, -1], np.int32)[instances.cat.codes.to_numpy()], list(groups))


def name_instances(table: pd.DataFrame, seeds: Codes, notes: list[str]) -> pd.Series:
    """Return names of the instances that are unique within each configuration and seed, as categories.

    If there are several worlds, names begin with the world. If different instances have the same name, the columns in
    which they differ are added: settings of the world, the seed, other settings, or the folder. If they differ in none,
    a number is added, in the order of the rows.

    Parameters
    ----------
    table : DataFrame
        Rows of different searches, with their configurations.
    seeds : array of int
        Number of the seeds of each row's search.
    notes : list of str
        Receives a note if numbers were added.
    """
    texts, codes = distinct(table, ["world", "instance"])
    worlds = texts["world"].nunique()
    names = (texts["world"] + " " + texts["instance"] if worlds > 1 else texts["instance"]).to_numpy()[codes]
    of_worlds, settings = _settings(table)
    searches = group_codes(table.assign(name=codes), ["name", CONFIGURATION])
    differ = differs(seeds, searches) & differs(group_codes(table, of_worlds), searches)
    if differ.any():  # other worlds with other seeds are no replications
        rows = np.flatnonzero(np.isin(codes, codes[differ]))
        names[rows] += _endings(table.iloc[rows], codes[rows], searches[rows], of_worlds)
        codes = pd.factorize(names)[0].astype(np.int64)
    configurations = group_codes(table.assign(seeds=seeds), [CONFIGURATION, "seeds"])
    is_ambiguous = pd.DataFrame({"name": codes, "configuration": configurations}).duplicated(keep=False).to_numpy()
    if is_ambiguous.any():
        rows = np.flatnonzero(np.isin(codes, codes[is_ambiguous]))
        names[rows] += _endings(table.iloc[rows], codes[rows], configurations[rows], [*of_worlds, *settings])
        names = _numbered(names, configurations, notes)
    places, known = pd.factorize(names)
    return pd.Series(categorical(places, list(known)), index=table.index)


def _endings(rows: pd.DataFrame, names: Codes, configurations: Codes, columns: Sequence[str]) -> np.ndarray:
    """Return the additions to the names, such as `` [world.size=5]``; empty for instances that differ in no column."""
    searches = names * (int(configurations.max()) + 1) + configurations
    groups, chosen, searched = len(np.unique(searches)), list[str](), rows.assign(**{CONFIGURATION: searches})
    for column in columns:
        found = int(group_codes(searched, [CONFIGURATION, *chosen, column]).max()) + 1
        if found > groups:
            chosen.append(column)
            groups = found
        if groups == len(rows):
            break
    endings = np.full(len(rows), "", dtype=object)
    for column in chosen:
        values = pd.Series([group_text(value) for value in rows[column]])
        is_shown = (values.groupby(names).transform("nunique") > 1).to_numpy() & (values != "").to_numpy()
        separator = np.where(endings == "", "", " ")
        endings = np.where(is_shown, endings + separator + f"{column}=" + values.to_numpy(object), endings)
    return np.array([f" [{ending}]" if ending else "" for ending in endings], dtype=object)


def _settings(table: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Return the columns in which instances with the same name may differ, the best ones first: of worlds, others."""
    others = {*NAMES, CONFIGURATION, REVISION, FOLDER, PATH}
    swept = [name for name in map(str, table) if name not in others and is_text(table[name])]
    of_worlds = [name for name in swept if name.startswith("world.")]
    settings = [name for name in swept if "." in name and name not in of_worlds]
    choices = [name for name in swept if "." not in name]  # also metrics of other versions
    return [*of_worlds, "seed"], [*settings, FOLDER, PATH, *choices]


def _numbered(names: np.ndarray, configurations: np.ndarray, notes: list[str]) -> np.ndarray:
    """Add numbers to the names that are still not unique within a configuration."""
    keys = pd.DataFrame({"name": names, "configuration": configurations})
    if not keys.duplicated().any():
        return names
    groups = keys.groupby(["name", "configuration"], sort=False)["name"]
    counts, numbers = groups.transform("size").to_numpy(), groups.cumcount().to_numpy() + 1
    notes.append(
        "instances with the same name that differ in no recorded column are numbered in the order of their rows "
        f"({plural(keys[counts > 1]['name'].nunique(), 'name')})"
    )
    endings = [f" ({n} of {k})" if k > 1 else "" for n, k in zip(numbers, counts, strict=True)]
    numbered: np.ndarray = names + np.array(endings, dtype=object)
    return numbered
