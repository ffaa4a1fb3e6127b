"""Maps, scenarios and paths that are exchanged with programs."""

from __future__ import annotations

import random
import shutil
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import runner
from tests import gridmaps
from worlds.gridmap import rules
from worlds.gridmap.scenario_sources import SUITES
from worlds.gridmap.world import GridWorld
from worlds.interface.world import InputFile, World

SMALL = SUITES / "small"
WIDE = gridmaps.instance(["." * 101] * 101, (50, 50), (50, 50)).world
runs = st.lists(st.tuples(st.sampled_from([*rules.STEP]), st.integers(1, 5)), min_size=1, max_size=10)


def file_of(world: World, name: str) -> InputFile:
    file = world.inputs()[name]
    assert isinstance(file, InputFile)
    return file


@given(runs, st.randoms(), st.sampled_from([" ", "->", "\n", ", "]))
def test_cells_between_jump_points_are_filled_in(
    runs: list[tuple[str, int]], source: random.Random, between: str
) -> None:
    """Of a straight or diagonal run of moves, any cells but its ends may be left out."""
    moves = tuple(move for move, length in runs for _ in range(length))
    cells, kept = [WIDE.start], [WIDE.start]
    for move, length in runs:
        for step in range(1, length + 1):
            cells.append(rules.after(cells[-1], move))
            if step == length or source.random() < 0.3:
                kept.append(cells[-1])
    text = between.join(f"({x},{y})" for x, y in kept)
    assert WIDE.read_plan(text, "cells") == moves
    assert WIDE.read_plan(str([list(cell) for cell in kept]), "json") == moves


@given(st.integers(-50, 50), st.integers(-50, 50))
def test_a_jump_is_a_line_or_no_plan(dx: int, dy: int) -> None:
    """Two cells that no straight or diagonal line joins are named."""
    x, y = WIDE.start
    text = f"{x},{y} {x + dx},{y + dy}"
    is_line = (dx, dy) != (0, 0) and (dx == 0 or dy == 0 or abs(dx) == abs(dy))
    if is_line:
        states, _ = WIDE.played(WIDE.read_plan(text, "cells"))
        assert states[-1] == (x + dx, y + dy)
        assert len({(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(states)}) == 1
    else:
        with pytest.raises(ValueError, match=rf"from \({x}, {y}\) to \({x + dx}, {y + dy}\)"):
            WIDE.read_plan(text, "cells")


def test_a_path_through_obstacles_is_a_plan_that_the_rules_refuse() -> None:
    world = gridmaps.instance(["..@."], (0, 0), (3, 0)).world
    plan = world.read_plan("0,0 3,0", "cells")
    assert plan == ("E", "E", "E")
    assert world.replay(plan).failure == "action 2, E: in the state (1, 0) the rules allow only W"


def test_the_length_of_a_path_is_bounded() -> None:
    there_and_back = "0,0 8191,0 " * 700
    world = gridmaps.instance(["." * 8192], (0, 0), (0, 0)).world
    with pytest.raises(ValueError, match="line 1: a plan of more than 10,000,000 moves"):
        world.read_plan(there_and_back, "cells")


def test_a_map_of_the_user_is_used_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The path is absolute also if the parameter is not. It is no part of the identity."""
    for file in SMALL.glob("7_wood.*"):
        shutil.copy(file, tmp_path / file.name)
    monkeypatch.chdir(tmp_path)
    (instance,) = runner.load("gridmap/map", path="7_wood.map", weights={"S": 2}, count=1)
    of_scenario = runner.load("gridmap/scenario", path="7_wood.map.scen")[0]
    for each in (instance, of_scenario):
        assert file_of(each.world, "map").path == tmp_path / "7_wood.map"
    of_suite = next(each for each in runner.load("gridmap/static") if each.id == of_scenario.id)
    assert of_suite.key() == of_scenario.key()
    assert file_of(of_suite.world, "map").path == SMALL / "7_wood.map"


def test_inputs_read_no_files(tmp_path: Path) -> None:
    for file in SMALL.glob("7_wood.*"):
        shutil.copy(file, tmp_path / file.name)
    instances = runner.load("gridmap/scenario", path=str(tmp_path))
    shutil.rmtree(tmp_path)
    assert len({instance.world.inputs()["goal"] for instance in instances}) > 1


@pytest.mark.parametrize("source", ["gridmap/random", "gridmap/static"])
def test_maps_and_scenarios_load_again(source: str, tmp_path: Path) -> None:
    """A map that is written has the name that its scenario gives it: the key."""
    parameters = {"size": "9x7", "count": 3, "per_map": 2} if source == "gridmap/random" else {"problems": [3]}
    for number, instance in enumerate(runner.load(source, **parameters)):
        world = instance.world
        assert isinstance(world, GridWorld)
        folder = tmp_path / str(number)
        folder.mkdir()
        file = file_of(world, "map")
        name = f"{file.key}.map" if file.path is None else file.path.name
        (folder / name).write_text(file.text())
        (folder / "one.scen").write_text(file_of(world, "scenario").text())
        ends = {end: [int(number) for number in str(world.inputs()[end]).split(",")] for end in ("start", "goal")}
        (of_map,) = runner.load("gridmap/map", path=str(folder / name), **ends)
        (of_scenario,) = runner.load("gridmap/scenario", path=str(folder))
        assert of_map.world.identity() == of_scenario.world.identity() == world.identity()
        assert of_scenario.world.measured_at_end(None, "solved") == {
            "published_length": world.published_length or 0, "agrees": None, "bucket": world.bucket or 0,
        }  # fmt: skip


def test_instances_on_one_map_share_its_key() -> None:
    instances = runner.load("gridmap/random", size=8, count=4, per_map=2)
    keys = [file_of(instance.world, "map").key for instance in instances]
    assert keys[0] == keys[1] != keys[2] == keys[3]
