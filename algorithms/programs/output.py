"""Columns from the output of a program: by regular expressions, as JSON, or by a function of the user."""

from __future__ import annotations

import importlib
import inspect
import json
import logging
import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from runner.base import NAMES, Aggregate, Better, Metric, UserError, error_text, one_line, suggest

COST = "cost"
COUNTS = (
    "expanded", "generated", "evaluated", "reopened", "iterations", "peak_nodes", "initial_h",
    "expanded_before_last_layer", "simulated_actions",
)  # fmt: skip
"""Built-in columns that a program may fill. Its cost is compared with that of its plan."""
JSON, PARSER = "json", "parser"
_RELATIVE_PRECISION = 1e-6
_MAX_SHOWN = 60
_OBJECT = re.compile(r"(?:^|\r)[ \t]*(\{[^\r\n]*\})[ \t]*(?=\r|$)", re.MULTILINE)
"""Line that may be a JSON object."""
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?([eE][+-]?\d+)?")
"""Number whose thousands are separated by commas."""
_MAX_NUMBER = 1e100
"""Largest number, so that sums are finite."""
MAX_EXACT = 1 << 53
"""Largest number up to which all whole numbers are exact."""
_WHERE = "algorithm.output"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class OutputColumn:
    """Column that a program fills.

    Attributes
    ----------
    pattern : str or None
        Regular expression. The first group of its last match is the value.
    key : str or None
        Key in the JSON object; by default the name of the column.
    total : bool
        Whether the values of all matches are added up.
    scale : float
        Factor for the value, such as 1024 for KiB.
    unit, better, aggregate, digits, meaning
        As in `runner.base.metric.Metric`.
    """

    pattern: str | None = None
    key: str | None = None
    total: bool = False
    scale: float = 1.0
    unit: str = ""
    better: Better = "less"
    aggregate: Aggregate = "sum"
    digits: int = 0
    meaning: str = ""

    misplaced: ClassVar[Mapping[str, str]] = {
        JSON: "belongs beside the columns, as in output: {json: true, cost: {key: NAME}}",
        PARSER: "belongs beside the columns, as in output: {parser: module:function}",
    }


Described = dict[str, str | bool | OutputColumn] | str
"""Section `output`: a pattern or more for each column; ``json: true``; ``parser: module:function``, or this alone."""
Parser = Callable[[str], Mapping[str, Any]]


@dataclass(frozen=True)
class PrintedValues:
    """Values that a program has printed.

    Attributes
    ----------
    cost : float or None
        Cost that it claims.
    precision : float
        Largest error of this cost by rounding.
    counts, measured : mapping
        Values of built-in columns, and of its own.
    problem : str or None
        What is wrong with a value, which is then left out.
    """

    cost: float | None = None
    precision: float = 0.0
    counts: Mapping[str, float] = field(default_factory=dict)
    measured: Mapping[str, float] = field(default_factory=dict)
    problem: str | None = None


