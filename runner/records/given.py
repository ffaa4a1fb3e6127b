"""Results that users name: folders, tables, archives, and the rows that come with the package."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from runner.base.errors import UserError, suggest
from runner.records import parquet
from runner.records.archive import RECORDS, SUFFIX, unpack
from runner.records.latest import given_folder
from runner.records.reader import METRICS, RESULTS

ATLAS = "atlas:"
_UNPACKED = "search-runner-unpacked-"
"""Prefix of the temporary folders of archives."""
ATLAS_FOLDER = Path(__file__).parents[1] / "atlas"


@dataclass(frozen=True)
class Given:
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


@contextmanager
def given_results(
    texts: Iterable[str | os.PathLike[str]], files: Sequence[str] = (METRICS,), records: Sequence[str] = RECORDS
) -> Iterator[list[Given]]:
    """Return the results that a user has named. In this context archives are unpacked, and deleted at its end.

    Parameters
    ----------
    texts : iterable of str
        Folders, CSV files, archives (``.zip``), tables as Parquet (``.parquet``), ``atlas:NAME`` or ``latest``.
    files : sequence of str
        Names of files as for `given_folder`.
    records : sequence of str
        Names of the files that are unpacked from archives.

    Raises
    ------
    UserError
        If an archive is corrupt, or a name is unknown.
    """
    with TemporaryDirectory(prefix=_UNPACKED) as unpacked:
        yield [
            _given(os.fspath(text), files, records, Path(unpacked, str(number))) for number, text in enumerate(texts)
        ]


def is_unpacked(file: Path) -> bool:
    """Whether a file is in an archive that `given_results` has unpacked, so that it will be deleted."""
    return any(folder.name.startswith(_UNPACKED) for folder in file.parents)


def _given(text: str, files: Sequence[str], records: Sequence[str], unpacked: Path) -> Given:
    if text.startswith(ATLAS) and not Path(text).exists():
        return Given(_atlas(text.removeprefix(ATLAS)), text, None)
    path = given_folder(text, files)
    if path.suffix.lower() not in (SUFFIX, parquet.SUFFIX) or not path.is_file():
        return Given(path, str(path), path.parent if path.is_file() else path)
    folder = unpacked / path.stem
    folder.mkdir(parents=True)
    if path.suffix.lower() == SUFFIX:
        unpack(path, folder, records)
    else:
        parquet.unpack(path, folder / RESULTS)
    return Given(folder, text, path.parent)


def _atlas(name: str) -> Path:
    names = sorted({file.parents[1].name for file in ATLAS_FOLDER.glob(f"*/*/{METRICS}")})
    if name not in names:
        raise UserError(f"{ATLAS}{name}: there are no such rows{suggest(name, names)}")
    return ATLAS_FOLDER / name
