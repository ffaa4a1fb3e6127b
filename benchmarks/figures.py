"""Figures of ``python -m benchmarks`` with all their samples, and the files that keep them.

A file is JSON: the time, the machine with the versions and the commit, and each figure with its unit, whether less or
more is better, and its samples beside those of its reference.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from statistics import median
from typing import Any, Literal

import msgspec

from benchmarks.tables import Row
from runner.base import UserError, atomic_write
from runner.records import machine

FOLDER = Path(__file__).parents[1] / "outputs" / "benchmarks"
"""Folder of files without a name of their own. Git ignores it."""
Better = Literal["less", "more"]


@dataclass
class Figure:
    """Measurements, one for each round.

    Attributes
    ----------
    name, unit : str
    better : {"less", "more"}
    samples : list of float
        Values in the order of the rounds.
    reference : str
        What the reference is; empty without one.
    reference_samples : list of float
        Its values in the same rounds.
    """

    name: str
    unit: str
    better: Better
    samples: list[float]
    reference: str = ""
    reference_samples: list[float] = field(default_factory=list)

    def row(self) -> Row:
        """Return the line of the table: medians, and a ratio that is above 1 if the figure is better."""
        here = median(self.samples)
        other = median(self.reference_samples) if self.reference_samples else None
        ratio = None if not other else other / here if self.better == "less" else here / other
        return {
            "": self.name,
            "here": here,
            "unit": self.unit,
            "reference": self.reference,
            "its figure": other,
            "ratio": ratio,
        }


@dataclass
class Record:
    """Figures of one command.

    Attributes
    ----------
    time : str
        When it ended, as ISO 8601 has it.
    machine : dict
        Processor, versions and commit, as in environment.json.
    figures : list of Figure
    """

    time: str
    machine: dict[str, Any]
    figures: list[Figure]


def merged(rounds: Iterable[Iterable[Figure]]) -> list[Figure]:
    """Return the figures of several rounds with the samples of all."""
    figures: dict[str, Figure] = {}
    for measured in rounds:
        for figure in measured:
            known = figures.get(figure.name)
            if known is None:
                figures[figure.name] = figure
            else:
                known.samples += figure.samples
                known.reference_samples += figure.reference_samples
    return list(figures.values())


def write(figures: list[Figure], file: Path | None = None) -> Path:
    """Write a record atomically, by default into a new file of `FOLDER`, and return the file."""
    now = datetime.now(timezone.utc)
    target = FOLDER / f"{now:%Y-%m-%d_%H-%M-%S}.json" if file is None else file
    target.parent.mkdir(parents=True, exist_ok=True)
    record = Record(now.isoformat(timespec="seconds"), machine(), figures)
    with atomic_write(target) as out:
        out.write(json.dumps(asdict(record), indent=2) + "\n")
    return target


def read(file: Path) -> Record:
    """Return the record in a file.

    Raises
    ------
    UserError
        If it has none.
    """
    try:
        record = msgspec.json.decode(file.read_bytes(), type=Record)
    except OSError as error:
        raise UserError(f"{file}: cannot be read ({error.strerror})") from None
    except (msgspec.DecodeError, RecursionError) as error:  # msgspec's ValidationError, too
        raise UserError(f"{file}: is no record of python -m benchmarks ({error})") from None
    for figure in record.figures:
        if not figure.samples or median(figure.samples) <= 0:
            raise UserError(f"{file}: is no record of python -m benchmarks ({figure.name}: expected samples above 0)")
    return record
