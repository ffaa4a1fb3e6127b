"""Sources of towers of Hanoi: the tower, random states, and files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from runner.base.errors import UserError
from runner.base.files import Fail, checked_id, file_error, named_lines
from worlds.hanoi.search import MAX_DISKS, MAX_PEGS
from worlds.hanoi.world import Hanoi, Pegs
from worlds.interface import Instance
from worlds.sources import WORLDS, Count, Seed, SeededSource, Source, UserFiles, generator_of

Disks = Annotated[int, Meta(ge=1, le=MAX_DISKS)]
PegCount = Annotated[int, Meta(ge=3, le=MAX_PEGS)]


@dataclass(frozen=True)
class HanoiSource(Source):
    """Base of all sources of towers."""

    domain: ClassVar[str] = Hanoi.domain

    def _instance(self, world: Hanoi, name: str, seed: int | None = None) -> Instance:
        return Instance(world, name, seed, self.registered_name)


@WORLDS.register("hanoi/tower")
@dataclass(frozen=True)
class Tower(HanoiSource):
    """The tower: all disks are on the first peg, and go to the last.

    Attributes
    ----------
    disks : int
        Number of disks.
    pegs : int
        Number of pegs.
    """

    disks: Disks = 8
    pegs: PegCount = 3

    def instances(self) -> Iterator[Instance]:
        """Yield the tower."""
        world = Hanoi((0,) * self.disks, (self.pegs - 1,) * self.disks, self.pegs)
        yield self._instance(world, f"{self.disks}-{self.pegs}")

    def __len__(self) -> int:
        """Number of instances: 1."""
        return 1


@WORLDS.register("hanoi/random")
@dataclass(frozen=True)
class RandomTowers(HanoiSource, SeededSource):
    """Seeded random states, all equally likely. The goal is all disks on the last peg.

    Attributes
    ----------
    count : int
        Number of states.
    disks : int
        Number of disks.
    pegs : int
        Number of pegs.
    seed : int
        State number i has seed `seed` + i, so ``seed=17 count=1`` makes the state of that seed again.
    """

    small_space: ClassVar[Mapping[str, Any]] = {"disks": 7, "count": 1}

    count: Count = 100
    disks: Disks = 10
    pegs: PegCount = 4
    seed: Seed = 0

    def seeded(self, seed: int) -> Instance:
        """Make the state of a seed."""
        start = (generator_of(seed).random(self.disks) * self.pegs).astype(int).tolist()
        world = Hanoi(tuple(start), (self.pegs - 1,) * self.disks, self.pegs)
        return self._instance(world, f"{self.disks}-{self.pegs}-{seed}", seed)


@WORLDS.register("hanoi/file")
@dataclass(frozen=True)
class TowerFiles(UserFiles[Instance], HanoiSource):
    """States of your own, one per line: the disks on each peg, optionally after `id:`, as in ``(0) 4 1 (1) 3 (2) 2``.

    Disk 1 is the smallest. Empty lines and lines that begin with # are skipped.

    Attributes
    ----------
    goal : list of int, optional
        Peg of each disk, the smallest first. Unless given, all disks are on the last peg.
    """

    extensions = (".txt",)
    content = "towers of Hanoi"

    goal: list[int] | None = None

    def load(self, path: Path) -> Iterator[Instance]:
        """Read the states of one file."""
        found = 0
        for found, (given, text, fail) in enumerate(named_lines(path), 1):
            start, pegs = _state(text, fail)
            name = checked_id(given or f"{path.stem}_{found}", fail)
            goal = (pegs - 1,) * len(start) if self.goal is None else tuple(self.goal)
            if len(goal) != len(start) or not {*goal} <= {*range(pegs)}:
                raise UserError(
                    f"world.goal: expected the pegs, 0 to {pegs - 1}, of {len(start)} disks, got {self.goal}"
                )
            yield self._instance(Hanoi(start, goal, pegs), name)
        if not found:
            raise file_error(path, "holds no towers; expected one per line, such as (0) 4 1 (1) 3 (2) 2")


def _state(text: str, fail: Fail) -> tuple[Pegs, int]:
    """Return the peg of each disk, and the number of pegs."""
    if not re.fullmatch(r"(\s*\(\d\)(\s+\d{1,2})*)+\s*", text, re.ASCII):
        raise fail(f"expected pegs with their disks, such as (0) 4 1 (1) 3 (2) 2, got '{text.strip()[:60]}'")
    pegs = [part.split() for part in text.split("(")[1:]]
    if [part[0] for part in pegs] != [f"{number})" for number in range(len(pegs))] or not 3 <= len(pegs) <= MAX_PEGS:
        raise fail(f"expected 3 to {MAX_PEGS} pegs in the order (0) (1) (2) ...")
    peg_of = {int(disk): number for number, part in enumerate(pegs) for disk in part[1:]}
    count = sum(len(part) - 1 for part in pegs)
    if not 1 <= count <= MAX_DISKS or sorted(peg_of) != [*range(1, count + 1)]:
        raise fail(f"expected each of the disks 1 to n once, n being at most {MAX_DISKS}")
    return tuple(peg_of[disk] for disk in sorted(peg_of)), len(pegs)
