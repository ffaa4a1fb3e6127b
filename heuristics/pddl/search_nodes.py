"""Nodes of the search for heuristics in files that read more than the state: the parent, the action, or g."""

from __future__ import annotations

import ast
from collections.abc import Callable

import numpy as np

from heuristics.interface import MAX_BATCH, TERM, Checked, Term
from heuristics.pddl.pyperplan import Node, SearchNode, make_child_node, make_root_node
from worlds.compile import call_python, keep, kernel
from worlds.interface import Problem
from worlds.pddl.packing import FactNames
from worlds.pddl.strips import StripsOperator
from worlds.pddl.world import PlanningWorld

_OF_PATH = {"parent", "action", "g", "extract_solution"}

# Layout of params: address of the callback, words of a state, whether the parent is known, and its words. Then for each
# state its words and the code of the action that leads to it; the callback writes the values over them.
ADDRESS, WORDS, HAS_PARENT, PARENT = range(4)


def reads_path(text: str) -> bool:
    """Return whether a file may read attributes of a node that depend on its path."""
    return any(
        (isinstance(each, ast.Attribute) and each.attr in _OF_PATH)
        or (isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value in _OF_PATH)
        for each in ast.walk(ast.parse(text))
    )


def node_term(
    problem: Problem,
    value: Callable[[Node], float],
    names: FactNames,
    operators: dict[str, StripsOperator],
    checked: Checked,
) -> Term:
    """Bind a heuristic of nodes. A state has the path on which it was generated; without one, it is a root.

    Values are not kept: they may differ between paths to a state.

    Parameters
    ----------
    operators : dict
        Operators by their names.
    """
    words = problem.initial.size
    record = words + 1
    params = np.zeros(PARENT + words + record * max(MAX_BATCH, problem.max_successors), np.int64)
    shared = params.data[PARENT + words :]
    nodes: dict[tuple[int, ...], SearchNode] = {}

    def write(count: int) -> int:
        try:
            before = tuple(params[PARENT : PARENT + words].tolist()) if params[HAS_PARENT] else None
            parent = None if before is None else nodes.get(before)
            records = shared[: count * record].tolist()
            for index in range(count):
                *packed, code = records[index * record : (index + 1) * record]
                state = tuple(packed)
                if parent is None or before is None:
                    node = nodes.get(state) or make_root_node(names.of(state))
                else:
                    operator = operators.get(_name(problem, before, code))
                    node = make_child_node(parent, operator, names.of(state))
                if node.g <= nodes.setdefault(state, node).g:
                    nodes[state] = node
                shared[index] = checked(value(node), node)
            return 0
        except BaseException as exception:
            return keep(exception)

    params[ADDRESS], params[WORDS] = id(write), words
    return Term(term_of_nodes, params, calls_python=True, reads_path=True, keepalive=write)


def _name(problem: Problem, state: tuple[int, ...], code: int) -> str:
    """Return the name of the operator that an action code means in a state, as Pyperplan writes it."""
    world = problem.world
    assert isinstance(world, PlanningWorld)
    return f"({world.name_of(world.describe(np.array(state, np.int64).view(np.uint64)), code)})"


@kernel(TERM)
def term_of_nodes(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Pass all states, their parent and the actions to the callback, and add the values that it writes."""
    if n == 0:
        return 0
    words = params[WORDS]
    record, first_record = words + 1, PARENT + words
    params[HAS_PARENT] = 1 if parent_h >= 0 else 0
    if parent_h >= 0:
        for k in range(words):
            params[PARENT + k] = np.int64(states[parent_at + k])
    room = (params.size - first_record) // record
    for first in range(0, n, room):
        count = min(room, n - first)
        for i in range(count):
            at = first_record + i * record
            for k in range(words):
                params[at + k] = np.int64(out[out_at + (first + i) * words + k])
            params[at + words] = action[slot + first + i] if parent_h >= 0 else 0
        status = call_python(params[ADDRESS], count)
        if status < 0:
            return status
        for i in range(count):
            h[slot + first + i] += params[first_record + i]
    return 0
