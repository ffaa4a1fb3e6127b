"""Seeds of searches: rows that differ only in them are replications of one configuration.

A seed is a parameter `seed` of the algorithm, a heuristic or the weighting. The seed of a world makes other instances.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd

from runner.features.reports.columns import Codes, Mask, categorical, differs, group_codes

_COLUMNS = ("parameters", "heuristic", "stack", "weighting")
"""Columns that have parameters, as ``a=1 seed=2`` or ``name(a=1,seed=2)``."""
_IDENTITY = ("label", "algorithm", "ties", *_COLUMNS)
_VALUE = r"seed=[^ ,()]*"
_SEED = re.compile(rf"\({_VALUE}\)|(?<![^ ,(]){_VALUE}[ ,]|[ ,]{_VALUE}(?=\)|$)|^{_VALUE}$")


def without_seeds(table: pd.DataFrame) -> tuple[pd.DataFrame, Codes]:
    """Return the rows without the seeds in which rows of the same configuration differ, and the number of each seed.

    A seed that is the same in all rows of a configuration stays a parameter.
    """
    bare = table.assign(**{name: _mapped(table[name], partial(_SEED.sub, "")) for name in _COLUMNS})
    seeds = group_codes(pd.DataFrame({name: _mapped(table[name], _seeds_in) for name in _COLUMNS}), _COLUMNS)
    is_replicated = differs(seeds, group_codes(bare, _IDENTITY))
    if is_replicated.any():
        table = table.assign(**{name: _chosen(is_replicated, bare[name], table[name]) for name in _COLUMNS})
    return table, seeds


def _seeds_in(text: str) -> str:
    return " ".join(found[0].strip(" ,()") for found in _SEED.finditer(text))


def _mapped(column: pd.Series, change: Callable[[str], str]) -> pd.Series:
    """Return a column of texts with each of them changed; an empty one becomes a missing value."""
    texts = [change(str(text)) or None for text in column.cat.categories]
    codes, known = pd.factorize(np.array([*texts, None], object))
    return pd.Series(categorical(codes[column.cat.codes.to_numpy()], list(known)), index=column.index)


def _chosen(condition: Mask, column: pd.Series, others: pd.Series) -> pd.Series:
    """Return the texts of a column where a condition holds, and of another one elsewhere."""
    return column.astype(object).where(condition, others.astype(object)).astype("category")
