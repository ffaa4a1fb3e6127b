"""Caves for tests: a hypothesis strategy, random caves, and exact distances by backward search."""

from __future__ import annotations

import heapq
import random
from collections import defaultdict

import numpy as np
from hypothesis import strategies as st

from worlds.interface.instance import Instance, Problem
from worlds.wumpus.rules import FACINGS, Cave
from worlds.wumpus.search import CLIMBED_OUT, DIED, HAS_GOLD
from worlds.wumpus.world import CaveInstance, CaveWorld


@st.composite
def caves(draw: st.DrawFn, largest: int = 6) -> Cave:
    """Draw a valid cave of any shape, with any pits, blocks, start and exit, and with or without a wumpus."""
    seed = draw(st.integers(0, 2**32 - 1))
    width, height = draw(st.integers(1, largest)), draw(st.integers(2, largest))
    return any_cave(random.Random(seed), width, height, draw(st.sampled_from([0.0, 0.1, 0.2, 0.35])))


def any_cave(source: random.Random, width: int, height: int, pits: float = 0.2, blocks: float = 0.08) -> Cave:
    """Return a random cave with any start, facing, gold and exit, and with or without a wumpus."""
    squares = [(x, y) for x in range(width) for y in range(height)]
    hunter = source.choice(squares)
    gold = source.choice(squares)
    exit_ = source.choice([hunter, source.choice(squares)])
    wumpus = source.choice([None, *(square for square in squares if square != hunter)])
    fixed = {hunter, gold, exit_, wumpus}
    return Cave(
        size=(width, height),
        hunter=hunter,
        facing=source.choice(FACINGS),
        gold=gold,
        exit=exit_,
        wumpus=wumpus,
        pits=frozenset(square for square in squares if square != hunter and source.random() < pits),
        blocks=frozenset(square for square in squares if square not in fixed and source.random() < blocks),
    )


def published_kind(source: random.Random, side: int, pits: float = 0.2) -> Cave:
    """Return a random cave as the UniBZ document assumes it: square, start and exit at (0, 0), one wumpus."""
    squares = [(x, y) for x in range(side) for y in range(side) if (x, y) != (0, 0)]
    pit_set = frozenset(square for square in squares if source.random() < pits)
    return Cave((side, side), (0, 0), "N", source.choice(squares), (0, 0), source.choice(squares), pit_set)


def instance(cave: Cave, formulation: str = "cardinal", pruning: str = "best") -> CaveInstance:
    return Instance(CaveWorld(cave, formulation, pruning), "cave")  # type: ignore[arg-type]


def word(value: int) -> np.ndarray:
    return np.array([value], np.uint64)


def reachable(problem: Problem) -> dict[int, list[tuple[int, int]]]:
    """Return the successors (state, cost) of every state that can be reached from the start."""
    successors: dict[int, list[tuple[int, int]]] = {}
    todo = [int(problem.initial[0])]
    while todo:
        state = todo.pop()
        if state not in successors:
            successors[state] = [(int(s[0]), cost) for s, cost, _ in problem.successors(word(state))]
            todo += [successor for successor, _ in successors[state]]
    return successors


def distances(successors: dict[int, list[tuple[int, int]]]) -> dict[int, int]:
    """Return the exact cost to the nearest goal (h_star), for the states that can reach a goal."""
    predecessors = defaultdict(list)
    for state, edges in successors.items():
        for successor, cost in edges:
            predecessors[successor].append((state, cost))
    flags = CLIMBED_OUT | HAS_GOLD | DIED
    queue = [(0, state) for state in successors if state & flags == CLIMBED_OUT | HAS_GOLD]
    heapq.heapify(queue)
    exact: dict[int, int] = {}
    while queue:
        distance, state = heapq.heappop(queue)
        if state in exact:
            continue
        exact[state] = distance
        for predecessor, cost in predecessors[state]:
            if predecessor not in exact:
                heapq.heappush(queue, (distance + cost, predecessor))
    return exact
