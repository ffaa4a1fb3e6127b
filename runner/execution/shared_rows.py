"""Copy the rows that a cell shares with cells of earlier commands into its folder."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import closing
from pathlib import Path

from runner.base.errors import UserError
from runner.base.messages import reason
from runner.execution.plan import PlannedCell
from runner.execution.recorder import open_writer
from runner.records.plans import MAX_PLAN
from runner.records.reader import checked_rows
from runner.records.row import Row, RowFormat, csv_line, key_of, key_of_plan
from runner.records.writer import PLANS, Writer
from worlds.files import read_lines


def copy_rows(planned: PlannedCell) -> None:
    """Copy finished rows and their plans from the folders of other cells.

    Raises
    ------
    UserError
        If the rows cannot be written.
    """
    columns = RowFormat(planned.cell.declared).columns
    try:
        with closing(open_writer(planned, goes_on=True)) as writer:
            for metrics, keys in planned.rows_elsewhere.items():
                _copy_plans(metrics.with_name(PLANS), keys, writer)
                for row in checked_rows(metrics):
                    if (key := key_of(row["run_id"])) in keys:
                        line = csv_line(row.get(name, "") for name in columns)
                        writer.write([Row(planned.finished_rows[key], key, line, b"")])
    except OSError as error:
        raise UserError(reason(error, planned.folder)) from None


def _copy_plans(plans: Path, keys: Collection[int], writer: Writer) -> None:
    for line in read_lines(plans, MAX_PLAN) if plans.exists() else ():
        if line.endswith(b"\n") and key_of_plan(line) in keys:
            writer.write_plans(line)
