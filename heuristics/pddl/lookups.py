"""Maximum over sums of entries of tables, which are found by the values of some variables of a state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heuristics.interface import TERM, UNREACHABLE, Term
from heuristics.pddl.projection import INFINITE, Projection
from worlds.compile import as_index, helper, int32_at, kernel
from worlds.pddl.packing import Packing

# Layout of params: a header; the patterns, each the number of its variables, and word, shift, mask and factor of each;
# the index of the abstract state of each pattern (result); the sums, each the number of its entries, and for each entry
# its pattern and the offset of its table.
WORDS, PATTERNS, SUMS, TABLES, FIRST_INDEX, FIRST_SUM, HEADER = range(7)
NO_GOAL = -1
"""Entry of a table for an abstract state from which no goal can be reached."""
Table = NDArray[np.int32]


@dataclass(frozen=True)
class Entry:
    """Part of a sum: a table for the abstract states of a projection, by its number among all projections."""

    projection: int
    table: Table


def table_of(distances: NDArray[np.int64]) -> Table:
    """Return the table of the distances of all abstract states."""
    return np.where(distances >= INFINITE, NO_GOAL, distances).astype(np.int32)


def maximum_of_sums(packing: Packing, projections: Sequence[Projection], sums: Sequence[Sequence[Entry]]) -> Term:
    """Return the term of the maximum over sums. Entries may share tables."""
    used = sorted({entry.projection for entries in sums for entry in entries})
    place_of = {number: place for place, number in enumerate(used)}
    patterns: list[int] = []
    for number in used:
        projection = projections[number]
        patterns.append(len(projection.pattern))
        for variable, factor in zip(projection.pattern, projection.factors, strict=True):
            patterns += [*packing.fields[variable], factor]
    offsets: dict[int, int] = {}
    tables: list[Table] = []
    listed: list[int] = []
    size = 0
    for entries in sums:
        listed.append(len(entries))
        for entry in entries:
            if id(entry.table) not in offsets:
                offsets[id(entry.table)] = size
                tables.append(entry.table)
                size += len(entry.table)
            listed += [place_of[entry.projection], offsets[id(entry.table)]]
    joined = np.concatenate([*tables, np.zeros(1, np.int32)])
    first_index = HEADER + len(patterns)
    header = [packing.words, len(used), len(sums), joined.ctypes.data, first_index, first_index + len(used)]
    return Term(lookups, np.array([*header, *patterns, *[0] * len(used), *listed], np.int64), keepalive=joined)


@helper
def write_indices(params, states, at):
    """Write the index of the abstract state of each pattern."""
    place, first_index = HEADER, as_index(params[FIRST_INDEX])
    for pattern in range(params[PATTERNS]):
        variables = as_index(params[place])
        place += 1
        index = np.int64(0)
        for _ in range(variables):
            value = (states[at + params[place]] >> np.uint64(params[place + 1])) & np.uint64(params[place + 2])
            index += np.int64(value) * params[place + 3]
            place += 4
        params[first_index + pattern] = index


@helper
def largest_sum(params):
    """Return the largest sum of entries at the indices of the patterns; `UNREACHABLE` if an entry has no goal."""
    place, first_index, tables = as_index(params[FIRST_SUM]), as_index(params[FIRST_INDEX]), params[TABLES]
    best = np.int64(0)
    for _ in range(params[SUMS]):
        entries = as_index(params[place])
        place += 1
        total = np.int64(0)
        for _ in range(entries):
            index = params[first_index + as_index(params[place])]
            entry = np.int64(int32_at(tables, params[place + 1] + index))
            if entry < 0:
                return np.int64(UNREACHABLE)
            total += entry
            place += 2
        best = max(best, total)
    return best


@kernel(TERM)
def lookups(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Look the entries of each state up."""
    for k in range(n):
        write_indices(params, out, out_at + k * params[WORDS])
        h[slot + k] += largest_sum(params)
    return 0
