"""Budgets of processor time: their sum, their files, and which files exceed theirs."""

from __future__ import annotations

import json

from tests.durations import FILE, SLACK, TOLERANCE, TOTAL, exceeded
from tests.runner_cli import ROOT

BUDGETS: dict[str, float] = json.loads(FILE.read_text())["seconds"]


def test_the_budgets_are_of_files_that_exist_and_fit() -> None:
    assert [file for file in BUDGETS if not (ROOT / file).is_file()] == []
    assert sum(BUDGETS.values()) <= TOTAL, "make room before a file gets a larger budget"


def test_a_file_above_its_budget_is_named() -> None:
    budgets = {"tests/test_a.py": 10.0, "tests/test_b.py": 10.0}
    allowed = 10 * TOLERANCE + SLACK
    taken = {"tests/test_a.py": allowed - 0.1, "tests/test_b.py": allowed + 0.1, "tests/test_new.py": SLACK - 0.1}
    assert exceeded(budgets, taken, 1.0) == ["tests/test_b.py takes 15.1 s of processor time, budget 10.0 s"]
    assert exceeded(budgets, {file: 2 * seconds for file, seconds in taken.items()}, 2.0) == exceeded(budgets, taken, 1)
    assert exceeded({}, {"tests/test_new.py": 9.0}, 1.0) == [
        "tests/test_new.py takes 9.0 s of processor time, budget 0.0 s"
    ]
