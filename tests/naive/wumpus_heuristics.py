"""Naive versions of the UniBZ group's heuristics for the cave, written from the document."""

from __future__ import annotations

from worlds.wumpus.rules import FACINGS, STEP, Cave, Square


def legs(cave: Cave, square: Square, facing: str, has_gold: bool) -> list[tuple[Square, Square, set[str]]]:
    """Return origin, target and possible facings of the legs that are left."""
    if has_gold:
        return [(square, cave.exit, {facing})]
    entered = towards(square, cave.gold) or {facing}
    return [(square, cave.gold, {facing}), (cave.gold, cave.exit, entered)]


def towards(origin: Square, target: Square) -> set[str]:
    """Return the directions that reduce the distance."""
    before = distance(origin, target)
    return {f for f in FACINGS if distance((origin[0] + STEP[f][0], origin[1] + STEP[f][1]), target) < before}


def distance(a: Square, b: Square) -> int:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def manhattan(cave: Cave, square: Square, facing: str, has_gold: bool, wumpus: bool) -> int:
    moves = sum(distance(origin, target) for origin, target, _ in legs(cave, square, facing, has_gold))
    shot = 10 if not has_gold and wumpus and cave.wumpus == cave.gold else 0
    return moves + 1 + (0 if has_gold else 1) + shot


def pivots(cave: Cave, square: Square, facing: str, has_gold: bool, wumpus: bool) -> int:
    total = 0
    for origin, target, facings in legs(cave, square, facing, has_gold):
        wanted = towards(origin, target)
        quarter_turns = [min((FACINGS.index(a) - FACINGS.index(b)) % 4, (FACINGS.index(b) - FACINGS.index(a)) % 4)
                         for a in facings for b in wanted]  # fmt: skip
        total += min(quarter_turns, default=0) + (1 if len(wanted) == 2 else 0)
    return total


def obstacle(cave: Cave, square: Square, facing: str, has_gold: bool, wumpus: bool) -> int:
    total = 0
    for origin, target, facings in legs(cave, square, facing, has_gold):
        paths = manhattan_paths(origin, target)
        if all(has_pit(cave, path) for path in paths):
            total += 3 if len(paths) == 1 and facings == towards(origin, target) else 1
    return total


def iterative_shift(cave: Cave, square: Square, facing: str, has_gold: bool, wumpus: bool) -> int:
    total = 0
    for origin, target, _ in legs(cave, square, facing, has_gold):
        paths = manhattan_paths(origin, target)
        if origin == target or not all(has_pit(cave, path) for path in paths):
            continue
        if len(paths) == 1:
            sides = [shifts(cave, [origin, *paths[0], target], side) for side in sideways(origin, target)]
            open_sides = [count for count, is_open in sides if is_open]
            total += 2 * min(open_sides or [count for count, _ in sides])
        else:
            total += min(bent_shift(cave, path, origin, target) for path in paths)
    return total


def bent_shift(cave: Cave, path: list[Square], origin: Square, target: Square) -> int:
    """Return the extra moves of a blocked L-path. Its part from the corner on, without the target, is shifted."""
    corner = next(s for s in [*path, target] if s[0] in (origin[0], target[0]) and s[1] in (origin[1], target[1]))
    second = [s for s in path if corner in (s,) or on_one_line(s, corner, target)]
    if not has_pit(cave, second):
        return 0
    step = unit(corner, origin)
    for k in range(1, distance(corner, origin) + 1):
        if not touches(cave, moved(second, step, k), moved(second, step, k - 1)):
            return 0
    return 2 * shifts(cave, second, (-step[0], -step[1]))[0]


def flood_fill(cave: Cave, square: Square, facing: str, has_gold: bool, wumpus: bool) -> int:
    """Return the cost of the mandatory shot, decided at the hunter's start. Only for solvable caves."""
    reached, todo = {cave.hunter}, [cave.hunter]
    while todo:
        x, y = todo.pop()
        for dx, dy in STEP.values():
            to = (x + dx, y + dy)
            if cave.is_open(to) and to not in cave.pits and to != cave.wumpus and to not in reached:
                reached.add(to)
                todo.append(to)
    is_mandatory = not {cave.gold, cave.exit} <= reached and cave.wumpus != cave.gold
    return 10 if is_mandatory and wumpus else 0


def manhattan_paths(origin: Square, target: Square) -> list[list[Square]]:
    """Return the straight path, or the two L-shaped ones, without the ends."""
    (x1, y1), (x2, y2) = origin, target
    corners = {(x1, y2), (x2, y1)}
    paths = [line(origin, corner) + line(corner, target)[1:] for corner in sorted(corners)]
    if x1 == x2 or y1 == y2:
        paths = [line(origin, target)]
    return [[square for square in path if square not in (origin, target)] for path in paths]


def line(a: Square, b: Square) -> list[Square]:
    """Return all squares from a to b on a row or column."""
    dx, dy = unit(a, b)
    return [(a[0] + k * dx, a[1] + k * dy) for k in range(distance(a, b) + 1)]


def unit(a: Square, b: Square) -> Square:
    return (b[0] > a[0]) - (b[0] < a[0]), (b[1] > a[1]) - (b[1] < a[1])


def on_one_line(square: Square, a: Square, b: Square) -> bool:
    return square in line(a, b)


def has_pit(cave: Cave, squares: list[Square]) -> bool:
    return any(square in cave.pits or square in cave.blocks for square in squares)


def sideways(origin: Square, target: Square) -> list[Square]:
    return [(1, 0), (-1, 0)] if origin[0] == target[0] else [(0, 1), (0, -1)]


def moved(squares: list[Square], step: Square, k: int) -> list[Square]:
    return [(x + k * step[0], y + k * step[1]) for x, y in squares]


def touches(cave: Cave, copy: list[Square], before: list[Square]) -> bool:
    """Return whether a pit of a copy touches, also diagonally, a pit of the copy before it."""

    def pits(squares: list[Square]) -> list[Square]:
        return [square for square in squares if has_pit(cave, [square])]

    return any(abs(a[0] - b[0]) <= 1 and abs(a[1] - b[1]) <= 1 for a in pits(copy) for b in pits(before))


def shifts(cave: Cave, squares: list[Square], step: Square) -> tuple[int, bool]:
    """Return the number of shifts until a copy is free, and whether this happens before the edge."""
    count = 1
    while all(0 <= x < cave.size[0] and 0 <= y < cave.size[1] for x, y in moved(squares, step, count)):
        if not touches(cave, moved(squares, step, count), moved(squares, step, count - 1)):
            return count, True
        count += 1
    return count, False