class OutputReader:
    """Reader of what one program prints.

    Parameters
    ----------
    described : mapping or str
        Section `output`.

    Raises
    ------
    UserError
        If a column cannot be filled, a regular expression is none, or the function cannot be imported.
    """

    def __init__(self, described: Described) -> None:
        if isinstance(described, str):
            described = {PARSER: described}
        columns = {name: value for name, value in described.items() if name not in (JSON, PARSER)}
        if not isinstance(described.get(JSON, True), bool):
            raise UserError(f"{_WHERE}.{JSON}: expected true or false, got {described[JSON]!r}")
        self._has_json = described.get(JSON) is True
        self._parser_name = described.get(PARSER)
        self._columns = {name: _column(name, value) for name, value in columns.items()}
        self._patterns = {
            name: compiled(column.pattern, f"{_WHERE}.{name}")
            for name, column in self._columns.items()
            if column.pattern is not None
        }
        self._parser = None if self._parser_name is None else _imported(self._parser_name)
        self._keys = {
            name: self._columns[name].key or name if name in self._columns else name
            for name in dict.fromkeys((COST, *COUNTS, *self._columns))
            if name not in self._patterns
        }

    def check(self) -> None:
        """Refuse a column that nothing in a text fills; the answers of servers have keys anyway."""
        wrong = next((name for name in self._columns if name not in self._patterns), None)
        if wrong is not None and not self._has_json and self._parser is None:
            raise UserError(f"{_WHERE}.{wrong}: needs a pattern, or json: true beside the columns")

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """Columns that are not built in."""
        return tuple(
            Metric(
                name, column.unit, column.better, column.aggregate, column.digits, label=f"{name.replace('_', ' ')}",
                meaning=column.meaning,
            )
            for name, column in self._columns.items()
            if name != COST and name not in COUNTS
        )  # fmt: skip

    @property
    def file(self) -> Path | None:
        """File of the function."""
        source = None if self._parser is None else inspect.getsourcefile(self._parser)
        return None if source is None else Path(source)

    @property
    def reads_text(self) -> bool:
        """Whether regular expressions or a function read the text, which the answers of servers have not."""
        return bool(self._patterns) or self._parser is not None

    @property
    def sources(self) -> dict[str, str]:
        """Pattern or key that fills each described column."""
        return {
            name: f"'{column.pattern}'" if column.pattern is not None else f"key '{self._keys[name]}'"
            for name, column in self._columns.items()
        }

    def read(self, text: str) -> PrintedValues:
        """Return the values in the standard output of a program."""
        printed: dict[str, Any] = dict(_last_object(text)) if self._has_json else {}
        problem = None
        if self._parser is not None:
            try:
                printed.update(self._parser(text))
            except Exception as error:  # of the user's function
                log.exception("%s failed", self._parser_name)
                problem = f"output: {self._parser_name}: {error_text(error)}"
        stated: dict[str, Sequence[Any]] = {**self._stated(printed)}
        for name, pattern in self._patterns.items():
            last = None if self._columns[name].total else 1
            matches = deque((match for match in pattern.finditer(text) if text_of(match) is not None), last)
            if matches:
                stated[name] = matches
        return self._values(stated, problem)

    def values(self, answer: Mapping[str, Any]) -> PrintedValues:
        """Return the values in the answer of a server."""
        return self._values(self._stated(answer), None)

    def _stated(self, values: Mapping[str, Any]) -> dict[str, list[Any]]:
        """Return the values in a JSON object, by columns."""
        return {name: [values[key]] for name, key in self._keys.items() if values.get(key) is not None}

    def _values(self, stated: Mapping[str, Sequence[Any]], problem: str | None) -> PrintedValues:
        """Return the sums of some numbers, or of their texts, by columns."""
        totals: dict[str, float] = {}
        for name, values in stated.items():
            try:
                total = sum(_number(value, f"output.{name}") for value in values)
            except ValueError as error:
                problem = problem or str(error)
            else:
                totals[name] = exact(total * self._scale(name))
        cost = totals.pop(COST, None)
        precision = 0.0 if cost is None else precision_of(_printed(stated[COST][-1]), cost, self._scale(COST))
        counts = {name: total for name, total in totals.items() if name in COUNTS}
        measured = {name: total for name, total in totals.items() if name not in COUNTS}
        return PrintedValues(cost, precision, counts, measured, problem)

    def _scale(self, name: str) -> float:
        return self._columns[name].scale if name in self._columns else 1.0


def _column(name: str, value: str | bool | OutputColumn) -> OutputColumn:
    where = f"{_WHERE}.{name}"
    if isinstance(value, bool):
        raise UserError(f"{where}: expected a regular expression, or a mapping with pattern or key, got {value}")
    if name in NAMES and name not in COUNTS and name != COST:
        raise UserError(f"{where}: the runner fills this column itself{suggest(name, (COST, *COUNTS))}, or a new name")
    return OutputColumn(pattern=value) if isinstance(value, str) else value


