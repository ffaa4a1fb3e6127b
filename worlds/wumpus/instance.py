"""Instance of the Wumpus world: a cave with its formulation as a search problem."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from runner.base.errors import Incompatible, UserError
from worlds.interface import Document, Frame, Instance, Problem, Replay, Words
from worlds.wumpus import rules
from worlds.wumpus.online import METRICS, STATUSES, CaveGame, as_played, unplayable_reason
from worlds.wumpus.rules import CLIMB, FACINGS, PRIZE, Cave
from worlds.wumpus.search import (
    ACTIONS,
    ARROW_USED,
    BLOCK,
    CLIMBED_OUT,
    DIED,
    GRID,
    HAS_GOLD,
    HEIGHT,
    LENGTHS,
    OUTSIDE,
    PIT,
    PRUNINGS,
    REGION_LEFT,
    REGION_TOP,
    SQUARE_SHIFT,
    WIDTH,
    WUMPUS_DEAD,
    column_of,
    expand_cardinal,
    expand_primitive,
    is_goal,
    pack_square,
    row_of,
)

Formulation = Literal["cardinal", "primitive"]
Pruning = Literal["none", "effective", "best"]
Region = tuple[int, int, int, int]


@dataclass(frozen=True)
class WumpusInstance(Instance):
    """Cave and its formulation as a search problem.

    Attributes
    ----------
    cave : Cave
    id : str
    seed : int or None
        Seed that alone generates a random cave again; None for other caves.
    formulation : {"cardinal", "primitive"}
    pruning : {"none", "effective", "best"}
        Which useless actions the primitive formulation omits.
    world : str
        Name of the source.
    """

    domain: ClassVar[str] = "wumpus"
    metrics = METRICS
    statuses = STATUSES

    cave: Cave
    id: str
    seed: int | None = None
    formulation: Formulation = "cardinal"
    pruning: Pruning = "best"
    world: str = domain

    def key(self) -> dict[str, Any]:
        """Return the cave and the formulation as JSON-compatible values."""
        cave = self.cave
        key = {
            "id": self.id,
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
        """Return the formulation and the pruning if they are not the default."""
        if self.formulation == "cardinal":
            return {}
        return {"formulation": self.formulation, **({"pruning": self.pruning} if self.pruning != "best" else {})}

    def problem(self) -> Problem:
        """Pack the cave. A state is one word."""
        cave = self.cave
        width, height = cave.size
        wumpus = -1 if cave.wumpus is None else pack_square(cave.wumpus)
        squares = [0] * (width * height)
        for x, y in cave.pits:
            squares[y * width + x] = PIT
        for x, y in cave.blocks:
            squares[y * width + x] = BLOCK
        header = (
            *(width, height, pack_square(cave.gold), pack_square(cave.exit), wumpus),
            *(PRUNINGS.index(self.pruning), 0, 0, width - 1, height - 1),
        )
        cardinal = self.formulation == "cardinal"
        return Problem(
            instance=self,
            world=np.array([*header, *squares], np.int64),
            initial=self._packed(cave.hunter, cave.facing),
            max_successors=5 if cardinal else 6,
            action_lengths=LENGTHS[self.formulation],
            expand=expand_cardinal if cardinal else expand_primitive,
            is_goal=is_goal,
        )

    def state(
        self,
        location: tuple[int, int],
        facing: str = "N",
        gold: bool = False,
        wumpus: bool = True,
        arrow: bool | None = None,
        climbed_out: bool = False,
    ) -> Words:
        """Pack a state; `describe` is the inverse.

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

        Returns
        -------
        ndarray of uint64, shape (1,)

        Raises
        ------
        UserError
            If the location is not a square of the cave or the facing is unknown.
        """
        whole = isinstance(location, Sequence) and len(location) == 2 and all(isinstance(x, int) for x in location)
        if not whole or not self.cave.is_open((location[0], location[1])):
            raise UserError(f"state: location {location} is not a square of the cave {self.id}")
        if facing not in tuple(FACINGS):
            raise UserError(f"state: facing must be one of N, E, S, W, not {facing!r}")
        flags = HAS_GOLD * bool(gold) | WUMPUS_DEAD * (not wumpus) | CLIMBED_OUT * bool(climbed_out)
        return self._packed(location, facing, flags | ARROW_USED * (not (wumpus if arrow is None else arrow)))

    def _packed(self, location: tuple[int, int], facing: str, flags: int = 0) -> Words:
        flags |= WUMPUS_DEAD * (self.cave.wumpus is None)
        return np.array([FACINGS.index(facing) | flags | pack_square(location) << SQUARE_SHIFT], np.uint64)

    def describe(self, state: Words) -> rules.Play:
        """Unpack a state to a play at cost 0."""
        word = int(state[0])
        square = word >> SQUARE_SHIFT
        return rules.Play(
            square=(column_of(square), row_of(square)),
            facing=FACINGS[word & 3],
            has_gold=bool(word & HAS_GOLD),
            has_arrow=not word & ARROW_USED,
            wumpus_alive=not word & WUMPUS_DEAD,
            alive=not word & DIED,
            climbed_out=bool(word & CLIMBED_OUT),
        )

    def plan(self, actions: Sequence[int], problem: Problem) -> tuple[str, ...]:
        """Return the primitive actions of a path of action codes."""
        names = ACTIONS[self.formulation]
        return tuple(name for action in actions for name in names[action])

    def replay(self, plan: Sequence[str]) -> Replay:
        """Play a plan by `worlds.wumpus.rules`."""
        play = rules.simulate(self.cave, plan)
        failure = None if play.alive else rules.death(self.cave, plan)
        return Replay(play.climbed_out and play.has_gold, play.cost, play.reward, failure)

    def render(self, plan: Sequence[str] | None = None) -> str:
        """Return the cave and the path of a plan as text."""
        from worlds.wumpus.render import text

        return text(self.cave, plan)

    def frames(self, plan: Sequence[str]) -> Iterator[Frame]:
        """Yield the cave at the start and after each action."""
        from worlds.wumpus.render import frames

        return frames(self.cave, plan)

    def show(self, state: rules.Play) -> str:
        """Return the square and the facing of the hunter, and what has changed since the start."""
        from worlds.wumpus.render import described

        return described(self.cave, state)

    def locate(self, state: rules.Play) -> tuple[float, float]:
        """Return the square of the hunter."""
        return state.square

    def picture(self, plan: Sequence[str]) -> Callable[[Any], None]:
        """Return a function that draws the cave and the path of a plan."""
        from worlds.wumpus.render import drawing

        return drawing(self.cave, plan)

    def smaller(self) -> Iterator[WumpusInstance]:
        """Yield caves that are one step simpler."""
        from worlds.wumpus.shrink import smaller

        return (replace(self, cave=cave, seed=None) for cave in smaller(self.cave))

    def starting_at(self, state: rules.Play) -> WumpusInstance | None:
        """Return the cave with the hunter where the state has it; None once the gold is taken or the arrow shot."""
        play = state
        if play.has_gold or not play.has_arrow or play.is_over:
            return None
        return replace(self, cave=replace(self.cave, hunter=play.square, facing=play.facing), seed=None)

    def document(self) -> Document:
        """Return the cave as a JSON file."""
        from worlds.wumpus.formats import dump

        return Document("wumpus/file", ".json", dump(self.id, self.cave), self.variant())

    def online(self) -> WumpusInstance:
        """Return the cave as agents play it. It must be square, without blocks, start and exit in the corner (0, 0)."""
        reason = unplayable_reason(self.cave)
        if reason is not None:
            raise Incompatible(
                f"agents play in square caves without blocks, from the corner and back; {self.id} {reason}"
            )
        return replace(self, cave=as_played(self.cave))

    def game(self) -> CaveGame:
        """Return a new game in this cave."""
        return CaveGame(self.cave)

    def accepts_cost(self, cost: int) -> bool:
        """Return whether a plan costs at most what the gold is worth. Only then it is a solution."""
        return cost <= PRIZE

    def fallback_plan(self) -> tuple[str, ...]:
        """Return the plan without a solution: the hunter climbs out at once."""
        return (CLIMB,)


def start_square(problem: Problem) -> int:
    """Return the packed square of the start state."""
    return int(problem.initial[0]) >> SQUARE_SHIFT


def restrict(problem: Problem, region: Region) -> Problem:
    """Return the problem with the hunter confined to the rectangle (left, bottom, right, top), borders included."""
    left, bottom, right, top = region
    world = problem.world.copy()
    world[REGION_LEFT : REGION_TOP + 1] = region
    grid = world[GRID:].reshape(world[HEIGHT], world[WIDTH])
    inside = np.zeros(grid.shape, bool)
    inside[bottom : top + 1, left : right + 1] = True
    grid[~inside] |= OUTSIDE
    return replace(problem, world=world)
