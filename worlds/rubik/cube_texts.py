"""Cubes as text: turns of the solved cube, the 54 facelets of Kociemba's programs, or the slots of all cubies."""

from __future__ import annotations

import re
from collections.abc import Sequence

from runner.base import UserError
from worlds.interface import plan_texts
from worlds.rubik.rules import (
    CORNERS,
    CUBIES,
    EDGES,
    FACES,
    SLOTS,
    SOLVED,
    State,
    facelet_slots,
    is_reachable,
    rotated,
    turned,
)

FACELETS = 54
_SIDE = 9
_CENTRE = 4
_ORDER = "URFDLB"
"""Order of the faces in a string of facelets."""
_SUFFIXES = {"": "", "1": "", "2": "2", "3": "-", "-": "-", "'": "-", "2'": "2"}
"""Suffixes of turns, and those of this program: Kociemba's programs write R1, R2 and R3, the world writes R'."""
_APOSTROPHES = str.maketrans(dict.fromkeys("’‘′`´", "'"))
_TURNS = re.compile(f"[{''.join(FACES)}]?[^{''.join(FACES)}]*")
_OTHER_MOVE = re.compile(r".*[()].*|[0-9]?(?:[MESxyzurfdlb]|[URFDLB]w)[0-9]*['-]*|[0-9][URFDLB][0-9]*['-]*")


def state_of(words: Sequence[str]) -> State:
    """Return the state that is described by turns of the solved cube, by facelets, or by the slots of all cubies.

    Raises
    ------
    UserError
        If a word is none of these, or turns do not lead to the state.
    """
    if len(words) == 1 and len(words[0]) > max(map(len, CORNERS)) and {*words[0]} <= {*FACES}:
        return _of_facelets(words[0])
    turns = [turn_of(word) for word in words]
    if any(turns) or not words:
        return _after(words, turns)
    wrong = next((word for word in words if word not in SLOTS), None)
    if wrong is not None:
        raise _unknown(wrong)
    places = [frozenset(word) for word in words]
    if [len(place) for place in places] != [3] * len(CORNERS) + [2] * len(EDGES) or len({*places}) < len(CUBIES):
        raise UserError(f"expected the places of {len(CORNERS)} corners and then of {len(EDGES)} edges, each once")
    return _reachable(words)


def turn_of(word: str) -> str | None:
    """Return the turn of a face that a word means, as this program writes it; None if it means none.

    Examples
    --------
    >>> turn_of("R'"), turn_of("R3"), turn_of("R1"), turn_of("M")
    ('R-', 'R-', 'R', None)
    """
    face, suffix = word[:1], word[1:].translate(_APOSTROPHES)
    return face + _SUFFIXES[suffix] if face in FACES and suffix in _SUFFIXES else None


def turns_in(text: str) -> tuple[str, ...]:
    """Return the turns of a plan, as this program writes them. There need not be blanks between them.

    Raises
    ------
    ValueError
        If a word is anything else than turns of outer faces.
    """
    turns: list[str] = []
    found = plan_texts.words(text)
    for number, word in enumerate(found.items):
        for part in filter(None, _TURNS.findall(word)):
            turn = turn_of(part)
            if turn is None:
                raise found.fail(number, "is no turn; expected turns of outer faces, such as U, U', U- and U2")
            turns.append(turn)
            found.check_length(number, len(turns))
    return tuple(turns)


def facelets_of(state: State) -> str:
    """Return the colours of the 54 facelets, in the order of Kociemba's programs."""
    colours = {
        rotated(SLOTS[slot], shift): colour
        for cubie, slot in zip(CUBIES, state, strict=True)
        for shift, colour in enumerate(cubie)
    }
    return "".join(colours.get(slot, slot) for slot in facelet_slots(_ORDER))  # a centre is its face


def _after(words: Sequence[str], turns: Sequence[str | None]) -> State:
    state = SOLVED
    for word, turn in zip(words, turns, strict=True):
        if turn is None:
            raise _unknown(word)
        state = turned(state, turn)
    return state


def _unknown(word: str) -> UserError:
    shown = f"'{word[:40]}'"
    if _OTHER_MOVE.fullmatch(word.translate(_APOSTROPHES)):
        return UserError(
            f"{shown} is not supported: turns of outer faces only, such as U, U', U- and U2, without slices (M E S), "
            "wide turns (Rw, r), rotations (x y z) and brackets"
        )
    return UserError(
        f"expected turns such as U, U' and U2 with blanks between them, {FACELETS} facelets, or the places of the "
        f"{len(CUBIES)} cubies; {shown} is none of them"
    )


def _of_facelets(text: str) -> State:
    """Return the state whose faces, in the order URFDLB, have these colours: row by row, as in Kociemba's programs."""
    if len(text) != FACELETS:
        raise UserError(f"expected {FACELETS} facelets, or turns with blanks between them; got {len(text)} letters")
    for number, face in enumerate(_ORDER):
        centre = text[number * _SIDE + _CENTRE]
        if centre != face:
            raise UserError(f"the centre of {face} is {centre}: turns of outer faces do not move centres")
    colours = dict(zip(facelet_slots(_ORDER), text, strict=True))
    slots = {}
    for place in CUBIES:
        sides = [rotated(place, shift) for shift in range(len(place))]
        shown = "".join(colours[side] for side in sides)
        first = next((shift for shift in range(len(place)) if rotated(shown, shift) in CUBIES), None)
        if first is None:
            raise UserError(f"no cubie has the colours {' '.join(shown)}, which are at {place}")
        slots[rotated(shown, first)] = sides[first]
    missing = next((cubie for cubie in CUBIES if cubie not in slots), None)
    if missing is not None:
        raise UserError(f"no place has the cubie {missing}, and another cubie is at two places")
    return _reachable([slots[cubie] for cubie in CUBIES])


def _reachable(slots: Sequence[str]) -> State:
    state = tuple(SLOTS.index(slot) for slot in slots)
    if not is_reachable(state):
        raise UserError("no turns lead from the solved cube to this state: its parity, twists or flips are wrong")
    return state
