"""Files: finding and reading those of the user, writing atomically, and the folder of caches."""

from __future__ import annotations

import difflib
import fnmatch
import glob
import io
import itertools
import os
import re
import reprlib
import secrets
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from heapq import heappop, heappush
from pathlib import Path
from typing import IO, Any, BinaryIO

from platformdirs import user_cache_path

from runner.base.errors import UserError

MAX_BYTES = 16 * 1024 * 1024
"""Largest size of a file that is read whole. JSON may take thirty times its size in memory."""
MAX_LINE = 1024 * 1024
"""Largest length of a line of a table, in bytes."""
MAX_ENTRIES = 1_000_000
"""Largest number of entries of folders that a glob pattern may visit."""
MAX_ID = 200
"""Largest length of the id of an instance, in characters."""
OUTPUTS = Path("outputs")
"""Folder of results, in the working directory."""
_WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0)
_ABANDONED_SECONDS = 600.0
"""Age without changes at which a temporary file counts as abandoned."""

Fail = Callable[[str], UserError]
"""Function that makes an error from a message, and adds the place of the mistake."""

_observed: ContextVar[dict[Path, None] | None] = ContextVar("observed", default=None)


@contextmanager
def observed_files() -> Iterator[dict[Path, None]]:
    """Collect the files that are found or opened in this context with the functions of this module."""
    found: dict[Path, None] = {}
    token = _observed.set(found)
    try:
        yield found
    finally:
        _observed.reset(token)


@contextmanager
def directory_kept() -> Iterator[None]:
    """Return to the working directory afterwards: relative paths belong to it, and code of users may leave it."""
    try:
        before = os.getcwd()
    except OSError:  # it has been removed
        before = "."
    try:
        yield
    finally:
        with suppress(OSError):
            os.chdir(before)


def _observe(paths: Iterable[Path]) -> None:
    found = _observed.get()
    if found is not None:
        found.update(dict.fromkeys(paths))


def find_files(
    pattern: str, extensions: Sequence[str], what: str, key: str = "world.path", *, is_recursive: bool = False
) -> list[Path]:
    """Return the files that a key such as ``world.path`` stands for, in natural order.

    Hidden files are found only by their names, or by a pattern that begins with a dot.

    Parameters
    ----------
    pattern : str
        File, folder or glob pattern. What exists under its name is no pattern.
    extensions : sequence of str
        Extensions of the files that are found in a folder.
    what : str
        Plural noun for the content of the files, for messages.
    key : str
        The key, for messages.
    is_recursive : bool
        Whether the files of a folder are also those in the folders in it.

    Raises
    ------
    UserError
        If there is no such file.
    """
    if not pattern:
        raise UserError(f"{key}: missing; give a file of {what}, a folder of them or a glob pattern")
    try:
        found = sorted(_find(pattern, extensions, what, is_recursive), key=natural_order)
    except UserError as error:
        raise UserError(f"{key}: {error}") from None
    except (OSError, RuntimeError, ValueError) as error:  # the name is too long, or there is no home directory
        reason = getattr(error, "strerror", None) or error
        raise UserError(f"{key}: {reprlib.repr(pattern)}: {reason}") from None
    _observe(found)
    return found


def _find(pattern: str, extensions: Sequence[str], what: str, is_recursive: bool) -> list[Path]:
    path = Path(pattern).expanduser()
    if path.is_dir():
        next(path.iterdir(), None)  # an error if it may not be read
        files = matching_files(path / "**" if is_recursive else path / "*")
        found = [file for file in files if file.suffix.lower() in extensions]
        if not found:
            raise UserError(f"the folder {path} holds no {what} ({', '.join(extensions)})")
    elif path.exists():
        found = [path]
    else:
        found = matching_files(path)
        if not found and glob.has_magic(pattern):
            hint = "; [...] stands for one of its characters" if "[" in pattern else ""
            raise UserError(f"no file matches {pattern}{hint}")
        if not found:
            siblings = [file.name for file in path.parent.iterdir()] if path.parent.is_dir() else []
            siblings = [name for name in siblings if name != path.name]  # a broken link
            near = difflib.get_close_matches(path.name, siblings, n=1)
            hint = f"; did you mean '{path.with_name(near[0])}'?" if near else ""
            raise UserError(f"{path} does not exist{hint}")
    return found


