"""Naive versions of the Green team's heuristics and of ours for the cave, written from their descriptions.

A state is given by the hunter's square and facing, and whether it has the gold and the wumpus is alive.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable

from worlds.wumpus.rules import FACINGS, Cave, Square, ahead


def distance(one: Square, other: Square) -> int:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def towards(one: Square, other: Square) -> list[str]:
    return [f for f in FACINGS if distance(ahead(one, f), other) < distance(one, other)]


def turn(one: Square, facing: str, other: Square) -> int:
    """Return the fewest quarter turns to a direction that leads nearer."""
    return min((quarter(facing, wanted) for wanted in towards(one, other)), default=0)


def quarter(facing: str, wanted: str) -> int:
    turns = abs(FACINGS.index(facing) - FACINGS.index(wanted))
    return min(turns, 4 - turns)


def bent(one: Square, other: Square) -> int:
    return int(one[0] != other[0] and one[1] != other[1])


def free(cave: Cave, square: Square) -> bool:
    return cave.is_open(square) and square not in cave.pits


def base(gold: bool) -> int:
    return 1 if gold else 2


def plain_manhattan(cave: Cave, square: Square, facing: str, gold: bool, wumpus: bool) -> int:
    goal = cave.exit if gold else cave.gold
    return distance(square, goal) + (0 if gold else distance(cave.gold, cave.exit))


def manhattan_orientation(cave: Cave, square: Square, facing: str, gold: bool, wumpus: bool) -> int:
    goal = cave.exit if gold else cave.gold
    return (
        plain_manhattan(cave, square, facing, gold, wumpus)
        + base(gold)
        + turn(square, facing, goal)
        + bent(square, goal)
    )


def with_turns(square: Square, facing: str, goal: Square) -> int:
    return distance(square, goal) + turn(square, facing, goal) + bent(square, goal)


def best_neighbour(cave: Cave, square: Square, facing: str, gold: bool, wumpus: bool, published: bool = False) -> int:
    goal = cave.exit if gold else cave.gold
    there = cave.wumpus if wumpus else None
    rest = base(gold) + (0 if gold else distance(cave.gold, cave.exit) + bent(cave.gold, cave.exit))
    if square == goal:
        return rest + 10 * (there == goal)
    steps = [(f, ahead(square, f)) for f in FACINGS if free(cave, ahead(square, f))]
    if not steps:
        return rest + (distance(square, goal) if published else with_turns(square, facing, goal))
    return rest + min(quarter(facing, f) + 1 + 10 * (there == n) + with_turns(n, f, goal) for f, n in steps)


def published_distance(cave: Cave, s: Square, t: Square) -> int:
    if s == t:
        return 0
    d = distance(s, t)
    left, bottom = min(s[0], t[0]), min(s[1], t[1])
    w, h = abs(s[0] - t[0]) + 1, abs(s[1] - t[1]) + 1
    if (s[0] - t[0], s[1] - t[1]) in ((1, -1), (-1, 1)):
        anchor = max(s, t)[0], bottom
        step = -1
    else:
        anchor = s if s[1] <= t[1] else t
        step = 1

    def is_free(row: int, column: int) -> bool:
        """Return whether a square is free. Columns count from the anchor and wrap around the rectangle."""
        c = (anchor[0] - left + step * column) % w
        return free(cave, (left + c, bottom + row))

    rows = []
    reach = []
    for column in range(w):
        if not is_free(0, column):
            break
        reach.append(column)
    rows.append(reach)
    for row in range(1, h):
        reach = []
        for column in range(w):
            if is_free(row, column) and (column in rows[-1] or column - 1 in reach):
                reach.append(column)
        rows.append(reach)
    if any(not reach for reach in rows) or w - 1 not in rows[-1]:
        return d + 4
    if h == 1 or all(len(reach) == 1 for reach in rows):
        return d
    full = [len(reach) == w for reach in rows]
    if (full[0] and all(w - 1 in reach for reach in rows)) or (full[-1] and all(0 in reach for reach in rows)):
        return d + 1
    if any(full) or any(all(c in reach for reach in rows) for c in range(w)):
        return d + 2
    return d + 3


def monotone_turns(cave: Cave, s: Square, t: Square) -> dict[str, float]:
    """Return the fewest turns of a free monotone path for each first direction, by trying all paths."""

    def best(square: Square, facing: str) -> float:
        if not free(cave, square):
            return math.inf
        if square == t:
            return 0
        return min(best(ahead(square, f), f) + (f != facing) for f in towards(square, t))

    return {f: best(ahead(s, f), f) if free(cave, s) else math.inf for f in towards(s, t)}


def document_leg(cave: Cave, s: Square, facing: str | None, t: Square) -> float:
    if s == t:
        return 0
    bends = min(monotone_turns(cave, s, t).values())
    first = 0 if facing is None else turn(s, facing, t)
    return distance(s, t) + (4 if bends == math.inf else min(bends, 3)) + first


def corrected_leg(cave: Cave, s: Square, facing: str | None, t: Square) -> float:
    if s == t:
        return 0
    turns = [bends + (0 if facing is None else quarter(facing, f)) for f, bends in monotone_turns(cave, s, t).items()]
    return distance(s, t) + min(4, *turns)


def published_leg(cave: Cave, s: Square, facing: str | None, t: Square) -> float:
    if s == t:
        return 0
    return published_distance(cave, s, t) + (0 if facing is None else turn(s, facing, t))


Leg = Callable[[Cave, Square, str | None, Square], float]
LEGS: dict[str, Leg] = {"document": document_leg, "corrected": corrected_leg, "published": published_leg}


def smart_manhattan(
    cave: Cave, square: Square, facing: str, gold: bool, wumpus: bool, variant: str = "document"
) -> float:
    rest, goal, _ = smart_rest(cave, gold, wumpus, variant)
    return rest + LEGS[variant](cave, square, facing, goal)


def smart_rest(cave: Cave, gold: bool, wumpus: bool, variant: str) -> tuple[float, Square, int]:
    """Return the cost after the current leg, the goal of this leg, and the cost of a certain shot."""
    there = cave.wumpus if wumpus else None
    shot = 10 * (there is not None and there in ((cave.exit,) if gold else (cave.gold, cave.exit)))
    later = 0 if gold else LEGS[variant](cave, cave.gold, None, cave.exit)
    return base(gold) + shot + later, cave.exit if gold else cave.gold, shot


def best_neighbour_smart_manhattan(
    cave: Cave, square: Square, facing: str, gold: bool, wumpus: bool, variant: str = "document"
) -> float:
    rest, goal, shot = smart_rest(cave, gold, wumpus, variant)
    if square == goal:
        return rest
    there = cave.wumpus if wumpus and not (variant == "corrected" and shot) else None
    leg = LEGS[variant]
    steps = [(f, ahead(square, f)) for f in FACINGS if free(cave, ahead(square, f))]
    if not steps:
        return rest + (
            leg(cave, square, None, cave.exit) if variant == "published" else leg(cave, square, facing, goal)
        )
    return rest + min(
        quarter(facing, f) + 1 + 10 * (there == n and n != goal) + leg(cave, n, f, goal) for f, n in steps
    )


def cheapest(cave: Cave, square: Square, facing: str, gold: bool, wall: Square | None) -> float:
    """Return the cost of an optimal plan without a wumpus and with an optional wall, by Dijkstra's algorithm."""
    queue, seen = [(0, square, facing, gold)], set()
    while queue:
        cost, at, f, has = heapq.heappop(queue)
        if (at, f, has) in seen:
            continue
        seen.add((at, f, has))
        if has and at == cave.exit:
            return cost + 1
        if at == cave.gold and not has:
            heapq.heappush(queue, (cost + 1, at, f, True))
        for side in (1, 3):
            heapq.heappush(queue, (cost + 1, at, FACINGS[(FACINGS.index(f) + side) % 4], has))
        to = ahead(at, f)
        if free(cave, to) and to != wall:
            heapq.heappush(queue, (cost + 1, to, f, has))
    return math.inf


def relaxed(cave: Cave, square: Square, facing: str, gold: bool, wumpus: bool) -> float:
    return cheapest(cave, square, facing, gold, None)


def relaxed_shot(cave: Cave, square: Square, facing: str, gold: bool, wumpus: bool, arrow: bool = True) -> float:
    ignored = cheapest(cave, square, facing, gold, None)
    if not wumpus:
        return ignored
    avoided = cheapest(cave, square, facing, gold, cave.wumpus)
    return min(avoided, ignored + 10) if arrow else avoided
