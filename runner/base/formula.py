"""Formulas of derived metrics, such as ``generated / expanded``: arithmetic on columns of numbers.

A formula may come from a file of another person. So it is not executed: its syntax tree is checked against the few
kinds of nodes below and evaluated here.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

MAX_LENGTH = 1_000
"""Maximum number of characters of an expression."""
MAX_NODES = 200
"""Maximum number of names, values and operators of an expression."""
ARITHMETIC: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_SIGNS: dict[type[ast.AST], Callable[[Any], Any]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}


class ColumnFormula(NamedTuple):
    """Formula that has been checked, and the columns in it, each once."""

    tree: ast.expr
    names: tuple[str, ...]

    def value(self, columns: Mapping[str, Any]) -> Any:
        """Return the value, given numbers, None or arrays by columns; NaN if it is missing or infinite."""
        numbers = {name: np.asarray(columns[name], np.float64)[()] for name in self.names}
        with np.errstate(all="ignore"):
            found = _value(self.tree, numbers)
        return np.where(np.isfinite(found), found, np.nan)[()]


@lru_cache(maxsize=256)
def formula(text: str) -> ColumnFormula:
    """Return the formula of a text.

    Raises
    ------
    ValueError
        If the text is anything else than names of columns, numbers, + - * / // % ** and parentheses.
    """
    try:
        if len(text) > MAX_LENGTH or not text.isprintable():
            raise ValueError
        tree = ast.parse(text.strip(), mode="eval").body
        parts = [*ast.walk(tree)]
        names = tuple(dict.fromkeys(part.id for part in parts if isinstance(part, ast.Name)))
        if len(parts) > 2 * MAX_NODES or not names:  # operators and contexts are nodes, too
            raise ValueError
        _value(tree, dict.fromkeys(names, np.float64(np.nan)))
    except (SyntaxError, ValueError, OverflowError, MemoryError, RecursionError):
        raise ValueError("expected names of columns, numbers, + - * / // % ** and parentheses") from None
    return ColumnFormula(tree, names)


def _value(node: ast.expr, numbers: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
            return np.float64(node.value)  # type: ignore[arg-type]
        case ast.Name():
            return numbers[node.id]
        case ast.UnaryOp(op=op) if type(op) in _SIGNS:
            return _SIGNS[type(op)](_value(node.operand, numbers))
        case ast.BinOp(op=op) if type(op) in ARITHMETIC:
            return ARITHMETIC[type(op)](_value(node.left, numbers), _value(node.right, numbers))
    raise ValueError
