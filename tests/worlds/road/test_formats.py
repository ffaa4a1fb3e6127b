"""Files of networks: every format, and every mistake in one line."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import runner
from runner.base.errors import UserError
from tests.roads import loaded
from worlds.interface.instance import Instance

DISTANCE = "c comment\np sp 3 3\na 1 2 5\na 2 3 7\n\na 1 2 6\n"
TIME = "p sp 3 3\na 1 2 50\na 2 3 70\na 1 2 60\n"
PLAIN = "3 3\n1 2 5 50\n2 3 7 70\n1 2 6 60\n"
RAITH = "sp min 3 3\n1 1\n3 -1\n1 2 5 50\n2 3 7 70\n1 2 6 60\n"
POINTS = "p aux sp co 3\nv 3 -3 30\nv 1 -1 10\nv 2 -2 20\n"
GRID = "4 3\na 0 0 1 0 5 50 1\na 1 0 1 2 7 70 1\na 1 2 0 2 6 60 1\n"
ENDS: dict[str, Any] = {"start": 1, "goal": 3}

Write = Callable[..., list[str]]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes files, and returns their paths."""

    def files(*texts: str | bytes) -> list[str]:
        paths = [tmp_path / f"{name}.gr" for name in "abc"[: len(texts)]]
        for path, text in zip(paths, texts, strict=True):
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return [str(path) for path in paths]

    return files


@pytest.mark.parametrize(
    "texts",
    [
        (DISTANCE, TIME),
        (gzip.compress(DISTANCE.encode()), TIME.replace("\n", "\r\n")),
        (f"\ufeff{PLAIN}",),
        (PLAIN,),
        (RAITH,),
        (PLAIN.replace(" ", "\t  ").rstrip("\n"),),
        ("p sp 3 3\na 1 2 5 50\na 2 3 7 70\na 1 2 6 60\n",),
    ],
)
def test_every_format_has_the_same_network(write: Write, texts: tuple[str | bytes, ...]) -> None:
    (road,) = loaded(write(*texts), **ENDS)
    network = road.network
    assert (network.first.tolist(), network.heads.tolist()) == ([0, 2, 3, 3], [1, 1, 2])
    assert network.costs.tolist() == [[5, 50], [6, 60], [7, 70]]
    assert (road.start, road.goal) == (0, 2)


def test_objectives_queries_and_coordinates_are_chosen(write: Write) -> None:
    arcs, queries, points = write(PLAIN, "c of a paper\n1 3\n2 2\n", POINTS)
    first, second = loaded(arcs, objectives=[2], queries=queries, coordinates=points, reference=[100])
    assert first.network.costs.tolist() == [[50], [60], [70]]
    assert (first.start, first.goal, second.start, second.goal) == (0, 2, 1, 1)
    assert first.shared is second.shared
    assert first.shared.points is not None
    assert first.shared.points.xy.tolist() == [[-1, 10], [-2, 20], [-3, 30]]
    assert first.shared.points.is_sphere
    assert first.reference() == (100,)
    (road,) = loaded(write(RAITH)[0], objectives=[2, 1])
    assert (road.reference(), road.start, road.goal) == ((120, 12), 0, 2)


def test_grids_have_edges_both_ways_and_cells_as_nodes(write: Write) -> None:
    grid, queries = write(GRID, "% costs, queries\n2\n1\n7 0 0 0 2\n")
    (road,) = loaded(grid, "road/grid", queries=queries, objectives=[1, 2])
    assert runner.solve(Instance(road, "grid"), "ucs").plan == ("1:0", "1:2", "0:2")
    assert road.cost_vector(("1:0", "1:2", "0:2")) == (18, 180)
    assert road.network.heads.size == 6
    assert loaded(grid, "road/grid", start=[0, 0], goal=[0, 2])[0].network.objectives == 3


def test_large_files_are_read_in_pieces(write: Write) -> None:
    nodes = 120_000
    lines = [f"{node} {node + 1} {node % 7}" for node in range(1, nodes)]
    (road,) = loaded(write("\n".join([f"{nodes} {nodes - 1}", *lines]))[0], **ENDS)
    assert road.network.costs[:, 0].tolist() == [node % 7 for node in range(1, nodes)]


