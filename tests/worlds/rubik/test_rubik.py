"""Rubik's cube: turns compared with rotated stickers, packed turns with the rules, redundant pairs, and files."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import runner
from runner.base.errors import UserError
from tests.loaded import family_of
from tests.naive import rubik as naive
from worlds.interface.instance import Instance
from worlds.rubik.cube_texts import state_of, turn_of
from worlds.rubik.rules import (  # fmt: skip
    CORNERS,
    CUBIES,
    FACES,
    SLOTS,
    SOLVED,
    TURNS,
    State,
    inverse,
    is_reachable,
    redundant_pairs,
    turned,
)
from worlds.rubik.world import Cube

SOLVED_FACELETS = "".join(9 * face for face in "URFDLB")
CUBES = Path(__file__).parents[2] / "data" / "rubik" / "cubes.txt"


def recoloured(changes: dict[int, str]) -> str:
    """Return the facelets of the solved cube with other colours at some of them."""
    return "".join(changes.get(number, colour) for number, colour in enumerate(SOLVED_FACELETS))


def position(face: str, column: int, right: str, row: int, down: str) -> naive.Vector:
    parts = zip(*(naive.NORMALS[each] for each in (face, right, down)), strict=True)
    x, y, z = (out + column * across + row * along for out, across, along in parts)
    return x, y, z


def naive_facelets(cube: dict[naive.Sticker, str]) -> str:
    """Return the facelets of Kociemba's programs: of each face from the outside, row by row."""
    views = (("U", "R", "F"), ("R", "B", "D"), ("F", "R", "D"), ("D", "R", "B"), ("L", "F", "D"), ("B", "L", "D"))
    return "".join(
        cube[position(face, column, right, row, down), naive.NORMALS[face]]
        for face, right, down in views
        for row in (-1, 0, 1)
        for column in (-1, 0, 1)
    )


def colours(state: State) -> dict[frozenset[str], dict[str, str]]:
    """Return the colours of each place by side."""
    return {
        frozenset(SLOTS[slot]): dict(zip(SLOTS[slot], cubie, strict=True))
        for cubie, slot in zip(CUBIES, state, strict=True)
    }


def naive_colours(cube: dict[naive.Sticker, str]) -> dict[frozenset[str], dict[str, str]]:
    side_of = {normal: face for face, normal in naive.NORMALS.items()}
    found: dict[frozenset[str], dict[str, str]] = {}
    for (at, normal), colour in cube.items():
        place = frozenset(face for face, axis in naive.NORMALS.items() if naive.dot(at, axis) == 1)
        if len(place) > 1:
            found.setdefault(place, {})[side_of[normal]] = colour
    return found


def test_turns_are_those_of_stickers_in_space() -> None:
    source, state, cube = random.Random(1), SOLVED, naive.solved()
    for turn in [*TURNS, *source.choices(TURNS, k=40)]:
        state, cube = turned(state, turn), naive.turned(cube, turn)
        assert colours(state) == naive_colours(cube)
        assert turned(turned(state, turn), inverse(turn)) == state
        assert is_reachable(state)


def test_packed_turns_are_those_of_the_rules() -> None:
    source = random.Random(2)
    for turns in (TURNS, ("U", "U-", "F2")):
        world = Cube(SOLVED, turns)
        problem = Instance(world, "any").problem()
        assert problem.recognises(problem.initial)
        for depth in range(20):
            state = SOLVED
            for turn in source.choices(TURNS, k=depth):
                state = turned(state, turn)
            packed = problem.pack(state)
            assert problem.unpack(packed) == state
            for backward in (False, True):
                steps = world.predecessors(state) if backward else world.successors(state)
                expected = [(after, 1, code) for code, (_, after, _) in enumerate(steps)]
                found = problem.successors(packed, backward=backward)
                assert [(problem.unpack(state), cost, code) for state, cost, code in found] == expected
            assert problem.recognises(packed) == (state == SOLVED)


