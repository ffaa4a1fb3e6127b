"""A program that answers questions one after the other, for what takes less time than the start of a process."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from algorithms.engine import Limits
from algorithms.programs.bounded_output import PrintedOutput
from algorithms.programs.execution import LINES, SECONDS_TO_END, Execution, Finished
from algorithms.programs.supervisor_connection import SupervisorConnection
from runner.machine import Usage

_STDERR_BYTES = 1 << 16


@dataclass(frozen=True)
class AnswerLine:
    """Line, or lines, with which a server answers.

    Attributes
    ----------
    line : bytes
        The lines, without the end of the last one.
    seconds : float
        Wall time from the question on.
    cpu_seconds : float or None
        Processor time of the server. Without a control group that of the server itself, without what it has started;
        None if the system does not tell.
    usage : Usage
        What else is known. The peak of the memory is that since the start of the server.
    """

    line: bytes
    seconds: float
    cpu_seconds: float | None
    usage: Usage


class ServerProcess:
    """Program that is started at the first line, and again after its end.

    Parameters
    ----------
    supervisor : SupervisorConnection
        Supervisor that starts it.
    command : sequence of str
        Its words.
    folder : Path
        Its working directory.
    restarts : bool
        Whether a server that ends by itself after an answer is started again. Otherwise it is `Finished`.
    """

    def __init__(
        self, supervisor: SupervisorConnection, command: Sequence[str], folder: Path, *, restarts: bool = True
    ) -> None:
        self._supervisor = supervisor
        self._command = command
        self._folder = folder
        self._restarts = restarts
        self._execution: Execution | None = None
        self._printed = PrintedOutput()
        self._is_new = True

    @property
    def lines(self) -> int:
        """Number of lines of the answer that have come."""
        return self._printed.lines

    def ask(
        self, line: bytes, limits: Limits, tick: Callable[[], bool] = lambda: False, *, lines: int = 1
    ) -> AnswerLine | Finished:
        """Write a line, and return the line that the server prints.

        Parameters
        ----------
        line : bytes
            Question without the end of the (last) line.
        limits : Limits
            Limits of this line. The first line includes the start of the server.
        tick : callable
            Asked about 20 times a second whether to end the server.
        lines : int
            Number of lines of the answer.

        Returns
        -------
        AnswerLine or Finished
            The end of the server, if it ended, passed a limit, closed its output, or printed more lines. Its processor
            time is that of this question.

        Raises
        ------
        OSError
            If the system cannot execute it.
        RuntimeError
            If the supervisor has ended.
        """
        try:
            answer = self._ask(line, limits, tick, lines)
            has_ended = isinstance(answer, Finished) and answer.exit_code == 0 and answer.ended_by is None
            if has_ended and self._restarts and not self._is_new:
                answer = self._ask(
                    line, limits, tick, lines
                )  # it had ended after its last answer, and did not read the line
            return answer
        except BaseException:
            self.close()
            raise

    def _ask(self, line: bytes, limits: Limits, tick: Callable[[], bool], lines: int) -> AnswerLine | Finished:
        began = time.monotonic()
        execution = self._running()
        self._is_new = execution.started >= began
        execution.limit(limits, began)
        if self._printed.text:
            execution.kill(LINES)
        else:
            execution.write(line + b"\n")
        while not self._is_answered(execution, lines):
            execution.step(tick)
        printed = self._printed
        is_answer = printed.lines == lines and printed.text.endswith(b"\n")
        if is_answer and execution.ended_by is None:
            answer = bytes(printed.text[:-1])
            printed.clear()
            seconds = time.monotonic() - began
            return AnswerLine(answer, seconds, *execution.usage_so_far())
        if printed.lines >= lines and not is_answer:
            execution.kill(LINES)
        elif execution.ended_by is None:
            execution.end_within(SECONDS_TO_END)
        finished = execution.finish(tick)
        self._execution = None
        return finished

    def close(self) -> None:
        """End the server."""
        if self._execution is not None:
            self._execution.abort()
            self._execution = None

    def _running(self) -> Execution:
        """Return the server, started if it does not run."""
        if self._execution is not None:
            self._execution.wait(0.0)
            if self._restarts and self._execution.has_ended:
                self.close()
        if self._execution is None:
            self._printed = PrintedOutput()
            reader, writer = os.pipe()
            try:
                errors = PrintedOutput(_STDERR_BYTES)
                self._execution = Execution(
                    self._supervisor, self._command, self._folder, reader, self._printed, errors
                )
                self._execution.write_to(writer)
            except BaseException:
                os.close(writer)
                raise
            finally:
                os.close(reader)
        return self._execution

    def _is_answered(self, execution: Execution, lines: int) -> bool:
        """Return whether there is an answer, or will be none."""
        is_answered = self._printed.lines >= lines
        return is_answered or execution.is_closed or execution.has_ended or execution.ended_by is not None
