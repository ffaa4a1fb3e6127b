"""Configurations of the cells below the folders of a report, found by the recorded rows or plans of the cells."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from runner.base import files_below, read_lines
from runner.features.reports.columns import CONFIGURATION, FOLDER, distinct
from runner.features.reports.naming import CHOICES, folder_names
from runner.features.reports.runs import Runs
from runner.records import RecordBound, RecordFile, read_rows

MAX_READ = 1_000
"""Maximum number of cells whose records are read."""
_NAMING = ("label", "stack", *CHOICES, "limits")
"""Columns that tell the configurations of a folder apart."""


def recorded_files(folders: Sequence[Path], name: str) -> list[tuple[str, Path]]:
    """Return all files of a name below folders, each with the name of its folder."""
    given = list({folder.resolve(): folder for folder in folders}.values())
    named = zip(folder_names(given), given, strict=True)
    return [(folder_name, file) for folder_name, folder in named for file in files_below(folder, name)]


class CellConfigurations:
    """Names of the configurations in each cell of some rows."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._names: dict[tuple[str, ...], list[str]] = {}
        for *key, name in distinct(runs.table, [FOLDER, *_NAMING, CONFIGURATION])[0].itertuples(index=False):
            self._names.setdefault(tuple(key), []).append(name)

    def of(self, folder: str, cell: Path) -> Sequence[str]:
        """Return the configurations of the rows of a cell, by its first row; in an archive, by its first plan.

        Parameters
        ----------
        folder : str
            Name of the given folder.
        """
        if (cell / RecordFile.METRICS).exists():
            row = next(read_rows(cell / RecordFile.METRICS), {})
            return self._names.get((folder, *(row.get(column, "") for column in _NAMING)), ())
        if (cell / RecordFile.PLANS).exists() and (
            line := next(iter(read_lines(cell / RecordFile.PLANS, RecordBound.PLAN)), b"")
        ):
            run_id = msgspec.json.decode(line)["run_id"]
            is_same = (self._runs.table["run_id"] == run_id) & (self._runs.table[FOLDER] == folder)
            return [str(name) for name in self._runs.table.loc[is_same, CONFIGURATION].unique()]
        return ()
