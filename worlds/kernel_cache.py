"""Cache of compiled kernels on disk, and its protection against corrupt files.

Every kernel has its own folder, named after everything that its machine code depends on. Numba writes an index and an
object file there, and this module a file with their digests. A file without a valid digest is removed before numba
reads it. No file changes in place, so several processes may use a folder at once; at worst they compile twice.
"""

from __future__ import annotations

import atexit
import hashlib
import mmap
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import numpy as np

from runner.messages import message
from worlds.code_digest import digest_of_files, python_files
from worlds.files import cache_root

PACKAGES = ("worlds", "heuristics", "algorithms")
"""Packages whose helpers and constants kernels use."""

_DIGESTS = "digests"
_SUFFIXES = (".nbi", ".nbc")
_KEY_LENGTH = 16
_foreign: dict[tuple[str, str], _Foreign] = {}
"""Helpers of plug-ins, by file and name."""


class _Foreign(NamedTuple):
    """Helper of a plug-in, and the digest of its file at its import."""

    function: Callable[..., Any]
    digest: str


class _Root:
    """Folder of all compiled kernels: the user's cache, else a temporary folder, else none.

    Forked processes use the same folder. They neither remove it nor make their own.
    """

    def __init__(self) -> None:
        self._process = os.getpid()
        self._was_announced = mmap.mmap(-1, 1)  # shared with forked processes
        self._is_settled = self._is_temporary = False
        self._folder: Path | None = None

    @property
    def folder(self) -> Path | None:
        """Writable folder of all compiled kernels; None if there is none."""
        self.settle()
        return self._folder

    def settle(self) -> None:
        """Choose the folder, once."""
        if self._is_settled:
            return
        self._is_settled = True
        try:
            base = os.environ.get("NUMBA_CACHE_DIR")
            self._folder = Path(base).absolute() if base else cache_root() / "kernels"
            self._folder.mkdir(parents=True, exist_ok=True)
            _try_to_write(self._folder)
        except (OSError, RuntimeError) as error:  # RuntimeError: there is no home
            self.give_up(error)

    def give_up(self, error: Exception) -> None:
        """Use a temporary folder, or none if this was the temporary one. Print a message once."""
        refused, self._folder = self._folder, None
        if os.getpid() == self._process and not self._is_temporary:
            self._is_temporary = True
            with suppress(OSError):
                self._folder = Path(tempfile.mkdtemp(prefix="search-runner-kernels-"))
                atexit.register(self._remove, self._folder)
        if not self._was_announced[0]:
            self._was_announced[0] = 1
            reason = error.strerror or str(error) if isinstance(error, OSError) else str(error)
            where = "The cache of compiled kernels" if refused is None else f"The folder of compiled kernels {refused}"
            message(f"{where} cannot be written ({reason}): every command compiles its kernels; set NUMBA_CACHE_DIR")

    def _remove(self, folder: Path) -> None:
        if os.getpid() == self._process:
            shutil.rmtree(folder, ignore_errors=True)


_root = _Root()
if hasattr(os, "register_at_fork"):  # so that forked processes share the folder, and print no second message
    os.register_at_fork(before=_root.settle)


def cache_folder() -> Path | None:
    """Return the writable folder of all compiled kernels; None if there is none."""
    return _root.folder


def depend_on(function: Callable[..., Any]) -> None:
    """Register a plug-in's helper as a dependency of machine code. Files of the project always are."""
    if not _is_ours(function):
        file = function.__code__.co_filename
        _foreign[file, function.__qualname__] = _Foreign(function, digest_of_files([Path(file)]))


def load_or_compile(function: Callable[..., Any], identity: object, build: Callable[[Path], Any]) -> Any:
    """Load a compiled function from the cache, or compile it and keep it there.

    Parameters
    ----------
    function : callable
        Plain Python function.
    identity : object
        Object whose `repr` distinguishes the kernel from others.
    build : callable
        Function that takes a folder, and returns the dispatcher that numba compiled with this folder as its cache.

    Returns
    -------
    numba dispatcher or None
        None if no folder can be written to, or a function is not from a file, such as that of a notebook.
    """
    functions = [function, *(helper.function for helper in _dependencies(function))]
    if not all(Path(each.__code__.co_filename).is_file() for each in functions):
        return None
    name = hashlib.sha256(repr(identity).encode(errors="surrogateescape")).hexdigest()[:_KEY_LENGTH]
    was_repeated = False
    while (root := cache_folder()) is not None:
        folder = root / version(function) / name
        try:
            remove_damaged(folder)
            dispatcher = build(folder)
            if folder not in Path(dispatcher.stats.cache_path).parents:
                raise PermissionError("numba uses another folder")
            if dispatcher.stats.cache_misses:
                write_digests(folder)
            return dispatcher
        except OSError as error:
            _root.give_up(error)
        except Exception:  # an error in the kernel, or a file became corrupt after the check
            if was_repeated or not remove_damaged(folder):
                raise
            was_repeated = True
    return None


