"""Groups of rows with the same values in some columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Codes = NDArray[np.int64]


def group_codes(table: pd.DataFrame, columns: Sequence[str]) -> Codes:
    """Return the number of each row's group. Groups are numbered by their first rows; a missing value is a value."""
    codes = np.zeros(len(table), np.int64)
    for name in columns:
        column = table[name]
        is_text = isinstance(column.dtype, pd.CategoricalDtype)
        values = column.cat.codes.to_numpy() if is_text else pd.factorize(column)[0]
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
    return pd.DataFrame({name: _texts(rows[name]) for name in columns}, dtype="object"), codes


def _texts(column: pd.Series) -> NDArray[np.object_]:
    """Return `group_text` of all values."""
    if not isinstance(column.dtype, pd.CategoricalDtype):
        return np.array([group_text(value) for value in column], dtype="object")
    texts = np.array([*map(group_text, column.cat.categories.tolist()), ""], dtype="object")
    chosen: NDArray[np.object_] = texts[column.cat.codes.to_numpy()]
    return chosen


def group_text(value: object) -> str:
    """Return a value of a column as text; "" for a missing value."""
    if isinstance(value, Real):
        return "" if math.isnan(value) else f"{float(value):.12g}"
    return value if isinstance(value, str) else ""
