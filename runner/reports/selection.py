"""Selection of rows by the values of columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from runner.base.errors import UserError, suggest
from runner.reports.grouping import group_text


def select(table: pd.DataFrame, conditions: Sequence[str]) -> NDArray[np.bool_]:
    """Return, for each row, whether it meets all conditions.

    Parameters
    ----------
    conditions : sequence of str
        Texts such as ``algorithm=astar,idastar``: the column has one of the values.

    Raises
    ------
    UserError
        If a condition has another form, a column or a value does not exist, or no row meets all conditions.
    """
    chosen = np.ones(len(table), dtype=bool)
    for condition in conditions:
        name, mark, text = condition.partition("=")
        if not mark:
            raise UserError(f"--where: '{condition}': expected COLUMN=VALUE,...")
        if name not in table:
            raise UserError(f"--where: '{name}' is not a column{suggest(name, [str(each) for each in table])}")
        values, codes = _texts(table[name])
        wanted = text.split(",") if text not in values else [text]
        for value in wanted:
            if value not in values:
                raise UserError(f"--where: no row has {name}={value}{suggest(value, values)}")
        chosen &= np.isin(np.array(values, dtype=object), wanted)[codes]
    if not chosen.any():
        raise UserError(f"--where: no row meets all of {' '.join(conditions)}")
    return chosen


def _texts(column: pd.Series) -> tuple[list[str], NDArray[np.int64]]:
    """Return the different values of a column as texts, and the place of each row's value among them."""
    codes, values = pd.factorize(column, use_na_sentinel=False)
    return [group_text(value) for value in values], codes.astype(np.int64)
