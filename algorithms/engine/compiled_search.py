"""Base classes of searches that run a compiled kernel."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

import numpy as np

from algorithms.engine import control as c
from algorithms.engine import control_best_first as b
from algorithms.engine.inlined import Inlined
from algorithms.engine.kernel_arguments import expansion_buffers, heuristic_of
from algorithms.engine.nodes import FIELD_WORDS, PARENT, G, H, Nodes, capacity_within, insert_all
from algorithms.engine.number_table import NumberTable
from algorithms.engine.open_list import OpenList
from algorithms.engine.search import Counts, Expansion, ResumableSearch
from heuristics.interface import INFINITE_H, BoundStack, evaluate_one
from worlds.compile import EXPAND, IS_GOAL, SUCCESSORS_CHANGED, Kernel, KernelError


class CompiledSearch(ResumableSearch):
    """Resumable search whose data are arrays, one of them the control array (`algorithms.engine.control`).

    Parameters
    ----------
    stack : BoundStack
        Heuristic terms bound to the problem to solve.
    *kernels : Kernel
        Kernels of the search. Other processes compile them while this one compiles those of the problem.
    """

    _is_solved: bool = False  # set by the searches that have `expanded_before_last_layer`

    def __init__(self, stack: BoundStack, *kernels: Kernel) -> None:
        for kernel in (*kernels, evaluate_one):
            kernel.compile_ahead()
        problem = stack.problem
        self._stack, self._problem = stack, problem
        self._heuristic, self._world = heuristic_of(stack), (problem.constants, problem.action_lengths)
        self._functions: tuple[Any, ...] = problem.expand.address(EXPAND), problem.is_goal.address(IS_GOAL), stack.terms
        h = stack.evaluate(problem.initial)
        self._initial_h = None if h == math.inf else int(h)
        self._root_h = INFINITE_H if self._initial_h is None else self._initial_h
        control = self._control = np.zeros(c.SIZE, np.int64)
        control[c.SIMULATED] = 1
        control[c.EVALUATED] = 1 if stack.kernels else 0
        control[c.WORDS] = problem.initial.size
        control[c.MAX_SUCCESSORS] = problem.max_successors

    @property
    def counts(self) -> Counts:
        """Counts so far."""
        control = self._control
        return Counts(
            expanded=int(control[c.EXPANDED]),
            generated=int(control[c.GENERATED]),
            evaluated=int(control[c.EVALUATED]),
            reopened=int(control[c.REOPENED]),
            iterations=self._iterations,
            simulated_actions=int(control[c.SIMULATED]),
            peak_nodes=self._peak_nodes,
            memory_bytes=self._memory_bytes,
        )

    @property
    def expanded(self) -> int:
        """The count of expansions."""
        return int(self._control[c.EXPANDED])

    @property
    def initial_h(self) -> int | None:
        """Heuristic value of the start state; None for a dead end."""
        return self._initial_h

    @property
    def _iterations(self) -> int | None:
        """Number of iterations started; None if the algorithm is not iterative."""
        return None

    @property
    def _peak_nodes(self) -> int:
        return int(self._control[c.NODES])

    @property
    @abstractmethod
    def _memory_bytes(self) -> int:
        """Bytes of all arrays that grow with the search."""

    def _expansion_in(self, nodes: Nodes, backward: bool = False) -> Expansion:
        """Return the last expansion of a search with a node store."""
        node = int(self._control[c.EXPANDED_NODE])
        record, parent = nodes.record(node), nodes.field(node, PARENT)
        # the whole record, because jump point search reads the fields before the state
        steps = self._problem.successors(record, backward=backward, at=FIELD_WORDS)
        before = None if parent == node else nodes.state(parent)
        return Expansion(nodes.state(node), before, nodes.field(node, G), steps, backward)


class StoredSearch(CompiledSearch):
    """Search with a node store. A subclass sets `_nodes`, as `_store_root` does, and `_open` if it has an open list.

    It sets `_inlined` before, if its kernel is compiled with the functions of the world.
    """

    _nodes: Nodes
    _buffers: tuple[np.ndarray, ...]
    _open: OpenList | None = None
    _inlined: Inlined | None = None

    def __init__(self, stack: BoundStack, *kernels: Kernel) -> None:
        super().__init__(stack, *kernels, insert_all)

    def _store_root(self, h: int, first_capacity: int = 1024) -> None:
        """Allocate the node store, with the start as node 0, and the buffers of an expansion."""
        initial, successors = self._problem.initial, self._problem.max_successors
        self._nodes = nodes = self._new_nodes(initial.size, max(first_capacity, 2 * successors))
        nodes.put(0, initial, h)
        nodes.index(1)
        self._control[c.NODES], self._control[c.INDEX_MASK] = 1, nodes.index_mask
        self._buffers = expansion_buffers(initial.size, successors)

    def _new_nodes(self, words: int, capacity: int) -> Nodes:
        return Nodes(words, capacity, self._new_number_table())

    def _new_number_table(self) -> NumberTable | None:
        """Return a table that finds nodes by numbers, for a kernel that does."""
        numbering = self._problem.numbering
        if self._inlined is None or numbering is None:
            return None
        return NumberTable(numbering, self._problem.constants)

    def grow(self, memory_limit: int | None) -> bool:
        """Enlarge what was full in the last step: the open list or the node store."""
        control = self._control
        if self._open is not None and control[b.PUSHED] < control[b.TO_PUSH]:
            return self._open.grow(self._memory_bytes - self._open.nbytes, memory_limit)
        return self._grow_nodes(memory_limit)

    def _grow_nodes(self, memory_limit: int | None) -> bool:
        control, nodes = self._control, self._nodes
        capacity = capacity_within(nodes, self._memory_bytes - nodes.nbytes, memory_limit)
        if capacity > 0:
            nodes.grow(capacity, int(control[c.NODES]))
            control[c.INDEX_MASK] = nodes.index_mask
        return capacity > 0

    @property
    def _memory_bytes(self) -> int:
        return self._nodes.nbytes + (0 if self._open is None else self._open.nbytes)

    def expansion(self) -> Expansion:
        """Return the expansion of the last step."""
        return self._expansion_in(self._nodes)

    @property
    def may_have_pruned(self) -> bool:
        """Whether a node has an infinite heuristic value."""
        values = self._nodes.column(H, 0, int(self._control[c.NODES]))
        return self._initial_h is None or bool((values == INFINITE_H).any())

    def path(self) -> list[int]:
        """Return the action codes from the start to the goal."""
        return self._nodes.path(int(self._control[c.GOAL]))

    @property
    def cost(self) -> int:
        """Cost of the path to the goal."""
        goal = int(self._control[c.GOAL])
        return self._path_cost(goal) if self._control[c.REOPENED] else self._nodes.field(goal, G)

    def _path_cost(self, node: int, backward: bool = False) -> int:
        """Return the cost of the path from a root to a node, summed step by step.

        It may be less than the g of the node: when a closed node is reopened, its descendants keep their g until they
        are reached again.
        """
        nodes, cost = self._nodes, 0
        while (parent := nodes.field(node, PARENT)) != node:
            state, action = nodes.state(node), nodes.action(node)
            steps = self._problem.successors(nodes.state(parent), backward=backward)
            found = [step for after, step, code in steps if code == action and (after == state).all()]
            if not found:
                raise KernelError(SUCCESSORS_CHANGED)
            cost += found[0]
            node = parent
        return cost
