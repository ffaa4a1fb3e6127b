"""Rules of several agents on a grid map in plain Python: joint steps, what they cost, and which conflicts there are.

Time is discrete. In each step every agent moves to one of the four neighbours of its cell, or waits. Two agents are
never in one cell, and never exchange cells. An agent may enter a cell that another one leaves in the same step. At the
end all agents are at their goals. An agent that has arrived stays, and is in the way there.

The sum of costs counts for each agent the time of its last arrival at its goal: waits there are free unless it leaves
again. So that the cost of a step depends on the state alone, an agent at its goal chooses between `w`, which waits at
a cost of 1 and commits it to leave again, and `.`, which settles it there for good and is free. So a path to a goal
costs what the plan costs, optimal or not. Plans have `w` for both: `arrivals` tells them apart.

This module is the reference implementation: it validates plans, and tests compare with it. Source: Stern et al.,
Multi-Agent Pathfinding: Definitions, Variants, and Benchmarks, SoCS 2019.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from worlds.gridmap.rules import GridCell, GridMap, are_joined

Objective = Literal["sum_of_costs", "makespan"]
LETTERS = "udlrw."
"""Actions of an agent: up, down, left, right, wait, settle."""
WAIT, SETTLE = "w", "."
STEP: dict[str, GridCell] = {"u": (0, -1), "d": (0, 1), "l": (-1, 0), "r": (1, 0), WAIT: (0, 0), SETTLE: (0, 0)}


class JointState(NamedTuple):
    """State of all agents.

    Attributes
    ----------
    cells : tuple of (int, int)
        Cell of each agent.
    settled : tuple of bool
        Whether each agent stays for good.
    leaving : tuple of bool
        Whether each agent has waited at its goal at a cost, so that it leaves again. All of these, and of `settled`,
        are False if the objective is the makespan.
    """

    cells: tuple[GridCell, ...]
    settled: tuple[bool, ...]
    leaving: tuple[bool, ...]

    @classmethod
    def at_start(cls, cells: Sequence[GridCell]) -> JointState:
        """Return the state in which no agent has acted."""
        return cls(tuple(cells), (False,) * len(cells), (False,) * len(cells))


class RefusedStep(NamedTuple):
    """Action of a plan that the rules refuse, or a conflict of two agents.

    Attributes
    ----------
    agents : tuple of int
        Numbers of the agents, from 1.
    cells : tuple of (int, int)
        Cell that both enter; if they exchange cells, that of the first one before, then that of the second one. Of an
        agent alone, its cell, and the cell to which it moves.
    letter : str
        Action of an agent alone; empty for a conflict.
    """

    agents: tuple[int, ...]
    cells: tuple[GridCell, ...]
    letter: str = ""

    def __str__(self) -> str:
        cells = list(map(str, self.cells))
        if self.letter:
            where = f"from {cells[0]} to {cells[1]}" if cells[1:] else f"in {cells[0]}"
            return f"agent {self.agents[0]} cannot do '{self.letter}' {where}"
        agents = f"agents {self.agents[0]} and {self.agents[1]}"
        return f"{agents} exchange {cells[0]} and {cells[1]}" if cells[1:] else f"{agents} are both in {cells[0]}"


def after(cell: GridCell, letter: str) -> GridCell:
    """Return the cell to which an action leads, wherever that is."""
    dx, dy = STEP[letter]
    return cell[0] + dx, cell[1] + dy


def is_possible(
    grid: GridMap, goal: GridCell, cell: GridCell, is_settled: bool, is_leaving: bool, letter: str, objective: str
) -> bool:
    """Return whether one agent alone may act so: moves lead to passable cells, and one settles only at the goal."""
    if is_settled or letter == SETTLE:
        return letter == SETTLE and cell == goal and not is_leaving and objective == "sum_of_costs"
    return letter == WAIT or are_joined(grid, cell, after(cell, letter))


def conflicts(before: Sequence[GridCell], cells: Sequence[GridCell]) -> list[RefusedStep]:
    """Return the conflicts of a joint step, those of agents with the smallest numbers first.

    If more than two agents enter a cell, there is a conflict of the first one with each of the others.
    """
    found = []
    agent_in: dict[GridCell, int] = {}
    agent_of: dict[tuple[GridCell, GridCell], int] = {}
    for agent, (start, end) in enumerate(zip(before, cells, strict=True)):
        other = agent_in.setdefault(end, agent)
        if other != agent:
            found.append(RefusedStep((other + 1, agent + 1), (end,)))
        other = agent_of.get((end, start), agent)
        if other != agent and start != end:
            found.append(RefusedStep((other + 1, agent + 1), (end, start)))
        agent_of.setdefault((start, end), agent)
    return sorted(found, key=lambda conflict: conflict.agents)


def arrivals(starts: Sequence[GridCell], goals: Sequence[GridCell], plan: Sequence[str]) -> list[int]:
    """Return for each agent the time of its last arrival at its goal; the length of the plan if it does not end there.

    Each action of the plan has a letter of `LETTERS` for each agent. The plan need not be possible.
    """
    times = []
    for agent, (start, goal) in enumerate(zip(starts, goals, strict=True)):
        letters = [action[agent] for action in plan]
        cell = start
        for letter in letters:
            cell = after(cell, letter)
        time = len(plan)
        while cell == goal and time > 0 and letters[time - 1] in (WAIT, SETTLE):
            time -= 1
        times.append(time)
    return times


def violations(
    grid: GridMap, state: JointState, goals: Sequence[GridCell], action: str, objective: str
) -> Iterator[RefusedStep]:
    """Yield why a joint action is not possible in a state: agents that cannot act so, then all conflicts."""
    cells = tuple(map(after, state.cells, action))
    for agent, letter in enumerate(action):
        own = (goals[agent], state.cells[agent], state.settled[agent], state.leaving[agent])
        if not is_possible(grid, *own, letter, objective):
            ends = (state.cells[agent], cells[agent])[: 2 if letter in "udlr" else 1]
            yield RefusedStep((agent + 1,), ends, letter)
    yield from conflicts(state.cells, cells)


def has_letters(action: str, agents: int) -> bool:
    """Return whether a joint action has one letter for each agent."""
    return len(action) == agents and not action.strip(LETTERS)
