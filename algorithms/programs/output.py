"""What a program prints becomes columns: by regular expressions, as JSON, or by a function of the user."""

from __future__ import annotations

import importlib
import inspect
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from runner.base.columns import NAMES
from runner.base.errors import UserError, error_text, one_line, suggest
from runner.base.metric import Aggregate, Better, Metric

COST = "cost"
COUNTS = (
    "expanded", "generated", "evaluated", "reopened", "iterations", "peak_nodes", "initial_h",
    "expanded_before_last_layer", "simulated_actions",
)  # fmt: skip
"""Built-in columns that a program may fill. Its cost is compared with that of its plan."""
JSON, PARSER = "json", "parser"
_RELATIVE_PRECISION = 1e-6
_MAX_SHOWN = 60


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
    counts, measured : dict
        PrintedValues of built-in columns, and of its own.
    others : mapping
        The JSON object, or what the function returned.
    """

    cost: float | None = None
    precision: float = 0.0
    counts: dict[str, float | None] = field(default_factory=dict)
    measured: dict[str, float | None] = field(default_factory=dict)
    others: Mapping[str, Any] = field(default_factory=dict)


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
        self.has_json = described.get(JSON) is True
        self._parser_name = described.get(PARSER)
        self._columns = {name: _column(name, value) for name, value in columns.items()}
        self._patterns = {
            name: _compiled(name, column.pattern)
            for name, column in self._columns.items()
            if column.pattern is not None
        }
        self._parser = None if self._parser_name is None else _imported(self._parser_name)
        self._keys = {
            name: self._columns[name].key or name if name in self._columns else name
            for name in dict.fromkeys((COST, *COUNTS, *self._columns))
            if name not in self._patterns
        }

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

    def read(self, text: str) -> PrintedValues:
        """Return the values in the standard output of a program.

        Raises
        ------
        ValueError
            If a value is no number.
        """
        values: dict[str, Any] = dict(_last_object(text)) if self.has_json else {}
        if self._parser is not None:
            values.update(self._parser(text))
        found = self.values(values)
        for name, pattern in self._patterns.items():
            matches = [match[1] if pattern.groups else match[0] for match in pattern.finditer(text)]
            texts = [match for match in matches if match is not None]
            if texts:
                found = self._with(found, name, texts if self._columns[name].total else texts[-1:])
        return found

    def values(self, given: Mapping[str, Any]) -> PrintedValues:
        """Return the values in a JSON object.

        Raises
        ------
        ValueError
            If a value is no number.
        """
        found = PrintedValues(others=given)
        for name, key in self._keys.items():
            value = given.get(key)
            if value is not None:
                found = self._with(found, name, [value])
        return found

    def _with(self, found: PrintedValues, name: str, values: list[Any]) -> PrintedValues:
        """Return values with one more: the sum of some numbers or their texts."""
        scale = self._columns[name].scale if name in self._columns else 1.0
        total = _exact(sum(_number(value, name) for value in values) * scale)
        if name == COST:
            precision = max(_RELATIVE_PRECISION * max(1.0, abs(total)), _last_digit(values[-1]) * scale)
            return PrintedValues(total, precision, found.counts, found.measured, found.others)
        (found.counts if name in COUNTS else found.measured)[name] = total
        return found


def _column(name: str, value: str | bool | OutputColumn) -> OutputColumn:
    where = f"algorithm.output.{name}"
    if isinstance(value, bool):
        raise UserError(f"{where}: expected a regular expression, or a mapping with pattern or key, got {value}")
    if name in NAMES and name not in COUNTS and name != COST:
        raise UserError(f"{where}: the runner fills this column itself{suggest(name, (COST, *COUNTS))}, or a new name")
    return OutputColumn(pattern=value) if isinstance(value, str) else value


def _compiled(name: str, pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern, re.MULTILINE)
    except re.error as error:
        raise UserError(f"algorithm.output.{name}: {pattern!r} is no regular expression: {error}") from None


def _imported(name: object) -> Parser:
    where = f"algorithm.output: {name}"
    module, separator, function = str(name).partition(":")
    if not separator:
        raise UserError(f"{where}: expected module:function")
    try:
        imported: Any = importlib.import_module(module)
    except ImportError as error:
        raise UserError(f"{where}: {error_text(error)}; also name the module in plugins=[{module}]") from None
    parser = getattr(imported, function, None)
    if not callable(parser):
        raise UserError(f"{where}: the module has no function '{function}'{suggest(function, vars(imported))}")
    found: Parser = parser
    return found


def _last_object(text: str) -> Mapping[str, Any]:
    """Return the object in the last line that is one in JSON; empty if there is none."""
    for line in _lines_from_end(text):
        if line.lstrip().startswith("{"):
            with suppress(ValueError, RecursionError):
                value = json.loads(line)
                if isinstance(value, dict):
                    return value
    return {}


def _lines_from_end(text: str) -> Iterator[str]:
    return reversed(text.splitlines())


def _number(value: Any, name: str) -> float:
    """Return a number, or the number that a text is; commas may separate its thousands."""
    if isinstance(value, str):
        with suppress(ValueError):
            value = _exact(float(value.replace(",", "").strip()))
    if isinstance(value, bool):
        value = int(value)
    if not isinstance(value, int | float) or not math.isfinite(value):
        shown = one_line(str(value))[:_MAX_SHOWN]
        raise ValueError(f"output.{name}: expected a number, got '{shown}'")
    return value


def _exact(value: float) -> float:
    """Return a whole number as an integer."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _last_digit(value: Any) -> float:
    """Return half of the last printed digit of a number with a decimal point; 0 for other numbers."""
    digits = re.fullmatch(r"\s*-?[\d,]*\.(\d+)\s*", value) if isinstance(value, str) else None
    return 0.0 if digits is None else float(0.5 * 10.0 ** -len(digits[1]) * (1 + _RELATIVE_PRECISION))
