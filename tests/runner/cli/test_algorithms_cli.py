"""Worlds in plain Python, anytime plans and schedules on the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.plugins import install
from tests.runner_cli import ROOT, rows, run


def test_the_documented_command_of_a_world_in_plain_python(tmp_path: Path) -> None:
    """Run the command in examples/pancake.py from the root of the repository. It needs no YAML."""
    example = (ROOT / "examples" / "pancake.py").read_text(encoding="utf-8")
    assert len(example.splitlines()) <= 40
    documented = "plugins=[examples.pancake] world=pancake algorithm=astar heuristic=gap"
    assert f"python -m runner '{documented.replace(' ', chr(39) + ' ', 1)}" in example
    done = run(ROOT, *documented.split(), f"hydra.run.dir={tmp_path / 'one'}")
    assert done.returncode == 0, done.stderr
    table = rows(tmp_path / "one" / "metrics.csv")
    assert {(row["status"], row["valid"], row["bound"]) for row in table} == {("solved", "True", "1")}
    assert len(table) == 10
    world = ("plugins=[examples.pancake]", "world=pancake", "world.size=6")
    sweep = ("algorithm=bidirectional,idastar,greedy", "heuristic=gap,none", f"hydra.sweep.dir={tmp_path / 'sweep'}")
    done = run(ROOT, "-m", *world, *sweep)
    assert done.returncode == 0, done.stderr
    table = rows(tmp_path / "sweep" / "results.csv")
    assert len(table) == 50  # greedy without a heuristic is skipped
    assert {row["cost"] for row in table if row["instance"] == "pancake_0" and row["bound"] == "1"} == {"4"}


def test_mistakes_with_a_world_of_a_plugin_are_one_line(tmp_path: Path) -> None:
    pancake = ("plugins=[examples.pancake]", "world=pancake")
    for arguments, message in {
        ("heuristic=gpa",): "heuristic: there is no 'gpa'; did you mean 'gap'?",
        (
            "heuristic=pivots",
        ): "pancake has no heuristic 'manhattan' (it belongs to gridmap, npuzzle, wumpus); choose from: gap",
        ("world.size=x",): "world.size: expected int, got str",
        ("world.sise=3",): "world.sise: unknown key; did you mean 'size'?",
        ("algorithm=greedy",): "heuristic: greedy needs one",
    }.items():
        done = run(ROOT, *pancake, *arguments, f"hydra.run.dir={tmp_path / 'run'}")
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr
        assert len(done.stderr.splitlines()) == 1
    done = run(tmp_path, "world=pancake")
    assert re.search(r"world: there is no (world )?'pancake'", done.stderr)
    done = run(tmp_path, "plugins=[no.such.module]", "world=pancake")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "plugins: there is no module 'no.such.module'" in done.stderr


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
    arguments = ("plugins=[examples.pancake]", "world=pancake", "world.size=50", "world.count=1", "world.seed=6")
    done = run(
        ROOT, *arguments, "algorithm=anytime_astar", "algorithm.weights=[20,3,1]", "heuristic=gap",
        "limits.nodes=20000",
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


def test_rows_have_the_schedule_of_weights(tmp_path: Path) -> None:
    arguments = ("algorithm=astar", "heuristic=pivots")
    for number, (weighting, shown) in enumerate(
        {
            "weighting=linear weighting.from=4 weighting.every=10": "linear(from=4.0,to=1.0,",
            "weighting=geometric weighting.reorder_open=true": "geometric(initial=1.5,factor=1.05,",
            "weighting=dynamic weighting.horizon=30": "dynamic(epsilon=1.0,horizon=30)",
        }.items()
    ):
        done = run(tmp_path, *arguments, *weighting.split(), f"hydra.run.dir={number}")
        assert done.returncode == 0, done.stderr
        table = rows(tmp_path / str(number) / "metrics.csv")
        assert all(row["weighting"].startswith(shown) for row in table)
        assert all(float(row["bound"]) >= 1 for row in table if row["status"] == "solved")
