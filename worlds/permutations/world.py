"""Common parts of puzzles that sort a permutation: packed states, and the base of their worlds.

A permutation of at most 16 items takes one word, with 4 bits for each place. In a longer one each place takes 6 bits,
and a word holds 10 of them. The first place has the lowest bits of the first word.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import combinations
from math import factorial
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from runner.base import Fail, UserError, checked_id, file_error, named_lines
from worlds.compile import IS_GOAL, helper, kernel
from worlds.interface import MAX_STATES, Family, Helper, Kernels, Looks, PerfectIndex, StateVariable
from worlds.permutations.index import Rearrangement, index_of_permutations

Made = TypeVar("Made")
Permutation = tuple[int, ...]
"""Item in each place."""

MAX_SIZE = 40
# Layout of `constants`: number of items, number of words of a state, and the packed goal.
SIZE, WORDS, GOAL = range(3)


@dataclass(frozen=True)
class Layout:
    """Layout of a packed permutation.

    Attributes
    ----------
    name : str
        Part of the names of kernels.
    bits : int
        Bits of an item.
    per_word : int
        Items in a word.
    item : helper
        ``item(states, at, place)`` returns the item in a place.
    """

    name: str
    bits: int
    per_word: int
    item: Helper

    def pack(self, items: Sequence[int]) -> list[int]:
        """Return the words of a permutation."""
        parts = [items[first : first + self.per_word] for first in range(0, len(items), self.per_word)]
        return [sum(item << self.bits * place for place, item in enumerate(part)) for part in parts]

    def unpack(self, words: Sequence[int], size: int) -> Permutation:
        """Return the permutation of packed words: the inverse of `pack`."""
        mask = (1 << self.bits) - 1
        places = (divmod(place, self.per_word) for place in range(size))
        return tuple(words[word] >> self.bits * place & mask for word, place in places)

    def variables(self, size: int) -> list[StateVariable]:
        """Return the variables of a packed permutation: the item in each place."""
        places = (divmod(place, self.per_word) for place in range(size))
        return [StateVariable(word, self.bits * place, (1 << self.bits) - 1, size) for word, place in places]


@helper
def item_in_word(states, at, place):
    """Return the item in a place of a state of one word."""
    return np.int64((states[at] >> np.uint64(4 * place)) & np.uint64(15))


@helper
def item_in_words(states, at, place):
    """Return the item in a place of a state of several words."""
    return np.int64((states[at + place // 10] >> np.uint64(6 * (place % 10))) & np.uint64(63))


@kernel(IS_GOAL)
def is_sorted(constants, states, at):
    """Return whether every word is that of the goal."""
    for i in range(constants[WORDS]):
        if np.int64(states[at + i]) != constants[GOAL + i]:
            return False
    return True


ONE_WORD = Layout("one_word", 4, 16, item_in_word)
SEVERAL_WORDS = Layout("several_words", 6, 10, item_in_words)


def per_layout(make: Callable[[Layout], Made]) -> dict[Layout, Made]:
    """Return what a function makes for each of the two layouts."""
    return {layout: make(layout) for layout in (ONE_WORD, SEVERAL_WORDS)}


def layout_of(size: int) -> Layout:
    """Return the layout of a permutation of this size."""
    return ONE_WORD if size <= ONE_WORD.per_word else SEVERAL_WORDS


def are_even(moves: Sequence[Permutation]) -> bool:
    """Return whether no move changes the parity of a permutation."""
    return all(sum(one > other for one, other in combinations(move, 2)) % 2 == 0 for move in moves)


def places_of(items: Permutation) -> list[int]:
    """Return the place of each item."""
    return [place for _, place in sorted(zip(items, range(len(items)), strict=True))]


@cache
def _index(moves: tuple[Permutation, ...]) -> PerfectIndex:
    n = len(moves[0])
    return index_of_permutations(n, [*map(Rearrangement, moves)], places_of, [0] * n if are_even(moves) else ())


class PermutationWorld(Kernels, Looks, Family):
    """Base of worlds whose goal is the permutation 0, 1, ..., n - 1, and whose steps cost 1 or more."""

    goal_kernel = is_sorted

    @abstractmethod
    def initial(self) -> Permutation: ...

    @property
    @abstractmethod
    def moves(self) -> tuple[Permutation, ...]:
        """Place to which each move takes the item in each place."""

    @property
    def perfect_index(self) -> Callable[[], PerfectIndex] | None:
        """Index of all permutations, or of the even ones if no other can be reached, if they are not too many."""
        is_small = factorial(len(self.goal)) // (1 + are_even(self.moves)) <= MAX_STATES
        return partial(_index, self.moves) if is_small else None

    def is_goal(self, state: Permutation) -> bool:
        return state == self.goal

    def goals(self) -> list[Permutation]:
        return [self.goal]

    @property
    def goal(self) -> Permutation:
        """The permutation in order."""
        return tuple(range(len(self.initial())))

    @cached_property
    def layout(self) -> Layout:
        """Layout of packed states."""
        return layout_of(len(self.initial()))

    def pack(self, state: Permutation) -> list[int]:
        return self.layout.pack(state)

    def unpack(self, words: Sequence[int]) -> Permutation:
        return self.layout.unpack(words, len(self.initial()))

    def state_variables(self) -> list[StateVariable]:
        """Return the item in each place."""
        return self.layout.variables(len(self.initial()))

    def constants(self) -> NDArray[np.int64]:
        """Return the number of items, the number of words and the packed goal."""
        goal = np.array(self.pack(self.goal), np.uint64)
        return np.concatenate([np.array([len(self.goal), goal.size], np.int64), goal.view(np.int64)])

    def state(self, value: Sequence[int]) -> Permutation:
        """Return a permutation of this size.

        Raises
        ------
        UserError
            If the numbers are no permutation of 0 to n - 1.
        """
        state = tuple(int(item) for item in value)
        if sorted(state) != list(self.goal):
            raise UserError(f"state: expected each of 0 to {len(self.goal) - 1} once, got {value}")
        return state

    def show(self, state: Permutation) -> str:
        """Return the items from the first place to the last."""
        return " ".join(map(str, state))


def named_permutations(path: Path, item: str, whole: str) -> Iterator[tuple[str, Permutation]]:
    """Yield the id and the permutation of each line of a file.

    A line is numbers from 0 or from 1, optionally after `id:`. Empty lines and lines that begin with # are skipped.

    Parameters
    ----------
    item, whole : str
        Nouns for an item and for a permutation, for messages.

    Raises
    ------
    UserError
        If the file cannot be read, or a line is wrong.
    """
    found = 0
    for found, (name, items, fail) in enumerate(named_lines(path), 1):
        permutation = _permutation(items, item, whole, fail)
        yield checked_id(name or f"{path.stem}_{found}", fail), permutation
    if not found:
        raise file_error(path, f"holds no {whole}s; expected one per line, such as 2 0 3 1")


def _permutation(text: str, item: str, whole: str, fail: Fail) -> Permutation:
    words = text.replace(",", " ").split()
    wrong = next((word for word in words if not (word.isascii() and word.isdecimal() and len(word) < 4)), None)
    if wrong is not None:
        raise fail(f"'{wrong[:40]}' is not a {item}; a {whole} is whole numbers separated by blanks")
    if not 2 <= len(words) <= MAX_SIZE:
        raise fail(f"expected 2 to {MAX_SIZE} {item}s, got {len(words)}")
    items = [int(word) for word in words]
    first = 0 if 0 in items else 1
    last = first + len(items) - 1
    if missing := sorted({*range(first, last + 1)} - {*items}):
        raise fail(f"expected each of {first} to {last} once; {missing[0]} is missing")
    return tuple(each - first for each in items)
