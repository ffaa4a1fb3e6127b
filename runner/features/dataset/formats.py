"""Files of a table of states: npz, which numpy reads, and Parquet. A file appears whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runner.base import UserError, atomic_write, file_error, shown
from runner.features.archive import pyarrow
from runner.features.dataset.table import NO_VALUE, Arrays

_OF_INSTANCES = {"instance": "instances", "run_id": "run_ids", "split": "splits", "difficulty": "difficulties"}
"""Columns of Parquet with texts, by the array that has them for each instance."""


def check_out(out: Path) -> None:
    """Raise `UserError` if a file cannot be written, before the work begins."""
    if out.suffix.lower() not in FORMATS:
        raise UserError(f"--out: {out}: expected a file {' or '.join(FORMATS)}")
    if out.is_dir():
        raise UserError(f"--out: {out} is a directory")
    if out.suffix.lower() == ".parquet":
        pyarrow()
    folder = next(each for each in out.absolute().parents if each.exists())
    if not folder.is_dir():
        raise UserError(f"--out: {out}: {shown(folder)} is a file")
    if not os.access(folder, os.W_OK):
        raise UserError(f"--out: {out}: no permission to write in {shown(folder)}")


def write(out: Path, arrays: Arrays) -> None:
    """Write a file in the format of its suffix."""
    with atomic_write(out, "wb") as file:
        FORMATS[out.suffix.lower()](file, arrays)


def _write_npz(file: Any, arrays: Arrays) -> None:
    """Write all arrays under their names. None has objects, so ``numpy.load(..., allow_pickle=False)`` reads them."""
    named: dict[str, Any] = dict(arrays)
    np.savez_compressed(file, **named)


def _write_parquet(file: Any, arrays: Arrays) -> None:
    """Write a row for each state: its steps are lists, and texts stand instead of numbers of names."""
    pa = pyarrow()

    def texts(name: str, numbers: NDArray[Any]) -> Any:
        return pa.DictionaryArray.from_arrays(numbers, pa.array(arrays[name].tolist(), pa.string()))

    def lists(offsets: NDArray[Any], values: Any) -> Any:
        return pa.LargeListArray.from_arrays(pa.array(offsets, pa.int64()), values)

    def rows(block: NDArray[Any], is_used: NDArray[np.bool_]) -> Any:
        offsets = np.concatenate([[0], np.cumsum(is_used.sum(axis=1))])
        return lists(offsets, pa.array(block[is_used]))

    first, values, instance = arrays["first"], arrays["values"], arrays["instance"]
    columns = {name: texts(source, instance) for name, source in _OF_INSTANCES.items()}
    columns |= {name: pa.array(arrays[name]) for name in ("h_star", "exact", "goal")}
    columns["words"] = rows(arrays["words"], np.ones(arrays["words"].shape, bool))
    columns["values"] = rows(values, values != NO_VALUE)
    columns |= {name: lists(first, pa.array(arrays[name])) for name in ("successor", "cost", "optimal")}
    columns["action"] = lists(first, texts("actions", arrays["action"]))
    try:
        pa.parquet.write_table(pa.table(columns), file)
    except pa.ArrowException as error:
        raise file_error(Path(file.name), f"cannot be written ({' '.join(str(error).split())})") from None


FORMATS: dict[str, Callable[[Any, Arrays], None]] = {".npz": _write_npz, ".parquet": _write_parquet}
"""Functions that write a file, by its suffix."""
