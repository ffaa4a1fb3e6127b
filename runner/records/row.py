"""Rows as lines of metrics.csv and plans.jsonl, encoded and decoded, and the declarations of their columns, written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec

from runner.base import NAMES, Declared, Result, atomic_write, read_lines
from runner.records.bounded_files import CORRUPT, RecordBound
from runner.records.csv_table import csv_line
from runner.records.run_folder import RecordFile

MAX_TEXT = 2_000
_MAX_END = 400
_OURS = attrgetter(*NAMES)
_NUMBER = NAMES.index("number")
_ADDED = ("status", "valid", "error", "reason", "actions", "code", "limits", "heuristic", "cpu_seconds")
"""Columns other than the main metrics that totals need."""
_COSTS = ("cost", "initial_h")
"""Columns in the unit of costs, which may be real numbers."""

Write = Callable[[Path, str], AbstractContextManager[IO[Any]]]
"""Function that opens a file for writing, such as `atomic_write`."""


@dataclass(frozen=True)
class Improvement:
    """Improved solution that an anytime search finds before its result.

    Attributes
    ----------
    seconds : float
        Time since the start of the search.
    expanded : int or None
        Number of expansions since the start of the search; None if it is unknown.
    """

    cost: float
    bound: float | None
    seconds: float
    expanded: int | None
    plan: tuple[str, ...]


class Row(NamedTuple):
    """Encoded result.

    Attributes
    ----------
    number : int
        Number of the instance in its source.
    key : int
        Number of 64 bits for the `run_id`, see `key_of`.
    line : bytes
        Line of metrics.csv.
    plans : bytes
        Lines of plans.jsonl; empty without a plan.
    values : dict
        Values that are added up over the rows of a cell, by columns.
    output : str
        Text for a file of its own, named after the `run_id`; empty if there is none.
    result : Result or None
        The result itself, in a cell whose instances are searched several times.
    """

    number: int
    key: int
    line: bytes
    plans: bytes
    values: dict[str, Any]
    output: str = ""
    result: Result | None = None


class RowFormat:
    """Encoder for the results of a cell.

    Parameters
    ----------
    declared : Declared
        Metrics that the rows have in addition to the built-in ones.
    keeps_results : bool
        Whether rows have their results, too.
    """

    def __init__(self, declared: Declared, *, keeps_results: bool = False) -> None:
        self._keeps_results = keeps_results
        self.columns = declared.columns
        added = {*_ADDED, *(name for metric in declared.main_metrics.values() for name in metric.inputs)}
        self._added = [(column, name) for column, name in enumerate(self.columns) if name in added]
        self._declared = declared.stored
        seconds = {name for name, metric in declared.all_metrics.items() if metric.unit == "s"}
        self._formats = [".6f" if name in seconds else ".15g" if name in _COSTS else ".6g" for name in NAMES]
        self._formats += [".6f" if name in seconds else ".17g" for name in self._declared]

    def encode(self, number: int, result: Result) -> Row:
        """Return an encoded result of the instance with a number."""
        values = [*_OURS(result), *map(result.measured.get, self._declared)]
        values[_NUMBER] = number
        texts = [
            "" if value is None
            else _text(value) if isinstance(value, str)
            else format(value, float_format) if isinstance(value, float)
            else str(value)
            for value, float_format in zip(values, self._formats, strict=True)
        ]  # fmt: skip
        added = {name: values[column] for column, name in self._added if values[column] is not None}
        key = key_of(texts[0])
        result_or_none = result if self._keeps_results else None
        return Row(number, key, csv_line(texts), _plan_line(result), added, result.output, result_or_none)


def _plan_line(result: Result) -> bytes:
    if result.plan is None:
        return b""
    if result.plans:
        return b"".join(
            json_bytes({
                "run_id": result.run_id, "instance": result.instance, "solution": number, "cost": costs[0],
                "costs": costs, "actions": actions,
            }) + b"\n"
            for number, (costs, actions) in enumerate(result.plans, 1)
        )  # fmt: skip
    cost = result.cost if result.cost is not None else len(result.plan)
    plan = {"run_id": result.run_id, "instance": result.instance, "cost": cost, "actions": result.plan}
    return json_bytes(plan) + b"\n"


def improvement_line(run_id: str, instance: str, improvement: Improvement) -> bytes:
    """Return the line of plans.jsonl for an improved solution of an anytime search."""
    plan = {
        "run_id": run_id,
        "instance": instance,
        "cost": improvement.cost,
        "bound": improvement.bound,
        "seconds": round(improvement.seconds, 6),
        "expanded": improvement.expanded,
        "actions": improvement.plan,
    }
    return json_bytes(plan) + b"\n"


def json_bytes(value: Mapping[str, Any]) -> bytes:
    """Return a mapping as JSON in UTF-8, also with characters that have no encoding."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # the other library escapes them
        return json.dumps(value, separators=(",", ":")).encode()


