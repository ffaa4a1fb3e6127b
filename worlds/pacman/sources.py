"""Sources of Pacman's problems: layouts of the package, files, and seeded random boards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from runner.base import UserError, checked_id, file_error, suggest
from worlds.gridmap.generators import Kind, random_rows
from worlds.interface import generator_of, sides_of, source
from worlds.pacman.rules import MAX_SIDE, Costs, Goals, PacmanMap, load
from worlds.pacman.world import PacmanWorld

LAYOUTS = Path(__file__).parent / "layouts"


@dataclass(frozen=True)
class PacmanRules:
    """Parameters of all sources.

    Attributes
    ----------
    problem : {"food", "corners", "position"}
        What Pacman must enter: all food, the four corners, or the only food of the board.
    cost : {"unit", "east", "west"}
        Cost of entering the square (x, y): 1, 0.5^x (stay in the East), or 2^x (stay in the West). The last two fit on
        boards of about 20 columns.
    """

    problem: Goals = field(default="food", kw_only=True)
    cost: Costs = field(default="unit", kw_only=True)


@source("pacman/static", sampled=True)
def layouts_of_package(rules: PacmanRules, layouts: tuple[str, ...] | None = None) -> Iterator[tuple[str, PacmanWorld]]:
    """Ten layouts that come with the package.

    Parameters
    ----------
    layouts : list of str, optional
        Their names. Unless given, all that have the problem: one food, or corners without walls.
    """
    files = {file.stem: file for file in sorted(LAYOUTS.glob("*.lay"))}
    for name in layouts or files:
        if name not in files:
            raise UserError(f"world.layouts: there is no layout '{name}'{suggest(name, files)}")
        board = load(files[name])
        targets = board.targets(rules.problem)
        if layouts or (len(targets) == 1 if rules.problem == "position" else board.squares.keys() >= {*targets}):
            yield name, PacmanWorld(board, rules.problem, rules.cost)


@source("pacman/layout", files=".lay", content="layouts")
def loaded_layout(file: Path, rules: PacmanRules) -> tuple[str, PacmanWorld]:
    """Layouts of your own in the format of the Pacman project: % wall, . food, P Pacman. Ghosts do not count."""
    board = load(file)
    try:
        return checked_id(file.stem, partial(file_error, file)), PacmanWorld(board, rules.problem, rules.cost)
    except UserError as error:
        raise file_error(file, str(error)) from None


def _check_size(parameters: Any) -> None:
    sides = sides_of(parameters.size)
    if sides is None or not all(4 <= side <= MAX_SIDE for side in sides):
        raise UserError(f"world.size: expected sides of 4 to {MAX_SIDE}, such as 20 or 20x11, got {parameters.size!r}")
    if parameters.kind == "maze" and any(side % 2 == 0 for side in sides):
        raise UserError(f"world.size: the sides of a maze are odd, such as 21x11, got {parameters.size!r}")


@source("pacman/random", validate=_check_size, small_space={"size": 6, "food": 3, "count": 1})
def random_boards(
    seed: int,
    rules: PacmanRules,
    size: int | str | list[int] = "20x11",
    kind: Kind = "obstacles",
    walls: Annotated[float, Meta(ge=0, lt=1)] = 0.25,
    food: Annotated[int, Meta(ge=1, le=MAX_SIDE**2)] = 5,
) -> tuple[str, PacmanWorld]:
    """Seeded random boards. Pacman can reach the four corners, and all squares without a wall.

    With the problem `corners` he does not begin in one of them.

    Parameters
    ----------
    size : int, "WxH" or [width, height]
        Sides with the walls around, 4 to 256; of a maze, odd numbers.
    kind : {"obstacles", "rooms", "maze", "open"}
        `obstacles`: each square is a wall with the probability `walls`. `rooms`: rooms of 7 x 7 squares with doors in
        random places, and such walls in them. `maze`: a perfect maze, without cycles. `open`: no walls inside.
    walls : float
        Share of walls of `obstacles` and `rooms`, before what Pacman cannot reach is opened (corners) or filled.
    food : int
        Number of foods, or fewer if there are fewer squares. For `position` there is one.
    """
    sides = width, height = sides_of(size) or (0, 0)
    rows = random_rows(kind, width - 2, height - 2, walls, seed)
    free = {(x, y) for y, row in enumerate(reversed(rows), 1) for x, mark in enumerate(row, 1) if mark == "."}
    draws = iter(generator_of(seed).random(2 * width * height)[width * height :].tolist())  # others than for the walls
    corners = {(x, y) for x in (1, width - 2) for y in (1, height - 2)} if rules.problem == "corners" else set()
    starts = sorted(free - corners) or sorted(free)
    to_x, to_y = pacman = starts[int(next(draws) * len(starts))]
    board = PacmanMap.of(sides, free, pacman, ())
    for x, y in board.targets("corners"):
        if (x, y) not in board.reachable:
            column = {(x, each) for each in range(min(y, to_y), max(y, to_y) + 1)}
            row = {(each, to_y) for each in range(min(x, to_x), max(x, to_x) + 1)}
            board = PacmanMap.of(sides, {*board.squares, *column, *row}, pacman, ())
    squares = sorted(board.reachable - {pacman})
    count = min(1 if rules.problem == "position" else food, len(squares))
    foods = [squares.pop(int(next(draws) * len(squares))) for _ in range(count)]
    board = PacmanMap.of(sides, board.reachable, pacman, foods)
    return f"{kind}-{width}x{height}-{seed}", PacmanWorld(board, rules.problem, rules.cost)
