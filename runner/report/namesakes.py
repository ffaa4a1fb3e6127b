"""Instances that have the name of another one, but other content, under names that tell them apart."""

from __future__ import annotations

import numpy as np
import pandas as pd

from runner.columns import NAMES
from runner.report.grouping import Codes, distinct, group_codes, text_of
from runner.report.reading import CONFIGURATION, FOLDER, PATH, REVISION


def tell_apart(table: pd.DataFrame, notes: list[str]) -> pd.Series:
    """Return the names of the instances, as categories: no two rows of a configuration have the same.

    Names begin with the world if there are several. Where different instances have one name, it ends in what tells
    them apart: settings of the world; the seed; other settings; the folder; at last a number, in the order of the
    rows.

    Parameters
    ----------
    table : DataFrame
        Rows of different searches, with their configurations.
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
    """Return what tells namesakes apart, such as `` [world.size=5]``; empty where nothing is known."""
    searches = names * (int(rows[CONFIGURATION].cat.codes.max()) + 1) + rows[CONFIGURATION].cat.codes.to_numpy()
    told_apart, chosen, apart = len(np.unique(searches)), list[str](), rows.assign(**{CONFIGURATION: searches})
    for column in _candidates(rows):
        found = int(group_codes(apart, [CONFIGURATION, *chosen, column]).max()) + 1
        if found > told_apart:
            chosen.append(column)
            told_apart = found
        if told_apart == len(rows):
            break
    endings = pd.Series([""] * len(rows), dtype="object").to_numpy()
    for column in chosen:
        values = pd.Series([text_of(value) for value in rows[column]])
        differs = (values.groupby(names).transform("nunique") > 1).to_numpy() & (values != "").to_numpy()
        separator = np.where(endings == "", "", " ")
        endings = np.where(differs, endings + separator + f"{column}=" + values.to_numpy(), endings)
    return np.array([f" [{ending}]" if ending else "" for ending in endings], dtype="object")


def _candidates(rows: pd.DataFrame) -> list[str]:
    """Return the columns that may tell namesakes apart, the best ones first."""
    own = {*NAMES, CONFIGURATION, REVISION, FOLDER, PATH}
    swept = [str(name) for name in rows if name not in own and isinstance(rows[name].dtype, pd.CategoricalDtype)]
    of_worlds = [name for name in swept if name.startswith("world.")]
    settings = [name for name in swept if "." in name and name not in of_worlds]
    others = [name for name in swept if "." not in name]  # a choice, or what an older version has measured
    return [*of_worlds, "seed", *settings, FOLDER, PATH, *others]


def _numbered(names: np.ndarray, configurations: np.ndarray, notes: list[str]) -> np.ndarray:
    """Number rows that still have the same name under one configuration."""
    keys = pd.DataFrame({"name": names, "configuration": configurations})
    if not keys.duplicated().any():
        return names
    groups = keys.groupby(["name", "configuration"], sort=False)["name"]
    counts, numbers = groups.transform("size").to_numpy(), groups.cumcount().to_numpy() + 1
    is_numbered = counts > 1
    notes.append(
        f"{keys[is_numbered]['name'].nunique():,} names stand for several instances each, and nothing recorded tells "
        "these apart: they are numbered in the order of their rows"
    )
    endings = [f" ({n} of {k})" if k > 1 else "" for n, k in zip(numbers, counts, strict=True)]
    numbered: np.ndarray = names + np.array(endings, dtype="object")
    return numbered
