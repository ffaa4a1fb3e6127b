"""Sources of cubes: random scrambles, and files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from runner.base import UserError, file_error, named_lines, suggest
from worlds.interface import generator_of, source
from worlds.rubik.cube_texts import state_of
from worlds.rubik.rules import SOLVED, TURNS, inverse, redundant_pairs, turned
from worlds.rubik.world import Cube


@dataclass(frozen=True)
class Turns:
    """Parameters of all sources.

    Attributes
    ----------
    turns : list of str, optional
        Turns that are allowed, in the order of the successors, such as [U2, F2, R2]; by default all 18. With each turn
        its inverse must be allowed.
    """

    turns: list[str] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        given = self.turns or []
        wrong = next((turn for turn in given if turn not in TURNS), None)
        if wrong is not None:
            raise UserError(
                f"world.turns: '{wrong[:40]}' is no turn; expected {' '.join(TURNS)}{suggest(wrong, TURNS)}"
            )
        missing = next((inverse(turn) for turn in given if inverse(turn) not in given), None)
        if missing is not None:
            raise UserError(f"world.turns: expected each turn with its inverse; {missing} is missing")
        if self.turns is not None and (not given or len({*given}) < len(given)):
            raise UserError("world.turns: expected at least one turn, and each once")

    @property
    def allowed(self) -> tuple[str, ...]:
        """The turns that are allowed."""
        return TURNS if self.turns is None else tuple(self.turns)


@source("rubik/random", id="{depth}-{seed}", small_space={"turns": ["U2", "F2", "R2"], "count": 1})
def random_cubes(seed: int, turns: Turns, depth: Annotated[int, Meta(ge=0, le=100_000)] = 10) -> Cube:
    """Seeded scrambles: random turns of the solved cube, without pairs of turns that one turn can replace.

    Parameters
    ----------
    depth : int
        Number of turns.
    """
    allowed, state, last = turns.allowed, SOLVED, -1
    redundant = redundant_pairs(allowed)
    for draw in generator_of(seed).random(depth).tolist():
        choices = [number for number in range(len(allowed)) if (last, number) not in redundant]
        if not choices:
            break
        last = choices[int(draw * len(choices))]
        state = turned(state, allowed[last])
    return Cube(state, allowed)


@source("rubik/file", files=".txt", content="Rubik's cubes")
def loaded_cubes(file: Path, turns: Turns) -> Iterator[tuple[str | None, Cube]]:
    """Cubes of your own: one per line, as turns of the solved cube such as ``L2 B D-``, optionally after `id:`.

    A face is turned clockwise (U, or U1), counterclockwise (U-, U' or U3) or by half (U2). Instead of turns, a line may
    give the 54 facelets in the order URFDLB (the faces row by row, as in Kociemba's programs), or the places of the 20
    cubies. Empty lines and lines that begin with # are skipped.
    """
    lines = list(named_lines(file))
    for name, text, fail in lines:
        try:
            state = state_of(text.split())
        except UserError as error:
            raise fail(str(error)) from None
        yield name, Cube(state, turns.allowed)
    if not lines:
        raise file_error(file, "holds no cubes; expected one per line, such as L2 B D-")
