"""Penalised values of searches at their limits (PAR): a row without success counts as a multiple of its limit."""

from __future__ import annotations

import numpy as np
import pandas as pd

from runner.features.reports.runs import Runs
from runner.features.reports.statistics import Numbers

LIMITED = {"time": "search_seconds", "cpu": "cpu_seconds", "nodes": "expanded"}
"""Limits, with the metric that each bounds."""
PENALTIES = (2, 10)


def penalised(runs: Runs, limit: str, penalty: float) -> Numbers:
    """Return, for each row, the value of a metric, or a multiple of the limit if the row is no success.

    NaN if such a row has no limit of this kind, and if a limit ended a search that had a plan.

    Parameters
    ----------
    limit : {"time", "cpu", "nodes"}
        Limit whose metric is penalised; see `LIMITED`.
    """
    values = np.where(runs.is_limited, np.nan, runs.table[LIMITED[limit]].to_numpy())
    return np.where(runs.is_success, values, penalty * limits_of(runs, limit))


def limits_of(runs: Runs, limit: str) -> Numbers:
    """Return a limit of each row; NaN for none."""
    column = runs.table["limits"].cat
    found = [text.partition(f"{limit}=")[2].partition(" ")[0] for text in column.categories.astype(str)]
    values = pd.to_numeric(pd.Series([*found, ""], dtype=object), errors="coerce").to_numpy(np.float64)
    return np.asarray(values[column.codes.to_numpy()])
