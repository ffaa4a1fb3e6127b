"""Sources of rings of TopSpin: random rings, and files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta

from runner.base.errors import UserError
from worlds.interface import Instance
from worlds.permutations import MAX_SIZE, Permutation, are_even, named_permutations
from worlds.sources import WORLDS, Count, Seed, SeededSource, Source, UserFiles, generator_of
from worlds.topspin.world import TopSpin

Turnstile = Annotated[int, Meta(ge=2, le=MAX_SIZE)]


@dataclass(frozen=True)
class TopSpinSource(Source):
    """Base of all sources of rings."""

    domain: ClassVar[str] = TopSpin.domain

    def _instance(self, ring: Permutation, turnstile: int, name: str, seed: int | None = None) -> Instance:
        if turnstile > len(ring):
            raise UserError(f"world.turnstile: expected at most the number of tokens, {len(ring)}, got {turnstile}")
        return Instance(TopSpin(ring, turnstile), name, seed, self.registered_name)


@WORLDS.register("topspin/random")
@dataclass(frozen=True)
class RandomRings(TopSpinSource, SeededSource):
    """Seeded random rings.

    Attributes
    ----------
    count : int
        Number of rings.
    tokens : int
        Number of tokens.
    turnstile : int
        Number of neighbouring tokens that a move reverses.
    seed : int
        Ring number i has seed `seed` + i, so ``seed=17 count=1`` makes the ring of that seed again.
    shuffle : {"uniform", "walk"}
        `uniform`: all rings are equally likely or, if turns keep the parity, all even ones; it needs a turnstile for
        which they can be reached. `walk`: random turns from the goal.
    steps : int
        Number of turns of a walk.
    """

    small_space: ClassVar[Mapping[str, Any]] = {"tokens": 8, "count": 1}

    count: Count = 100
    tokens: Annotated[int, Meta(ge=3, le=MAX_SIZE)] = 12
    turnstile: Turnstile = 4
    seed: Seed = 0
    shuffle: Literal["uniform", "walk"] = "uniform"
    steps: Annotated[int, Meta(ge=0, le=100_000)] = 100

    def __post_init__(self) -> None:
        n, k = self.tokens, self.turnstile
        if self.shuffle == "uniform" and (k > n - 2 or (k % 2 == 1 and n % 2 == 0)):
            raise UserError(
                f"world.shuffle: uniform: turns of {k} tokens do not reach all rings of {n}; choose walk, or a "
                "turnstile of at most tokens - 2 that is not odd if the number of tokens is even"
            )

    def seeded(self, seed: int) -> Instance:
        """Make the ring of a seed."""
        n, generator = self.tokens, generator_of(seed)
        moves = TopSpin(tuple(range(n)), self.turnstile).moves
        if self.shuffle == "uniform":
            ring = tuple(generator.random(n).argsort(kind="stable").tolist())
            if are_even(moves) and not are_even([ring]):
                ring = (ring[1], ring[0], *ring[2:])
        else:
            ring = tuple(range(n))
            for draw in generator.random(self.steps).tolist():
                ring = tuple(ring[place] for place in moves[int(draw * n)])
        return self._instance(ring, self.turnstile, f"{self.shuffle}-{n}-{self.turnstile}-{seed}", seed)


@WORLDS.register("topspin/file")
@dataclass(frozen=True)
class RingFiles(UserFiles[Instance], TopSpinSource):
    """Rings of your own: one per line, as numbers from 0 or from 1, optionally after `id:`.

    Empty lines and lines that begin with # are skipped.

    Attributes
    ----------
    turnstile : int
        Number of neighbouring tokens that a move reverses.
    """

    extensions = (".txt",)
    content = "rings of TopSpin"

    turnstile: Turnstile = 4

    def load(self, path: Path) -> Iterator[Instance]:
        """Read the rings of one file."""
        for name, ring in named_permutations(path, "token", "ring"):
            yield self._instance(ring, self.turnstile, name)
