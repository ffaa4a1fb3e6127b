"""The rows of all jobs of a sweep in one table, every `run_id` once under the same limits."""

from __future__ import annotations

import csv
from array import array
from pathlib import Path

import numpy as np

from runner.result import COLUMNS, FAILED
from runner.results import METRICS, RESULTS
from runner.sweep.finished import checked_rows, limits_of, number_of
from runner.totals import Totals
from worlds.files import natural_order, whole_file


def collect(sweep: Path) -> list[Totals]:
    """Write results.csv: the rows of all metrics.csv files below a directory, in the order of the jobs.

    Of rows with the same `run_id` (under the same limits) the newest finished one counts. A half-written last line is
    left out.

    Returns
    -------
    list of Totals
        One for each job that has rows in the table.

    Raises
    ------
    UserError
        If a file with rows cannot be read.
    """
    files = sorted(sweep.rglob(METRICS), key=natural_order)
    limits = [limits_of(file.parent) for file in files]
    superseded = _superseded(files, limits)
    columns = list(COLUMNS)
    for file in files:
        with open(file, encoding="utf-8", errors="replace", newline="") as lines:
            columns += [name for name in next(csv.reader(lines), []) if name not in columns]
    totals = []
    position = 0
    with whole_file(sweep / RESULTS) as out:
        writer = csv.DictWriter(out, columns, restval="", lineterminator="\n")
        writer.writeheader()
        for file in files:
            total = Totals(file.parent)
            for row in checked_rows(file):
                if position not in superseded:
                    total.add(row)
                    writer.writerow(row)
                position += 1
            if total.rows:
                totals.append(total)
    return totals


def _superseded(files: list[Path], limits: list[str]) -> set[int]:
    """Positions, among all rows of all files, of those that another row counts for. Takes 8 bytes for a row."""
    ids: dict[str, array[int]] = {}
    for file, kind in zip(files, limits, strict=True):
        ids.setdefault(kind, array("Q")).extend(number_of(row["run_id"]) for row in checked_rows(file))
    repeated = {kind: _twice(np.frombuffer(each, np.uint64)) for kind, each in ids.items() if len(each)}
    if not any(repeated.values()):
        return set()
    best: dict[tuple[str, int], tuple[bool, int]] = {}
    superseded: set[int] = set()
    position = 0
    for file, kind in zip(files, limits, strict=True):
        for row in checked_rows(file):
            run_id = number_of(row["run_id"])
            if run_id in repeated[kind]:
                rank, other = (row["status"] not in FAILED, position), best.get((kind, run_id))
                if other is not None:
                    superseded.add(min(rank, other)[1])
                best[kind, run_id] = rank if other is None else max(rank, other)
            position += 1
    return superseded


def _twice(ids: np.ndarray) -> set[int]:
    """What occurs more than once."""
    ordered = np.sort(ids)
    return {int(each) for each in ordered[1:][ordered[1:] == ordered[:-1]]}
