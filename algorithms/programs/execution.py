"""One program from its start to its end: its output is read, and its limits are checked."""

from __future__ import annotations

import math
import os
import select
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from algorithms.engine import Limits
from algorithms.programs.bounded_output import PrintedOutput
from algorithms.programs.group_meter import GroupMeter
from algorithms.programs.process_readings import cpu_clock, resident_peak
from algorithms.programs.supervisor_connection import SupervisorConnection
from runner.base import CPU_LIMIT, INTERRUPTED, MEMORY_LIMIT, TIME_LIMIT
from runner.machine import Usage

OUTPUT = "output"
"""End of a program that printed too much."""
LINES = "lines"
"""End of a server that printed what was not asked for."""
CLOSED = "closed"
"""End of a server that closed its standard input or output."""
FILES = "files"
"""End of a program that wrote too many files, or too much into them."""
MAX_OUTPUT_BYTES = 10 << 20
MAX_FOLDER_BYTES = 1 << 30
MAX_FOLDER_FILES = 100_000
READ_BYTES = 1 << 16
_TICK_SECONDS = 0.05
_MEMORY_SECONDS = 0.02
_SAMPLE_SECONDS = 0.1
"""Time between two samples of the resident memory, unless it is limited."""
_PEAK_SECONDS = 0.01
"""Time between two readings of the peak of a server, which take 0.02 ms each."""
PROC = "proc"
"""How programs without a control group are measured: by `wait4`, and by samples of /proc."""
_FOLDER_SECONDS = 1.0
_SECONDS_AFTER_LIMIT = 5.0
_SECONDS_AFTER_INTERRUPT = 2.0
SECONDS_TO_END = 1.0
"""Time in which a program ends that reads or prints no more, before it is killed."""
_BLOCK_BYTES = 512


@dataclass(frozen=True)
class Finished:
    """End of a program.

    Attributes
    ----------
    exit_code : int or None
        None if a signal ended it.
    signal : int or None
        Number of the signal that ended it.
    ended_by : str or None
        Name of a status (``time_limit``, ``cpu_limit``, ``memory_limit``, ``interrupted``) if it was ended from here,
        or ``output``, ``files``, ``lines`` or ``closed``. None if it ended by itself.
    seconds : float
        Wall time until the program itself ended. What it had started and left behind was killed then.
    cpu_seconds : float
        Processor time, user and system, of it and all that it had started.
    memory_bytes : int
        Largest peak of the resident memory of one process. A program that needs less than
        about 7 MB has this value, because it begins as a copy of the supervisor.
    usage : Usage
        What all processes of it have taken.
    stdout, stderr : str
        What it printed.
    limit_at : float or None
        Time since the epoch at which a limit of wall time or processor time was reached.
    stdout_in_time : str
        What it printed to standard output until then.
    """

    exit_code: int | None
    signal: int | None
    ended_by: str | None
    seconds: float
    cpu_seconds: float
    memory_bytes: int
    usage: Usage
    stdout: str
    stderr: str
    limit_at: float | None
    stdout_in_time: str


class _End(NamedTuple):
    """Message of the supervisor about the end of a program. There is no status if it could not be killed."""

    status: int | None
    seconds: float
    user_seconds: float
    system_seconds: float
    memory_bytes: int
    page_faults: int

    @property
    def cpu_seconds(self) -> float:
        """Processor time, user and system."""
        return self.user_seconds + self.system_seconds


