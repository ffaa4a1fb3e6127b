"""The exact posterior over a cave's side, pits, wumpus and gold, given the percepts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from worlds.wumpus.online import Percepts
from worlds.wumpus.rules import FACINGS, Square, ahead

Rooms = frozenset[Square]


@dataclass(frozen=True)
class Belief:
    """Posterior. Given the side, pits, wumpus and gold are independent of each other.

    Attributes
    ----------
    visited, breezy : frozenset of (int, int)
        Visited rooms, counted from (0, 0), and those of them that are breezy.
    clear : frozenset of (int, int)
        Rooms without a pit: visited, or next to a visited room without a breeze.
    wumpus : frozenset of (int, int)
        Rooms where the wumpus may be, all equally likely; once it is dead, where it may have been when it was hit.
        Empty if there is no wumpus.
    wumpus_dead : bool
    sides : dict of float
        Probability of each side.
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
        Percepts by visited room. Rooms are counted from (0, 0), which is one of them.
    pit_probability : float
        Prior probability of a pit in every room but the first, independently.
    sides : sequence of int
        Possible sides, all equally likely before the game.
    side : int, optional
        Side of the cave, if it is known.
    shot : ((int, int), str), optional
        Room and direction of a shot that missed.
    hit_rooms : frozenset of (int, int), optional
        Rooms where the wumpus may have been when it was hit; given if it is dead.

    Notes
    -----
    A priori the wumpus and the gold are in each room but the first with the same probability, independently.
    """
    visited = frozenset(explored)
    breezy = frozenset(room for room, noticed in explored.items() if noticed.breeze)
    clear = visited.union(*(around(room) for room in visited - breezy))
    reached = 1 + max(map(max, visited))
    possible = [side] if side else [n for n in sides if n >= reached] or [reached]
    inside = {n: frozenset((x, y) for x in range(n) for y in range(n)) for n in possible}
    wumpus = inside[max(possible)] - visited if hit_rooms is None else hit_rooms
    if hit_rooms is None:
        for room, noticed in explored.items():
            wumpus = wumpus & around(room) if noticed.stench else wumpus - around(room)
        if shot is not None:
            wumpus = frozenset(other for other in wumpus if not is_ahead(*shot, other))
    weights = {}
    for n in possible:
        others = max(1, n * n - 1)
        wumpus_share = len(wumpus & inside[n]) / others if wumpus else 1.0
        gold_share = len(inside[n] - visited) / others
        weights[n] = wumpus_share * gold_share * pit_likelihood(visited, breezy, inside[n], pit_probability)
    total = sum(weights.values())
    if total <= 0:  # the percepts contradict the parameters: keep all sides equally likely
        weights, total = dict.fromkeys(possible, 1.0), float(len(possible))
        wumpus &= inside[min(possible)]
    return Belief(
        visited, breezy, clear, wumpus, hit_rooms is not None, {n: weight / total for n, weight in weights.items()}
    )


def pit_likelihood(visited: Rooms, breezy: Rooms, inside: Rooms, pit_probability: float) -> float:
    """Return the probability that no visited room but the first has a pit and that exactly `breezy` are breezy.

    Rooms that may have a pit are decided one by one. Between two of them, only the set of breezy rooms that still lack
    a pit beside them matters.
    """
    clear = inside & visited.union(*(around(room) for room in visited - breezy))
    suspects = sorted(inside.intersection(*[set().union(*(around(room) for room in breezy))]) - clear)
    last_suspect = {room: max((s for s in suspects if s in around(room)), default=None) for room in breezy}
    if None in last_suspect.values():
        return 0.0
    weights = {frozenset[Square](): 1.0}
    met: set[Square] = set()
    for suspect in suspects:
        near = around(suspect) & breezy
        fresh = near - met
        met |= near
        following: dict[frozenset[Square], float] = {}
        for lacking, weight in weights.items():
            for has_pit in (False, True):
                left = (lacking | fresh) - (near if has_pit else frozenset())
                if not any(last_suspect[room] == suspect for room in left):
                    chance = pit_probability if has_pit else 1 - pit_probability
                    following[left] = following.get(left, 0.0) + weight * chance
        weights = following
    return prod([1 - pit_probability] * (len(clear) - 1)) * sum(weights.values())


def around(room: Square) -> Rooms:
    """Return the four rooms next to a room, whether inside the cave or not."""
    return frozenset(ahead(room, facing) for facing in FACINGS)


def is_ahead(room: Square, facing: str, other: Square) -> bool:
    """Return whether an arrow from `room` in the direction `facing` reaches the room `other`."""
    dx, dy = other[0] - room[0], other[1] - room[1]
    step = ahead((0, 0), facing)
    return dx * step[1] == dy * step[0] and dx * step[0] + dy * step[1] > 0