def version(function: Callable[..., Any]) -> str:
    """Return a digest of everything that a kernel's machine code depends on, except the kernel itself.

    Numba notices a change in a kernel's own file only, not in helpers and constants from other files. So the digest
    covers all files of the project. It covers the files of plug-ins' helpers, and the constants that they import, if
    the kernel can call them. It also covers the version of numba and the processor: numba keeps the code for several
    processors under one index, and processes on different machines could confuse them.
    """
    helpers = _dependencies(function)
    own = [] if _is_ours(function) else [function]
    constants = [_constants(each) for each in (*own, *(each.function for each in helpers))]
    return _version(frozenset([*(each.digest for each in helpers), *constants]))


def _dependencies(function: Callable[..., Any]) -> list[_Foreign]:
    """Return the helpers of plug-ins that a kernel can call: all if `_is_foreign`, else none."""
    return list(_foreign.values()) if _is_foreign(function) else []


def _is_foreign(function: Callable[..., Any]) -> bool:
    """Return whether a function belongs to a plug-in, or has a function of a plug-in in its closure."""
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    return not _is_ours(function) or any(_is_foreign(cell) for cell in cells if isinstance(cell, FunctionType))


def _constants(function: Callable[..., Any]) -> str:
    """Return the numbers and texts that a function reads from its module, which may import them from another file."""
    names = {name for code in _codes(function.__code__) for name in code.co_names}
    read = {name: function.__globals__.get(name) for name in sorted(names)}
    arrays = {name: value.tolist() for name, value in read.items() if isinstance(value, np.ndarray)}
    return repr({name: value for name, value in read.items() if _is_constant(value)} | arrays)


def _is_constant(value: object) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_constant, value))
    return isinstance(value, (int, float, str, np.generic))


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a function and of the functions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


@cache
def _version(foreign: frozenset[str]) -> str:
    import numba
    from llvmlite.binding import get_host_cpu_name

    config: Any = numba.config  # its attributes are set on import
    processor = config.CPU_NAME or get_host_cpu_name()
    parts = (digest_of_files(python_files(PACKAGES)), *sorted(foreign), numba.__version__, processor)
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()[:_KEY_LENGTH]


def _is_ours(function: Callable[..., Any]) -> bool:
    return function.__module__.split(".")[0] in PACKAGES


def remove_damaged(folder: Path) -> int:
    """Prepare a kernel's folder for numba: remove the files that have no valid digest.

    Returns
    -------
    int
        Number of files that were removed.

    Raises
    ------
    OSError
        If a file cannot be removed, or the folder cannot be written to. Numba would write beside the source files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    recorded = _recorded_digests(folder)
    parts = _parts(folder)
    count = 0
    for part in parts:
        for file in _cached_files(part):
            digest = _digest(file)
            if digest is None or digest != recorded.get(_name(file)):
                file.unlink(missing_ok=True)
                count += 1
    for part in parts or [folder]:
        _try_to_write(part)
    return count


def write_digests(folder: Path) -> None:
    """Write the digests of all files of a kernel's folder, atomically.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    files = [file for part in _parts(folder) for file in _cached_files(part)]
    digests = [(_digest(file), _name(file)) for file in files]
    lines = "".join(f"{digest}  {name}\n" for digest, name in digests if digest is not None)
    number, temporary = tempfile.mkstemp(dir=folder)
    try:
        with open(number, "wb") as output:
            output.write(lines.encode(errors="surrogateescape"))
        os.replace(temporary, folder / _DIGESTS)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _recorded_digests(folder: Path) -> dict[str, str]:
    """Return the digests that were written, by names of files, without those that cannot be read."""
    try:
        lines = (folder / _DIGESTS).read_bytes().decode(errors="surrogateescape").splitlines()
    except OSError:
        return {}
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}


def _parts(folder: Path) -> list[Path]:
    """Return the folders that numba has made in a kernel's folder."""
    with os.scandir(folder) as entries:
        return [Path(entry.path) for entry in entries if entry.is_dir()]


def _cached_files(part: Path) -> list[Path]:
    """Return the files that numba reads."""
    return [file for file in part.iterdir() if file.name.endswith(_SUFFIXES)]


def _name(file: Path) -> str:
    return f"{file.parent.name}/{file.name}"  # the same module in another place has another folder


def _digest(file: Path) -> str | None:
    """Return the digest of a file; None if it cannot be read."""
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return None


def _try_to_write(folder: Path) -> None:
    """Create a file in a folder, and remove it.

    Raises
    ------
    OSError
        If the folder cannot be written to.
    """
    tempfile.TemporaryFile(dir=folder).close()
