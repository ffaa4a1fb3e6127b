"""``columns.json`` lists the declared metrics and statuses of rows, so that tables can be read without plug-ins."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Any

import msgspec

from runner.base.columns import Declared
from runner.base.errors import UserError
from runner.base.files import atomic_write, read_text
from runner.records.reader import RecordFile

Write = Callable[[Path, str], AbstractContextManager[IO[Any]]]
"""Function that opens a file for writing, such as `atomic_write`."""


def write_declared(folder: Path, declared: Declared, write: Write = atomic_write) -> None:
    """Write the declared metrics and statuses of the rows in a folder, if there are any."""
    if declared == Declared():
        return
    with write(folder / RecordFile.DECLARED, "wb") as out:
        out.write(msgspec.json.format(msgspec.json.encode(declared), indent=1) + b"\n")


def declared_in(folder: Path) -> Declared:
    """Return the declared metrics and statuses of the rows in a folder.

    Raises
    ------
    UserError
        If the file is corrupt.
    """
    file = folder / RecordFile.DECLARED
    if not file.exists():
        return Declared()
    text = read_text(file)
    try:
        found = msgspec.json.decode(text, type=Declared)
        return Declared.of(found.metrics, found.statuses)
    except (msgspec.MsgspecError, RecursionError, UserError) as error:
        raise UserError(f"{file}: is corrupt ({error}). Repair it, or move it elsewhere.") from None
