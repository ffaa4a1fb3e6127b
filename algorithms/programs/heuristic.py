"""Programs of others, in any language, as heuristics: one process of a worker answers batches of states.

A batch is a line with the number of states, and a line for each; the answer is a line with a number for each
(docs/programs.md). The process is started and ended as servers are (`ServerProcess`).
"""

from __future__ import annotations

import math
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from algorithms.engine import Limits
from algorithms.programs.commands import (
    INSTANCE,
    MEMORY,
    PLAN,
    TIME,
    CommandTemplate,
    Placeholders,
    Value,
    check_code,
    check_names,
    executable_of,
    files_of,
)
from algorithms.programs.execution import LINES
from algorithms.programs.outcome import outcome_of
from algorithms.programs.process import Programs
from algorithms.programs.server_process import AnswerLine, ServerProcess
from heuristics.interface import HEURISTICS, Heuristic, Scale, Term, values_term
from runner.base import CPU_LIMIT, MEMORY_LIMIT, Incompatible, UserError, changed_parameters, plural
from worlds.interface import InputFile, Instance, OutOfTime, Problem, State, World

_COMMAND = "heuristic.command"
_NUMBERS = b"0123456789- \n"
_MAX_DIGITS = 4
"""Digits of the numbers in a table of texts."""
_BATCH_SECONDS = 60.0
"""Default of `limits.call`: without it, a program that leaves out a line would be waited for without end."""
_SHOWN = 60
"""Characters of a wrong line, or of a state, in a message."""


