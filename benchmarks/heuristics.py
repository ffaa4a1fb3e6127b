"""Compiled heuristics: time per value of the function form and of the batch kernel of the same formula.

``python -m benchmarks.heuristics`` (seconds). Both forms evaluate the same states in turns, and must give the same
values. The table has the smallest times.
"""

# Kernels are typed by numba signatures.
# mypy: allow-untyped-defs

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice

import numpy as np

import runner
from benchmarks.engine import cave
from benchmarks.tables import Row, expect, parser_of, show
from benchmarks.timing import timed
from heuristics.interface import TERM, Heuristic, Term, compiled_heuristic
from heuristics.wumpus.legs import distance, value_when_over
from runner.config import register, sections
from worlds.compile import Kernel, kernel
from worlds.interface import Instance, Problem, Words
from worlds.npuzzle.search import CELLS, WORDS, tile_in_words
from worlds.wumpus.search import CLIMBED_OUT, DIED, EXIT, GOLD, HAS_GOLD, has, square_of

STATES, CALLS = 5_000, 50


@compiled_heuristic("actions_function", domain="wumpus")
def actions(constants, state):
    if has(state, CLIMBED_OUT | DIED):
        return value_when_over(state)
    return 1 if has(state, HAS_GOLD) else 2


@kernel(TERM)
def actions_batch(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    for k in range(n):
        state = out[out_at + k]
        if has(state, CLIMBED_OUT | DIED):
            h[slot + k] += value_when_over(state)
        else:
            h[slot + k] += 1 if has(state, HAS_GOLD) else 2
    return 0


@compiled_heuristic("legs_function", domain="wumpus")
def legs(constants, state):
    if has(state, CLIMBED_OUT | DIED):
        return value_when_over(state)
    square = square_of(state)
    if has(state, HAS_GOLD):
        return 1 + distance(square, constants[EXIT])
    return 2 + distance(square, constants[GOLD]) + distance(constants[GOLD], constants[EXIT])


@kernel(TERM)
def legs_batch(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    for k in range(n):
        state = out[out_at + k]
        if has(state, CLIMBED_OUT | DIED):
            h[slot + k] += value_when_over(state)
            continue
        square = square_of(state)
        if has(state, HAS_GOLD):
            h[slot + k] += 1 + distance(square, params[EXIT])
        else:
            h[slot + k] += 2 + distance(square, params[GOLD]) + distance(params[GOLD], params[EXIT])
    return 0


@compiled_heuristic("misplaced_function", domain="npuzzle")
def misplaced(constants, states, at):
    count = 0
    for cell in range(1, constants[CELLS]):
        tile = tile_in_words(states, at, constants, cell)
        count += 1 if tile != 0 and tile != cell else 0
    return count


@kernel(TERM)
def misplaced_batch(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    for k in range(n):
        count = 0
        for cell in range(1, params[CELLS]):
            tile = tile_in_words(out, out_at + k * params[WORDS], params, cell)
            count += 1 if tile != 0 and tile != cell else 0
        h[slot + k] += count
    return 0


@dataclass(frozen=True)
class Batch(Heuristic):
    """Base of the heuristics with a batch kernel."""

    batch = actions_batch

    def term(self, problem: Problem) -> Term:
        return Term(self.batch, problem.constants)


def add_batch(name: str, domain: str, batch: Kernel) -> None:
    register("heuristic", name, domain=domain)(dataclass(frozen=True)(type(name, (Batch,), {"batch": batch})))


add_batch("actions_batch", "wumpus", actions_batch)
add_batch("legs_batch", "wumpus", legs_batch)
add_batch("misplaced_batch", "npuzzle", misplaced_batch)


def cave_states(where: Instance) -> Iterator[Words]:
    """Yield random states of a cave of 200x200 squares."""
    source = random.Random(1)
    while True:
        square = source.randrange(200), source.randrange(200)
        gold, climbed_out = source.random() < 0.5, source.random() < 0.1
        yield where.world.state(location=square, facing=source.choice("NESW"), gold=gold, climbed_out=climbed_out)


def boards(where: Instance) -> Iterator[Words]:
    """Yield random boards of 5x5 tiles."""
    source = random.Random(1)
    while True:
        yield where.world.state(source.sample(range(25), 25))


def measure(name: str, repeat: int) -> Row:
    """Measure the kernels of both forms of a heuristic in turns, each on all states at once."""
    in_cave = name != "misplaced"
    where = cave(200) if in_cave else runner.load("npuzzle/random", size=5, count=1)[0]
    states = np.concatenate(list(islice((cave_states if in_cave else boards)(where), STATES)))
    calls, found = {}, {}
    for form in ("function", "batch"):
        (term,) = (
            sections.stack_of(where.world.domain, {"stack": [f"{name}_{form}"]}).prepare(where.problem()).bound_terms
        )
        h = found[form] = np.zeros(STATES, np.int64)
        action = np.zeros(STATES, np.int16)
        calls[form] = partial(term.kernel.compiled, term.params, states, 0, -1, states, 0, action, h, 0, STATES)
        expect(calls[form](), 0, name)
    expect(found["function"].tolist(), found["batch"].tolist(), name)
    seconds = dict.fromkeys(calls, float("inf"))
    for _ in range(CALLS * repeat):
        for form, call in calls.items():
            found[form][:] = 0
            seconds[form] = min(seconds[form], timed(call)[1])
    return {
        "heuristic": name,
        "words": where.problem().initial.size,
        "function: ns": 1e9 * seconds["function"] / STATES,
        "batch kernel: ns": 1e9 * seconds["batch"] / STATES,
        "ratio": seconds["function"] / seconds["batch"],
    }


def main() -> None:
    """Print the table."""
    options = parser_of(__doc__, repeated="each form").parse_args()
    show("time per value", [measure(name, options.repeat) for name in ("actions", "legs", "misplaced")])


if __name__ == "__main__":
    main()
