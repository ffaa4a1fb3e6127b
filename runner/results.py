"""Results on disk: rows and plans as they finish, and all rows of a sweep in one table."""

from __future__ import annotations

import csv
import errno
import io
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from runner.locks import acquire
from runner.registry import UserError
from runner.result import COLUMNS, Improvement, Result

if TYPE_CHECKING:
    import pandas

METRICS, PLANS, ENVIRONMENT, RESULTS = "metrics.csv", "plans.jsonl", "environment.json", "results.csv"
SKIPPED_FILE, REFUSED_FILE, FAILED_FILE = "skipped.txt", "refused.txt", "failed.txt"
DAMAGED = (ValueError, LookupError, TypeError, ArithmeticError, RecursionError)
"""What reading a record of ours raises that somebody has changed."""
_BLOCK = 1 << 16
SECONDS = ("search_seconds", "cpu_seconds", "compile_seconds", "solver_seconds")


class Writer:
    """Appends results to metrics.csv and plans.jsonl of a directory; every row is flushed before `write` returns.

    A plan is written before its row: a row on disk means that the instance is finished. As long as the writer is open,
    no other one can be.

    Parameters
    ----------
    directory : Path
    goes_on : bool
        Go on with the files that are there, without a last line that was not written to its end.

    Raises
    ------
    UserError
        If the directory holds results already (and is not to be gone on with, or has other columns), if another process
        writes there, or if it cannot be written.
    """

    def __init__(self, directory: Path, goes_on: bool = False) -> None:
        try:
            directory.mkdir(parents=True, exist_ok=True)
            open_file = _reopened if goes_on else _created
            self._metrics, self._plans = open_file(directory / METRICS), open_file(directory / PLANS)
        except FileExistsError as error:
            raise UserError(
                f"{error.filename}: holds results already; they are never overwritten, choose another directory"
            ) from None
        except OSError as error:
            raise UserError(f"{error.filename or directory}: {error.strerror}") from None
        if self._metrics.tell() == 0:
            _append(self._metrics, _line(COLUMNS))

    def write(self, result: Result) -> None:
        """Append one result."""
        if result.plan is not None:
            cost = result.cost if result.cost is not None else len(result.plan)
            line = {"run_id": result.run_id, "instance": result.instance, "cost": cost, "actions": result.plan}
            _append(self._plans, msgspec.json.encode(line).decode() + "\n")
        _append(self._metrics, _line(format_value(name, getattr(result, name)) for name in COLUMNS))

    def write_improvement(self, run_id: str, instance: str, improvement: Improvement) -> None:
        """Append a solution that an anytime search has found on its way to the plans."""
        line = {
            "run_id": run_id,
            "instance": instance,
            "cost": improvement.cost,
            "bound": improvement.bound,
            "seconds": round(improvement.seconds, 6),
            "expanded": improvement.expanded,
            "actions": improvement.plan,
        }
        _append(self._plans, msgspec.json.encode(line).decode() + "\n")

    def close(self) -> None:
        """Make sure that everything has reached the disk, and close the files."""
        for file in (self._plans, self._metrics):
            os.fsync(file.fileno())
            file.close()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def format_value(name: str, value: Any) -> str:
    """A value as it stands in a CSV file; None is empty."""
    if value is None:
        return ""
    if name in SECONDS:
        return f"{value:.6f}"
    return f"{value:g}" if isinstance(value, float) else str(value)


def overrides(job: Path) -> list[str]:
    """The overrides of a job as Hydra recorded them; none if it did not."""
    import yaml

    try:
        recorded = yaml.safe_load((job / ".hydra" / "overrides.yaml").read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError):
        return []
    return [str(override) for override in recorded] if isinstance(recorded, list) else []


def read_rows(file: Path) -> Iterator[dict[str, str]]:
    """Rows of a CSV file of results, as text. A last line that was not written to its end is left out."""
    with open(file, encoding="utf-8", errors="replace", newline="") as lines:
        reader = csv.reader(line for line in lines if line.endswith("\n"))
        header = next(reader, [])
        for values in reader:
            if len(values) == len(header):
                yield dict(zip(header, values, strict=True))


def read(path: str | os.PathLike[str]) -> pandas.DataFrame:
    """Results as a pandas table: of a CSV file, or of a directory with results.csv or metrics.csv."""
    import pandas

    path = Path(path)
    if path.is_dir():
        path = path / RESULTS if (path / RESULTS).exists() else path / METRICS
    if not path.exists():
        raise UserError(f"{path}: no results there; give a CSV file, or the folder of a run or a sweep")
    return pandas.read_csv(path, keep_default_na=False, na_values=[""])


def _created(path: Path) -> io.FileIO:
    """A new file; whatever else writes to it, nothing is overwritten."""
    file = open(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o666), "r+b", buffering=0)  # noqa: SIM115
    acquire(file)
    return file


def _reopened(path: Path) -> io.FileIO:
    """A file that is to be gone on with, after its last whole line; it may not be there yet."""
    file = open(path, "a+b", buffering=0)  # noqa: SIM115
    if not acquire(file):
        file.close()
        raise UserError(f"{path}: another process writes there")
    end = file.seek(0, os.SEEK_END)
    while end > 0:
        start = max(0, end - _BLOCK)
        file.seek(start)
        newline = file.read(end - start).rfind(b"\n")
        if newline >= 0:
            end = start + newline + 1
            break
        end = start
    file.truncate(end)
    file.seek(0, os.SEEK_END)
    if path.name == METRICS and end > 0:
        file.seek(0)
        header = io.TextIOWrapper(io.BytesIO(file.read(_BLOCK)), encoding="utf-8", errors="replace").readline()
        if header != _line(COLUMNS):
            raise UserError(f"{path}: was written by another version, with other columns; choose another directory")
        file.seek(0, os.SEEK_END)
    return file


def _append(file: io.FileIO, text: str) -> None:
    """Write to an unbuffered file: what this returns from is with the operating system, and nothing else is pending.

    A line that cannot be written as a whole, on a full disk say, is taken back.
    """
    data, before = text.encode(), file.tell()
    if os.fstat(file.fileno()).st_nlink == 0:
        raise OSError(errno.ENOENT, "was removed while it was written to", file.name)
    try:
        while data:
            data = data[file.write(data) :]
    except OSError:
        with suppress(OSError):
            file.truncate(before)
        raise


def _line(values: Any) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(values)
    return line.getvalue()
