"""Sources of cubes: random scrambles, and files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from runner.base.errors import UserError, suggest
from runner.base.files import checked_id, file_error, named_lines
from worlds.interface import Instance
from worlds.rubik.notation import state_of
from worlds.rubik.rules import SOLVED, TURNS, State, inverse, redundant_pairs, turned
from worlds.rubik.world import Cube
from worlds.sources import WORLDS, Count, Seed, SeededSource, Source, UserFiles, generator_of


@dataclass(frozen=True)
class CubeSource(Source):
    """Base of all sources of cubes.

    Attributes
    ----------
    turns : list of str, optional
        Turns that are allowed, in the order of the successors, such as [U2, F2, R2]; by default all 18. With each turn
        its inverse must be allowed.
    """

    domain: ClassVar[str] = Cube.domain

    turns: list[str] | None = None

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
    def _allowed(self) -> tuple[str, ...]:
        return TURNS if self.turns is None else tuple(self.turns)

    def _instance(self, state: State, name: str, seed: int | None = None) -> Instance:
        return Instance(Cube(state, self._allowed), name, seed, self.registered_name)


@WORLDS.register("rubik/random")
@dataclass(frozen=True)
class RandomCubes(CubeSource, SeededSource):
    """Seeded scrambles: random turns of the solved cube, without pairs of turns that one turn can replace.

    Attributes
    ----------
    count : int
        Number of cubes.
    depth : int
        Number of turns.
    seed : int
        Cube number i has seed `seed` + i, so ``seed=17 count=1`` makes the cube of that seed again.
    """

    small_space: ClassVar[Mapping[str, Any]] = {"turns": ["U2", "F2", "R2"], "count": 1}

    count: Count = 100
    depth: Annotated[int, Meta(ge=0, le=100_000)] = 10
    seed: Seed = 0

    def seeded(self, seed: int) -> Instance:
        """Make the cube of a seed."""
        turns, state, last = self._allowed, SOLVED, -1
        redundant = redundant_pairs(turns)
        for draw in generator_of(seed).random(self.depth).tolist():
            choices = [number for number in range(len(turns)) if (last, number) not in redundant]
            if not choices:
                break
            last = choices[int(draw * len(choices))]
            state = turned(state, turns[last])
        return self._instance(state, f"{self.depth}-{seed}", seed)


@WORLDS.register("rubik/file")
@dataclass(frozen=True)
class CubeFiles(UserFiles[Instance], CubeSource):
    """Cubes of your own: one per line, as turns of the solved cube such as ``L2 B D-``, optionally after `id:`.

    A face is turned clockwise (U, or U1), counterclockwise (U-, U' or U3) or by half (U2). Instead of turns, a line may
    give the 54 facelets in the order URFDLB (the faces row by row, as in Kociemba's programs), or the places of the 20
    cubies. Empty lines and lines that begin with # are skipped.
    """

    extensions = (".txt",)
    content = "Rubik's cubes"

    def load(self, path: Path) -> Iterator[Instance]:
        """Read the cubes of one file."""
        found = 0
        for found, (name, text, fail) in enumerate(named_lines(path), 1):
            try:
                state = state_of(text.split())
            except UserError as error:
                raise fail(str(error)) from None
            yield self._instance(state, checked_id(name or f"{path.stem}_{found}", fail))
        if not found:
            raise file_error(path, "holds no cubes; expected one per line, such as L2 B D-")
