"""Members of an archive: the contents of files by their names in the archive, which are relative paths."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from tempfile import TemporaryDirectory

from runner.base import UserError, open_regular, reason
from runner.records import RecordFile, given_folder, record_files

MAX_MEMBERS = 200_000
MAX_BYTES = 4 * 2**30
"""Maximum number of unpacked bytes of the records of an archive."""
_PIECE = 1 << 20

Members = Mapping[str, Iterable[bytes]]
"""Contents of files, in pieces, by their names. Each can be read once."""


def pieces_of(file: Path) -> Iterator[bytes]:
    """Yield the bytes of a file in pieces."""
    with open_regular(file, max_bytes=None) as source:
        while piece := source.read(_PIECE):
            yield piece


def folders_of(given: Iterable[str]) -> list[Path]:
    """Return the folders that a user has named, without those inside of another one."""
    folders = dict.fromkeys(Path(os.path.abspath(given_folder(each))) for each in given)  # noqa: PTH100
    return [each for each in folders if folders.keys().isdisjoint(each.parents)]


def records_of(folders: Sequence[Path]) -> dict[str, Path]:
    """Return the records of the runs and sweeps below some folders, by their names in an archive.

    Raises
    ------
    UserError
        If a folder has no rows, or there are too many records.
    """
    places = {"": folders[0]} if len(folders) == 1 else dict[str, Path]()
    for folder in folders if not places else ():
        places[unused(folder.name, places.__contains__)] = folder
    records = {
        (Path(name) / file.relative_to(folder)).as_posix(): file
        for name, folder in places.items()
        for file in record_files(folder)
    }
    if len(records) > MAX_MEMBERS or sum(file.stat().st_size for file in records.values()) > MAX_BYTES:
        raise UserError(
            f"{folders[0]}: an archive has at most {MAX_MEMBERS:,} files and {MAX_BYTES // 2**30} GiB of records"
        )
    return records


def unused(name: str, is_taken: Callable[[str], bool]) -> str:
    """Return a name, with a number at its end if it is taken."""
    return next(each for each in chain([name], (f"{name}-{number}" for number in count(2))) if not is_taken(each))


def write_table(write: Callable[[Path, Path], None], out: Path, members: Members) -> None:
    """Write the rows of an archive as one table.

    Parameters
    ----------
    write : callable
        Writes the rows below a folder to a file.

    Raises
    ------
    UserError
        If a file cannot be read or written.
    """
    with TemporaryDirectory(prefix="search-runner-") as folder:
        try:
            for name, pieces in members.items():
                if RecordFile.matches(name, RecordFile.TABLES):
                    file = Path(folder, name)
                    file.parent.mkdir(parents=True, exist_ok=True)
                    with open(file, "wb") as copy:
                        copy.writelines(pieces)
            write(Path(folder), out)
        except OSError as error:
            raise UserError(reason(error, out)) from None
        except UserError as error:
            raise UserError(str(error).replace(f"{folder}/", "")) from None
