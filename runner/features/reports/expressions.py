"""Conditions and formulas on columns, as of `DataFrame.query` and `eval`: ``status == "solved" and expanded > 10``.

An expression may come from a file of another person. So it is not executed: its syntax tree is checked against the few
kinds of nodes below and evaluated here, on columns. Everything else is refused: calls other than of ``best``,
attributes, indices, names that are not columns. Its length and the number of its parts are bounded; numbers are floats
of 64 bits, texts are only compared.
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable
from functools import reduce
from typing import Any, NamedTuple, NoReturn

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from runner.base import ARITHMETIC, DERIVED, MAX_LENGTH, MAX_NAME, MAX_NODES, UserError, one_line, suggest
from runner.features.reports.columns import Mask, is_text
from runner.features.reports.statistics import Numbers

ALLOWED = (
    "allowed are names of columns, numbers, texts in quotes, + - * / // % **, comparisons, in and not in with a list, "
    "and, or, not, parentheses, best(METRIC)"
)
_DERIVED = re.compile(r"\s*(\w+)\s*=(?!=)(.*)", re.DOTALL)
_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`([^`]+)`""")
_ORDER: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_LOGIC: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    **dict.fromkeys((ast.And, ast.BitAnd), np.logical_and),
    **dict.fromkeys((ast.Or, ast.BitOr), np.logical_or),
}
_KINDS = {ast.Call: "a call", ast.Attribute: "an attribute", ast.Subscript: "an index", ast.IfExp: "if"}


Best = Callable[[str], Numbers | None]
"""Function that returns the best value of a metric on the instance of each row; None if the metric has no direction."""


def _no_best(name: str) -> None:
    """Return None: no metrics are declared."""


class _Texts(NamedTuple):
    """Column of texts: its different texts, and the place of each row's text among them; -1 for none."""

    texts: list[str]
    codes: NDArray[np.integer[Any]]


def meets(table: pd.DataFrame, condition: str, where: str = "--filter", best: Best = _no_best) -> Mask:
    """Return, for each row, whether it meets a condition.

    Parameters
    ----------
    where : str
        Where the condition stands, for messages.
    best : callable
        Meaning of ``best(METRIC)``.
    """
    found = _Evaluation(condition.strip(), table, where, best)
    with np.errstate(all="ignore"):
        value = found.value(found.tree)
    if not found.is_condition(value):
        found.fail(found.tree, "expected a condition, as in 'expanded > 10'")
    return np.broadcast_to(value, len(table))


def derived(table: pd.DataFrame, text: str, where: str = "--derive", best: Best = _no_best) -> tuple[str, Numbers]:
    """Return the name and the values of a new column, given as ``NAME = FORMULA``. A value that is infinite is NaN."""
    match = _DERIVED.fullmatch(text)
    if match is None or not match[1].isidentifier() or len(match[1]) > MAX_NAME:
        expected = "expected NAME = FORMULA, as in 'rate = expanded / search_seconds'"
        raise UserError(f"{where}: '{one_line(text[:MAX_LENGTH])}': {expected}")
    if match[1] in table and match[1] not in DERIVED:
        raise UserError(f"{where}: '{match[1]}' is a column already; choose another name")
    found = _Evaluation(match[2].strip(), table, where, best)
    with np.errstate(all="ignore"):
        values = np.broadcast_to(found.numbers(found.tree), len(table))
    return match[1], np.where(np.isfinite(values), values, np.nan)


