"""Heuristics of Pacman's search problems, all of them for any of the problems: a target is a food, or a corner.

Each is a number of steps times the least cost of a step. All are admissible and consistent: they are 0 where no target
is left, and drop by at most 1 with a step. A step that enters no target changes each distance from Pacman by at most 1.
A target that is entered was 1 step away, so the largest distance drops by 1 at most; other docstrings say why the value
does. Maze distances are lengths of shortest paths. Breadth-first searches compute them, which counts as search time.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heuristics.interface import UNREACHABLE, compiled_heuristic
from runner.base import Incompatible
from worlds.compile import helper
from worlds.interface import Instance, Problem
from worlds.pacman import world as packed
from worlds.pacman.world import LEAST, ROW, ROWS, SQUARE_BITS, SQUARES, TARGETS, is_left, square_of

MANHATTAN, EUCLIDEAN, MAZE = range(3)
MAX_TOUR, MAX_DISTANCES, _INFINITY = 8, 1 << 20, 1 << 60
"""Largest numbers of targets of a tour, and of maze distances; a number above all distances."""


def refuse_large(heuristic: Any, instance: Instance) -> None:
    """Raise `Incompatible` for a problem that needs too large a table of maze distances or of tours."""
    world: Any = instance.world
    name, targets, squares = heuristic.registered_name, len(world.targets), len(world.board.squares)
    if targets > MAX_TOUR if name == "corners_tour" else targets * squares > MAX_DISTANCES:
        size = f"{targets} targets on {squares} squares ({instance.id})"
        raise Incompatible(f"heuristic: the table of {name} is too large for {size}; corners_tree has none")


def maze_distances(problem: Problem) -> NDArray[np.int64]:
    """Return the distances of all squares from each target, by breadth-first search from all of them at once."""
    constants, targets, squares = problem.constants, problem.constants[TARGETS], problem.constants[SQUARES]
    near = constants[ROWS : ROWS + ROW * squares].reshape(squares, ROW)[:, :4]
    near = np.where(near < 0, np.arange(squares)[:, np.newaxis], near)
    table = np.full((targets, squares), UNREACHABLE, np.int64)
    table[np.arange(targets), constants[ROWS + ROW * squares :]] = 0
    for steps in range(1, squares):
        found = (table[:, near] == steps - 1).any(axis=2) & (table == UNREACHABLE)
        if not found.any():
            break
        table[found] = steps
    return table.ravel()


def tours(problem: Problem) -> NDArray[np.int64]:
    """Return the length of the shortest tour through each set of targets from each of its targets on.

    It is by dynamic programming over the sets: M. Held and R. M. Karp, Journal of SIAM 10, 1962.
    """
    constants, targets = problem.constants, range(problem.constants[TARGETS])
    lengths = np.zeros((1 << len(targets), len(targets)), np.int64)
    for left in range(1 << len(targets)):
        for first in targets:
            rest = left & ~(1 << first)
            then = (between(constants, first, to, MANHATTAN) + lengths[rest, to] for to in targets if rest >> to & 1)
            lengths[left, first] = min(then, default=0)
    return lengths.ravel()


@helper
def distance(constants, square, target, metric):
    """Return the distance between a square and a target, rounded down."""
    if metric == MAZE:
        return constants[constants[-1] + target * constants[SQUARES] + square]
    one, other = ROWS + ROW * square, ROWS + ROW * constants[ROWS + ROW * constants[SQUARES] + target]
    across = abs(constants[one + packed.X] - constants[other + packed.X])
    down = abs(constants[one + packed.Y] - constants[other + packed.Y])
    return across + down if metric == MANHATTAN else np.int64(np.sqrt(across * across + down * down))


@helper
def between(constants, one, other, metric):
    """Return the distance between two targets."""
    return distance(constants, constants[ROWS + ROW * constants[SQUARES] + one], other, metric)


@helper
def farthest(constants, states, at, metric):
    """Return the largest distance to a target that is left."""
    square, largest = square_of(states, at), np.int64(0)
    for target in range(constants[TARGETS]):
        if is_left(states, at, target):
            largest = max(largest, distance(constants, square, target, metric))
    return largest * constants[LEAST]


@helper
def tree(constants, states, at, metric):
    """Return the distance to the nearest target left, plus a minimum spanning tree of those left (R. C. Prim, 1957)."""
    square, count = square_of(states, at), constants[TARGETS]
    linked = np.full(count, -1, np.int64)  # distances from the tree
    step, newest, weight = np.int64(_INFINITY), np.int64(-1), np.int64(0)
    for target in range(count):
        if is_left(states, at, target):
            linked[target] = _INFINITY
            if distance(constants, square, target, metric) < step:
                step, newest = distance(constants, square, target, metric), np.int64(target)
    while newest >= 0:
        weight += step
        linked[newest] = -1
        last, step, newest = newest, np.int64(_INFINITY), np.int64(-1)
        for target in range(count):
            if linked[target] >= 0:
                linked[target] = min(linked[target], between(constants, last, target, metric))
                if linked[target] < step:
                    step, newest = linked[target], np.int64(target)
    return weight * constants[LEAST]


simple = partial(compiled_heuristic, domain="pacman", admissible=True, consistent=True)
of_maze = partial(simple, tables=maze_distances, check=refuse_large)


@simple("manhattan")
def manhattan(constants, states, at):
    """Largest Manhattan distance to a target that is left."""
    return farthest(constants, states, at, MANHATTAN)


@simple("euclidean")
def euclidean(constants, states, at):
    """Largest distance to a target that is left as the crow flies, rounded down."""
    return farthest(constants, states, at, EUCLIDEAN)


@of_maze("food_farthest")
@of_maze("maze_distance")
def maze_distance(constants, states, at):
    """Largest maze distance to a target that is left; for one target and unit costs, the cost of an optimal plan."""
    return farthest(constants, states, at, MAZE)


@simple("food_count")
def food_count(constants, states, at):
    """Number of targets that are left: a step enters one of them."""
    count = np.int64(0)
    for target in range(constants[TARGETS]):
        count += is_left(states, at, target)
    return count * constants[LEAST]


@simple("corners_tour", tables=tours, check=refuse_large)
def corners_tour(constants, states, at):
    """Shortest tour from Pacman through the targets that are left, by Manhattan distances; at most 8 targets.

    Entering a target leaves the rest of a tour that begins with it, which is 1 shorter.
    """
    square, count = square_of(states, at), constants[TARGETS]
    left = np.int64(states[at] >> np.uint64(SQUARE_BITS))
    shortest = np.int64(0) if left == 0 else np.int64(_INFINITY)
    for target in range(count):
        if is_left(states, at, target):
            rest = constants[constants[-1] + left * count + target]
            shortest = min(shortest, distance(constants, square, target, MANHATTAN) + rest)
    return shortest * constants[LEAST]


@simple("corners_tree")
def corners_tree(constants, states, at):
    """Manhattan distance to the nearest target left, plus a minimum spanning tree of those left, as `food_tree`."""
    return tree(constants, states, at, MANHATTAN)


@of_maze("food_tree")
def food_tree(constants, states, at):
    """Maze distance to the nearest target that is left, plus a minimum spanning tree of these by maze distances.

    Entering a target: the new tree with the edge from it to its nearest target spans the old targets, so it is at least
    as heavy. A tree with Pacman as a node is lighter, and not consistent: a step may lengthen several of its edges.
    M. Held and R. M. Karp, "The traveling-salesman problem and minimum spanning trees", Operations Research 18, 1970.
    """
    return tree(constants, states, at, MAZE)


@of_maze("food_pair")
def food_pair(constants, states, at):
    """Maze distance of the farthest pair of targets that are left, plus that of Pacman to the nearer of the two.

    Of equal pairs, the first one counts. Entering a target outside of the pair keeps the pair. Entering a of the pair
    a, b leaves some pair c, d with c nearer to a: a is as far from b as a from c plus c from b, which is at most c, d.
    """
    square, count = square_of(states, at), constants[TARGETS]
    longest, steps = np.int64(-1), np.int64(0)
    for one in range(count):
        for other in range(one, count):
            apart = between(constants, one, other, MAZE)
            if is_left(states, at, one) and is_left(states, at, other) and apart > longest:
                steps = min(distance(constants, square, one, MAZE), distance(constants, square, other, MAZE)) + apart
                longest = apart
    return steps * constants[LEAST]
