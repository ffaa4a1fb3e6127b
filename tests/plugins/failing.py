"""Heuristic that raises an exception in one cave. Its parameters choose the exception and the cave."""

from __future__ import annotations

import runner
from worlds.wumpus.rules import Play
from worlds.wumpus.sources import StaticCaves
from worlds.wumpus.world import CaveWorld


class Plain(BaseException):
    pass


class WithoutText(BaseException):
    def __str__(self) -> str:
        raise RuntimeError("cannot say")


CAVES = {each.id: each.rules.cave for each in StaticCaves().instances()}
EXCEPTIONS = {
    "long": ValueError("x" * 200_000),
    "unprintable": ValueError("a\udc80b\0c\nd"),
    "without_text": WithoutText(),
    "exit": SystemExit("bye"),
    "generator_exit": GeneratorExit(),
    "interrupt": KeyboardInterrupt(),
    "plain": Plain(),
    "formula": ValueError('=1+1,"'),
}


@runner.python_heuristic("failing", domain="wumpus")
def failing(state: Play, world: CaveWorld, error: str = "plain", cave: str = "unibz_w1") -> float:
    if world.cave == CAVES.get(cave):
        raise EXCEPTIONS[error]
    return 0
