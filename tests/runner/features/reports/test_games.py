"""Reports of games with declared statuses and metrics: the best rows, scores, and notes."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner.base.columns import Declared
from runner.base.metric import Metric
from runner.base.status import Status
from runner.features.reports import charts, comparisons, summaries, tables
from runner.features.reports.content import Choices, of_runs
from runner.features.reports.runs import Runs, load
from runner.features.reports.summaries import scores
from tests.runner.features.reports.rows import GAMES, declare, row, write
from tests.runner.features.reports.test_tables import texts

METRICS = Declared().all_metrics
COST, REWARD, ACTIONS, SECONDS = (METRICS[name] for name in ("cost", "reward", "actions", "search_seconds"))


def game(instance: str, player: str, status: str, cost: int, reward: int, **values: object) -> dict[str, object]:
    return row(instance, algorithm=player, status=status, cost=cost, actions=cost, reward=reward, **values)


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    """Return games of a player that wins, and of one that mostly loses after few actions."""
    declare(tmp_path)
    won = [game(f"i{n}", "careful", "won", 10 + n, 900 + n, search_seconds=n) for n in range(1, 9)]
    lost = [game(f"i{n}", "rash", "lost", n, -100 - n, search_seconds=0.1) for n in range(1, 8)]
    write(tmp_path / "metrics.csv", [*won, *lost, game("i8", "rash", "won", 9, 950, search_seconds=0.1)])
    return load([tmp_path])


def best_of(table: tables.Table) -> list[tuple[str, str]]:
    rows = [*table.rows, *table.totals]
    return [
        (line[0].text, name) for line in rows for name, cell in zip(table.columns, line, strict=True) if cell.is_best
    ]


def test_a_lost_game_never_has_the_best_cost(runs: Runs) -> None:
    table = summaries.by_instance(runs, COST)
    assert texts(table)[0] == ["i1", "11", "1"]
    assert texts(table)[8] == ["SUM", "116", "37"]
    assert best_of(table) == [("i8", "rash")]
    assert texts(summaries.best(runs, COST)) == [["careful", "7", "7"], ["rash", "1", "1"]]
    assert texts(comparisons.pairs(runs, COST, [("rash", "careful")]))[0][:5] == ["rash / careful", "1", "1", "", ""]
    assert charts.scatter(runs, COST, "rash", "careful") is None


def test_scores_of_all_finished_games_are_compared(runs: Runs) -> None:
    assert texts(summaries.best(runs, REWARD)) == [["careful", "7", "7"], ["rash", "1", "1"]]
    assert texts(comparisons.pairs(runs, REWARD, [("rash", "careful")]))[0][1:4] == ["8", "1", "7"]
    assert ("i1", "careful") in best_of(summaries.by_instance(runs, REWARD))
    assert ("SUM", "careful") in best_of(summaries.by_instance(runs, REWARD))


def test_the_score_is_the_main_metric_of_games(runs: Runs, tmp_path: Path) -> None:
    everything = of_runs(runs, [tmp_path], Choices(charts=["all"]), ["all"])
    names = [table.name for table in everything.tables]
    assert {"scores", "pairs_reward", "best_reward", "actions"} <= set(names)
    assert "pairs_search_seconds" not in names
    charts = [figure.name for figure in everything.charts]
    assert "cactus_search_seconds" in charts
    assert "cactus_reward" not in charts
    write(tmp_path / "search" / "metrics.csv", [row("a", h, expanded=2, reward=9) for h in ("none", "h")])
    names = [table.name for table in of_runs(load([tmp_path / "search"]), [tmp_path], names=["best"]).tables]
    assert "best_expanded" in names


def test_a_cactus_counts_successes_with_a_plan(tmp_path: Path) -> None:
    rows = [row(f"i{n}", search_seconds=n, cost=n) for n in (1, 2)]
    proven = [row(f"u{n}", search_seconds=n, status="unsolvable") for n in (1, 2)]
    write(tmp_path / "metrics.csv", [*rows, *proven])
    assert charts.cactus(load([tmp_path]), SECONDS) is None
    write(tmp_path / "metrics.csv", [*rows, *proven, row("i3", search_seconds=3, cost=3)])
    assert charts.cactus(load([tmp_path]), SECONDS) is not None


@pytest.mark.parametrize("facing", ["-E", ""])
def test_scores_are_summarised_by_family_of_caves(tmp_path: Path, facing: str) -> None:
    ends = [("won", 990), ("lost", -1010), ("left", -1)]
    games = [
        game(f"classic-{side}x{side}-{seed}{facing}", "player", status, 5, reward, seed=seed)
        for side in (4, 10)
        for seed, (status, reward) in enumerate(ends)
    ]
    declare(tmp_path)
    write(tmp_path / "metrics.csv", games)
    table = scores(load([tmp_path]))
    assert table is not None
    assert table.columns[3:] == ["mean reward", "standard error", "won", "left", "lost"]
    assert texts(table) == [
        [f"classic-{side}x{side}{facing}", "player", "3", "-7.0", "577.4", "33.3%", "33.3%", "33.3%"]
        for side in (4, 10)
    ]


def test_searches_have_no_scores(tmp_path: Path) -> None:
    declare(tmp_path)
    rows = [row("p", expanded=1), game("g-1", "agent", "lost", 2, -1002)]
    write(tmp_path / "metrics.csv", [*rows, row("g-2", algorithm="agent", status="error", actions=1)])
    table = scores(load([tmp_path]))
    assert table is not None
    assert texts(table) == [["g", "agent", "1", "-1,002.0", "", "100.0%"]]
    write(tmp_path / "metrics.csv", rows[:1])
    assert scores(load([tmp_path])) is None


def test_declared_metrics_of_one_of_two_folders_are_shown(tmp_path: Path) -> None:
    """The values are numbers and booleans."""
    keys = Metric("keys", better="more", aggregate="mean", digits=1, log_scale=False)
    lucky = Metric("lucky", better="neither", aggregate="mean", is_main=False)
    declare(tmp_path / "a", [keys, lucky])
    rows = [
        {**row("i1"), "keys": 2, "lucky": True},
        {**row("i2"), "keys": 3, "lucky": False},
        {**row("i3"), "lucky": ""},
        {**row("i5"), "lucky": 0.5},
    ]
    write(tmp_path / "a" / "metrics.csv", rows)
    write(tmp_path / "b" / "metrics.csv", [row("i4")])
    runs = load([tmp_path / "a", tmp_path / "b"])
    assert runs.table["lucky"].dropna().tolist() == [1, 0, 0.5]
    assert runs.table["keys"].dropna().tolist() == [2, 3]
    assert runs.notes == []
    assert texts(summaries.by_instance(runs, keys))[-1] == ["MEAN", "2.500"]
    shown = [table.name for table in of_runs(runs, [tmp_path]).tables]
    assert "keys" in shown
    assert "lucky" not in shown
    assert "lucky" in [table.name for table in of_runs(runs, [tmp_path], Choices(["lucky"]), ["all"]).tables]


def test_the_first_of_two_declarations_is_used(tmp_path: Path) -> None:
    for name, status in (("a", GAMES[0]), ("b", Status("won", is_failure=True))):
        declare(tmp_path / name, statuses=[status])
        write(tmp_path / name / "metrics.csv", [game(f"in {name}", "p", "won", 1, 1)])
    runs = load([tmp_path / "a", tmp_path / "b"])
    assert runs.is_success.all()
    note = f"{tmp_path / 'b'}: declares won differently from an earlier folder; the earlier declaration is used"
    assert runs.notes == [note]


def test_a_metric_of_which_neither_more_nor_less_is_better_has_no_wins(tmp_path: Path) -> None:
    write(tmp_path / "metrics.csv", [row("a", initial_h=1), row("a", "h", initial_h=2)])
    made = {
        table.name: table for table in of_runs(load([tmp_path]), [tmp_path], Choices(["initial_h"]), ["all"]).tables
    }
    assert texts(made["pairs_initial_h"])[0][:6] == ["h / none", "1", "", "", "", "2"]
    assert "best_initial_h" not in made


def test_undeclared_statuses_are_no_answers(tmp_path: Path) -> None:
    write(tmp_path / "metrics.csv", [row("a", status="victory", cost=1), row("b", cost=2)])
    runs = load([tmp_path])
    assert runs.notes == ["no columns.json declares these statuses, so their rows do not count as answers: victory"]
    assert texts(summaries.by_instance(runs, COST))[0] == ["b", "2"]


def test_declared_failures_are_the_first_columns(tmp_path: Path) -> None:
    declare(tmp_path, statuses=(*GAMES, Status("cheated", is_failure=True)))
    ends = ("won", "time_limit", "time_limit", "cheated")
    write(tmp_path / "metrics.csv", [game(f"i{n}", "p", status, 1, 1) for n, status in enumerate(ends)])
    runs = load([tmp_path])
    table = summaries.statuses(runs)
    assert table is not None
    assert table.columns == ["configuration", "rows", "cheated", "time limit", "won"]
    assert "1 other row with a failure" in of_runs(runs, [tmp_path]).notes
