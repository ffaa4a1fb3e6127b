"""Submissions, seen from the grader: a process that answers questions, and a heuristic and an algorithm made of it."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import make_dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.interface import PythonSearch, SearchAlgorithm, SearchProblem
from algorithms.spaces import INFINITY, StateSpace
from heuristics.interface import UNREACHABLE, BoundStack, Heuristic, Weighting, callback_term
from runner.base import ROOT, UserError, blocked, exit_reason, one_line
from runner.features.grading.channel import DATA, FAILURE, QUESTION, VALUES, Channel
from runner.features.grading.worker import EXCESS, MODULE, OUTPUT, STACK, SubmissionJob
from worlds.compile import MAX_COST, keep
from worlds.interface import Instance, Problem, Words

_PROCESSOR = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")
_KEPT = ("PATH", "HOME", "LANG", "TMPDIR", "PYTHONPATH", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR", *_PROCESSOR)
_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
_PROGRAM = (
    "import sys; sys.path = list(filter(None, sys.path)); from runner.features.grading.worker import main; main()"
)
"""Statements that import nothing from the working directory, where submissions can write."""
_LINE = re.compile(rf'{MODULE}\.py", line (\d{{1,9}}) in ')
"""Line of a submission in a list of calls."""
_MAX_NAME = 80
_LEAST_SECONDS = 0.01
_SECONDS_TO_END = 10.0
"""Time in which the process that runs submissions ends one, unless that has stopped it."""
_NO_STATE = (1 << 64) - 1
"""Word of no state of a world in plain Python."""
_METHODS = {"expand": 2, "describe": 1, "improve": 1}
"""Methods of a problem that a submission may call, and the number of their arguments."""


_Steps = dict[int, dict[int, int]]
"""Successors by the states that were expanded, and by actions."""


class SubmissionError(UserError):
    """Failure of a submission to answer."""


class Server:
    """Process that runs submissions, one at a time.

    Parameters
    ----------
    plugins : sequence of Path
        Files with the worlds of the exercise. The process sees copies.
    samples : sequence of Instance
        Instances whose kernels are loaded once for all submissions.
    """

    def __init__(self, plugins: Sequence[Path], samples: Sequence[Instance]) -> None:
        self._plugins, self._samples = plugins, list(samples)
        self._begin()

    def _begin(self) -> None:
        """Start the process, in a new folder: a submission may have written to the one before."""
        self._is_ready, self._folder = False, Path(tempfile.mkdtemp(prefix="grade-"))
        modules = [Path(shutil.copy(file, self._folder)) for file in self._plugins]
        self._socket, theirs = socket.socketpair()
        environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
        environment |= dict.fromkeys(_ONE_THREAD, "1") | {"PYTHONHASHSEED": "0"}
        own = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
        environment["PYTHONPATH"] = os.pathsep.join((str(ROOT), *map(os.path.abspath, own)))
        program = (sys.executable, "-c", _PROGRAM)
        with theirs, blocked():  # Ctrl-C is for the grader, which then ends this process
            self._process = subprocess.Popen(
                [*program, str(theirs.fileno()), str(os.getpid())], pass_fds=[theirs.fileno()], cwd=self._folder,
                env=environment, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        for words in (modules, self._samples):  # samples may be of worlds in the modules
            Channel(self._socket).ask(*words)

    def start(self, job: SubmissionJob) -> Channel:
        """Start a submission, and return the connection to it.

        Raises
        ------
        UserError
            If the process cannot import the plug-ins of the exercise.
        """
        if not self._is_ready:
            if not self._socket.recv(1):
                raise UserError("the process that runs submissions has ended")
            self._is_ready = True
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self._socket, [pickle.dumps(job)], [theirs.fileno()])
        return Channel(ours)

    def end(self) -> dict[str, Any]:
        """End the submission. Return its exit code, its seconds, and what it has done to other processes."""
        content, harm = b"", "killed"
        self._socket.settimeout(_SECONDS_TO_END)
        try:
            self._socket.sendall(b"e")
            while not content.endswith(b"\n") and (piece := self._socket.recv(1 << 16)):
                content += piece
        except TimeoutError:
            harm = "stopped"
        except OSError:
            pass
        if content.endswith(b"\n"):
            self._socket.settimeout(None)
            report: dict[str, Any] = json.loads(content)
            return report
        self.close()
        self._begin()
        return {"code": -signal.SIGKILL, "seconds": 0.0, "has_forked": False, "harm_to_server": harm}

    def close(self) -> None:
        """End the process."""
        self._socket.close()
        self._process.kill()  # no submission runs, and to end by itself would take it longer
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


class Submission(contextlib.AbstractContextManager["Submission"]):
    """One submission in a process of its own. All that it says is checked.

    Parameters
    ----------
    server : Server
    file : Path
        Its Python file.
    kind : {"heuristic", "algorithm", "world"}
    domain : str
        Domain of a heuristic.
    wanted : str or None
        Name under which it must be registered; None for any.
    seconds, memory, output : int
        Limits: processor time, bytes of memory, bytes of output.
    patience : float
        Seconds to wait for all its answers.
    call : float or None
        Limit of each call of a heuristic in plain Python, in seconds.
    forbidden : sequence of str
        Names that it may not use.
    form : str
        Module that reads it; empty if it registers what it has.
    boards : sequence of Instance
        Instances from which a world of this form is made.

    Attributes
    ----------
    name : str
        Name under which it is registered.
    cpu_seconds : float
        Processor time of the processes that have ended.
    output : str
        What it has printed, shortened.
    warning : str
        What its student should change although it has answered; empty otherwise.
    failure : SubmissionError or None
        Why it gives no more answers.
    """

    def __init__(
        self, server: Server, file: Path, kind: str, domain: str, wanted: str | None,
        *, seconds: int, patience: float, memory: int, output: int, call: float | None, forbidden: Sequence[str],
        form: str = "", boards: Sequence[Instance] = (),
    ) -> None:  # fmt: skip
        self._server = server
        self._loaded = kind, domain, wanted, tuple(forbidden), form, list(boards)
        self._folder = Path(tempfile.mkdtemp(prefix=f"{MODULE}-"))
        shutil.copyfile(file, self._folder / f"{MODULE}.py")
        self._job = SubmissionJob(str(self._folder), seconds, memory, output, call)
        self._patience = patience
        self._channel: Channel | None = None
        self._bound: Problem | None = None
        self.failure: SubmissionError | None = None
        self._known: list[tuple[StateSpace, NDArray[np.int64]]] = []
        self.name, self.cpu_seconds, self.output, self.warning = kind, 0.0, "", ""

    def __exit__(self, *_: object) -> None:
        self.end()
        shutil.rmtree(self._folder, ignore_errors=True)

    def ask(self, *words: Any) -> Any:
        """Ask a question, and return the answer.

        Raises
        ------
        SubmissionError
            If the submission raises an exception, dies, exceeds a limit, or answers nonsense.
        """
        self._say(*words)
        return self._heard()[1]

    def load(self) -> None:
        """Import the submission. Raise `SubmissionError` if that fails."""
        try:
            self.name = one_line(str(self.ask("load", *self._loaded)["name"]))[:_MAX_NAME]
        except SubmissionError as error:
            self.failure = error
            self.end()
            raise
        except (TypeError, KeyError, IndexError):
            raise self._nonsense("no name") from None

    def bind(self, problem: Problem) -> None:
        """Prepare the submission, a heuristic, for a problem."""
        if self._bound is not problem:
            self._bound = None
            self.ask("bind", problem.instance)
            self._bound = problem

    def know(self, known: Iterable[tuple[StateSpace, NDArray[np.int64]]]) -> None:
        """Use the values of all states of some spaces from now on, instead of asking for them."""
        self._known += known

    def values(self, problem: Problem, states: Words) -> NDArray[np.int64]:
        """Return the values of packed states in the engine's units; `INFINITY` for a dead end."""
        for space, h in self._known:
            if is_same_world(space.problem, problem) and (numbers := _found(space, problem, states)).min() >= 0:
                known: NDArray[np.int64] = h[numbers]
                return known
        self.bind(problem)
        given: Any = states.tobytes()
        count = states.size // problem.initial.size
        if problem.callbacks is not None:  # their numbers differ in the other process
            given = [problem.callbacks.states[number] for number in states.tolist()]
        found = self.ask("values", given)
        if not isinstance(found, np.ndarray) or len(found) != count:
            raise self._nonsense("another number of values")
        if ((found < 0) | ((found > MAX_COST) & (found != INFINITY))).any():
            raise self._nonsense("values out of range")
        return found

    def search(self, problem: SearchProblem, entry: str = "") -> Sequence[int] | None:
        """Let the submission, an algorithm or several, search a problem, whose counts and limits stay here."""
        known, steps = {problem.start}, _Steps()
        try:
            self._say("search", problem.start, _seen(problem, known), entry)
            while True:
                kind, content = self._heard()
                if kind == DATA:
                    return self._plan(problem.conclude, problem.start, steps, content)
                if kind != QUESTION:
                    raise self._nonsense("no question")
                self._say(*self._replied(problem, known, steps, content))
        except BaseException:
            self.end()  # it may be in the middle of its search
            raise

    def end(self) -> None:
        """End the process, and note what it took and what it printed."""
        if self._channel is None:
            return
        self._channel.close()
        self._channel = self._bound = None
        self._report = self._server.end()
        self.cpu_seconds += self._report["seconds"]
        if "harm_to_server" in self._report and self.failure is None:  # its processor time is unknown
            self.failure = SubmissionError(_harm(self._report))
        with contextlib.suppress(OSError):
            self.output = _shortened(self._folder / OUTPUT)
        with contextlib.suppress(OSError, ValueError):
            line = int(_shortened(self._folder / EXCESS)[:9])
            where = f"line {line}: " if line > 0 else ""
            self.warning = f"{where}prints more than {self._job.output:,} bytes (limits.output): remove this print"

    def _say(self, *words: Any) -> None:
        if self.failure is not None:
            raise self.failure
        if self._channel is None:
            self._channel = self._server.start(self._job)
            if words[0] != "load":
                self.load()
        with self._waiting(), contextlib.suppress(EOFError, TimeoutError):  # the answer will tell why
            assert self._channel is not None
            self._channel.ask(*words, seconds=max(_LEAST_SECONDS, self._patience))

    def _heard(self) -> tuple[bytes, Any]:
        assert self._channel is not None
        try:
            with self._waiting():
                kind, content = self._channel.answered(max(0.0, self._patience))
        except TimeoutError:
            raise self._failed("did not answer in time (limits.wall)") from None
        except EOFError:
            raise self._failed(None) from None
        except ValueError as error:
            raise self._nonsense(error) from None
        if kind == FAILURE:
            raise SubmissionError(content)
        if kind not in (VALUES, DATA, QUESTION):
            raise self._nonsense("an unknown kind of answer")
        return kind, content

    @contextlib.contextmanager
    def _waiting(self) -> Iterator[None]:
        """Take the time that passes from the patience."""
        began = os.times().elapsed
        try:
            yield
        finally:
            self._patience -= os.times().elapsed - began

    def _nonsense(self, reason: object) -> SubmissionError:
        return self._failed(f"sent an answer that is none: {reason}")

    def _failed(self, reason: str | None) -> SubmissionError:
        """End the process for good, and return what it did."""
        self.end()
        job, code, seconds = self._job, self._report["code"], self._report["seconds"]
        if self._report["has_forked"]:
            reason = "started another process"
        elif "harm_to_server" in self._report:
            reason = _harm(self._report)
        elif reason is None and self._report.get("was_alive"):
            reason = "closed its connection"
        elif reason is None and code < 0 and seconds >= 0.9 * job.seconds - 0.5:
            reason = f"{self._last_line()}took more than {job.seconds} s of processor time (limits.time)"
        elif reason is None:
            reason = exit_reason(code)
        self.failure = SubmissionError(reason)
        return self.failure

    def _last_line(self) -> str:
        """Return the line of the submission that was running at the limit of time, as the beginning of a message."""
        with contextlib.suppress(OSError):
            if found := _LINE.search(_shortened(self._folder / STACK)):
                return f"line {found[1]}: "
        return ""

    def _plan(self, play: Callable[[Any], None], state: int, steps: _Steps, content: Any) -> Sequence[int] | None:
        """Return a plan after playing it; None if there is none. Its steps were found where the grader counts them."""
        if content is None:
            return None
        try:
            play(content)
            for number, action in enumerate(content, 1):
                if state not in steps:
                    raise ValueError(f"action {number} of the plan was not found by problem.expand, which is counted")
                state = steps[state][action]
        except (TypeError, ValueError, OverflowError) as error:
            raise SubmissionError(one_line(str(error))) from None
        plan: Sequence[int] = content
        return plan

    def _replied(self, problem: SearchProblem, known: set[int], steps: _Steps, content: Any) -> tuple[str, Any]:
        """Call a method of the problem. Return an error for the submission, or the value."""
        if not isinstance(content, list) or not content or len(content) - 1 != _METHODS.get(str(content[0])):
            raise self._nonsense("an unknown method of the problem")
        method, first, *rest = content
        if method == "improve":
            self._plan(problem.improve, problem.start, steps, first)
            return "", None
        if type(first) is not int or first not in known:  # kernels trust the words of a state
            return f"{method}: {one_line(repr(first))[:_MAX_NAME]} is no state that the problem has given", None
        if method == "expand":
            f = rest[0] if isinstance(rest[0], int | float) else None
            found = problem.expand(first, f)
            steps[first] = {action: successor for action, successor, _ in reversed(found)}
            new = {*steps[first].values()} - known
            known |= new
            return "", (found, _seen(problem, new))
        return "", problem.describe(first)


