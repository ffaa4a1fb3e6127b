"""Other work of the machine while a cell was searched: readings before and after, and what follows from two of them.

Times can be compared if the searches had the processors for themselves, at one frequency. A reading opens a few files
of Linux. Each of them may be missing; what it says is then unknown.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from runner.machine.processors import allowed_processors

_STATES = 8
"""Columns of /proc/stat that add up to all the time: user, nice, system, idle, iowait, irq, softirq, steal."""
_SHARES = ("waiting_share", "steal_share", "throttled_share")
_COMBINED: dict[str, Callable[[list[float]], float]] = {
    "wall_seconds": sum,
    "cpu_seconds": sum,
    "thermal_throttles": sum,
    "load_before": max,
    "load_after": max,
    "frequency_mhz_lowest": min,
    "frequency_mhz_highest": max,
}
"""How the numbers of two commands are combined."""
_KILOHERTZ = 1000
_DIGITS = 6
"""Digits of seconds: a search may take less than a millisecond."""
_SECONDS_FOR_FREQUENCIES = 0.002
"""Linux before 5.18 may sleep for 10 ms at each frequency that it reads."""


class GroupTimes(NamedTuple):
    """Microseconds in which a control group ran, and in which its quota did not let it run, over all processors."""

    running: int
    throttled: int


@dataclass(frozen=True)
class Reading:
    """State of the machine at one moment. None is unknown.

    Attributes
    ----------
    load : float or None
        Mean number of processes that wanted to run in the last minute, this command's among them.
    stolen_ticks, all_ticks : int
        Time that the host has taken from the processors, and all time of these; 0 if unknown.
    groups : tuple of GroupTimes
        Times of this process's control group and of those that contain it.
    lowest_mhz, highest_mhz : int or None
        Frequencies of the processors, or of the first ones if it takes too long to read all.
    thermal_throttles : int or None
        How often a processor was slowed down because it was hot.
    """

    load: float | None = None
    stolen_ticks: int = 0
    all_ticks: int = 0
    groups: tuple[GroupTimes, ...] = ()
    lowest_mhz: int | None = None
    highest_mhz: int | None = None
    thermal_throttles: int | None = None


class Observer:
    """Reader of what the machine does on the processors that this process may use.

    Which files there are is looked up once, so that a reading is cheap.

    Parameters
    ----------
    processors : iterable of int, optional
        Numbers of the processors. By default those that this process may use now, so make it before anything is pinned.
    root : Path
        Folder that has ``proc`` and ``sys``.

    Attributes
    ----------
    processors : list of int
    governor : str or None
        What chooses the frequencies of the processors, such as ``performance``.
    """

    def __init__(self, processors: Iterable[int] | None = None, root: Path = Path("/")) -> None:
        self.processors = sorted(allowed_processors() if processors is None else processors)
        self._stat = root / "proc" / "stat"
        self._names = {f"cpu{processor}" for processor in self.processors}
        folders = [root / "sys" / "devices" / "system" / "cpu" / name for name in sorted(self._names)]
        self._groups = [file for file in _group_files(root) if _group_times(file) is not None]
        self._frequencies = _existing(folder / "cpufreq" / "scaling_cur_freq" for folder in folders)
        self._throttles = _existing(folder / "thermal_throttle" / "core_throttle_count" for folder in folders)
        governors = {_text(folder / "cpufreq" / "scaling_governor").strip() for folder in folders} - {""}
        self.governor = ", ".join(sorted(governors)) or None
        # virtual machines have this file alone; it is long, and it has the same frequencies at all times
        self._fixed_mhz = [] if self._frequencies else _mhz_of_cpuinfo(root, self.processors)

    def reading(self) -> Reading:
        """Return the state of the machine. On 256 processors it takes 5 ms."""
        stolen_ticks = 0
        all_ticks = 0
        for line in _text(self._stat).splitlines():
            name, *columns = line.split()
            if not name.startswith("cpu"):
                break
            if name in self._names:
                ticks = [int(column) for column in columns[:_STATES]]
                all_ticks += sum(ticks)
                stolen_ticks += ticks[-1]
        kilohertz = _numbers(self._frequencies, time.monotonic() + _SECONDS_FOR_FREQUENCIES)
        mhz = [number // _KILOHERTZ for number in kilohertz] or self._fixed_mhz
        throttles = _numbers(self._throttles)
        return Reading(
            load=os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
            stolen_ticks=stolen_ticks,
            all_ticks=all_ticks,
            groups=tuple(_group_times(file) or GroupTimes(0, 0) for file in self._groups),
            lowest_mhz=min(mhz, default=None),
            highest_mhz=max(mhz, default=None),
            thermal_throttles=sum(throttles) if throttles else None,
        )

    def interference(
        self, before: Reading, after: Reading, wall_seconds: float, cpu_seconds: float, *, pinned: bool
    ) -> dict[str, float | int | str | bool | None]:
        """Return what may have changed the times of searches between two readings: a section of environment.json.

        Parameters
        ----------
        before, after : Reading
        wall_seconds, cpu_seconds : float
            Sums over the searches.
        pinned : bool
            Whether each worker had a core for itself.

        Returns
        -------
        dict of str
            `waiting_share` is the share of the searches' time in which no processor worked for them, `steal_share` that
            of the processors' time which the host took, and `throttled_share` that of the time in which a control group
            wanted to run and its quota did not let it (the largest of all groups).
        """
        waiting_seconds = max(0.0, wall_seconds - cpu_seconds)
        throttled = [_throttled_share(*times) for times in zip(before.groups, after.groups, strict=True)]
        lowest = [mhz for mhz in (before.lowest_mhz, after.lowest_mhz) if mhz is not None]
        highest = [mhz for mhz in (before.highest_mhz, after.highest_mhz) if mhz is not None]
        throttles = None
        if before.thermal_throttles is not None and after.thermal_throttles is not None:
            throttles = after.thermal_throttles - before.thermal_throttles
        return {
            "wall_seconds": round(wall_seconds, _DIGITS),
            "cpu_seconds": round(cpu_seconds, _DIGITS),
            "waiting_share": _share(waiting_seconds, wall_seconds),
            "steal_share": _share(after.stolen_ticks - before.stolen_ticks, after.all_ticks - before.all_ticks),
            "throttled_share": max((share for share in throttled if share is not None), default=None),
            "load_before": _rounded(before.load),
            "load_after": _rounded(after.load),
            "processors": len(self.processors),
            "frequency_mhz_lowest": min(lowest, default=None),
            "frequency_mhz_highest": max(highest, default=None),
            "governor": self.governor,
            "thermal_throttles": throttles,
            "pinned": pinned,
        }


def combined(earlier: Mapping[str, Any], later: Mapping[str, Any]) -> dict[str, Any]:
    """Return the interference with the searches of two commands, given the sections of both.

    Shares are means, weighted by the wall times of the searches. What is unknown in one section, or no number there, is
    that of the other.
    """
    sections = (earlier, later)
    numbers = {
        key: [number for section in sections if (number := _number_in(section, key)) is not None] for key in later
    }
    result = dict(later)
    for key, combine in _COMBINED.items():
        if numbers.get(key):
            result[key] = round(combine(numbers[key]), _DIGITS)
    for key in _SHARES:
        known = [section for section in sections if _number_in(section, key) is not None]
        seconds = sum(_number_in(section, "wall_seconds") or 0.0 for section in known)
        weighted = sum(section[key] * (_number_in(section, "wall_seconds") or 0.0) for section in known)
        if seconds > 0:
            result[key] = _share(weighted, seconds)
    result["pinned"] = earlier.get("pinned") is True and later["pinned"]
    return result


def _number_in(section: Mapping[str, Any], key: str) -> float | None:
    value = section.get(key)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _throttled_share(before: GroupTimes, after: GroupTimes) -> float | None:
    throttled = after.throttled - before.throttled
    running = after.running - before.running
    return _share(throttled, throttled + running)


def _share(part: float, whole: float) -> float | None:
    """Return a share with four digits; None of nothing."""
    return round(min(max(part / whole, 0.0), 1.0), 4) if whole > 0 else None


def _rounded(load: float | None) -> float | None:
    return None if load is None else round(load, 2)


def _group_files(root: Path) -> list[Path]:
    """Return the statistics of this process's control group (version 2) and of those that contain it."""
    mounted = root / "sys" / "fs" / "cgroup"
    for line in _text(root / "proc" / "self" / "cgroup").splitlines():
        if line.startswith("0::/"):
            group = mounted / line.removeprefix("0::/")
            return [folder / "cpu.stat" for folder in (group, *group.parents) if folder.is_relative_to(mounted)]
    return []


