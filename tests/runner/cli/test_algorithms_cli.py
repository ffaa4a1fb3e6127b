"""Worlds in plain Python, anytime plans and schedules on the command line."""

from __future__ import annotations

import json
from pathlib import Path

from tests.plugins import install
from tests.runner_cli import ROOT, rows, run


def test_the_documented_command_of_a_world_in_plain_python(tmp_path: Path) -> None:
    """Run the command in examples/pancake.py from the root of the repository. It needs no YAML."""
    example = (ROOT / "examples" / "pancake.py").read_text(encoding="utf-8")
    assert len(example.splitlines()) <= 46
    documented = "plugins=[runner.examples.pancake] world=pancake algorithm=astar heuristic=gap"
    assert f"python -m runner '{documented.replace(' ', chr(39) + ' ', 1)}" in example
    done = run(ROOT, *documented.split(), f"hydra.run.dir={tmp_path / 'one'}")
    assert done.returncode == 0, done.stderr
    table = rows(tmp_path / "one" / "metrics.csv")
    assert {(row["status"], row["valid"], row["bound"]) for row in table} == {("solved", "True", "1")}
    assert len(table) == 10
    world = ("plugins=[runner.examples.pancake]", "world=pancake", "world.size=6", "world.count=2")
    sweep = ("algorithm=bidirectional,greedy", "heuristic=gap,none", f"hydra.sweep.dir={tmp_path / 'sweep'}")
    done = run(ROOT, "-m", *world, *sweep)
    assert done.returncode == 0, done.stderr
    table = rows(tmp_path / "sweep" / "results.csv")
    assert len(table) == 6  # greedy without a heuristic is skipped
    assert {row["cost"] for row in table if row["instance"] == "pancake_0" and row["bound"] == "1"} == {"4"}


def test_an_exception_in_a_plugin_world_is_one_row_and_its_traceback_is_in_the_log(tmp_path: Path) -> None:
    install(tmp_path, "trouble")
    done = run(tmp_path, "plugins=[trouble]", "world=trouble", "hydra.run.dir=out")
    assert done.returncode == 1
    table = rows(tmp_path / "out" / "metrics.csv")
    assert [row["status"] for row in table] == ["solved", "error", "solved"]
    assert table[1]["error"] == "LookupError: in my world"
    log = (tmp_path / "out" / "runner.log").read_text()
    lines = (tmp_path / "trouble.py").read_text().splitlines()
    (number,) = (number for number, line in enumerate(lines, 1) if "raise LookupError" in line)
    assert f'trouble.py", line {number}, in successors' in log


def test_improved_solutions_are_lines_of_the_file_of_plans(tmp_path: Path) -> None:
    arguments = ("plugins=[runner.examples.pancake]", "world=pancake", "world.size=30", "world.count=1", "world.seed=6")
    done = run(
        ROOT, *arguments, "algorithm=anytime_astar", "algorithm.weights=[20,3,1]", "heuristic=gap",
        "limits.nodes=2000",
        f"hydra.run.dir={tmp_path}",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in (tmp_path / "plans.jsonl").read_text().splitlines()]
    improvements, final = lines[:-1], lines[-1]
    assert [line["cost"] for line in improvements] == sorted({line["cost"] for line in improvements}, reverse=True)
    assert all(line["bound"] >= 1 and line["seconds"] > 0 and line["expanded"] > 0 for line in improvements)
    assert final["actions"] == improvements[-1]["actions"]
    assert "bound" not in final
    assert rows(tmp_path / "metrics.csv")[0]["cost"] == str(final["cost"])


BOARD = ("world=npuzzle/random", "world.size=[2,3]", "world.count=1", "plugins=[one_way]")
NOTE = "note: nbs goes back from the goals without an estimate from the start (backward) of one_way"
ONE_WAY = """
from runner import python_heuristic


@python_heuristic("one_way", domain="npuzzle", admissible=True, consistent=True)
def one_way(state):
    return 0


@python_heuristic("both_ways", domain="npuzzle", admissible=True, consistent=True, backward=lambda state: 0)
def both_ways(state):
    return 0
"""


def test_a_heuristic_without_an_estimate_from_the_start_is_named(tmp_path: Path) -> None:
    (tmp_path / "one_way.py").write_text(ONE_WAY)
    done = run(tmp_path, "-m", *BOARD, "algorithm=nbs", "heuristic=one_way,none,both_ways", "hydra.sweep.dir=out")
    assert [row["backward_h"] for row in rows(tmp_path / "out" / "results.csv")] == ["False", "", "True"]
    assert done.stderr.count("note") == done.stderr.count(NOTE) == 1
    forward = run(tmp_path, *BOARD, "algorithm=astar", "heuristic=one_way", "hydra.run.dir=forward")
    assert "backward_h" not in rows(tmp_path / "forward" / "metrics.csv")[0]
    assert "note" not in forward.stderr


def test_what_needs_a_consistent_heuristic_refuses_one_without_an_estimate_from_the_start(tmp_path: Path) -> None:
    (tmp_path / "one_way.py").write_text(ONE_WAY)
    for words in (["algorithm=bae", "heuristic=one_way"], ["audit", "heuristic=one_way", "audit.vertex_cover=true"]):
        done = run(tmp_path, *words, *BOARD)
        assert done.returncode == 2
        assert "from the start, too; there is none of one_way; declare one by backward=" in done.stderr
    assert run(tmp_path, *BOARD, "algorithm=bae", "heuristic=both_ways").returncode == 0


def test_a_world_without_predecessors_is_named_before_the_heuristic(tmp_path: Path) -> None:
    """An estimate from the start would not help there."""
    done = run(tmp_path, "world=wumpus/static", "algorithm=bae", "heuristic=manhattan")
    assert done.returncode == 2
    assert "algorithm: bae searches from the goals; wumpus has no predecessors, goals" in done.stderr
