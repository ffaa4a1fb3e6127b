"""Programs that a worker runs: each once, or as a server that answers line by line."""

from __future__ import annotations

import os
import secrets
import tempfile
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path

from algorithms.engine import Limits
from algorithms.programs.bounded_output import PrintedOutput
from algorithms.programs.execution import Execution, Finished
from algorithms.programs.server_process import ServerProcess
from algorithms.programs.supervisor_connection import SupervisorConnection
from runner.base import open_regular


class Programs:
    """Programs of one worker, which run one at a time in a temporary folder.

    It starts a process, the supervisor, when it is first used. The supervisor ends all programs and removes the folder
    when this process ends, however it ends. If the supervisor ends before, these programs are of no further use.
    """

    def __init__(self) -> None:
        name = f"search-runner-programs-{os.getpid()}-{secrets.token_hex(8)}"
        self._folder = Path(tempfile.gettempdir(), name).resolve()
        self._supervisor: SupervisorConnection | None = None
        self._finalizer: weakref.finalize[[], Programs] | None = None
        self._server: ServerProcess | None = None

    @property
    def folder(self) -> Path:
        """Temporary folder. It exists until `close`."""
        self._running_supervisor()
        return self._folder

    def run(
        self,
        command: Sequence[str],
        folder: Path,
        limits: Limits,
        *,
        stdin: Path | None = None,
        tick: Callable[[], bool] = lambda: False,
    ) -> Finished:
        """Run a program until it ends. A server that runs is ended before.

        Parameters
        ----------
        command : sequence of str
            Words of the command, without a shell.
        folder : Path
            Working directory.
        limits : Limits
            Limits of wall time, of the processor time and of the resident memory of all processes of the program.
        stdin : Path, optional
            File on standard input, which is empty otherwise.
        tick : callable
            Asked about 20 times a second whether to end the program.

        Raises
        ------
        OSError
            If the system cannot execute it.
        UserError
            If `stdin` is no regular file.
        RuntimeError
            If the supervisor has ended.
        """
        self._end_server()
        supervisor = self._running_supervisor()
        with open(os.devnull, "rb") if stdin is None else open_regular(stdin, None) as file:
            execution = Execution(supervisor, command, folder, file.fileno(), PrintedOutput(), PrintedOutput())
            execution.limit(limits, execution.started)
            try:
                return execution.finish(tick)
            except BaseException:
                execution.abort()
                raise

    def serve(self, command: Sequence[str], folder: Path, *, restarts: bool = True) -> ServerProcess:
        """Return a program that answers line by line (`ServerProcess`). A server that runs is ended before."""
        self._end_server()
        self._server = ServerProcess(self._running_supervisor(), command, folder, restarts=restarts)
        return self._server

    def close(self) -> None:
        """End all programs, and remove the folder."""
        self._end_server()
        if self._finalizer is not None:
            self._finalizer()
            self._supervisor = None

    def _running_supervisor(self) -> SupervisorConnection:
        """Return the supervisor, started if it does not run."""
        if self._supervisor is None:
            self._supervisor = SupervisorConnection(self._folder)
            self._finalizer = weakref.finalize(self, self._supervisor.close)
        return self._supervisor

    def _end_server(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
