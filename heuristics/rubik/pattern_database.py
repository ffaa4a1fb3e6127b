"""Pattern databases for Rubik's cube."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heuristics.interface import HEURISTICS, TERM, Heuristic, Term
from heuristics.tables import Report, StoredTable, distances, folder_of
from runner.base import UserError, suggest
from worlds.compile import byte_at, helper, int32_at, kernel, prefetch_at
from worlds.interface import InPlaceTerm, Instance, Problem, World
from worlds.rubik.in_place import sequences
from worlds.rubik.patterns import Pattern, added_ranks, index_of, number_of, turned_blocks
from worlds.rubik.rules import CORNERS, CUBIES, EDGES, FIRST_EDGE_SLOT, SOLVED, TURNS, State
from worlds.rubik.search import slot_at
from worlds.rubik.world import Cube

FORMAT = "search-runner Rubik's cube patterns 1"
MAX_ENTRIES = 1 << 28
"""Largest number of entries of a table."""
NAMED = {
    "auto": [[*CORNERS[:4]], [*CORNERS[4:]], [*EDGES[:4]], [*EDGES[4:8]], [*EDGES[8:]]],
    "korf": [
        [*CORNERS],
        ["FR", "FL", "DR", "DF", "DL", "DB"],
        ["UR", "UF", "UL", "UB", "BL", "BR"],
    ],
}
"""Partitions: 136,080 entries for four corners and 190,080 for four edges; Korf's has 88,179,840 and 42,577,920."""


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
        The cubies of each group, corners or edges, such as [[UR, UF], [URF, UFL]]. ``auto``: groups of four, with
        1 MB in all. ``korf``: all corners, and two groups of six edges, with 173 MB in all.
    """

    partition: str | list[list[str]] = "auto"

    admissible = True
    consistent = True

    def check(self, instance: Instance) -> None:
        """Raise `UserError` for groups that are wrong."""
        self._patterns()

    def build(self, instance: Instance, report: Report) -> None:
        """Build the tables that do not exist yet."""
        turns = _world(instance.world).turns
        for pattern in self._patterns():
            _ensure(pattern, turns, report)
            _table(pattern, turns)

    def term(self, problem: Problem) -> Term:
        """Bind to the solved cube."""
        world, patterns = _world(problem.world), self._patterns()
        params, tables = self._params(world, SOLVED)
        in_place = partial(_in_place, patterns, world.turns, world.start)
        return Term(largest, params, in_place=in_place, keepalive=tables)

    def backward_term(self, problem: Problem) -> Term:
        """Bind to the start. The tables are the same: the cubies that lie in a place there take the place's name.

        Turns from the start to a cube lead from the solved cube to the renamed one, and their inverses lead back.
        """
        world = _world(problem.world)
        params, tables = self._params(world, world.start)
        return Term(largest_from_start, params, keepalive=tables)

    def _params(self, world: Cube, target: State) -> tuple[NDArray[np.int64], list[NDArray[np.uint8]]]:
        """Return the parameters of the kernels, and the tables whose addresses they contain."""
        patterns = self._patterns()
        tables = [_table(pattern, world.turns) for pattern in patterns]
        params = [0] * len(CUBIES)
        for pattern, table in zip(patterns, tables, strict=True):
            cubies, twists = _at_home(pattern, target)
            params += [table.ctypes.data, pattern.places, pattern.twists, pattern.digits, len(cubies), *cubies, *twists]
        return np.array(params, np.int64), tables

    def _patterns(self) -> list[Pattern]:
        """Return the pattern of each group."""
        groups = NAMED.get(self.partition) if isinstance(self.partition, str) else self.partition
        if groups is None:
            raise UserError(f"heuristic.partition: expected auto, korf or lists of cubies, got '{self.partition[:40]}'")
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


def _world(world: World) -> Cube:
    assert isinstance(world, Cube)
    return world


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


def _at_home(pattern: Pattern, target: State) -> tuple[list[int], list[int]]:
    """Return the cubies that lie in the places of a pattern in a target state, and their twists there."""
    first, base = (0, 0) if pattern.are_corners else (len(CORNERS), FIRST_EDGE_SLOT)
    slots = [slot - base for slot in target[first : first + pattern.places]]
    places = [slot // pattern.twists for slot in slots]
    cubies = [places.index(place) for place in pattern.cubies]
    return [first + cubie for cubie in cubies], [slots[cubie] % pattern.twists for cubie in cubies]


def _stored(pattern: Pattern, turns: tuple[str, ...]) -> StoredTable:
    """Return the file of a table. The order of the turns makes no difference."""
    names, given = CORNERS if pattern.are_corners else EDGES, sorted(turns)
    about = {"cubies": [names[cubie] for cubie in pattern.cubies], "turns": given}
    parts = ["rubik", *([] if len(turns) == len(TURNS) else ["_".join(given)]), *about["cubies"]]
    file = folder_of("patterns") / f"{'-'.join(parts)}.pdb"
    return StoredTable(file, {"format": FORMAT, **about}, pattern.blocks * pattern.size)


def _ensure(pattern: Pattern, turns: tuple[str, ...], report: Report) -> None:
    """Build the table of a pattern unless a valid file exists.

    Raises
    ------
    UserError
        If the file cannot be written.
    """
    title = f"pattern database of {len(pattern.cubies)} {'corners' if pattern.are_corners else 'edges'}"
    stored = _stored(pattern, turns)
    stored.ensure(title, title, lambda: distances(index_of(pattern, turns), pattern.number(SOLVED)), report)


@cache
def _table(pattern: Pattern, turns: tuple[str, ...]) -> NDArray[np.uint8]:
    """Return the table of a pattern, built if necessary.

    A copy, as the system gives large pages to memory, but not to files: a search looks up entries all over the table.
    """
    _ensure(pattern, turns, lambda *_: None)
    stored = _stored(pattern, turns)
    return np.array(stored.mapped(np.uint8, (stored.size,)))


@helper
def largest_value(params, states, at, is_twisted):
    """Look up each pattern: the address of its table, its sizes, its cubies and their twists in the target.

    In front is room for slots. If `is_twisted` is false, no cubie is twisted in the target.
    """
    best, record = np.int64(0), len(CUBIES)
    while record < params.size:
        count, twists = params[record + 4], params[record + 2]
        for i in range(count):
            slot = slot_at(states, at, params[record + 5 + i])
            if is_twisted:
                twist = slot % twists
                slot += (twist + twists - params[record + 5 + count + i]) % twists - twist
            params[i] = slot
        number = number_of(params, 0, count, params[record + 1], twists, params[record + 3])
        best = max(best, np.int64(byte_at(params[record], number)))
        record += 5 + 2 * count
    return best


@kernel(TERM)
def largest(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Add the largest value to the solved cube."""
    for k in range(n):
        h[slot + k] += largest_value(params, out, out_at + 2 * k, False)
    return 0


