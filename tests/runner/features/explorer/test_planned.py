"""Programs in the explorer and in `replay`: their plans are played, because no search can be watched."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

import runner
from runner.base.errors import UserError
from runner.features.explorer.content import page_data
from runner.features.explorer.exploration import Exploration
from runner.features.explorer.planned import PlanRecording
from runner.features.explorer.recorder import Recording
from tests.programs import CLOSED_LIST, READS_PATHS, REOPENING, write_program
from tests.runner_cli import run
from worlds.interface.instance import Instance


def solved_by(program: dict[str, Any], instance: Instance) -> Recording:
    return runner.explore(instance, {"name": "program", **program}).recordings[0]


def printing(plan: str) -> dict[str, Any]:
    return {"command": [sys.executable, "-c", f"print('''{plan}''')"]}


def test_the_nodes_are_the_states_of_the_plan() -> None:
    for source, size in (("npuzzle/random", [2, 3]), ("gridmap/random", 16), ("wumpus/random", 4)):
        instance = next(each for each in runner.load(source, size=size, count=9) if runner.solve(each, "astar").plan)
        solution = runner.solve(instance, "astar")
        assert solution.plan is not None
        recording = solved_by(printing("\n".join(solution.plan)), instance)
        assert isinstance(recording, PlanRecording)
        assert (recording.status, recording.found["cost"]) == ("solved", solution.cost)
        assert recording.plan_nodes()[0] == 0
        assert len(recording.plan_nodes()) == len(recording.recorder.expanded) + 1
        states = list(recording.recorder.unpacked(recording.plan_nodes()))
        assert instance.world.is_goal(states[-1])
        total = int(np.sum(recording.recorder.cost))
        assert instance.world.user_cost(total) == solution.cost


def test_a_plan_is_played_up_to_the_action_that_the_rules_refuse() -> None:
    (instance,) = runner.load("gridmap/random", size=4, count=1, kind="open")
    world: Any = instance.world
    towards, away = ("N", "S") if world.start[1] > 1 else ("S", "N")
    recording = solved_by(printing(" ".join([towards, *[away] * 9])), instance)
    assert recording.found["valid"] is False
    assert 1 <= len(recording.recorder.expanded) < 9
    assert "the rules allow" in recording.summary


def test_without_a_plan_the_page_says_why(tmp_path: Path) -> None:
    (instance,) = runner.load("gridmap/random", size=4, count=1)
    recording = solved_by({"command": [sys.executable, "-c", "import sys; sys.exit('out of luck')"]}, instance)
    assert (recording.status, recording.plan_nodes()) == ("error", [0])
    assert "out of luck" in recording.summary
    assert page_data(instance, [recording], 1000)
    with pytest.raises(UserError, match="a program has none to watch"):
        Exploration([recording]).save(tmp_path / "x.jsonl", "trace")


def test_a_page_shows_a_program_beside_a_search(tmp_path: Path) -> None:
    write_program(tmp_path / "closed_list", CLOSED_LIST)
    (tmp_path / "graph.txt").write_text(dedent(REOPENING), encoding="utf-8")
    words = ("algorithm=program", "algorithm.command='./closed_list {instance}'", *READS_PATHS)
    world = ("world=graph/file", "world.path=graph.txt")
    done = run(tmp_path, "explore", *words, *world, "--out", "x.html", "--against", "algorithm=astar heuristic=table")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "closed_list: solved. A program has no search to watch: the page plays 2 steps of its plan",
        "astar with table: solved, 4 expansions",
        "graph: x.html",
    ]
    done = run(tmp_path, "explore", *words, *world, "--out", "x.png")
    assert done.returncode == 0, done.stderr
    done = run(tmp_path, "explore", *words, *world, "limits.nodes=5")
    assert done.returncode == 2
    assert "limits.nodes: closed_list is a program" in done.stderr


def test_replay_plays_the_plan_of_a_row(tmp_path: Path) -> None:
    write_program(tmp_path / "closed_list", CLOSED_LIST)
    (tmp_path / "graph.txt").write_text(dedent(REOPENING), encoding="utf-8")
    words = ("algorithm=program", "algorithm.command='./closed_list {instance}'", *READS_PATHS)
    done = run(tmp_path, *words, "world=graph/file", "world.path=graph.txt", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    (tmp_path / "closed_list").unlink()  # the plan is in the folder
    done = run(tmp_path, "replay", "out")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("graph, 2 actions\n")
    assert "G" in done.stdout.splitlines()[-2]