@pytest.mark.parametrize("turns", [TURNS, ("U", "U-", "R", "R-"), ("U2", "D2", "F2", "B2"), ("U", "U-", "D2", "R2")])
def test_paths_without_redundant_pairs_reach_all_states_of_a_level(turns: tuple[str, ...]) -> None:
    redundant = redundant_pairs(turns)
    paths, reached = [(SOLVED, -1)], {SOLVED}
    level, seen = {SOLVED}, {SOLVED}
    for _ in range(3):
        paths = [
            (turned(state, turn), code)
            for state, last in paths
            for code, turn in enumerate(turns)
            if (last, code) not in redundant
        ]
        reached |= {state for state, _ in paths}
        level = {turned(state, turn) for state in level for turn in turns} - seen
        seen |= level
        assert level <= reached
        assert len(paths) >= len(level)
    if turns == TURNS:
        assert (len(paths), len(level)) == (3240, 3240)  # Korf 1997
        assert len(redundant) == 6 * 9 + 3 * 9


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "U X",
            "expected turns such as U, U' and U2 with blanks between them, 54 facelets, or the places of the 20 "
            "cubies; 'X' is none of them",
        ),
        ("R M", "'M' is not supported: turns of outer faces only"),
        ("r u f", "'r' is not supported: turns of outer faces only"),
        ("R Rw'", r"'Rw'' is not supported: turns of outer faces only"),
        ("x R U y'", "'x' is not supported: turns of outer faces only"),
        ("(R U R' U')2", r"'\(R' is not supported: turns of outer faces only"),
        ("RUR'U'", "with blanks between them, 54 facelets, or the places of the 20 cubies; 'RUR'U'' is none of them"),
        ("R4", "'R4' is none of them"),
        ("2R U", "'2R' is not supported: turns of outer faces only"),
        ("RURU", "expected 54 facelets, or turns with blanks between them; got 4 letters"),
        (recoloured({13: "L"}), "the centre of R is L"),
        (recoloured({8: "F"}), "no cubie has the colours F R F, which are at URF"),
        (recoloured({19: "R"}), "no place has the cubie UF, and another cubie is at two places"),
        (recoloured({5: "R", 10: "U"}), "its parity, twists or flips are wrong"),
        ("UR", "expected the places of 8 corners and then of 12 edges, each once"),
        (" ".join([*CUBIES[:19], "FR"]), "expected the places of 8 corners and then of 12 edges, each once"),
        (" ".join(["FUR", *CUBIES[1:]]), "its parity, twists or flips are wrong"),
        (" ".join([*CUBIES[:8], "RU", *CUBIES[9:]]), "its parity, twists or flips are wrong"),
        (" ".join([*CORNERS, "UF", "UR", *CUBIES[10:]]), "its parity, twists or flips are wrong"),
    ],
)
def test_wrong_cubes_are_refused(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        state_of(text.split())


def test_facelets_are_those_of_stickers_in_space() -> None:
    source, state, cube = random.Random(3), SOLVED, naive.solved()
    assert state_of([naive_facelets(cube)]) == SOLVED
    for turn in [*TURNS, *source.choices(TURNS, k=20)]:
        state, cube = turned(state, turn), naive.turned(cube, turn)
        assert state_of([naive_facelets(cube)]) == state


def test_published_facelets_are_solved_by_their_published_solution() -> None:
    """From the README of the package kociemba."""
    state = state_of(["DRLUUBFBRBLURRLRUBLRDDFDLFUFUFFDBRDUBRUFLLFDDBFLUBLRBD"])
    solution = "D2 R' D' F2 B D R2 D2 R' F2 D' F2 U' B2 L2 U2 D R2 U"
    for word in solution.split():
        turn = turn_of(word)
        assert turn is not None
        state = turned(state, turn)
    assert state == SOLVED


def test_turns_are_read_as_other_programs_write_them() -> None:
    ours = state_of(["R", "U2", "R-", "U-"])
    for text in ("R U2 R' U'", "R1 U2 R3 U3", "R U2 R’ U’", "R U2' R- U'"):
        assert state_of(text.split()) == ours


def test_files_have_turns_or_places(tmp_path: Path) -> None:
    first, second = runner.load("rubik/file", path=str(CUBES))
    assert first.world.initial() == turned(turned(turned(SOLVED, "U"), "R2"), "F-")
    assert (second.id, second.world.initial()) == ("second", turned(turned(SOLVED, "L2"), "D"))
    file = tmp_path / "one.txt"
    file.write_text("superflip: U R2 F B R B2 R U2 L B2 R U- D- R2 F R- L B2 U2 F2", encoding="utf-8")
    (superflip,) = runner.load("rubik/file", path=str(file))
    flipped = [slot if number < len(CORNERS) else slot + 1 for number, slot in enumerate(SOLVED)]
    assert (superflip.id, superflip.world.initial()) == ("superflip", tuple(flipped))
    document = family_of(superflip.world).document(superflip.id)
    assert document is not None
    file.write_text(document.text, encoding="utf-8")
    (again,) = runner.load(document.source, path=str(file), **document.parameters)
    assert again.world == superflip.world
    file.write_text("# nothing\n", encoding="utf-8")
    with pytest.raises(UserError, match="holds no cubes"):
        runner.load("rubik/file", path=str(file))


def test_the_net_shows_every_sticker_once() -> None:
    (cube,) = runner.load("rubik/random", depth=30, count=1)
    text = cube.world.show(cube.world.initial())
    assert sorted("".join(text.split())) == sorted(9 * "".join(FACES))
    assert cube.world.show(SOLVED).splitlines()[3] == "LLLFFFRRRBBB"
    assert cube.world.show(turned(SOLVED, "F")).splitlines()[2:5] == ["   LLL", "LLDFFFURRBBB", "LLDFFFURRBBB"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"turns": ["U3"]}, "world.turns: 'U3' is no turn"),
        ({"turns": ["U", "U2"]}, "expected each turn with its inverse; U- is missing"),
        ({"turns": []}, "expected at least one turn"),
        ({"turns": ["U2", "U2"]}, "expected at least one turn, and each once"),
    ],
)
def test_wrong_turns_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        runner.load("rubik/random", **parameters)


def test_a_search_solves_scrambles_in_at_most_their_turns() -> None:
    heuristic = {"name": "pattern_database", "partition": [["URF", "UFL", "ULB"], ["UR", "UF", "UL"]]}
    for instance in runner.load("rubik/random", depth=5, count=5):
        for algorithm in ("astar", {"name": "idastar", "cycle_check": "parent"}, "bidirectional"):
            result = runner.solve(instance, algorithm, [heuristic])
            assert result.valid
            assert result.cost is not None
            assert result.cost <= 5
    for instance in runner.load("rubik/random", depth=8, count=2, turns=["U2"]):
        result = runner.solve(instance, {"name": "idastar", "cycle_check": "parent"}, [heuristic])
        assert (result.valid, result.cost) == (True, 1)
