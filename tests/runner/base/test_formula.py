"""Formulas of derived metrics: numbers, arrays, missing values, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from runner.base.formula import formula


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a / b", 1.5),
        ("-a + 2 * (b - 1) ** 2", -1.0),
        ("a // b + a % b", 2.0),
        ("a / c", None),
        ("a / none", None),
        ("(0 - a) ** 0.5", None),
        ("a ** 10000", None),
    ],
)
def test_a_formula_has_a_value_unless_it_is_missing_or_infinite(text: str, value: float | None) -> None:
    columns = {"a": 3, "b": 2, "c": 0, "none": None}
    found = formula(text).value(columns)
    assert np.isnan(found) if value is None else found == value


def test_a_formula_of_arrays_has_a_value_for_each_row() -> None:
    found = formula("a / b").value({"a": np.array([6, 1, np.nan]), "b": np.array([4, 0, 1])})
    np.testing.assert_array_equal(found, [1.5, np.nan, np.nan])


@pytest.mark.parametrize(
    "text",
    ["", "1 + 1", "a b", "a < b", "a and b", "f(a)", "a.b", "a[0]", "a + True", "a + 'x'", "a +\nb", "a" * 1_001,
     "+".join(["a"] * 300), f"a + 1{'0' * 400}", "-" * 900 + "a", "~a", "[a for a in b]"],
)  # fmt: skip
def test_anything_but_arithmetic_on_columns_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected names of columns"):
        formula(text)
