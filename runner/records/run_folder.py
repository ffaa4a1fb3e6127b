"""Folders of runs and sweeps: the names of their files, and what a run has recorded beside its rows."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from runner.base import Declared, UserError, bounded_yaml, read_text
from runner.records.bounded_files import RecordBound, load_yaml, read_yaml


class RecordFile:
    """Names of the files in the folder of a run or a sweep.

    Attributes
    ----------
    METRICS, PLANS, LOG, PRINTED : str
        Rows of a run or a cell as they are written, the plans of these rows, messages, and the folder of what programs
        have printed.
    REPETITIONS : str
        Each search of the instances that are searched several times, in the order in which they ended.
    RESULTS, DECLARED : str
        Rows of a sweep that count, and the declarations of columns.
    ENVIRONMENT, CONFIGURATION, OVERRIDES, HYDRA : str
        Versions and machine of a run or a cell, and the files of Hydra.
    SWEEP, JOBS, LOCK, TASK_LOCKS : str
        Configuration and cells of a sweep, its lock, and the folder with the locks of tasks of a cluster.
    REFUSED, FAILED : str
        Why a cell was refused or has failed.
    TABLES : tuple of str
        Files that decide which rows count.
    ALL : tuple of str
        Files of a run or a sweep, in any folder of it, without logs.
    """

    METRICS, PLANS, LOG = "metrics.csv", "plans.jsonl", "runner.log"
    REPETITIONS = "repetitions.csv"
    PRINTED = "logs"
    RESULTS, DECLARED = "results.csv", "columns.json"
    ENVIRONMENT = "environment.json"
    CONFIGURATION, OVERRIDES, HYDRA = ".hydra/config.yaml", ".hydra/overrides.yaml", ".hydra/hydra.yaml"
    SWEEP, JOBS, LOCK, TASK_LOCKS = "multirun.yaml", "jobs.json", ".lock", ".tasks"
    REFUSED, FAILED = "refused.txt", "failed.txt"
    TABLES = (RESULTS, METRICS, DECLARED, SWEEP, JOBS)
    ALL = (RESULTS, METRICS, REPETITIONS, DECLARED, PLANS, ENVIRONMENT, SWEEP, JOBS, CONFIGURATION, OVERRIDES, HYDRA)

    @staticmethod
    def matches(path: str, names: Iterable[str] = ALL) -> bool:
        """Return whether a path inside a folder or an archive ends with one of some names."""
        return any(f"/{path}".endswith(f"/{name}") for name in names)


@dataclass(frozen=True)
class RunFolder:
    """Folder of a run or a cell, with what is recorded beside its rows."""

    path: Path

    def configuration(self, max_values: int = RecordBound.VALUES) -> dict[str, Any]:
        """Return the configuration."""
        return read_yaml(self.path / RecordFile.CONFIGURATION, "the configuration of a run", max_values)

    def overrides(self) -> list[str]:
        """Return the overrides; none if there is no record."""
        file = self.path / RecordFile.OVERRIDES
        recorded = load_yaml(file, "a list of overrides", bounded_yaml.MAX_VALUES) if file.exists() else []
        return [text for text in recorded if isinstance(text, str)] if isinstance(recorded, list) else []

    def declared(self) -> Declared:
        """Return the declared metrics and statuses of the rows.

        Raises
        ------
        UserError
            If the file is corrupt.
        """
        file = self.path / RecordFile.DECLARED
        if not file.exists():
            return Declared()
        text = read_text(file)
        try:
            declared = msgspec.json.decode(text, type=Declared)
            return Declared.of(declared.metrics, declared.statuses, declared.texts)
        except (msgspec.MsgspecError, RecursionError, UserError) as error:
            raise UserError(f"{file}: is corrupt ({error}). Repair it, or move it elsewhere.") from None


def newest_time(files: Iterable[Path]) -> int:
    """Return the time at which one of some files was modified last, in nanoseconds; 0 if there is none."""
    times = [0]
    for file in files:
        with suppress(OSError):
            times.append(file.stat().st_mtime_ns)
    return max(times)
