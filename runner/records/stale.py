"""Move stale rows, which the sweep would now make differently, to ``stale.csv`` beside the others."""

from __future__ import annotations

import itertools
from collections.abc import Collection
from pathlib import Path

from runner.records.plans import MAX_PLAN
from runner.records.reader import checked_rows
from runner.records.row import csv_line, key_of, key_of_plan
from runner.records.writer import PLANS
from worlds.files import atomic_write, read_lines

STALE = "stale"


def set_aside(metrics: Path, numbers: Collection[int]) -> None:
    """Move rows of a metrics.csv, with their plans, into new files beside it.

    Parameters
    ----------
    numbers : collection of int
        Numbers of the rows, counted from 0.
    """
    free = (f"{STALE}-{number}" for number in itertools.count(1))
    name = next(each for each in itertools.chain([STALE], free) if not metrics.with_name(f"{each}.csv").exists())
    keys: set[int] = set()
    kept: set[int] = set()
    for number, row in enumerate(checked_rows(metrics)):
        (keys if number in numbers else kept).add(key_of(row["run_id"]))
    _write(metrics, metrics.with_name(f"{name}.csv"), numbers, is_kept=True)
    _move_plans(metrics.with_name(PLANS), metrics.with_name(f"{name}.jsonl"), keys - kept)
    if kept:
        _write(metrics, metrics, numbers, is_kept=False)
    else:  # the next rows may have other columns
        metrics.unlink()


def _write(metrics: Path, target: Path, numbers: Collection[int], *, is_kept: bool) -> None:
    """Write the rows with these numbers, or all others."""
    with atomic_write(target, "wb") as out:
        for number, row in enumerate(checked_rows(metrics)):
            if number == 0:
                out.write(csv_line(row))
            if (number in numbers) == is_kept:
                out.write(csv_line(row.values()))


def _move_plans(plans: Path, target: Path, keys: Collection[int]) -> None:
    if not plans.exists():
        return
    with atomic_write(target, "wb") as moved, atomic_write(plans, "wb") as kept:
        for line in read_lines(plans, MAX_PLAN):
            if line.endswith(b"\n"):
                (moved if key_of_plan(line) in keys else kept).write(line)
    if target.stat().st_size == 0:
        target.unlink()
