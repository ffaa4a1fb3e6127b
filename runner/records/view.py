"""View of all logs of a sweep. results.csv, the progress and a plan are made of the rows that count in them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from functools import cached_property
from itertools import count
from pathlib import Path

import numpy as np

from runner.base import NAMES, Declared, Retry, UserError, atomic_write, files_below
from runner.records.claims import kind_of, refutation, refuting_plans
from runner.records.csv_table import csv_line
from runner.records.folder import Job, SweepFolder
from runner.records.log import PART, ROW, Log, last_of_each
from runner.records.row import Write, write_declared
from runner.records.rule import ALL_ROWS, RowRule
from runner.records.run_folder import RecordFile
from runner.records.totals import Totals

_COUNTED = np.dtype([("cell", int), ("row", int), ("swept", int), ("limits", int), ("rank", int), ("log", ROW)])
"""Row that counts: its cell, place in the log, numbers of swept values and limits, and rank among its search's rows."""


class SweepLogs:
    """Logs of all cells below a folder, in natural order.

    Parameters
    ----------
    path : Path, optional
        Folder of a sweep, or of a cell. By default there are no logs.
    problems : list of str, optional
        What is wrong with the files of a cell is appended; the cell is left out. By default it is an error.

    Attributes
    ----------
    logs : dict of Path to Log
        Logs by the folders of their cells.
    """

    def __init__(self, path: Path | None = None, problems: list[str] | None = None) -> None:
        files = files_below(path, RecordFile.METRICS) if path is not None and path.is_dir() else []
        self.logs: dict[Path, Log] = {}
        for folder in dict.fromkeys(map(cell_of, files)):
            try:
                self.logs[folder] = Log(folder, with_parts=True)
            except UserError as error:
                if problems is None:
                    raise
                problems.append(str(error))
        self._finished: dict[tuple[RowRule, Retry], dict[int, tuple[Log, int]]] = {}

    @cached_property
    def rows(self) -> int:
        """Number of rows."""
        return sum(map(len, self.logs.values()))

    def of(self, folder: Path) -> Log:
        """Return the log of a cell; without rows if it has none."""
        return self.logs[folder] if folder in self.logs else Log(folder, with_parts=True)

    def find(self, key: int, rule: RowRule, retry: Retry) -> tuple[Log, int] | None:
        """Return a finished row with a key in any log; None if there is none.

        Parameters
        ----------
        rule : RowRule
            Rule for the row. It must have these limits even if it did not end at one.
        """
        if (rule, retry) not in self._finished:
            self._finished[rule, retry] = {
                log.keys[row]: (log, row)
                for log in self.logs.values()
                for row in log.current(rule)
                if rule.is_finished(log.kind(row), retry) and rule.limits in (None, log.kind(row).limits)
            }
        return self._finished[rule, retry].get(key)


def collect(sweep: SweepFolder, logs: SweepLogs | None = None) -> list[Totals]:
    """Write results.csv into the folder of a sweep, and return the totals of the cells with rows in it."""
    totals: list[Totals] = []
    write_table(sweep, (logs or SweepLogs(sweep.path)).logs, sweep.path, totals)
    return totals


