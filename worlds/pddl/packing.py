"""Packed states: each variable takes some bits of one word. What heuristics in plain Python see of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worlds.interface import Words
from worlds.pddl.task import Fact, Task, Values

_WORD_BITS = 64
_GROUP_BITS = 8


@dataclass(frozen=True, eq=False)
class Packing:
    """Place of each variable of a task in the words of a state.

    Attributes
    ----------
    task : Task
    """

    task: Task

    @cached_property
    def fields(self) -> tuple[tuple[int, int, int], ...]:
        """For each variable: its word, its lowest bit there, and as many set bits as it takes, from bit 0.

        Few words suffice: the largest variables come first, each in the first word with room for it.
        """
        bits = [(len(facts) - 1).bit_length() for facts in self.task.facts]
        places, free = {}, list[int]()
        for variable in sorted(range(len(bits)), key=lambda number: -bits[number]):
            word = next((number for number, room in enumerate(free) if room >= bits[variable]), len(free))
            if word == len(free):
                free.append(_WORD_BITS)
            places[variable] = word, _WORD_BITS - free[word], (1 << bits[variable]) - 1
            free[word] -= bits[variable]
        return tuple(places[variable] for variable in range(len(bits)))

    @cached_property
    def words(self) -> int:
        """Number of words of a state."""
        return 1 + max(word for word, _, _ in self.fields)

    @cached_property
    def field_array(self) -> NDArray[np.int64]:
        """`fields` as a flat array, for kernels."""
        return np.array(self.fields, np.int64).reshape(-1)

    @cached_property
    def first_facts(self) -> NDArray[np.int64]:
        """Number of the first fact of each variable, where facts are numbered variable by variable."""
        sizes = [len(facts) for facts in self.task.facts]
        return np.cumsum([0, *sizes[:-1]], dtype=np.int64)

    @cached_property
    def fact_names(self) -> FactNames:
        """Names of the facts that hold in packed states."""
        return FactNames(self, self.task.atoms)

    def pack(self, values: Values) -> Words:
        """Pack a state."""
        packed = [0] * self.words
        for (word, shift, _), value in zip(self.fields, values, strict=True):
            packed[word] |= value << shift
        return np.array(packed, np.uint64)

    def combined(self, facts: Iterable[Fact]) -> list[tuple[int, int, int]]:
        """Return facts as (word, mask, bits), one for each word: they hold if the masked bits of the word are these.

        Where several facts have the same variable, the last one counts.
        """
        found: dict[int, tuple[int, int]] = {}
        for variable, value in facts:
            word, shift, ones = self.fields[variable]
            mask, bits = found.get(word, (0, 0))
            taken = ones << shift
            found[word] = mask | taken, (bits & ~taken) | (value << shift)
        return [(word, *found[word]) for word in sorted(found)]


class FactNames:
    """Names of the facts that hold in packed states.

    The names for some bits of a word are kept, so that many variables take one look-up.

    Parameters
    ----------
    packing : Packing
    names : sequence of sequence of str or None
        For each variable, the name of each of its values; None for a value without a name.
    always : frozenset of str
        Names of facts that hold in all states.

    Attributes
    ----------
    of : callable
        Takes the words of a state, and returns the names of the facts that hold in it.
    of_word : callable
        The same for a state of one word, which is given itself.
    """

    def __init__(
        self, packing: Packing, names: Sequence[Sequence[str | None]], always: frozenset[str] = frozenset()
    ) -> None:
        groups: list[_Group] = []
        for variable in sorted(range(len(packing.fields)), key=lambda number: packing.fields[number][:2]):
            word, shift, mask = packing.fields[variable]
            if not groups or not groups[-1].has_room_for(word, shift, mask):
                groups.append(_Group(word, shift))
            groups[-1].add(shift, mask, names[variable])
        self.of: Callable[[Sequence[int]], frozenset[str]] = _reader(groups, always, "state[{}]")
        self.of_word: Callable[[int], frozenset[str]] = _reader(groups, always, "state")


def _reader(groups: Sequence[_Group], always: frozenset[str], word: str) -> Callable[[Any], frozenset[str]]:
    """Return a function that looks the groups up in a state. `word` is the text that reads a word of it.

    The text of the function has a look-up for each group: with a loop, an evaluation takes 15 % longer.
    """
    looked_up = (f"g{i}[{word.format(each.word)} >> {each.shift} & {each.mask}]" for i, each in enumerate(groups))
    names = {f"g{i}": each for i, each in enumerate(groups)}
    made = eval(f"lambda union, {', '.join(names)}: lambda state: union({', '.join(looked_up)})")
    reader: Callable[[Any], frozenset[str]] = made(always.union, **names)
    return reader


class _Group(dict[int, frozenset[str]]):
    """Variables side by side in a word: the names of their facts, by the bits that they take together."""

    def __init__(self, word: int, shift: int) -> None:
        self.word, self.shift, self.mask = word, shift, 0
        self._variables: list[tuple[int, int, Sequence[str | None]]] = []

    def has_room_for(self, word: int, shift: int, mask: int) -> bool:
        return word == self.word and shift - self.shift + mask.bit_length() <= _GROUP_BITS

    def add(self, shift: int, mask: int, names: Sequence[str | None]) -> None:
        self.mask |= mask << (shift - self.shift)
        self._variables.append((shift - self.shift, mask, names))

    def __missing__(self, bits: int) -> frozenset[str]:
        found = (names[bits >> shift & mask] for shift, mask, names in self._variables)
        self[bits] = true = frozenset(name for name in found if name is not None)
        return true


class PlanningState(Mapping[str, str]):
    """State of a planning task: a mapping from the name of each variable to the name of its value.

    A search makes one for each value of a heuristic, so names are looked up only when they are asked for.

    Parameters
    ----------
    packing : Packing
        Packing of the states of the task.
    state : ndarray of uint64
        Packed state. Attribute `words` has its words.
    """

    __slots__ = ("_facts", "_packing", "words")

    def __init__(self, packing: Packing, state: Words) -> None:
        self._packing = packing
        self.words: list[int] = state.tolist()
        self._facts: frozenset[str] | None = None

    @property
    def task(self) -> Task:
        """Task of the state."""
        return self._packing.task

    def __getitem__(self, variable: str) -> str:
        number = self.task.numbers[variable]
        word, shift, mask = self._packing.fields[number]
        return self.task.facts[number][self.words[word] >> shift & mask]

    def __iter__(self) -> Iterator[str]:
        return iter(self.task.names)

    def __len__(self) -> int:
        return len(self.task.names)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PlanningState) and other.task is self.task:
            return self.words == other.words
        return super().__eq__(other)

    def __hash__(self) -> int:
        return hash(tuple(self.words))

    def __repr__(self) -> str:
        return f"{{{', '.join(sorted(self.facts))}}}"

    @property
    def facts(self) -> frozenset[str]:
        """Names of all facts that hold, such as ``on(a, b)``. Facts that can never change are not among them."""
        if self._facts is None:
            self._facts = self._packing.fact_names.of(self.words)
        return self._facts
