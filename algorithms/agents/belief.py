"""What percepts tell of a cave: the exact posterior over its side, its pits, its wumpus and its gold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from worlds.wumpus.online import Percepts
from worlds.wumpus.rules import FACINGS, Square, ahead

Rooms = frozenset[Square]


@dataclass(frozen=True)
class Belief:
    """A posterior. Given the side, pits, wumpus and gold are independent of each other.

    Attributes
    ----------
    visited, breezy : frozenset of (int, int)
        Rooms counted from (0, 0); the breezy ones are among the visited.
    clear : frozenset of (int, int)
        Rooms without a pit: visited, or next to a visited room without a breeze.
    wumpus : frozenset of (int, int)
        Rooms where the wumpus may be, all equally likely, or may have been when it was killed. Empty if there is none.
    wumpus_dead : bool
    sides : dict of float
        How likely each side is.
    """

    visited: Rooms
    breezy: Rooms
    clear: Rooms
    wumpus: Rooms
    wumpus_dead: bool
    sides: Mapping[int, float]

    @property
    def safe(self) -> Rooms:
        """Rooms that can be entered without danger, if they exist."""
        return self.clear if self.wumpus_dead else self.clear - self.wumpus


def belief(
    explored: Mapping[Square, Percepts],
    pit_probability: float,
    sides: Sequence[int],
    side: int | None = None,
    shot: tuple[Square, str] | None = None,
    lairs: Rooms | None = None,
) -> Belief:
    """The posterior, given what was noticed.

    Parameters
    ----------
    explored : mapping
        What was noticed in each room that was visited, counted from (0, 0), among which it is.
    pit_probability : float
        Of every room but the first, independently.
    sides : sequence of int
        What the side may be, all equally likely before the game.
    side : int, optional
        What it is, once a wall was met.
    shot : ((int, int), str), optional
        Room and direction of the shot that missed.
    lairs : frozenset of (int, int), optional
        Where the wumpus may have been when it was killed.

    Notes
    -----
    The wumpus and the gold are in any room but the first with the same probability, independently.
    """
    visited = frozenset(explored)
    breezy = frozenset(room for room, noticed in explored.items() if noticed.breeze)
    clear = visited.union(*(around(room) for room in visited - breezy))
    reached = 1 + max(map(max, visited))
    possible = [side] if side else [n for n in sides if n >= reached] or [reached]
    inside = {n: frozenset((x, y) for x in range(n) for y in range(n)) for n in possible}
    wumpus = inside[max(possible)] - visited if lairs is None else lairs
    if lairs is None:
        for room, noticed in explored.items():
            wumpus = wumpus & around(room) if noticed.stench else wumpus - around(room)
        if shot is not None:
            wumpus = frozenset(other for other in wumpus if not is_ahead(*shot, other))
    weights = {}
    for n in possible:
        others = max(1, n * n - 1)
        lair = len(wumpus & inside[n]) / others if wumpus else 1.0
        gold = len(inside[n] - visited) / others
        weights[n] = lair * gold * pit_likelihood(visited, breezy, inside[n], pit_probability)
    total = sum(weights.values())
    if total <= 0:  # what cannot be has happened: nothing is known of the side
        weights, total = dict.fromkeys(possible, 1.0), float(len(possible))
        wumpus &= inside[min(possible)]
    return Belief(
        visited, breezy, clear, wumpus, lairs is not None, {n: weight / total for n, weight in weights.items()}
    )


def pit_likelihood(visited: Rooms, breezy: Rooms, inside: Rooms, pit_probability: float) -> float:
    """Probability that no visited room but the first had a pit, and that exactly these of them are breezy.

    The rooms that may have pits are decided one by one; after each, what counts is which breezy rooms still lack one.
    """
    clear = inside & visited.union(*(around(room) for room in visited - breezy))
    suspects = sorted(inside.intersection(*[set().union(*(around(room) for room in breezy))]) - clear)
    last = {witness: max((s for s in suspects if s in around(witness)), default=None) for witness in breezy}
    if None in last.values():
        return 0.0
    lacking = {frozenset[Square](): 1.0}
    seen: set[Square] = set()
    for suspect in suspects:
        witnesses = around(suspect) & breezy
        fresh = witnesses - seen
        seen |= witnesses
        after: dict[frozenset[Square], float] = {}
        for open_witnesses, weight in lacking.items():
            for has_pit in (False, True):
                left = (open_witnesses | fresh) - (witnesses if has_pit else frozenset())
                if not any(last[witness] == suspect for witness in left):
                    chance = pit_probability if has_pit else 1 - pit_probability
                    after[left] = after.get(left, 0.0) + weight * chance
        lacking = after
    return prod([1 - pit_probability] * (len(clear) - 1)) * sum(lacking.values())


def around(room: Square) -> Rooms:
    """The four rooms next to one, inside the cave or not."""
    return frozenset(ahead(room, facing) for facing in FACINGS)


def is_ahead(room: Square, facing: str, other: Square) -> bool:
    """Whether an arrow from a room in a direction meets another room."""
    dx, dy = other[0] - room[0], other[1] - room[1]
    step = ahead((0, 0), facing)
    return dx * step[1] == dy * step[0] and dx * step[0] + dy * step[1] > 0
