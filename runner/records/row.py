"""Results as bytes: lines of metrics.csv and of plans.jsonl."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from runner.records.result import COLUMNS, Improvement, Result

SECONDS = ("search_seconds", "cpu_seconds", "compile_seconds", "solver_seconds")


class Row(NamedTuple):
    """A result as it is written.

    Attributes
    ----------
    number : int
        Of the instance in its source.
    line : bytes
        Of metrics.csv.
    plans : bytes
        Lines of plans.jsonl; empty without a plan.
    """

    number: int
    line: bytes
    plans: bytes

    @property
    def key(self) -> int:
        """The `run_id` as a number."""
        return key_of(self.line[: self.line.index(b",")].decode())

    def columns(self) -> dict[str, str]:
        """Return the row as a reader of metrics.csv gets it."""
        return dict(zip(COLUMNS, next(csv.reader([self.line.decode()])), strict=True))


def encode(number: int, result: Result) -> Row:
    """Return a result as it is written."""
    line = csv_line(format_value(name, getattr(result, name)) for name in COLUMNS)
    return Row(number, line, _plan_line(result))


def _plan_line(result: Result) -> bytes:
    if result.plan is None:
        return b""
    cost = result.cost if result.cost is not None else len(result.plan)
    plan = {"run_id": result.run_id, "instance": result.instance, "cost": cost, "actions": result.plan}
    return msgspec.json.encode(plan) + b"\n"


def improvement_line(run_id: str, instance: str, improvement: Improvement) -> bytes:
    """Return the line of plans.jsonl for a solution that an anytime search has found on its way."""
    plan = {
        "run_id": run_id,
        "instance": instance,
        "cost": improvement.cost,
        "bound": improvement.bound,
        "seconds": round(improvement.seconds, 6),
        "expanded": improvement.expanded,
        "actions": improvement.plan,
    }
    return msgspec.json.encode(plan) + b"\n"


def format_value(name: str, value: Any) -> str:
    """Return a value as it stands in a CSV file; None is empty."""
    if value is None:
        return ""
    if name in SECONDS:
        return f"{value:.6f}"
    return f"{value:g}" if isinstance(value, float) else str(value)


def csv_line(values: Iterable[str]) -> bytes:
    """Return a line of a CSV file."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(values)
    return line.getvalue().encode(errors="backslashreplace")


HEADER = csv_line(COLUMNS)


def key_of(run_id: str) -> int:
    """Return a `run_id` as a number of 64 bits, which takes less memory; any other text as a number, too."""
    try:
        return int(run_id, 16) & ((1 << 64) - 1)
    except ValueError:
        return int.from_bytes(hashlib.blake2b(run_id.encode(errors="replace"), digest_size=8).digest(), "little")
