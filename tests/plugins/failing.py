"""Heuristic that raises an exception in one cave. Its parameters choose the exception and the cave."""

from __future__ import annotations

import runner
from worlds.wumpus.rules import Play
from worlds.wumpus.world import CaveInstance


class Plain(BaseException):
    pass


class WithoutText(BaseException):
    def __str__(self) -> str:
        raise RuntimeError("cannot say")


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
def failing(state: Play, world: CaveInstance, error: str = "plain", cave: str = "unibz_w1") -> float:
    if world.id == cave:
        raise EXCEPTIONS[error]
    return 0
