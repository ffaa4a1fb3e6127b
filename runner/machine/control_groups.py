"""Control groups of version 2 for the command, for each worker and for each program.

A command is in a group R that is delegated to it, that is, in which it may make groups::

    R/main               the command
    R/worker-K           worker K, with its supervisor of programs
    R/worker-K-program-P the program that supervisor P runs, from its start to its end

R is, in this order:

- the group in which the command is, if it can be written to and holds only the command, its ancestors and its
  descendants. Systemd makes such a group with ``systemd-run --user --scope -p Delegate=yes``; containers and SLURM may
- a new group in the root group, if the command is there
- a new scope that the systemd of the user makes, if the command is in a session of the user. A command in the group of
  a service, such as a job of SLURM, does not leave it

Processes of a worker find their group in /proc, so nothing is passed to them. At the end the command removes all groups
that it has made. If it is killed, its workers and programs end by themselves, and empty groups may remain: systemd
removes its scope with them, and in the root group the next command removes them.

The memory of a group is more than the resident memory of its processes: it has the pages of the files that they have
read or written, too. The system takes these back before it ends a group at its limit.

See https://docs.kernel.org/admin-guide/cgroup-v2.html.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from runner.base import UserError

CGROUP = "cgroup"
"""How programs in a group of their own are measured."""
MAIN = "main"
DELEGATE_COMMAND = "systemd-run --user --scope -p Delegate=yes python -m runner ..."
"""How users start a command in a group that is delegated to it."""
_MEMORY = "memory"
_PROCESSES = "cgroup.procs"
_CONTROLLERS = "cgroup.controllers"
_ENABLED = "cgroup.subtree_control"
_WITH_PROGRAMS = re.compile(rf"{MAIN}|worker-\d+")
"""Names of groups whose processes start programs."""
_COMMANDS = "search-runner-"
"""Begin of the names of groups of commands in the root group."""
_SECONDS_TO_REMOVE = 2.0
_SECONDS_OF_SYSTEMD = 3.0
_READ_BYTES = 1 << 14


class ProcessorTime(NamedTuple):
    """Processor time of all processes that have been in a group, in seconds."""

    user: float
    system: float


class ControlGroup:
    """Control group that exists.

    Parameters
    ----------
    folder : Path
        Its folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: dict[str, int] = {}

    @classmethod
    def make(cls, folder: Path, *, ends_whole: bool) -> ControlGroup:
        """Make a group without swap. An old group of this name is ended and removed before.

        Parameters
        ----------
        ends_whole : bool
            Whether the system kills all processes of the group at the limit of its memory, or the largest alone.

        Raises
        ------
        OSError
            If it cannot be made.
        """
        group = cls(folder)
        if folder.exists():
            group.remove()
        folder.mkdir()
        with suppress(FileNotFoundError):  # the system has no swap
            group._write("memory.swap.max", "0")
        with suppress(FileNotFoundError):  # a group without the controller of memory
            group._write("memory.oom.group", str(int(ends_whole)))
        return group

    @property
    def name(self) -> str:
        """Name of its folder."""
        return self.folder.name

    @property
    def processes_file(self) -> Path:
        """File to which a process writes 0 to enter the group."""
        return self.folder / _PROCESSES

    @property
    def processes(self) -> list[int]:
        """Ids of the processes in it."""
        return [int(word) for word in self.processes_file.read_text().split()]

    def add(self, process: int = 0) -> None:
        """Put a process into the group; 0 is this process."""
        self._write(_PROCESSES, str(process))

    def limit_memory(self, size: int | None) -> None:
        """Limit the memory of all processes in the group, in bytes, or lift the limit."""
        self._write("memory.max", "max" if size is None else str(size))

    @property
    def current_bytes(self) -> int | None:
        """Memory that it takes now."""
        return self._number("memory.current")

    @property
    def peak_bytes(self) -> int | None:
        """Largest memory that it has taken; None before Linux 5.19."""
        return self._number("memory.peak")

    @property
    def processor_time(self) -> ProcessorTime:
        """Processor time that its processes have taken."""
        text = self._read("cpu.stat")
        return ProcessorTime(_value(text, b"user_usec") / 1e6, _value(text, b"system_usec") / 1e6)

    @property
    def page_faults(self) -> int:
        """Page faults of its processes, of both kinds."""
        return _value(self._read("memory.stat"), b"pgfault")

    @property
    def is_killed_at_limit(self) -> bool:
        """Whether the system has killed a process of it at its limit, and not because memory ran out elsewhere."""
        events = self._read("memory.events")
        return _value(events, b"oom") > 0 and _value(events, b"oom_kill") > 0

    def kill(self) -> None:
        """Kill all processes in it and in the groups below, also those that fork all the time."""
        try:
            self._write("cgroup.kill", "1")
        except FileNotFoundError:  # before Linux 5.14
            for process in self.processes:
                with suppress(OSError):
                    os.kill(process, signal.SIGKILL)

    def remove(self) -> None:
        """Kill all processes in it, and remove it with the groups below. A group that cannot be removed remains."""
        self.close()
        deadline = time.monotonic() + _SECONDS_TO_REMOVE
        while self.folder.exists():
            with suppress(OSError):  # it has ended just now, or processes are still ending
                self._remove_once()
                return
            if time.monotonic() > deadline:
                return
            time.sleep(0.0005)

    def _remove_once(self) -> None:
        with suppress(OSError):
            self.folder.rmdir()
            return
        for below in _groups_in(self.folder):
            ControlGroup(below).remove()
        self.kill()
        self.folder.rmdir()

    def close(self) -> None:
        """Close the files that were opened to read what the group takes."""
        for file in self._files.values():
            os.close(file)
        self._files.clear()

    def _number(self, name: str) -> int | None:
        try:
            return int(self._read(name))
        except FileNotFoundError:
            return None

    def _read(self, name: str) -> bytes:
        if name not in self._files:  # it stays open, because an open takes longer than a reading
            self._files[name] = os.open(self.folder / name, os.O_RDONLY | os.O_CLOEXEC)
        return os.pread(self._files[name], _READ_BYTES, 0)

    def _write(self, name: str, text: str) -> None:
        file = os.open(self.folder / name, os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(file, text.encode())
        finally:
            os.close(file)


class Delegation:
    """Groups of a command, in a group that is delegated to it.

    Parameters
    ----------
    group : ControlGroup
        The delegated group.
    outer : ControlGroup
        Group into which the command returns at `close`.

    Raises
    ------
    OSError
        If the system does not allow it.
    """

    def __init__(self, group: ControlGroup, outer: ControlGroup) -> None:
        self.group = group
        self._outer = outer
        self._owner = os.getpid()
        self._is_own = group.folder != outer.folder
        try:
            self._main = ControlGroup.make(group.folder / MAIN, ends_whole=False)
            for process in outer.processes if not self._is_own else [os.getpid()]:
                self._main.add(process)
            group._write(_ENABLED, f"+{_MEMORY}")
        except OSError:
            self.close()
            raise

    def worker(self, number: int) -> ControlGroup:
        """Make the group of a worker, into which its parent or itself puts it.

        Raises
        ------
        OSError
            If it cannot be made.
        """
        return ControlGroup.make(self.group.folder / f"worker-{number}", ends_whole=False)

    def remove_worker(self, number: int) -> None:
        """Kill what is left of a worker and of its programs, and remove their groups."""
        for folder in _groups_in(self.group.folder):
            if folder.name == f"worker-{number}" or folder.name.startswith(f"worker-{number}-"):
                ControlGroup(folder).remove()

    def close(self) -> None:
        """Return the command into the group where it was, and remove all that was made. A forked process cannot."""
        if os.getpid() != self._owner:
            return
        main = self.group.folder / MAIN
        for folder in _groups_in(self.group.folder):
            if folder != main:
                ControlGroup(folder).remove()
        with suppress(OSError):
            self.group._write(_ENABLED, f"-{_MEMORY}")
        with suppress(OSError):
            for process in ControlGroup(main).processes:
                with suppress(ProcessLookupError):
                    self._outer.add(process)
            main.rmdir()
        if self._is_own:
            with suppress(OSError):
                self.group.folder.rmdir()


@contextmanager
def delegated(*, is_required: bool = False) -> Iterator[Delegation | None]:
    """Let this command be in a delegated group until the end; yield None if it cannot have one.

    Parameters
    ----------
    is_required : bool
        Refuse to go on without.

    Raises
    ------
    UserError
        If a group is required and there is none. It says why, and what to do.
    """
    delegation = None
    try:
        delegation = _delegation()
    except (UserError, OSError) as error:
        if is_required:
            raise error if isinstance(error, UserError) else _refused(str(error)) from error
    try:
        yield delegation
    finally:
        if delegation is not None:
            delegation.close()


def own_worker_group() -> ControlGroup | None:
    """Return the group of the worker in which this process is, if groups of programs can be made beside it."""
    folder = _own_folder()
    if folder is None or not _WITH_PROGRAMS.fullmatch(folder.name):
        return None
    enabled = _text(folder.parent / _ENABLED).split()
    return ControlGroup(folder) if _MEMORY in enabled and os.access(folder.parent, os.W_OK) else None


def program_group(worker: ControlGroup, number: int) -> ControlGroup:
    """Make a group beside that of a worker for a program, which ends as a whole at the limit of its memory.

    Parameters
    ----------
    number : int
        Distinguishes the programs of the worker that run at the same time.

    Raises
    ------
    OSError
        If it cannot be made.
    """
    return ControlGroup.make(worker.folder.with_name(f"{worker.name}-program-{number}"), ends_whole=True)


def _delegation() -> Delegation:
    """Return the groups of this command.

    Raises
    ------
    UserError, OSError
        If it cannot have groups.
    """
    folder = _own_folder()
    if folder is None:
        raise _refused("this process is in no control group of version 2")
    if _is_version_1():
        raise _refused("the controller of memory is of version 1", "boot with systemd.unified_cgroup_hierarchy=1")
    problem = _problem_of(folder)
    if problem is not None and _is_moved_by_systemd(folder):
        folder = _own_folder() or folder
        problem = _problem_of(folder)
    if problem is not None:
        raise _refused(problem)
    group = ControlGroup(folder)
    if not _is_root(folder):
        return Delegation(group, group)
    for old in folder.glob(f"{_COMMANDS}*"):
        if not _is_alive(int(old.name.removeprefix(_COMMANDS))):
            ControlGroup(old).remove()
    group._write(_ENABLED, f"+{_MEMORY}")
    return Delegation(ControlGroup.make(folder / f"{_COMMANDS}{os.getpid()}", ends_whole=False), group)


def _refused(problem: str, remedy: str = f"start with `{DELEGATE_COMMAND}`") -> UserError:
    return UserError(f"measure=cgroup: {problem}; {remedy}, or use measure=process")


def _problem_of(folder: Path) -> str | None:
    """Return why a group is not delegated to this command; None if it is."""
    if _MEMORY not in _text(folder / _CONTROLLERS).split():
        return f"the controller of memory is not enabled for {folder}"
    if not all(os.access(file, os.W_OK) for file in (folder, folder / _PROCESSES, folder / _ENABLED)):
        return f"{folder} cannot be written to"
    if _is_root(folder):
        return None
    if os.geteuid() == 0 and _has_systemd() and not _is_delegated_by_systemd(folder):
        return f"{folder} belongs to systemd"
    this = os.getpid()
    above = _ancestors(this)
    for process in ControlGroup(folder).processes:
        if process not in (this, *above) and this not in _ancestors(process):
            return f"{folder} holds others, such as process {process}"
    return None


def _own_folder() -> Path | None:
    """Return the folder of the group of version 2 in which this process is."""
    if sys.platform != "linux":
        return None
    group = re.search(r"^0::(/.*)$", _text(Path("/proc/self/cgroup")), re.MULTILINE)
    mount = re.search(r"^\S+ \S+ \S+ (\S+) (\S+) .*- cgroup2 ", _text(Path("/proc/self/mountinfo")), re.MULTILINE)
    if group is None or mount is None:
        return None
    try:
        return Path(mount[2], Path(group[1]).relative_to(mount[1]))
    except ValueError:  # only other groups are mounted here
        return None


def _is_root(folder: Path) -> bool:
    return not (folder / "cgroup.type").exists()


def _groups_in(folder: Path) -> list[Path]:
    with suppress(OSError):
        return [path for path in folder.iterdir() if path.is_dir()]
    return []


def _is_version_1() -> bool:
    """Return whether the controller of memory is of version 1."""
    return Path("/sys/fs/cgroup/memory").is_dir()


def _has_systemd() -> bool:
    return Path("/run/systemd/system").is_dir()


def _is_delegated_by_systemd(folder: Path) -> bool:
    """Return whether systemd has marked the group, or one above it, as delegated."""
    for group in (folder, *folder.parents):
        for attribute in ("user.delegate", "trusted.delegate"):
            with suppress(OSError):
                if os.getxattr(group, attribute) == b"1":
                    return True
    return False


def _is_moved_by_systemd(folder: Path) -> bool:
    """Let systemd make a delegated scope for this process, and return whether the process is in it."""
    program = shutil.which("busctl")
    if program is None or not _has_systemd() or "user.slice" not in folder.parts:
        return False
    name = f"{_COMMANDS}{os.getpid()}-{secrets.token_hex(4)}.scope"
    command = (
        program, "--user" if os.geteuid() else "--system", "--quiet", f"--timeout={_SECONDS_OF_SYSTEMD:g}", "call",
        "org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager",
        "StartTransientUnit", "ssa(sv)a(sa(sv))", name, "fail",
        "2", "Delegate", "b", "true", "PIDs", "au", "1", str(os.getpid()), "0",
    )  # fmt: skip
    with suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
            timeout=_SECONDS_OF_SYSTEMD + 1,
        ).check_returncode()  # fmt: skip
        deadline = time.monotonic() + _SECONDS_OF_SYSTEMD
        while time.monotonic() < deadline:
            own = _own_folder()
            if own is not None and own.name == name:
                return True
            time.sleep(0.005)
    return False


def _ancestors(process: int) -> list[int]:
    ancestors: list[int] = []
    while process > 1:
        fields = _text(Path(f"/proc/{process}/stat")).rpartition(")")[2].split()
        if not fields:  # it has ended
            break
        process = int(fields[1])
        ancestors.append(process)
    return ancestors


def _is_alive(process: int) -> bool:
    return Path(f"/proc/{process}").exists()


def _text(file: Path) -> str:
    with suppress(OSError):
        return file.read_text()
    return ""


def _value(text: bytes, name: bytes) -> int:
    """Return the number after a name, at the begin of a line."""
    match = re.search(rb"^%b (\d+)$" % name, text, re.MULTILINE)
    return int(match[1]) if match else 0
