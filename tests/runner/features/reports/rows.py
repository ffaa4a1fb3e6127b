"""Write tables of rows and declarations, as runs write them."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from runner.base.columns import Declared
from runner.base.metric import Metric
from runner.base.result import NAMES
from runner.base.status import Status
from runner.records.row import write_declared

GAMES = (
    Status("won", is_answer=True, is_success=True),
    Status("left", is_answer=True),
    Status("lost", is_answer=True),
)


def row(instance: str, heuristic: object = "none", **values: object) -> dict[str, object]:
    """Return a row, by default of a solved instance."""
    default = {
        "run_id": f"{instance}/{heuristic}/{values.get('algorithm', 'astar')}",
        "world": "w/static",
        "instance": instance,
        "algorithm": "astar",
        "heuristic": heuristic,
        "stack": heuristic,
        "status": "solved",
        "valid": True,
        "ties": "low_h",
    }
    return {**default, **values}


def write(file: Path, rows: Sequence[dict[str, object]], columns: Sequence[str] = NAMES) -> Path:
    """Write a table with the given columns, and all other columns of its rows."""
    file.parent.mkdir(parents=True, exist_ok=True)
    others = dict.fromkeys(name for each in rows for name in each if name not in NAMES)
    with open(file, "w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, [*columns, *others], restval="", lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return file


def declare(folder: Path, metrics: Sequence[Metric] = (), statuses: Sequence[Status] = GAMES) -> None:
    """Write columns.json with metrics and statuses."""
    folder.mkdir(parents=True, exist_ok=True)
    write_declared(folder, Declared.of(metrics, statuses))
