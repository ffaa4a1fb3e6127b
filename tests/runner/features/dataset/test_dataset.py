"""Files of states with h_star, of whole spaces and of the plans of a sweep, compared with naive searches."""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runner
from runner.features.dataset import formats
from tests.naive import planning as naive
from tests.planning import SMALL, needs_translator
from tests.runner_cli import run
from worlds.pddl import rules
from worlds.pddl.task import Task, Values
from worlds.pddl.world import PlanningWorld

Columns = dict[str, np.ndarray]
PLACES = {
    "blocks/sussman": "blocks/training/easy/sussman",
    "gripper/two_balls": "gripper/testing/two_balls",
    "kitchen/soup_and_tea": "kitchen/soup_and_tea",
}
"""Tasks of the collection, by what they are copies of."""
SPACES = ("dataset", "world=pddl/file", "world.path=tasks")

pytestmark = needs_translator


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a collection of tasks, and a sweep over them."""
    work = tmp_path_factory.mktemp("work")
    for given, place in PLACES.items():
        target = work / "tasks" / f"{place}.pddl"
        target.parent.mkdir(parents=True)
        shutil.copy(SMALL / f"{given}.pddl", target)
        group = given.partition("/")[0]
        shutil.copy(SMALL / group / "domain.pddl", work / "tasks" / group)
    searches = ("algorithm=astar,greedy", "heuristic=goal_count,hmax", "world=pddl/file", "world.path=tasks")
    assert run(work, "-m", *searches, "hydra.sweep.dir=sweep").returncode == 0
    return work


def written(work: Path, *words: str) -> Columns:
    done = run(work, *words, "--out", "written.npz")
    assert done.returncode == 0, done.stderr
    with np.load(work / "written.npz", allow_pickle=False) as arrays:
        return dict(arrays)


def tasks(work: Path) -> dict[str, Task]:
    instances = runner.load("pddl/file", path=str(work / "tasks"))
    return {each.id: each.world.task for each in instances if isinstance(each.world, PlanningWorld)}


def states_of(columns: Columns, known: dict[str, Task]) -> Iterator[tuple[int, Task, Values]]:
    for row, number in enumerate(columns["instance"]):
        task = known[str(columns["instances"][number])]
        values = columns["values"][row]
        assert (values[len(task.names) :] == -1).all()
        yield row, task, tuple(values[: len(task.names)].tolist())


def steps_of(columns: Columns, row: int) -> list[tuple[str, int, float, bool]]:
    steps = slice(columns["first"][row], columns["first"][row + 1])
    names = columns["actions"][columns["action"][steps]].tolist()
    return [*zip(names, *(columns[name][steps].tolist() for name in ("successor", "cost", "optimal")), strict=True)]


def test_whole_spaces_have_the_values_of_a_naive_search(work: Path) -> None:
    columns, known = written(work, *SPACES), tasks(work)
    places = {"blocks#training-easy-sussman": ("training", "easy"), "gripper#testing-two_balls": ("testing", "")}
    found = zip(columns["instances"], columns["splits"], columns["difficulties"], strict=True)
    assert {name: place for name, *place in found} == {name: [*places.get(name, ("", ""))] for name in known}
    rows = {(id(task), values): row for row, task, values in states_of(columns, known)}
    assert len(rows) == len(columns["h_star"]) > 100
    task_of = {id(task): task for task in known.values()}
    h_star = {(key, values): naive.h_star(task_of[key], values) for key, values in rows}
    for (key, values), row in rows.items():
        task, expected = task_of[key], h_star[key, values]
        assert columns["h_star"][row] == expected
        assert columns["exact"][row]
        assert columns["goal"][row] == rules.is_goal(task, values)
        steps = []
        for operator, after in () if columns["goal"][row] else rules.successors(task, values):
            is_optimal = expected < math.inf and operator.cost + h_star[key, after] == expected
            steps.append((operator.name, rows[id(task), after], operator.cost, is_optimal))
        assert steps_of(columns, row) == steps


def test_plans_have_remaining_costs_that_are_exact_if_the_plan_is_proven_optimal(work: Path) -> None:
    columns, known = written(work, "dataset", "sweep"), tasks(work)
    table = runner.read(work / "sweep").set_index("run_id")
    assert {*columns["run_ids"]} == {*table.index}
    plans = {run_id: list[str]() for run_id in columns["run_ids"].tolist()}
    for row, task, values in states_of(columns, known):
        run_id = str(columns["run_ids"][columns["instance"][row]])
        search = table.loc[run_id]
        assert (
            columns["exact"][row]
            == (search["bound"] == 1)
            == (search["heuristic"] == "hmax" and search["algorithm"] == "astar")
        )
        expected = naive.h_star(task, values)
        assert columns["h_star"][row] == expected if columns["exact"][row] else columns["h_star"][row] >= expected
        if not plans[run_id]:
            assert (columns["h_star"][row], values) == (search["cost"], task.initial)
        steps = steps_of(columns, row)
        assert len(steps) == (not rules.is_goal(task, values)) == (not columns["goal"][row])
        for name, successor, cost, is_optimal in steps:
            plans[run_id].append(name)
            after = {operator.name: (state, operator.cost) for operator, state in rules.successors(task, values)}
            assert after[name][1] == cost == columns["h_star"][row] - columns["h_star"][successor]
            assert columns["values"][successor][: len(task.names)].tolist() == [*after[name][0]]
            assert is_optimal == columns["exact"][row]
    assert {run_id: len(plan) for run_id, plan in plans.items()} == table["length"].to_dict()


@pytest.mark.parametrize("source", [SPACES, ("dataset", "sweep")], ids=["spaces", "plans"])
def test_parquet_has_the_same_content(work: Path, source: tuple[str, ...]) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = written(work, *source)
    assert run(work, *source, "--out", "written.parquet").returncode == 0
    rows = parquet.read_table(work / "written.parquet").to_pylist()
    assert len(rows) == len(columns["h_star"])
    of_instances = {"instance": "instances", "run_id": "run_ids", "split": "splits", "difficulty": "difficulties"}
    for number, row in enumerate(rows):
        instance = columns["instance"][number]
        expected: dict[str, Any] = {name: columns[source][instance] for name, source in of_instances.items()}
        expected |= {name: columns[name][number] for name in ("h_star", "exact", "goal")}
        expected["words"] = columns["words"][number].tolist()
        expected["values"] = [value for value in columns["values"][number].tolist() if value != -1]
        steps = [*zip(*steps_of(columns, number), strict=True)] or [()] * 4
        expected |= {
            name: [*values] for name, values in zip(("action", "successor", "cost", "optimal"), steps, strict=True)
        }
        assert row == expected


@pytest.mark.parametrize(
    ("world", "variables"), [(("wumpus/static",), 0), (("npuzzle/random", "world.size=2x3", "world.count=1"), 6)]
)
def test_other_domains_have_words_and_values_if_they_have_variables(
    tmp_path: Path, world: tuple[str, ...], variables: int
) -> None:
    words = (f"world={world[0]}", *world[1:])
    columns = written(tmp_path, "dataset", *words)
    assert columns["values"].shape == (len(columns["h_star"]), variables)
    assert [*columns["values"][columns["goal"].argmax()]] == [*range(1, variables), 0][:variables]
    assert run(tmp_path, *words, "algorithm=ucs", "hydra.run.dir=run").returncode == 0
    costs = runner.read(tmp_path / "run").set_index("instance")["cost"].dropna().to_dict()
    ids = columns["instances"][columns["instance"]].tolist()
    starts = {name: row for row, name in reversed([*enumerate(ids)])}
    assert {name: columns["h_star"][starts[name]] for name in costs} == costs
    plans = written(tmp_path, "dataset", "run")
    assert plans["exact"].all()
    known = {
        (name, words.tobytes()): h for name, words, h in zip(ids, columns["words"], columns["h_star"], strict=True)
    }
    found = zip(plans["instances"][plans["instance"]].tolist(), plans["words"], strict=True)
    assert plans["h_star"].tolist() == [known[name, words.tobytes()] for name, words in found]
    assert len(plans["h_star"]) > len(costs) > 0


def test_costs_are_those_of_the_user_and_exact_is_what_is_proven(tmp_path: Path) -> None:
    """On a grid with diagonal steps of the cost 1.4; weighted A* proves a bound, and no optimum."""
    words = ("world=gridmap/random", "world.size=12", "world.count=3", "world.diagonal=1.4")
    searches = ("algorithm=astar,weighted_astar", "heuristic=octile", "hydra.sweep.dir=sweep")
    assert run(tmp_path, "-m", *words, *searches).returncode == 0
    table = runner.read(tmp_path / "sweep").set_index("run_id")
    assert {*table["bound"]} == {1, table["bound"].max()} != {1}
    assert any(cost != round(cost) for cost in table["cost"])
    plans, space = written(tmp_path, "dataset", "sweep"), written(tmp_path, "dataset", *words)
    starts = np.unique(plans["instance"], return_index=True)[1]
    optimal = {}
    for run_id, start in zip(plans["run_ids"].tolist(), starts, strict=True):
        row = table.loc[run_id]
        assert plans["h_star"][start] == pytest.approx(row["cost"])
        assert plans["exact"][start] == (row["bound"] == 1)
        if row["bound"] == 1:
            optimal[row["instance"]] = row["cost"]
    names = space["instances"][space["instance"]].tolist()
    assert {name: space["h_star"][names.index(name)] for name in optimal} == pytest.approx(optimal)
    for columns in (plans, space):
        assert {*columns["cost"].tolist()} <= {1.0, 1.4}
        assert 1.4 in columns["cost"]


def failing(error: type[BaseException]) -> Callable[..., None]:
    def write(file: Any, _: object) -> None:
        file.write(b"half")
        raise error("stopped")

    return write


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_a_file_appears_whole_or_not_at_all(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    monkeypatch.setitem(formats.FORMATS, ".npz", failing(error))
    done = run(work, *SPACES, "--out", str(tmp_path / "some.npz"))
    assert done.returncode != 0
    assert [*tmp_path.iterdir()] == []


WRONG = {
    "dataset sweep world=pddl/file": "world=pddl/file: a dataset of plans takes the worlds of their runs",
    "dataset nowhere": "nowhere: there is no such folder; give the folder of a run or a sweep",
    "dataset tasks": "tasks: there is no plans.jsonl below it; give the folder of a run or a sweep",
    "dataset world=pddl/file world.path=tasks --out x.csv": "--out: x.csv: expected a file .npz or .parquet",
    "dataset world=pddl/file world.path=tasks --out tasks": "--out: tasks: expected a file .npz or .parquet",
    "dataset world=pddl/file world.path=tasks --out tasks/kitchen/domain.pddl/x.npz": "domain.pddl is a file",
    "dataset world=pddl/file world.path=tasks heuristic=ff": "heuristic=ff: has no effect on a dataset",
    "dataset world=pddl/file world.path=tasks dataset.states=3": "all of 3 instances are left out",
    "dataset sweep dataset.states=2": "all of 12 plans are left out",
    "dataset world=pddl/file world.path=tasks dataset.states=0": "dataset.states: expected int >= 1, got 0",
    "dataset world=pddl/file,pddl/sas": "'world=pddl/file,pddl/sas': a dataset takes one value for each key",
    "dataset plugins=[runner.examples.pancake] world=pancake": "and its states no packed words; choose a world",
}


@pytest.mark.parametrize("words", WRONG)
def test_bad_input_is_refused_in_one_line(work: Path, words: str) -> None:
    done = run(work, *words.split())
    assert done.returncode == 2
    assert WRONG[words] in done.stderr.splitlines()[-1]
    assert not (work / "outputs" / "dataset").exists()


def test_plans_of_several_agents_follow_the_successor_that_arrives(tmp_path: Path) -> None:
    # an agent at its goal may settle there or not: two successors have the name of the action
    assert run(tmp_path, "world=mapf/static", "algorithm=cbs", "hydra.run.dir=agents").returncode == 0
    columns = written(tmp_path, "dataset", "agents")
    starts = columns["h_star"][np.unique(columns["instance"], return_index=True)[1]]
    assert sorted(starts) == sorted(runner.read(tmp_path / "agents")["cost"].dropna())


def test_what_exceeds_the_limit_is_left_out_with_a_note(work: Path) -> None:
    done = run(work, *SPACES, "dataset.states=60", "--out", "some.npz")
    assert done.returncode == 0
    assert "kitchen#soup_and_tea is left out: it has more than the" in done.stderr


def test_parquet_without_its_package_is_refused_before_the_work(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.compute", None)
    done = run(work, *SPACES, "--out", "some.parquet")
    assert (done.returncode, done.stderr.strip()) == (
        2, "error: Parquet needs pyarrow; install it with: pip install 'search-runner[parquet]'",
    )  # fmt: skip