def is_hidden(name: str) -> bool:
    """Return whether a file or folder is hidden, such as ``._a.txt``, which macOS writes beside ``a.txt``."""
    return name.startswith(".")


def matching_files(pattern: Path) -> list[Path]:
    """Return the files that match a glob pattern. A part of it that exists as it is written is no pattern.

    Hidden files and folders match only parts that begin with a dot. ``**`` follows links, but visits no folder twice.

    Raises
    ------
    UserError
        If the pattern visits too many files.
    """
    visited = itertools.count(1)

    def entries(folder: Path) -> Iterator[Path]:
        try:
            with os.scandir(folder) as found:
                for entry in found:
                    if next(visited) > MAX_ENTRIES:
                        raise UserError(f"{pattern}: more than {MAX_ENTRIES:,} files to look at")
                    yield folder / entry.name
        except OSError:  # not a folder, or not readable
            return

    def folders(base: Path) -> Iterator[Path]:
        """Yield a folder and those below it. What links lead to comes last, unless it is there without them."""
        waiting = [(False, base)]
        known = set[tuple[int, int]]()
        while waiting:
            is_linked, folder = heappop(waiting)
            with suppress(OSError):  # not readable
                status = folder.stat()
                if (status.st_dev, status.st_ino) not in known:
                    known.add((status.st_dev, status.st_ino))
                    yield folder
                    for entry in entries(folder):
                        if not is_hidden(entry.name) and entry.is_dir():
                            heappush(waiting, (is_linked or entry.is_symlink(), entry))

    def expanded(base: Path, parts: Sequence[str]) -> Iterator[Path]:
        if not parts:
            yield base
        elif parts[0] not in ("*", "**") and (base / parts[0]).exists():
            yield from expanded(base / parts[0], parts[1:])
        elif parts[0] != "**":
            for entry in entries(base):
                if is_hidden(entry.name) <= is_hidden(parts[0]) and fnmatch.fnmatch(entry.name, parts[0]):
                    yield from expanded(entry, parts[1:])
        else:
            for folder in folders(base):
                yield from expanded(folder, parts[1:] or ["*"])

    return [file for file in dict.fromkeys(expanded(Path(), pattern.parts)) if file.is_file()]


def open_regular(path: Path, max_bytes: int | None = MAX_BYTES) -> BinaryIO:
    """Open a regular file for reading. Refuse all others: devices have no end, and pipes wait for a writer.

    Parameters
    ----------
    max_bytes : int or None
        Largest size of the file; None if the caller bounds what it reads.

    Raises
    ------
    UserError
        If the file cannot be opened, is not a regular file, or is too large.
    """
    try:
        file = open(path, "rb", opener=lambda name, flags: os.open(name, flags | _WITHOUT_WAITING))  # noqa: SIM115
    except IsADirectoryError:
        raise file_error(path, "is a directory") from None
    except (OSError, ValueError) as error:
        raise file_error(path, getattr(error, "strerror", None) or str(error)) from None
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode):
        problem = "not a regular file"
    elif max_bytes is not None and status.st_size > max_bytes:
        problem = f"too large (more than {max_bytes // 2**20} MiB)"
    else:
        _observe([path])
        return file
    file.close()
    raise file_error(path, problem)


