"""Folders that users name. `latest` is the newest one in `outputs`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from runner.base.errors import UserError
from runner.base.messages import message, shown
from runner.records.reader import RecordFile

LATEST, OUTPUTS = "latest", Path("outputs")
_ELLIPSES = ("...", "…")


def given_folder(text: str, files: Sequence[str] = (RecordFile.METRICS,)) -> Path:
    """Return the path that a user has given for a folder, or the newest folder for `latest`.

    A file or folder of the name `latest` takes precedence. A later report in a folder does not make it newer.

    Parameters
    ----------
    files : sequence of str
        Names of files. The newest folder must hold at least one of them.

    Raises
    ------
    UserError
        If there is no such folder, or the path ends with ``...`` as in the documentation.
    """
    path = Path(text)
    if path.name in _ELLIPSES and not path.exists():
        newest = _newest(path.parent, files)
        name = f"; the newest is {shown(newest)}, or write {LATEST}" if newest else " of a run or a sweep"
        raise UserError(f"{text}: {path.name} stands for the name of a folder{name}")
    if text != LATEST or path.exists():
        return path
    newest = _newest(OUTPUTS, files)
    if newest is None:
        raise UserError(f"{LATEST}: no folder in {OUTPUTS} holds {' or '.join(files)}; name a folder")
    message(f"{LATEST}: {shown(newest)}")
    return newest


def _newest(above: Path, files: Sequence[str]) -> Path | None:
    """Return the newest run or sweep that holds one of the files, up to two levels below a folder."""
    dated = [
        (file.stat().st_mtime_ns, folder)
        for folder in (*above.glob("*"), *above.glob("*/*"))
        for file in (folder / name for name in (RecordFile.SWEEP, *files))
        if file.is_file() and not (folder.parent / RecordFile.SWEEP).is_file()  # which has cells, not runs
    ]
    by_age = (folder for _, folder in sorted(dated, reverse=True))
    return next((folder for folder in by_age for name in files if any(folder.rglob(name))), None)