def write_table(
    sweep: SweepFolder,
    logs: Mapping[Path, Log],
    target: Path,
    totals: list[Totals] | None = None,
    write: Write = atomic_write,
) -> None:
    """Write results.csv: the rows that count of all cells, in the order of the cells and their instances.

    Cells of the newest command come first. A search that several cells share has a row for each of them, with the
    swept values of that cell. Of cells with the same swept values, as of a sweep that was repeated with more instances,
    the newest finished row is written. Rows of a folder without a record are left out if a recorded cell has them: such
    a folder remains if that of a sweep is removed while it runs. A row whose claim a plan of another row refutes says
    so in `refuted`, and has no `bound`.

    Parameters
    ----------
    logs : mapping of Path to Log
        Logs of the cells by their folders.
    target : Path
        Folder in which the table is written, and the declarations of its columns beside it.
    totals : list of Totals, optional
        The totals of each cell with rows in the table are appended.
    write : callable
        Opens a file for writing. `open` serves in a temporary folder, where nothing has to reach the disk.
    """
    jobs = {job.folder: job for job in sweep.recorded()}
    swept = [key for key in dict.fromkeys(key for job in jobs.values() for key in job.swept) if key not in NAMES]
    declared = Declared()
    other_columns: dict[str, None] = {}
    current_first = sorted(jobs.values(), key=lambda job: not job.is_current)
    order = {sweep.path / job.folder: number for number, job in enumerate(current_first)}  # not that of their names
    cells: list[tuple[Log, tuple[str, ...]]] = []
    counted = [np.empty(0, _COUNTED)]
    number_of_values = defaultdict[tuple[str, ...], int](count().__next__)
    number_of_limits = defaultdict[str, int](count().__next__)
    for folder, log in sorted(logs.items(), key=lambda item: order.get(item[0], len(order))):
        job = jobs.get(folder.relative_to(sweep.path).as_posix())
        values = tuple("" if job is None else job.values.get(key, "") for key in swept)
        rows = log.counted(ALL_ROWS if job is None else job.rule)
        found = np.empty(len(rows), _COUNTED)
        found["cell"], found["row"], found["log"] = len(cells), rows, log.table[rows]
        found["swept"] = number_of_values[values]
        found["limits"] = log.of_kind(lambda kind: number_of_limits[kind.limits])[rows]
        is_current = job is not None and job.is_current
        found["rank"] = log.of_kind(ALL_ROWS.is_finished)[rows] * 2 * len(logs) + is_current * len(logs) + len(cells)
        counted.append(found)
        cells.append((log, values))
        declared |= log.declared
        other_columns.update(dict.fromkeys(name for header in log.headers for name in header))
    table = np.concatenate(counted)
    table = table[last_of_each(table["rank"], table["swept"], table["limits"], table["log"]["key"])]
    if swept:
        is_recorded = np.array([log.folder in order for log, _ in cells], bool)[table["cell"]]
        keys = table["log"]["key"]
        table = table[is_recorded | ~np.isin(keys, keys[is_recorded])]
    claims = table["log"]
    is_plan = claims["is_plan"] & (claims["content"] > 0)  # rows of earlier versions have no content
    plans = refuting_plans(claims["content"], claims["cost"], claims["bound"], claims["is_unsolvable"], is_plan)
    columns = [*declared.columns, *(name for name in other_columns if name not in declared.columns)]
    write_declared(target, declared, write)
    with write(target / RecordFile.RESULTS, "wb") as out:
        out.write(csv_line((*columns, *swept)))
        ends = np.searchsorted(table["cell"], np.arange(1, len(cells) + 1))
        for (log, values), places in zip(cells, np.split(np.arange(len(table)), ends), strict=False):
            line_end = csv_line(("", *values)) if swept else b"\n"
            cell_totals = Totals(log.folder, declared)
            for plan, (line, row) in zip(plans[places], log.rows(table["row"][places], columns), strict=True):
                if plan >= 0:
                    proof = f"{claims['key'][plan]:016x}"
                    row |= {"refuted": refutation(row["status"], row["bound"], proof), "bound": ""}
                    line = csv_line(row.get(name, "") for name in columns)
                    cell_totals.refuted[kind_of(row["refuted"]), cells[table["cell"][plan]][0].folder] += 1
                out.write(line[:-1] + line_end)
                if totals is not None:
                    cell_totals.add(row)
            if totals is not None and cell_totals.rows:
                totals.append(cell_totals)


def cell_of(file: Path) -> Path:
    """Return the folder of the cell to which a file of rows belongs."""
    return file.parent.parent if file.parent.name.startswith(PART) else file.parent


@dataclass(frozen=True)
class RunProgress:
    """Progress of one or several cells.

    Attributes
    ----------
    instances : int
        Number of planned instances.
    done : int
        Number of instances with a row that has not failed.
    failed : int
        Number of instances that have only failed rows. Instances that are to be repeated are missing.
    capped : int
        Number of instances whose rows ended at other limits than those of the cell.
    """

    instances: int = 0
    done: int = 0
    failed: int = 0
    capped: int = 0

    @property
    def missing(self) -> int:
        """Number of instances without a row."""
        return max(0, self.instances - self.done - self.failed - self.capped)

    def __add__(self, other: RunProgress) -> RunProgress:
        return RunProgress(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))


def progress_of(sweep: SweepFolder, logs: SweepLogs | None = None) -> dict[str, RunProgress]:
    """Return the progress of the cells of the newest command in a sweep, by their folders.

    Parameters
    ----------
    logs : SweepLogs, optional
        Logs of the sweep, if they have been read.
    """
    logs = logs or SweepLogs()
    progress: dict[str, RunProgress] = {}
    for job in sweep.jobs():
        log = logs.of(sweep.path / job.folder)
        rows = log.current(job.rule)
        kinds = (job.rule.is_finished, lambda kind: kind.status.is_made_again("failed"), job.rule.is_capped)
        progress[job.folder] = RunProgress(job.instances, *(int(log.of_kind(each)[rows].sum()) for each in kinds))
    return progress


def searched_instances(job: Job, log: Log) -> set[int]:
    """Return the numbers of the instances of a cell that have a finished row or one of a failure, by this code."""
    is_searched = log.of_kind(lambda kind: job.rule.is_finished(kind) or kind.status.is_failure)
    rows = log.current(job.rule)
    return set(log.numbers[rows[is_searched[rows] > 0]].tolist())
