"""Posterior over the side of a cave, and what the percepts tell of pits and wumpus, before the gold is found.

It is exact while the wumpus lives; the stenches of a dead wumpus are ignored. Rooms are counted from (0, 0).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from worlds.wumpus.online import Percepts
from worlds.wumpus.rules import FACINGS, Square, ahead

Rooms = frozenset[Square]


@dataclass(frozen=True)
class Belief:
    """Posterior. For each side, the pits, the wumpus and the gold are independent of each other.

    Attributes
    ----------
    visited : frozenset of (int, int)
        Rooms that were entered.
    breezy : frozenset of (int, int)
        Visited rooms with a breeze.
    clear : frozenset of (int, int)
        Rooms without a pit: visited, or next to a visited room without a breeze. Some may lie outside the cave.
    wumpus : frozenset of (int, int)
        Rooms where the wumpus may be; for each side, those inside the cave are equally likely. Once it is dead: where
        it may have been when it was hit. Empty if the percepts exclude every room.
    wumpus_dead : bool
    sides : dict of float
        Probability of each side that contains all visited rooms.
    """

    visited: Rooms
    breezy: Rooms
    clear: Rooms
    wumpus: Rooms
    wumpus_dead: bool
    sides: Mapping[int, float]

    @property
    def safe(self) -> Rooms:
        """Rooms that can be entered without danger. Some may lie outside the cave."""
        return self.clear if self.wumpus_dead else self.clear - self.wumpus


def belief(
    explored: Mapping[Square, Percepts],
    pit_probability: float,
    sides: Sequence[int],
    side: int | None = None,
    shot: tuple[Square, str] | None = None,
    hit_rooms: Rooms | None = None,
) -> Belief:
    """Return the posterior, given the percepts.

    Parameters
    ----------
    explored : mapping
        Percepts by visited room. (0, 0) is one of the visited rooms.
    pit_probability : float
        Prior probability of a pit in every room but the first, independently.
    sides : sequence of int
        Possible sides, all equally likely before the game. If all are too small, the smallest side that contains the
        visited rooms is used.
    side : int, optional
        Side of the cave, if it is known.
    shot : ((int, int), str), optional
        Room and direction of the shot; ignored if `hit_rooms` is given.
    hit_rooms : frozenset of (int, int), optional
        None while the wumpus lives. Once it is dead: the rooms where it may have been when it was hit, that is, those
        rooms of the belief before the shot that are ahead (`is_ahead`).

    Notes
    -----
    Prior: the wumpus and the gold are each uniform over all rooms but the first, independently. The gold has not been
    found: no visited room has it.
    """
    visited = frozenset(explored)
    breezy = frozenset(room for room, noticed in explored.items() if noticed.breeze)
    clear = visited.union(*(around(room) for room in visited - breezy))
    smallest = 1 + max(map(max, visited))
    possible = [n for n in sides if n >= smallest] or [smallest]
    if side is not None:
        possible = [side]
    inside = {n: frozenset((x, y) for x in range(n) for y in range(n)) for n in possible}
    if hit_rooms is not None:
        wumpus = hit_rooms
    else:
        wumpus = inside[max(possible)] - visited
        for room, noticed in explored.items():
            wumpus = wumpus & around(room) if noticed.stench else wumpus - around(room)
        if shot is not None:
            wumpus = frozenset(other for other in wumpus if not is_ahead(*shot, other))
    weights = {}
    for n in possible:
        other_rooms = max(1, n * n - 1)  # a cave of one room has none
        wumpus_share = len(wumpus & inside[n]) / other_rooms if wumpus else 1.0
        gold_share = len(inside[n] - visited) / other_rooms
        weights[n] = wumpus_share * gold_share * pit_likelihood(visited, breezy, inside[n], pit_probability)
    total = sum(weights.values())
    if total <= 0:  # no possible side explains the percepts, because the cave has another size: use equal weights
        weights, total = dict.fromkeys(possible, 1.0), float(len(possible))
        wumpus &= inside[min(possible)]
    return Belief(
        visited, breezy, clear, wumpus, hit_rooms is not None, {n: weight / total for n, weight in weights.items()}
    )


def pit_likelihood(visited: Rooms, breezy: Rooms, inside: Rooms, pit_probability: float) -> float:
    """Return the probability that no visited room has a pit and that exactly the rooms `breezy` among them are breezy.

    Dynamic programming over the rooms that may have a pit. The state is the set of breezy rooms, of those next to a
    room that was decided, that still lack a pit next to them.
    """
    clear = inside & visited.union(*(around(room) for room in visited - breezy))
    suspects = sorted((inside & frozenset[Square]().union(*map(around, breezy))) - clear)
    last_suspect = {room: max((s for s in suspects if s in around(room)), default=None) for room in breezy}
    if None in last_suspect.values():
        return 0.0
    weights = {frozenset[Square](): 1.0}
    met: set[Square] = set()
    for suspect in suspects:
        near = around(suspect) & breezy
        first_met = near - met
        met |= near
        next_weights: dict[frozenset[Square], float] = {}
        for lacking, weight in weights.items():
            for has_pit in (False, True):
                still_lacking = (lacking | first_met) - (near if has_pit else frozenset())
                if not any(last_suspect[room] == suspect for room in still_lacking):
                    probability = pit_probability if has_pit else 1 - pit_probability
                    next_weights[still_lacking] = next_weights.get(still_lacking, 0.0) + weight * probability
        weights = next_weights
    return prod([1 - pit_probability] * (len(clear) - 1)) * sum(weights.values())


def around(room: Square) -> Rooms:
    """Return the four rooms next to a room, whether inside the cave or not."""
    return frozenset(ahead(room, facing) for facing in FACINGS)


def is_ahead(room: Square, facing: str, other: Square) -> bool:
    """Return whether an arrow from `room` in the direction `facing` reaches the room `other`."""
    # the other room is on the line of flight (cross product 0) and in front (dot product > 0)
    dx, dy = other[0] - room[0], other[1] - room[1]
    step = ahead((0, 0), facing)
    return dx * step[1] == dy * step[0] and dx * step[0] + dy * step[1] > 0
