"""IDA* with Manhattan distance: lengths and node counts of the easiest of Korf's 100 instances.

``python -m benchmarks.npuzzle --only korf`` checks all hundred.
"""

from __future__ import annotations

import csv

import pytest

import runner
from tests.algorithms.typed import not_none
from worlds.npuzzle.sources import INSTANCES

IDASTAR = {"name": "idastar", "cycle_check": "parent"}
MAX_NODES = 3_000_000

with open(INSTANCES / "korf100.csv", encoding="utf-8", newline="") as lines:
    KORF = {int(row["id"]): row for row in csv.DictReader(lines)}
EASY = [number for number, row in KORF.items() if int(row["nodes"]) <= MAX_NODES]


def test_the_table_has_the_published_totals() -> None:
    assert len(EASY) == 16
    assert sum(int(row["nodes"]) for row in KORF.values()) == 36_302_808_031
    assert sum(int(row["optimal"]) for row in KORF.values()) == 5305


@pytest.mark.parametrize("number", EASY)
def test_ida_star_finds_the_published_lengths_and_counts(number: int) -> None:
    instance = runner.load("npuzzle/korf100", instances=[number])[0]
    result = runner.solve(instance, IDASTAR, ["manhattan"])
    row = KORF[number]
    assert result.initial_h == int(row["manhattan"])
    assert (result.cost, result.valid, result.bound) == (int(row["optimal"]), True, 1.0)
    assert not_none(result.generated) + 1 == int(row["nodes"])


def test_other_heuristics_and_astar_find_the_published_lengths() -> None:
    for number in EASY[:2]:
        instance = runner.load("npuzzle/korf100", instances=[number])[0]
        for algorithm, heuristic in (
            (IDASTAR, [{"name": "pattern_database", "partition": "5-5-5"}]),
            (IDASTAR, ["manhattan", "linear_conflict"]),
            ("astar", ["manhattan"]),
        ):
            assert runner.solve(instance, algorithm, heuristic).cost == int(KORF[number]["optimal"])
