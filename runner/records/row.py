"""Results as bytes: lines of metrics.csv and of plans.jsonl."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from runner.columns import NAMES, Declared
from runner.records.result import Improvement, Result

MAX_TEXT = 2_000
_MAX_END = 400


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


class RowFormat:
    """How the results of a cell are written.

    Parameters
    ----------
    declared : Declared
        Their metrics beside ours.
    """

    def __init__(self, declared: Declared) -> None:
        self.columns = declared.columns
        self.header = csv_line(self.columns)
        self._declared = [metric.name for metric in declared.metrics]
        self._seconds = {name for name, metric in declared.all_metrics.items() if metric.unit == "s"}

    def encode(self, number: int, result: Result) -> Row:
        """Return a result as it is written."""
        ours = (self._text(name, getattr(result, name)) for name in NAMES)
        declared = (self._text(name, result.measured.get(name), digits=17) for name in self._declared)
        return Row(number, csv_line((*ours, *declared)), _plan_line(result))

    def _text(self, name: str, value: Any, digits: int = 6) -> str:
        if isinstance(value, float):
            return f"{value:.6f}" if name in self._seconds else f"{value:.{digits}g}"
        return text_of(value)

    def columns_of(self, row: Row) -> dict[str, str]:
        """Return a row as a reader of metrics.csv gets it."""
        return dict(zip(self.columns, next(csv.reader([row.line.decode()])), strict=True))


def _plan_line(result: Result) -> bytes:
    if result.plan is None:
        return b""
    cost = result.cost if result.cost is not None else len(result.plan)
    return _json_line({"run_id": result.run_id, "instance": result.instance, "cost": cost, "actions": result.plan})


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
    return _json_line(plan)


def _json_line(plan: Mapping[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(plan) + b"\n"
    except UnicodeEncodeError:  # characters without an encoding, which the other library escapes
        return json.dumps(plan, separators=(",", ":")).encode() + b"\n"


def text_of(value: Any) -> str:
    """Return a value as it stands in a CSV file; None is empty."""
    if value is None:
        return ""
    if isinstance(value, str):
        return escaped(shortened(value))
    return str(value)


def escaped(text: str) -> str:
    r"""Return text in which what cannot be printed, and backslashes, are escaped: ``\n``, ``\x00``, ``\udc80``, ``\\``.

    ``text.encode("latin-1", "backslashreplace").decode("unicode_escape")`` of the result is the text again.
    """
    if text.isprintable() and "\\" not in text:
        return text
    return "".join(c if c.isprintable() and c != "\\" else c.encode("unicode_escape").decode() for c in text)


def shortened(text: str) -> str:
    """Return text of at most about `MAX_TEXT` characters: of a longer one the beginning and the end, with a mark."""
    if len(text) <= MAX_TEXT:
        return text
    left_out = len(text) - MAX_TEXT
    return f"{text[: MAX_TEXT - _MAX_END]} [... {left_out:,} characters left out ...] {text[-_MAX_END:]}"


def csv_line(values: Iterable[str]) -> bytes:
    """Return a line of a CSV file."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(values)
    return line.getvalue().encode(errors="backslashreplace")


def key_of_row(line: bytes) -> int:
    """Return the key of a line of metrics.csv."""
    return key_of(line.partition(b",")[0].decode(errors="replace"))


def key_of_plan(line: bytes) -> int:
    """Return the key of a line of plans.jsonl."""
    return key_of(line.partition(b'"run_id":"')[2].partition(b'"')[0].decode(errors="replace"))


def key_of(run_id: str) -> int:
    """Return a `run_id` as a number of 64 bits, which takes less memory; any other text as a number, too."""
    try:
        return int(run_id, 16) & ((1 << 64) - 1)
    except ValueError:
        return int.from_bytes(hashlib.blake2b(run_id.encode(errors="replace"), digest_size=8).digest(), "little")