def _harm(report: Mapping[str, Any]) -> str:
    return f"{report['harm_to_server']} the process that runs it"


def _seen(problem: SearchProblem, states: set[int]) -> dict[int, tuple[float, bool]]:
    """Return the heuristic value of new states, and whether they are goals, so that nobody has to ask for them."""
    return {state: (problem.h(state), problem.is_goal(state)) for state in states}


def is_same_world(one: Problem, other: Problem) -> bool:
    """Return whether two problems differ in their starts only; in plain Python, if they have the same parameters."""
    if one.callbacks is None or other.callbacks is None:
        return one.expand is other.expand and one.constants.tobytes() == other.constants.tobytes()
    rules, others = one.world, other.world
    return rules is others or (type(rules) is type(others) and rules.identity() == others.identity())


def _found(space: StateSpace, problem: Problem, states: Words) -> NDArray[np.int64]:
    """Return the numbers of a problem's states in a space of the same world; -1 for those that are not in it."""
    if problem.callbacks is None or space.problem.callbacks is None or problem is space.problem:
        return space.find(states)
    of, given = space.problem.callbacks.of, problem.callbacks.states
    words = np.array([of.get(given[number], _NO_STATE) for number in states.tolist()], np.uint64)
    return space.find(words)


def submitted_heuristic(submission: Submission) -> Any:
    """Return a heuristic whose values are those of a submission."""

    def term(_: Heuristic, problem: Problem) -> Any:
        submission.bind(problem)
        return callback_term(problem, lambda shared: _callback(submission, problem, shared))

    return _entry(submission, Heuristic, term=term)


