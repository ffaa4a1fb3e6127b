"""Conflict-based search in plain Python: earliest conflict first, no bypass, negative constraints only.

Ties are broken as in `algorithms.mapf.constraint_tree`: fewer conflicts first, then the newest node. Of several agents
in one cell the last one counts.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field

import numpy as np

from worlds.mapf.search import distances_to
from worlds.mapf.world import MapfWorld

Path = list[int]
Constraint = tuple[int, int, int, int]
"""Agent, time, cell, and the cell to which a forbidden move leads, or -1."""
Conflict = tuple[int, int, int, int, int]
"""Time, agents, the cell that the first one enters, and the one that it leaves if they exchange cells, or -1."""


@dataclass
class NaiveTree:
    """Search on a world.

    Attributes
    ----------
    world : MapfWorld
    expanded, generated : int
        Counts.
    """

    world: MapfWorld
    expanded: int = 0
    generated: int = 0
    neighbours: list[list[int]] = field(init=False)
    distances: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.neighbours = self.world.roadmap.neighbours.tolist()
        self.distances = distances_to(self.world.roadmap, self.world.goal_numbers)
        self.starts, self.goals = self.world.start_numbers.tolist(), self.world.goal_numbers.tolist()

    def search(self, most: int) -> int | None:
        """Return the optimal cost; None after a number of expansions."""
        root: list[Path] = []
        for agent in range(self.world.agents):
            path = self.plan(agent, [], dict(enumerate(root)), 0)
            assert path is not None
            root.append(path)
        nodes = [(self.cost(root), len(self.conflicts(root)), 0, root, list[Constraint]())]
        number = 0
        while self.expanded < most:
            cost, _, _, paths, constraints = heapq.heappop(nodes)
            found = self.conflicts(paths)
            if not found:
                return cost
            self.expanded += 1
            time, one, two, cell, before = min(found)
            for agent, to, at in ((one, cell, before), (two, before, cell)):
                new = (agent, time, cell, -1) if before < 0 else (agent, time, at, to)
                others = {other: path for other, path in enumerate(paths) if other != agent}
                path = self.plan(agent, [*constraints, new], others, len(paths[agent]) - 1)
                self.generated += 1
                if path is not None:
                    number += 1
                    child = [*paths[:agent], path, *paths[agent + 1 :]]
                    entry = (self.cost(child), len(self.conflicts(child)), -number, child, [*constraints, new])
                    heapq.heappush(nodes, entry)
        return None

    def cost(self, paths: list[Path]) -> int:
        """Return the objective."""
        lengths = [len(path) - 1 for path in paths]
        return max(lengths) if self.world.objective == "makespan" else sum(lengths)

    def conflicts(self, paths: list[Path]) -> list[Conflict]:
        """Return the conflicts of paths."""
        found: list[Conflict] = []
        inside: dict[tuple[int, int], int] = {}
        for agent, path in enumerate(paths):
            for time, cell in enumerate(path):
                other = self.resting(cell, time, dict(enumerate(paths)), agent)
                if other is not None:
                    found.append((time, min(agent, other), max(agent, other), cell, -1))
                other = inside.get((time, cell))
                before = path[time - 1] if time else cell
                if other is not None and time < len(path) - 1:
                    found.append((time, min(agent, other), max(agent, other), cell, -1))
                    continue
                other = inside.get((time - 1, cell))
                if other is not None and before != cell and before in paths[other][time : time + 1]:
                    ends = (cell, before) if agent < other else (before, cell)
                    found.append((time, min(agent, other), max(agent, other), *ends))
            for time, cell in enumerate(path[:-1]):
                inside[time, cell] = agent
        return found

    def resting(self, cell: int, time: int, paths: dict[int, Path], agent: int) -> int | None:
        """Return another agent that has arrived in a cell for good."""
        owner = self.goals.index(cell) if cell in self.goals else None
        return owner if owner in paths and owner != agent and len(paths[owner]) - 1 <= time else None

    def plan(self, agent: int, constraints: list[Constraint], others: dict[int, Path], at_least: int) -> Path | None:
        """Return a cheapest path with the fewest conflicts; None if there is none."""
        own = {constraint[1:] for constraint in constraints if constraint[0] == agent}
        goal = self.goals[agent]
        end = max((time + 1 for time, cell, to in own if cell == goal and to < 0), default=0)
        inside = {(time, cell): other for other, path in others.items() for time, cell in enumerate(path[:-1])}

        def conflicts_of(time: int, cell: int, to: int) -> int:
            if self.resting(to, time, others, agent) is not None or (time, to) in inside:
                return 1
            other = inside.get((time - 1, to))
            return int(cell != to and other is not None and others[other][time] == cell)

        bound: float = max(at_least, int(self.distances[agent, self.starts[agent]]), end)
        while bound < math.inf:
            layer = {self.starts[agent]: (0, [self.starts[agent]])}
            beyond = math.inf
            for time in range(1, int(bound) + 1):
                following: dict[int, tuple[int, Path]] = {}
                for cell, (value, path) in layer.items():
                    for to in (*self.neighbours[cell], cell):
                        if to < 0 or (time, to, -1) in own or (time, cell, to) in own:
                            continue
                        f = time + int(self.distances[agent, to])
                        if f > bound:
                            beyond = min(beyond, f)
                            continue
                        new = value + conflicts_of(time, cell, to)
                        if to not in following or new < following[to][0]:
                            following[to] = new, [*path, to]
                layer = following
            if goal in layer:
                return layer[goal][1]
            bound = beyond
        return None
