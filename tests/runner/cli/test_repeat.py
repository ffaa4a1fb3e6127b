"""`repeat=N`: one row for N searches, with the medians of their times."""

from __future__ import annotations

import math
import resource
import weakref
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from algorithms.engine.search import Limits
from runner.base.columns import Declared
from runner.base.metric import Metric
from runner.base.result import NAMES, Result
from runner.base.status import SOLVED
from runner.execution.repetitions import Repetitions, outside_of_interval
from runner.records.folder import Job, SweepFolder
from runner.records.log import Log, LogWriter
from runner.records.rule import RowRule
from runner.records.view import RunProgress, SweepLogs, progress_of
from tests.runner.records.results import FORMAT, result, write
from tests.runner.tables import without_times
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


def repeated(
    *results: Result, times: int = 3, declared: Declared | None = None, limits: Limits | None = None
) -> Result:
    """Return the result of some searches of an instance, and the last may have been cut short."""
    cell = SimpleNamespace(repeat=times, declared=declared or Declared(), limits=limits or Limits())
    repetitions = Repetitions(cell)  # type: ignore[arg-type]
    for each in results:
        search = repetitions.add(7, each)
        if search.result is not None:
            return search.result
    ((_, merged),) = repetitions.unfinished()
    return merged


def test_times_are_medians_and_the_first_search_gives_the_rest() -> None:
    declared = Declared.of((Metric("first_move_seconds", "s"), Metric("agent_moves"), Metric("absent_seconds", "s")))
    results = [
        result("a", expanded=4, search_seconds=10 * each, measured={"first_move_seconds": each, "agent_moves": 7})
        for each in (0.5, 0.1, 0.2)
    ]
    found = repeated(*results, declared=declared)
    assert (found.search_seconds, found.first_move_seconds, found.agent_moves) == (2.0, 0.2, 7)
    assert (found.repetitions, found.spread) == (3, 2.0)
    assert (found.seconds_low, found.seconds_high) == (1.0, 5.0)
    assert repeated(*results, times=1) is results[0]


def test_plans_and_outputs_of_later_searches_take_no_memory() -> None:
    """All instances are searched before any is finished, so the results of all of them are kept until then."""
    cell = SimpleNamespace(repeat=3, declared=Declared(), limits=Limits())
    repetitions = Repetitions(cell)  # type: ignore[arg-type]
    plans = [tuple(f"move-{number}" for _ in range(9)) for number in range(3)]
    left = []
    for plan in plans[:2]:
        made = result("a", plan=plan, output="".join(plan))
        left.append(weakref.ref(made))
        repetitions.add(7, made)
        del made
    assert left[1]() is None
    last = repetitions.add(7, result("a", plan=plans[2])).result
    assert last is not None
    assert (last.plan, last.output) == (plans[0], "".join(plans[0]))


@pytest.mark.parametrize("has_deadline", [False, True])
def test_searches_that_differ_are_an_error_unless_a_limit_of_time_may_end_them(has_deadline: bool) -> None:
    results = [result("a", expanded=each) for each in (4, 4, 5)]
    found = repeated(*results, limits=Limits(time=9.0) if has_deadline else None)
    assert (found.status == "solved", found.expanded) == (has_deadline, 4)
    assert has_deadline or found.error == "search 3 of 3 differs from the first: expanded is 5 instead of 4"


@pytest.mark.parametrize(
    ("statuses", "status", "repetitions"),
    [
        (["solved", "solved", "interrupted"], "solved", 2),
        (["solved", "time_limit", "solved"], "solved", 3),
        (["cutoff", "cutoff", "cutoff"], "cutoff", 3),
        (["time_limit"], "time_limit", None),
        (["error"], "error", None),
        (["interrupted"], "interrupted", None),
    ],
)
def test_an_answer_stays_when_a_later_search_has_none(
    statuses: list[str], status: str, repetitions: int | None
) -> None:
    results = [result("a", status=each, search_seconds=1.0) for each in statuses]
    found = repeated(*results)
    assert (found.status, found.repetitions) == (status, repetitions)