def compiled(pattern: str, where: str) -> re.Pattern[str]:
    """Return a regular expression in which lines begin at ``^``; raise `UserError` if it is none."""
    try:
        return re.compile(pattern, re.MULTILINE)
    except re.error as error:
        raise UserError(f"{where}: {pattern!r} is no regular expression: {error}") from None


def text_of(match: re.Match[str]) -> str | None:
    """Return the first group of a match, or all of it; None if the group has not matched."""
    text: str | None = match[1] if match.re.groups else match[0]
    return text


def place_of(match: re.Match[str]) -> str:
    """Return the line in which a match begins, for a message."""
    text, start = match.string, match.start()
    end = text.find("\n", start)
    line = text[text.rfind("\n", 0, start) + 1 : end if end >= 0 else len(text)]
    return f"line {text.count(chr(10), 0, start) + 1}: {one_line(line)[:_MAX_SHOWN]}"


def _printed(value: Any) -> Any:
    return text_of(value) if isinstance(value, re.Match) else value


def _number(value: Any, where: str) -> float:
    """Return a number, or the number that a match is. If it is none, the error has the line of the match."""
    try:
        return number_of(_printed(value), where)
    except ValueError as error:
        raise ValueError(f"{error} in {place_of(value)}" if isinstance(value, re.Match) else str(error)) from None


def _imported(name: object) -> Parser:
    where = f"{_WHERE}: {name}"
    module, separator, function = str(name).partition(":")
    if not separator:
        raise UserError(f"{where}: expected module:function")
    try:
        imported: Any = importlib.import_module(module)
    except ImportError as error:
        raise UserError(f"{where}: {error_text(error)}; also name the module in plugins=[{module}]") from None
    parser = getattr(imported, function, None)
    if not callable(parser):
        functions = [each for each, value in vars(imported).items() if inspect.isfunction(value)]
        raise UserError(f"{where}: the module has no function '{function}'{suggest(function, functions)}")
    found: Parser = parser
    return found


def _last_object(text: str) -> Mapping[str, Any]:
    """Return the object in the last line that is one in JSON; empty if there is none."""
    for line in reversed(_OBJECT.findall(text)):
        with suppress(ValueError, RecursionError):
            value = json.loads(line)
            if isinstance(value, dict):
                return value
    return {}


def number_of(value: Any, where: str) -> float:
    """Return a number, or the number that a text is.

    Commas may separate groups of three digits. Any other comma might be that of a decimal, and is refused.

    Raises
    ------
    ValueError
        If it is none, or too large.
    """
    expected = "a number"
    number = value
    if isinstance(value, str):
        text = value.strip()
        if "," in text and not _GROUPED.fullmatch(text):
            expected = "a number, with commas between groups of three digits only, such as 1,234.5"
        elif text.isascii() and "_" not in text:
            with suppress(ValueError):
                number = float(text.replace(",", ""))
    if isinstance(number, bool):
        number = int(number)
    if not isinstance(number, int | float) or not abs(number) <= _MAX_NUMBER:  # nor NaN
        raise ValueError(f"{where}: expected {expected}, got '{one_line(str(value))[:_MAX_SHOWN]}'")
    return number if abs(number) <= MAX_EXACT else float(number)


def exact(value: float) -> float:
    """Return a whole number as an integer, unless it is too large to be exact."""
    return int(value) if abs(value) <= MAX_EXACT and value == int(value) else value


def precision_of(value: Any, cost: float, scale: float = 1.0) -> float:
    """Return the largest error of a cost by rounding: half of the last digit after a decimal point.

    Costs that are no decimals are exact. Others have a relative error, because programs add up rounded costs.
    """
    text = value.replace(",", "").strip() if isinstance(value, str) else value
    if isinstance(text, int) or (isinstance(text, str) and re.fullmatch(r"-?\d+", text)):
        return 0.0
    digits = re.fullmatch(r"-?\d*\.(\d+)", text) if isinstance(text, str) else None
    last = 0.0 if digits is None else float(0.5 * 10.0 ** -len(digits[1]) * (1 + _RELATIVE_PRECISION))
    return max(_RELATIVE_PRECISION * max(1.0, abs(cost)), last * scale)
