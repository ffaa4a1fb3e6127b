"""Sources of graphs: files, and Martelli's family."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from runner.base.files import Fail, checked_id, content_lines, file_error, line_error, read_text
from worlds.graph.world import Arc, Graph
from worlds.interface import Instance
from worlds.sources import WORLDS, Source, UserFiles
from worlds.world import MAX_CODE

MAX_NODES = MAX_CODE + 1
MAX_NUMBER = 1e9
"""Largest cost of an arc and largest finite heuristic value."""
_LINES = "'start: A', 'goal: B C', 'h: A=4 B=0', 'A -> B 3' (an arc) or 'A -- B 3' (an arc each way)"


@WORLDS.register("graph/file")
@dataclass(frozen=True)
class GraphFiles(UserFiles[Instance], Source):
    """Graphs of your own, one per file, with a heuristic value for each node.

    ``start: A`` names the start, ``goal: B C`` the goals. ``A -> B 3`` is an arc that costs 3, ``A -- B 3`` one each
    way. ``h: A=4 B=inf`` gives heuristic values; other nodes have 0. Numbers may be decimal. Successors come in the
    order of the arcs. Empty lines and lines that begin with # are skipped.
    """

    domain: ClassVar[str] = Graph.domain
    extensions = (".txt",)
    content = "graphs"

    def load(self, path: Path) -> Iterator[Instance]:
        """Read one file."""
        name = checked_id(path.stem, partial(file_error, path))
        yield Instance(graph_of(path), name, source=self.registered_name)


@WORLDS.register("graph/martelli")
@dataclass(frozen=True)
class Martelli(Source):
    """Martelli's graph, on which A* with reopening expands 2^(n-1) nodes with the heuristic `table`.

    Node n is the start, 0 the goal. Arcs lead from each node to all smaller ones: from j to i > 0 at the cost 2^(j-2) -
    2^(i-1) + j - i, and from 1 to 0 at the cost 2^(n-1) + n - 2. The heuristic value of j > 1 is 2^(j-1) + 2j - 3,
    which is admissible, but not consistent. Sources: A. Martelli, "On the complexity of admissible search algorithms",
    AI 8, 1977; Felner, Zahavi, Holte, Schaeffer, Sturtevant and Zhang, "Inconsistent heuristics in theory and
    practice", AIJ 175, 2011.

    Attributes
    ----------
    n : int
        Number of nodes without the goal.
    directed : bool
        Whether arcs lead one way only. Bidirectional pathmax needs both; the expansions of A* are the same.
    """

    small_space: ClassVar[Mapping[str, Any]] = {"n": 8}

    domain: ClassVar[str] = Graph.domain

    n: Annotated[int, Meta(ge=2, le=28)] = 10
    directed: bool = True

    def instances(self) -> Iterator[Instance]:
        """Yield the graph."""
        n = self.n
        pairs = [(j, i) for j in range(n, 1, -1) for i in range(j - 1, 0, -1)]
        arcs = [Arc(str(j), str(i), (1 << j - 2) - (1 << i - 1) + j - i) for j, i in pairs]
        arcs.append(Arc("1", "0", (1 << n - 1) + n - 2))
        if not self.directed:
            arcs += [Arc(head, tail, cost) for tail, head, cost in arcs]
        h = tuple((str(j), (1 << j - 1) + 2 * j - 3) for j in range(2, n + 1))
        yield Instance(Graph(str(n), ("0",), tuple(arcs), h), f"martelli_{n}", source=self.registered_name)

    def __len__(self) -> int:
        """Number of instances: 1."""
        return 1


@dataclass
class _Lines:
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
    lines = _Lines()
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
