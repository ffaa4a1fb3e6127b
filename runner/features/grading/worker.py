"""Process that runs submissions: for each one a fork, which imports the file and answers the questions of the grader.

It is started as a program of its own, so that its memory holds no reference, no marks and not even the exercise.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import io
import json
import math
import os
import pickle
import pkgutil
import random
import resource
import select
import signal
import socket
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from algorithms.engine import Counts
from algorithms.interface import ALGORITHMS, PythonAlgorithm
from algorithms.spaces import values
from heuristics.interface import BoundStack, Stack, callback_term, stack_of_entries
from runner.base import UserError, end_with, reset_signals
from runner.config import load_plugins
from runner.features.audits import WorldError, check_world
from runner.features.grading.channel import DATA, FAILURE, QUESTION, VALUES, Channel
from runner.features.grading.explain import explained, found_entry, printing_line
from runner.features.grading.forbidden import check_names
from runner.features.grading.numbered_world import NumberedWorld
from runner.machine import children_of
from worlds.interface import SOURCES, Instance, Words

MODULE = "submission"
OUTPUT, EXCESS, STACK = "output.txt", "excess.txt", "stack.txt"
"""Files with the output of a submission, with the line that printed more than it may, and with the calls at its end by
the limit of time."""
_BLOCK = 256
"""States in which one without a value is searched."""
_TICK_SECONDS, _GRACE_SECONDS = 0.01, 0.3
_SUBREAPER = 36


@dataclass(frozen=True)
class SubmissionJob:
    """Submission to run.

    Attributes
    ----------
    folder : str
        Temporary folder, which contains the submission only.
    seconds, memory, output : int
        Limits: processor time in seconds, memory in bytes, and bytes that a file may have.
    call : float or None
        Limit of the processor time of each call of a heuristic in plain Python, in seconds.
    """

    folder: str
    seconds: int
    memory: int
    output: int
    call: float | None = None


def main() -> None:
    """Run submissions, one after the other, until the grader ends."""
    server = socket.socket(fileno=int(sys.argv[1]))
    end_with(int(sys.argv[2]))
    if sys.platform == "linux":  # become the parent of processes whose own parent has ended
        ctypes.CDLL(None).prctl(_SUBREAPER, 1)
    load_plugins(Channel(server).asked())
    _warm(Channel(server).asked())
    server.sendall(b"\n")  # ready
    while True:
        content, files, _, _ = socket.recv_fds(server, 1 << 16, 1)
        if not content:
            return
        sys.stdout.flush()
        own, child = os.getpid(), os.fork()
        if child == 0:
            server.close()
            _run(pickle.loads(content), socket.socket(fileno=files[0]), own)
        os.close(files[0])
        report = _supervise(server, child)
        with contextlib.suppress(OSError):  # the grader has ended
            server.sendall(json.dumps(report).encode() + b"\n")


def _warm(samples: Sequence[Instance]) -> None:
    """Load the kernels that submissions need, once for all of them."""
    for instance in samples:
        with contextlib.suppress(Exception):
            problem = instance.problem()
            term = callback_term(problem, lambda _: lambda _: 0)
            values(BoundStack(Stack(), problem, (term,)), problem.initial)


# Supervision of the fork.


def _supervise(server: socket.socket, child: int) -> dict[str, Any]:
    """Wait until a submission ends or the grader wants its end. Return how it ended, and the seconds that it took.

    A process that it has started is its child, or one of this process: an orphan, or a clone that has the same parent.
    """
    told, has_forked = math.inf, False
    while True:
        ended, status, usage = os.wait4(child, os.WNOHANG)
        if ended:
            break
        if time.monotonic() > told + _GRACE_SECONDS:
            _kill(child)
        if select.select([server] if told == math.inf else [], [], [], _TICK_SECONDS)[0]:
            told = time.monotonic()
            server.recv(1)
        elif children_of(child) or {*children_of(os.getpid())} - {child}:
            has_forked = True
            _kill(child)
    was_alive = time.monotonic() > told + _GRACE_SECONDS
    _kill(child)
    while orphans := children_of(os.getpid()):
        has_forked = True
        for each in orphans:
            _kill(each)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(each, 0)
    if told == math.inf:
        server.recv(1)
    code, seconds = os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime
    return {"code": code, "seconds": seconds, "has_forked": has_forked, "was_alive": was_alive}


def _kill(process: int) -> None:
    """Kill a process and its group."""
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(process, signal.SIGKILL)


# The fork.


def _run(job: SubmissionJob, connection: socket.socket, server: int) -> None:
    """Answer questions until the grader closes the connection, and end this process."""
    try:
        _confine(job, server)
        _Examinee(Channel(connection), job.call).serve()
    except EOFError:
        os._exit(0)
    finally:
        traceback.print_exc()
        os._exit(1)


def _confine(job: SubmissionJob, server: int) -> None:
    """Set the limits, leave nothing of the environment, and redirect the output to a file."""
    os.setsid()
    end_with(server)
    reset_signals()
    os.chdir(job.folder)
    os.environ.clear()
    sys.dont_write_bytecode = True  # a limit of the size of files would truncate that of our own modules
    sys.argv = [f"{MODULE}.py"]
    output = os.open(OUTPUT, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for old, new in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(old, new)
    sys.stdout = sys.stderr = io.TextIOWrapper(
        io.BufferedWriter(_BoundedOutput(job)), "utf-8", "backslashreplace", line_buffering=True
    )
    random.seed(0)
    np.random.seed(0)
    faulthandler.register(signal.SIGXCPU, open(STACK, "w"), all_threads=False, chain=True)  # noqa: SIM115  # kept open
    limits = {"RLIMIT_FSIZE": job.output, "RLIMIT_CORE": 0, "RLIMIT_NPROC": 0}
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limits["RLIMIT_AS"] = pages * resource.getpagesize() + job.memory
    hard = {"RLIMIT_CPU": job.seconds + 1}  # for one that ignores the signal
    for name, limit in {**limits, "RLIMIT_CPU": job.seconds}.items():
        with contextlib.suppress(ValueError, OSError):  # above what this process itself may have
            resource.setrlimit(getattr(resource, name), (limit, hard.get(name, limit)))


class _BoundedOutput(io.FileIO):
    """Standard output that drops what exceeds the limit, so that a forgotten `print` changes no answer."""

    def __init__(self, job: SubmissionJob) -> None:
        super().__init__(1, "w", closefd=False)
        self._folder = Path.cwd()
        self._left = job.output - os.fstat(1).st_size

    def write(self, data: Any, /) -> int:
        """Write bytes. Note the line that exceeds the limit."""
        size = memoryview(data).nbytes
        is_within, had_room = size <= self._left, self._left >= 0
        self._left -= size
        if is_within:
            return super().write(data)
        if had_room:
            (self._folder / EXCESS).write_text(str(printing_line(self._folder / f"{MODULE}.py")))
        return size


class _Examinee:
    """Answers of one submission. Each method is a question of the grader."""

    def __init__(self, channel: Channel, call_seconds: float | None) -> None:
        self._channel, self._file = channel, Path.cwd() / f"{MODULE}.py"
        self._call_seconds = call_seconds
        self._bound: BoundStack | None = None
        self._instances: Iterator[Instance] | None = None
        self._worlds: list[NumberedWorld] = []
        self._name = ""
        self._asked: tuple[Any, ...] = ()  # the state without a value, if there is one
        self._has_form, self._place = False, ""

    def serve(self) -> None:
        """Answer questions until the grader ends."""
        while True:
            question, *arguments = self._channel.asked()
            self._asked, self._place = (), ""
            try:
                kind, content = getattr(self, question)(*arguments)
            except BaseException as error:  # the submission may raise anything
                kind, content = FAILURE, explained(error, self._file, self._name, self._asked) + self._place
            sys.stdout.flush()
            self._channel.answer(kind, content)

    def load(
        self, kind: str, domain: str, name: str | None, forbidden: Sequence[str], form: str, boards: Sequence[Instance]
    ) -> tuple[bytes, Any]:  # fmt: skip
        """Import the submission, or let its form read it. Return the name of what is registered."""
        check_names(self._file, forbidden)
        self._domain, self._has_form = domain, bool(form)
        if form:
            names = pkgutil.resolve_name(f"{form}:load")(self._file, kind, name, boards)
            check_names(self._file, forbidden)  # the form may have made Python 3 of Python 2
        else:
            load_plugins([MODULE])
            names = [found_entry(kind, domain, name, self._file)]
        self._name = names[0]
        return DATA, {"name": ", ".join(names)}

    def bind(self, instance: Instance) -> tuple[bytes, Any]:
        """Prepare the heuristic for an instance."""
        stack = stack_of_entries(self._domain, self._name)
        for heuristic in stack.heuristics:
            heuristic.check(instance)
        problem = replace(instance.problem(), rounds_up=True, call_seconds=self._call_seconds)
        stack.build(instance)
        self._bound = stack.prepare(problem)
        if self._bound.problem is not problem:
            raise UserError(f"{self._name}: a heuristic that changes the problem cannot be graded")
        return DATA, None

    def values(self, states: Any) -> tuple[bytes, Any]:
        """Return the values of packed states, or of a list of states of a world in plain Python."""
        assert self._bound is not None
        if isinstance(states, bytes):
            packed: Words = np.frombuffer(states, np.uint64).copy()
        else:
            packed = np.concatenate([self._bound.problem.pack(state) for state in states])
        size = _BLOCK * self._bound.problem.initial.size
        return VALUES, np.concatenate(
            [self._values(self._bound, packed[first : first + size]) for first in range(0, packed.size, size)]
        )

    def _values(self, bound: BoundStack, packed: Words) -> NDArray[np.int64]:
        """Return the values of packed states. If there is none, find the state without one."""
        try:
            return values(bound, packed)
        except BaseException:
            words = bound.problem.initial.size
            for first in range(0, packed.size, words):
                state = packed[first : first + words]
                try:
                    values(bound, state)
                except BaseException:
                    found = bound.problem.unpack(state)
                    if self._has_form:  # students have states of their own
                        self._place = f" ({bound.problem.world.text_of(found)})"
                    else:
                        self._asked = (found,)
                    break
            raise

    def search(self, start: int, seen: dict[int, tuple[float, bool]], entry: str) -> tuple[bytes, Any]:
        """Call the algorithm, or one of several, with a problem whose methods ask the grader."""
        algorithm = ALGORITHMS.build(entry or self._name, {})
        if not isinstance(algorithm, PythonAlgorithm):
            raise UserError(
                f"{self._name}: only algorithms in plain Python can be graded; use @runner.python_algorithm"
            )
        problem: Any = RelayedProblem(self._channel, start, seen)
        plan = algorithm.call(problem)
        return DATA, None if plan is None else list(plan)

    def instance(self, place: int) -> tuple[bytes, Any]:
        """Return the start of an instance of the world, or None if there are no more."""
        if self._instances is None:
            source = SOURCES.build(self._name, {})
            source.check()
            self._instances = iter(source.instances())
        while len(self._worlds) <= place:
            instance = next(self._instances, None)
            if instance is None:
                return DATA, None
            self._worlds.append(NumberedWorld(instance))
        return DATA, msgspec.to_builtins(self._worlds[place].start())

    def world(self, place: int, method: str, *arguments: Any) -> tuple[bytes, Any]:
        """Return what a method of `NumberedWorld` returns."""
        return DATA, getattr(self._worlds[place], method)(*arguments)

    def check(self) -> tuple[bytes, Any]:
        """Run all checks of worlds, and return the violation, or None."""
        try:
            check_world(self._name)
        except WorldError as violation:
            return DATA, str(violation)
        return DATA, None


class RelayedProblem:
    """Problem as an algorithm in plain Python sees it (`algorithms.interface.search_problem.SearchProblem`).

    It asks the grader, which keeps the counts and the limits. It has no `instance`, whose steps would not be counted.
    """

    def __init__(self, channel: Channel, start: int, seen: dict[int, tuple[float, bool]]) -> None:
        self._channel, self._seen = channel, seen
        self.start, self.counts = start, Counts()
        self.measured: dict[str, float | None] = {}

    def expand(self, state: int, f: float | None = None) -> Any:
        """Return the steps from a state as (action, successor, cost)."""
        self.counts.expanded += 1
        steps, seen = self._ask("expand", state, f)
        self._seen.update(seen)
        return steps

    def h(self, state: int) -> float:
        """Return the heuristic value of a state."""
        return self._seen[state][0]

    def is_goal(self, state: int) -> bool:
        """Return whether a state is a goal."""
        return self._seen[state][1]

    def describe(self, state: int) -> Any:
        """Return a state as heuristics in plain Python see it."""
        return self._ask("describe", state)

    def improve(self, plan: Any) -> Any:
        """Report a solution of a search that continues."""
        return self._ask("improve", list(plan))

    def _ask(self, *words: Any) -> Any:
        self._channel.answer(QUESTION, words)
        error, reply = self._channel.asked()
        if error:
            raise ValueError(error)
        return reply


if __name__ == "__main__":
    main()
