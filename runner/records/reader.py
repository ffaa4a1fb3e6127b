"""Read the files of run and sweep folders as data: their size is bounded, and nothing in them is executed.

All other modules read records with these functions. A `UserError` names the file and what is wrong with it.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import GenericAlias
from typing import Any, TypeVar

import msgspec
import yaml

from runner.base import bounded_yaml
from runner.base.errors import UserError
from runner.base.files import file_error, natural_order, read_bytes, read_lines, read_text
from runner.base.messages import message

T = TypeVar("T")

CORRUPT = (ValueError, LookupError, TypeError, ArithmeticError, RecursionError)
"""Exceptions that reading a corrupt record may raise."""

METRICS, PLANS, ENVIRONMENT = "metrics.csv", "plans.jsonl", "environment.json"
RESULTS, LOG = "results.csv", "runner.log"
CONFIGURATION, OVERRIDES, HYDRA = ".hydra/config.yaml", ".hydra/overrides.yaml", ".hydra/hydra.yaml"
"""Files of Hydra in the folder of a run or a cell."""

MAX_RECORD = 256 * 2**20
"""Maximum number of bytes of a list of cells or tasks: there may be 100,000 of about a KiB."""
MAX_TABLE = 2 * 2**30
"""Maximum number of bytes of a table that is read as a whole: about five million rows."""
MAX_FIELD = 2**17
"""Maximum number of characters of a field of a table, as Python's module csv bounds it."""
MAX_SHOWN = 2**20
"""Maximum number of bytes of a text that is shown."""
MAX_VALUES = 1_000_000
"""Maximum number of values of a record in YAML: a sweep may list many."""


def read_json(file: Path, cls: type[T], max_bytes: int = MAX_SHOWN) -> T:
    """Return the contents of a JSON file, checked against a type."""
    try:
        return msgspec.json.decode(read_bytes(file, max_bytes), type=cls)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{file}: is corrupt ({error})") from None


def read_record(file: Path, cls: type[T]) -> list[T]:
    """Return the entries of a JSON file that the runner has written."""
    list_of_entries: Any = GenericAlias(list, (cls,))
    try:
        entries: list[T] = read_json(file, list_of_entries, MAX_RECORD)
    except UserError as error:
        raise UserError(f"{error}. Run the sweep again into its folder.") from None
    return entries


def read_yaml(file: Path, what: str, max_values: int = MAX_VALUES) -> dict[str, Any]:
    """Return the contents of a YAML file that holds a mapping.

    Parameters
    ----------
    what : str
        Description of the file, for messages.
    max_values : int
        Maximum number of values, including those of aliases.
    """
    content = load_yaml(file, what, max_values)
    if not isinstance(content, dict):
        raise UserError(f"{file}: not {what} (expected a mapping)")
    return content


def load_yaml(file: Path, what: str, max_values: int = MAX_VALUES) -> Any:
    """Return the contents of a YAML file, as `read_yaml`, of any type."""
    try:
        return bounded_yaml.load(read_text(file), max_values)
    except yaml.YAMLError as error:
        raise UserError(f"{file}: not {what} ({bounded_yaml.reason_of(error)})") from None


def numbered_rows(file: Path) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    """Return the columns of a CSV table, and its rows as texts with their positions in the file, in bytes.

    Lines that do not fit the columns, such as a half-written last line, are skipped.
    """
    end = 0

    def lines() -> Iterator[str]:
        nonlocal end
        for line in read_lines(file):
            end += len(line)
            if line.endswith(b"\n"):
                yield line.decode(errors="replace")

    reader = csv.reader(lines())

    def rows() -> Iterator[tuple[int, list[str]]]:
        start = end
        for values in reader:
            if len(values) == len(header):
                yield start, values
            start = end

    with reading(file):
        header = next(reader, [])
    return header, rows()


def read_rows(file: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a CSV table as text. Lines that do not fit the header are skipped."""
    header, rows = numbered_rows(file)
    with reading(file):
        for _, values in rows:
            yield dict(zip(header, values, strict=True))


@contextmanager
def reading(file: Path) -> Iterator[None]:
    """Raise `UserError` for what a corrupt table raises in this context."""
    try:
        yield
    except KeyError as error:
        raise _corrupt(file, f"no column {error}") from None
    except csv.Error as error:
        raise _corrupt(file, str(error)) from None
    except CORRUPT as error:
        raise _corrupt(file, f"{type(error).__name__}: {error}") from None


def _corrupt(file: Path, problem: str) -> UserError:
    return file_error(file, f"is corrupt ({problem}). Repair it, or move it elsewhere.")


def metrics_below(folder: Path) -> list[Path]:
    """Return all files of rows below a folder, in natural order."""
    return sorted(folder.rglob(METRICS), key=natural_order)


def newest_time(files: Iterable[Path]) -> int:
    """Return the time at which one of some files was modified last, in nanoseconds; 0 if there is none."""
    times = [0]
    for file in files:
        with suppress(OSError):
            times.append(file.stat().st_mtime_ns)
    return max(times)


def overrides_of(folder: Path) -> list[str]:
    """Return the recorded overrides of a run or a cell; none if there is no record."""
    file = folder / OVERRIDES
    recorded = load_yaml(file, "a list of overrides", bounded_yaml.MAX_VALUES) if file.exists() else []
    return [each for each in recorded if isinstance(each, str)] if isinstance(recorded, list) else []


def record_text(file: Path) -> str:
    """Return the text of a file; empty if there is no file."""
    return read_bytes(file, MAX_SHOWN).decode(errors="replace") if file.exists() else ""


def noted(read: Callable[[Path], T], path: Path) -> T | None:
    """Read a file, or write a note and return None if that fails: a report continues without the file."""
    try:
        return read(path)
    except (UserError, OSError) as error:
        message(f"note: {error}")
        return None