def test_an_answer_counts_until_it_has_been_repeated(tmp_path: Path) -> None:
    """Newer rows of failures and limits do not replace it; the instance is missing, not failed."""
    columns = [*NAMES]
    with closing(LogWriter(tmp_path / "0", columns)) as writer:
        for each in (
            result("a", status="solved"),
            result("a", status="crashed"),
            result("a", status="time_limit"),
        ):
            write(writer, each)
    log, rule = Log(tmp_path / "0", with_parts=True), RowRule(None, "", 3)
    assert [log.kind(row).status for row in log.counted(rule)] == [SOLVED]
    assert not rule.is_finished(log.kind(0))
    sweep = SweepFolder(tmp_path)
    sweep.record([Job("0", [], "c", "s", 1, repeat=3)])
    assert progress_of(sweep, SweepLogs(tmp_path))["0"] == RunProgress(1, 0, 0)
    with closing(LogWriter(tmp_path / "0", columns)) as writer:
        write(writer, result("a", status="solved", repetitions=3))
    assert Log(tmp_path / "0", with_parts=True).counted(rule).tolist() == [3]
    assert progress_of(sweep, SweepLogs(tmp_path))["0"] == RunProgress(1, 1, 0)


def test_an_interval_contains_the_median_in_19_of_20_cases() -> None:
    """The next smaller interval would not; fewer than six values give the whole range."""
    for count in range(1, 60):
        outside = outside_of_interval(count)
        missed = [2 * sum(math.comb(count, k) for k in range(each + 1)) / 2**count for each in (outside, outside + 1)]
        assert missed[0] <= 0.05 < missed[1] if count >= 6 else outside == 0


@pytest.mark.parametrize(
    ("workers", "order"),
    [
        ("0", "random"),
        ("2", "interleaved"),
        *(
            pytest.param(workers, order, marks=pytest.mark.long)
            for workers, order in (("0", "cells"), ("0", "interleaved"), ("2", "cells"), ("2", "random"))
        ),
    ],
)
def test_the_order_of_searches_changes_no_row(tmp_path: Path, workers: str, order: str) -> None:
    """Nor does it matter that some are not repeated because they ended at a limit."""
    sweep = (*SWEEP, "algorithm=astar,dfs,ucs", "limits.nodes=2000", "repeat=3", f"workers={workers}")
    assert run(tmp_path, *sweep, "hydra.sweep.dir=expected").returncode == 0
    done = run(tmp_path, *sweep, f"order={order}", "order_seed=5", "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    expected, found = (without_times(tmp_path / name / "results.csv") for name in ("expected", "out"))
    assert found == expected
    assert all((row["repetitions"] == "3") == (row["status"] == "solved") for row in found)
    assert len({row["status"] for row in found}) == 2


def test_more_cells_than_a_process_may_open_files_are_searched_in_turn(tmp_path: Path) -> None:
    """The command may open 60 files beside those of the tests."""
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len([*Path("/dev/fd").iterdir()]) + 60, most))
    try:
        sweep = ["world=npuzzle/random", "world.size=2", "world.count=1", "world.seed=range(40)", "order=interleaved"]
        done = run(tmp_path, "-m", *sweep, "hydra.sweep.dir=sweep")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))
    assert (done.returncode, done.stderr.count("Too many open files")) == (0, 0)
    assert len(rows(tmp_path / "sweep" / "results.csv")) == 40


def test_each_search_is_on_disk_also_of_other_columns_and_of_parts(tmp_path: Path) -> None:
    """A resumed sweep appends to repetitions.csv; the rows of another version and of parts of a cluster stay."""
    sweep = (*SWEEP, "algorithm=astar", f"hydra.sweep.dir={tmp_path / 'sweep'}")
    assert run(tmp_path, *sweep, "repeat=2").returncode == 0
    file = tmp_path / "sweep" / "0" / "repetitions.csv"
    first = rows(file)
    assert [row["instance"] for row in first] == [f"uniform-3x3-{number}" for number in (0, 1, 2)] * 2
    medians = rows(tmp_path / "sweep" / "results.csv")
    times = [float(row["search_seconds"]) for row in first]
    assert [float(row["search_seconds"]) for row in medians] == [
        pytest.approx((one + other) / 2, abs=1e-6) for one, other in zip(times[:3], times[3:], strict=True)
    ]
    file.write_text("old,run_id\nx,before\n" + "torn,")
    assert run(tmp_path, *sweep, "repeat=3").returncode == 0
    again = rows(file)
    assert [row["run_id"] for row in again[:1]] == ["before"]
    assert len(again) == 1 + 9
    part = tmp_path / "sweep" / "0" / "part-1"
    with closing(LogWriter(part, NAMES, keeps_repetitions=True)) as writer:
        row = FORMAT.encode(9, result("r9"))
        writer.append([row], repetitions=[row, row])
    Log(file.parent, with_parts=True).settle(NAMES, [])
    assert [row["run_id"] for row in rows(file)[-2:]] == ["r9", "r9"]
