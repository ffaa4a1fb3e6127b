"""The Tower of Hanoi: moves compared with the rules, files, and published lengths."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import runner
from runner.base.errors import UserError
from runner.base.own_places import ROOT
from tests.bad_input import error_of_file
from tests.loaded import kernels_of
from worlds.hanoi import Hanoi
from worlds.interface.instance import looks_of

INSTANCES = ROOT / "runner" / "features" / "atlas" / "siag2025_hanoi" / "towers.txt"


@pytest.mark.parametrize(("disks", "pegs"), [(1, 3), (4, 3), (5, 4), (21, 3), (21, 8)])
def test_packed_moves_are_those_of_the_rules(disks: int, pegs: int) -> None:
    source = random.Random(disks)
    problem = runner.load("hanoi/random", disks=disks, pegs=pegs, count=1)[0].problem()
    world = problem.world
    assert world.predecessors is not None
    names = [str(name) for name in kernels_of(world).action_names()]
    for _ in range(20):
        state = tuple(source.randrange(pegs) for _ in range(disks))
        packed = problem.pack(state)
        for backward, expected in ((False, world.successors(state)), (True, world.predecessors(state))):
            found = problem.successors(packed, backward=backward)
            assert [(names[code], problem.unpack(after), cost) for after, cost, code in found] == list(expected)
        for name, before, _ in world.predecessors(state):
            assert world.step_of(before, name) == (state, 1)
        assert problem.recognises(packed) == (state == (pegs - 1,) * disks)


@pytest.mark.parametrize(("disks", "pegs", "cost"), [(7, 3, 127), (6, 4, 17), (10, 4, 49), (8, 5, 23)])
def test_towers_take_the_published_numbers_of_moves(disks: int, pegs: int, cost: int) -> None:
    """2^n - 1 with three pegs; with more, the numbers of Frame and Stewart (OEIS A007664, A007665)."""
    (tower,) = runner.load("hanoi/tower", disks=disks, pegs=pegs)
    assert runner.solve(tower, "astar", ["pattern_database"]).cost == cost
    assert runner.solve(tower, "frontier").cost == cost


def test_files_have_the_disks_on_each_peg(tmp_path: Path) -> None:
    first = runner.load("hanoi/file", path=str(INSTANCES))[0]
    world = first.world
    assert isinstance(world, Hanoi)
    assert (first.id, world.start, world.pegs) == ("0", (0, 2, 2, 0, 3, 3, 1, 2, 3, 1, 1, 3), 4)
    assert world.goal == (3,) * 12
    assert looks_of(world).render() == "(0) 4 1 (1) 11 10 7 (2) 8 3 2 (3) 12 9 6 5"
    file = tmp_path / "some.txt"
    file.write_text("# two disks\n(0) 2 1 (1) (2)\n", encoding="utf-8")
    (found,) = runner.load("hanoi/file", path=str(file), goal=[1, 2])
    assert found.world == Hanoi((0, 0), (1, 2), 3)
    with pytest.raises(UserError, match=r"world.goal: expected the pegs, 0 to 2, of 2 disks, got \[1\]"):
        runner.load("hanoi/file", path=str(file), goal=[1])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 1 2", "line 1: expected pegs with their disks, such as (0) 4 1 (1) 3 (2) 2, got '0 1 2'"),
        ("(0) 1 (1)", "line 1: expected 3 to 8 pegs in the order (0) (1) (2) ..."),
        ("(0) 1 (2) (1)", "line 1: expected 3 to 8 pegs in the order"),
        ("(0) 1 (1) 3 (2)", "line 1: expected each of the disks 1 to n once, n being at most 21"),
        ("(0) 1 (1) 1 (2)", "line 1: expected each of the disks 1 to n once"),
        ("(0) (1) (2)", "line 1: expected each of the disks 1 to n once"),
        (": (0) 1 (1) (2)", "line 1: the id before the colon is missing"),
        ("# nothing", "holds no towers"),
    ],
)
def test_mistakes_in_files_are_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "bad.txt").write_text(text, encoding="utf-8")
    assert message in error_of_file("hanoi", str(tmp_path / "bad.txt"))
