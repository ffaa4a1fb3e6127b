"""``columns.json``: the metrics and statuses that rows have beside ours, so that tables are read without plug-ins."""

from __future__ import annotations

from pathlib import Path

import msgspec

from runner.columns import Declared
from runner.registry import UserError
from worlds.files import atomic_write, read_text

DECLARED = "columns.json"


def write_declared(folder: Path, declared: Declared) -> None:
    """Write what the rows in a folder have, beside ours; nothing if that is nothing."""
    if declared == Declared():
        return
    with atomic_write(folder / DECLARED, "wb") as out:
        out.write(msgspec.json.format(msgspec.json.encode(declared), indent=1) + b"\n")


def declared_in(folder: Path) -> Declared:
    """Return what the rows in a folder have, beside ours.

    Raises
    ------
    UserError
        If the file is corrupt.
    """
    file = folder / DECLARED
    if not file.exists():
        return Declared()
    try:
        found = msgspec.json.decode(read_text(file), type=Declared)
        return Declared.of(found.metrics, found.statuses)
    except (msgspec.MsgspecError, RecursionError, UserError) as error:
        problem = str(error).removeprefix(f"{file}: ")
        raise UserError(f"{file}: is corrupt ({problem}). Repair it, or move it elsewhere.") from None
