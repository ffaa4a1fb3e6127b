"""The programs of examples/programs find plans that the rules in plain Python accept, most of them shortest ones."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import runner
from tests import gridmaps
from tests.programs import REOPENING
from tests.runner_cli import ROOT
from tests.worlds.test_programs import swap
from worlds.gridmap import formats
from worlds.gridmap.rules import STEP, GridMap
from worlds.gridmap.world import SharedMap
from worlds.interface.world import InputFile, World
from worlds.mapf.search import Roadmap, distances_to
from worlds.mapf.world import MapfWorld

PROGRAMS = ROOT / "examples" / "programs"
PYTHON_SERVER = (sys.executable, str(PROGRAMS / "server.py"))
MOVES = {step: move for move, step in STEP.items()}

needs_cpp = pytest.mark.skipif(shutil.which("g++") is None, reason="needs a compiler of C++")
needs_java = pytest.mark.skipif(shutil.which("javac") is None, reason="needs Java")


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """Return a function that compiles a program in C++, once for all tests, and returns its path."""
    folder = tmp_path_factory.mktemp("programs")

    @cache
    def build(name: str) -> str:
        program = folder / name
        options = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror"]
        subprocess.run(["g++", *options, "-o", str(program), str(PROGRAMS / f"{name}.cpp")], check=True)
        return str(program)

    return build


@pytest.fixture(scope="module")
def java(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """Compile the solver in Java once, and return the command that starts it."""
    folder = tmp_path_factory.mktemp("java")
    subprocess.run(["javac", "-d", str(folder), str(PROGRAMS / "Puzzle.java")], check=True)
    return "java", "-cp", str(folder), "Puzzle"


def printed(*command: str) -> tuple[int, dict[str, str]]:
    """Run a program. Return its exit code, and what it prints after the first word of each line."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line.partition(" ") for line in done.stdout.splitlines()]
    return done.returncode, {word: rest for word, _, rest in lines}


