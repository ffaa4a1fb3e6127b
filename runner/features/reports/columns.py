"""Columns of the rows of a report: their names; groups, numbers, seeds and conditions by their values.

Metrics are float64, all other columns categories of texts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from runner.base import UserError, suggest
from runner.records import cause_of

CONFIGURATION, REVISION, FOLDER, PATH, GROUP = "configuration", "revision", "folder", "path", "instance_group"
"""Columns that reports add. `folder` is the given folder of a row, `path` the place of its file in this folder.

`instance_group` is the part of the name of an instance before ``#``, such as the map of a problem `arena#17`.
"""
_WITH_PARAMETERS = ("parameters", "heuristic", "stack", "weighting")
"""Columns that have parameters, as ``a=1 seed=2`` or ``name(a=1,seed=2)``."""
_WITHOUT_SEEDS = ("label", "algorithm", "ties", *_WITH_PARAMETERS)
_VALUE = r"seed=[^ ,()]*"
_SEED = re.compile(rf"\({_VALUE}\)|(?<![^ ,(]){_VALUE}[ ,]|[ ,]{_VALUE}(?=\)|$)|^{_VALUE}$")

Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]


def categorical(codes: NDArray[np.integer[Any]], texts: Sequence[str]) -> pd.Categorical[Any]:
    """Return a column of texts, given the number of each row's text; -1 for a missing value."""
    return pd.Categorical.from_codes(codes, pd.Index(texts, dtype=str))


def is_text(column: pd.Series) -> bool:
    """Return whether a column has texts."""
    return isinstance(column.dtype, pd.CategoricalDtype)


def numbers_of(column: pd.Series) -> NDArray[np.float64]:
    """Return a column as numbers; NaN for other values."""
    if not is_text(column):
        return column.to_numpy(np.float64)
    texts = pd.Series([*column.cat.categories, ""], dtype=object)
    values = pd.to_numeric(texts, errors="coerce").to_numpy(np.float64)
    return np.asarray(values[column.cat.codes.to_numpy()])


def group_text(value: object) -> str:
    """Return a value of a column as text; "" for a missing value."""
    if isinstance(value, Real):
        return "" if math.isnan(value) else f"{float(value):.12g}"
    return value if isinstance(value, str) else ""


def group_codes(table: pd.DataFrame, columns: Sequence[str]) -> Codes:
    """Return the number of each row's group. Groups are numbered by their first rows; a missing value is a value."""
    codes = np.zeros(len(table), np.int64)
    for name in columns:
        column = table[name]
        values = column.cat.codes.to_numpy() if is_text(column) else pd.factorize(column)[0]
        codes = pd.factorize(codes * (int(values.max(initial=0)) + 2) + values + 1)[0]
    return codes


def distinct(table: pd.DataFrame, columns: Sequence[str]) -> tuple[pd.DataFrame, Codes]:
    """Return the groups of rows by some columns.

    Returns
    -------
    texts : DataFrame
        Values of the columns, one row for each group; "" for a missing value.
    codes : array of int
        For each row of the table, its row in `texts`.
    """
    codes = group_codes(table, columns)
    rows = table[list(columns)].iloc[np.unique(codes, return_index=True)[1]]
    return pd.DataFrame({name: [*map(group_text, rows[name])] for name in columns}, dtype="object"), codes


def telling(table: pd.DataFrame, columns: Iterable[str], given: Sequence[str] = ()) -> list[str]:
    """Return the first columns that tell rows apart beside given ones. Those that add no difference are left out."""
    found = list[str]()
    groups = int(group_codes(table, given).max()) + 1
    for column in columns:
        groups_with_column = int(group_codes(table, [*given, *found, column]).max()) + 1
        if groups_with_column > groups:
            found.append(column)
            groups = groups_with_column
        if groups == len(table):
            break
    return found


def differs(values: Codes, groups: Codes) -> Mask:
    """Return, for each row, whether the rows of its group have several values."""
    return (pd.Series(values).groupby(groups).transform("nunique") > 1).to_numpy()


def select(table: pd.DataFrame, conditions: Sequence[str]) -> Mask:
    """Return, for each row, whether it meets all conditions.

    Parameters
    ----------
    conditions : sequence of str
        Texts such as ``algorithm=astar,idastar``: the column has one of the values.
    """
    chosen = np.ones(len(table), dtype=bool)
    for condition in conditions:
        name, mark, text = condition.partition("=")
        if not mark:
            raise UserError(f"--where: '{condition}': expected COLUMN=VALUE,...")
        if name not in table:
            raise UserError(f"--where: '{name}' is not a column{suggest(name, map(str, table))}")
        codes, found = pd.factorize(table[name], use_na_sentinel=False)
        values = [group_text(value) for value in found]
        wanted = text.split(",") if text not in values else [text]
        for value in wanted:
            if value not in values:
                raise UserError(f"--where: no row has {name}={value}{suggest(value, values)}")
        chosen &= np.isin(np.array(values, dtype=object), wanted)[codes]
    if not chosen.any():
        raise UserError(f"--where: no row meets all of {' '.join(conditions)}")
    return chosen


def by_cause(messages: pd.Series, most: int) -> list[tuple[str, int]]:
    """Return the first message of the most common causes, and the number of its rows."""
    given = messages.dropna().astype(str)
    found = given.groupby(given.map(cause_of), sort=False).agg(["first", "size"])
    common = found.sort_values("size", ascending=False, kind="stable").head(most)
    return list(zip(common["first"], common["size"].tolist(), strict=True))


def without_seeds(table: pd.DataFrame) -> tuple[pd.DataFrame, Codes]:
    """Return the rows without the seeds in which rows of the same configuration differ, and the number of each seed.

    A seed is a parameter `seed` of the algorithm, a heuristic or the weighting; rows that differ only in it are
    replications of one configuration. The seed of a world makes other instances.
    A seed that is the same in all rows of a configuration stays a parameter.
    """
    bare = table.assign(**{name: _mapped(table[name], partial(_SEED.sub, "")) for name in _WITH_PARAMETERS})
    seeds = group_codes(
        pd.DataFrame({name: _mapped(table[name], _seeds_in) for name in _WITH_PARAMETERS}), _WITH_PARAMETERS
    )
    is_replicated = differs(seeds, group_codes(bare, _WITHOUT_SEEDS))
    if is_replicated.any():
        table = table.assign(**{name: _either(is_replicated, bare[name], table[name]) for name in _WITH_PARAMETERS})
    return table, seeds


def _seeds_in(text: str) -> str:
    return " ".join(found[0].strip(" ,()") for found in _SEED.finditer(text))


def _mapped(column: pd.Series, change: Callable[[str], str]) -> pd.Series:
    """Return a column of texts with each of them changed; an empty one becomes a missing value."""
    texts = [change(str(text)) or None for text in column.cat.categories]
    codes, known = pd.factorize(np.array([*texts, None], object))
    return pd.Series(categorical(codes[column.cat.codes.to_numpy()], list(known)), index=column.index)


def _either(condition: Mask, column: pd.Series, others: pd.Series) -> pd.Series:
    """Return the texts of a column where a condition holds, and of another one elsewhere."""
    return column.astype(object).where(condition, others.astype(object)).astype("category")
