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

    def __init__(
        self, grid: GridMap, starts: Sequence[GridCell], goals: Sequence[GridCell], seed: int = 0, swap: bool = False
    ) -> None:
        self.grid, self.goals, self._is_swapping = grid, goals, swap
        self.swaps = 0
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
        choices = self.choices(agent, now)
        pulled = self._pulled(agent, choices[0], now, chosen) if self._is_swapping else None
        if pulled is not None:
            choices.reverse()
        for cell in choices:
            if not is_free(agent, cell, now, chosen):
                continue
            chosen[agent] = cell
            heir = now.index(cell) if cell in now else agent
            if heir in chosen or self._assign(heir, now, chosen):
                is_left = now[agent] not in chosen.values()
                if cell == choices[0] and pulled is not None and pulled not in chosen and is_left:
                    chosen[pulled] = now[agent]
                    self.swaps += 1
                return True
        chosen[agent] = now[agent]
        return False

    def _pulled(self, agent: int, wanted: GridCell, now: Cells, chosen: Mapping[int, GridCell]) -> int | None:
        """Return the agent that follows another one that backs off, or None if this one does not back off."""
        here = now[agent]
        if wanted == here or not self._can_pass(here, wanted, now):
            return None
        occupants = {cell: other for other, cell in enumerate(now)}
        ahead = occupants.get(wanted)
        if ahead is not None and ahead not in chosen and self._must_pass(agent, ahead, here, wanted, now):
            return ahead
        beside = [occupants[cell] for cell in self.neighbours(here) if cell != wanted and cell in occupants]
        return next((other for other in beside if self._must_pass(other, agent, here, wanted, now)), None)

    def _must_pass(self, pusher: int, pulled: int, here: GridCell, wanted: GridCell, now: Cells) -> bool:
        """Return whether an agent meets no branch when it pushes another one as far as it wants to go."""
        distances = self._distances[pusher]
        branches = self._corridor(here, wanted, now)
        while distances[wanted] < distances[here]:
            exits = next(branches)
            if len(exits) >= 2:
                return False
            if not exits:
                break
            here, wanted = wanted, exits[0]
        if distances[here] != 0 and distances[wanted] >= distances[here]:
            return False
        return self._distances[pulled][here] < self._distances[pulled][wanted]

    def _can_pass(self, here: GridCell, wanted: GridCell, now: Cells) -> bool:
        """Return whether there is a branch behind an agent that backs off."""
        cell = here
        for exits in self._corridor(wanted, here, now):
            if len(exits) != 1 or cell == wanted:
                return len(exits) >= 2 and cell != wanted
            cell = exits[0]
        raise AssertionError

    def _corridor(self, before: GridCell, cell: GridCell, now: Cells) -> Iterator[list[GridCell]]:
        """Yield the cells to which one can go on from each cell of a corridor: not to an arrived one in a dead end."""
        while True:
            others = [to for to in self.neighbours(cell) if to != before]
            exits = [to for to in others if not self._is_closed(to, now)]
            yield exits
            before, cell = cell, exits[0]

    def _is_closed(self, cell: GridCell, now: Cells) -> bool:
        return cell in now and self.goals[now.index(cell)] == cell and len(self.neighbours(cell)) == 1

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
