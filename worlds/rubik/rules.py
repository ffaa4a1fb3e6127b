"""The 3x3x3 cube: its cubies, and what turns of the faces do to them.

A state is the slot of each cubie. A place of a corner has three slots, and that of an edge two: the sides on which the
first sticker of the cubie can lie. A slot is written as the letters of its place, that side first. So each slot is a
string, the solved cube is the list of the first slots, and a turn exchanges letters.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

State = tuple[int, ...]
"""Slot of each cubie, the corners first."""

CORNERS = ("URF", "UFL", "ULB", "UBR", "DFR", "DLF", "DBL", "DRB")
EDGES = ("UR", "UF", "UL", "UB", "DR", "DF", "DL", "DB", "FR", "FL", "BL", "BR")
"""Places, and the cubies that belong there. The letters of a corner are in clockwise order."""
CUBIES = CORNERS + EDGES
SLOTS = tuple(name[i:] + name[:i] for name in CORNERS for i in range(3)) + tuple(
    name[i:] + name[:i] for name in EDGES for i in range(2)
)
"""Slots: 24 of the corners, 3 for each place, then 24 of the edges, 2 for each place."""
FIRST_EDGE_SLOT = 24
SOLVED: State = tuple(SLOTS.index(name) for name in CUBIES)

_NEIGHBOURS = {"U": "FLBR", "D": "FRBL", "F": "URDL", "B": "ULDR", "L": "UFDB", "R": "UBDF"}
"""Faces, and their neighbours in clockwise order."""
FACES = tuple(_NEIGHBOURS)
TURNS = tuple(face + suffix for face in FACES for suffix in ("", "-", "2"))
"""Quarter turns clockwise and counterclockwise, and half turns."""


@cache
def slots_after(turn: str) -> tuple[int, ...]:
    """Return the slot to which a turn takes the sticker of each slot."""
    around = _NEIGHBOURS[turn[0]]
    shift = {"": 1, "-": 3, "2": 2}[turn[1:]]
    letters = str.maketrans(around, around[shift:] + around[:shift])
    return tuple(SLOTS.index(slot.translate(letters)) if turn[0] in slot else n for n, slot in enumerate(SLOTS))


def turned(state: State, turn: str) -> State:
    """Return the state after a turn."""
    after = slots_after(turn)
    return tuple(after[slot] for slot in state)


def inverse(turn: str) -> str:
    """Return the turn that undoes a turn."""
    return turn[0] + {"": "-", "-": "", "2": "2"}[turn[1:]]


def is_reachable(state: State) -> bool:
    """Return whether turns lead from the solved cube to a state whose slots belong to different places.

    The permutation must be even, the twists of the corners must add up to a multiple of 3, and the flips of the edges
    to a multiple of 2.
    """
    corners, edges = state[: len(CORNERS)], state[len(CORNERS) :]
    places = [slot // 3 for slot in corners] + [len(CORNERS) + (slot - FIRST_EDGE_SLOT) // 2 for slot in edges]
    inversions = sum(one > other for n, one in enumerate(places) for other in places[n + 1 :])
    return inversions % 2 == 0 and sum(slot % 3 for slot in corners) % 3 == 0 and sum(s % 2 for s in edges) % 2 == 0


@cache
def redundant_pairs(turns: tuple[str, ...]) -> frozenset[tuple[int, int]]:
    """Return the pairs of turns, as their numbers, that a search need not make one after the other.

    The same state is reached without a turn, by one turn, or by a pair that is earlier in the order of the turns. Of
    all shortest sequences to a state, the first in lexicographic order contains none of these pairs: so one is left.
    Source: L. Taylor and R. Korf, "Pruning duplicate nodes in depth-first search", AAAI 1993.
    """
    ones = [turned(SOLVED, turn) for turn in turns]
    found = {SOLVED, *ones}
    redundant = set()
    for first, state in enumerate(ones):
        for second, turn in enumerate(turns):
            after = turned(state, turn)
            if after in found:
                redundant.add((first, second))
            found.add(after)
    return frozenset(redundant)


# Positions of the stickers of each face on the unfolded cube: the place of its middle, and the faces to its right and
# above it.
_NET = {
    "U": (4, 7, "R", "B"), "L": (1, 4, "F", "U"), "F": (4, 4, "R", "U"),
    "R": (7, 4, "B", "U"), "B": (10, 4, "L", "U"), "D": (4, 1, "R", "F"),
}  # fmt: skip


def stickers(state: State) -> Iterator[tuple[int, int, str]]:
    """Yield the column, the row from below and the colour, which is the letter of a face, of each sticker."""
    for face, (x, y, _, _) in _NET.items():
        yield x, y, face
    for cubie, slot in zip(CUBIES, state, strict=True):
        for shift, colour in enumerate(cubie):
            yield *_net_place(rotated(SLOTS[slot], shift)), colour


@cache
def facelet_slots(faces: str) -> tuple[str, ...]:
    """Return the slot of each facelet of some faces, row by row as on the unfolded cube; of a centre, its face."""
    at = {_net_place(slot): slot for slot in SLOTS} | {(x, y): face for face, (x, y, _, _) in _NET.items()}
    sides = [_NET[face][:2] for face in faces]
    return tuple(at[x + column, y - row] for x, y in sides for row in (-1, 0, 1) for column in (-1, 0, 1))


def rotated(slot: str, shift: int) -> str:
    """Return a slot of the same place, which begins with a later letter."""
    return slot[shift:] + slot[:shift]


def _net_place(slot: str) -> tuple[int, int]:
    """Return the column and the row from below of the sticker that lies on the first side of a slot."""
    x, y, right, up = _NET[slot[0]]
    left, down = _opposite(right), _opposite(up)
    return x + (right in slot) - (left in slot), y + (up in slot) - (down in slot)


def _opposite(face: str) -> str:
    return FACES[FACES.index(face) ^ 1]
