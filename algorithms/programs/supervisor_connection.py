"""Connection of a worker to the process that starts its programs (`supervisor`)."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from algorithms.programs import supervisor
from runner.machine import ControlGroup, own_worker_group, program_group

_SECONDS_TO_END = 15.0


class SupervisorConnection:
    """Process that starts the programs of this worker, one at a time, and owns their temporary folder.

    Parameters
    ----------
    folder : Path
        Temporary folder. The supervisor makes it, and removes it at `close` or when this process ends.

    Raises
    ------
    RuntimeError
        If the supervisor cannot make the temporary folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._owner = os.getpid()
        self._worker_group = own_worker_group()
        self._channel, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                (sys.executable, "-I", "-S", supervisor.__file__, str(self._owner), str(folder)),
                stdin=theirs.fileno(), stdout=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
        self.receive()

    def fileno(self) -> int:
        """Return the file that becomes readable when a message comes."""
        return self._channel.fileno()

    def new_group(self) -> ControlGroup | None:
        """Make a control group for the next program; None if this worker is in none."""
        if self._worker_group is None:
            return None
        with suppress(OSError):
            return program_group(self._worker_group, self._process.pid)
        return None

    def start(
        self, command: Sequence[str], folder: Path, files: tuple[int, int, int], group: ControlGroup | None = None
    ) -> tuple[int, float]:
        """Start a program, and return its process id and the time at which it began.

        Parameters
        ----------
        folder : Path
            Working directory.
        files : tuple of int
            Standard input, output and error.
        group : ControlGroup, optional
            Group that the program enters.

        Raises
        ------
        OSError
            If the system cannot execute it.
        """
        words = [os.fsencode(word) for word in command]
        # programs in Python give the same counts each time
        environment = {b"PYTHONHASHSEED": b"0", **os.environb}
        group_folder = None if group is None else os.fsencode(group.folder)
        self._send(("start", words, os.fsencode(folder), environment, group_folder), files)
        answer, *details = self.receive()
        while answer not in ("started", "failed"):  # about a program that was abandoned
            answer, *details = self.receive()
        if answer == "failed":
            number, text, file = details
            raise OSError(number, text, os.fsdecode(file) if file is not None else None)
        process, began = details
        return process, began

    def request(self, name: str) -> None:
        """Send the request ``usage``, ``terminate`` or ``end`` about the program that runs."""
        self._send((name,))

    def receive(self) -> tuple[Any, ...]:
        """Wait for the next message, and return it.

        Raises
        ------
        RuntimeError
            If the supervisor has ended.
        """
        try:
            message, _ = supervisor.receive(self._channel)
        except ConnectionError:
            message = None
        if message is None:
            raise self._lost()
        return message

    def close(self) -> None:
        """End all programs, and remove the folder. A process that was forked from this one cannot."""
        if os.getpid() == self._owner:
            with suppress(OSError):  # processes that were forked from this one have the socket, too
                self._channel.shutdown(socket.SHUT_RDWR)
            self._channel.close()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_SECONDS_TO_END)
            shutil.rmtree(self._folder, ignore_errors=True)  # the supervisor was killed

    def _send(self, message: tuple[Any, ...], files: tuple[int, ...] = ()) -> None:
        try:
            supervisor.send(self._channel, message, files)
        except ConnectionError as error:
            raise self._lost() from error

    def _lost(self) -> RuntimeError:
        """Return the error after the end of the supervisor, which never ends by itself."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        return RuntimeError(f"the process that starts programs has ended (exit code {self._process.returncode})")