@lru_cache(maxsize=256)  # most columns have the same text in all rows of a cell
def _text(value: str) -> str:
    return escaped(shortened(value))


def escaped(text: str) -> str:
    r"""Return text with backslashes and unprintable characters escaped: ``\\``, ``\n``, ``\x00``, ``\udc80``.

    ``text.encode("latin-1", "backslashreplace").decode("unicode_escape")`` of the result is the text again.
    """
    if text.isprintable() and "\\" not in text:
        return text
    return "".join(c if c.isprintable() and c != "\\" else c.encode("unicode_escape").decode() for c in text)


def shortened(text: str) -> str:
    """Return text of about `MAX_TEXT` characters at most: a mark replaces the middle of a longer text."""
    if len(text) <= MAX_TEXT:
        return text
    left_out = len(text) - MAX_TEXT
    return f"{text[: MAX_TEXT - _MAX_END]} [... {left_out:,} characters left out ...] {text[-_MAX_END:]}"


class PlanLine(msgspec.Struct):
    """Line of plans.jsonl. An improved solution has the seconds since the start of its search.

    A plan of a set has its number in the set, from 1, and all its costs.
    """

    run_id: str
    instance: str
    actions: list[str]
    cost: float = 0
    seconds: float | None = None
    solution: int = 0
    costs: list[float] = []


_DECODER = msgspec.json.Decoder(PlanLine)


def decode_plan(line: bytes) -> PlanLine:
    """Return a line of plans.jsonl; raise one of `CORRUPT` if it is none."""
    try:
        return _DECODER.decode(line)
    except msgspec.DecodeError:  # only the other library reads escapes of characters without an encoding
        return msgspec.convert(json.loads(line), PlanLine)


def plan_lines(file: Path) -> Iterator[tuple[int, bytes, PlanLine | None]]:
    """Yield each line of a plans.jsonl with its position in the file and its content; None if it is not a plan."""
    offset = 0
    for line in read_lines(file, RecordBound.PLAN):
        plan = None
        with suppress(*CORRUPT):
            plan = decode_plan(line)
        yield offset, line, plan
        offset += len(line)


def key_of(run_id: str) -> int:
    """Return a number of 64 bits for a `run_id`: it takes less memory. Any other text is hashed."""
    try:
        return int(run_id, 16) & ((1 << 64) - 1)
    except ValueError:
        return int.from_bytes(hashlib.blake2b(run_id.encode(errors="replace"), digest_size=8).digest(), "little")


def write_declared(folder: Path, declared: Declared, write: Write = atomic_write) -> None:
    """Write the declared metrics and statuses of the rows in a folder, if there are any."""
    if declared == Declared():
        return
    with write(folder / RecordFile.DECLARED, "wb") as out:
        out.write(msgspec.json.format(msgspec.json.encode(declared), indent=1) + b"\n")
