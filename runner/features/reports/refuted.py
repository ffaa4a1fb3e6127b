"""Claims of rows that valid plans of other rows refute, in any folder of a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from runner.base import SOLVED, UNSOLVABLE
from runner.features.reports.columns import CONFIGURATION, categorical, group_codes
from runner.records import audit_command, finding, kind_of, refutation, refuting_plans


def problems_of(table: pd.DataFrame) -> pd.Series:
    """Return the number of the problem of each row.

    Rows without `content`, as of other programs, are of one problem if they agree in the settings of the world, the
    instance and the seed.
    """
    named = ["world", "instance", "seed", *(name for name in map(str, table) if name.startswith("world."))]
    content = table["content"].cat.codes.to_numpy()
    return pd.Series(np.where(content < 0, group_codes(table, named) + len(table), content), table.index)


def refute(table: pd.DataFrame) -> None:
    """Hold the rows of each problem against its cheapest valid plan: fill `refuted`, and remove refuted bounds.

    What a table says already remains.
    """
    status, cost, bound = table["status"].astype(str), table["cost"], table["bound"]
    is_plan = (status == SOLVED.name) & (table["valid"].astype(str) == "True") & cost.notna()
    problems, unsolvable = problems_of(table), status == UNSOLVABLE.name
    plans = refuting_plans(*(each.to_numpy() for each in (problems, cost, bound, unsolvable, is_plan)))
    refuted = table["refuted"].astype(object).to_numpy(copy=True)
    run_ids = table["run_id"].astype(str).to_numpy()
    for row in np.flatnonzero(plans >= 0):
        refuted[row] = refutation(str(status.iloc[row]), f"{bound.iloc[row]:g}", run_ids[plans[row]])
    codes, texts = pd.factorize(refuted)
    table["refuted"] = categorical(codes, list(texts))
    table["bound"] = bound.where(codes < 0)


def findings(table: pd.DataFrame, configurations: Callable[[], Sequence[Mapping[str, Any]]]) -> Iterator[str]:
    """Yield, for each configuration, which of its claims are wrong.

    Parameters
    ----------
    table : DataFrame
        Rows with their configurations.
    configurations : callable
        Returns the recorded configurations, which name the plug-ins of heuristics.
    """
    names = table[CONFIGURATION].astype(str)
    name_of = dict(zip(table["run_id"].astype(str), names, strict=True))
    refuted = table["refuted"].dropna().astype(str)
    for (name, kind), texts in refuted.groupby([names, refuted.map(kind_of)]):
        by = [name_of.get(text.partition(": ")[2], "another configuration") for text in texts]
        audit = audit_command(str(table["heuristic"][texts.index[0]]), configurations())
        count, total = (table["instance"][rows].nunique() for rows in (texts.index, table.index[names == name]))
        yield finding(str(name), str(kind), count, total, by, audit)
