"""Kernels of iterative deepening on one board that is changed in place (`worlds.in_place`, `heuristics.in_place`).

The slack of a node is ``bound - f``. It is carried instead of g and h: a child is within the bound if its slack is not
negative. The path holds one word for each level: the position in the low byte, and above it the index of the move after
the one that was made there. These words, and the moves without the one that undoes the last, are what makes it fast.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from algorithms.engine.search import Status
from heuristics.in_place import InPlaceKind, change_of
from worlds.compile.kernel import Kernel, helper
from worlds.compile.operations import borrowed
from worlds.in_place import LAST_MOVE, destination, first_following

(
    DEPTH,
    NEXT_MOVE,  # index of the next move to try
    POSITION,
    SLACK,  # of the node
    BOUND,  # on f
    EXCESS,  # by how much the smallest f beyond the bound exceeds it
    EXPANDED,
    GENERATED,
    FLOOR,  # depth at which the walk ends
    G_FACTOR,  # factors in f
    H_FACTOR,
    ROOTS,  # number of roots that were written
    WALK_SIZE,
) = range(13)
"""Indices into the array of a walk."""

ROOT_EXPANDED, ROOT_GENERATED, ROOT_PATH = range(3)
"""Indices into the record of a root: the counts of the walk when it was generated, and the path to it."""

_POSITION, _ONE, _SHIFT = np.uint64(0xFF), np.uint64(1), np.uint64(8)


@helper
def path_word(position, following):
    """Return the word of a level of the path: its position, and the index of the next move to try there."""
    return position | following << _SHIFT


@helper
def position_in(word):
    """Return the position of a level."""
    return word & _POSITION


@helper
def move_after(word):
    """Return the index of the next move to try at a level. The move before it is on the path."""
    return word >> _SHIFT


@cache
def in_place_step(kind: InPlaceKind, *, is_weighted: bool = False, is_split: bool = False) -> Kernel:
    """Return the kernel that runs at most `budget` expansions of one iteration. It returns EXHAUSTED at its end.

    It does not need the lock of Python's interpreter, so that several threads can run it, each on arrays of its own.

    Parameters
    ----------
    kind : InPlaceKind
    is_weighted : bool
        Use the factors of g and h; otherwise both are 1.
    is_split : bool
        Expand no node at the depth of the roots: write it to `roots` instead.
    """
    change, make, undo, terms = change_of(kind), kind.moves.make, kind.moves.undo, len(kind.changes)

    def step(params, changes, table, board, frames, path, slacks, walk, roots, budget):
        params, changes, table, board, frames, path, slacks, walk, roots = (
            borrowed(params), borrowed(changes), borrowed(table), borrowed(board), borrowed(frames), borrowed(path),
            borrowed(slacks), borrowed(walk), borrowed(roots),
        )  # fmt: skip
        frame_size = params[terms][terms]
        depth, following, position = np.uint64(walk[DEPTH]), np.uint64(walk[NEXT_MOVE]), np.uint64(walk[POSITION])
        floor, slack, bound, excess = np.uint64(walk[FLOOR]), walk[SLACK], walk[BOUND], walk[EXCESS]
        g_factor, h_factor = (walk[G_FACTOR], walk[H_FACTOR]) if is_weighted else (np.int64(1), np.int64(1))
        generated, remaining = np.int64(0), np.int64(budget)
        root_depth = np.uint64(roots.shape[1] - ROOT_PATH)
        status = Status.RUNNING.value
        while True:
            move = table[following]
            following += _ONE
            to = destination(move)
            frame = np.int64(depth) * frame_size
            delta = change(params, changes, board, frames, frame, frame + frame_size, position, move)
            child_slack = slack - g_factor - (h_factor * delta if is_weighted else delta)
            generated += 1
            is_beyond = child_slack < 0
            is_root = False
            if is_split and not is_beyond and depth + _ONE == root_depth:
                is_root = child_slack != bound - np.int64(depth + _ONE) * g_factor
            if is_beyond or is_root:
                if is_beyond:
                    excess = min(excess, -child_slack)
                else:
                    if walk[ROOTS] == roots.shape[0]:
                        status = Status.OUT_OF_MEMORY.value
                        break
                    root = roots[walk[ROOTS]]
                    root[ROOT_EXPANDED], root[ROOT_GENERATED] = budget - remaining, generated
                    for level in range(np.int64(depth)):
                        root[ROOT_PATH + level] = path[level]
                    root[ROOT_PATH + np.int64(depth)] = path_word(position, following)
                    walk[ROOTS] += 1
                while move >= LAST_MOVE:
                    if depth == floor:
                        status = Status.EXHAUSTED.value
                        break
                    depth -= _ONE
                    word, slack = path[depth], slacks[depth]
                    before = position_in(word)
                    undo(board, before, position)
                    position, following = before, move_after(word)
                    move = table[following - _ONE]
                if status == Status.EXHAUSTED.value:
                    break
                continue
            if remaining == 0:  # the next step generates the child again
                following -= _ONE
                generated -= 1
                break
            path[depth], slacks[depth] = path_word(position, following), slack
            depth += _ONE
            make(board, position, to)
            position, slack, following = to, child_slack, first_following(move)
            if slack == bound - np.int64(depth) * g_factor:  # h = 0
                status = Status.SOLVED.value
                break
            remaining -= 1
        walk[DEPTH], walk[NEXT_MOVE], walk[POSITION], walk[SLACK] = depth, following, position, slack
        walk[EXCESS] = excess
        walk[EXPANDED] += budget - remaining
        walk[GENERATED] += generated
        return status

    variants = (".weighted" if is_weighted else "") + (".split" if is_split else "")
    step.__qualname__ = f"in_place_step.{kind.name}{variants}"  # see `Kernel`
    return Kernel(step, f"int64({_arrays(terms)}, uint64[:,::1], int64)", without_lock=True)


@cache
def in_place_follow(kind: InPlaceKind) -> Kernel:
    """Return the kernel that makes the moves of a path of `steps` steps from the start."""
    change, make, terms = change_of(kind), kind.moves.make, len(kind.changes)

    def follow(params, changes, table, board, frames, path, slacks, walk, steps):
        frame_size = params[terms][terms]
        slack, position = walk[SLACK], np.uint64(walk[POSITION])
        for depth in range(steps):
            slacks[depth] = slack
            move = table[move_after(path[depth]) - _ONE]
            to, frame = destination(move), depth * frame_size
            delta = change(params, changes, board, frames, frame, frame + frame_size, position, move)
            slack -= walk[G_FACTOR] + walk[H_FACTOR] * delta
            make(board, position, to)
            position = to
            walk[NEXT_MOVE] = first_following(move)
        walk[DEPTH], walk[POSITION], walk[SLACK] = steps, position, slack
        return 0

    follow.__qualname__ = f"in_place_follow.{kind.name}"
    return Kernel(follow, f"int64({_arrays(terms)}, int64)", without_lock=True)


def _arrays(terms: int) -> str:
    params, changes = f"UniTuple(int64[::1], {terms + 1})", f"UniTuple(int8[::1], {terms})"
    return f"{params}, {changes}, uint64[::1], uint8[::1], int32[::1], uint64[::1], int64[::1], int64[::1]"
