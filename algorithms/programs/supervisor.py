"""Start programs for a worker, and end them with everything that they have started.

A script: ``python -I -S supervisor.py PARENT FOLDER``, with a socket to the worker as standard input. It makes the
temporary folder. When the worker closes the socket or ends, also by SIGKILL, it kills all programs, removes the folder
and exits.

On Linux it is a subreaper: a process whose parent has ended becomes its child, so no process leaves it. Elsewhere it
knows the process group of the program alone. A program may have a control group, which the worker makes and removes.

It runs one program at a time. A message is a tuple:

- ``("start", words, folder, environment, group)``, with standard input, output and error as files, is answered by
  ``("started", process, time)`` or ``("failed", number, text, file)``. The group is the folder of its control group, or
  None
- ``("usage",)`` is answered by ``("usage", cpu_seconds, memory_bytes)`` while a program runs
- ``("terminate",)`` sends SIGTERM to all processes of the program
- ``("end",)`` kills them
- ``("ended", status, seconds, user_seconds, system_seconds, memory_bytes, page_faults)`` says that the program has
  ended, and nothing of it is left. The memory is the largest peak of one process

The system adds the processor time of a process to that of its parent when the parent waits for it, which a parent that
ignores SIGCHLD does not. So without a control group the supervisor reads the clocks of all of them every few
milliseconds. Their sum counts if it is larger, with the difference as user time.
"""

# the import of pathlib would take longer than the start of this script
# ruff: noqa: PTH102, PTH106, PTH110, PTH112, PTH208
from __future__ import annotations

import contextlib
import errno
import marshal
import os
import select
import signal
import socket
import subprocess
import sys
import time
from typing import Any, NoReturn

READY = ("ready",)
_HEADER_BYTES = 4
_MAX_FILES = 3
_SECONDS_TO_KILL = 10.0
_SAMPLE_SECONDS = 0.005
_SAMPLE_SHARE = 100
"""The time between two samples is at least this many times the processor time of one."""
_CLOCK_OF_PROCESS = 2
"""Kind of the clocks of clock_getcpuclockid(3)."""
_PR_SET_CHILD_SUBREAPER = 36
_CLONE3 = 435
_CLONE_ARGUMENTS = 11
_CLONE_INTO_CGROUP = 1 << 33


def send(channel: socket.socket, message: tuple[Any, ...], files: tuple[int, ...] = ()) -> None:
    """Send a message, with open files."""
    body = marshal.dumps(message)
    header = len(body).to_bytes(_HEADER_BYTES, "little")
    if files:
        socket.send_fds(channel, [header], files)
        channel.sendall(body)
    else:
        channel.sendall(header + body)


def receive(channel: socket.socket) -> tuple[tuple[Any, ...] | None, list[int]]:
    """Return the next message and the files that come with it; None if the other side has ended."""
    header, files, _, _ = socket.recv_fds(channel, _HEADER_BYTES, _MAX_FILES)
    header += _bytes(channel, _HEADER_BYTES - len(header)) if header else b""
    body = _bytes(channel, int.from_bytes(header, "little"))
    return (marshal.loads(body) if body else None), files


def _bytes(channel: socket.socket, size: int) -> bytes:
    """Return this many bytes; none if the other side has ended."""
    text = b""
    while len(text) < size:
        part = channel.recv(size - len(text))
        if not part:
            return b""
        text += part
    return text


