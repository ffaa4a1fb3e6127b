"""Pattern databases for Rubik's cube."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from heuristics.index_distances import distances
from heuristics.interface import HEURISTICS, TERM, Heuristic, Term
from heuristics.table_store import Report, StoredTable, folder_of
from runner.base.errors import UserError, suggest
from worlds.compile.kernel import helper, kernel
from worlds.compile.operations import byte_at, int32_at
from worlds.in_place import InPlaceTerm
from worlds.interface import Instance, Problem
from worlds.rubik.patterns import MAP_BITS, Pattern, TurnTable, number_of
from worlds.rubik.rules import CORNERS, CUBIES, EDGES, SOLVED, TURNS, State
from worlds.rubik.search import slot_at
from worlds.rubik.world import Cube

FORMAT = "search-runner Rubik's cube patterns 1"
MAX_ENTRIES = 1 << 28
"""Largest number of entries of a table."""
KORF = [
    list(CORNERS),
    ["FR", "FL", "DR", "DF", "DL", "DB"],
    ["UR", "UF", "UL", "UB", "BL", "BR"],
]
"""Cubies of ``auto``: 88,179,840 entries for the corners, and 42,577,920 for each half of the edges."""


@HEURISTICS.register("pattern_database", domain="rubik")
@dataclass(frozen=True)
class CubePatternDatabase(Heuristic):
    """Maximum over groups of cubies: the fewest turns that bring a group into place, whatever the others are.

    Admissible and consistent: these are distances in an abstraction. Source: R. Korf, "Finding optimal solutions to
    Rubik's cube using pattern databases", AAAI 1997.

    Tables are built on first use and stored in the user's cache directory.

    Attributes
    ----------
    partition : str or list of lists of str
        The cubies of each group, corners or edges, such as [[UR, UF], [URF, UFL]]. ``auto``: all corners, and two
        groups of six edges, with 173 MB in all.
    """

    partition: str | list[list[str]] = "auto"

    admissible = True
    consistent = True

    def check(self, instance: Instance) -> None:
        """Raise `UserError` for groups that are wrong."""
        self._patterns()

    def build(self, instance: Instance, report: Report) -> None:
        """Build the tables that do not exist yet."""
        turns = _world(instance).turns
        for pattern in self._patterns():
            _ensure(pattern, turns, report)
            _table(pattern, turns)

    def term(self, problem: Problem) -> Term:
        """Bind to the solved cube."""
        world, patterns = _world(problem.instance), self._patterns()
        tables = [_table(pattern, world.turns) for pattern in patterns]
        params = [
            number
            for pattern, table in zip(patterns, tables, strict=True)
            for number in (
                table.ctypes.data, pattern.places, pattern.twists, pattern.digits, len(pattern.cubies),
                *(cubie + (0 if pattern.are_corners else len(CORNERS)) for cubie in pattern.cubies),
            )
        ]  # fmt: skip
        in_place = partial(_in_place, patterns, world.turns, world.start)
        scratch = [0] * len(CUBIES)
        return Term(largest, np.array([*scratch, *params], np.int64), in_place=in_place, keepalive=tables)

    def _patterns(self) -> list[Pattern]:
        """Return the pattern of each group."""
        if isinstance(self.partition, str) and self.partition != "auto":
            raise UserError(f"heuristic.partition: expected auto or lists of cubies, got '{self.partition[:40]}'")
        groups = KORF if isinstance(self.partition, str) else self.partition
        patterns = [_pattern(group) for group in groups]
        if not patterns:
            raise UserError("heuristic.partition: expected at least one group of cubies")
        largest = max(patterns, key=lambda pattern: pattern.blocks * pattern.size)
        if largest.blocks * largest.size > MAX_ENTRIES:
            raise UserError(
                f"heuristic.partition: expected groups with at most {MAX_ENTRIES:,} states, got one of "
                f"{len(largest.cubies)} cubies with {largest.blocks * largest.size:,}"
            )
        return patterns


def _world(instance: Instance) -> Cube:
    assert isinstance(instance.rules, Cube)
    return instance.rules


def _pattern(group: Sequence[str]) -> Pattern:
    """Return the pattern of some cubies."""
    wrong = next((name for name in group if name not in CUBIES), None)
    if wrong is not None:
        raise UserError(f"heuristic.partition: there is no cubie '{wrong[:40]}'{suggest(wrong, CUBIES)}")
    are_corners = bool(group) and group[0] in CORNERS
    names = CORNERS if are_corners else EDGES
    if not group or len({*group}) < len(group) or not {*group} <= {*names}:
        raise UserError("heuristic.partition: expected groups of corners or of edges, each once in a group")
    return Pattern(tuple(sorted(map(names.index, group))), are_corners)


def _stored(pattern: Pattern, turns: tuple[str, ...]) -> StoredTable:
    """Return the file of a table. The order of the turns makes no difference."""
    names = CORNERS if pattern.are_corners else EDGES
    about = {"cubies": [names[cubie] for cubie in pattern.cubies], "turns": sorted(turns)}
    name = "-".join(about["cubies"]) if len(pattern.cubies) < len(names) else "all"
    kind = f"{'corners' if pattern.are_corners else 'edges'}{'' if len(turns) == len(TURNS) else '_'.join(['', *about['turns']])}"
    file = folder_of("patterns") / f"rubik-{kind}-{name}.pdb"
    return StoredTable(file, {"format": FORMAT, **about}, pattern.blocks * pattern.size)


def _ensure(pattern: Pattern, turns: tuple[str, ...], report: Report) -> None:
    """Build the table of a pattern unless a valid file exists.

    Raises
    ------
    UserError
        If the file cannot be written.
    """
    stored = _stored(pattern, turns)
    title = f"pattern database of {len(pattern.cubies)} {'corners' if pattern.are_corners else 'edges'}"
    if stored.is_valid(report, title):
        return
    report(title, 0.0)
    index = TurnTable.of(pattern, turns).index(pattern)
    try:
        stored.write(distances(index, pattern.number(SOLVED)))
    except OSError as error:
        raise UserError(
            f"pattern_database: {stored.file}: {error.strerror or error} ({stored.size:,} bytes are needed)"
        ) from None


@cache
def _table(pattern: Pattern, turns: tuple[str, ...]) -> NDArray[np.uint8]:
    """Return the table of a pattern, built if necessary.

    A copy, as the system gives large pages to memory, but not to files: a search looks up entries all over the table.
    """
    _ensure(pattern, turns, lambda *_: None)
    stored = _stored(pattern, turns)
    return np.array(stored.mapped(np.uint8, (stored.size,)))


@kernel(TERM)
def largest(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Look up each pattern: the address of its table, its sizes, and its cubies. In front is room for slots."""
    scratch = len(CUBIES)
    for k in range(n):
        best, at = np.int64(0), scratch
        while at < params.size:
            count = params[at + 4]
            for i in range(count):
                params[i] = slot_at(states, out_at + 2 * k, params[at + 5 + i])
            number = number_of(params, 0, count, params[at + 1], params[at + 2], params[at + 3])
            best = max(best, np.int64(byte_at(params[at], number)))
            at += 5 + count
        h[slot + k] += best
    return 0


