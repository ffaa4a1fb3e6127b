"""Sources of problems on grid maps: scenarios, single maps, random maps, the suite; identity of problems."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import runner
from runner.base.errors import UserError
from runner.config.cell import sections
from tests.gridmaps import DATA, costs_from
from tests.loaded import load as load_all
from tests.runner_cli import rows, run
from worlds.gridmap.scenario_sources import SUITES
from worlds.gridmap.world import GridInstance, GridWorld

ARENA = str(DATA / "arena.map.scen")
MAP = {"path": str(DATA / "arena.map")}


def load(world: str, **parameters: Any) -> list[GridInstance]:
    return load_all(GridWorld, f"gridmap/{world}", **parameters)


@pytest.mark.parametrize(("name", "count"), [("arena", 160), ("den312d", 320)])
def test_all_published_lengths_agree(tmp_path: Path, name: str, count: int) -> None:
    scenario = f"world.path={DATA / f'{name}.map.scen'}"
    done = run(tmp_path, "+experiment=movingai", scenario, "hydra.run.dir=out", "workers=0")
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path / "out" / "metrics.csv")
    assert [row["instance"] for row in found] == [f"{name}#{number}" for number in range(1, count + 1)]
    assert {(row["status"], row["valid"], row["agrees"]) for row in found} == {("solved", "True", "True")}


def test_a_published_length_of_zero_agrees_with_unsolvable(tmp_path: Path) -> None:
    (tmp_path / "a.map").write_text("type octile\nheight 1\nwidth 4\nmap\n..@.\n")
    lines = [f"0\ta.map\t4\t1\t0\t0\t{x}\t0\t{length}" for x, length in ((0, 0), (1, 0), (1, 1.02), (3, 0), (3, 2))]
    (tmp_path / "a.scen").write_text("\n".join(["version 1", *lines, lines[0].replace("\t4\t1\t", "\t4\t1\t")]))
    results = [runner.solve(each) for each in load("scenario", path=str(tmp_path / "a.scen"))]
    assert [(result.status, result.agrees) for result in results[:5]] == [
        ("solved", True), ("solved", False), ("solved", False), ("unsolvable", True), ("unsolvable", False),
    ]  # fmt: skip
    limited = runner.solve(load("scenario", path=ARENA)[100], limits={"nodes": 1})
    assert (limited.status, limited.agrees) == ("node_limit", None)


def test_published_lengths_do_not_count_for_other_moves() -> None:
    for parameters in ({"directions": 4}, {"diagonal": 1.5}, {"weights": {"T": 2.0}}):
        result = runner.solve(load("scenario", path=ARENA, problems=[1], **parameters)[0])
        assert result.row().get("agrees") is result.row().get("published_length") is None


def test_buckets_and_problems_are_chosen() -> None:
    everything = load("scenario", path=ARENA)
    assert [each.id for each in load("scenario", path=ARENA, problems=[3, "159-160"])] == [
        "arena#3", "arena#159", "arena#160",
    ]  # fmt: skip
    chosen = load("scenario", path=ARENA, buckets=[2, "9-100"])
    assert [each.id for each in chosen] == [
        each.id for each in everything if each.world.bucket == 2 or (each.world.bucket or 0) > 8
    ]
    both = load("scenario", path=ARENA, buckets=[0], problems=["5-20"])
    assert [each.id for each in both] == [f"arena#{number}" for number in range(5, 11)]


def test_maps_are_found_beside_the_scenario_or_in_a_folder(tmp_path: Path) -> None:
    scenarios, maps = tmp_path / "scenarios", tmp_path / "maps"
    for folder in (scenarios, maps / "dao"):
        folder.mkdir(parents=True)
    for name in ("arena", "den312d"):
        shutil.copy(DATA / f"{name}.map.scen", scenarios)
    shutil.copy(DATA / "arena.map", maps)  # by its name
    shutil.copy(DATA / "den312d.map", maps / "dao")  # by the end of its path
    found = load("scenario", path=str(scenarios), maps=str(maps))
    assert Counter(each.id.partition("#")[0] for each in found) == {"arena": 160, "den312d": 320}
    with pytest.raises(UserError, match=r"arena.map.scen: line 2: there is no map '.*/arena.map'; set world.maps to"):
        load("scenario", path=str(scenarios))
    source = sections.source_of({"name": "gridmap/scenario", "path": str(scenarios), "maps": str(maps)})
    assert [each.id for each in source.samples()] == ["arena#1", "den312d#1"]
    assert [each.id for each in source.series.part(range(159, 161))] == ["arena#160", "den312d#1"]


def test_a_scenario_reads_no_map_outside_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "maps").mkdir()
    shutil.copy(DATA / "arena.map", tmp_path)
    for name in (str(tmp_path / "arena.map"), "../arena.map", "x/../../arena.map"):
        text = f"version 1\n0\t{name}\t49\t49\t1\t11\t1\t12\t1\n"
        (tmp_path / "maps" / "a.scen").write_text(text)
        with pytest.raises(UserError, match="there is no map"):
            load("scenario", path=str(tmp_path / "maps" / "a.scen"), maps=str(tmp_path / "maps"))


def test_the_run_id_depends_on_the_content_and_not_on_the_path(tmp_path: Path) -> None:
    for file in ("arena.map", "arena.map.scen"):
        shutil.copy(DATA / file, tmp_path)
    moved, windows = tmp_path / "arena.map.scen", tmp_path / "arena.map"

    def run_id(**parameters: Any) -> str:
        return runner.solve(load("scenario", **{"path": ARENA, "problems": [7], **parameters})[0]).run_id

    first = run_id()
    assert run_id(path=str(moved)) == first
    windows.write_bytes(windows.read_bytes().replace(b"\n", b"\r\n"))
    assert run_id(path=str(moved)) == first
    assert run_id(weights={"S": 2}) == run_id(weights={"S": 2.0})
    assert run_id(diagonal=1.4142136) == first
    windows.write_bytes(windows.read_bytes().replace(b"T", b"@"))
    different = [
        run_id(path=str(moved)), run_id(directions=4), run_id(weights={"S": 2}), run_id(weights={"S": 3}),
        run_id(problems=[8]), run_id(diagonal=1.5),
    ]  # fmt: skip
    assert len({first, *different}) == 7


def test_one_map_with_a_start_and_a_goal(tmp_path: Path) -> None:
    path = str(DATA / "arena.map")
    (instance,) = load("map", path=path, start=[1, 11], goal=[1, 12])
    assert (instance.id, instance.world.start, instance.world.goal, instance.seed) == ("arena", (1, 11), (1, 12), None)
    many = load("map", path=path, count=30, seed=5)
    assert [each.id for each in many] == [f"arena#{seed}" for seed in range(5, 35)]
    assert load("map", path=path, count=1, seed=12)[0].key() == many[7].key()
    assert len({each.world.start for each in many}) > 25
    assert all(each.world.goal in costs_from(each.world.grid, each.world.start) for each in many[:3])


@pytest.mark.parametrize("kind", ["obstacles", "rooms", "maze", "open"])
def test_random_problems_depend_only_on_their_own_seed(kind: str) -> None:
    parameters: dict[str, Any] = {"kind": kind, "size": "20x13", "per_map": 3}
    problems = load("random", count=9, seed=4, **parameters)
    assert [each.id for each in problems[:4]] == [f"{kind}-20x13-4#{n}" for n in (1, 2, 3)] + [f"{kind}-20x13-7#1"]
    assert [each.seed for each in problems] == list(range(4, 13))
    assert problems[0].world.shared is problems[2].world.shared is not problems[3].world.shared
    assert {(each.world.grid.width, each.world.grid.height) for each in problems} == {(20, 13)}
    assert all(each.world.goal in costs_from(each.world.grid, each.world.start) for each in problems)
    (again,) = load("random", count=1, seed=7, **parameters)
    assert again.key() == problems[3].key()


def test_kinds_of_random_maps() -> None:
    def rows_of(kind: str, **parameters: Any) -> tuple[str, ...]:
        return load("random", kind=kind, size=31, count=1, seed=3, **parameters)[0].world.grid.rows

    assert set("".join(rows_of("open"))) == {"."}
    share = "".join(rows_of("obstacles", density=0.3)).count("@") / 31**2
    assert 0.25 < share < 0.35
    rooms = rows_of("rooms", density=0)
    assert [[row[wall] for row in rooms[:7]].count(".") for wall in (7, 15, 23)] == [1, 1, 1]  # one door in each wall
    assert rooms[7].count(".") == 4
    maze = rows_of("maze")
    assert all(maze[y][x] == "." for y in range(0, 31, 2) for x in range(0, 31, 2))
    assert "".join(maze).count(".") == 2 * 16**2 - 1  # a tree: each cell but the first has one passage
    assert rows_of("obstacles", density=0.999)


GOLDEN: dict[str, Any] = {
    "obstacles": (("...@.@", ".@....", "...@.."), (5, 2), (4, 1)),
    "rooms": (("..@..@@..", ".@.....@.", "@......@."), (2, 1), (3, 1)),
    "maze": ((".....@.", "@@@@.@.", ".....@.", ".@@@@@.", ".....@.", "@@@@.@.", "......."), (2, 0), (6, 1)),
}


def test_generated_maps_never_change() -> None:
    """The same seed must give the same map in all versions and on all machines."""
    first = load("random", kind="obstacles", size="6x3", count=1, seed=4, density=0.4)[0]
    assert (first.world.grid.rows, first.world.start, first.world.goal) == GOLDEN["obstacles"]
    first = load("random", kind="rooms", size="9x3", count=1, seed=2)[0]
    assert (first.world.grid.rows, first.world.start, first.world.goal) == GOLDEN["rooms"]
    first = load("random", kind="maze", size=7, count=1, seed=3)[0]
    assert (first.world.grid.rows, first.world.start, first.world.goal) == GOLDEN["maze"]


@pytest.mark.parametrize(
    ("world", "parameters", "message"),
    [
        ("random", {"size": 1}, "world.size: expected sides of 2 to 1024, such as 64, 80x60"),
        ("random", {"size": "64x2000"}, "world.size: expected sides of 2 to 1024"),
        ("random", {"diagonal": 1.00009}, "world.diagonal: to a millionth, 1.00009 cannot be represented"),
        ("random", {"weights": {"@": 2}}, r"world.weights: expected terrains .* not @ or O, .* got '@'"),
        ("random", {"weights": {"": 2}}, "world.weights: expected terrains"),
        ("random", {"weights": {"é": 2}}, "world.weights: expected terrains"),
        ("random", {"weights": {"S": 0}}, "world.weights.S: expected float > 0"),
        ("random", {"weights": {"S": float("nan")}}, "world.weights.S"),
        ("random", {"weights": {"S": 1e-5}}, "world.weights: to a millionth, 1e-05 cannot be represented as fractions"),
        ("random", {"weights": {"S": 1 / 7, "G": 0.001}}, "0.14285714285714285 and 0.001 cannot be represented"),
        ("static", {"suite": "smal"}, "world.suite: there is no suite 'smal'; did you mean 'small'"),
        ("static", {"buckets": [3, "2-1"]}, "world.buckets: expected numbers of 0 to 1000000 or ranges"),
        ("static", {"problems": [0]}, "world.problems: expected numbers of 1 to 1000000"),
        ("static", {"problems": ["1-999999999"]}, "world.problems: expected numbers of 1 to 1000000"),
        ("static", {"problems": []}, "world.problems: the list is empty"),
        ("static", {"problems": [77]}, "no problem of the scenarios is chosen; change world.buckets or world.problems"),
        ("map", {"path": str(DATA)}, "world.path: expected one map, got .*arena.map, .*den312d.map"),
        ("map", {**MAP, "start": [1, 11]}, "world.start and world.goal: give both or none"),
        ("map", {**MAP, "start": [1], "goal": [1, 12]}, r"world.start: expected \[x, y\], got \[1\]"),
        (
            "map",
            {**MAP, "start": [0, 0], "goal": [1, 12]},
            r"world.start: \(0, 0\) is an obstacle \(T\) of .*arena.map",
        ),
        ("map", {**MAP, "start": [1, 11], "goal": [49, 0]}, r"world.goal: \(49, 0\) is outside of .*arena.map"),
        ("all", {"terrains": ".#"}, "world.terrains: expected different characters of"),
        ("all", {"terrains": ".."}, "world.terrains: expected different characters of"),
        ("all", {"terrains": "@T"}, "world.terrains: expected .* at least one of them passable"),
        ("all", {"width": 16, "height": 16}, "world.width: expected maps with 1 to 10,000,000 problems, but 16 x 16"),
        ("all", {"width": 1, "height": 1}, "world.width: expected maps with 1 to"),
    ],
)
def test_bad_parameters_are_refused(world: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        runner.load(f"gridmap/{world}", **parameters)


def test_files_without_problems_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.scen").write_text("version 1\n")
    with pytest.raises(UserError, match=r"a.scen: a scenario without problems$"):
        load("scenario", path=str(tmp_path))
    for name in ("b.map.scen", "b.scen"):
        shutil.copy(SUITES / "small" / "1_open.map.scen", tmp_path / name)
    shutil.copy(SUITES / "small" / "1_open.map", tmp_path)
    with pytest.raises(UserError, match=r"b.scen: has the same name as .*b.map.scen; rename one of them"):
        load("scenario", path=str(tmp_path))
    (tmp_path / "wall.map").write_text("type octile\nheight 1\nwidth 2\nmap\n@T\n")
    with pytest.raises(UserError, match=r"wall.map: no cell is passable"):
        load("map", path=str(tmp_path / "wall.map"))
    assert load("map", path=str(tmp_path / "wall.map"), weights={"T": 2}, count=1)[0].world.start == (1, 0)


def test_maps_may_have_other_terrains_that_have_a_weight(tmp_path: Path) -> None:
    (tmp_path / "letters.map").write_text("type octile\nheight 3\nwidth 5\nmap\nAAAAA\nABBBA\nACCCA\n")
    (tmp_path / "letters.scen").write_text("version 1\n0\tletters.map\t5\t3\t0\t2\t4\t2\t0\n")
    path = str(tmp_path / "letters.scen")
    (problem,) = load("scenario", path=path, weights={"A": 1, "B": 3, "C": 0.5})
    result = runner.solve(problem, algorithm="astar", heuristic="octile")
    assert (result.cost, result.valid) == (0.5 + 0.5 + 0.5 + 1, True)
    with pytest.raises(UserError, match=r"line 7: unknown terrain 'C'; choose from .* A B, or give it a factor in"):
        load("scenario", path=path, weights={"A": 1, "B": 3})


def test_the_suite_has_maps_of_all_kinds_whose_lengths_agree() -> None:
    problems = load("static")
    assert len(problems) == 133
    maps = {each.id.partition("#")[0]: each.world.grid for each in problems}
    assert len(maps) == len(list((SUITES / "small").glob("*.map"))) == 8
    assert set("".join("".join(grid.rows) for grid in maps.values())) == set(".GSW@T")
    statuses: Counter[str] = Counter()
    for each in problems:
        result = runner.solve(each, "ucs")
        assert (result.error, result.agrees) == (None, True), each.id
        assert each.world.bucket == (each.world.published_length or 0) // 4
        statuses[result.status] += 1
    assert statuses == {"solved": 130, "unsolvable": 3}