class Supervisor:
    """Parent of one program at a time.

    Parameters
    ----------
    channel : socket
        Socket to the worker.
    """

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._program: int | None = None
        self._group: bytes | None = None
        self._begin()

    def _begin(self) -> None:
        """Begin to measure a program."""
        self._status: int | None = None
        self._began = time.monotonic()
        self._seconds = self._user_seconds = self._system_seconds = 0.0
        self._peak_bytes = self._page_faults = 0
        self._clocks: dict[int, float] = {}
        self._reused_clocks = 0.0
        self._sample_at = self._began + _SAMPLE_SECONDS

    def serve(self, parent: int) -> None:
        """Answer requests until the worker closes the socket or ends."""
        signals, written = os.pipe()
        os.set_blocking(signals, False)
        os.set_blocking(written, False)
        signal.set_wakeup_fd(written, warn_on_full_buffer=False)
        events = select.poll()
        events.register(self._channel, select.POLLIN)
        events.register(signals, select.POLLIN)
        if hasattr(os, "pidfd_open"):  # a process that the worker has forked may keep the socket open
            with contextlib.suppress(OSError):
                events.register(os.pidfd_open(parent), select.POLLIN)
        if os.getppid() != parent:
            return
        send(self._channel, READY)
        while True:
            for file, _ in events.poll(self._sample()):
                if file == signals:
                    os.read(signals, 4096)
                    self._end_if_ended()
                elif file == self._channel.fileno():
                    message, files = receive(self._channel)
                    if message is None:
                        return
                    self._answer(message, files)
                else:
                    return

    def kill(self) -> None:
        """Kill all processes of the program until none is left."""
        if sys.platform != "linux" and self._program is not None:  # what has left the program is no child of this one
            with contextlib.suppress(OSError):
                os.killpg(self._program, signal.SIGKILL)
        deadline = time.monotonic() + _SECONDS_TO_KILL
        while self._reap() and time.monotonic() < deadline:
            if self._group is not None:
                with contextlib.suppress(OSError):  # before Linux 5.14
                    write(self._group + b"/cgroup.kill", b"1")
            self._signal(signal.SIGKILL)
            time.sleep(0.0005)

    def remove_group(self) -> None:
        """Remove the control group of the program, if the worker could not."""
        if self._group is not None:
            with contextlib.suppress(OSError):
                os.rmdir(self._group)

    def _answer(self, message: tuple[Any, ...], files: list[int]) -> None:
        request = message[0]
        if request == "start":
            _, words, folder, environment, self._group = message
            self._start(words, folder, environment, files)
        elif self._program is None:  # it has ended, and `ended` is on its way
            return
        elif request == "usage":
            cpu_seconds, memory_bytes = usage()
            counted = self._user_seconds + self._system_seconds + cpu_seconds
            send(self._channel, ("usage", counted + self._uncounted(counted), memory_bytes))
        elif request == "terminate":
            self._signal(signal.SIGTERM)
        elif request == "end":
            self._end()

    def _start(self, words: list[bytes], folder: bytes, environment: dict[bytes, bytes], files: list[int]) -> None:
        self._begin()
        try:
            self._program = new_process(words, folder, environment, files, self._group)
        except OSError as error:
            send(self._channel, ("failed", error.errno, error.strerror, error.filename))
        else:
            send(self._channel, ("started", self._program, self._began))
        for file in files:
            os.close(file)

    def _end_if_ended(self) -> None:
        self._reap()
        if self._status is not None:
            self._end()

    def _end(self) -> None:
        """Kill what is left of the program, and say how it ended."""
        self.kill()
        seconds = self._seconds if self._status is not None else time.monotonic() - self._began
        user_seconds = self._user_seconds + self._uncounted(self._user_seconds + self._system_seconds)
        used = (user_seconds, self._system_seconds, self._peak_bytes, self._page_faults)
        send(self._channel, ("ended", self._status, seconds, *used))
        self._program = None
        self._status = None

    def _sample(self) -> float | None:
        """Read the clocks of all processes if that is due, and return the milliseconds until it is due again."""
        if self._program is None or self._group is not None or sys.platform != "linux":
            return None
        if time.monotonic() >= self._sample_at:
            began = time.process_time()
            for process in descendants():
                with contextlib.suppress(OSError):  # it has ended
                    seconds = time.clock_gettime(~process << 3 | _CLOCK_OF_PROCESS)
                    if seconds < self._clocks.get(process, 0.0):  # that was another process with this number
                        self._reused_clocks += self._clocks[process]
                    self._clocks[process] = seconds
            taken = time.process_time() - began
            self._sample_at = time.monotonic() + max(_SAMPLE_SECONDS, _SAMPLE_SHARE * taken)
        return max(0.0, self._sample_at - time.monotonic()) * 1000

    def _uncounted(self, counted: float) -> float:
        """Return the processor time on the clocks that is more than what the system has counted."""
        return max(0.0, self._reused_clocks + sum(self._clocks.values()) - counted)

    def _reap(self) -> bool:
        """Reap the processes that have ended, and return whether others live."""
        while True:
            try:
                process, status, used = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if process == 0:
                return True
            self._user_seconds += used.ru_utime
            self._system_seconds += used.ru_stime
            self._page_faults += used.ru_minflt + used.ru_majflt
            unit = 1 if sys.platform == "darwin" else 1024
            self._peak_bytes = max(self._peak_bytes, used.ru_maxrss * unit)
            if process == self._program:
                self._seconds = time.monotonic() - self._began
                self._status = status

    def _signal(self, number: signal.Signals) -> None:
        """Send a signal to all processes of the program, and to their groups at once."""
        groups = set()
        if self._status is None and self._program is not None:
            groups.add(self._program)
        for process in descendants():
            with contextlib.suppress(OSError):
                groups.add(os.getpgid(process))
        for group in groups - {os.getpgrp()}:
            with contextlib.suppress(OSError):
                os.killpg(group, number)


def new_process(
    words: list[bytes], folder: bytes, environment: dict[bytes, bytes], files: list[int], group: bytes | None
) -> int:
    """Start a program, in a control group unless that is None, and return its process id.

    A process that moves into a group waits for all processors, 10 to 30 ms. One that is made in it does not wait.

    Raises
    ------
    OSError
        If the system cannot execute it.
    """
    reader, writer = os.pipe()
    with open(reader, "rb") as problem:
        try:
            process = None if group is None else clone_into(group)
            to_enter = group if process is None else None
            if process is None:
                process = os.fork()
            if process == 0:
                become(words, folder, environment, files, to_enter, writer)
        finally:
            os.close(writer)
        text = problem.read()
    if not text:
        return process
    os.waitpid(process, 0)
    raise OSError(*marshal.loads(text))


