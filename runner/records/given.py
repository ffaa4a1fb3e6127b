"""Results that users name: folders, `latest`, tables, and what features unpack, such as archives."""

from __future__ import annotations

import glob
import os
import reprlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from runner.base import OUTPUTS, Registry, UserError, files_below, message, newest_time, own_entries, shown
from runner.records.reader import RecordFile

LATEST = "latest"
_ELLIPSES = ("...", "…")
"""Prefix of the temporary folders."""


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
    by_age = (folder for _, folder in sorted(dated, reverse=True))
    return next((folder for folder in by_age for name in files if files_below(folder, name)), None)


@dataclass(frozen=True)
class ResultsFormat:
    """Results in another form than a folder. Its name is the suffix of a file, or what stands before a colon.

    Attributes
    ----------
    unpack : callable, optional
        Writes the records in a file into an empty folder: `unpack(file, folder, is_wanted)`. Only files whose paths in
        the folder are wanted are read. Files of others are data: bounded, and never executed.
    find : callable, optional
        Returns the folder of rows that come with a package, from the text after ``NAME:``.
    write : callable, optional
        Writes the rows of the runs and sweeps below a folder to a file, as one table: `write(folder, file)`.
    check : callable, optional
        Raises `UserError` if nothing can be written, before the work begins.
    """

    unpack: Callable[[Path, Path, Callable[[str], bool]], None] | None = None
    find: Callable[[str], Path] | None = None
    write: Callable[[Path, Path], None] | None = None
    check: Callable[[], object] | None = None


class ResultsFormatRegistry(Registry[ResultsFormat]):
    """Formats of results, by the suffix of a file or what stands before a colon."""

    def check_kind(self, owner: str, entry: object) -> None:
        """Raise `TypeError` unless an entry is a `ResultsFormat`."""
        if not isinstance(entry, ResultsFormat):
            raise TypeError(f"{owner}: expected a ResultsFormat, got {reprlib.repr(entry)}")

    def of_tables(self) -> list[str]:
        """Return the names of the formats in which rows can be written as one table."""
        return [name for name in self.names() if self.find(name).write is not None]

    def writer(self, name: str) -> Callable[[Path, Path], None]:
        """Return `ResultsFormat.write` of a format.

        Raises
        ------
        UserError
            If the format cannot be written, for example because a package is missing.
        """
        results_format = self.find(name)
        if results_format.write is None:
            raise UserError(f"{name}: results cannot be written in this format")
        if results_format.check is not None:
            results_format.check()
        return results_format.write


RESULTS_FORMATS = ResultsFormatRegistry("format of results", "search_runner.results", own_entries.RESULTS)
"""Forms of results other than a folder, by the suffix of a file or what stands before a colon."""


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
            Folders, CSV files, ``latest``, and what a `ResultsFormat` reads: archives (``.zip``), tables as Parquet
            (``.parquet``), ``atlas:NAME``.
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
        prefix, colon, name = text.partition(":")
        if colon and prefix in RESULTS_FORMATS.names(missing=True) and not Path(text).exists():
            find = RESULTS_FORMATS.find(prefix).find
            if find is not None:
                return cls(find(name), text, None)
        path = given_folder(text, files)
        suffix = path.suffix.lower().removeprefix(".")
        is_known = suffix in RESULTS_FORMATS.names(missing=True) and path.is_file()
        unpack = RESULTS_FORMATS.find(suffix).unpack if is_known else None
        if unpack is None:
            return cls(path, str(path), path.parent if path.is_file() else path)
        folder = unpacked / path.stem
        folder.mkdir(parents=True)
        unpack(path, folder, partial(RecordFile.matches, names=records))
        return cls(folder, text, path.parent)
