"""Quality of the solutions of anytime searches over time, from plans.jsonl."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from runner.base import UserError, files_below, read_lines
from runner.features.reports.columns import CONFIGURATION
from runner.features.reports.runs import Runs
from runner.features.reports.statistics import Numbers
from runner.records import CORRUPT, RecordBound, RecordFile, decode_plan

Curve = tuple[Numbers, Numbers]


def curves(runs: Runs, folders: Sequence[Path]) -> dict[str, Curve]:
    """Return the mean quality of solutions over time, for each configuration with anytime searches.

    The quality is the cost of the best known solution divided by the cost of the incumbent, or 0 without an incumbent.
    The satisficing track of the International Planning Competition has used this measure since 2008.

    Returns
    -------
    dict of (array, array)
        For each configuration: times in seconds, in ascending order, and the mean quality from each time on.
    """
    improvements = sorted(_improvements(folders, runs.notes), key=lambda improvement: improvement[1])
    if not improvements:
        return {}
    table = runs.table[runs.table["cost"].notna()]
    best = table.groupby("instance", observed=True)["cost"].min()
    searches = pd.Index({run_id for run_id, _, _ in improvements})
    rows = table[table["run_id"].isin(searches)].drop_duplicates("run_id").set_index("run_id")
    best_costs = rows["instance"].map(best).astype(float).to_dict()
    names = rows[CONFIGURATION].to_dict()
    gains: dict[str, list[tuple[float, float]]] = {}
    reached: dict[str, float] = {}
    for run_id, seconds, cost in improvements:
        if run_id in best_costs and cost > 0:
            now = best_costs[run_id] / cost
            gains.setdefault(str(names[run_id]), []).append((seconds, now - reached.get(run_id, 0.0)))
            reached[run_id] = now
    counts = runs.table.drop_duplicates("run_id")[CONFIGURATION].value_counts()
    made: dict[str, Curve] = {}
    end = max((steps[-1][0] for steps in gains.values()), default=0.0)
    for name in (name for name in runs.configurations if name in gains):
        times, differences = np.array([*gains[name], (end, 0.0)]).T
        made[name] = times, differences.cumsum() / counts[name]
    return made


def _improvements(folders: Sequence[Path], notes: list[str]) -> Iterator[tuple[str, float, float]]:
    """Yield run_id, seconds and cost of every better solution. If a search was repeated, only its last run counts."""
    for file in (file for folder in folders for file in files_below(folder, RecordFile.PLANS)):
        found: dict[str, list[tuple[float, float]]] = {}
        try:
            for line in read_lines(file, RecordBound.PLAN):
                if b'"seconds":' in line:
                    _add(line, found)
        except UserError as error:
            notes.append(str(error))
        yield from ((run_id, *each) for run_id, steps in found.items() for each in steps)


def _add(line: bytes, found: dict[str, list[tuple[float, float]]]) -> None:
    try:
        step = decode_plan(line)
    except CORRUPT:
        return  # incomplete after a crash
    if step.seconds is None:
        return
    before = found.setdefault(step.run_id, [])
    if before and step.seconds < before[-1][0]:  # the search was repeated
        before.clear()
    before.append((step.seconds, step.cost))
