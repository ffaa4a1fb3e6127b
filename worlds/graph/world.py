"""Explicit graph: nodes with names, arcs with costs, and a heuristic value for each node."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from worlds.graph.search import HEADER, expand, is_goal, predecessors
from worlds.real_costs import automatic_scale, engine_cost, engine_h
from worlds.world import Document, Step, World


class Arc(NamedTuple):
    """Step from a node to another."""

    tail: str
    head: str
    cost: float


@dataclass(frozen=True)
class Graph(World):
    """Directed graph whose arcs have costs. A state is the name of a node, and so is the action that leads to it.

    Attributes
    ----------
    start : str
    goal_nodes : tuple of str
    arcs : tuple of Arc
        At most one arc from a node to another. Their order is that of the successors.
    h : tuple of (str, float)
        Heuristic values of nodes, which may be infinite. Other nodes have 0.
    """

    domain: ClassVar[str] = "graph"
    expand_kernel = expand
    predecessors_kernel = predecessors
    goal_kernel = is_goal

    start: str
    goal_nodes: tuple[str, ...]
    arcs: tuple[Arc, ...]
    h: tuple[tuple[str, float], ...] = ()

    def initial(self) -> str:
        """Return the start."""
        return self.start

    def successors(self, state: str) -> Iterator[Step]:
        """Yield the arcs from a node, in their order."""
        return ((head, head, cost) for _, head, cost in self._from[state])

    def predecessors(self, state: str) -> Iterator[Step]:
        """Yield the arcs to a node, in their order."""
        return ((state, tail, cost) for tail, _, cost in self._to[state])

    def is_goal(self, state: str) -> bool:
        """Return whether a node is a goal."""
        return state in self.goal_nodes

    def goals(self) -> tuple[str, ...]:
        """Return the goals."""
        return self.goal_nodes

    @cached_property
    def cost_scale(self) -> int:
        """Units of the engine in a cost of 1: the least power of ten that suffices for the costs of all arcs."""
        return automatic_scale(arc.cost for arc in self.arcs)

    @cached_property
    def unit_costs(self) -> bool:
        """Whether every arc costs 1."""
        return all(arc.cost == 1 for arc in self.arcs)

    @property
    def max_successors(self) -> int:
        """Largest number of arcs from or to a node."""
        return max(1, *(len(arcs) for of in (self._from, self._to) for arcs in of.values()))

    @cached_property
    def number(self) -> dict[str, int]:
        """Number of each node, in the order in which the arcs, the goals and the start name them."""
        names = [*(name for arc in self.arcs for name in arc[:2]), *self.goal_nodes, self.start]
        return {name: number for number, name in enumerate(dict.fromkeys(names))}

    @cached_property
    def _from(self) -> dict[str, list[Arc]]:
        return self._arcs_by(0)

    @cached_property
    def _to(self) -> dict[str, list[Arc]]:
        return self._arcs_by(1)

    def _arcs_by(self, end: int) -> dict[str, list[Arc]]:
        found: dict[str, list[Arc]] = {name: [] for name in self.number}
        for arc in self.arcs:
            found[str(arc[end])].append(arc)
        return found

    # The packed side.

    def pack(self, state: str) -> list[int]:
        """Return the number of a node."""
        return [self.number[state]]

    def unpack(self, words: Sequence[int]) -> str:
        """Return the name of a node."""
        return self.action_names()[words[0]]

    def action_names(self) -> tuple[str, ...]:
        """Return the names of the nodes: an action is named after the node to which it leads."""
        return self._names

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(self.number)

    def constants(self) -> NDArray[np.int64]:
        """Return the goals, the heuristic values and the arcs in the layout of `worlds.graph.search`."""
        scale, estimates = self.cost_scale, dict(self.h)
        tables = [
            [int(name in self.goal_nodes) for name in self.number],
            [_h_in_engine(estimates.get(name, 0), scale) for name in self.number],
        ]
        begin = HEADER + sum(map(len, tables))
        for end, by_node in ((1, self._from), (0, self._to)):
            first = begin + len(by_node) + 1
            lists = [
                [n for arc in arcs for n in (self.number[str(arc[end])], engine_cost(arc.cost, scale))]
                for arcs in by_node.values()
            ]
            offsets = np.cumsum([first, *map(len, lists)]).tolist()
            tables.append(offsets + [n for each in lists for n in each])
            begin = offsets[-1]
        offsets = np.cumsum([HEADER, *map(len, tables)]).tolist()
        return np.array(offsets[:-1] + [n for table in tables for n in table], np.int64)

    # Audits and files.

    def smaller(self) -> Iterator[Graph]:
        """Yield graphs without one of the arcs, and without one of the heuristic values."""
        for index in range(len(self.arcs)):
            without = replace(self, arcs=self.arcs[:index] + self.arcs[index + 1 :])
            yield replace(without, h=tuple(pair for pair in self.h if pair[0] in without.number))
        for index in range(len(self.h)):
            yield replace(self, h=self.h[:index] + self.h[index + 1 :])

    def starting_at(self, state: str) -> Graph:
        """Return the graph with another start."""
        moved = replace(self, start=state)
        return replace(moved, h=tuple(pair for pair in self.h if pair[0] in moved.number))

    def document(self, name: str) -> Document:
        """Return the graph as a file."""
        lines = [f"start: {self.start}", f"goal: {' '.join(self.goal_nodes)}"]
        lines += [f"h: {node}={value:.15g}" for node, value in self.h]
        lines += [f"{tail} -> {head} {cost:.15g}" for tail, head, cost in self.arcs]
        return Document("graph/file", ".txt", "".join(f"{line}\n" for line in lines))


def _h_in_engine(value: float, scale: int) -> int:
    return -1 if value == math.inf else engine_h(value, scale)
