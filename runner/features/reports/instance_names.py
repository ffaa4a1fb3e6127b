"""Names of instances: unique within a configuration and seed, by the columns in which namesakes differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from runner.base import NAMES, plural
from runner.features.reports.columns import (
    CONFIGURATION,
    FOLDER,
    GROUP,
    PATH,
    REVISION,
    Codes,
    Mask,
    categorical,
    differs,
    distinct,
    group_codes,
    group_text,
    is_text,
    telling,
)


def groups_of(table: pd.DataFrame) -> pd.Categorical[Any]:
    """Return the column `instance_group`: what a row has, else its name up to ``#``; no value without either."""
    parts = [str(name).partition("#") for name in table["instance"].cat.categories]
    groups = [group if mark else None for group, mark, _ in parts] + [None]  # the last one is of missing values
    found = np.array(groups, object)[table["instance"].cat.codes.to_numpy()]
    if GROUP in table:
        given = table[GROUP].to_numpy(object)
        found = np.where(table[GROUP].notna(), given, found)
    numbers, texts = pd.factorize(found)
    return categorical(numbers.astype(np.int32), list(texts))


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
    has_worlds = texts["world"].nunique() > 1
    names = (texts["world"] + " " + texts["instance"] if has_worlds else texts["instance"]).to_numpy()[codes]
    world_columns, other_columns = _distinguishing_columns(table)
    searches = group_codes(table.assign(name=codes), ["name", CONFIGURATION])
    # other worlds with other seeds are no replications
    is_ambiguous = differs(seeds, searches) & differs(group_codes(table, world_columns), searches)
    if is_ambiguous.any():
        rows = _namesakes(codes, is_ambiguous)
        names[rows] += _endings(table.iloc[rows], codes[rows], searches[rows], world_columns)
        codes = pd.factorize(names)[0].astype(np.int64)
    configurations = group_codes(table.assign(seeds=seeds), [CONFIGURATION, "seeds"])
    is_ambiguous = pd.DataFrame({"name": codes, "configuration": configurations}).duplicated(keep=False).to_numpy()
    if is_ambiguous.any():
        rows = _namesakes(codes, is_ambiguous)
        columns = [*world_columns, *other_columns]
        names[rows] += _endings(table.iloc[rows], codes[rows], configurations[rows], columns)
        names = _numbered(names, configurations, notes)
    name_codes, unique_names = pd.factorize(names)
    return pd.Series(categorical(name_codes, list(unique_names)), index=table.index)


def _namesakes(names: Codes, is_ambiguous: Mask) -> Codes:
    """Return the rows whose name is ambiguous in some row."""
    return np.flatnonzero(np.isin(names, names[is_ambiguous]))


def _distinguishing_columns(table: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Return the columns in which instances with the same name may differ, the best ones first: of worlds, others."""
    excluded = {*NAMES, CONFIGURATION, REVISION, FOLDER, PATH}
    swept = [name for name in map(str, table) if name not in excluded and is_text(table[name])]
    of_worlds = [name for name in swept if name.startswith("world.")]
    settings = [name for name in swept if "." in name and name not in of_worlds]
    choices = [name for name in swept if "." not in name]  # also metrics of other versions
    return [*of_worlds, "seed"], [*settings, FOLDER, PATH, *choices]


def _endings(rows: pd.DataFrame, names: Codes, configurations: Codes, columns: Sequence[str]) -> np.ndarray:
    """Return the additions to the names, such as `` [world.size=5]``; empty for instances that differ in no column."""
    searches = names * (int(configurations.max()) + 1) + configurations
    endings = np.full(len(rows), "", dtype=object)
    for column in telling(rows.assign(**{CONFIGURATION: searches}), columns, [CONFIGURATION]):
        values = pd.Series([group_text(value) for value in rows[column]])
        differs_in_name = (values.groupby(names).transform("nunique") > 1).to_numpy()
        is_shown = differs_in_name & (values != "").to_numpy()
        separators = np.where(endings == "", "", " ")
        endings = np.where(is_shown, endings + separators + f"{column}=" + values.to_numpy(object), endings)
    return np.array([f" [{ending}]" if ending else "" for ending in endings], dtype=object)


def _numbered(names: np.ndarray, configurations: Codes, notes: list[str]) -> np.ndarray:
    """Add numbers to the names that are still not unique within a configuration."""
    keys = pd.DataFrame({"name": names, "configuration": configurations})
    if not keys.duplicated().any():
        return names
    groups = keys.groupby(["name", "configuration"], sort=False)["name"]
    counts = groups.transform("size").to_numpy()
    numbers = groups.cumcount().to_numpy() + 1
    notes.append(
        "instances with the same name that differ in no recorded column are numbered in the order of their rows "
        f"({plural(keys[counts > 1]['name'].nunique(), 'name')})"
    )
    endings = [f" ({n} of {count})" if count > 1 else "" for n, count in zip(numbers, counts, strict=True)]
    numbered: np.ndarray = names + np.array(endings, dtype=object)
    return numbered
