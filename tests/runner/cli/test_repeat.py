"""`repeat=N`: one row for N searches, with the medians of their times."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner.base.columns import Declared
from runner.base.metric import Metric
from runner.execution.repetitions import repeated
from runner.records.result import Result
from tests.runner.records.results import result
from tests.runner_cli import rows, run

SWEEP = ("-m", "world=npuzzle/random", "world.size=3", "world.count=3", "heuristic=manhattan")


def seconds(found: list[dict[str, str]]) -> list[str]:
    return [row["search_seconds"] for row in found]


def test_a_sweep_makes_answers_again_that_were_not_repeated_often_enough(tmp_path: Path) -> None:
    """Counts and `run_id`s stay; rows of limits are not searched again; fewer repetitions later change nothing."""
    sweep = (*SWEEP, "algorithm=astar,dfs", "limits.nodes=2000", f"hydra.sweep.dir={tmp_path / 'sweep'}")
    once = run(tmp_path, *sweep)
    before = rows(tmp_path / "sweep" / "results.csv")
    statuses = [row["status"] for row in before]
    assert {*statuses} == {"solved", "node_limit"}, once.stderr
    assert run(tmp_path, *sweep, "repeat=3").returncode == 0
    after = rows(tmp_path / "sweep" / "results.csv")
    for name in ("run_id", "status", "expanded", "cost", "instance"):
        assert [row[name] for row in after] == [row[name] for row in before]
    for row, old in zip(after, before, strict=True):
        is_solved = row["status"] == "solved"
        assert row["repetitions"] == ("3" if is_solved else "")
        assert (row["search_seconds"] != old["search_seconds"]) == is_solved
        assert float(row["spread"]) >= 0 if is_solved else row["spread"] == ""
    for more in (("repeat=3",), ("repeat=2",), ()):
        assert run(tmp_path, *sweep, *more).returncode == 0
        assert seconds(rows(tmp_path / "sweep" / "results.csv")) == seconds(after)


def test_times_are_medians_and_the_first_search_gives_the_rest() -> None:
    declared = Declared.of((Metric("first_move_seconds", "s"), Metric("agent_moves")))
    times, given = iter([0.5, 0.1, 0.2]), list[Result]()

    def search() -> Result:
        moves = {"first_move_seconds": next(times), "agent_moves": 7}
        given.append(result("a", expanded=4, search_seconds=10 * moves["first_move_seconds"], measured=moves))
        return given[-1]

    found = repeated(search(), search, 3, declared, has_deadline=False)
    assert (found.search_seconds, found.first_move_seconds, found.agent_moves) == (2.0, 0.2, 7)
    assert (found.repetitions, found.spread) == (3, 2.0)
    assert repeated(given[0], search, 1, declared, has_deadline=False) is given[0]


@pytest.mark.parametrize("has_deadline", [False, True])
def test_searches_that_differ_are_an_error_unless_a_limit_of_time_may_end_them(has_deadline: bool) -> None:
    declared = Declared()
    others = iter([result("a", expanded=4), result("a", expanded=5)])
    found = repeated(result("a", expanded=4), lambda: next(others), 3, declared, has_deadline=has_deadline)
    assert (found.status == "solved", found.expanded) == (has_deadline, 4)
    assert has_deadline or found.error == "search 3 of 3 differs from the first: expanded is 5 instead of 4"


def test_a_search_without_an_answer_is_the_result() -> None:
    """The searches after it are left out: an interrupted search is not half of a row."""
    others = iter([result("a", status="interrupted", expanded=2)])
    found = repeated(result("a", expanded=4), lambda: next(others), 3, Declared(), has_deadline=False)
    assert (found.status, found.expanded) == ("interrupted", 2)
