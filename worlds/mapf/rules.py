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

from collections.abc import Sequence
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


class Conflict(NamedTuple):
    """Conflict of two agents.

    Attributes
    ----------
    first, second : int
        Numbers of the agents, from 1.
    cell : (int, int)
        Cell that both enter, or, if they exchange cells, that of the first one before.
    other : (int, int) or None
        Cell of the second one before, if they exchange cells.
    """

    first: int
    second: int
    cell: GridCell
    other: GridCell | None

    def __str__(self) -> str:
        agents = f"agents {self.first} and {self.second}"
        return (
            f"{agents} are both in {self.cell}"
            if self.other is None
            else f"{agents} exchange {self.cell} and {self.other}"
        )


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


def first_conflict(before: Sequence[GridCell], cells: Sequence[GridCell]) -> Conflict | None:
    """Return the conflict of a joint step whose agents have the smallest numbers; None without one."""
    found = []
    agent_in: dict[GridCell, int] = {}
    agent_of: dict[tuple[GridCell, GridCell], int] = {}
    for agent, (start, end) in enumerate(zip(before, cells, strict=True)):
        other = agent_in.setdefault(end, agent)
        if other != agent:
            found.append(Conflict(other + 1, agent + 1, end, None))
        other = agent_of.get((end, start), agent)
        if other != agent and start != end:
            found.append(Conflict(other + 1, agent + 1, end, start))
        agent_of.setdefault((start, end), agent)
    return min(found, key=lambda conflict: conflict[:2], default=None)


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


def impossible_action(grid: GridMap, state: JointState, goals: Sequence[GridCell], action: str, objective: str) -> str:
    """Return why a joint action is not possible in a state, with the first conflict; empty if it is possible."""
    if len(action) != len(goals) or action.strip(LETTERS):
        return f"'{action[:50]}' has not one letter of {' '.join(LETTERS)} for each of {len(goals)} agents"
    cells = tuple(map(after, state.cells, action))
    for agent, letter in enumerate(action):
        own = (goals[agent], state.cells[agent], state.settled[agent], state.leaving[agent])
        if not is_possible(grid, *own, letter, objective):
            where = f"from {state.cells[agent]} to {cells[agent]}" if letter in "udlr" else f"in {state.cells[agent]}"
            return f"agent {agent + 1} cannot do '{letter}' {where}"
    conflict = first_conflict(state.cells, cells)
    return "" if conflict is None else str(conflict)