def clone_into(group: bytes) -> int | None:
    """Fork this process, which has one thread, with the child in a control group.

    None before Linux 5.7, or where it is forbidden.
    """
    import ctypes

    libc = ctypes.PyDLL(None, use_errno=True)  # which keeps the lock of the interpreter
    folder = os.open(group, os.O_RDONLY | os.O_DIRECTORY)
    try:
        arguments = (ctypes.c_uint64 * _CLONE_ARGUMENTS)()
        arguments[0] = _CLONE_INTO_CGROUP
        arguments[4] = signal.SIGCHLD
        arguments[10] = folder
        process: int = libc.syscall(_CLONE3, arguments, ctypes.sizeof(arguments))
    finally:
        os.close(folder)
    return process if process >= 0 else None


def become(
    words: list[bytes], folder: bytes, environment: dict[bytes, bytes], files: list[int], group: bytes | None,
    problem: int,
) -> NoReturn:  # fmt: skip
    """Let this process, a child, become a program. If it cannot, write the arguments of the OSError to a file."""
    file = folder
    try:
        if group is not None:
            write(group + b"/cgroup.procs", b"0")
        os.setsid()
        for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # which Python ignores
            signal.signal(ignored, signal.SIG_DFL)
        for number, stream in enumerate(files):
            os.dup2(stream, number)
            os.close(stream)
        os.chdir(folder)
        file = words[0]
        os.execvpe(words[0], words, environment)
    except OSError as error:
        os.write(problem, marshal.dumps((error.errno, error.strerror, file)))
    except BaseException as error:
        os.write(problem, marshal.dumps((errno.EINVAL, str(error), file)))
    os._exit(1)


def write(file: bytes, text: bytes) -> None:
    """Write to a file of the system."""
    with open(file, "wb", buffering=0) as stream:
        stream.write(text)


def descendants() -> list[int]:
    """Return all living descendants of this process, breadth first."""
    has_lists = os.path.exists(f"/proc/self/task/{os.getpid()}/children")
    children = {} if has_lists else _children_of_all()
    processes = [os.getpid()]
    seen = set(processes)
    for process in processes:
        below = _children(process) if has_lists else children.get(process, [])
        processes.extend(child for child in below if child not in seen)
        seen.update(below)
    return processes[1:]


def _children(process: int) -> list[int]:
    children: list[int] = []
    with contextlib.suppress(OSError):  # it has ended
        for task in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{task}/children", "rb") as file:
                children.extend(map(int, file.read().split()))
    return children


def _children_of_all() -> dict[int, list[int]]:
    """Return the children of every process, for kernels that do not list them."""
    children: dict[int, list[int]] = {}
    if not os.path.isdir("/proc/self"):
        return children
    for name in os.listdir("/proc"):
        if name.isdigit():
            fields = _stat(int(name))
            if fields:
                children.setdefault(int(fields[1]), []).append(int(name))
    return children


def _stat(process: int) -> list[bytes]:
    """Return the fields of /proc/PID/stat from the state on; none if the process has ended."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return []


def usage() -> tuple[float, int]:
    """Return the processor seconds of all descendants with their reaped children, and their resident memory."""
    ticks = 0
    pages = 0
    for process in descendants():
        fields = _stat(process)
        if fields:
            ticks += sum(map(int, fields[11:15]))
            pages += int(fields[21])
    return ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE")


def become_subreaper() -> None:
    """Become the parent of all descendants whose parent ends."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def reset_signals() -> None:
    """Unblock the signals of the worker, and ignore them here: programs begin with the defaults."""
    # a handler, because a program would inherit an ignored signal
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGCHLD, signal.SIGALRM):
        signal.signal(number, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def remove(folder: str) -> None:
    """Remove a folder, also one in which a program has made folders that cannot be written to."""
    for command in (("rm", "-rf", "--", folder), ("chmod", "-R", "u+rwX", "--", folder), ("rm", "-rf", "--", folder)):
        if os.path.lexists(folder):
            subprocess.run(command, stderr=subprocess.DEVNULL, check=False, env={"PATH": os.defpath})


def main() -> None:
    """Start and end the programs of one worker."""
    parent = int(sys.argv[1])
    folder = sys.argv[2]
    reset_signals()
    become_subreaper()
    os.mkdir(folder, 0o700)
    supervisor = Supervisor(socket.socket(fileno=os.dup(0)))
    try:
        supervisor.serve(parent)
    except OSError:  # the worker has ended while it was answered
        pass
    finally:
        supervisor.kill()
        supervisor.remove_group()
        remove(folder)


if __name__ == "__main__":
    main()