@kernel(TERM)
def largest_from_start(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Add the largest value from the start."""
    for k in range(n):
        h[slot + k] += largest_value(params, out, out_at + 2 * k, True)
    return 0


# In place, all children of a node are evaluated at once, pattern by pattern, so that the processor waits for many
# entries at the same time. Children that a pattern puts beyond the bound are left out of the next ones. A frame has the
# value of its node, whether the children are evaluated, and the state of each pattern; then, for each turn, the value
# and the states after it; then room for a list of turns.
VALUE, IS_EXPANDED, STATES = range(3)
# State of a pattern: the block, and the rank in two parts, `rank = upper * lowers + lower`, so that small tables add
# twists.
BLOCK, UPPER, LOWER, STATE_SIZE = range(4)
# The table has the numbers of patterns and turns, and a record for each pattern: the numbers of upper and lower parts,
# the places of their tables of sums, bits of a part, and the addresses of the values and of the entries of turns.
# Behind the records are, for each position, the number of turns that may follow, and these; then the tables of sums.
PATTERNS, TURN_COUNT, HEADER = range(3)
# The entry of a turn has the block after it, and in the lowest bits both parts of the rank that it adds.
UPPERS, LOWERS, UPPER_SUMS, LOWER_SUMS, PART_BITS, VALUES, ENTRIES, RECORD = range(8)


@helper
def change_by_turn(table, board, before, turn, entry, frames, parent, child, enough):
    """Return the change of the largest value by a turn, as `evaluate_children` has found it."""
    states_size = STATE_SIZE * table[PATTERNS]
    children = parent + STATES + states_size
    if frames[parent + IS_EXPANDED] == 0:
        frames[parent + IS_EXPANDED] = 1
        evaluate_children(table, before, frames, parent, children, enough)
    at = children + turn * (1 + states_size)
    change = np.int64(frames[at]) - frames[parent + VALUE]
    if change < enough:
        frames[child + VALUE], frames[child + IS_EXPANDED] = frames[at], 0
        for i in range(states_size):
            frames[child + STATES + i] = frames[at + 1 + i]
    return change


@helper
def evaluate_children(table, before, frames, parent, children, enough):
    """Look up the state and the value of each pattern after each turn."""
    patterns, turns, value = table[PATTERNS], table[TURN_COUNT], np.int64(frames[parent + VALUE])
    child_size = 1 + STATE_SIZE * patterns
    listed = children + turns * child_size
    following = HEADER + RECORD * patterns + before * (1 + turns)
    count = table[following]
    for i in range(count):
        turn = table[following + 1 + i]
        frames[listed + i] = turn
        frames[children + turn * child_size] = 0
    for pattern in range(patterns):
        record, state = HEADER + RECORD * pattern, parent + STATES + STATE_SIZE * pattern
        uppers, lowers, values = table[record + UPPERS], table[record + LOWERS], table[record + VALUES]
        row = np.int64(frames[state + BLOCK]) * turns
        upper_sums = table[record + UPPER_SUMS] + frames[state + UPPER] * uppers
        lower_sums = table[record + LOWER_SUMS] + frames[state + LOWER] * lowers
        bits = table[record + PART_BITS]
        mask = (1 << bits) - 1
        for i in range(count):
            turn = np.int64(frames[listed + i])
            at = children + turn * child_size + 1 + STATE_SIZE * pattern
            entry = int32_at(table[record + ENTRIES], row + turn)
            upper, lower = table[upper_sums + ((entry >> bits) & mask)], table[lower_sums + (entry & mask)]
            block = entry >> (2 * bits)
            frames[at + BLOCK], frames[at + UPPER], frames[at + LOWER] = block, upper, lower
            prefetch_at(values, (block * uppers + upper) * lowers + lower)
        kept = 0
        for i in range(count):
            turn = np.int64(frames[listed + i])
            at = children + turn * child_size
            after = at + 1 + STATE_SIZE * pattern
            block, upper, lower = np.int64(frames[after + BLOCK]), frames[after + UPPER], frames[after + LOWER]
            best = max(np.int64(frames[at]), byte_at(values, (block * uppers + upper) * lowers + lower))
            frames[at] = best
            frames[listed + kept] = turn
            kept += 1 if best - value < enough else 0
        count = kept
    for i in range(count):  # these are expanded soon
        at = children + np.int64(frames[listed + i]) * child_size + 1
        for pattern in range(patterns):
            row = 4 * turns * np.int64(frames[at + STATE_SIZE * pattern + BLOCK])
            entries = table[HEADER + RECORD * pattern + ENTRIES]
            prefetch_at(entries, row)
            prefetch_at(entries, row + 4 * turns - 1)


def _in_place(patterns: Sequence[Pattern], turns: tuple[str, ...], start: State) -> InPlaceTerm:
    moves = sequences(turns)
    records, sums, state, keepalive = list[int](), list[int](), list[int](), list[NDArray[Any]]()
    first_sum = HEADER + RECORD * len(patterns) + (1 + len(turns)) * len(moves)
    for pattern in patterns:
        values, entries = _table(pattern, turns), _entries(pattern, turns)
        keepalive += [values, entries]
        digits = pattern.digits // 2
        parts = [added_ranks(pattern.twists, count) for count in (pattern.digits - digits, digits)]
        places = [first_sum + len(sums), first_sum + len(sums) + parts[0].size]
        sums += [number for part in parts for number in part.ravel().tolist()]
        records += [*map(len, parts), *places, _part_bits(pattern), values.ctypes.data, entries.ctypes.data]
        block, rank = divmod(pattern.number(start), pattern.size)
        state += [block, *divmod(rank, len(parts[1]))]
    following = [
        number for each in moves for number in (len(each), *(m.code for m in each), *[0] * (len(turns) - len(each)))
    ]
    table = np.array([len(patterns), len(turns), *records, *following, *sums], np.int64)
    value = max(int(_table(pattern, turns)[pattern.number(start)]) for pattern in patterns)
    frame = np.array([value, 0, *state, *[0] * (len(turns) * (2 + len(state)))], np.int32)
    covered = {(pattern.are_corners, cubie) for pattern in patterns for cubie in pattern.cubies}
    distribution = partial(_distribution, tuple(patterns), turns)
    return InPlaceTerm(change_by_turn, table, frame, len(covered) == len(CUBIES), distribution, keepalive)


@cache
def _distribution(patterns: tuple[Pattern, ...], turns: tuple[str, ...]) -> NDArray[np.float64]:
    """Return the share of all cubes with each largest value, as if the patterns were independent."""
    at_most = np.ones(256)
    for pattern in patterns:
        counts = np.bincount(_table(pattern, turns), minlength=256)
        at_most *= np.cumsum(counts) / counts.sum()
    return np.diff(at_most, prepend=0.0)


@cache
def _entries(pattern: Pattern, turns: tuple[str, ...]) -> NDArray[np.int32]:
    """Return the block after each turn of each block, and both parts of the rank that the turn adds."""
    blocks, ranks = np.divmod(turned_blocks(pattern, turns), pattern.size)
    upper, lower = np.divmod(ranks, pattern.twists ** (pattern.digits // 2))
    bits = _part_bits(pattern)
    return (blocks << 2 * bits | upper << bits | lower).astype(np.int32)


def _part_bits(pattern: Pattern) -> int:
    return int(pattern.twists ** (pattern.digits - pattern.digits // 2) - 1).bit_length()