# In place: a frame holds the value, and the block and the rank of each pattern. The table has the numbers of patterns
# and turns, and a record for each pattern: the size of a block, the number of maps, and three addresses.
PATTERNS, TURN_COUNT, HEADER = range(3)
SIZE, MAP_COUNT, VALUES, ENTRIES, MAPS, RECORD = range(6)


@helper
def change_by_turn(table, board, before, turn, entry, frames, parent, child):
    """Look up the block, the rank and the value of each pattern, and return the change of the largest value."""
    best = np.int64(0)
    for pattern in range(table[PATTERNS]):
        record, place = HEADER + RECORD * pattern, 1 + 2 * pattern
        after = int32_at(table[record + ENTRIES], frames[parent + place] * table[TURN_COUNT] + turn)
        at_map = frames[parent + place + 1] * table[record + MAP_COUNT] + (after & ((1 << MAP_BITS) - 1))
        block, rank = after >> MAP_BITS, int32_at(table[record + MAPS], at_map)
        frames[child + place], frames[child + place + 1] = block, rank
        best = max(best, byte_at(table[record + VALUES], block * table[record + SIZE] + rank))
    frames[child] = best
    return best - frames[parent]


def _in_place(patterns: Sequence[Pattern], turns: tuple[str, ...], start: State) -> InPlaceTerm:
    records, frame, keepalive = [], [0], []
    for pattern in patterns:
        values, (entries, maps) = _table(pattern, turns), _turn_arrays(pattern, turns)
        records += [pattern.size, maps.shape[1], *(array.ctypes.data for array in (values, entries, maps))]
        keepalive += [values, entries, maps]
        number = pattern.number(start)
        frame += divmod(number, pattern.size)
        frame[0] = max(frame[0], int(values[number]))
    table = np.array([len(patterns), len(turns), *records], np.int64)
    covered = {(pattern.are_corners, cubie) for pattern in patterns for cubie in pattern.cubies}
    return InPlaceTerm(change_by_turn, table, np.array(frame, np.int32), len(covered) == len(CUBIES), keepalive)


@cache
def _turn_arrays(pattern: Pattern, turns: tuple[str, ...]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the entries of a table of turns, and its maps by the rank and then by the number of the map."""
    table = TurnTable.of(pattern, turns)
    return table.entries.astype(np.int32), np.ascontiguousarray(table.maps.T.astype(np.int32))
