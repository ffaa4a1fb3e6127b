"""A process whose forks run submissions: to start one from nothing takes more than a second.

It has imported what a process of the grader imports, and nothing else. Each fork is what the grader would have started.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path

import runner
from runner.base.signals import end_with
from runner.features.grading import worker

WORLDS = ("npuzzle/random", "wumpus/static")
"""Worlds whose kernels all forks share."""
_PROGRAM = (
    "import sys; sys.path = list(filter(None, sys.path)); "
    "from tests.runner.features.grading.forks import serve; serve()"
)


class Forks:
    """Takes the place of the module `subprocess` where the grader starts a process.

    Parameters
    ----------
    folder : Path
        Folder of the socket.
    """

    DEVNULL = subprocess.DEVNULL

    def __init__(self, folder: Path) -> None:
        self._address, self._environment = str(folder / "forks"), dict[str, str]()
        self._process: subprocess.Popen[bytes] | None = None

    def Popen(self, command: Sequence[str], *, env: Mapping[str, str], cwd: Path, **options: object) -> object:
        """Fork the process, which the first call starts; in another environment, start the program of the grader."""
        if self._process is None:
            self._start(env)
        if env != self._environment:
            return subprocess.Popen(command, env=env, cwd=cwd, **options)  # type: ignore[call-overload]
        return _Fork(self._address, cwd, int(command[3]))

    def _start(self, environment: Mapping[str, str]) -> None:
        self._environment = dict(environment)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self._address)
            listener.listen()
            self._process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, str(listener.fileno()), str(os.getpid())],
                pass_fds=[listener.fileno()], env=environment, stdin=subprocess.DEVNULL,
            )  # fmt: skip

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(self._address)
            self._process.wait()


class _Fork:
    """Process that the grader has started, as the grader sees it."""

    def __init__(self, address: str, folder: Path, file: int) -> None:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(address)
            socket.send_fds(connection, [os.fsencode(folder)], [file])
            self._id = int(connection.recv(99))

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._id, signal.SIGKILL)

    def wait(self) -> None:
        """The process of the forks waits for it."""


def serve() -> None:
    """Fork this process whenever a grader wants one, until a connection says nothing."""
    listener, own = socket.socket(fileno=int(sys.argv[1])), os.getpid()
    end_with(int(sys.argv[2]))
    worker._warm([next(iter(runner.load(name))) for name in WORLDS])
    while True:
        connection, _ = listener.accept()
        with connection:
            folder, files, _, _ = socket.recv_fds(connection, 1 << 12, 1)
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    """Forget those that have ended."""
            if not files:
                return
            if (child := os.fork()) == 0:
                listener.close()
                connection.close()
                _run(folder, files[0], own)
            os.close(files[0])
            connection.sendall(str(child).encode())


def _run(folder: bytes, file: int, parent: int) -> None:
    try:
        os.chdir(folder)
        sys.argv[1:] = [str(file), str(parent)]
        worker.main()
        os._exit(0)
    finally:
        traceback.print_exc()
        os._exit(1)