@pytest.mark.parametrize(
    ("texts", "parameters", "message"),
    [
        (("",), {}, "a.gr: line 1: expected 'p sp N M' (DIMACS), 'sp min N M' or 'N M' (numbers of nodes and of arcs)"),
        (("a 1 2 3\n",), {}, "a.gr: line 1: expected 'p sp N M'"),
        (("p sp 3 x\n",), {}, "a.gr: line 1: expected 'p sp N M'"),
        (("p sp 0 1\na 1 1 1\n",), {}, "a.gr: line 1: expected 1 to 1,000,000 nodes, and two for each arc"),
        (("p sp 9999999999 1\n",), {}, "a.gr: line 1: expected 1 to 1,000,000 nodes, and two for each arc"),
        (("p sp 3 4\na 1 2 5\na 2 3 7\n",), {}, "a.gr: line 3: expected 4 lines 'a tail head cost 1', got 2"),
        (("p sp 3 1\na 1 2 5\na 2 3 7\n",), {}, "a.gr: line 3: expected the end of the file, got 'a 2 3 7'"),
        (("p sp 3 1\ne 1 2 5\n",), {}, "a.gr: line 2: expected whole numbers 'a tail head cost 1', got 'e 1 2 5'"),
        (("3 1\n1 2\n",), {}, "a.gr: line 2: expected 'tail head cost', with up to 64 costs, got '1 2'"),
        (("3 2\n1 2 5\n1 2 5 6\n",), {}, "a.gr: line 3: expected whole numbers 'tail head cost 1', got '1 2 5 6'"),
        (("3 2\n1 2 5 6\n1 2 5\n",), {}, "a.gr: line 3: expected whole numbers 'tail head cost 1 cost 2', got '1 2 5'"),
        (("3 1\n1 2 5.5\n",), {}, "a.gr: line 2: expected whole numbers 'tail head cost 1', got '1 2 5.5'"),
        (("3 1\n1 2 \x00\n",), {}, "a.gr: line 2: expected whole numbers 'tail head cost 1', got '1 2 "),
        (("3 1\n0 2 5\n",), {}, "a.gr: line 2: expected tail from 1 to 3, got '0 2 5'"),
        (("3 1\n1 4 5\n",), {}, "a.gr: line 2: expected head from 1 to 3, got '1 4 5'"),
        (("3 1\n1 2 -5\n",), {}, "a.gr: line 2: expected cost 1 from 0 to 1,073,741,823, got '1 2 -5'"),
        (("3 1\n1 2 1073741824\n",), {}, "a.gr: line 2: expected cost 1 from 0 to 1,073,741,823"),
        (("3 1\n1 2 " + "9" * 300,), {}, "a.gr: line 2: expected cost 1 from 0 to 1,073,741,823"),
        ((RAITH.replace("3 -1", "3 1"),), {}, "a.gr: line 3: expected 'source 1', then 'target -1'"),
        ((RAITH.replace("3 -1", "4 -1"),), {}, "a.gr: line 3: expected node from 1 to 3, got '4 -1'"),
        (
            (gzip.compress(DISTANCE.encode())[:-9],),
            {},
            "a.gr: line 1: expected a file that is not damaged: Compressed file ended",
        ),
        ((DISTANCE, TIME.replace("2 3", "3 2")), {}, "b.gr: line 3: expected the arc from 2 to 3, as line 4 of "),
        ((DISTANCE, "p sp 3 1\na 1 2 5\n"), {}, "b.gr: expected 3 nodes and 3 arcs, as "),
        ((PLAIN,), {"start": 1}, "world.start and world.goal: give both or none"),
        ((PLAIN,), {"start": 1, "goal": 4}, "world.goal: expected a node from 1 to 3, got 4"),
        ((PLAIN,), {"sample": 1}, "world.queries: expected a file with lines 'source target', or world.start"),
        ((PLAIN,), {**ENDS, "queries": "b"}, "world.queries: leave it out, or world.start and world.goal"),
        ((PLAIN,), {**ENDS, "objectives": [3]}, "world.objectives: expected 1 to 5 different numbers from 1 to 2, got"),
        ((PLAIN,), {**ENDS, "objectives": [1, 1]}, "world.objectives: expected 1 to 5 different numbers from 1 to 2"),
        (("3 1\n1 2 1 2 3 4 5 6\n",), ENDS, "world.objectives: expected 1 to 5 different numbers from 1 to 6, got"),
        ((PLAIN,), {**ENDS, "reference": [1]}, "world.reference: expected a number for each of 2, got [1]"),
        ((PLAIN, "1 3\n1 4\n"), {"queries": "b"}, "b.gr: line 2: expected target from 1 to 3, got '1 4'"),
        ((PLAIN, "c none\n"), {"queries": "b"}, "b.gr: line 1: expected lines 'source target', got none"),
        ((PLAIN, POINTS.replace("3\n", "2\n")), {"coordinates": "b"}, "b.gr: line 1: expected the coordinates of 3"),
        ((PLAIN, POINTS[:-1].rpartition("\n")[0]), {"coordinates": "b"}, "b.gr: line 3: expected 3 lines 'v node x y'"),
        (
            (PLAIN, POINTS.replace("v 3", "v 1")),
            {"coordinates": "b"},
            "b.gr: line 3: expected coordinates of each node once, got node 1 again",
        ),
        ((PLAIN, POINTS.replace("30", "90000001")), {"coordinates": "b"}, "b.gr: line 2: expected y from -90,000,000"),
        ((PLAIN,), {**ENDS, "coordinates": "b"}, "b.gr: No such file or directory"),
    ],
)
def test_mistakes_are_named_in_one_line(
    write: Write, texts: tuple[str | bytes, ...], parameters: dict[str, Any], message: str
) -> None:
    paths = write(*texts)
    other = str(Path(paths[0]).with_name("b.gr"))
    own = {key: other if value == "b" else value for key, value in parameters.items()}
    with pytest.raises(UserError) as caught:
        loaded(paths[0] if other in own.values() else paths, **own)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("grid", "queries", "message"),
    [
        (
            GRID.replace("4 3", "5 3"),
            "2 1 0 0 0 0",
            "a.gr: line 1: expected edges between 5 nodes, got 4 different ones",
        ),
        (GRID.replace("a 0", "0"), "", "a.gr: line 2: expected whole numbers 'a x1 y1 x2 y2 cost 1 cost 2', got"),
        (GRID, "2\n1\n0 0 0 3 3\n", "b.gr: line 3: expected a node [x, y] of a, got [3, 3]"),
        (GRID, "2\n2\n0 0 0 0 2\n", "b.gr: line 3: expected 2 lines 'number x1 y1 x2 y2'"),
    ],
)
def test_mistakes_in_grids_are_named(write: Write, grid: str, queries: str, message: str) -> None:
    paths = write(grid, queries)
    with pytest.raises(UserError) as caught:
        loaded(paths[0], "road/grid", queries=paths[1])
    assert message in str(caught.value)


def test_a_bomb_of_zeros_is_refused(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worlds.road.formats.MAX_TEXT", 1 << 22)
    bomb = gzip.compress(b"p sp 3 1\n" + b"c\n" * (1 << 22))
    with pytest.raises(UserError, match="expected at most 4 MiB, and lines of at most 1 MiB"):
        loaded(write(bomb)[0])
    with pytest.raises(UserError, match="expected at most 4 MiB, and lines of at most 1 MiB"):
        loaded(write(gzip.compress(b"9" * (1 << 22)))[0])


def test_blank_lines_and_comments_take_no_time_for_each_line(write: Write) -> None:
    (path,) = write(gzip.compress(b"\n" * (1 << 25) + b" \r\nc x\n\vp sp 3 1\n"))
    with pytest.raises(UserError, match=f"line {(1 << 25) + 3}: expected 'p sp N M'"):
        loaded(path)
