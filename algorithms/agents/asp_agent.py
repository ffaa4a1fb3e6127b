"""The logic agent: an answer-set program deduces which rooms are safe and what to do (`asp_agent.lp`)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal

from algorithms.agents.explorer import SOLVER_METRICS, START, SolverPlayer
from algorithms.agents.interface import Agent
from algorithms.interface import ALGORITHMS
from runner.base import interrupts_deferred, optional_module
from worlds.interface import Instance
from worlds.wumpus.online import Percepts
from worlds.wumpus.rules import CLIMB, GRAB, LEFT, MOVE, RIGHT, SHOOT

PROGRAM = Path(__file__).with_suffix(".lp")
ACTIONS = {"forward": MOVE, "left": LEFT, "right": RIGHT, "shoot": SHOOT}
_clingo = partial(optional_module, "clingo", "algorithm: asp_agent", "agents")
Answer = dict[str, list[tuple[Any, ...]]]
Deduction = Literal["published", "sharp"]


@ALGORITHMS.register("asp_agent")
@dataclass(frozen=True)
class AspAgent(Agent):
    """Play by logic: enter only rooms that are proven safe. The agent never dies.

    It explores the cheapest safe unexplored room. If there is none, it shoots where the wumpus may be. It leaves with
    the gold, or when it cannot shoot either. Ties go to the smallest (x, y). Source: the "Hakuna Matata" document.

    Parameters
    ----------
    deduction : {"published", "sharp"}
        `sharp`: rooms next to an explored room without a stench hold no wumpus, and paths lead through all safe rooms.
        `published`: paths lead through explored rooms only.
    """

    metrics = SOLVER_METRICS

    deduction: Deduction = "published"

    def player(self, instance: Instance | None, seed: int) -> LogicPlayer:
        """Make a player."""
        return LogicPlayer(self.deduction)

    def warm(self) -> None:
        """Import clingo."""
        _clingo()

    def check(self, instance: Instance) -> None:
        """Refuse an instance that agents cannot play, and any instance if clingo is not installed."""
        _clingo()
        super().check(instance)


class LogicPlayer(SolverPlayer):
    """Player that asks the program what to do next.

    Raises
    ------
    UserError
        If clingo is not installed.
    """

    def __init__(self, deduction: Deduction = "published") -> None:
        super().__init__()
        self._sharp = deduction == "sharp"
        _clingo()

    def decide(self, percepts: Percepts) -> Sequence[str]:
        """Ask the program for an action or a goal; find the path to a goal."""
        answer = self.ask(percepts)
        ((mode,),) = answer["mode"]
        if mode == "grab":
            return [GRAB]
        if mode == "kill":
            ((action,),) = answer["action"]
            return [ACTIONS[action]]
        if mode == "escape" and self.at == START:
            return [CLIMB]
        goal = answer["goal"][0] if mode == "explore" else START
        rooms = {(x, y) for x, y in answer["safe"]} if self._sharp else self.explored.keys()
        return self.path((goal[0], goal[1]), rooms)

    def ask(self, percepts: Percepts) -> Answer:
        """Return the arguments of all atoms that the program shows, by predicate."""
        start = time.perf_counter()
        clingo = _clingo()
        control = clingo.Control(["--warn=none"])
        control.add("base", [], f"{program()}\n{self.facts(percepts)}")
        answer: Answer = {}
        with interrupts_deferred():
            control.ground([("base", [])])
            with control.solve(yield_=True) as models:
                for model in models:
                    for symbol in model.symbols(shown=True):
                        number = clingo.SymbolType.Number
                        arguments = (a.number if a.type == number else a.name for a in symbol.arguments)
                        answer.setdefault(symbol.name, []).append(tuple(arguments))
        self.count(time.perf_counter() - start)
        return answer

    def facts(self, percepts: Percepts) -> str:
        """Return the agent's knowledge as facts of the program."""
        x, y = self.at
        facts = [f"here({x},{y})", f"facing({self.facing.lower()})"]
        facts.append(f"side({self.side or max(map(max, self.explored)) + 1})")
        for (x, y), noticed in self.explored.items():
            facts.append(f"explored({x},{y})")
            facts += [f"stench({x},{y})"] * noticed.stench + [f"breeze({x},{y})"] * noticed.breeze
        if self.shot is not None:
            (x, y), facing = self.shot
            facts.append(f"shot({x},{y},{facing.lower()})")
        flags = {
            "bounded": self.side is not None,
            "glitter": percepts.glitter,
            "grabbed": self.has_gold,
            "killed": self.wumpus_dead,
            "sharp": self._sharp,
        }
        return " ".join(f"{fact}." for fact in [*facts, *(name for name, holds in flags.items() if holds)])


@cache
def program() -> str:
    """Return the text of the program."""
    return PROGRAM.read_text(encoding="utf-8")
