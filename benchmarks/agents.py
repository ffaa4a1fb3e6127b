"""Agents in the online cave: ``python -m benchmarks.agents [--only exact games decisions]``.

- exact: expected scores in random square caves, from all games that an agent can play; and the best possible scores of
  a player who knows the side
- games: seconds for 1,000 random 4x4 caves
- decisions: milliseconds per decision by side, with and without a budget
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import runner
from algorithms.agents.belief import Rooms, around, is_ahead, pit_likelihood
from algorithms.agents.explorer import SolverPlayer
from algorithms.agents.interface import Agent, Player
from algorithms.agents.planner import Planner
from benchmarks.tables import Row, expect, print_tables
from benchmarks.timing import timed
from runner.base import Result
from runner.config import sections
from worlds.interface import Instance
from worlds.wumpus.online import CaveGame, Percepts
from worlds.wumpus.rules import CLIMB, DEATH, FACINGS, GRAB, LEFT, PRIZE, RIGHT, SHOOT, Square, ahead
from worlds.wumpus.sources import classic

PITS = 0.2
AGENTS: dict[str, dict[str, Any]] = {
    "asp_agent": {"name": "asp_agent"},
    "asp_agent, sharp": {"name": "asp_agent", "deduction": "sharp"},
    "bayes_agent": {"name": "bayes_agent"},
    "bayes_agent, depth=1": {"name": "bayes_agent", "depth": 1},
}


@dataclass(frozen=True)
class Known:
    """Knowledge about a random cave that a game has revealed. Everything else is still random.

    Attributes
    ----------
    side : int
        Number of rows and columns.
    lairs : frozenset of (int, int)
        Rooms that may hold the wumpus, dead or alive, all equally likely.
    gold : (int, int) or None
        Room of the gold. None: it may be in any room that was not entered.
    """

    side: int
    lairs: Rooms
    entered: Rooms = frozenset({(0, 0)})
    breezy: Rooms = frozenset()
    gold: Square | None = None
    square: Square = (0, 0)
    facing: str = "E"
    has_gold: bool = False
    has_arrow: bool = True
    wumpus_alive: bool = True
    bump: bool = False
    scream: bool = False
    cost: int = 0

    @property
    def percepts(self) -> Percepts:
        """Percepts of the agent, which are the same in all possible caves."""
        near = around(self.square) | {self.square}
        glitter = self.gold == self.square and not self.has_gold
        return Percepts(self.lairs <= near, self.square in self.breezy, glitter, self.bump, self.scream)


def outcomes(known: Known, action: str) -> Iterator[tuple[float, Known | None, int]]:
    """Yield the outcomes of an action: (probability, knowledge or None at the end of the game, final score)."""
    before = replace(known, cost=known.cost + (10 if action == SHOOT and known.has_arrow else 1))
    if action in (LEFT, RIGHT):
        turn = FACINGS.index(known.facing) + (1 if action == RIGHT else -1)
        yield 1.0, replace(before, facing=FACINGS[turn % 4], bump=False, scream=False), 0
    elif action == GRAB:
        yield 1.0, replace(before, has_gold=known.has_gold or known.gold == known.square), 0
    elif action == CLIMB:
        yield (1.0, before, 0) if known.square != (0, 0) else (1.0, None, PRIZE * known.has_gold - before.cost)
    elif action == SHOOT:
        yield from _shot(replace(before, has_arrow=False))
    else:
        to = ahead(known.square, known.facing)
        if not (0 <= to[0] < known.side and 0 <= to[1] < known.side):
            yield 1.0, replace(before, bump=True), 0
        elif to in known.entered:
            yield 1.0, replace(before, square=to, bump=False, scream=False), 0
        else:
            yield from _new_room(replace(before, square=to, bump=False, scream=False))


def _shot(known: Known) -> Iterator[tuple[float, Known | None, int]]:
    struck = frozenset(room for room in known.lairs if is_ahead(known.square, known.facing, room))
    for hit, lairs in ((True, struck), (False, known.lairs - struck)):
        if lairs:
            scream = known.scream or hit
            after = replace(known, lairs=lairs, wumpus_alive=not hit, scream=scream)
            yield len(lairs) / len(known.lairs), after, 0


def _new_room(known: Known) -> Iterator[tuple[float, Known | None, int]]:
    room, entered = known.square, known.entered | {known.square}
    inside = frozenset((x, y) for x in range(known.side) for y in range(known.side))
    near = around(room) | {room} - ({room} if known.wumpus_alive else frozenset())
    smelling, others = known.lairs & near, known.lairs - near - {room}
    before = pit_likelihood(known.entered, known.breezy, inside, PITS)
    alive = 0.0
    for breeze, lairs in itertools.product((False, True), (smelling, others)):
        breezy = known.breezy | ({room} if breeze else frozenset())
        chance = pit_likelihood(entered, breezy, inside, PITS) / before * len(lairs) / len(known.lairs)
        alive += chance
        if chance > 0:
            after = replace(known, entered=entered, breezy=breezy, lairs=lairs)
            here = 0.0 if known.gold else 1 / (known.side**2 - len(known.entered))
            if here:
                yield chance * here, replace(after, gold=room), 0
            if here < 1:
                yield chance * (1 - here), after, 0
    if alive < 1 - 1e-12:
        yield 1 - alive, None, DEATH - known.cost


def agent_of(parameters: dict[str, Any]) -> Agent:
    """Make an agent from its parameters in YAML."""
    agent = sections.algorithm_of(parameters)
    assert isinstance(agent, Agent)
    return agent


def expected_score(agent: Agent, side: int) -> tuple[float, float]:
    """Return the mean score of an agent over all caves of a side, and the probability of its death."""
    inside = frozenset((x, y) for x in range(side) for y in range(side)) - {(0, 0)}
    near = around((0, 0)) & inside
    air = (1 - PITS) ** len(near)
    pending: list[tuple[float, Known, Player]] = []
    for breeze, lairs in itertools.product((False, True), (near, inside - near)):
        known = Known(side, lairs, breezy=frozenset({(0, 0)} if breeze else ()))
        chance = (1 - air if breeze else air) * len(lairs) / len(inside)
        if chance:
            pending.append((chance, known, agent.player(None, 0)))
    score = deaths = 0.0
    while pending:
        chance, known, player = pending.pop()
        after = list(outcomes(known, player.act(known.percepts)))
        for index, (likely, following, ending) in enumerate(after):
            if following is None:
                score += chance * likely * ending
                deaths += chance * likely * (ending <= DEATH)
            else:
                last = index == len(after) - 1
                pending.append((chance * likely, following, player if last else copy.deepcopy(player)))
    return score, deaths


def exact(repeat: int) -> list[Row]:
    """Expected scores on 3x3 and 4x4 caves."""
    rows: list[Row] = []
    for side in (3, 4):
        agents = {
            **AGENTS,
            f"bayes_agent, sides=[{side}] depth=null": {"name": "bayes_agent", "sides": [side], "depth": None},
        }
        for label, parameters in agents.items():
            (score, deaths), seconds = timed(partial(expected_score, agent_of(parameters), side))
            died = f"{100 * deaths:.2f}"
            rows.append({"side": side, "agent": label, "score": f"{score:.2f}", "died %": died, "s": seconds})
        for label, detour in (("nearest safe rooms first", 0), ("everything", None)):
            value, seconds = timed(partial(Planner(side, PITS, detour).expected_score, [side]))
            best = f"best possible, {label}"
            rows.append({"side": side, "agent": best, "score": f"{value:.2f}", "died %": "", "s": seconds})
        expect(rows[-3]["score"], rows[-2]["score"], "the agent with an unlimited depth")
    return rows


def _play_all(caves: list[Instance], parameters: dict[str, Any]) -> list[Result]:
    return [runner.solve(cave, parameters) for cave in caves]


def games(repeat: int) -> list[Row]:
    """Seconds for 1,000 games on random 4x4 caves, with the runner's validation."""
    caves = runner.load("wumpus/random", size=4, count=1000)
    rows: list[Row] = []
    for label, parameters in AGENTS.items():
        runner.solve(caves[3], parameters)
        results, seconds = timed(partial(_play_all, caves, parameters))
        rows.append({"agent": label, "s": seconds, "mean score": sum(r.reward or 0 for r in results) / len(results)})
    return rows


def decisions(repeat: int) -> list[Row]:
    """Milliseconds per decision: mean and maximum over 40 games."""
    rows: list[Row] = []
    budgets = {
        f"bayes_agent, budget_ms={ms}": {"name": "bayes_agent", "depth": None, "budget_ms": ms} for ms in (5, 50)
    }
    for side, (label, parameters) in itertools.product((4, 6, 8, 10), {**AGENTS, **budgets}.items()):
        agent = agent_of(parameters)
        agent.warm()
        taken: list[float] = []
        for seed in range(40):
            game, player = CaveGame(classic(side, side, PITS, seed)), agent.player(None, 0)
            assert isinstance(player, SolverPlayer)
            while game.status is None:
                calls = player.solver_calls
                action, seconds = timed(partial(player.act, game.percepts))
                if player.solver_calls != calls:
                    taken.append(1000 * seconds)
                game.act(action)
        rows.append({"side": side, "agent": label, "mean ms": sum(taken) / len(taken), "largest ms": max(taken)})
    return rows


CASES = {"exact": exact, "games": games, "decisions": decisions}

if __name__ == "__main__":
    print_tables(__doc__, CASES, list(CASES))
