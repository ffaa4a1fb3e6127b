"""The rows of all cells of a sweep in one table, every `run_id` once under the same limits."""

from __future__ import annotations

import csv
import itertools
import shutil
from collections.abc import Sequence
from pathlib import Path

from runner.records.reader import checked_rows, metrics_below
from runner.records.result import COLUMNS, FAILED
from runner.records.row import HEADER, key_of
from runner.records.totals import Totals
from runner.records.writer import METRICS, PART, RESULTS
from worlds.files import whole_file


def concatenate(sweep: Path, folders: Sequence[Path]) -> None:
    """Write results.csv of a sweep whose rows this process has made: all are complete, and none is there twice.

    Parameters
    ----------
    folders : sequence of Path
        Of the cells, in their order.
    """
    with whole_file(sweep / RESULTS, "wb") as out:
        out.write(HEADER)
        for folder in folders:
            with open(folder / METRICS, "rb") as rows:
                rows.readline()
                shutil.copyfileobj(rows, out)


def collect(sweep: Path) -> list[Totals]:
    """Write results.csv: the rows of all metrics.csv files below a folder, in the order of the cells.

    Of rows with the same `run_id` (under the same limits) the newest finished one counts. A half-written last line is
    left out.

    Returns
    -------
    list of Totals
        One for each cell that has rows in the table.
    """
    files = metrics_below(sweep)
    best: dict[tuple[int, str], tuple[bool, int]] = {}  # by run_id and limits: is the row finished, and its position
    columns, positions = list(COLUMNS), itertools.count()
    for file in files:
        rows, last = [], dict[str, str]()
        for last in checked_rows(file):
            rows.append((key_of(last["run_id"]), last["status"] not in FAILED))
        columns += [name for name in last if name not in columns]
        limits = last.get("limits", "")  # all rows of a folder count as made under the limits of the newest
        for key, is_finished in rows:
            best[key, limits] = max(best.get((key, limits), (False, -1)), (is_finished, next(positions)))
    kept, positions = {position for _, position in best.values()}, itertools.count()
    found: dict[Path, Totals] = {}
    with whole_file(sweep / RESULTS) as out:
        writer = csv.DictWriter(out, columns, restval="", lineterminator="\n")
        writer.writeheader()
        for file in files:
            folder = file.parent.parent if file.parent.name.startswith(PART) else file.parent
            totals = found.setdefault(folder, Totals(folder))
            for row in checked_rows(file):
                if next(positions) in kept:
                    totals.add(row)
                    writer.writerow(row)
    return [totals for totals in found.values() if totals.rows]
