"""Agents on the command line: rows, refusals, the experiment, replay."""

from __future__ import annotations

import json
import sys
from itertools import product
from pathlib import Path

import pytest

import runner
from runner.base.result import NAMES
from runner.config.cell import sections
from tests.bad_input import error_of
from tests.runner_cli import ROOT, only, rows, run

CAVES = ("world=wumpus/random", "world.size=4")
PLAYERS = ["climb_agent", "random_agent", "asp_agent", "asp_agent_sharp", "bayes_agent", "perfect_agent", "astar"]


def test_a_game_has_a_row_and_a_plan(tmp_path: Path) -> None:
    done = run(tmp_path, "algorithm=asp_agent", *CAVES, "world.count=6", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path / "out" / "metrics.csv")
    own = ["arrow_used", "rooms_explored", "solver_calls", "solver_seconds"]
    assert list(found[0]) == [*NAMES, *own]
    assert {row["status"] for row in found} == {"escaped", "escaped_with_gold"}
    assert {(row["valid"], row["heuristic"], row["weighting"], row["expanded"]) for row in found} == {
        ("True", "none", "", "")
    }
    for row in found:
        assert int(row["reward"]) == (1000 if row["status"] == "escaped_with_gold" else 0) - int(row["cost"])
        assert int(row["cost"]) == int(row["actions"]) + 9 * (row["arrow_used"] == "True")
        assert 0 < float(row["solver_seconds"]) <= float(row["search_seconds"])
        assert 1 <= int(row["solver_calls"]) <= int(row["actions"])
    plans = [json.loads(line) for line in (tmp_path / "out" / "plans.jsonl").read_text().splitlines()]
    assert [len(plan["actions"]) for plan in plans] == [int(row["actions"]) for row in found]
    mean = sum(int(row["reward"]) for row in found) / 6
    assert f"mean score {mean:,.1f} ± " in done.stdout
    gold = sum(row["status"] == "escaped_with_gold" for row in found) / 6
    assert f"escaped_with_gold {gold:.1%}, escaped {1 - gold:.1%}" in done.stdout


def test_a_row_equals_the_result_of_the_api_and_a_note_says_that_a_heuristic_is_ignored(tmp_path: Path) -> None:
    words = ("algorithm=random_agent", "algorithm.seed=5", "heuristic=manhattan", "world.seed=4", "world.count=1")
    done = run(tmp_path, *CAVES, *words, "hydra.run.dir=out")
    assert "note: random_agent ignores heuristics: it runs as heuristic=none" in done.stderr
    row = only_row(tmp_path / "out" / "metrics.csv")
    cave = runner.load("wumpus/random", size=4, seed=4, count=1)[0]
    result = runner.solve(cave, {"name": "random_agent", "seed": 5})
    assert (result.run_id, str(result.reward), str(result.actions)) == tuple(
        row[name] for name in ("run_id", "reward", "actions")
    )
    assert (row["parameters"], row["heuristic"]) == ("seed=5", "none")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"name": "asp_agent", "deduction": "shrap"}, "algorithm.deduction: expected one of published, sharp, got"),
        ({"name": "bayes_agent", "pit_probability": 0}, "algorithm.pit_probability: expected float > 0"),
        ({"name": "bayes_agent", "sides": []}, "algorithm.sides: expected list of length >= 1"),
        ({"name": "bayes_agent", "sides": [4, 12]}, "algorithm.sides[1]: expected int <= 11, got 12"),
        ({"name": "bayes_agent", "depth": 0}, "algorithm.depth: expected int >= 1"),
        ({"name": "bayes_agent", "detour": 2**63 - 1}, "algorithm.detour: expected int <= 1000"),
    ],
)
def test_parameters_of_agents_are_checked(parameters: dict[str, object], message: str) -> None:
    assert error_of(lambda: sections.algorithm_of(parameters)).startswith(message)


def test_only_agents_that_need_clingo_are_refused_without_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "clingo", None)
    refused = run(tmp_path, "algorithm=asp_agent", *CAVES)
    assert refused.returncode == 2
    expected = "error: algorithm: asp_agent needs clingo; install it with: pip install 'search-runner[agents]'\n"
    assert refused.stderr == expected
    assert run(tmp_path, "algorithm=bayes_agent", *CAVES, "world.count=1").returncode == 0


