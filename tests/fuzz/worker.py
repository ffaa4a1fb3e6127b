"""Worker: a forked process that runs one case after the other, and denies operations outside their directory."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from runner.base.errors import FAILED, REFUSED, UserError, message, reason
from runner.base.files import cache_root
from runner.base.signals import end_at_signals
from runner.cli.main import main
from runner.cli.run import run_composed
from runner.config.compose.composition import Composition
from runner.records.run_folder import RecordFile
from worlds.compile.cache import cache_folder

SECONDS = 10.0
"""Seconds after which a case gets SIGTERM. A case without rows must have ended by then."""
PATIENCE = 0.7
"""Seconds after which a run that has written rows gets SIGTERM; it may have a billion rows to write."""
GRACE = 5.0
"""Seconds from SIGTERM to SIGKILL."""
MAX_MEMORY = 3 << 29
"""Bytes that a case may use in addition to the memory of the worker."""

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = {
    "os.mkdir": (0,), "os.rename": (0, 1), "os.link": (1,), "os.symlink": (1,), "os.remove": (0,), "os.rmdir": (0,),
    "os.truncate": (0,), "os.chmod": (0,), "os.chown": (0,), "os.utime": (0,), "shutil.rmtree": (0,),
}  # fmt: skip
_FOREIGN = (
    "os.system",
    "subprocess.Popen",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "socket.connect",
    "webbrowser.open",
)


def watched(
    directory: Path, began: float, ended: Callable[[float], int | None], send: Callable[[int], object]
) -> tuple[bool, int | None]:
    """Wait for the end of a case; send it SIGTERM, and later SIGKILL, if it takes too long.

    Returns
    -------
    terminated : bool
        Whether it got SIGTERM.
    code : int or None
        Its exit code; None if it had to be killed.
    """
    deadline = None
    while True:
        code = ended(0.1)
        if code is not None:
            return deadline is not None, code
        now = time.monotonic()
        if deadline is None and (now > began + SECONDS or (now > began + PATIENCE and _rows(directory) > 1)):
            send(signal.SIGTERM)
            deadline = now + GRACE
        if deadline is not None and now > deadline:
            send(signal.SIGKILL)
            return True, None


class Worker:
    """A forked process that runs one case after the other."""

    def __init__(self, directory: Path, streams: dict[str, int]) -> None:
        self._directory = directory
        self.cases = 0
        self._connection, remote = Pipe()
        self._process = os.fork()
        if self._process == 0:
            self._connection.close()
            _work(directory, streams, remote)
        remote.close()

    def run(self, arguments: list[str], composition: Composition | None) -> tuple[int | None, bool, int]:
        """Run a case. Return its exit code, whether it got SIGTERM, and its memory in bytes."""
        self.cases += 1
        memory = 0

        def ended(seconds: float) -> int | None:
            nonlocal memory
            if not self._connection.poll(seconds):
                return None
            try:
                code, memory = self._connection.recv()
            except EOFError:
                code = self._reap()
            return code

        self._connection.send((arguments, composition))
        terminated, code = watched(
            self._directory, time.monotonic(), ended, lambda number: os.kill(self._process, number)
        )
        return code, terminated, memory

    def end(self) -> None:
        """End the process."""
        self._connection.close()
        self._reap()

    def _reap(self) -> int:
        if self._process == 0:
            return 0
        _, status = os.waitpid(self._process, 0)
        self._process = 0
        return os.waitstatus_to_exitcode(status)


def _work(directory: Path, streams: dict[str, int], connection: Connection) -> None:
    """Run the cases that the parent sends. Never returns."""
    try:
        for number, name in ((1, "output"), (2, "errors")):
            os.dup2(streams[name], number)
        size, resident = (
            int(pages) * resource.getpagesize() for pages in Path("/proc/self/statm").read_text().split()[:2]
        )
        resource.setrlimit(resource.RLIMIT_AS, (size + 2 * MAX_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        sys.addaudithook(
            _watcher(directory, lambda text: os.write(streams["denied"], f"{text}\n".encode(errors="replace")))
        )
        while True:
            try:
                arguments, composition = connection.recv()
            except EOFError:
                break
            os.chdir(directory)
            code = _run(arguments, composition)
            os.chdir("/")
            memory = max(0, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - resident)
            connection.send((code, memory))
    except BaseException:
        traceback.print_exc(file=sys.__stderr__)
        raise
    finally:
        os._exit(70)


def _run(arguments: list[str], composition: Composition | None) -> int:
    """Run a command in this process with new standard streams and default signal handlers. Return its exit code."""
    for number in (signal.SIGTERM, signal.SIGINT):  # the case before has ignored them
        signal.signal(number, signal.SIG_DFL)
    end_at_signals()
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", errors="strict", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.argv = ["runner", *arguments]
    try:
        code = main() if composition is None else _run_composed(composition)
    except BaseException:
        traceback.print_exc()
        code = 1
    for number in (signal.SIGTERM, signal.SIGINT):  # a signal may come after the end of the case
        signal.signal(number, signal.SIG_IGN)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    return code


def _run_composed(composition: Composition) -> int:
    """Run a configuration that is already composed, and report errors as `runner.cli.main` does."""
    try:
        return run_composed(composition)
    except UserError as error:
        message(f"error: {error}")
        return REFUSED
    except OSError as error:
        message(f"error: {reason(error, 'output')}")
        return FAILED


def _watcher(directory: Path, tell: Callable[[str], object]) -> Callable[[str, tuple[Any, ...]], None]:
    """Return an audit hook that denies writing outside a directory and the caches, other programs, and connections.

    A process may reset the peak of its own memory.
    """
    folders = (directory, cache_root(), cache_folder() or directory)
    allowed = tuple(f"{Path(path).resolve()}{os.sep}" for path in folders)

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, flags = arguments[0], arguments[2]
            if isinstance(path, int) or not (isinstance(flags, int) and flags & _WRITING):
                return
            paths = [path]
        elif event in _CHANGES:
            paths = [arguments[index] for index in _CHANGES[event]]
        elif event in _FOREIGN:
            tell(f"{event} {arguments!r}")
            raise PermissionError(13, "Permission denied")
        else:
            return
        for path in paths:
            with suppress(TypeError, ValueError):
                real = os.path.realpath(os.fsdecode(path)) if not isinstance(path, int) else ""
                if real in ("", os.devnull, f"/proc/{os.getpid()}/clear_refs"):
                    continue
                if not f"{real}{os.sep}".startswith(allowed):
                    tell(f"{event} {real}")
                    raise PermissionError(13, "Permission denied", os.fsdecode(path))

    return watch


def _rows(directory: Path) -> int:
    """Return the number of rows and of cells after the first: the progress of a run."""
    jobs, rows = 0, 0
    for folder, folders, files in os.walk(directory):
        jobs += ".hydra" in folders
        rows += len(lines_of(Path(folder, RecordFile.METRICS))) - 1 if RecordFile.METRICS in files else 0
    return max(0, jobs - 1) + rows


def lines_of(file: Path) -> list[str]:
    with suppress(OSError):
        return file.read_text(encoding="utf-8", errors="replace").splitlines()
    return []
