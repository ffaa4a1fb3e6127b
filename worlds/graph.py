"""Explicit graphs: nodes with names, arcs with costs, and a heuristic value for each node.

The whole domain: the rules as a world, the same rules as kernels, and the sources: files, and Martelli's family.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from runner.base import Fail, content_lines, file_error, line_error, read_text
from worlds.compile import EXPAND, IS_GOAL, helper, kernel
from worlds.interface import (
    MAX_CODE,
    Document,
    Family,
    InputFile,
    Kernels,
    Looks,
    Step,
    automatic_scale,
    engine_cost,
    engine_h,
    plan_texts,
    source,
)

MAX_NODES = MAX_CODE + 1
MAX_NUMBER = 1e9
"""Largest cost of an arc and largest finite heuristic value."""

# The kernels. A packed state is one word, the number of a node. The action code of a step is the number of the node to
# which it leads. `constants` is the offsets of four tables; behind them the tables. Those of goals and of heuristic
# values (-1: infinite) have a number for each node. A table of arcs has for each node, and then for the end, the offset
# of its first arc; then for each arc the node at its other end and the cost.
GOALS, H, OUT, IN, HEADER = range(5)


@helper
def write_neighbours(constants, arcs, states, at, out, out_at, cost, action, slot, backward):
    """Write the nodes at the other ends of a node's arcs."""
    node = np.int64(states[at])
    first = constants[arcs + node]
    n = (constants[arcs + node + 1] - first) >> 1
    for k in range(n):
        other = constants[first + 2 * k]
        out[out_at + k] = other
        cost[slot + k] = constants[first + 2 * k + 1]
        action[slot + k] = node if backward else other
    return n


@kernel(EXPAND)
def expand(constants, states, at, out, out_at, cost, action, slot):
    """Write the successors of a node in the order of the arcs."""
    return write_neighbours(constants, constants[OUT], states, at, out, out_at, cost, action, slot, False)


@kernel(EXPAND)
def predecessors(constants, states, at, out, out_at, cost, action, slot):
    """Write the predecessors of a node in the order of the arcs."""
    return write_neighbours(constants, constants[IN], states, at, out, out_at, cost, action, slot, True)


@kernel(IS_GOAL)
def is_goal(constants, states, at):
    """Return whether a node is a goal."""
    return constants[constants[GOALS] + np.int64(states[at])] != 0


# The world.


class Arc(NamedTuple):
    """Step from a node to another."""

    tail: str
    head: str
    cost: float


@dataclass(frozen=True)
class Graph(Kernels, Looks, Family):
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
    plan_formats = ("names", "nodes", "json")
    expand_kernel = expand
    predecessors_kernel = predecessors
    goal_kernel = is_goal

    start: str
    goal_nodes: tuple[str, ...]
    arcs: tuple[Arc, ...]
    h: tuple[tuple[str, float], ...] = ()

    def initial(self) -> str:
        return self.start

    def successors(self, state: str) -> Iterator[Step]:
        """Yield the arcs from a node, in their order."""
        return ((head, head, cost) for _, head, cost in self._from[state])

    def predecessors(self, state: str) -> Iterator[Step]:
        """Yield the arcs to a node, in their order."""
        return ((state, tail, cost) for tail, _, cost in self._to[state])

    def is_goal(self, state: str) -> bool:
        return state in self.goal_nodes

    def goals(self) -> tuple[str, ...]:
        return self.goal_nodes

    @cached_property
    def cost_scale(self) -> int:
        """Units of the engine in a cost of 1: the least power of ten that suffices for the costs of all arcs."""
        return automatic_scale(arc.cost for arc in self.arcs)

    @cached_property
    def unit_costs(self) -> bool:
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
        return [self.number[state]]

    def unpack(self, words: Sequence[int]) -> str:
        return self.action_names()[words[0]]

    def action_names(self) -> tuple[str, ...]:
        """Return the names of the nodes: an action is named after the node to which it leads."""
        return self._names

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(self.number)

    def constants(self) -> NDArray[np.int64]:
        """Return the goals, the heuristic values and the arcs in the layout of the kernels."""
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
        moved = replace(self, start=state)
        return replace(moved, h=tuple(pair for pair in self.h if pair[0] in moved.number))

    def document(self, name: str) -> Document:
        """Return the graph as a file."""
        lines = [f"start: {self.start}", f"goal: {' '.join(self.goal_nodes)}"]
        lines += [f"h: {node}={value:.15g}" for node, value in self.h]
        lines += [f"{tail} -> {head} {cost:.15g}" for tail, head, cost in self.arcs]
        return Document("graph/file", ".txt", "".join(f"{line}\n" for line in lines))

    # What programs read and write.

    def inputs(self) -> dict[str, str | InputFile]:
        """Return the names of the start and of the goals. The arcs are in the file of the instance."""
        return {"start": self.start, "goal": " ".join(self.goal_nodes)}

    def read_plan(self, text: str, format: str = "names") -> tuple[str, ...]:
        """Return the nodes of a path after the start. In `nodes`, the start comes first."""
        if format != "nodes":
            return super().read_plan(text, format)
        found = plan_texts.names(text, "names", self.number)
        if not found.items:
            raise ValueError(f"line 1: expected the nodes of a path from the start {self.start} on, got none")
        if found.items[0] != self.start:
            raise found.fail(0, f"is not the start {self.start}, which must be the first node")
        return plan_texts.known(found, self.number)[1:]