def submitted_algorithm(submission: Submission, entry: str = "") -> Any:
    """Return an algorithm that asks a submission, or one of its algorithms."""

    def start(_: SearchAlgorithm, stack: BoundStack, weighting: Weighting | None) -> PythonSearch:  # noqa: ARG001
        return PythonSearch(partial(submission.search, entry=entry), stack, is_complete=False, promised_bound=None)

    return _entry(submission, SearchAlgorithm, start=start)


def _entry(submission: Submission, base: type[Any], **methods: Any) -> Any:
    namespace = {"registered_name": submission.name, **methods}
    return make_dataclass("Submitted", [], bases=(base,), namespace=namespace, frozen=True)()


def _callback(submission: Submission, problem: Problem, shared: memoryview) -> Callable[[int], int]:
    """Make a function that replaces packed states in shared memory by their values."""
    words, packed = problem.initial.size, np.frombuffer(shared, np.uint64)
    found = np.frombuffer(shared, np.int64)

    def write(count: int) -> int:
        try:
            h = submission.values(problem, packed[: count * words].copy())
            found[:count] = np.where(h == INFINITY, UNREACHABLE, h)
            return 0
        except BaseException as error:
            return keep(error)

    return write


def _shortened(file: Path) -> str:
    """Return the beginning and the end of a text file. The submission may have replaced it by a link or a pipe."""
    with open(os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as content:
        status, half = os.fstat(content.fileno()), 1500
        if not stat.S_ISREG(status.st_mode):
            return ""
        if status.st_size <= 2 * half:
            return content.read().decode(errors="replace")
        begin = content.read(half)
        content.seek(status.st_size - half)
        end = content.read(half)
    left_out = f"\n... ({status.st_size - 2 * half:,} bytes left out) ...\n"
    return begin.decode(errors="replace") + left_out + end.decode(errors="replace")
