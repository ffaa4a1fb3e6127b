"""Results that users name: folders, `latest`, tables, archives, tables as Parquet, and rows of the atlas."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from runner.base import OUTPUTS, UserError, files_below, import_own, message, shown
from runner.records.run_folder import RecordFile, newest_time

LATEST = "latest"
_ELLIPSES = ("...", "…")
_ATLAS = "atlas:"
_PACKED = {".zip": "runner.features.archive.zip_files", ".parquet": "runner.features.archive.parquet_files"}
"""Modules that unpack files, by their suffixes. The core imports no feature before its files are used."""


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
    names = (name for pattern in ("*", "*/*") for name in glob.iglob(pattern, root_dir=above))  # `Path.glob` may raise
    dated = [
        (newest_time([file]), folder)
        for folder in (above / name for name in names)
        for file in (folder / name for name in (RecordFile.SWEEP, *files))
        if file.is_file() and not (folder.parent / RecordFile.SWEEP).is_file()  # which has cells, not runs
    ]
    return next((folder for _, folder in sorted(dated, reverse=True) if files_below(folder, *files)), None)


@dataclass(frozen=True)
class GivenResults:
    """Results that a user has named.

    Attributes
    ----------
    path : Path
        Folder or CSV file with the rows.
    name : str
        What the user has named, such as ``theirs.zip``.
    home : Path or None
        Folder in which a report on these results is written; None for rows of the package.
    """

    path: Path
    name: str
    home: Path | None

    def name_of(self, folder: Path) -> str:
        """Return the name of a folder in or at `path`, as the user knows it."""
        return str(folder if self.name == str(self.path) else Path(self.name) / folder.relative_to(self.path))

    @classmethod
    @contextmanager
    def opened(
        cls,
        texts: Iterable[str | os.PathLike[str]],
        files: Sequence[str] = (RecordFile.METRICS,),
        records: Sequence[str] = RecordFile.ALL,
    ) -> Iterator[list[GivenResults]]:
        """Return the results that a user has named. In this context archives are unpacked, and deleted at its end.

        Parameters
        ----------
        texts : iterable of str
            Folders, CSV files, ``latest``, archives (``.zip``), tables as Parquet (``.parquet``), and ``atlas:NAME``.
        files : sequence of str
            Names of files as for `given_folder`.
        records : sequence of str
            Names of the files that are unpacked from archives.

        Raises
        ------
        UserError
            If an archive is corrupt, or a name is unknown.
        """
        with TemporaryDirectory(prefix="search-runner-unpacked-") as unpacked:
            yield [
                cls._found(os.fspath(text), files, records, Path(unpacked, str(number)))
                for number, text in enumerate(texts)
            ]

    @classmethod
    def _found(cls, text: str, files: Sequence[str], records: Sequence[str], unpacked: Path) -> GivenResults:
        if text.startswith(_ATLAS) and not Path(text).exists():
            return cls(import_own("runner.features.atlas", "rows_of")(text.removeprefix(_ATLAS)), text, None)
        path = given_folder(text, files)
        if path.suffix.lower() not in _PACKED or not path.is_file():
            return cls(path, str(path), path.parent if path.is_file() else path)
        unpack = import_own(_PACKED[path.suffix.lower()], "unpack")
        folder = unpacked / path.stem
        folder.mkdir(parents=True)
        unpack(path, folder, partial(RecordFile.matches, names=records))
        return cls(folder, text, path.parent)
