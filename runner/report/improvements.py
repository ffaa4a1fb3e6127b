"""Better and better solutions of anytime searches, from the plans of the runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from runner.records.writer import PLANS
from runner.report.figures import Figure, quality
from runner.report.runs import CONFIGURATION, Runs
from worlds.files import natural_order

Curve = tuple[NDArray[np.float64], NDArray[np.float64]]


def quality_over_time(runs: Runs, folders: Sequence[Path]) -> Figure | None:
    """The chart of `curves`; None without anytime searches."""
    found = curves(runs, folders)
    return quality(found, runs.configurations) if found else None


def curves(runs: Runs, folders: Sequence[Path]) -> dict[str, Curve]:
    """Of each anytime configuration: seconds, and the mean quality of its solutions from then on.

    The quality is the cost of the best known solution over that of the one in hand, and 0 without one, as in the
    satisficing track of the International Planning Competition (2008 and later).
    """
    table = runs.table[runs.table["cost"].notna()]
    best = table.groupby("instance", observed=True)["cost"].min()
    rows = table.drop_duplicates("run_id").set_index("run_id")
    goals = {run_id: best[instance] for run_id, instance in rows["instance"].items()}
    names = rows[CONFIGURATION].to_dict()
    gains: dict[str, list[tuple[float, float]]] = {}
    reached: dict[str, float] = {}
    for run_id, seconds, cost in sorted(_improvements(folders), key=lambda improvement: improvement[1]):
        if run_id in goals and cost > 0:
            now = float(goals[run_id]) / cost
            gains.setdefault(str(names[run_id]), []).append((seconds, now - reached.get(run_id, 0.0)))
            reached[run_id] = now
    counts = runs.table.drop_duplicates("run_id")[CONFIGURATION].value_counts()
    made: dict[str, Curve] = {}
    end = max((steps[-1][0] for steps in gains.values()), default=0.0)
    for name in (name for name in runs.configurations if name in gains):
        times, differences = np.array([*gains[name], (end, 0.0)]).T
        made[name] = times, differences.cumsum() / counts[name]
    return made


def _improvements(folders: Sequence[Path]) -> Iterator[tuple[str, float, float]]:
    """run_id, seconds and cost of every line that was written on the way of a search; of several tries the last."""
    for folder in folders:
        files = [file for file in folder.rglob(PLANS) if file.is_file()] if folder.is_dir() else []
        for file in sorted(files, key=natural_order):
            found: dict[str, list[tuple[float, float]]] = {}
            with open(file, encoding="utf-8", errors="replace") as lines:
                for line in lines:
                    if '"seconds":' in line:
                        try:
                            plan = json.loads(line)
                            run_id, seconds, cost = str(plan["run_id"]), float(plan["seconds"]), float(plan["cost"])
                        except (ValueError, KeyError, TypeError, RecursionError):
                            continue  # torn by a crash
                        before = found.setdefault(run_id, [])
                        if before and seconds < before[-1][0]:  # the search began anew, because it was cut off
                            before.clear()
                        before.append((seconds, cost))
            yield from ((run_id, *each) for run_id, steps in found.items() for each in steps)
