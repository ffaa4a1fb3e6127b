"""Slow twins of the algorithms for several agents: recursive PIBT, and LaCAM with configurations in a dictionary."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence

from tests.naive.random_numbers import SplitMix64
from worlds.gridmap.rules import GridCell, GridMap, are_joined
from worlds.mapf.rules import after

Cells = tuple[GridCell, ...]
Constraint = tuple[tuple[int, GridCell], ...]


class NaiveTeam:
    """Agents on a map, and how PIBT moves them: `order` has the agents by priority, the highest first."""

    def __init__(self, grid: GridMap, starts: Sequence[GridCell], goals: Sequence[GridCell], seed: int = 0) -> None:
        self.grid, self.goals = grid, goals
        self._random = SplitMix64(seed)
        self._distances = [self._distances_to(goal) for goal in goals]
        lengths = [distances[start] for distances, start in zip(self._distances, starts, strict=True)]
        self.order = tuple(sorted(range(len(starts)), key=lambda agent: -lengths[agent]))

    def neighbours(self, cell: GridCell) -> list[GridCell]:
        return [to for letter in "udlr" if are_joined(self.grid, cell, to := after(cell, letter))]

    def choices(self, agent: int, now: Cells) -> list[GridCell]:
        """Return the cells that an agent can enter, the best first."""
        here = now[agent]
        cells = [*self.neighbours(here), here]
        occupied = {*now} - {here}
        distances = self._distances[agent]
        return sorted(cells, key=lambda cell: (distances[cell], cell in occupied, self._random.bits(28)))

    def move(self, now: Cells, order: Sequence[int], chosen: dict[int, GridCell]) -> Cells | None:
        """Return where the agents go if some have chosen; None if PIBT does not find a joint step."""
        for agent in order:
            if agent not in chosen and not self._assign(agent, now, chosen):
                return None
        return tuple(chosen[agent] for agent in range(len(now)))

    def _assign(self, agent: int, now: Cells, chosen: dict[int, GridCell]) -> bool:
        for cell in self.choices(agent, now):
            if not is_free(agent, cell, now, chosen):
                continue
            chosen[agent] = cell
            heir = now.index(cell) if cell in now else agent
            if heir in chosen or self._assign(heir, now, chosen):
                return True
        chosen[agent] = now[agent]
        return False

    def waits(self, now: Cells, before: Sequence[int]) -> tuple[int, ...]:
        """Return how long each agent is away from its goal."""
        return tuple(0 if cell == goal else time + 1 for cell, goal, time in zip(now, self.goals, before, strict=True))

    def by_priority(self, waits: Sequence[int]) -> tuple[int, ...]:
        return tuple(sorted(self.order, key=lambda agent: -waits[agent]))

    def _distances_to(self, goal: GridCell) -> Mapping[GridCell, int]:
        distances, queue = {goal: 0}, deque([goal])
        while queue:
            cell = queue.popleft()
            for to in self.neighbours(cell):
                if to not in distances:
                    distances[to] = distances[cell] + 1
                    queue.append(to)
        return distances


def is_free(agent: int, cell: GridCell, now: Cells, chosen: Mapping[int, GridCell]) -> bool:
    """Return whether an agent may enter a cell beside those that have chosen."""
    others = {other: to for other, to in chosen.items() if other != agent}
    return cell not in others.values() and not any(
        now[other] == cell and to == now[agent] for other, to in others.items()
    )


def pibt(team: NaiveTeam, starts: Cells, horizon: int) -> list[Cells] | None:
    """Return the configurations of PIBT; None if the agents are not at their goals after `horizon` steps."""
    path, waits, order = [starts], tuple(0 for _ in starts), team.order
    while path[-1] != tuple(team.goals):
        if len(path) > horizon:
            return None
        now = team.move(path[-1], order, {})
        assert now is not None
        path.append(now)
        waits = team.waits(now, waits)
        order = team.by_priority(waits)
    return path


class NaiveConfiguration:
    """A configuration in LaCAM: the queue of its constraints begins with the empty one."""

    def __init__(self, cells: Cells, parent: NaiveConfiguration | None, waits: Sequence[int]) -> None:
        self.cells, self.parent, self.waits = cells, parent, tuple(waits)
        self.constraints: deque[Constraint] = deque([()])

    def path(self) -> Iterator[Cells]:
        if self.parent is not None:
            yield from self.parent.path()
        yield self.cells


def lacam(team: NaiveTeam, starts: Cells, limit: int) -> tuple[list[Cells] | None, int]:
    """Return the configurations of the plan of LaCAM, or None, and the number of constraints tried, up to a limit."""
    start = NaiveConfiguration(starts, None, [0] * len(starts))
    known = {starts: start}
    stack = [start]
    tried = 0
    while stack and tried < limit:
        node = stack[-1]
        if node.cells == tuple(team.goals):
            return [*node.path()], tried
        if not node.constraints:
            stack.pop()
            continue
        constraint = node.constraints.popleft()
        tried += 1
        order = team.by_priority(node.waits)
        if len(constraint) < len(order):
            agent = order[len(constraint)]
            node.constraints += [(*constraint, (agent, cell)) for cell in team.choices(agent, node.cells)]
        chosen: dict[int, GridCell] = {}
        for agent, cell in constraint:
            if not is_free(agent, cell, node.cells, chosen):
                break
            chosen[agent] = cell
        else:
            cells = team.move(node.cells, order, chosen)
            if cells is None:
                continue
            if cells not in known:
                known[cells] = NaiveConfiguration(cells, node, team.waits(cells, node.waits))
            elif known[cells].constraints:
                stack = [each for each in stack if each is not known[cells]]
            if known[cells].constraints:
                stack.append(known[cells])
    return None, tried
