"""Seeds of searches: rows that differ only in them are replications of one configuration.

A seed is a parameter `seed` of the algorithm, a heuristic or the weighting. The seed of a world makes other instances.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from runner.reports.columns import Codes, Mask, categorical, differs, group_codes

_COLUMNS = ("parameters", "heuristic", "stack", "weighting")
"""Columns that have parameters, as ``a=1 seed=2`` or ``name(a=1,seed=2)``."""
_IDENTITY = ("label", "algorithm", "ties", *_COLUMNS)
_VALUE = r"seed=[^ ,()]*"
_SEED = re.compile(rf"\({_VALUE}\)|(?<![^ ,(]){_VALUE}[ ,]|[ ,]{_VALUE}(?=\)|$)|^{_VALUE}$")


def without_seeds(table: pd.DataFrame) -> tuple[pd.DataFrame, Codes]:
    """Return the rows without the seeds in which rows of the same configuration differ, and the number of each seed.

    A seed that is the same in all rows of a configuration stays a parameter.
    """
    bare = table.assign(**{name: _without(table[name]) for name in _COLUMNS})
    seeds = group_codes(table, _COLUMNS)
    is_replicated = differs(seeds, group_codes(bare, _IDENTITY))
    if is_replicated.any():
        table = table.assign(**{name: _chosen(is_replicated, bare[name], table[name]) for name in _COLUMNS})
    return table, seeds


def _without(column: pd.Series) -> pd.Series:
    """Return a column of texts without seeds; a text of nothing else becomes a missing value."""
    texts = [_SEED.sub("", str(text)) or None for text in column.cat.categories]
    codes, known = pd.factorize(np.array([*texts, None], object))
    return pd.Series(categorical(codes[column.cat.codes.to_numpy()], list(known)), index=column.index)


def _chosen(condition: Mask, column: pd.Series, others: pd.Series) -> pd.Series:
    """Return the texts of a column where a condition holds, and of another one elsewhere."""
    return column.astype(object).where(condition, others.astype(object)).astype("category")
