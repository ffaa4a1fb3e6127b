"""The Wumpus world under full information: a cave with its formulation as a search problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from runner.base import Incompatible, UserError
from worlds.compile import Kernel
from worlds.interface import (
    ActionName,
    Document,
    Family,
    Frame,
    InputFile,
    Instance,
    Kernels,
    Looks,
    Playable,
    Replay,
    Step,
    Words,
)
from worlds.wumpus import formats, render, rules, shrink
from worlds.wumpus.online import METRICS, STATUSES, CaveGame, as_played, unplayable_reason
from worlds.wumpus.rules import CLIMB, FACINGS, PRIZE, Cave, Play, Square
from worlds.wumpus.search import (
    ACTIONS,
    LENGTHS,
    constants_of,
    expand_cardinal,
    expand_primitive,
    is_goal,
    pack,
    unpack,
)

Formulation = Literal["cardinal", "primitive"]
Pruning = Literal["none", "effective", "best"]


@dataclass(frozen=True)
class CaveWorld(Kernels, Looks, Family, Playable):
    """Cave and its formulation as a search problem. A state is a `Play` at cost 0.

    Attributes
    ----------
    cave : Cave
    formulation : {"cardinal", "primitive"}
        What is a step of the search: a macro-action, or a single action.
    pruning : {"none", "effective", "best"}
        Which useless actions the primitive formulation omits.
    """

    domain: ClassVar[str] = "wumpus"
    metrics = METRICS
    statuses = STATUSES
    goal_kernel = is_goal

    cave: Cave
    formulation: Formulation = "cardinal"
    pruning: Pruning = "best"

    def identity(self) -> dict[str, Any]:
        cave = self.cave
        key: dict[str, Any] = {
            "formulation": self.formulation,
            "size": cave.size,
            "hunter": (*cave.hunter, cave.facing),
            "gold": cave.gold,
            "exit": cave.exit,
            "wumpus": cave.wumpus,
            "pits": sorted(cave.pits),
            "blocks": sorted(cave.blocks),
        }
        if self.formulation == "primitive":
            key["pruning"] = self.pruning
        return key

    def variant(self) -> dict[str, Any]:
        if self.formulation == "cardinal":
            return {}
        return {"formulation": self.formulation, **({"pruning": self.pruning} if self.pruning != "best" else {})}

    def initial(self) -> Play:
        return rules.start(self.cave)

    def successors(self, state: Play) -> Iterator[Step]:
        """Yield the results of all actions, also of those without effect, until the game is over."""
        for action in () if state.is_over else rules.ACTIONS:
            yield action, *self.step_of(state, action)

    def step_of(self, state: Play, action: str) -> tuple[Play, int]:
        play = replace(state, cost=0)
        rules.act(self.cave, play, action)
        cost, play.cost = play.cost, 0
        return play, cost

    def is_goal(self, state: Play) -> bool:
        return state.climbed_out and state.has_gold

    @property
    def expand_kernel(self) -> Kernel:
        return expand_cardinal if self.formulation == "cardinal" else expand_primitive

    @property
    def has_all_steps(self) -> bool:
        return self.formulation == "primitive" and self.pruning == "none"

    @property
    def max_successors(self) -> int:
        return 5 if self.formulation == "cardinal" else 6

    @property
    def action_lengths(self) -> NDArray[np.int64]:
        return LENGTHS[self.formulation]

    def action_names(self) -> Sequence[ActionName]:
        return ACTIONS[self.formulation]

    def pack(self, state: Play) -> Words:
        return pack(state)

    def unpack(self, words: Sequence[int]) -> Play:
        return unpack(words)

    def constants(self) -> NDArray[np.int64]:
        return constants_of(self.cave, self.pruning)

    def state(
        self,
        location: tuple[int, int],
        facing: str = "N",
        gold: bool = False,
        wumpus: bool = True,
        arrow: bool | None = None,
        climbed_out: bool = False,
    ) -> Words:
        """Pack a state.

        Parameters
        ----------
        location, facing
            Square and facing of the hunter.
        gold : bool
            Whether the hunter has the gold.
        wumpus : bool
            Whether the wumpus is alive.
        arrow : bool, optional
            Whether the hunter has the arrow; if not given, the same as `wumpus`.
        climbed_out : bool

        Raises
        ------
        UserError
            If the location is not a square of the cave or the facing is unknown.
        """
        whole = isinstance(location, Sequence) and len(location) == 2 and all(isinstance(x, int) for x in location)
        if not whole or not self.cave.is_open((location[0], location[1])):
            raise UserError(f"state: location {location} is not a square of the cave")
        if facing not in tuple(FACINGS):
            raise UserError(f"state: facing must be one of N, E, S, W, not {facing!r}")
        has_arrow, is_alive = wumpus if arrow is None else arrow, wumpus and self.cave.wumpus is not None
        return pack(Play(location, facing, bool(gold), bool(has_arrow), is_alive, climbed_out=bool(climbed_out)))

    def replay(self, plan: Sequence[str]) -> Replay:
        """Play a plan. Every action is possible; some end the game."""
        play = rules.simulate(self.cave, plan)
        failure = None if play.alive else render.death(self.cave, plan)
        return Replay(self.is_goal(play), play.cost, play.reward, failure)

    def accepts_cost(self, cost: int) -> bool:
        """Return whether a plan costs at most what the gold is worth. Only then it is a solution."""
        return cost <= PRIZE

    def fallback_plan(self) -> tuple[str, ...]:
        """Return the plan without a solution: the hunter climbs out at once."""
        return (CLIMB,)

    @property
    def dimensions(self) -> tuple[int, ...]:
        return self.cave.size

    def smaller(self) -> Iterator[CaveWorld]:
        return (replace(self, cave=cave) for cave in shrink.smaller(self.cave))

    def starting_at(self, state: Play) -> CaveWorld | None:
        """Return the cave with the hunter where the state has it; None once the gold is taken or the arrow shot."""
        if state.has_gold or not state.has_arrow or state.is_over:
            return None
        return replace(self, cave=replace(self.cave, hunter=state.square, facing=state.facing))

    def document(self, name: str) -> Document:
        return Document("wumpus/file", ".json", formats.dump(name, self.cave), self.variant())

    def inputs(self) -> dict[str, str | InputFile]:
        """Return the size of the cave, what is in it as squares x,y, and the facing. What there is none of is empty."""
        cave = self.cave
        width, height = cave.size
        return {
            "width": str(width),
            "height": str(height),
            "hunter": _text_of([cave.hunter]),
            "facing": cave.facing,
            "gold": _text_of([cave.gold]),
            "exit": _text_of([cave.exit]),
            "wumpus": "" if cave.wumpus is None else _text_of([cave.wumpus]),
            "pits": _text_of(sorted(cave.pits)),
            "blocks": _text_of(sorted(cave.blocks)),
        }

    def as_played(self, name: str) -> CaveWorld:
        """Return the cave as agents play it. It must be square, without blocks, start and exit in the corner (0, 0)."""
        reason = unplayable_reason(self.cave)
        if reason is not None:
            raise Incompatible(f"agents play in square caves without blocks, from the corner and back; {name} {reason}")
        return replace(self, cave=as_played(self.cave))

    def new_game(self) -> CaveGame:
        return CaveGame(self.cave)

    def locate(self, state: Play) -> tuple[float, float]:
        return state.square

    def show(self, state: Play) -> str:
        """Return the square and the facing of the hunter, and what has changed since the start."""
        return render.described(self.cave, state)

    def text_of(self, state: Play) -> str:
        return render.described(self.cave, state)

    def render(self, plan: Sequence[str] | None = None) -> str:
        """Return the cave and the path of a plan as text."""
        return render.text(self.cave, plan)

    def frames(self, plan: Sequence[str]) -> Iterator[Frame]:
        return render.frames(self.cave, plan)

    def picture(self, plan: Sequence[str]) -> Callable[[Any], None]:
        """Return a function that draws the cave and the path of a plan."""
        return partial(render.draw, self.cave, plan, self.initial())


CaveInstance = Instance[CaveWorld]


def _text_of(squares: Iterable[Square]) -> str:
    """Return squares as x,y with blanks between them."""
    return " ".join(f"{x},{y}" for x, y in squares)
