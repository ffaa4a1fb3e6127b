"""Groups of rows that have the same values in some columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Codes = NDArray[np.int64]


def group_codes(table: pd.DataFrame, columns: Sequence[str]) -> Codes:
    """Return the number of each row's group, in the order of their first rows; a missing value is a value."""
    codes = np.zeros(len(table), np.int64)
    for name in columns:
        column = table[name]
        own = column.cat.codes.to_numpy() if isinstance(column.dtype, pd.CategoricalDtype) else pd.factorize(column)[0]
        codes = pd.factorize(codes * (int(own.max(initial=0)) + 2) + own + 1)[0]
    return codes


def distinct(table: pd.DataFrame, columns: Sequence[str]) -> tuple[pd.DataFrame, Codes]:
    """Return the texts of some columns, each combination once, and the place in this of each row; "" is missing."""
    codes = group_codes(table, columns)
    rows = table[list(columns)].iloc[np.unique(codes, return_index=True)[1]]
    texts = {name: [text_of(value) for value in rows[name]] for name in columns}
    return pd.DataFrame(texts, dtype="object"), codes


def text_of(value: object) -> str:
    """Return the value of a column as a text."""
    if isinstance(value, str):
        return value
    return "" if pd.isna(value) else f"{value:.12g}"  # type: ignore[call-overload]
