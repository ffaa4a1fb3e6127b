"""Results as a pandas table."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from runner.base.columns import COLUMNS
from runner.base.errors import UserError
from runner.base.metric import Column
from runner.records.given import given_results
from runner.records.log import Log
from runner.records.reader import METRICS, RESULTS, metrics_below, read_table
from runner.records.row import csv_line
from worlds.files import natural_order

if TYPE_CHECKING:
    import pandas

FOLDER = "folder"
_ALLOWED = "give a CSV file, or the folder or archive of a run or a sweep"
_TEXT = {
    column.name: str
    for column in COLUMNS
    if isinstance(column, Column) and column.name not in ("seed", "valid", "number")
}


def tables_in(folder: Path) -> list[Path]:
    """Return the tables of a run, of a sweep, or of all runs and sweeps below a folder, in natural order.

    A collected sweep has one table; any other sweep has one for each cell.
    """
    for name in (RESULTS, METRICS):
        if (folder / name).is_file():
            return [folder / name]
    collected = list(folder.rglob(RESULTS))
    sweeps = {file.parent for file in collected}
    others = (file for file in metrics_below(folder) if not sweeps & {*file.parents})
    return sorted([*collected, *others], key=natural_order)


def read(path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> pandas.DataFrame:
    """Return results as one pandas table.

    Parameters
    ----------
    path : path or list of paths
        CSV files, folders of runs or sweeps, or folders above these; ``"latest"`` is the newest in ``outputs``.
        Also archives (``"theirs.zip"``), tables as Parquet, and rows of the package (``"atlas:korf1985"``).

    Returns
    -------
    pandas.DataFrame
        All columns of all tables. If there are several tables, the column `folder` is the folder of the row.

    Raises
    ------
    UserError
        If there are no results.
    """
    import pandas

    paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    if not paths:
        raise UserError("read: the list of folders is empty; give at least one")
    with given_results(paths) as given:
        files: dict[Path, str] = {}
        for each in given:
            is_folder, exists = each.path.is_dir(), each.path.exists()
            found = tables_in(each.path) if is_folder else [each.path] if exists else []
            if not found:
                raise UserError(f"{each.name}: there are no results; {_ALLOWED}")
            files.update((file, each.name_of(file.parent) if is_folder else str(file.parent)) for file in found)
        tables = [_read(file) for file in files]
    if len(tables) == 1:
        return tables[0]
    for folder, table in zip(files.values(), tables, strict=True):
        table.insert(len(table.columns), FOLDER, folder)
    return pandas.concat(tables, ignore_index=True)


def _read(file: Path) -> pandas.DataFrame:
    import pandas

    try:
        return pandas.read_csv(
            io.BytesIO(_content(file)), dtype=_TEXT, keep_default_na=False, na_values=[""], low_memory=False
        )
    except (pandas.errors.ParserError, pandas.errors.EmptyDataError, ValueError) as error:
        raise UserError(f"{file}: not a table of results ({' '.join(str(error).split())})") from None


def _content(file: Path) -> bytes:
    """Return a table; of the log of a cell that is not complete, only the rows that count."""
    if file.name == METRICS:
        log = Log(file.parent, with_parts=False)
        newest = log.newest()
        if not log.is_settled(newest):
            return b"".join([csv_line(log.headers[0]), *(line for line, _ in log.rows([*newest.values()]))])
    return read_table(file)
