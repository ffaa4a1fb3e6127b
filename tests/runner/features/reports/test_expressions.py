"""Conditions and formulas of users: values as of pandas, and nothing but columns and operators."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from runner.base.errors import UserError
from runner.base.formula import MAX_LENGTH
from runner.features.reports.columns import categorical
from runner.features.reports.expressions import derived, meets

NUMBERS = {"expanded": [5.0, 20.0, np.nan, 40.0], "seconds": [0.0, 2.0, 1.0, 4.0]}
TABLE = pd.DataFrame(
    {
        **NUMBERS,
        "status": categorical(np.array([0, 1, -1, 0]), ["solved", "error"]),
        "valid": categorical(np.array([0, 1, -1, 0]), ["True", "False"]),
        "world.size": categorical(np.array([0, -1, 1, 2]), ["2", "3", "4"]),
        "experiment/x": categorical(np.array([0, 0, 1, 1]), ["a", "b"]),
    }
)
PLAIN = pd.DataFrame({**NUMBERS, "status": ["solved", "error", None, "solved"], "size": [2, np.nan, 3, 4]})
"""The same table as a user of pandas has it. Names with dots are not allowed in it."""


@pytest.mark.parametrize(
    "condition",
    [
        'status == "solved" and expanded > 10',
        '(status == "solved") & (expanded > 10) | ~(seconds < 4)',
        "not expanded > 10 or seconds == 2",
        "1 < seconds <= 4",
        "status in ['solved', 'other'] and size in (2, 4)",
        "status not in ['solved']",
        "status != 'error'",
        "'error' == status",
        "expanded != expanded",
        "expanded / seconds >= 10",
        "-seconds ** 2 + expanded % 3 // 1 * 2 - 1 > -3",
        "size >= 3",
    ],
)
def test_a_condition_means_what_it_means_in_pandas(condition: str) -> None:
    expected = PLAIN.query(condition, engine="python").index.tolist()
    assert np.flatnonzero(meets(TABLE, condition.replace("size", "world.size"))).tolist() == expected


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("`world.size` > 2 and `experiment/x` == 'b'", [2, 3]),
        ("valid == True", [0, 3]),
        ("valid != 'True'", [1, 2]),
        ("status == `experiment/x`", []),
        ("status == status", [0, 1, 3]),
        ("'olv' in status", [0, 3]),
        ("'olv' not in status and 'b' in `experiment/x`", [2]),
        ("True", [0, 1, 2, 3]),
        ("'`a`' == '`a`'", [0, 1, 2, 3]),
    ],
)
def test_names_of_swept_keys_and_truth_values_are_understood(condition: str, rows: list[int]) -> None:
    assert np.flatnonzero(meets(TABLE, condition)).tolist() == rows


def test_a_derived_column_is_finite_or_empty() -> None:
    name, values = derived(TABLE, "rate = expanded / seconds")
    assert name == "rate"
    np.testing.assert_array_equal(values, [np.nan, 10, np.nan, 10])
    np.testing.assert_array_equal(derived(TABLE, "x=world.size == 4")[1], [0, 0, 0, 1])
    np.testing.assert_array_equal(derived(TABLE, "x = 10 ** 308 * 10")[1], [np.nan] * 4)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("__import__('os').system('true')", "position 1: a call is not allowed; allowed are names of columns"),
        ("expanded.to_csv('x') == 1", "position 1: a call is not allowed"),
        ("status.__class__ == 1", "position 1: 'status.__class__' is not a column; did you mean 'status'?"),
        ("().__class__ == 1", "position 1: an attribute is not allowed"),
        ("expanded[0] > 1", "position 1: an index is not allowed"),
        ("seconds > 1 and expandd > 1", "position 17: 'expandd' is not a column; did you mean 'expanded'?"),
        ("'ü' == status and `x` > 1", "position 19: 'x' is not a column"),
        ("@x > 1", "position 1: not an expression"),
        ("expanded @ expanded > 1", "position 1: an operator is not allowed"),
        ("expanded << 9 > 1", "position 1: an operator is not allowed"),
        ("(x := 1) > 0", "position 2: this is not allowed"),
        ("(lambda: 1) == 1", "position 2: this is not allowed"),
        ("f'{status}' == 'x'", "position 1: this is not allowed"),
        ("[x for x in (1, 2)] == 1", "position 1: this is not allowed"),
        ("expanded > None", "position 12: this is not allowed"),
        ("expanded if expanded else 1", "position 1: if is not allowed"),
        ("expanded is 1", "position 1: is is not allowed"),
        ("status in expanded", "position 11: expected a list of values"),
        (
            "'a' in expanded",
            "position 8: expected a list of values, as in status in ['solved', 'unsolvable'], or a column",
        ),
        ("status in 'solved'", "position 11: expected a list of values"),
        ("1 in status", "position 6: expected a list of values"),
        ("'a' * 999999999 == 'b'", "position 1: expected a number, not a text"),
        ("status > 'a'", "position 1: expected numbers, but this column has texts"),
        ("status == 1", "position 1: expected numbers, but this column has texts"),
        ("expanded and seconds > 1", "position 1: expected a condition"),
        ("expanded + 1", "position 1: expected a condition"),
        ("1e999j > 1", "position 1: this is not allowed"),
        ("best(expandd) > 1", "position 6: 'expandd' is not a column; did you mean 'expanded'?"),
        ("1 + best(status) > 1", "position 5: no value of 'status' is better than another, so it has no best"),
        ("best(expanded, seconds) > 1", "position 1: expected the name of a metric, as in best(cost)"),
        ("best(best(expanded)) > 1", "position 1: expected the name of a metric, as in best(cost)"),
        ("best() > 1", "position 1: expected the name of a metric, as in best(cost)"),
        ("1" * 400 + " > 1", "position 1: the number is too large"),
        ("(" * 300 + "1" + ")" * 300 + " > 1", "not an expression"),
        ("-" * 450 + "1 > 1", "expected at most 200 names, values and operators"),
        ("expanded >", "not an expression"),
        ("", "not an expression"),
        ("expanded > 1\nimport os", "expected one line of at most 1,000 characters"),
        ("1 + " * MAX_LENGTH + "1 > 1", "expected one line of at most 1,000 characters"),
        ("expanded > 1\0", "expected one line"),
    ],
)
def test_anything_else_is_refused_in_one_line(expression: str, message: str) -> None:
    with pytest.raises(UserError) as raised:
        meets(TABLE, expression)
    assert str(raised.value).startswith("--filter: '")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_large_powers_take_no_memory() -> None:
    assert not meets(TABLE, "9 ** 9 ** 9 ** 9 < expanded").any()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("expanded / seconds", "expected NAME = FORMULA"),
        ("a == 1", "expected NAME = FORMULA"),
        ("1a = 1", "expected NAME = FORMULA"),
        ("expanded = 1", "'expanded' is a column already"),
        ("x = status", "expected numbers, but this column has texts"),
        ("x = f(1)", "a call is not allowed"),
        ("x" * 200 + " = 1", "expected NAME = FORMULA"),
    ],
)
def test_a_wrong_formula_is_one_line(text: str, message: str) -> None:
    with pytest.raises(UserError, match="--derive: ") as raised:
        derived(TABLE, text)
    assert message in str(raised.value)
