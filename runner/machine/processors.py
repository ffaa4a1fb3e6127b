"""Physical cores of workers: which each has, and how a process keeps to one of them.

The two hardware threads of a core share its arithmetic, so a second search on the core makes the first one slower.
Cores share caches and the bandwidth to memory, and the memory of another node is further away. See Beyer, Loewe,
Wendler: Reliable benchmarking, requirements and solutions (STTT 2019). BenchExec spreads runs over memory nodes, too.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import socket
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from runner.base import UserError, plural

SYSTEM = Path("/sys/devices/system")
"""Where Linux describes processors and memory nodes."""
_SIMILAR_SPEED = 0.9
"""A core is as fast as the fastest one if its highest frequency is at least this share of the fastest one's: some
processors have two cores that reach a few percent more than the others, and slow cores reach much less."""
_MPOL_PREFERRED = 1
_SET_MEMPOLICY = {"x86_64": 238, "aarch64": 237, "riscv64": 237, "loongarch64": 237, "ppc64le": 261, "s390x": 270}
"""Number of the system call set_mempolicy, by architecture."""
_BITS = 8 * ctypes.sizeof(ctypes.c_ulong)


@dataclass(frozen=True)
class Core:
    """Physical core.

    Attributes
    ----------
    processors : tuple of int
        Numbers of its processors (hardware threads) that this process may use, in ascending order.
    package : int
        Number of its processor package, -1 if unknown.
    node : int or None
        Number of its memory node; None if unknown, and on machines with one node.
    cache : int
        Lowest number of the processors that share its last-level cache, -1 if unknown.
    is_fast : bool
        Whether it is about as fast as the fastest core.
    """

    processors: tuple[int, ...]
    package: int = -1
    node: int | None = None
    cache: int = -1
    is_fast: bool = True


def allowed_processors() -> set[int]:
    """Return the numbers of the processors that this process may use: those online, in its cpuset and its affinity."""
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))


def physical_cores(system: Path = SYSTEM, allowed: Iterable[int] | None = None) -> list[Core]:
    """Return the physical cores that this process may use, in the order in which workers take them.

    Fast cores come first. Then the order spreads over packages, memory nodes and caches: one core of each, before a
    second one of any. So few workers share as little as possible, and all of them share about the same. Filling one
    node first would leave the bandwidth and the caches of the others idle.

    Parameters
    ----------
    system : Path
        Folder that describes processors and nodes.
    allowed : iterable of int, optional
        Numbers of the processors. By default, `allowed_processors`.

    Returns
    -------
    list of Core
        At least one. A processor of unknown topology counts as a core.
    """
    usable = set(allowed_processors() if allowed is None else allowed)
    nodes = _nodes(system)
    speeds = {processor: _speed(system, processor) for processor in usable}
    fastest = max(speeds.values())
    cores = []
    seen: set[int] = set()
    for processor in sorted(usable):
        if processor in seen:
            continue
        folder = system / "cpu" / f"cpu{processor}"
        threads = _siblings(folder) & usable | {processor}
        seen |= threads
        cores.append(
            Core(
                processors=tuple(sorted(threads)),
                package=_number(folder / "topology" / "physical_package_id", -1),
                node=nodes.get(processor),
                cache=min(_processors(folder / "cache" / "index3" / "shared_cpu_list"), default=-1),
                is_fast=speeds[processor] >= _SIMILAR_SPEED * fastest,
            )
        )
    fast = [core for core in cores if core.is_fast]
    slow = [core for core in cores if not core.is_fast]
    return _spread(fast) + _spread(slow)


@contextlib.contextmanager
def reserved_cores(workers: int) -> Iterator[list[Core]]:
    """Yield the cores of workers that are pinned, one for each; none where processes cannot be pinned.

    Cores that another command has reserved come last: two commands at the same time would otherwise take the same ones.
    Enter it before anything is pinned: a pinned process sees the cores that it may use.

    Raises
    ------
    UserError
        If there are fewer physical cores than workers.
    """
    if workers == 0 or not _can_pin():
        yield []
        return
    cores = physical_cores()
    if workers > len(cores):
        raise UserError(
            f"pin: {plural(workers, 'worker')}, but this command may use {plural(len(cores), 'physical core')}; "
            f"allowed: workers={len(cores)} or fewer, or pin=false"
        )
    free: list[Core] = []
    taken: list[Core] = []
    with contextlib.ExitStack() as reservations:
        for core in cores:
            if len(free) == workers:
                break
            reservation = _reservation(core)
            if reservation is None:
                taken.append(core)
            else:
                reservations.enter_context(reservation)
                free.append(core)
        yield (free + taken)[:workers]


def _can_pin() -> bool:
    """Return whether the system lets this process choose its processors: here those that it has."""
    if sys.platform != "linux":
        return False
    try:
        os.sched_setaffinity(0, os.sched_getaffinity(0))
    except OSError:
        return False
    return True


def processors_left(cores: Sequence[Core], allowed: Iterable[int] | None = None) -> set[int]:
    """Return the processors for the command itself: those of no worker's core; all if none is left."""
    usable = set(allowed_processors() if allowed is None else allowed)
    return usable.difference(*(core.processors for core in cores)) or usable