def _group_times(file: Path) -> GroupTimes | None:
    """Return the times of a control group; None if it has no statistics of a quota."""
    values = dict(line.split() for line in _text(file).splitlines())
    if "throttled_usec" not in values:
        return None
    return GroupTimes(running=int(values["usage_usec"]), throttled=int(values["throttled_usec"]))


def _mhz_of_cpuinfo(root: Path, processors: Iterable[int]) -> list[int]:
    """Return the frequencies of the processors in /proc/cpuinfo; nothing on architectures without them."""
    wanted = {str(processor) for processor in processors}
    mhz = []
    is_wanted = False
    for line in _text(root / "proc" / "cpuinfo").splitlines():
        name, _, value = (part.strip() for part in line.partition(":"))
        if name == "processor":
            is_wanted = value in wanted
        elif name == "cpu MHz" and is_wanted:
            mhz.append(round(float(value)))
    return mhz


def _existing(files: Iterable[Path]) -> list[str]:
    return [str(file) for file in files if file.exists()]


def _numbers(files: Iterable[str], deadline: float = math.inf) -> list[int]:
    """Return the numbers in files, without those that cannot be read, such as of a processor that is now offline.

    None is opened after the deadline.
    """
    numbers = []
    for name in files:
        if time.monotonic() > deadline:
            break
        try:
            file = os.open(name, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            numbers.append(int(os.read(file, 32)))
        except (OSError, ValueError):
            continue
        finally:
            os.close(file)
    return numbers


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
