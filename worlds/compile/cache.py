"""Cache of compiled kernels on disk.

Every kernel has its own folder, named by the digest of everything that its machine code depends on. Numba writes an
index and an object file there. What cannot be loaded is removed and compiled again. No file changes in place, so
several processes may use a folder at once; at worst they compile twice.
"""

from __future__ import annotations

import mmap
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

from runner.base import cache_root, message, walked


class _Root:
    """Folder of all compiled kernels: the user's cache, else this user's temporary folder, else none."""

    def __init__(self) -> None:
        self._was_announced = mmap.mmap(-1, 1)  # shared with forked processes
        self._is_settled = self._is_temporary = False
        self.folder: Path | None = None

    def settle(self) -> None:
        """Choose the folder, once."""
        if self._is_settled:
            return
        self._is_settled = True
        try:
            base = os.environ.get("NUMBA_CACHE_DIR")
            self.folder = Path(base).absolute() if base else cache_root() / "kernels"
            self.folder.mkdir(parents=True, exist_ok=True)
            _try_to_write(self.folder)
        except (OSError, RuntimeError) as error:  # RuntimeError: there is no home
            self.give_up(error)

    def give_up(self, error: Exception) -> None:
        """Use the temporary folder that all commands of a user share, or none if this was it. Print a message once."""
        refused, self.folder = self.folder, None if self._is_temporary else _shared_temporary()
        self._is_temporary = True
        if not self._was_announced[0]:
            self._was_announced[0] = 1
            reason = error.strerror or str(error) if isinstance(error, OSError) else str(error)
            where = "The cache of compiled kernels" if refused is None else f"The folder of compiled kernels {refused}"
            instead = f"kernels are kept in {self.folder}" if self.folder else "every command compiles its kernels"
            message(f"{where} cannot be written ({reason}): {instead}; set NUMBA_CACHE_DIR to a folder that can")


def _shared_temporary() -> Path | None:
    """Return the folder under the temporary directory that all processes of this user share, and nobody else.

    None if it cannot be used: it is a link, or others own it or may write to it, so that the machine code in it must
    not be loaded.
    """
    user = os.getuid() if hasattr(os, "getuid") else None  # on Windows each user has a temporary directory
    folder = Path(tempfile.gettempdir(), f"search-runner-kernels-{user or 0}")
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or (user is not None and (found.st_uid != user or found.st_mode & 0o022)):
            return None
        _try_to_write(folder)
    except OSError:
        return None
    return folder


_root = _Root()
if hasattr(os, "register_at_fork"):  # so that forked processes share the folder, and print no second message
    os.register_at_fork(before=_root.settle)


def cache_folder() -> Path | None:
    """Return the writable folder of all compiled kernels; None if there is none."""
    _root.settle()
    return _root.folder


def load_or_compile(
    function: Callable[..., Any], digest: str, compile_beside: Callable[[Callable[..., Any]], Any]
) -> Any:
    """Load a compiled function from the cache, or compile it and keep it there.

    Parameters
    ----------
    function : function
        Plain Python function without a closure.
    digest : str
        Digest of all that its machine code depends on (`worlds.compile.digest`).
    compile_beside : callable
        Function that takes a function, and returns the dispatcher that numba compiled, or found in the folder
        of its file.

    Returns
    -------
    numba dispatcher or None
        None if no folder can be written to, or if the function cannot be compiled: then it is to be compiled without a
        cache, for an error that names its lines.
    """
    while (root := cache_folder()) is not None:
        folder = root / digest
        try:
            indices = _indices(folder)
            dispatcher = compile_beside(_placed(function, folder))
            if folder not in Path(dispatcher.stats.cache_path).parents:
                raise PermissionError("numba uses another folder")
            return dispatcher
        except OSError as error:
            _root.give_up(error)
        except Exception:  # numba reads its files with pickle, which raises any error
            if not indices:
                return None
            for file in indices:
                file.unlink(missing_ok=True)
    return None


def is_missing(digest: str) -> bool:
    """Return whether there is a cache, and it has no machine code of the function with this digest."""
    root = cache_folder()
    return root is not None and not _indices(root / digest)


def _indices(folder: Path) -> list[Path]:
    """Return the files of numba that list machine code. Another process may be removing them."""
    return [file for file in walked(folder) if file.suffix == ".nbi"]


def _placed(function: Callable[..., Any], folder: Path) -> Callable[..., Any]:
    """Return a copy of a function that seems to stand in the first line of an empty file in a folder.

    Numba finds a cached function by file and line, and takes it for another one whenever the file changes.

    Raises
    ------
    OSError
        If the folder cannot be written to. Numba would write elsewhere.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _try_to_write(folder)
    file = folder / "kernel.py"
    with open(file, "ab"):  # an existing file keeps its time, by which numba knows it
        pass
    code = function.__code__.replace(co_filename=str(file), co_firstlineno=1)
    copy = FunctionType(code, function.__globals__, function.__name__, function.__defaults__)
    copy.__module__, copy.__qualname__, copy.__kwdefaults__ = (
        function.__module__, function.__qualname__, function.__kwdefaults__,
    )  # fmt: skip
    return copy


def _try_to_write(folder: Path) -> None:
    """Create a file in a folder, and remove it.

    Raises
    ------
    OSError
        If the folder cannot be written to.
    """
    tempfile.TemporaryFile(dir=folder).close()
