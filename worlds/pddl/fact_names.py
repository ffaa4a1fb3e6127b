"""Names of the facts that hold in packed states."""

from __future__ import annotations

from collections.abc import Sequence

from worlds.pddl.packing import Packing
from worlds.pddl.task import Task

_GROUP_BITS = 8


class FactNames:
    """Names of the facts that hold in the states of a task.

    The names for some bits of a word are kept, so that many variables take one look-up.

    Parameters
    ----------
    task : Task
    packing : Packing
        Packing of its states.
    """

    def __init__(self, task: Task, packing: Packing) -> None:
        groups: list[_Group] = []
        for variable in sorted(range(len(packing.fields)), key=lambda number: packing.fields[number][:2]):
            word, shift, mask = packing.fields[variable]
            if not groups or not groups[-1].has_room_for(word, shift, mask):
                groups.append(_Group(word, shift))
            groups[-1].add(shift, mask, task.atoms[variable])
        self._groups = [(group.word, group.shift, group.mask, group) for group in groups]

    def of(self, words: Sequence[int]) -> frozenset[str]:
        """Return the names of the facts that hold in a state."""
        return frozenset().union(*[known[words[word] >> shift & mask] for word, shift, mask, known in self._groups])


class _Group(dict[int, frozenset[str]]):
    """Variables side by side in a word: the names of their facts, by the bits that they take together."""

    def __init__(self, word: int, shift: int) -> None:
        self.word, self.shift, self.mask = word, shift, 0
        self._variables: list[tuple[int, int, tuple[str | None, ...]]] = []

    def has_room_for(self, word: int, shift: int, mask: int) -> bool:
        return word == self.word and shift - self.shift + mask.bit_length() <= _GROUP_BITS

    def add(self, shift: int, mask: int, atoms: tuple[str | None, ...]) -> None:
        self.mask |= mask << (shift - self.shift)
        self._variables.append((shift - self.shift, mask, atoms))

    def __missing__(self, bits: int) -> frozenset[str]:
        names = (atoms[bits >> shift & mask] for shift, mask, atoms in self._variables)
        self[bits] = found = frozenset(name for name in names if name is not None)
        return found
