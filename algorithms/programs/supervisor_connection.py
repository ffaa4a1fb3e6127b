"""Connection of a worker to its keeper, the process that starts programs (`keeper`)."""

from __future__ import annotations

import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from algorithms.programs import supervisor as keeper
from runner.machine import ControlGroup, own_worker_group, program_group

_SECONDS_TO_END = 15.0
_MILLISECONDS_TO_RESUME = 500
_MARK = b"SEARCH_RUNNER_FOLDER"
"""Environment variable of programs, by which they are found if their keeper was killed."""


class KeeperProcess:
    """Process that starts the programs of this worker, one at a time, and owns their temporary folder.

    Parameters
    ----------
    folder : Path
        Temporary folder. The keeper makes it, and removes it at `close` or when this process ends.

    Attributes
    ----------
    is_lost : bool
        Whether the keeper has ended, which it never does by itself.

    Raises
    ------
    RuntimeError
        If the keeper cannot make the temporary folder.
    """

    def __init__(self, folder: Path) -> None:
        self.is_lost = False
        self._folder = folder
        self._owner = os.getpid()
        self._program: int | None = None
        self._worker_group = own_worker_group()
        self._channel, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                (sys.executable, "-I", "-S", keeper.__file__, str(self._owner), str(folder)),
                stdin=theirs.fileno(), stdout=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
        self.receive()

    def fileno(self) -> int:
        """Return the file that becomes readable when a message comes."""
        return self._channel.fileno()

    @property
    def process(self) -> int:
        """Process id of the keeper."""
        return self._process.pid

    def new_group(self) -> ControlGroup | None:
        """Make a control group for the next program; None if this worker is in none."""
        if self._worker_group is None:
            return None
        with suppress(OSError):
            return program_group(self._worker_group, self.process)
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
        environment = {b"PYTHONHASHSEED": b"0", **os.environb, _MARK: os.fsencode(self._folder)}
        group_folder = None if group is None else os.fsencode(group.folder)
        self._send(("start", words, os.fsencode(folder), environment, group_folder), files)
        answer, *details = self.receive()
        while answer not in ("started", "failed"):  # about a program that was abandoned
            answer, *details = self.receive()
        if answer == "failed":
            number, text, file = details
            raise OSError(number, text, os.fsdecode(file) if file is not None else None)
        process, began = details
        self._program = process
        return process, began

    def request(self, name: str) -> None:
        """Send the request ``usage``, ``terminate`` or ``end`` about the program that runs."""
        self._send((name,))

    def resume(self) -> None:
        """Let the keeper go on if a program has stopped it."""
        self._process.send_signal(signal.SIGCONT)

    def receive(self) -> tuple[Any, ...]:
        """Wait for the next message, and return it.

        Raises
        ------
        RuntimeError
            If the keeper has ended.
        """
        events = select.poll()
        events.register(self._channel, select.POLLIN)
        while not events.poll(_MILLISECONDS_TO_RESUME):
            self.resume()
        try:
            message, _ = keeper.receive(self._channel)
        except ConnectionError:
            message = None
        if message is None:
            raise self._lost()
        if message[0] == "ended":
            self._program = None
        return message

    def close(self) -> None:
        """End all programs, and remove the folder. A process that was forked from this one cannot."""
        if os.getpid() == self._owner:
            self.leave()
            shutil.rmtree(self._folder, ignore_errors=True)  # the keeper was killed

    def leave(self) -> None:
        """Let the keeper end. If it was lost, its folder remains."""
        self._channel.close()
        self.resume()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_SECONDS_TO_END)

    def _send(self, message: tuple[Any, ...], files: tuple[int, ...] = ()) -> None:
        try:
            keeper.send(self._channel, message, files)
        except ConnectionError as error:
            raise self._lost() from error

    def _lost(self) -> RuntimeError:
        """Return the error after the end of the keeper. Its program ends with it, and all that this has started."""
        self.is_lost = True
        if self._program is not None:
            with suppress(OSError):
                os.killpg(self._program, signal.SIGKILL)
        while _kill_marked(self._folder):  # until none starts another
            time.sleep(0.001)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        code = self._process.returncode
        return RuntimeError(f"the process that starts programs has ended (exit code {code})")


def _kill_marked(folder: Path) -> bool:
    """Kill the processes that have the mark of a folder in their environment, and return whether there were any."""
    mark = b"\0%b=%b\0" % (_MARK, os.fsencode(folder))
    is_any = False
    for file in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):  # it has ended, or is none of ours
            if mark in b"\0" + file.read_bytes():
                os.kill(int(file.parent.name), signal.SIGKILL)
                is_any = True
    return is_any