def pin(core: Core) -> bool:
    """Keep this process, and the children that it starts from now on, to a core and to the memory of its node.

    It uses the first processor of the core; the others stay empty. The memory is preferred, not bound: when the node
    has no memory left, the search goes on with that of other nodes, as it does without pinning. So pinning changes
    times and no status. Memory that the process has already stays where it is.

    Returns
    -------
    bool
        Whether the process is pinned. The system may refuse it, or have no way to do it.
    """
    if sys.platform != "linux":
        return False
    try:
        os.sched_setaffinity(0, core.processors[:1])
    except OSError:
        return False
    if core.node is not None:
        _prefer_memory(core.node)
    return True


def _current_core() -> Callable[[], int | None]:
    if sys.platform == "linux":
        with contextlib.suppress(AttributeError):
            return ctypes.PyDLL(None).sched_getcpu
    return lambda: None


current_core = _current_core()
"""Return the number of the processor on which the caller runs; None if the system does not say it. It takes 0.1 us."""


def _reservation(core: Core) -> socket.socket | None:
    """Reserve a core until the socket is closed; None if another command has it.

    The name is in no folder (manual page unix(7)), so it ends with the command and its workers, however they end.
    """
    reservation = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        reservation.bind(f"\0search-runner-core-{core.processors[0]}")
    except OSError:
        reservation.close()
        return None
    return reservation


def _prefer_memory(node: int) -> None:
    """Prefer the memory of a node. Without the system call, Linux takes the memory of the node of the processor."""
    number = _SET_MEMPOLICY.get(platform.machine())
    if number is None:
        return
    words = (ctypes.c_ulong * (node // _BITS + 1))()
    words[node // _BITS] = 1 << node % _BITS
    bits = len(words) * _BITS + 1  # Linux looks at one bit less
    ctypes.CDLL(None).syscall(
        ctypes.c_long(number), ctypes.c_long(_MPOL_PREFERRED), ctypes.byref(words), ctypes.c_ulong(bits)
    )


def _spread(cores: Iterable[Core], levels: Sequence[str] = ("package", "node", "cache")) -> list[Core]:
    """Order cores so that any first ones are spread evenly over packages, in them over nodes, in these over caches."""
    if not levels:
        return list(cores)
    groups: dict[int | None, list[Core]] = {}
    for core in cores:
        groups.setdefault(getattr(core, levels[0]), []).append(core)
    return _in_turn([_spread(group, levels[1:]) for group in groups.values()])


def _in_turn(groups: list[list[Core]]) -> list[Core]:
    """Return the first core of each group, then the second one of each, and so on."""
    return [core for turn in zip_longest(*groups) for core in turn if core is not None]


def _nodes(system: Path) -> dict[int, int]:
    """Return the memory node of each processor; nothing on machines with one node."""
    nodes = {}
    folders = sorted((system / "node").glob("node[0-9]*"))
    if len(folders) > 1:
        for folder in folders:
            for processor in _processors(folder / "cpulist"):
                nodes[processor] = int(folder.name.removeprefix("node"))
    return nodes


def _siblings(folder: Path) -> set[int]:
    """Return the processors of the core of a processor; nothing if they are unknown."""
    topology = folder / "topology"
    return _processors(topology / "core_cpus_list") or _processors(topology / "thread_siblings_list")


def _speed(system: Path, processor: int) -> int:
    """Return the highest frequency of a processor in kHz, or else its relative speed; 0 if both are unknown."""
    folder = system / "cpu" / f"cpu{processor}"
    return _number(folder / "cpufreq" / "cpuinfo_max_freq", 0) or _number(folder / "cpu_capacity", 0)


def _number(file: Path, default: int) -> int:
    try:
        return int(file.read_text())
    except (OSError, ValueError):
        return default


def _processors(file: Path) -> set[int]:
    """Return the processors that a file such as ``0-3,8`` lists; nothing if it cannot be read."""
    processors: set[int] = set()
    with contextlib.suppress(OSError, ValueError):
        for part in file.read_text().strip().split(","):
            first, _, last = part.partition("-")
            processors.update(range(int(first), int(last or first) + 1))
    return processors
