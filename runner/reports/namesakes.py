"""Unique names for different instances with the same name."""

from __future__ import annotations

import numpy as np
import pandas as pd

from runner.base.columns import NAMES
from runner.base.messages import plural
from runner.reports.grouping import Codes, distinct, group_codes, group_text
from runner.reports.reading import CONFIGURATION, FOLDER, PATH, REVISION


def unique_names(table: pd.DataFrame, notes: list[str]) -> pd.Series:
    """Return names of the instances that are unique within each configuration, as categories.

    If there are several worlds, names begin with the world. If different instances have the same name, the columns in
    which they differ are added: settings of the world, the seed, other settings, or the folder. If they differ in none,
    a number is added, in the order of the rows.

    Parameters
    ----------
    table : DataFrame
        Rows of different searches, with their configurations.
    notes : list of str
        Receives a note if numbers were added.
    """
    texts, codes = distinct(table, ["world", "instance"])
    worlds = texts["world"].nunique()
    names = (texts["world"] + " " + texts["instance"] if worlds > 1 else texts["instance"]).to_numpy()[codes]
    configurations = table[CONFIGURATION].cat.codes.to_numpy()
    is_ambiguous = pd.DataFrame({"name": codes, "configuration": configurations}).duplicated(keep=False).to_numpy()
    if is_ambiguous.any():
        rows = np.flatnonzero(np.isin(codes, codes[is_ambiguous]))
        names[rows] += _endings(table.iloc[rows], codes[rows])
        names = _numbered(names, configurations, notes)
    places, known = pd.factorize(names)
    return pd.Series(pd.Categorical.from_codes(places, pd.Index(known)), index=table.index)


def _endings(rows: pd.DataFrame, names: Codes) -> np.ndarray:
    """Return the additions to the names, such as `` [world.size=5]``; empty for instances that differ in no column."""
    searches = names * (int(rows[CONFIGURATION].cat.codes.max()) + 1) + rows[CONFIGURATION].cat.codes.to_numpy()
    groups, chosen, searched = len(np.unique(searches)), list[str](), rows.assign(**{CONFIGURATION: searches})
    for column in _candidates(rows):
        found = int(group_codes(searched, [CONFIGURATION, *chosen, column]).max()) + 1
        if found > groups:
            chosen.append(column)
            groups = found
        if groups == len(rows):
            break
    endings = pd.Series([""] * len(rows), dtype="object").to_numpy()
    for column in chosen:
        values = pd.Series([group_text(value) for value in rows[column]])
        differs = (values.groupby(names).transform("nunique") > 1).to_numpy() & (values != "").to_numpy()
        separator = np.where(endings == "", "", " ")
        endings = np.where(differs, endings + separator + f"{column}=" + values.to_numpy(), endings)
    return np.array([f" [{ending}]" if ending else "" for ending in endings], dtype="object")


def _candidates(rows: pd.DataFrame) -> list[str]:
    """Return the columns in which instances with the same name may differ, the best ones first."""
    others = {*NAMES, CONFIGURATION, REVISION, FOLDER, PATH}
    swept = [str(name) for name in rows if name not in others and isinstance(rows[name].dtype, pd.CategoricalDtype)]
    of_worlds = [name for name in swept if name.startswith("world.")]
    settings = [name for name in swept if "." in name and name not in of_worlds]
    choices = [name for name in swept if "." not in name]  # also metrics of other versions
    return [*of_worlds, "seed", *settings, FOLDER, PATH, *choices]


def _numbered(names: np.ndarray, configurations: np.ndarray, notes: list[str]) -> np.ndarray:
    """Add numbers to the names that are still not unique within a configuration."""
    keys = pd.DataFrame({"name": names, "configuration": configurations})
    if not keys.duplicated().any():
        return names
    groups = keys.groupby(["name", "configuration"], sort=False)["name"]
    counts, numbers = groups.transform("size").to_numpy(), groups.cumcount().to_numpy() + 1
    is_numbered = counts > 1
    notes.append(
        "instances with the same name that differ in no recorded column are numbered in the order of their rows "
        f"({plural(keys[is_numbered]['name'].nunique(), 'name')})"
    )
    endings = [f" ({n} of {k})" if k > 1 else "" for n, k in zip(numbers, counts, strict=True)]
    numbered: np.ndarray = names + np.array(endings, dtype="object")
    return numbered
