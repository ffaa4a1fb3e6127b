"""Sources of several agents: scenarios, suites, maps, random and all teams; files and parameters with mistakes."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from itertools import permutations, product
from pathlib import Path
from typing import Any

import pytest

import runner
from runner.base.errors import UserError
from runner.config.cell import sections
from tests.gridmaps import costs_from
from tests.loaded import load as load_all
from tests.runner_cli import rows, run
from tests.teams import any_instance
from worlds.gridmap.scenario_sources import SUITES as MAPS
from worlds.gridmap.world import GridWorld
from worlds.mapf.sources import SUITES
from worlds.mapf.world import MapfInstance, MapfWorld

BENCHMARK = SUITES / "benchmark"
SCENARIO = str(BENCHMARK / "empty-8-8-random-1.scen")
OPEN_MAP = str(BENCHMARK / "empty-8-8.map")
ONE_BY_ONE = "is a scenario of several agents (MAPF); gridmap/scenario searches them one by one, mapf/scenario all"


def load(world: str, **parameters: Any) -> list[MapfInstance]:
    return load_all(MapfWorld, f"mapf/{world}", **parameters)


def samples(world: str, **parameters: Any) -> list[str]:
    source = sections.source_of({"name": f"mapf/{world}", **parameters})
    return [instance.id for instance in source.samples()]


def test_the_agents_are_the_first_lines_of_a_scenario() -> None:
    two, four, five = load("scenario", path=SCENARIO, agents=[2, "4-5"])
    assert [each.id for each in (two, four, five)] == [f"empty-8-8-random-1-k{size}" for size in (2, 4, 5)]
    assert (two.world.starts, two.world.targets) == (((1, 4), (1, 0)), ((4, 7), (3, 2)))
    assert four.world.starts[:2] == five.world.starts[:2] == two.world.starts
    assert two.world.roadmap is five.world.roadmap
    (everyone,) = load("static", suite="benchmark")
    assert (everyone.id, everyone.world.agents) == ("empty-8-8-random-1", 32)


def test_the_sample_of_each_map_is_its_largest_team(tmp_path: Path) -> None:
    """Searches that cannot expand many agents are refused before a run, wherever the large team stands."""
    assert samples("scenario", path=SCENARIO, agents=[2, 7, 3]) == ["empty-8-8-random-1-k7"]
    assert samples("random", agents=[2, 7, 3], size=8, count=4) == ["obstacles-8x8-0-k7"]
    assert samples("map", path=OPEN_MAP, agents=[2, 7, 3], seed=5) == ["empty-8-8-k7#5"]
    assert samples("static") == ["bay", "blocked_way", "corridor", "rotation", "swap"]
    assert samples("all", width=3, height=2) == ["3x2-......-k2#1"]
    request = ["world=mapf/scenario", f"world.path={SCENARIO}", "world.agents=[2,7]", "algorithm=astar"]
    done = run(tmp_path, *request, "heuristic=distances", "hydra.run.dir=out")
    assert done.returncode == 2
    assert "astar" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out" / "metrics.csv").exists()


def test_folders_of_scenarios_are_read(tmp_path: Path) -> None:
    names = ["bay-k2", "blocked_way-k2", "corridor-k2", "rotation-k2", "swap-k2"]
    assert [each.id for each in load("scenario", path=str(SUITES / "tiny"), agents=2)] == names
    (tmp_path / "maps").mkdir()
    shutil.copy(SCENARIO, tmp_path)
    shutil.copy(OPEN_MAP, tmp_path / "maps")
    (moved,) = load("scenario", path=str(tmp_path), maps=str(tmp_path / "maps"), agents=3)
    assert moved.key() == load("scenario", path=SCENARIO, agents=3)[0].key()
    assert moved.key() != load("scenario", path=SCENARIO, agents=3, objective="makespan")[0].key()


def scenario_of(folder: Path, *ends: Sequence[int], name: str = "empty-8-8.map") -> str:
    """Write a scenario with lines of start and goal, and return its path."""
    shutil.copy(OPEN_MAP, folder)
    lines = ["\t".join(map(str, (0, name, 8, 8, *each, 1))) for each in ends]
    (folder / "a.scen").write_text("\n".join(["version 1", *lines]) + "\n")
    return str(folder / "a.scen")


@pytest.mark.parametrize(
    ("ends", "agents", "message"),
    [
        ([], 1, r"a.scen: a scenario without agents$"),
        ([(0, 0, 1, 1)], 2, r"world.agents: no scenario has 2 agents; the largest has 1$"),
        ([(0, 0, 1, 1), (0, 0, 2, 2)], 2, r"a.scen: line 3: agents 1 and 2 have the same start \(0, 0\)"),
        ([(0, 0, 1, 1), (1, 0, 1, 1)], 2, r"a.scen: line 3: agents 1 and 2 have the same goal \(1, 1\)"),
        ([(0, 0, 1, 1), (1, 0, 8, 1)], 2, r"a.scen: line 3: the goal \(8, 1\) is outside of empty-8-8"),
        ([(0, 0, 1, 1), (1, 0, 1)], 2, r"a.scen: line 3: "),
    ],
)
def test_scenarios_with_mistakes_are_refused(
    tmp_path: Path, ends: list[tuple[int, ...]], agents: int, message: str
) -> None:
    path = scenario_of(tmp_path, *ends)
    with pytest.raises(UserError, match=message):
        load("scenario", path=path, agents=agents)


def test_teams_that_are_larger_than_a_scenario_are_left_out_with_a_note(tmp_path: Path) -> None:
    shutil.copy(scenario_of(tmp_path, (0, 0, 1, 1), (1, 0, 2, 1), (2, 0, 3, 1)), tmp_path / "b.scen")
    scenario_of(tmp_path, (0, 0, 1, 1))
    source = sections.source_of({"name": "mapf/scenario", "path": str(tmp_path), "agents": [1, 2, 4]})
    assert [each.id for each in source.instances()] == ["a-k1", "b-k1", "b-k2"]
    assert source.notes == (
        "world.agents: 2 of 2 scenarios have fewer than 4 agents, such as a.scen with 1; larger teams are left out",
    )


def test_agents_on_different_maps_are_refused(tmp_path: Path) -> None:
    path = Path(scenario_of(tmp_path, (0, 0, 1, 1)))
    shutil.copy(OPEN_MAP, tmp_path / "other.map")
    path.write_text(path.read_text() + "0\tother.map\t8\t8\t1\t0\t2\t1\t1\n")
    with pytest.raises(UserError, match=r"line 3: agents on different maps, empty-8-8.map and other.map"):
        load("scenario", path=str(path), agents=2)
    assert len(load("scenario", path=str(path), agents=1)) == 1  # of the first line alone


@pytest.mark.parametrize("terrain", ["#", "A", "1"])
def test_maps_of_agents_have_no_weights(tmp_path: Path, terrain: str) -> None:
    """Of grid maps, the message offers them."""
    path = Path(scenario_of(tmp_path, (0, 0, 1, 1)))
    (tmp_path / "empty-8-8.map").write_text(f"type octile\nheight 1\nwidth 2\nmap\n.{terrain}\n")
    known = f"empty-8-8.map: line 5: unknown terrain '{terrain}'; choose from . G S W @ O T"
    for world, parameters in (("scenario", {"path": str(path)}), ("map", {"path": str(tmp_path / "empty-8-8.map")})):
        with pytest.raises(UserError) as error:
            load(world, agents=1, **parameters)
        assert str(error.value).endswith(f"{known} (obstacles: @ O T)")
    with pytest.raises(UserError) as error:
        load_all(GridWorld, "gridmap/scenario", path=str(path))
    assert str(error.value).endswith(f"{known}, or give it a factor in world.weights")


def test_one_sweep_over_folders_of_maps_has_a_chart_for_each_map(tmp_path: Path) -> None:
    """Rows have the map and the type of their scenario, also without a plan."""
    for name, scenarios in (("empty-8-8", ("even-1", "random-1")), ("bay", ("x", "random-12-2"))):
        (tmp_path / "maps" / name).mkdir(parents=True)
        map_file = OPEN_MAP if name == "empty-8-8" else str(SUITES / "tiny" / "bay.map")
        shutil.copy(map_file, tmp_path / "maps" / name / f"{name}.map")
        for kind in scenarios:
            scenario = Path(SCENARIO if name == "empty-8-8" else SUITES / "tiny" / "bay.scen")
            shutil.copy(scenario, tmp_path / "maps" / name / f"{name}-{kind}.scen")
    words = ["world=mapf/scenario", "world.path=maps", "world.agents=[1,2]", "algorithm=cbs,lacam", "limits.nodes=1"]
    assert run(tmp_path, "-m", *words, "hydra.sweep.dir=out").returncode == 0
    found = {(row["instance"], row["map"], row["instance_group"]) for row in rows(tmp_path / "out" / "results.csv")}
    groups = {("bay", "x", "x"), ("bay", "random-12-2", "random-12"), ("empty-8-8", "even-1", "even")}
    groups |= {("empty-8-8", "random-1", "random")}
    assert found == {(f"{name}-{kind}-k{k}", name, group) for name, kind, group in groups for k in (1, 2)}
    by_agents = "--by map,agents --charts rate --tables by_successes --format markdown"
    done = run(tmp_path, "report", "out", *by_agents.split())
    assert [Path(line).name for line in done.stdout.splitlines()] == ["report.md", "rate_bay.svg", "rate_empty_8_8.svg"]
    assert "bay: Which share" in (tmp_path / "out" / "report" / "report.md").read_text()
    of_types = "--by map,instance_group --charts rate_empty_8_8_even --filter"
    done = run(tmp_path, "report", "out", *of_types.split(), "'even' not in instance_group")
    assert done.returncode == 2
    assert "no chart 'rate_empty_8_8_even'; did you mean" in done.stderr


def check_team(world: MapfWorld) -> None:
    """Check that starts differ, goals differ, and each agent can reach its goal."""
    assert len(set(world.starts)) == len(set(world.targets)) == world.agents
    for start, goal in zip(world.starts, world.targets, strict=True):
        assert goal in costs_from(world.grid, start)


@pytest.mark.parametrize("kind", ["obstacles", "rooms", "maze", "open"])
def test_random_teams_can_reach_their_goals_and_depend_only_on_their_seed(kind: str) -> None:
    parameters: dict[str, Any] = {"kind": kind, "size": "9x7", "density": 0.35}
    teams = load("random", agents=[3, 12], count=6, seed=4, **parameters)
    assert [each.id for each in teams] == [f"{kind}-9x7-{seed}-k{k}" for k in (3, 12) for seed in range(4, 10)]
    for each in teams:
        check_team(each.world)
    for small, large in zip(teams[:6], teams[6:], strict=True):
        assert small.world.grid == large.world.grid
        assert small.world.starts == large.world.starts[:3]
        assert small.world.targets == large.world.targets[:3]
    (again,) = load("random", agents=12, count=1, seed=7, **parameters)
    assert again.key() == teams[9].key()


def test_generated_teams_never_change() -> None:
    """The same seed must give the same team in all versions and on all machines."""
    (team,) = load("random", size=4, agents=3, density=0.3, count=1, seed=1)
    assert team.world.grid.rows == ("..@.", "....", ".@..", "....")
    assert team.world.starts == ((3, 2), (3, 0), (1, 1))
    assert team.world.targets == ((3, 0), (1, 1), (2, 1))


def test_teams_on_one_map_are_given_or_random() -> None:
    (given,) = load("map", path=OPEN_MAP, starts=[[0, 0], [7, 7]], goals=[[7, 7], [0, 0]])
    assert (given.id, given.seed, given.world.agents) == ("empty-8-8", None, 2)
    teams = load("map", path=OPEN_MAP, agents=["2-3"], count=2, seed=5)
    assert [each.id for each in teams] == [f"empty-8-8-k{k}#{seed}" for seed in (5, 6) for k in (2, 3)]
    assert [each.seed for each in teams] == [5, 5, 6, 6]
    (full,) = load("map", path=OPEN_MAP, agents=64, count=1)
    check_team(full.world)


@pytest.mark.parametrize(
    ("world", "parameters", "message"),
    [
        ("random", {"size": 1}, "world.size: expected sides of 2 to 1024"),
        ("random", {"agents": []}, "world.agents: the list is empty"),
        ("random", {"agents": [2, 17], "size": 4}, "world.agents: 17 agents do not fit on 4 x 4 cells; choose fewer"),
        (
            "random",
            {"agents": 9, "size": 3, "density": 0.5},
            r"world.agents: 9 agents do not fit on obstacles-3x3-0, which has \d passable cells; choose fewer agents, "
            "a larger world.size, a smaller world.density",
        ),
        ("map", {"agents": 65}, "65 agents do not fit on empty-8-8, .* fewer agents or another map"),
        ("map", {"starts": [[0, 0]]}, "world.starts and world.goals: give both or none"),
        ("map", {"starts": [[0]], "goals": [[0, 1]]}, "world.starts: expected 1 to .* cells"),
        ("map", {"starts": [], "goals": []}, "world.starts: expected 1 to 10000 cells"),
        (
            "map",
            {"starts": [[0, 0]] * 2, "goals": [[1, 0], [0, 1]]},
            r"world.starts: agents 1 and 2 have the same cell \[0, 0\]",
        ),
        (
            "map",
            {"starts": [[0, 0], [1, 0]], "goals": [[1, 0]]},
            "world.goals: expected one for each of 2 starts, got 1",
        ),
        ("map", {"starts": [[0, 0]], "goals": [[8, 0]]}, r"world.goals: \(8, 0\) is outside of .*empty-8-8.map"),
        ("map", {"path": str(MAPS / "small")}, "world.path: expected one map, got"),
        ("scenario", {"path": SCENARIO, "agents": 33}, "world.agents: no scenario has 33 agents; the largest has 32"),
        ("scenario", {"path": SCENARIO, "agents": ["3-2"]}, "world.agents: expected numbers of 1 to 10000 or ranges"),
        ("all", {"width": 4, "height": 4}, "world.width: expected maps of 2 to 12 cells, got 4 x 4"),
        ("all", {"width": 2, "height": 2, "agents": 5}, "world.agents: .* 5 agents on maps of up to 2 x 2 cells are 0"),
        ("all", {"width": 3, "height": 4, "agents": 6}, "world.agents: expected 1 to 10,000,000 teams"),
    ],
)
def test_bad_parameters_are_refused(world: str, parameters: dict[str, Any], message: str) -> None:
    given = {"path": OPEN_MAP, **parameters} if world == "map" else parameters
    with pytest.raises(UserError, match=message):
        runner.load(f"mapf/{world}", **given)


def form(rows: Sequence[str], starts: Sequence[tuple[int, int]], goals: Sequence[tuple[int, int]]) -> object:
    """Return what teams have in common that are equal but for symmetry, edges without passable cells, and names."""
    cells = [(x, y) for y, row in enumerate(rows) for x, terrain in enumerate(row) if terrain == "."]
    forms = []
    for first, second, swap in product((1, -1), (1, -1), (False, True)):

        def image(
            cell: tuple[int, int], first: int = first, second: int = second, swap: bool = swap
        ) -> tuple[int, int]:
            x, y = cell if not swap else cell[::-1]
            return first * x, second * y

        images = [image(cell) for cell in cells]
        left, top = min(x for x, _ in images), min(y for _, y in images)
        teams = [[(x - left, y - top) for x, y in map(image, each)] for each in (cells, starts, goals)]
        forms.append((sorted(teams[0]), sorted(zip(teams[1], teams[2], strict=True))))
    return str(min(forms))


def test_all_teams_have_every_form() -> None:
    """Naive: every placement on every map, in all orders of the agents."""
    expected = set()
    for columns, lines in ((1, 2), (2, 1), (2, 2), (1, 3), (3, 1), (2, 3), (3, 2)):
        for terrains in product(".@", repeat=columns * lines):
            rows = ["".join(terrains[y * columns : (y + 1) * columns]) for y in range(lines)]
            cells = [(x, y) for y in range(lines) for x in range(columns) if rows[y][x] == "."]
            for starts, goals in product(permutations(cells, 2), repeat=2):
                expected.add(form(rows, starts, goals))
    teams = load("all", width=3, height=2)
    found = {form(each.world.grid.rows, each.world.starts, each.world.targets) for each in teams}
    assert found == expected
    assert (len(teams), len(found)) == (1380, len(expected))
    maps = {form(each.world.grid.rows, (), ()) for each in teams}
    assert len(maps) == len({each.world.grid.rows for each in teams})  # one of each class of maps


def test_simpler_teams_lose_an_agent_first() -> None:
    source = random.Random(3)
    for _ in range(20):
        world = any_instance(source, 3).world
        simpler = list(world.smaller())
        assert [each.agents for each in simpler[:3]] == [2, 2, 2]
        assert {each.roadmap for each in simpler[:3]} == {world.roadmap}
        assert {each.objective for each in simpler} == {world.objective}
        assert all(each.dimensions != world.dimensions or each.grid != world.grid for each in simpler)


def note_of(path: Path, world: str = "gridmap/scenario") -> tuple[str, ...]:
    return sections.source_of({"name": world, "path": str(path)}).notes


def test_gridmap_notes_that_the_agents_of_a_scenario_are_searched_one_by_one(tmp_path: Path) -> None:
    (note,) = note_of(BENCHMARK)
    assert ONE_BY_ONE in note
    assert "empty-8-8-random-1.scen" in note
    assert note_of(MAPS / "small") == note_of(BENCHMARK, "mapf/scenario") == ()
    path = Path(scenario_of(tmp_path, (0, 0, 1, 1), (0, 0, 2, 1)))
    for name in ("b-random-1.scen", "b-even-25.scen"):
        path = path.rename(tmp_path / name)
        assert note_of(path) == ()  # two lines have one start
    shutil.copy(SCENARIO, tmp_path / "c.scen")  # not the name of a benchmark
    assert note_of(tmp_path / "c.scen") == ()
    done = run(tmp_path, "world=gridmap/scenario", f"world.path={SCENARIO}", "world.problems=[1]", "algorithm=ucs")
    assert done.returncode == 0
    assert ONE_BY_ONE in " ".join((done.stdout + done.stderr).split())
