"""Rows of results as they stand on disk."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec
import yaml

from runner.records.writer import METRICS, RESULTS
from runner.registry import UserError
from worlds.files import natural_order

if TYPE_CHECKING:
    import pandas

T = TypeVar("T")

CORRUPT = (ValueError, LookupError, TypeError, ArithmeticError, RecursionError)
"""Exceptions that reading a corrupt record raises."""


def read_record(file: Path, cls: type[T]) -> list[T]:
    """Return the entries of a JSON file of ours."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=list[cls])  # type: ignore[valid-type]
    except (OSError, msgspec.MsgspecError, RecursionError) as error:
        raise UserError(f"{file}: is corrupt ({error}). Run the sweep again into its folder.") from None


def read_rows(file: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a CSV file of results, as text. A last line that was not written to its end is left out."""
    with open(file, encoding="utf-8", errors="replace", newline="") as lines:
        reader = csv.reader(line for line in lines if line.endswith("\n"))
        header = next(reader, [])
        for values in reader:
            if len(values) == len(header):
                yield dict(zip(header, values, strict=True))


def checked_rows(file: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a metrics.csv."""
    try:
        for row in read_rows(file):
            float(row["search_seconds"] or 0)
            yield {**row, "run_id": row["run_id"], "status": row["status"]}
    except (csv.Error, *CORRUPT) as error:
        problem = f"{type(error).__name__}: {error}"
        raise UserError(f"{file}: is corrupt ({problem}). Repair it, or move it elsewhere.") from None


def metrics_below(folder: Path) -> list[Path]:
    """Return all files of rows below a folder, in natural order."""
    return sorted(folder.rglob(METRICS), key=natural_order)


def overrides_of(folder: Path) -> list[str]:
    """Return the overrides of a run or cell as they are recorded; none if they are not."""
    try:
        recorded = yaml.safe_load((folder / ".hydra" / "overrides.yaml").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError, yaml.YAMLError):
        return []
    return [str(override) for override in recorded] if isinstance(recorded, list) else []


def read(path: str | os.PathLike[str]) -> pandas.DataFrame:
    """Return results as a pandas table: of a CSV file, or of a folder with results.csv or metrics.csv."""
    import pandas

    path = Path(path)
    if path.is_dir():
        path = path / RESULTS if (path / RESULTS).exists() else path / METRICS
    if not path.exists():
        raise UserError(f"{path}: no results there; give a CSV file, or the folder of a run or a sweep")
    return pandas.read_csv(path, keep_default_na=False, na_values=[""])
