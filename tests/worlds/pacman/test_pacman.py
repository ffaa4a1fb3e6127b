"""Pacman: kernels compared with a naive problem, files, layouts of the package, random boards, plans and pictures."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.patches import Wedge

import runner
from runner.base.errors import UserError
from tests.loaded import load as load_all
from tests.naive.pacman import Naive, State
from worlds.interface.instance import Instance
from worlds.pacman.rules import PacmanMap, PacmanState
from worlds.pacman.sources import LAYOUTS
from worlds.pacman.world import PacmanWorld

BOARD = "%%%%%%%\n%P .  %\n% %%% %\n%.   .%\n%%%%%%%\n"
NORTH_WEST = "%%%%%\n%P .%\n%%%%%\n"
PROBLEMS: list[dict[str, Any]] = [
    {"food": 4},
    {"problem": "corners", "kind": "maze", "size": 7},
    {"problem": "corners", "walls": 0.7},
    {"problem": "position", "size": "9x5"},
    {"food": 3, "cost": "west"},
    {"food": 3, "cost": "east"},
    {"problem": "position", "cost": "east", "size": "12x6"},
]


def boards(count: int, **parameters: Any) -> list[Instance[PacmanWorld]]:
    return load_all(PacmanWorld, "pacman/random", **{"size": "7x6", "count": count, **parameters})


def naive_of(world: PacmanWorld) -> Naive:
    return Naive(world.board.rows, world.problem, world.cost)


def from_naive(state: State) -> PacmanState:
    return PacmanState(state[0], tuple(sorted(state[1])))


def load(tmp_path: Path, text: str, **parameters: Any) -> Instance[PacmanWorld]:
    (tmp_path / "board.lay").write_bytes(text.encode())
    return load_all(PacmanWorld, "pacman/layout", path=str(tmp_path / "board.lay"), **parameters)[0]


@pytest.mark.parametrize("parameters", PROBLEMS, ids=str)
def test_kernels_and_rules_agree_with_a_naive_problem(parameters: dict[str, Any]) -> None:
    """Steps, their order and costs, goals and packed states, in all states."""
    for instance in boards(4, **parameters):
        check(instance, naive_of(instance.world).space())


def check(instance: Instance[PacmanWorld], states: list[State]) -> None:
    world, naive, problem = instance.world, naive_of(instance.world), instance.problem()
    assert world.initial() == from_naive(naive.begin())
    for state in states:
        packed = problem.pack(from_naive(state))
        assert problem.unpack(packed) == from_naive(state)
        assert problem.recognises(packed) == world.is_goal(from_naive(state)) == (not state[1])
        expected = [(name, from_naive(after), cost) for name, after, cost in naive.successors(state)]
        found = problem.successors(packed)
        assert [(world.action_names()[code], problem.unpack(to), cost) for to, cost, code in found] == expected
        by_rules = [(name, after, cost * naive.scale) for name, after, cost in world.successors(from_naive(state))]
        assert by_rules == expected
    assert len({problem.pack(from_naive(state)).tobytes() for state in states}) == len(states)


@pytest.mark.parametrize(("food", "words"), [(47, 1), (48, 1), (49, 2), (112, 2), (113, 3), (190, 4)])
def test_any_number_of_food_fits(food: int, words: int) -> None:
    """The bits of the targets fill the words up to the last one."""
    (instance,) = boards(1, size="18x14", kind="open", food=food)
    assert instance.problem().initial.size == words
    source, naive, states = random.Random(food), naive_of(instance.world), []
    state = naive.begin()
    for _ in range(40):
        states.append(state)
        state = source.choice([after for _, after, _ in naive.successors(state)])
    left = naive.begin()[1]
    states += [((1, 1), frozenset(source.sample(sorted(left), number)) - {(1, 1)}) for number in (0, 1, food // 2)]
    check(instance, [*dict.fromkeys(states)])


@pytest.mark.parametrize("parameters", PROBLEMS, ids=str)
def test_searches_expand_what_the_rules_of_the_project_expand(parameters: dict[str, Any]) -> None:
    for instance in boards(8, **parameters):
        cost, expanded = naive_of(instance.world).uniform_cost()
        assert cost is not None
        found = runner.solve(instance, {"name": "ucs", "ties": "fifo"})
        assert (found.status, found.cost, found.expanded) == ("solved", cost / naive_of(instance.world).scale, expanded)
        assert found.valid
        if instance.world.unit_costs:
            assert runner.solve(instance, "bfs").expanded == expanded


# Files.


def test_layouts_are_loaded_as_people_write_them(tmp_path: Path) -> None:
    expected = load(tmp_path, BOARD).world
    assert expected.board.rows == ("%%%%%%%", "%P .  %", "% %%% %", "%.   .%", "%%%%%%%")
    ends = BOARD.replace("\n", "   \n")
    for same in (
        BOARD.rstrip(),
        BOARD.replace("\n", "\r\n"),
        ends,
        f"{BOARD}\n  \n",
        BOARD.replace("%P .  %", "%P .oG%"),
    ):
        assert load(tmp_path, same).world == expected
    document = expected.document("x")
    assert document is not None
    assert load(tmp_path, document.text).world == expected
    assert expected.board.pacman == (1, 3)
    assert expected.targets == ((1, 1), (3, 3), (5, 1))
    assert load(tmp_path, BOARD, problem="corners").world.targets == ((1, 1), (1, 3), (5, 1), (5, 3))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected 3 to 256 rows and columns, got 1 and 0"),
        ("%%%\n%P%", "line 2: expected 3 to 256 rows and columns, got 2 and 3"),
        ("%%%%\n%  %\n%%%%", "line 3: expected one Pacman (P), got 0 so far"),
        ("%%%%\n%PP%\n%%%%", "line 2: expected one Pacman (P), got 2 so far"),
        ("%%%%\n%P %\n%P %\n%%%%", "line 3: expected one Pacman (P), got 2 so far"),
        ("%%%%\n%P x%\n%%%%", "line 2: unknown 'x'; choose from % . P blank, o (capsule), G (ghost)"),
        ("%%%%\n%P\t%\n%%%%", r"line 2: unknown '\t'"),
        ("%%%%\n%P .\n%%%%", "line 2: expected a wall (%) at both ends of 4 columns, got 4: '%P .'"),
        ("%%%%\n P %\n%%%%", "line 2: expected a wall (%) at both ends of 4 columns, got 4: ' P %'"),
        ("%% %\n%P %\n%%%%", "line 1: expected a wall (%) in all of 4 columns, got 4: '%% %'"),
        ("%%%%\n%P %\n%%.%", "line 3: expected a wall (%) in all of 4 columns, got 4: '%%.%'"),
        ("%%%%\n%P  %\n%%%%", "line 2: expected a wall (%) at both ends of 4 columns, got 5: '%P %'"),
        ("%%%%\n\n%P %\n%%%%", "line 2: expected a wall (%) at both ends of 4 columns, got 0: ''"),
    ],
)  # fmt: skip
def test_mistakes_in_files_are_one_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        load(tmp_path, text)
    assert str(caught.value).startswith(f"{tmp_path / 'board.lay'}: {message}")
    assert "\n" not in str(caught.value)


def test_a_board_must_have_the_problem_and_the_costs(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"board\.lay: world\.problem: position needs one food, and the board has 3"):
        load(tmp_path, BOARD, problem="position")
    wide = f"%{'%' * 34}%\n%P{' ' * 32}.%\n%{'%' * 34}%"
    for cost in ("east", "west"):
        with pytest.raises(UserError, match=rf"world\.cost: paths by {cost} may cost more than 2\^30 units"):
            load(tmp_path, wide, cost=cost)
    assert runner.solve(load(tmp_path, wide), "bfs").cost == 33


def test_costs_are_those_of_the_squares_that_are_entered(tmp_path: Path) -> None:
    found = {cost: runner.solve(load(tmp_path, NORTH_WEST, cost=cost), "ucs").cost for cost in ("unit", "east", "west")}
    assert found == {"unit": 2, "east": 0.375, "west": 12}


@pytest.mark.parametrize(
    ("text", "problem", "square"),
    [("%%%%%\n%P%.%\n%%%%%", "food", (3, 1)), ("%%%%%\n%P %%\n%  .%\n%%%%%", "corners", (3, 2))],
)
def test_what_cannot_be_reached_is_unsolvable(tmp_path: Path, text: str, problem: str, square: tuple[int, int]) -> None:
    result = runner.solve(load(tmp_path, text, problem=problem), "bfs")
    assert (result.status, result.reason, result.expanded) == ("unsolvable", f"no path leads to {square}", 0)


def test_without_food_nothing_is_to_do(tmp_path: Path) -> None:
    result = runner.solve(load(tmp_path, "%%%\n%P%\n%%%"), "astar", ["food_tree"])
    assert (result.status, result.cost, result.plan) == ("solved", 0, ())
    assert runner.solve(load(tmp_path, "%%%\n%P%\n%%%", problem="corners"), "bfs").cost == 0


# Layouts of the package, and random boards.


def test_ten_layouts_come_with_the_package() -> None:
    found = load_all(PacmanWorld, "pacman/static")
    assert len(found) == 10
    sizes = {instance.id: instance.world.board.size for instance in found}
    assert (sizes["keyhole"], sizes["district"]) == ((7, 7), (40, 20))
    assert all(instance.world.proof_of_unsolvability() is None for instance in found)
    for file in LAYOUTS.glob("*.lay"):
        assert file.read_text() == "\n".join(
            [*load_all(PacmanWorld, "pacman/layout", path=str(file))[0].world.board.rows, ""]
        )
    mazes = load_all(PacmanWorld, "pacman/static", problem="position")
    assert [instance.id for instance in mazes] == ["district", "keyhole", "meadow", "snail"]
    corners = {instance.id for instance in load_all(PacmanWorld, "pacman/static", problem="corners")}
    assert corners == {*sizes} - {"tempting"}
    with pytest.raises(UserError, match="there is no layout 'snale'; did you mean 'snail'"):
        runner.load("pacman/static", layouts=["snale"])


def test_the_nearest_food_first_is_a_long_plan_on_tempting() -> None:
    (tempting,) = load_all(PacmanWorld, "pacman/static", layouts=["tempting"])
    assert naive_of(tempting.world).nearest_first() > 1.2 * float(
        runner.solve(tempting, "astar", ["food_tree"]).cost or 0
    )


@pytest.mark.parametrize("kind", ["obstacles", "rooms", "maze", "open"])
@pytest.mark.parametrize("walls", [0.0, 0.3, 0.9])
def test_random_boards_are_connected(kind: str, walls: float) -> None:
    for instance in boards(5, size="21x11", kind=kind, walls=walls, food=7):
        board = instance.world.board
        assert board.size == (21, 11)
        assert board.reachable == board.squares.keys() >= {(1, 1), (1, 9), (19, 1), (19, 9)}
        assert len(instance.world.targets) == 7
        if kind == "maze":  # a tree
            assert sum(len(board.moves(square)) for square in board.squares) == 2 * (len(board.squares) - 1)
        if kind == "open":
            assert len(board.squares) == 19 * 9


def test_random_boards_depend_on_the_seed_alone() -> None:
    first, second, third = boards(3)
    assert (boards(1, seed=1)[0].world, boards(1, seed=1)[0].id) == (second.world, second.id)
    assert len({first.world.board, second.world.board, third.world.board}) == 3
    assert boards(1)[0].world.board.rows == boards(1, problem="corners")[0].world.board.rows
    assert len(boards(1, size=4, kind="open", food=50)[0].world.targets) == 3
    for size in (3, 257, "9x", [4, 5, 6]):
        with pytest.raises(UserError, match=r"world\.size: expected sides of 4 to 256"):
            boards(1, size=size)
    with pytest.raises(UserError, match="the sides of a maze are odd, such as 21x11, got '20x11'"):
        boards(1, size="20x11", kind="maze")


# Plans, simpler boards and pictures.


def test_plans_are_words_of_the_project(tmp_path: Path) -> None:
    world = load(tmp_path, BOARD).world
    plan = world.read_plan("South South East East,East\nEast North North West West")
    assert len(plan) == 10
    assert world.replay(plan).reaches_goal
    refused = world.replay(("South", "East"))
    assert refused.failure == (
        "action 2, East: in the state Pacman on (1, 2), left: (1, 1) (3, 3) (5, 1) the rules allow only North, South"
    )
    assert world.step_of(world.initial(), "Stop") is None
    with pytest.raises(ValueError, match="'Est' is no action"):
        world.read_plan("Est")


def test_simpler_boards_have_the_same_problem() -> None:
    for problem in ("food", "corners", "position"):
        for instance in boards(3, problem=problem, food=2):
            worlds = [*instance.world.smaller()]
            assert len(worlds) > 3
            sizes = [(sum(world.board.size), len(world.targets), -len(world.board.squares)) for world in worlds]
            board = instance.world.board
            assert max(sizes) < (sum(board.size), 1 + len(instance.world.targets), 0)
            assert all(world.problem == problem and world.board.pacman in world.board.squares for world in worlds)


def test_texts_and_captions_tell_what_is_left(tmp_path: Path) -> None:
    world = load(tmp_path, NORTH_WEST).world
    assert [frame.caption for frame in world.frames(("East", "East"))] == [
        "start",
        "1/2: East (1 left)",
        "2/2: East, eats (0 left)",
    ]
    assert world.render(("East", "East")).splitlines()[3:] == ["plan (2 moves): East East", "%%%%%", "%  P%", "%%%%%"]
    assert world.text_of(world.initial()) == "Pacman on (1, 1), left: (3, 1)"
    assert world.text_of(PacmanState((3, 1), ())) == "Pacman on (3, 1), left: nothing"


def test_pictures_show_dots_rings_and_a_mouth(tmp_path: Path) -> None:
    world = load(tmp_path, BOARD).world
    states, _ = world.played(("South", "South", "East"))
    angles = []
    for number, dots in ((1, {"dot": 3}), (3, {"dot": 2}), (4, {"dot": 2, "dot eaten": 1})):
        axes = Figure().add_subplot()
        world.draw_path(states[:number], axes)
        found = {
            str(each.get_label()): len(np.asarray(each.get_offsets()))
            for each in axes.collections
            if isinstance(each, PathCollection)
        }
        assert found == dots
        (pacman,) = (patch for patch in axes.patches if isinstance(patch, Wedge))
        assert pacman.center == states[number - 1].square
        angles.append(pacman.theta1)
    assert angles == [38, 270 + 38, 38]
    assert PacmanMap(world.board.rows) == world.board