def read_bytes(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the contents of a regular file.

    Raises
    ------
    UserError
        As `open_regular`, or if the file cannot be read.
    """
    with open_regular(path, max_bytes) as file:
        try:
            return file.read(min(max_bytes, os.fstat(file.fileno()).st_size))  # it may grow meanwhile
        except OSError as error:
            raise file_error(path, error.strerror or str(error)) from None


def read_text(path: Path, max_bytes: int = MAX_BYTES) -> str:
    """Return the contents of a regular file in UTF-8.

    Raises
    ------
    UserError
        As `read_bytes`, or if the file is not text.
    """
    try:
        return read_bytes(path, max_bytes).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise file_error(path, "not a text file (UTF-8)") from None


def read_lines(path: Path, max_length: int = MAX_LINE, max_bytes: int | None = None) -> Iterator[bytes]:
    """Yield the lines of a regular file, with their line ends. The file may be large, but not a line.

    Parameters
    ----------
    max_length : int
        Largest length of a line in bytes.

    Raises
    ------
    UserError
        As `read_bytes`, or if a line is too long.
    """
    with open_regular(path, max_bytes) as file:
        try:
            for number in itertools.count(1):
                line = file.readline(max_length + 1)
                if len(line) > max_length:
                    raise file_error(path, f"line {number} is longer than {max_length:,} bytes")
                if not line:
                    return
                yield line
        except OSError as error:
            raise file_error(path, error.strerror or str(error)) from None


def content_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the number, from 1, and the stripped text of each line that is neither empty nor a comment (# ...)."""
    for number, line in enumerate(io.StringIO(text, newline=None), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line.strip()


def named_lines(path: Path) -> Iterator[tuple[str | None, str, Fail]]:
    """Yield the id (None without one), the text, and what makes errors, for each line ``id: text`` of a file.

    The text is all that follows the colon: a blank after it stays.
    """
    for number, line in content_lines(read_text(path)):
        name, colon, text = line.rpartition(":")
        fail = partial(line_error, path, number)
        if colon and not name.strip():
            raise fail("the id before the colon is missing")
        yield name.strip() or None, text, fail


def is_id(text: str) -> bool:
    """Return whether a text can be the id of an instance."""
    return text.isprintable() and 1 <= len(text) <= MAX_ID


def checked_id(text: str, fail: Fail) -> str:
    """Return the id of an instance after checking it: ids are shown in tables and on the terminal."""
    if not is_id(text):
        raise fail(f"id: expected 1 to {MAX_ID} printable characters (without an id in the file, its name is the id)")
    return text


def file_error(path: Path, message: str, *, line: int | None = None) -> UserError:
    """Return a `UserError` that names the file, and the line if there is one. Lines are counted from 1."""
    return UserError(f"{path}: {message}" if line is None else f"{path}: line {line}: {message}")


def line_error(path: Path, number: int, message: str) -> UserError:
    """Return a `UserError` that names the file and the line."""
    return file_error(path, message, line=number)


@contextmanager
def atomic_write(path: Path, mode: str = "w") -> Iterator[IO[Any]]:
    """Open a file for writing. It appears under its name when it is complete, or not at all."""
    remove_abandoned(path.parent.glob(f".{glob.escape(path.name)}.*.tmp"))
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    text: dict[str, Any] = {} if "b" in mode else {"encoding": "utf-8", "newline": ""}
    try:
        with open(temporary, mode, **text) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def remove_abandoned(temporary: Iterable[Path]) -> None:
    """Remove temporary files of `atomic_write` that have not changed for ten minutes: their processes were killed."""
    for file in temporary:
        with suppress(OSError):
            if time.time() - file.stat().st_mtime > _ABANDONED_SECONDS:
                file.unlink()


def cache_root() -> Path:
    """Return this program's folder in the user's cache directory. It may not exist yet.

    Raises
    ------
    RuntimeError
        If the user has no home directory.
    """
    return user_cache_path("search-runner", appauthor=False, opinion=False)


def text_if_any(file: Path, max_bytes: int = MAX_BYTES) -> str:
    """Return the text of a file; empty if there is no file."""
    return read_bytes(file, max_bytes).decode(errors="replace") if file.exists() else ""


def walked(folder: Path) -> Iterator[Path]:
    """Yield all files below a folder, but in links to folders. A folder that vanishes meanwhile is no error."""
    return (Path(parent, name) for parent, _, names in os.walk(folder) for name in names)


def files_below(folder: Path, *names: str) -> list[Path]:
    """Return all files below a folder with one of some names, such as ``a.csv`` or ``b/a.csv``, in natural order."""
    ends = tuple(f"/{name}" for name in names)
    return sorted((file for file in walked(folder) if f"/{file.as_posix()}".endswith(ends)), key=natural_order)


def natural_order(path: Path) -> list[tuple[int, int | str]]:
    """Return a sort key that puts w2 before w10."""
    return [(0, int(part)) if part.isdecimal() else (1, part) for part in re.split(r"(\d+)", path.as_posix())]