def test_the_experiment_compares_all_agents_with_the_optimum(tmp_path: Path) -> None:
    done = run(tmp_path, "-m", "+experiment=wumpus_online", "world.count=2", "world.size=4", "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path / "out" / "results.csv")
    assert len(found) == 7 * 2
    assert [row["algorithm"] for row in found[::2]] == [name.replace("_sharp", "") for name in PLAYERS]
    assert {row["parameters"] for row in found if row["algorithm"] == "asp_agent"} == {"", "deduction=sharp"}
    best = {row["instance"]: int(row["reward"]) for row in found if row["algorithm"] == "astar"}
    assert set(best) == {f"classic-4x4-{seed}-E" for seed in range(2)}
    assert all(int(row["reward"]) <= best[row["instance"]] for row in found)
    perfect = [best[row["instance"]] - int(row["reward"]) for row in found if row["algorithm"] == "perfect_agent"]
    assert max(perfect) <= 2
    for word in ("mean", "score", "standard", "error", "gold", "died"):  # a wide table has headings of several lines
        assert word in done.stdout


def test_a_game_is_replayed_as_it_was_played(tmp_path: Path) -> None:
    """In a game the hunter first faces east. In a search of the same cave it first faces north."""
    done = run(tmp_path, "algorithm=bayes_agent", *CAVES, "world.seed=3", "world.count=1", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    row = only_row(tmp_path / "out" / "metrics.csv")
    shown = run(tmp_path, "replay", "out")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert ">" in shown.stdout.split("1/")[0]
    assert f"{row['actions']}/{row['actions']}: CLIMB (cost {row['cost']})" in shown.stdout


def only_row(file: Path) -> dict[str, str]:
    (row,) = rows(file)
    return row


def test_a_game_that_reaches_its_time_limit_has_no_score(tmp_path: Path) -> None:
    limits = ("limits.time=0.000001", "world.count=2", "hydra.run.dir=out")
    done = run(tmp_path, "algorithm=asp_agent", *CAVES, *limits)
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path / "out" / "metrics.csv")
    assert {(row["status"], row["reward"], row["valid"]) for row in found} == {("time_limit", "", "")}
    assert "mean score" not in done.stdout


def test_a_time_limit_ends_a_long_decision(tmp_path: Path) -> None:
    deep = ("algorithm.depth=40", "algorithm.detour=null", "limits.time=0.2", "world.count=1", "world.seed=3")
    done = run(tmp_path, "algorithm=bayes_agent", *deep, *CAVES, "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    row = only_row(tmp_path / "out" / "metrics.csv")
    assert (row["status"], row["actions"]) == ("time_limit", "0")
    assert float(row["search_seconds"]) >= 0.2


def test_the_example_agent_plays_and_an_unknown_action_is_an_error(tmp_path: Path) -> None:
    code = (ROOT / "examples" / "timid.py").read_text(encoding="utf-8")
    (tmp_path / "mine.py").write_text(code)
    mine = ("plugins=[mine]", "algorithm=timid", *CAVES, "world.seed=17", "world.count=3")
    done = run(tmp_path, *mine, "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path / "out" / "metrics.csv")
    assert {row["status"] for row in found} == {"escaped", "escaped_with_gold"}
    (tmp_path / "mine.py").write_text(code.replace("[CLIMB]", '["JUMP"]'))
    done = run(tmp_path, *mine, "hydra.run.dir=wrong")
    assert done.returncode == 1
    found = rows(tmp_path / "wrong" / "metrics.csv")
    error = "ValueError: there is no action 'JUMP'; choose from: MOVE, RIGHT, LEFT, GRAB, CLIMB, SHOOT"
    assert {row["error"] for row in found if row["status"] == "error"} == {error}
    only(tmp_path, "wrong/runner.log")


def test_a_narrow_table_of_a_sweep_keeps_the_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agents = ("algorithm=random_agent", "algorithm.seed=1000000,2000000", "world=wumpus/random")
    sizes = ("world.size=3,4", "world.count=1", "hydra.sweep.dir=out")
    done = run(tmp_path, "-m", *agents, *sizes)
    assert "0 algorithm.seed=1000000 world.size=3 " in done.stdout
    monkeypatch.setattr("runner.base.standard_output._PLAIN_WIDTH", 80)
    done = run(tmp_path, "collect", "out")
    table = done.stdout.splitlines()[1:]
    assert max(map(len, table)) <= 80
    for number, (seed, size) in enumerate(product(("1000000", "2000000"), "34")):
        assert f" {number} algorithm.seed={seed} " in done.stdout
        assert f"\n world.size={size} " in done.stdout