@HEURISTICS.register("program")
@dataclass(frozen=True)
class ProgramHeuristic(Heuristic):
    """Values that a program gives, in any language: a process that answers batches of states (docs/programs.md).

    A batch is a line with the number of states, then a line for each state. The program prints a line for each state,
    in their order, with a number of at least 0, or `inf` for a dead end, and flushes its output. It is started once
    for each worker; if its command has files of an instance, once for each instance.

    Attributes
    ----------
    command : list or str
        Words of the command, or one text that is split as a shell would. Names in braces are placeholders: those that
        programs as algorithms have, without {plan}, {time} and {memory}. It must be given.
    states : {"auto", "numbers", "text"}
        How states are written: the numbers that they consist of, or a text in the words of the domain. auto: numbers
        where a state is a tuple of whole numbers, else text.
    scale : int, optional
        Values are multiplied by it, then rounded down. With 1000, searches that order states by their values alone
        keep three decimals; in A* and others that add costs to them, only 1 makes sense. None: values must be integers
        where costs are.
    admissible_ : bool
        Whether the program promises that no value is larger than the cost of an optimal plan.
    consistent_ : bool
        Whether it promises that values are 0 at goals, and drop by no more than the cost of a step. They are then
        admissible, too.
    code : list
        Files, or patterns of files, whose change makes older rows stale, as that of the program itself does.
    """

    command: list[Value] | str = ""
    states: Literal["auto", "numbers", "text"] = "auto"
    scale: Scale | None = None
    admissible_: bool = False
    consistent_: bool = False
    code: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Split the command. Spellings of one command make the same rows."""
        if self.command:
            object.__setattr__(self, "command", list(CommandTemplate.of(self.command, _COMMAND).words))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_session"}

    @property
    def admissible(self) -> bool | None:
        """Whether the program promises it, or to be consistent."""
        return self.admissible_ or self.consistent_ or None

    @property
    def consistent(self) -> bool | None:
        """Whether the program promises it."""
        return self.consistent_ or None

    def identity(self) -> dict[str, Any]:
        """Return the parameters that are not at their defaults. `code` affects no value."""
        return {name: value for name, value in changed_parameters(self).items() if name != "code"}

    def code_parts(self) -> Iterator[Path]:
        """Yield the program, the files that its command names, and those of `code`."""
        command = CommandTemplate.of(self.command, _COMMAND)
        yield executable_of(command.words[0], _COMMAND)
        yield from command.files
        for pattern in self.code:
            yield from files_of(pattern)

    def check(self, instance: Instance) -> None:
        """Refuse a command that cannot be started, and states that the world does not have."""
        if not self.command:
            raise Incompatible(f"{_COMMAND}: missing; give the words of a command, such as [./h, '{{instance}}']")
        command = CommandTemplate.of(self.command, _COMMAND)
        executable_of(command.words[0], _COMMAND)
        other = next((name for name in command.names if name in (PLAN, TIME, MEMORY)), None)
        if other is not None:
            raise UserError(f"{_COMMAND}: {{{other}}}: has no value for a heuristic")
        check_names(command.names, instance, {}, _COMMAND)
        check_code(self.code, "heuristic.code")
        if (self.scale or 1) > 1 and self.admissible:
            raise UserError("heuristic.scale: a program is declared admissible or consistent: true of scale=1 only")
        world = instance.world
        has_variables = world.kernels is not None and world.kernels.state_variables is not None
        if self.states == "numbers" and not (has_variables or _is_row(world)):
            raise Incompatible(
                f"heuristic.states: states of {world.domain} are no numbers; choose heuristic.states=text"
            )

    def term(self, problem: Problem) -> Term:
        """Bind the program of this process, which is started at the first batch."""
        world = problem.world
        is_text = self.states == "text" or (self.states == "auto" and not _is_row(world))
        written: Callable[[Sequence[State]], bytes] = partial(_texts, world) if is_text else partial(_rows, world)
        session = self._session_of_process()

        def values(states: Sequence[State]) -> NDArray[np.int64] | list[float]:
            question = b"%d\n%b" % (len(states), written(states))
            answer = session.answer(problem, question, len(states))
            try:
                return _values_in(answer, states)
            except UserError:  # its next line may be part of this answer
                session.restart()
                raise

        return values_term(self, problem, values, self.scale)

    def close(self) -> None:
        """End the program of this process."""
        session: _Session | None = vars(self).get("_session")
        if session is not None and session.process == os.getpid():
            session.restart()

    def _session_of_process(self) -> _Session:
        """Return the session of this process, which ends with this heuristic. That of a parent process is not used."""
        session: _Session | None = vars(self).get("_session")
        if session is None or session.process != os.getpid():
            session = _Session(CommandTemplate.of(self.command, _COMMAND))
            object.__setattr__(self, "_session", session)
        return session


class _OutOfProcessorTime(OutOfTime):
    status = CPU_LIMIT.name


class _Session:
    """Program at work in this process: started at the first batch, and for each other command.

    Attributes
    ----------
    process : int
        Process id of the process that may use it.
    """

    def __init__(self, command: CommandTemplate) -> None:
        self.process = os.getpid()
        self._command = command.located()
        self._begin()

    def _begin(self) -> None:
        self._programs = Programs()
        self._server: ServerProcess | None = None
        self._instance: Instance | None = None
        self._words: tuple[str, ...] | None = None
        self._folder: Path | None = None

    def restart(self) -> None:
        """End the program, and its supervisor. The next batch starts it again."""
        self._programs.close()
        self._begin()

    def answer(self, problem: Problem, question: bytes, lines: int) -> bytes:
        """Return the lines with which the program answers. After an error it is started again.

        Raises
        ------
        UserError
            If it cannot be started, gives another number of lines, or lets a batch wait.
        _OutOfProcessorTime, MemoryError
            If the program passes a limit of the search.
        """
        seconds = _BATCH_SECONDS if problem.call_seconds is None else problem.call_seconds
        end = time.monotonic() + seconds

        def tick() -> bool:
            if time.monotonic() >= end:
                came = f"{server.lines:,} of {plural(lines, 'line')} came"
                raise UserError(f"heuristic 'program': {came} in limits.call={seconds:.10g} seconds of a batch")
            return False

        try:
            server, spent = self._server_for(problem.instance), problem.program_seconds
            left = None if problem.cpu_seconds is None else max(0.0, problem.cpu_seconds - spent[0])
            reply = server.ask(question, Limits(cpu=left, memory=problem.memory_bytes), tick, lines=lines)
            spent[0] += reply.cpu_seconds or 0.0
            is_over_memory = problem.memory_bytes is not None and (reply.usage.peak_bytes or 0) > problem.memory_bytes
            if isinstance(reply, AnswerLine) and not is_over_memory:
                return reply.line
            if isinstance(reply, AnswerLine) or reply.ended_by == MEMORY_LIMIT.name:
                raise MemoryError
            if reply.ended_by == CPU_LIMIT.name:
                raise _OutOfProcessorTime("the program of the heuristic reached the limit")
            count = plural(lines, "state")
            why = outcome_of(reply, {}, f"no values for {count}").error
            if reply.ended_by == LINES:
                why = f"it printed more than a line for each of {count}"
            raise UserError(f"heuristic 'program': {why}")
        except BaseException as error:
            self.restart()
            if isinstance(error, OSError):
                raise UserError(f"heuristic 'program': it cannot be started: {error.strerror or error}") from None
            raise

    def _server_for(self, instance: Instance) -> ServerProcess:
        """Return the program for an instance. One that was started for another instance serves if its words do."""
        if self._server is not None and instance is self._instance:
            return self._server
        words = self._words_for(instance)
        is_same_world = self._instance is not None and self._instance.world is instance.world
        if self._server is None or words != self._words or (words is None and not is_same_world):
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = Path(tempfile.mkdtemp(dir=self._programs.folder))
            filled = self._filled(instance, self._folder) if words is None else words
            self._server = self._programs.serve(filled, self._folder, restarts=False)
        self._instance = instance
        self._words = words
        return self._server

    def _words_for(self, instance: Instance) -> tuple[str, ...] | None:
        """Return the words of the command; None if files of this instance alone must be written first."""
        inputs = instance.world.inputs()
        for name in self._command.names:
            file = inputs.get(name)
            if name == INSTANCE or (isinstance(file, InputFile) and file.path is None and file.key is None):
                return None
        return self._filled(instance, self._programs.folder)

    def _filled(self, instance: Instance, folder: Path) -> tuple[str, ...]:
        placeholders = Placeholders(instance, {}, Limits(), folder, self._programs.folder)
        return tuple(self._command.filled(placeholders.__getitem__))


def _is_row(world: World) -> bool:
    """Return whether a state is a tuple of whole numbers."""
    state = world.initial()
    return type(state) is tuple and state != () and all(type(value) is int for value in state)


def _rows(world: World, states: Sequence[State]) -> bytes:
    """Return the numbers of each state on a line, separated by blanks.

    A table has the text of each small number, with blanks before and behind it. Other numbers are the text of a list,
    which Python makes in one call, without what separates them.
    """
    values = getattr(states, "values", None)
    if isinstance(values, np.ndarray) and values.size and values.min() >= 0 and values.max() < 10**_MAX_DIGITS:
        texts = _table(len(str(values.max())))[values]
        texts.view(np.uint8).reshape(len(values), -1)[:, -1] = ord("\n")
        return texts.tobytes()[:-1]
    listed = values.tolist() if isinstance(values, np.ndarray) else list(states)
    text = str(listed)[2:-2].replace("), (", "\n").replace("], [", "\n").replace(",", "")
    made = text.encode()
    if made.translate(None, _NUMBERS):
        raise UserError(f"heuristic.states: a state of {world.domain} is no row of whole numbers; choose text")
    return made


@lru_cache
def _table(digits: int) -> NDArray[np.bytes_]:
    """Return the texts of the numbers of at most some digits, all of one length, with a blank at the end."""
    return np.array([b"%*d " % (digits, number) for number in range(10**digits)])


def _texts(world: World, states: Sequence[State]) -> bytes:
    """Return the text of each state on a line."""
    return "\n".join([world.text_of(state).replace("\n", " ") for state in states]).encode(errors="replace")


def _values_in(answer: bytes, states: Sequence[State]) -> NDArray[np.int64] | list[float]:
    """Return the values in the lines of an answer."""
    lines = answer.split(b"\n")
    if b"_" not in answer:  # Python reads 1_000 as a number
        try:
            return np.array(list(map(int, lines)), np.int64)
        except (ValueError, OverflowError):
            pass
    return [_value_in(line, states[index]) for index, line in enumerate(lines)]


def _value_in(line: bytes, state: State) -> float:
    """Return the value in a line. Whether it is negative, `Checked` tells."""
    given = line[:_SHOWN].decode(errors="replace")
    try:
        if b"_" in line:
            raise ValueError
        try:
            return int(line)
        except ValueError:
            value = float(line)
        if not math.isinf(value) or b"inf" in line.lower():
            return value
        problem = f"{given}, which is too large,"
    except ValueError:
        problem = repr(given)
    raise UserError(
        f"heuristic 'program' gave {problem} for the state {repr(state)[:_SHOWN]}; expected a number of at least 0, or "
        "inf for a dead end"
    )