class _Evaluation:
    """Evaluation of an expression on the columns of a table.

    A value is a number or an array of numbers, a bool or an array of bools, a text, or a column of texts.
    """

    def __init__(self, text: str, table: pd.DataFrame, where: str, best: Best) -> None:
        self._text, self._where = text, where
        self._table, self._best = table, best
        if len(text) > MAX_LENGTH or not text.isprintable():
            self._refuse(f"expected one line of at most {MAX_LENGTH:,} characters")
        self._quoted: dict[int, str] = {}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of Python, about strange literals
                self.tree = ast.parse(_QUOTED.sub(self._placeholder, text), mode="eval").body
            if sum(1 for _ in ast.walk(self.tree)) > 2 * MAX_NODES:  # operators and contexts are nodes, too
                self._refuse(f"expected at most {MAX_NODES} names, values and operators")
        except SyntaxError as error:
            self._refuse(f"position {error.offset or 1}: not an expression; {ALLOWED}")
        except (ValueError, MemoryError, RecursionError):
            self._refuse(f"not an expression; {ALLOWED}")

    def _placeholder(self, match: re.Match[str]) -> str:
        """Replace a name in backticks by a name of the same length."""
        if match[1] is None:
            return match[0]
        self._quoted[match.start()] = match[1]
        return "_" * len(match[0])

    def _refuse(self, problem: str) -> NoReturn:
        raise UserError(f"{self._where}: '{one_line(self._text[:MAX_LENGTH])}': {problem}")

    def fail(self, node: ast.AST, problem: str) -> NoReturn:
        """Raise an error about a part of the expression."""
        self._refuse(f"position {self._place(node) + 1}: {problem}")

    def _place(self, node: ast.AST) -> int:
        """Return the number of characters before a part. Python counts bytes."""
        return len(self._text.encode()[: getattr(node, "col_offset", 0)].decode(errors="ignore"))

    def value(self, node: ast.expr) -> Any:
        """Return the value of a part."""
        match node:
            case ast.Constant(value=bool() | str()):
                return node.value
            case ast.Constant(value=int() | float()):
                return self._number(node)
            case ast.Name() | ast.Attribute():
                return self._column(node)
            case ast.Call(func=ast.Name(id="best")):
                return self._best_of(node)
            case ast.UnaryOp(op=ast.Not() | ast.Invert()):
                return np.logical_not(self.condition(node.operand))
            case ast.UnaryOp(op=op):
                return -self.numbers(node.operand) if isinstance(op, ast.USub) else self.numbers(node.operand)
            case ast.BinOp(op=op) if type(op) in ARITHMETIC:
                return ARITHMETIC[type(op)](self.numbers(node.left), self.numbers(node.right))
            case ast.BinOp(op=op) if type(op) in _LOGIC:
                return _LOGIC[type(op)](self.condition(node.left), self.condition(node.right))
            case ast.BoolOp(op=op):
                return reduce(_LOGIC[type(op)], map(self.condition, node.values))
            case ast.Compare():
                return self._compared(node)
        what = _KINDS.get(type(node), "an operator" if isinstance(node, ast.BinOp) else "this")
        return self.fail(node, f"{what} is not allowed; {ALLOWED}")

    def _number(self, node: ast.Constant) -> float:
        try:
            return np.float64(node.value)  # type: ignore[arg-type]
        except OverflowError:
            self.fail(node, "the number is too large")

    def _column(self, node: ast.expr) -> Any:
        """Return a column. The name of a swept key has dots: ``world.size``."""
        parts, base = list[str](), node
        while isinstance(base, ast.Attribute):
            parts.append(base.attr)
            base = base.value
        if not isinstance(base, ast.Name):
            self.fail(node, f"an attribute is not allowed; {ALLOWED}")
        name = ".".join([self._quoted.get(self._place(base), base.id), *reversed(parts)])
        if name not in self._table:
            self.fail(node, f"'{name}' is not a column{suggest(name, map(str, self._table))}")
        column = self._table[name]
        if not is_text(column):
            return column.to_numpy()
        return _Texts(column.cat.categories.tolist(), column.cat.codes.to_numpy())

    def _best_of(self, node: ast.Call) -> Numbers:
        """Return the best value of a metric on the instance of each row."""
        if len(node.args) != 1 or node.keywords or not isinstance(node.args[0], ast.Name):
            self.fail(node, "expected the name of a metric, as in best(cost)")
        self._column(node.args[0])
        name = self._quoted.get(self._place(node.args[0]), node.args[0].id)
        values = self._best(name)
        if values is None:
            self.fail(node, f"no value of '{name}' is better than another, so it has no best")
        return values

    @staticmethod
    def is_condition(value: Any) -> bool:
        """Return whether a value is a bool for each row."""
        return isinstance(value, bool | np.bool_) or (isinstance(value, np.ndarray) and value.dtype == bool)

    def condition(self, node: ast.expr) -> Any:
        """Return the value of a part that must be a condition."""
        value = self.value(node)
        if not self.is_condition(value):
            self.fail(node, "expected a condition, as in 'expanded > 10'; write (a > 1) & (b > 2) or a > 1 and b > 2")
        return value

    def numbers(self, node: ast.expr) -> Any:
        """Return the value of a part that must be numbers. True is 1. A column of texts may consist of numbers."""
        value = self.value(node)
        if isinstance(value, _Texts):
            known = pd.to_numeric(pd.Series(value.texts, dtype=object), errors="coerce").to_numpy(np.float64)
            if np.isnan(known).any():
                self.fail(node, "expected numbers, but this column has texts")
            return np.append(known, np.nan)[value.codes]
        if isinstance(value, str):
            self.fail(node, "expected a number, not a text")
        return np.asarray(value, np.float64)[()]

    def _compared(self, node: ast.Compare) -> Any:
        result: Any = np.True_
        for left, kind, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
            if isinstance(kind, ast.In | ast.NotIn):
                found = self._contained(left, right)
            elif isinstance(kind, ast.Eq | ast.NotEq):
                found = self._equal(left, right)
            elif type(kind) in _ORDER:
                found = _ORDER[type(kind)](self.numbers(left), self.numbers(right))
            else:
                self.fail(node, f"is is not allowed; {ALLOWED}")
            result = result & (~found if isinstance(kind, ast.NotEq | ast.NotIn) else found)
        return result

    def _contained(self, left: ast.expr, right: ast.expr) -> Any:
        """Return whether a value is in a list, or a text is a part of those of a column."""
        if isinstance(right, ast.List | ast.Tuple) and right.elts:
            return reduce(np.logical_or, (self._equal(left, each) for each in right.elts))
        whole = None if isinstance(right, ast.List | ast.Tuple) else self.value(right)
        part = self.value(left)
        if not isinstance(whole, _Texts) or not isinstance(part, str):
            self.fail(right, "expected a list of values, as in status in ['solved', 'unsolvable'], or a column, as in "
                             "'room' in instance")  # fmt: skip
        return np.array([*(part in text for text in whole.texts), False])[whole.codes]

    def _equal(self, left: ast.expr, right: ast.expr) -> Any:
        one, other = self.value(left), self.value(right)
        if isinstance(other, _Texts) and not isinstance(one, _Texts):
            one, other = other, one
        if isinstance(one, _Texts) and isinstance(other, _Texts):
            places = {text: place for place, text in enumerate(one.texts)}
            same = np.array([*(places.get(text, -2) for text in other.texts), -2])
            return one.codes == same[other.codes]
        if isinstance(one, _Texts) and isinstance(other, str | bool):
            return np.array([*(text == str(other) for text in one.texts), False])[one.codes]
        if isinstance(one, str) and isinstance(other, str):
            return np.bool_(one == other)
        return np.equal(self.numbers(left), self.numbers(right))