def answers(command: Sequence[str], requests: Sequence[Any]) -> list[dict[str, Any]]:
    lines = "".join(f"{request if isinstance(request, str) else json.dumps(request)}\n" for request in requests)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def request_of(columns: int, board: Sequence[int], goal: Sequence[int]) -> dict[str, str]:
    tiles = {"board": " ".join(map(str, board)), "goal": " ".join(map(str, goal))}
    return {"rows": str(len(board) // columns), "columns": str(columns), **tiles}


def moves_of(path: str) -> list[str]:
    cells = [tuple(map(int, cell.split(","))) for cell in path.split()]
    return [MOVES[x - from_x, y - from_y] for (from_x, from_y), (x, y) in pairwise(cells)]


def cost_of(world: World, plan: Sequence[str]) -> float:
    replay = world.replay(plan)
    assert replay.reaches_goal, replay.failure
    return world.user_cost(replay.cost)


def on_map(world: Any, folder: Path) -> dict[str, str]:
    file = folder / f"{world.grid.name}.map"
    file.write_text(formats.dump_map(world.grid.rows))
    return {"map": str(file), "start": "{},{}".format(*world.start), "goal": "{},{}".format(*world.goal)}


@needs_cpp
def test_paths_on_grid_maps_have_the_published_lengths(build: Callable[[str], str], tmp_path: Path) -> None:
    worlds: list[Any] = [instance.world for instance in runner.load("gridmap/static")]
    replies = answers([build("grid_server")], [on_map(world, tmp_path) for world in worlds])
    unsolvable = [world for world, reply in zip(worlds, replies, strict=True) if reply["status"] == "unsolvable"]
    assert [world.published_length for world in unsolvable] == [0, 0, 0]  # between islands
    for world, reply in zip(worlds, replies, strict=True):
        if world not in unsolvable:
            assert reply["cost"] == pytest.approx(cost_of(world, moves_of(reply["plan"])), abs=1e-8)
            assert reply["cost"] == pytest.approx(world.published_length, abs=0.01)


@needs_cpp
def test_a_command_on_a_grid_map_prints_what_the_server_answers(build: Callable[[str], str], tmp_path: Path) -> None:
    request = on_map(runner.load("gridmap/static")[-1].world, tmp_path)
    command = build("grid_astar")
    code, lines = printed(command, request["map"], request["start"], request["goal"], "1.5")
    (answer,) = answers([build("grid_server")], [{**request, "weight": 1.5}])
    assert (code, lines["path"], lines["expanded"]) == (0, answer["plan"], str(answer["expanded"]))
    assert float(lines["cost"]) == pytest.approx(answer["cost"], abs=1e-8)
    assert printed(command, request["map"], request["start"], "0,99")[0] == 3
    assert printed(command, "no.map", request["start"], request["goal"])[0] == 2


@needs_cpp
def test_a_server_in_cpp_answers_after_a_mistake(build: Callable[[str], str]) -> None:
    requests = ["{}", '{"id":"a\\"b" , "map":"/no/\\\\path", "start":"0,0"}', '{"id": 1, "map"']
    replies = answers([build("grid_server")], requests)
    assert [reply["error"] for reply in replies] == [
        "the request has no map",
        "no map: /no/\\path",
        "the request has no map",
    ]
    echoed = answers([build("echo_server")], requests)
    assert echoed == [{"status": "unsolvable", "expanded": 0, **own} for own in ({}, {"id": 'a"b'}, {"id": "1"})]


def planned(command: str, world: MapfWorld, folder: Path, *options: str) -> tuple[int, dict[str, str]]:
    """Run the planner of several agents on the files of a world."""
    files = {}
    for name, file in world.inputs().items():
        if isinstance(file, InputFile):
            files[name] = folder / f"{name}{file.suffix}"
            files[name].write_text(file.text())
    return printed(command, str(files["map"]), str(files["scenario"]), str(world.agents), *options)


@needs_cpp
def test_prioritized_plans_of_several_agents_are_valid(build: Callable[[str], str], tmp_path: Path) -> None:
    """Nobody crosses a shore. A single agent that can reach its goal has a shortest path."""
    source = random.Random("prioritized")
    command = build("prioritized")
    statuses: list[int] = []
    while len(statuses) < 60:
        size = source.randint(2, 7), source.randint(2, 7)
        rows = ("".join(source.choice("..........GSW@") for _ in range(size[0])) for _ in range(size[1]))
        grid = GridMap("test", tuple(rows), None)
        cells = gridmaps.cells_of(grid)
        agents = min(source.randint(1, 6), len(cells))
        starts, goals = tuple(source.sample(cells, agents)), tuple(source.sample(cells, agents))
        world = MapfWorld(Roadmap(SharedMap(grid)), starts, goals)
        code, lines = planned(command, world, tmp_path)
        statuses.append(code)
        if world.proof_of_unsolvability():
            assert code == 4
        elif code == 0:
            plan = world.read_plan(lines["paths"], "paths")
            least = distances_to(world.roadmap, world.goal_numbers)[range(agents), world.start_numbers].sum()
            assert cost_of(world, plan) == int(lines["cost"]) >= least
            assert agents > 1 or int(lines["cost"]) == least
        else:
            assert agents > 1
    assert statuses.count(0) > 20


@needs_cpp
def test_a_prioritized_planner_gives_up_where_no_order_helps(build: Callable[[str], str], tmp_path: Path) -> None:
    command = build("prioritized")
    code, lines = planned(command, swap(), tmp_path)
    assert code == 4
    assert "paths" not in lines
    assert int(planned(command, swap(), tmp_path, "1")[1]["expanded"]) * 2 < int(lines["expanded"])
    assert printed(command, str(tmp_path / "map.map"), str(tmp_path / "scenario.scen"), "3")[0] == 2
    assert printed(command, "no.map", str(tmp_path / "scenario.scen"), "2")[0] == 2


@needs_java
def test_two_solvers_of_the_puzzle_agree(java: tuple[str, ...]) -> None:
    worlds: list[Any] = [instance.world for instance in runner.load("npuzzle/random", size="2x4", count=3)]
    worlds += [instance.world for instance in runner.load("npuzzle/random", size="3", goal="blank_first", count=2)]
    requests = [request_of(world.puzzle.columns, world.puzzle.board, world.puzzle.goal) for world in worlds]
    for world, request, reply in zip(worlds, requests, answers(PYTHON_SERVER, requests), strict=True):
        code, lines = printed(*java, *request.values())
        plans = [lines["moves"].split(), reply["plan"].split()]
        assert code == 0
        assert {int(lines["cost"]), reply["cost"], *(cost_of(world, plan) for plan in plans)} == {len(plans[0])}


@needs_java
def test_two_solvers_of_the_puzzle_find_that_a_board_has_no_solution(java: tuple[str, ...]) -> None:
    request = request_of(2, (2, 1, 3, 0), (1, 2, 3, 0))
    assert printed(*java, *request.values()) == (3, {})
    assert answers(PYTHON_SERVER, [request]) == [{"status": "unsolvable", "expanded": 12, "id": None}]


@pytest.mark.parametrize(("library", "cost"), [("networkx", 9), ("simpleai", 10)])
def test_libraries_search_a_graph_that_needs_reopening(library: str, cost: int, tmp_path: Path) -> None:
    pytest.importorskip(library)
    (tmp_path / "graph.txt").write_text(dedent(REOPENING), encoding="utf-8")
    code, lines = printed(sys.executable, str(PROGRAMS / "library_astar.py"), library, str(tmp_path / "graph.txt"))
    assert (code, float(lines["cost"])) == (0, cost)
