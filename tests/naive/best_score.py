"""Best expected score in the online cave, computed over a list of all caves.

A belief is the set of caves that are still possible, as the bits of one number. An observation (of a new room, a wall
or a shot) splits it. Between two observations the hunter walks on any path through rooms that it has visited.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from functools import cache
from itertools import combinations

from worlds.wumpus.rules import FACINGS, Cave, Square, ahead, arrow_hits


def all_caves(side: int) -> list[Cave]:
    """Return all caves with this side. Wumpus, gold and pits may be in any room but the first."""
    rooms = [(x, y) for x in range(side) for y in range(side)][1:]
    return [
        Cave((side, side), (0, 0), "E", gold, (0, 0), wumpus, frozenset(pits))
        for number in range(len(rooms) + 1)
        for pits in combinations(rooms, number)
        for wumpus in rooms
        for gold in rooms
    ]


def best_score(sides: Iterable[int], pit_probability: float) -> float:
    """Return the expected score of an optimal player that knows that these sides are equally likely."""
    caves = [cave for side in sides for cave in all_caves(side)]

    def those(holds: Callable[[Cave], bool]) -> int:
        return sum(1 << index for index, cave in enumerate(caves) if holds(cave))

    def with_pits(side: int, pits: int) -> int:
        return those(lambda cave: (cave.size[0], len(cave.pits)) == (side, pits))

    chances = []  # caves of one side with the same number of pits are equally likely
    for side in sides:
        for pits in range(side * side):
            rooms = side * side - 1
            chance = pit_probability**pits * (1 - pit_probability) ** (rooms - pits) / rooms**2
            chances.append((with_pits(side, pits), chance))
    inside = cache(lambda room: those(lambda cave: cave.is_open(room)))
    pit = cache(lambda room: those(lambda cave: room in cave.pits))
    lair = cache(lambda room: those(lambda cave: cave.wumpus == room))
    gold = cache(lambda room: those(lambda cave: cave.gold == room))
    hit = cache(lambda room, facing: those(lambda cave: arrow_hits(cave, room, facing)))

    @cache
    def breeze(room: Square) -> int:
        return those(lambda cave: any(ahead(room, facing) in cave.pits for facing in FACINGS))

    @cache
    def stench(room: Square) -> int:
        return those(lambda cave: cave.wumpus in (room, *(ahead(room, facing) for facing in FACINGS)))

    @cache
    def mass(possible: int) -> float:
        return sum((possible & group).bit_count() * chance for group, chance in chances)

    def split(possible: int, room: Square) -> list[int]:
        groups = [possible]
        for caves_with in (breeze(room), stench(room), gold(room)):
            groups = [part for group in groups for part in (group & caves_with, group & ~caves_with) if part]
        return groups

    @cache
    def value(
        possible: int,
        visited: frozenset[Square],
        room: Square,
        facing: str,
        has_gold: bool,
        has_arrow: bool,
        wumpus_alive: bool,
    ) -> float:
        """Return the weighted sum of the scores in the possible caves."""
        total = mass(possible)
        best = float("-inf")
        for (at, towards), steps in walks(visited, room, facing).items():
            score = -(steps + 1) * total
            if at == (0, 0):
                best = max(best, score + 1000 * has_gold * total)
            if not has_gold and possible & ~gold(at) == 0:
                best = max(best, score + value(possible, visited, at, towards, True, has_arrow, wumpus_alive))
            if has_arrow:
                news = score - 9 * total
                for left, alive in ((possible & hit(at, towards), False), (possible & ~hit(at, towards), wumpus_alive)):
                    news += value(left, visited, at, towards, has_gold, False, alive) if left else 0
                best = max(best, news)
            after = ahead(at, towards)
            walls = possible & ~inside(after)
            if after in visited or (walls and walls == possible):
                continue
            deadly = possible & ~walls & (pit(after) | (lair(after) if wumpus_alive else 0))
            news = score - 1000 * mass(deadly)
            if walls:
                news += value(walls, visited, at, towards, has_gold, has_arrow, wumpus_alive)
            for group in split(possible & ~walls & ~deadly, after):
                news += value(group, visited | {after}, after, towards, has_gold, has_arrow, wumpus_alive)
            best = max(best, news)
        return best

    everything = those(lambda _: True)
    start = (frozenset({(0, 0)}), (0, 0), "E", False, True, True)
    return sum(value(group, *start) for group in split(everything, (0, 0))) / mass(everything)


@cache
def walks(visited: frozenset[Square], room: Square, facing: str) -> dict[tuple[Square, str], int]:
    """Return the fewest turns and moves to each room and facing through visited rooms."""
    found = {(room, facing): 0}
    queue = deque(found)
    while queue:
        at, towards = queue.popleft()
        turn = FACINGS.index(towards)
        for after in (
            (ahead(at, towards), towards),
            (at, FACINGS[turn - 1]),
            (at, FACINGS[(turn + 1) % 4]),
        ):
            if after not in found and after[0] in visited:
                found[after] = found[at, towards] + 1
                queue.append(after)
    return found
