"""Interference of other programs and of the system with the measurement of times, as cells have recorded it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated, NamedTuple

import msgspec

from runner.base import UserError, one_line, plural, read_bytes
from runner.features.reports.cell_configurations import MAX_READ, CellConfigurations, recorded_files
from runner.features.reports.columns import CONFIGURATION
from runner.features.reports.runs import Runs
from runner.features.reports.tables import listed, three_digits
from runner.records import CORRUPT, RecordBound, RecordFile, cell_of

OF_WORKER = "process"
"""Value of the column `measured_by` in the rows of searches that a worker has made itself, in one thread."""
WAITING = "searches waited for a processor during"
STOLEN = "the host of the virtual machine withheld its processors during"
THROTTLED = "the quota of a control group stopped searches during"

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Interference(msgspec.Struct):
    """Section `interference` of environment.json. None stands for a value that the system does not tell."""

    wall_seconds: float | None = None
    cpu_seconds: float | None = None
    waiting_share: Share | None = None
    steal_share: Share | None = None
    throttled_share: Share | None = None
    load_before: float | None = None
    load_after: float | None = None
    processors: int | None = None
    frequency_mhz_lowest: float | None = None
    frequency_mhz_highest: float | None = None
    governor: str | None = None
    thermal_throttles: int | None = None
    pinned: bool | None = None

    @property
    def is_overloaded(self) -> bool:
        """Whether more processes wanted to run than there are processors."""
        loads = [load for load in (self.load_before, self.load_after) if load is not None]
        return self.processors is not None and max(loads, default=0.0) > self.processors


class _WithInterference(msgspec.Struct):
    """Fields of environment.json."""

    interference: Interference | None = None


_DECODER = msgspec.json.Decoder(_WithInterference)


class Disturbance(NamedTuple):
    """Kind of interference, and its share of the time."""

    share: float
    kind: str

    @property
    def excess(self) -> float:
        """By what share of the undisturbed time it has made times longer."""
        return self.share / (1 - self.share) if self.share < 1 else math.inf


class RecordedInterference(NamedTuple):
    """Interference with a cell, or with the part of a cell that a task of a cluster has searched.

    Attributes
    ----------
    cell : str
        Folder, relative to the given folder.
    configurations : sequence of str
        Configurations of the rows of the cell.
    has_waiting : bool
        Whether the time without a processor is interference. A program may wait for its input, and one with several
        threads takes more processor time than wall time: its waiting counts only on an overloaded machine.
    recorded : Interference
    """

    cell: str
    configurations: Sequence[str]
    has_waiting: bool
    recorded: Interference

    @property
    def disturbance(self) -> Disturbance:
        """The largest interference with search times."""
        recorded = self.recorded
        shares = {STOLEN: recorded.steal_share, THROTTLED: recorded.throttled_share}
        if self.has_waiting:
            shares[WAITING] = recorded.waiting_share
        known = {kind: share for kind, share in shares.items() if share is not None}
        return max((Disturbance(share, kind) for kind, share in known.items()), default=Disturbance(0.0, WAITING))


def recorded_interference(runs: Runs, folders: Sequence[Path]) -> list[RecordedInterference]:
    """Return the interference with the first cells below folders. Records that cannot be read are left out."""
    found = list[RecordedInterference]()
    configurations = CellConfigurations(runs)
    of_programs = _of_programs(runs)
    files = recorded_files(folders, RecordFile.ENVIRONMENT)
    for folder, file in files[:MAX_READ]:
        try:
            content = read_bytes(file, RecordBound.SHOWN)
            recorded = _DECODER.decode(content).interference
            if recorded is None:
                continue
            names = configurations.of(folder, file.parent) or configurations.of(folder, cell_of(file))
        except (UserError, OSError, *CORRUPT):
            continue
        has_waiting = recorded.is_overloaded or of_programs.isdisjoint(names)
        found.append(RecordedInterference(_name(folder, file, folders), names, has_waiting, recorded))
    return found


def summary_of(interference: Sequence[Interference]) -> list[str]:
    """Return sentences on the interference with some cells, for a checklist."""
    if not interference:
        return []
    found = [f"interference was recorded in {plural(len(interference), 'cell')}"]
    shares = {WAITING: "waiting_share", STOLEN: "steal_share", THROTTLED: "throttled_share"}
    for kind, field in shares.items():
        largest = _largest(interference, field)
        found += [] if largest is None else [f"{kind} at most {percent(largest)} of the time"]
    pinned = [each.pinned for each in interference if each.pinned is not None]
    found += (
        [f"workers were pinned to processors in {sum(pinned):,} of {plural(len(pinned), 'cell')}"] if pinned else []
    )
    load = _largest(interference, "load_before")
    found += [] if load is None else [f"load average before a cell: at most {load:g}"]
    slowest = [each.frequency_mhz_lowest for each in interference if each.frequency_mhz_lowest is not None]
    fastest = _largest(interference, "frequency_mhz_highest")
    if slowest and fastest is not None:
        found.append(f"frequency of the processors: {min(slowest):,.0f} to {fastest:,.0f} MHz")
    governors = dict.fromkeys(one_line(each.governor) for each in interference if each.governor)
    found += [f"governor of the frequency: {listed([*governors])}"] if governors else []
    throttles = _largest(interference, "thermal_throttles")
    found += (
        [] if throttles is None else [f"reductions of the frequency because of heat: at most {throttles:g} in a cell"]
    )
    return found


def _largest(interference: Sequence[Interference], field: str) -> float | None:
    """Return the largest value of a field; None if it has none."""
    return max((value for each in interference if (value := getattr(each, field)) is not None), default=None)


def percent(share: float) -> str:
    """Return a share in per cent."""
    return f"{three_digits(100 * share)} %"


def _of_programs(runs: Runs) -> set[str]:
    """Return the configurations with a row of a program."""
    is_of_program = runs.table["measured_by"].notna() & (runs.table["measured_by"] != OF_WORKER)
    return {str(name) for name in runs.table.loc[is_of_program, CONFIGURATION].unique()}


def _name(folder: str, file: Path, folders: Sequence[Path]) -> str:
    """Return the folder of a file for messages, relative to the given folder. Of several, its name stands before it."""
    above = next(each for each in folders if file.is_relative_to(each))
    inside = file.parent.relative_to(above)
    return str(PurePosixPath(folder, inside)) if len(folders) > 1 or file.parent == above else inside.as_posix()
