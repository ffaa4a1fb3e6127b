"""Archives: zip files with the records of runs and sweeps, written here and read as data from strangers."""

from __future__ import annotations

import io
import os
import re
import shutil
import stat
import struct
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from runner.base import UserError, atomic_write, file_error, open_regular, reason
from runner.features.archive.members import MAX_BYTES, MAX_MEMBERS, Members

_MAX_DIRECTORY = 32 * 2**20
"""Maximum number of bytes of the list of members: 160 for each."""
_MAX_DEPTH, _MAX_NAME = 20, 1_000
_DATE = (1980, 1, 1, 0, 0, 0)
_CORRUPT = (BadZipFile, struct.error, zlib.error, EOFError, ValueError, LookupError, RuntimeError, ArithmeticError)
"""Exceptions that reading a corrupt zip file may raise. Encryption and unknown compression are runtime errors."""


def write_zip(out: Path, members: Members) -> None:
    """Write a zip file. It appears whole or not at all. Equal contents give equal bytes.

    The members are below a folder that has the name of the zip file.

    Raises
    ------
    UserError
        If a file cannot be read or written.
    """
    try:
        with atomic_write(out, "wb") as target, ZipFile(target, "w", ZIP_DEFLATED) as archive:
            for name, pieces in members.items():
                entry = ZipInfo(f"{out.stem}/{name}", _DATE)
                entry.compress_type, entry.external_attr = ZIP_DEFLATED, 0o644 << 16
                with archive.open(entry, "w", force_zip64=True) as copy:
                    copy.writelines(pieces)
    except OSError as error:
        raise UserError(reason(error, out)) from None


def unpack(file: Path, folder: Path, is_wanted: Callable[[str], bool]) -> None:
    """Write the records in a zip file to a new folder. If all members are in one folder, its contents are written.

    Nothing else is written or executed, and no empty file. Sizes and numbers are bounded before the first file is
    written.

    Parameters
    ----------
    is_wanted : callable
        Tells whether a file is written, by its path in the new folder.

    Raises
    ------
    UserError
        If the file is no archive, is too large, or has a member outside of its folder, a link or a name twice.
    """
    try:
        with open_regular(file, None) as source, _BoundedReads(source) as bounded, ZipFile(bounded) as archive:
            members = [each for each in archive.infolist() if not each.is_dir()]
            if len(members) > MAX_MEMBERS:
                raise ValueError(f"more than {MAX_MEMBERS:,} files")
            parts = [_parts(member) for member in members]
            shared = {names[0] if len(names) > 1 else "" for names in parts}
            start = 1 if len(shared) == 1 and "" not in shared else 0
            wanted = {"/".join(names[start:]): member for names, member in zip(parts, members, strict=True)}
            if len(wanted) < len(members):
                raise ValueError("a name occurs twice")
            wanted = {name: each for name, each in wanted.items() if is_wanted(name) and each.file_size}
            if not wanted:
                raise ValueError("there are no records of a run or a sweep in it")
            if sum(member.file_size for member in wanted.values()) > MAX_BYTES:
                raise ValueError(f"more than {MAX_BYTES // 2**30} GiB of records")
            for name, member in wanted.items():
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(member) as packed, open(target, "xb") as out:
                    shutil.copyfileobj(packed, out)  # ends at the size in the list, whatever was packed
    except _CORRUPT as error:
        raise file_error(file, f"not an archive of results ({' '.join(str(error).split()) or 'corrupt'})") from None
    except OSError as error:
        raise file_error(file, f"cannot be unpacked ({error.strerror})") from None


def _parts(member: ZipInfo) -> tuple[str, ...]:
    """Return the folders and the name of a member; refuse what could lead out of the folder."""
    name = member.filename
    parts = PurePosixPath(name).parts
    if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG):
        raise ValueError(f"{name}: a link or a device")
    if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise ValueError(f"{name}: an unusual compression")
    if name != "/".join(parts) or ".." in parts or re.search(r"[\\\0]|^/|^[A-Za-z]:", name):
        raise ValueError(f"{name}: not a path inside the archive")
    if len(parts) > _MAX_DEPTH or len(name) > _MAX_NAME:
        raise ValueError(f"{name}: too long")
    return parts


class _BoundedReads(io.BufferedReader):
    """File whose reads are bounded: `ZipFile` reads the whole list of members at once."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(io.FileIO(os.dup(file.fileno())))

    def read(self, size: int | None = -1, /) -> bytes:
        """Return bytes of the file."""
        if size is not None and size > _MAX_DIRECTORY:
            raise BadZipFile("its list of files is too long")
        return super().read(size)
