"""Files of rows, made by hand."""

from __future__ import annotations

import csv
from pathlib import Path

from runner.records.result import COLUMNS


def row(instance: str, heuristic: str = "none", **values: object) -> dict[str, object]:
    """A row of a solved instance, unless stated otherwise."""
    base = {
        "run_id": f"{instance}/{heuristic}/{values.get('algorithm', 'astar')}",
        "world": "w/static",
        "instance": instance,
        "algorithm": "astar",
        "heuristic": heuristic,
        "status": "solved",
        "valid": True,
        "ties": "low_h",
    }
    return {**base, **values}


def write(file: Path, rows: list[dict[str, object]], columns: tuple[str, ...] = COLUMNS) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    with open(file, "w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, columns, restval="", lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return file