class Execution:
    """Program that runs.

    Parameters
    ----------
    supervisor : SupervisorConnection
        Supervisor that starts it.
    command : sequence of str
        Its words.
    folder : Path
        Its working directory, which must not fill up.
    stdin : int
        Its standard input, an open file.
    stdout, stderr : PrintedOutput
        What takes its output.

    Attributes
    ----------
    process : int
        Process id of the program.
    started : float
        Time at which it was started.
    ended_by : str or None
        Why it is ended from here.
    has_ended : bool
        Whether nothing of it runs any more.
    is_closed : bool
        Whether it has closed its standard output.

    Raises
    ------
    OSError
        If the system cannot execute it.
    """

    def __init__(
        self, supervisor: SupervisorConnection, command: Sequence[str], folder: Path, stdin: int,
        stdout: PrintedOutput, stderr: PrintedOutput,
    ) -> None:  # fmt: skip
        self.has_ended = False
        self.is_closed = False
        self._supervisor = supervisor
        self._folder = folder
        self._outputs = (stdout, stderr)
        self._is_asked_for_usage = False
        self._meter: GroupMeter | None = None
        self._sampled_peak = 0
        self._read_peak_at = 0.0
        self._input = -1
        self._unwritten = memoryview(b"")
        self._poll = select.poll()
        self._poll.register(supervisor, select.POLLIN)
        self._stdout, stdout_of_program = os.pipe()
        stderr_file, stderr_of_program = os.pipe()
        self._readers = {self._stdout: stdout, stderr_file: stderr}
        try:
            for file in self._readers:
                os.set_blocking(file, False)
                self._poll.register(file, select.POLLIN)
            files = (stdin, stdout_of_program, stderr_of_program)
            group = supervisor.new_group()
            if group is not None:
                self._meter = GroupMeter(group)
            self.process, self.started = supervisor.start(command, folder, files, group)
        except BaseException:
            self._close()
            raise
        finally:
            os.close(stdout_of_program)
            os.close(stderr_of_program)
        self._clock = cpu_clock(self.process)
        self.limit(Limits(), self.started)

    def limit(self, limits: Limits, began: float) -> None:
        """Set the limits of what the program does from a time on."""
        self.ended_by: str | None = None
        self._limits = limits
        self._began = began
        is_whole_run = began <= self.started
        if self._meter is not None:
            self._meter.begin(limits.memory, is_whole_run=is_whole_run)
        self._is_whole_run = is_whole_run
        self._own_cpu_before = 0.0 if is_whole_run else self._own_cpu_since(0.0) or 0.0
        self._cpu_before = 0.0 if is_whole_run else None
        self._bytes_before = self._printed_bytes
        self._deadline = math.inf if limits.time is None else began + limits.time
        self._kill_at = math.inf
        self._check_seconds = _TICK_SECONDS if limits.memory is None else _MEMORY_SECONDS
        self._check_at = min(began + self._check_seconds, self._deadline)
        self._look_at = began + _FOLDER_SECONDS
        self._sample_at = began + self._sample_seconds
        self._limit_at: float | None = None
        self._bytes_at_limit = 0

    def write_to(self, file: int) -> None:
        """Set the file through which the program reads what is written. It is closed with the others."""
        os.set_blocking(file, False)
        self._input = file

    def write(self, text: bytes) -> None:
        """Write to the standard input of the program, as fast as it reads."""
        self._unwritten = memoryview(text)
        self._write()
        if self._unwritten:
            self._poll.register(self._input, select.POLLOUT)

    def step(self, tick: Callable[[], bool]) -> None:
        """Wait for the program until something happens, or until its limits are to be checked."""
        self.wait(max(0.0, self._check_at - time.monotonic()))
        if not self.has_ended and time.monotonic() >= self._check_at:
            self._check(tick)

    def wait(self, seconds: float) -> None:
        """Wait until something happens, and read what there is."""
        for file, _ in self._poll.poll(seconds * 1000):
            if file in self._readers:
                self._read(file)
            elif file == self._input:
                self._write()
            else:
                self._receive(*self._supervisor.receive())

    def end_within(self, seconds: float) -> None:
        """Kill the program after some seconds, unless it ends by itself."""
        self._kill_at = min(self._kill_at, time.monotonic() + seconds)
        self._check_at = min(self._check_at, self._kill_at)

    def kill(self, reason: str) -> None:
        """Kill all processes of the program. The first reason counts."""
        self.ended_by = self.ended_by or reason
        self._kill_at = math.inf
        self._supervisor.request("end")

    def abort(self) -> None:
        """Kill the program, and forget it."""
        with suppress(RuntimeError):  # its supervisor has ended, too
            if not self.has_ended:
                self.kill(INTERRUPTED.name)
            while not self.has_ended:
                self.wait(1.0)
        self._close()

    def finish(self, tick: Callable[[], bool]) -> Finished:
        """Wait for the end of the program."""
        while not self.has_ended:
            self.step(tick)
        for file in list(self._readers):
            while self._read(file):
                pass
        status = self._end.status
        code = None if status is None else os.waitstatus_to_exitcode(status)
        ended = self.started + self._end.seconds
        if self.ended_by == TIME_LIMIT.name and ended < self._deadline:  # it ended by itself just before
            self.ended_by = None
            self._limit_at = None
        stdout, stderr = self._outputs
        finished = Finished(
            exit_code=code if code is not None and code >= 0 else None,
            signal=-code if code is not None and code < 0 else None,
            ended_by=self._ended_by_memory() or self.ended_by,
            seconds=ended - self._began,
            cpu_seconds=self._cpu_seconds_at_end(),
            memory_bytes=self._end.memory_bytes,
            usage=self._usage_at_end(),
            stdout=str(stdout),
            stderr=str(stderr),
            limit_at=self._limit_at,
            stdout_in_time=str(stdout) if self._limit_at is None else stdout.first(self._bytes_at_limit),
        )
        self._close()
        return finished

    def usage_so_far(self) -> tuple[float | None, Usage]:
        """Return the processor time since `limit`, and what else is known while the program runs.

        In a control group the processor time is that of all processes, otherwise that of the program without what it
        has started; None if it is unknown. The peak is that since the start of the program.
        """
        if self._meter is not None:
            usage = self._meter.usage(of_whole_run=False)
            cpu_seconds = (usage.user_seconds or 0.0) + (usage.system_seconds or 0.0)
            return cpu_seconds, usage
        now = time.monotonic()
        if now >= self._read_peak_at:
            self._read_peak_at = now + _PEAK_SECONDS
            self._sampled_peak = max(self._sampled_peak, resident_peak(self.process) or 0)
        usage = Usage(peak_bytes=self._sampled_peak or None, measured_by=PROC)
        return self._own_cpu_seconds, usage

    @property
    def _own_cpu_seconds(self) -> float | None:
        """Processor seconds of the program without what it has started, since `limit`; None if they are unknown."""
        return self._own_cpu_since(self._own_cpu_before)

    @property
    def _sample_seconds(self) -> float:
        return _SAMPLE_SECONDS if self._limits.memory is None else _MEMORY_SECONDS

    def _ended_by_memory(self) -> str | None:
        """Return the status if the system has ended the program at the limit of its group."""
        is_at_limit = self.ended_by is None and self._meter is not None and self._meter.group.is_killed_at_limit
        return MEMORY_LIMIT.name if is_at_limit else None

    def _cpu_seconds_at_end(self) -> float:
        if self._meter is not None:
            return self._meter.cpu_seconds
        cpu_before = self._own_cpu_before if self._cpu_before is None else self._cpu_before
        return max(0.0, self._end.cpu_seconds - cpu_before)

    def _usage_at_end(self) -> Usage:
        """Return what the program has taken. The peak is that since its start, also that of a server."""
        if self._meter is not None:
            return self._meter.usage(of_whole_run=self._is_whole_run)
        peak = max(self._sampled_peak, self._end.memory_bytes)
        if not self._is_whole_run:  # only the sum of both kinds of processor time before is known
            return Usage(peak_bytes=peak, measured_by=PROC)
        return Usage(
            peak_bytes=peak,
            user_seconds=self._end.user_seconds,
            system_seconds=self._end.system_seconds,
            page_faults=self._end.page_faults,
            measured_by=PROC,
        )

    def _own_cpu_since(self, before: float) -> float | None:
        if self._clock is None:
            return None
        try:
            return time.clock_gettime(self._clock) - before
        except OSError:  # it has ended
            return None

    @property
    def _printed_bytes(self) -> int:
        stdout, stderr = self._outputs
        return stdout.size + stderr.size

    def _read(self, file: int) -> bool:
        """Read what the program has printed, and return whether there may be more."""
        try:
            text = os.read(file, READ_BYTES)
        except BlockingIOError:
            return False
        if not text:
            self._poll.unregister(file)
            del self._readers[file]
            os.close(file)
            self.is_closed = self.is_closed or file == self._stdout
            return False
        self._readers[file].add(text)
        if self._printed_bytes - self._bytes_before > MAX_OUTPUT_BYTES:
            self.kill(OUTPUT)
        return True

    def _write(self) -> None:
        try:
            while self._unwritten:
                self._unwritten = self._unwritten[os.write(self._input, self._unwritten) :]
        except BlockingIOError:
            return
        except BrokenPipeError:  # it does not read any more; most likely it ends
            self._unwritten = memoryview(b"")
            self.end_within(SECONDS_TO_END)
        with suppress(KeyError):
            self._poll.unregister(self._input)

    def _receive(self, kind: str, *details: Any) -> None:
        """Take a message of the supervisor."""
        if kind == "ended":
            self._end = _End(*details)
            self.has_ended = True
        elif kind == "usage":
            self._is_asked_for_usage = False
            self._compare(*details)

    def _compare(self, cpu_seconds: float, memory_bytes: int) -> None:
        """Compare what the program uses with its limits."""
        if self._cpu_before is None:  # the system has not told what others than the program itself had used
            self._cpu_before = cpu_seconds - (self._own_cpu_seconds or 0.0)
        self._sampled_peak = max(self._sampled_peak, memory_bytes)
        if self._limits.memory is not None and memory_bytes > self._limits.memory:
            self.kill(MEMORY_LIMIT.name)
        elif self._limits.cpu is not None and cpu_seconds - self._cpu_before >= self._limits.cpu:
            self._terminate(CPU_LIMIT.name, _SECONDS_AFTER_LIMIT)

    def _check(self, tick: Callable[[], bool]) -> None:
        now = time.monotonic()
        if tick():
            self._terminate(INTERRUPTED.name, _SECONDS_AFTER_INTERRUPT)
        if now >= self._deadline:
            self._terminate(TIME_LIMIT.name, _SECONDS_AFTER_LIMIT)
        if now >= self._kill_at:
            self.kill(CLOSED)
        if now >= self._look_at:
            self._look_at = now + _FOLDER_SECONDS
            if is_full(self._folder):
                self.kill(FILES)
        self._sample(now)
        self._check_at = now + self._check_seconds
        if now < self._deadline:
            self._check_at = min(self._check_at, self._deadline)

    def _sample(self, now: float) -> None:
        """Compare what the program takes with its limits. Without a group the supervisor samples it."""
        if self._meter is not None:
            self._meter.sample()
            if self._limits.cpu is not None and self._meter.cpu_seconds >= self._limits.cpu:
                self._terminate(CPU_LIMIT.name, _SECONDS_AFTER_LIMIT)
        elif not self._is_asked_for_usage and (now >= self._sample_at or self._limits.cpu is not None):
            self._sample_at = now + self._sample_seconds
            self._is_asked_for_usage = True
            self._supervisor.request("usage")

    def _terminate(self, reason: str, seconds: float) -> None:
        """Ask all processes of the program to end, and kill them after some seconds."""
        if self.ended_by is None:
            self.ended_by = reason
            if reason != INTERRUPTED.name:
                self._mark_limit()
            self._supervisor.request("terminate")
        self._kill_at = min(self._kill_at, time.monotonic() + seconds)

    def _mark_limit(self) -> None:
        """Keep in mind what the program has printed until now. A plan that comes later does not count."""
        self._limit_at = time.time()
        for file in list(self._readers):
            while self._read(file):
                pass
        self._bytes_at_limit = self._outputs[0].size

    def _close(self) -> None:
        for file in (*self._readers, self._input):
            if file >= 0:
                os.close(file)
        self._readers = {}
        self._input = -1
        if self._meter is not None:
            self._meter.group.remove()
            self._meter = None


def is_full(folder: Path) -> bool:
    """Return whether a folder has more files, or they take more space, than a program may write."""
    files = 0
    size = 0
    folders = [os.fspath(folder)]
    while folders:
        with suppress(OSError), os.scandir(folders.pop()) as entries:  # what cannot be read is left out
            for entry in entries:
                files += 1
                size += entry.stat(follow_symlinks=False).st_blocks * _BLOCK_BYTES
                if files > MAX_FOLDER_FILES or size > MAX_FOLDER_BYTES:
                    return True
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
    return False