def _h_in_engine(value: float, scale: int) -> int:
    return -1 if value == math.inf else engine_h(value, scale)


# The sources.


@source("graph/martelli", id="martelli_{n}", small_space={"n": 8})
def martelli(n: Annotated[int, Meta(ge=2, le=28)] = 10, directed: bool = True) -> Graph:
    """Martelli's graph, on which A* with reopening expands 2^(n-1) nodes with the heuristic `table`.

    Node n is the start, 0 the goal. Arcs lead from each node to all smaller ones: from j to i > 0 at the cost 2^(j-2) -
    2^(i-1) + j - i, and from 1 to 0 at the cost 2^(n-1) + n - 2. The heuristic value of j > 1 is 2^(j-1) + 2j - 3,
    which is admissible, but not consistent. Sources: A. Martelli, "On the complexity of admissible search algorithms",
    AI 8, 1977; Felner, Zahavi, Holte, Schaeffer, Sturtevant and Zhang, "Inconsistent heuristics in theory and
    practice", AIJ 175, 2011.

    Parameters
    ----------
    n : int
        Number of nodes without the goal.
    directed : bool
        Whether arcs lead one way only. Bidirectional pathmax needs both; the expansions of A* are the same.
    """
    pairs = [(j, i) for j in range(n, 1, -1) for i in range(j - 1, 0, -1)]
    arcs = [Arc(str(j), str(i), (1 << j - 2) - (1 << i - 1) + j - i) for j, i in pairs]
    arcs.append(Arc("1", "0", (1 << n - 1) + n - 2))
    if not directed:
        arcs += [Arc(head, tail, cost) for tail, head, cost in arcs]
    h = tuple((str(j), (1 << j - 1) + 2 * j - 3) for j in range(2, n + 1))
    return Graph(str(n), ("0",), tuple(arcs), h)


@source("graph/file", files=".txt", content="graphs")
def loaded_graph(file: Path) -> Graph:
    """Graphs of your own, one per file, with a heuristic value for each node.

    ``start: A`` names the start, ``goal: B C`` the goals. ``A -> B 3`` is an arc that costs 3, ``A -- B 3`` one each
    way. ``h: A=4 B=inf`` gives heuristic values; other nodes have 0. Numbers may be decimal. Successors come in the
    order of the arcs. Empty lines and lines that begin with # are skipped.
    """
    return graph_of(file)


_LINES = "'start: A', 'goal: B C', 'h: A=4 B=0', 'A -> B 3' (an arc) or 'A -- B 3' (an arc each way)"


@dataclass
class _GraphLines:
    """Content of the lines of a file that have been read."""

    start: list[str] = field(default_factory=list)
    goal: list[str] = field(default_factory=list)
    h: dict[str, float] = field(default_factory=dict)
    arcs: dict[tuple[str, str], float] = field(default_factory=dict)

    def add(self, line: str, fail: Fail) -> None:
        """Add a line."""
        key, colon, text = line.partition(":")
        words = line.split()
        if colon and key in ("start", "goal"):
            (self.start if key == "start" else self.goal).extend(_node(word, fail) for word in text.split())
        elif colon and key == "h":
            for word in text.split():
                node, _, value = word.rpartition("=")
                if self.h.setdefault(_node(node, fail), number := _number(value, fail, math.inf)) != number:
                    raise fail(f"the node {node[:40]} has two heuristic values")
        elif len(words) == 4 and words[1] in ("->", "--"):
            tail, head, cost = _node(words[0], fail), _node(words[2], fail), _number(words[3], fail)
            for arc in ((tail, head), (head, tail))[: 1 if words[1] == "->" else 2]:
                if arc in self.arcs:
                    raise fail(f"there is an arc from {arc[0][:40]} to {arc[1][:40]} already")
                self.arcs[arc] = cost
        else:
            raise fail(f"expected {_LINES}, got '{line[:60]}'")


def graph_of(path: Path) -> Graph:
    """Read a graph.

    Raises
    ------
    UserError
        If the file cannot be read or is no graph.
    """
    lines = _GraphLines()
    for number, line in content_lines(read_text(path)):
        lines.add(line, partial(line_error, path, number))
    if len(lines.start) != 1 or not lines.goal:
        raise file_error(path, "expected one start and at least one goal; expected lines are " + _LINES)
    arcs = tuple(Arc(*ends, cost) for ends, cost in lines.arcs.items())
    graph = Graph(lines.start[0], tuple(dict.fromkeys(lines.goal)), arcs, tuple(lines.h.items()))
    if len(graph.number) > MAX_NODES:
        raise file_error(path, f"expected at most {MAX_NODES:,} nodes, got {len(graph.number):,}")
    unknown = next((node for node in lines.h if node not in graph.number), None)
    if unknown is not None:
        raise file_error(path, f"h: the node {unknown[:40]} is neither start nor goal, and has no arc")
    return graph


def _node(word: str, fail: Fail) -> str:
    if not word or not word.isprintable() or len(word) > 100 or {*word} & set(":=") or word in ("->", "--"):
        raise fail(f"'{word[:40]}' is no name of a node: 1 to 100 printable characters without blanks, : and =")
    return word


def _number(word: str, fail: Fail, most: float = MAX_NUMBER) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not 0 <= value <= MAX_NUMBER and not value == most:
        raise fail(f"'{word[:40]}' is no number from 0 to {MAX_NUMBER:,.0f}")
    return int(value) if value < math.inf and value == int(value) else value
