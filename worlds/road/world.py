"""Queries on road networks: a start and a goal in a network that many queries share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice, pairwise, starmap
from operator import itemgetter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from runner.base import UserError
from worlds.interface import (
    CostVectors,
    Document,
    Family,
    InputFile,
    Kernels,
    Looks,
    Numbering,
    Step,
    Words,
    plan_texts,
)
from worlds.road import formats, render
from worlds.road.network import UNREACHED, Network
from worlds.road.search import expand, is_goal, pack, predecessors, unpack
from worlds.road.shared import SharedNetwork


@dataclass(frozen=True)
class Road(Kernels, Looks, Family, CostVectors):
    """A start and a goal in a network. A state is a node, counted from 0.

    Plans name a step by the node to which it leads, as the file names it: from 1, or ``x:y`` in a grid. Of several arcs
    from a node to the same head, the second one is ``17/2``, the third ``17/3``, in the order of the file.

    Attributes
    ----------
    shared : SharedNetwork
    start, goal : int
        Nodes, counted from 0.
    reference_point : tuple of int, optional
        Point up to which fronts dominate. Unless given, the corner of the single optima.
    """

    domain: ClassVar[str] = "road"
    plan_formats = ("names", "nodes", "json")
    expand_kernel = expand
    predecessors_kernel = predecessors
    goal_kernel = is_goal

    shared: SharedNetwork
    start: int
    goal: int
    reference_point: tuple[int, ...] | None = None

    @property
    def network(self) -> Network:
        """The network, with the chosen objectives."""
        return self.shared.network

    def identity(self) -> dict[str, Any]:
        """Return the digest of the network and its costs, the ends, and the reference point if it is given."""
        given = {} if self.reference_point is None else {"reference": self.reference_point}
        return {"network": self.shared.digest, "start": self.start, "goal": self.goal, **given}

    @property
    def unit_costs(self) -> bool:
        return self.shared.has_unit_costs

    def with_unit_costs(self) -> Road:
        """Return the query in the network whose arcs cost 1."""
        return self if self.unit_costs else Road(self.shared.with_unit_costs, self.start, self.goal)

    # The rules.

    def initial(self) -> int:
        return self.start

    def goals(self) -> tuple[int]:
        return (self.goal,)

    def is_goal(self, state: int) -> bool:
        return state == self.goal

    def successors(self, state: int) -> Iterator[Step]:
        """Yield the arcs from a node, in their order."""
        return ((name, head, costs[0]) for name, (head, costs) in self.shared.arcs_from(state).items())

    def predecessors(self, state: int) -> Iterator[Step]:
        """Yield the arcs to a node, in their order."""
        network, seen = self.network.backward, dict[int, int]()
        arcs = slice(int(network.first[state]), int(network.first[state + 1]))
        for tail, cost in zip(network.heads[arcs].tolist(), network.costs[arcs, 0].tolist(), strict=True):
            seen[tail] = number = seen.get(tail, 0) + 1
            yield self.shared.step_name(state, number), tail, cost

    def step_of(self, state: int, action: str) -> tuple[int, float] | None:
        """Return the head and the cost of the arc of a name; None if there is none."""
        head, costs = self.shared.arcs_from(state).get(action, (0, None))
        return None if costs is None else (head, costs[0])

    def cost_vector(self, plan: Sequence[str]) -> tuple[int, ...]:
        """Return the sums of the costs of a plan that `replay` accepts."""
        node, vectors = self.start, list[tuple[int, ...]]()
        for action in plan:
            node, costs = self.shared.arcs_from(node)[action]
            vectors.append(costs)
        return tuple(map(sum, zip(*vectors, strict=True))) if vectors else (0,) * self.network.objectives

    def reference(self) -> tuple[int, ...] | None:
        """Return the point that is given, or the corner of the single optima; None without a path.

        The corner has the largest of each cost among the paths that are least in one cost and, among these, in the
        others, one after the other.
        """
        return self.reference_point or self._corner

    @cached_property
    def _corner(self) -> tuple[int, ...] | None:
        count = self.network.objectives
        optima = np.zeros((count, count), np.int64)
        for first in range(count):
            order = (first, *(k for k in range(count) if k != first))
            optima[first, list(order)] = self.network.distances(self.start, order)[self.goal]
        return None if optima[0, 0] == UNREACHED else tuple(optima.max(axis=0).tolist())

    # The packed side.

    @property
    def max_successors(self) -> int:
        return self.shared.degree

    @property
    def action_lengths(self) -> NDArray[np.int64]:
        return self.shared.action_lengths

    @property
    def numbering(self) -> Numbering:
        return self.shared.numbering

    def constants(self) -> NDArray[np.int64]:
        """Return the network, which all its queries share."""
        return self.shared.packed

    def pack(self, state: int) -> Words:
        if not 0 <= state < self.network.nodes:
            raise UserError(f"state: expected a node from 0 to {self.network.nodes - 1:,}, got {state!r}")
        return pack(state, self.goal)

    def unpack(self, words: Sequence[int]) -> int:
        return unpack(words)

    def state(self, node: int | str) -> Words:
        """Pack the state at a node, by its name: its number in the file, or "x:y" in a grid.

        Raises
        ------
        UserError
            If there is no such node.
        """
        number = self.shared.node(str(node))
        if number is None:
            raise UserError(f"state: {self.shared.name} has no node {str(node)[:40]!r}")
        return pack(number, self.goal)

    def name_of(self, state: int, code: int) -> str:
        """Return the name of the step over an arc from a node."""
        names = self.shared.arcs_from(state)
        if not 0 <= code < len(names):
            raise ValueError(f"{self.text_of(state)} has {len(names)} arcs, and no arc {code}")
        return next(islice(names, code, None))

    def names_of(self, codes: Sequence[int]) -> tuple[str, ...]:
        """Return the names of the steps of a path from the start."""
        names, node = list[str](), self.start
        for code in codes:
            name = self.name_of(node, code)
            names.append(name)
            node, _ = self.shared.arcs_from(node)[name]
        return tuple(names)

    # Audits and files.

    def smaller(self) -> Iterator[Road]:
        """Yield networks without the arcs from one of the nodes, and without one of the arcs."""
        network = self.network
        groups = (network.tails == tail for tail in np.unique(network.tails))
        single = (np.arange(network.heads.size) == arc for arc in range(network.heads.size))
        for without in chain((each for each in groups if each.sum() > 1), single):
            tails, heads, costs = (each[~without] for each in (network.tails, network.heads, network.costs))
            left = Network.of(tails, heads, costs, network.nodes)
            yield replace(self, shared=replace(self.shared, network=left))

    def starting_at(self, state: int) -> Road:
        return replace(self, start=state)

    def document(self, name: str) -> Document:
        """Return the network as a file, with start and goal as parameters. Nodes are numbers."""
        text = "".join(f"{line}\n" for line in formats.dump_network(self.network, self.shared.points))
        reference = {} if self.reference_point is None else {"reference": list(self.reference_point)}
        ends = {"start": self.start + 1, "goal": self.goal + 1}
        return Document("road/file", ".txt", text, {**ends, **reference})

    # What programs read and write.

    def inputs(self) -> dict[str, str | InputFile]:
        """Return the numbers of start and goal, from 1, and files: all costs, a file for each, and the coordinates."""
        return {"start": str(self.start + 1), "goal": str(self.goal + 1), **self.shared.files}

    def read_plan(self, text: str, format: str = "names") -> tuple[str, ...]:
        """Return the steps of a plan. `nodes` are the numbers of all nodes of a path, from 1, the start first.

        Between two nodes that several arcs join, `nodes` means the first of those with the least first cost.
        """
        if format != "nodes":
            return super().read_plan(text, format)
        found = plan_texts.numbers(text)
        nodes = [int(item) - 1 for item in found.items]
        for number, node in enumerate(nodes):
            if not 0 <= node < self.network.nodes:
                raise found.fail(number, f"is no node from 1 to {self.network.nodes:,}")
        if not nodes:
            raise ValueError(f"line 1: expected the nodes of a path from the start {self.start + 1} on, got none")
        if nodes[0] != self.start:
            raise found.fail(0, f"is not the start {self.start + 1}, which must be the first node")
        return tuple(starmap(self._step_to, pairwise(nodes)))

    def _step_to(self, node: int, head: int) -> str:
        """Return the name of the cheapest step from a node to another."""
        steps = [(cost, name) for name, other, cost in self.successors(node) if other == head]
        return min(steps, key=itemgetter(0), default=(0, self.shared.node_name(head)))[1]

    # The looks.

    def show(self, state: int) -> str:
        return self.shared.node_name(state)

    def text_of(self, state: int) -> str:
        return f"node {self.show(state)}"

    def locate(self, state: int) -> tuple[float, float] | None:
        places = self.shared.positions
        return None if places is None else (float(places[state, 0]), float(places[state, 1]))

    def draw_path(self, states: Sequence[int], axes: Any) -> None:
        render.draw(self.shared, self.goal, states, axes)

    def drawing_of(self, states: Sequence[int]) -> Callable[[Any], None] | None:
        """Return a function that draws the network and the path so far; None without coordinates."""
        return None if self.shared.points is None else super().drawing_of(states)

    def picture(self, plan: Sequence[str]) -> Callable[[Any], None] | None:
        """Return a function that draws the network and the path of a plan."""
        return self.drawing_of(self.played(plan)[0])
