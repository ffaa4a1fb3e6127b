"""Instances of grid maps: a start and a goal on a map that many instances share."""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from runner.base.errors import UserError
from runner.base.metric import Metric
from runner.base.status import SOLVED, UNSOLVABLE
from worlds.gridmap import rules
from worlds.gridmap.components import OBSTACLE, Labels, components_of
from worlds.gridmap.rules import GridCell, GridMap
from worlds.gridmap.search import (
    MOVES,
    cell_of,
    expand,
    expand_weighted,
    is_goal,
    pack,
    plan_of,
    predecessors,
    unpack,
    world_of,
)
from worlds.interface import Document, Frame, Instance, Problem, Replay, Words
from worlds.numbering import Numbering
from worlds.refusal import impossible

_ONES = np.ones(len(MOVES), np.int64)
_TOLERANCE = 0.01, 1e-5
"""Largest difference from a published length, absolute and relative: published lengths are rounded."""


@dataclass(frozen=True, eq=False)
class SharedMap:
    """A map and what is computed from it once, for all its instances."""

    grid: GridMap

    @cached_property
    def packed(self) -> NDArray[np.int64]:
        """The map as kernels see it."""
        return world_of(self.grid)

    @cached_property
    def numbering(self) -> Numbering:
        """Numbers of the cells."""
        return Numbering(cell_of, self.grid.width * self.grid.height)

    @cached_property
    def components(self) -> Labels:
        """Number of the connected component of each cell, row by row; negative for obstacles."""
        return components_of(self.grid, self.packed)

    @cached_property
    def passable(self) -> NDArray[np.int32]:
        """Numbers of the passable cells, ordered by component, and row by row in each."""
        by_component = np.argsort(self.components, kind="stable").astype(np.int32)
        return by_component[np.count_nonzero(self.components == OBSTACLE) :]

    @cached_property
    def component_ends(self) -> list[int]:
        """Ends of the components in `passable`."""
        ends: list[int] = np.bincount(self.components[self.passable]).cumsum().tolist()
        return ends

    @cached_property
    def digest(self) -> str:
        """Digest of the map and its moves."""
        grid = self.grid
        text = repr((grid.rows, grid.diagonal, sorted(grid.weights.items())))
        return hashlib.sha256(text.encode()).hexdigest()[:32]


@dataclass(frozen=True)
class GridInstance(Instance):
    """A start and a goal on a map.

    Attributes
    ----------
    shared : SharedMap
    start, goal : (int, int)
        Cells (x, y).
    id : str
        Name of the problem, unique in its source.
    seed : int or None
        Seed that alone makes a random problem again; None if the problem is not random.
    world : str
        Name of the source.
    published_length : float or None
        Length of an optimal path that the scenario gives; 0 also stands for "there is none".
    bucket : int or None
        Bucket of the scenario: published length divided by 4.
    """

    domain: ClassVar[str] = "gridmap"
    metrics = (
        Metric("published_length", better="neither", aggregate="mean", digits=5, is_main=False,
               meaning="length of an optimal path in the scenario"),
        Metric("agrees", better="more", log=False,
               meaning="whether the cost is the published length, within its rounding. A length of 0 agrees with "
               "`unsolvable`, too"),
        Metric("bucket", better="neither", aggregate="mean", is_main=False, meaning="bucket in the scenario"),
    )  # fmt: skip

    shared: SharedMap
    start: GridCell
    goal: GridCell
    id: str
    seed: int | None = None
    world: str = domain
    published_length: float | None = None
    bucket: int | None = None

    @property
    def grid(self) -> GridMap:
        """The map."""
        return self.shared.grid

    @property
    def cost_scale(self) -> int:
        """Cost of a straight step in the engine."""
        return self.shared.grid.scale

    def key(self) -> dict[str, Any]:
        """Return digests and numbers that tell what is searched."""
        return {"id": self.id, "map": self.shared.digest, "start": self.start, "goal": self.goal}

    def measured(self, plan: Sequence[str] | None, status: str) -> Mapping[str, float | None]:
        """Return the published length, whether the result agrees with it (1 or 0), and the bucket."""
        published = self.published_length
        if published is None:
            return {"bucket": self.bucket}
        agrees: bool | None = None
        if status == UNSOLVABLE.name:
            agrees = published == 0
        elif status == SOLVED.name and plan is not None:
            straight, diagonal = self.grid.costs["."]  # there is no published length with weights
            cost = self.user_cost(sum(straight if len(move) == 1 else diagonal for move in plan))
            agrees = abs(cost - published) <= max(_TOLERANCE[0], _TOLERANCE[1] * published)
        return {"published_length": published, "agrees": agrees, "bucket": self.bucket}

    def variant(self) -> dict[str, Any]:
        """Return the moves and weights that differ from the benchmark's."""
        grid = self.grid
        changed: dict[str, Any] = {} if grid.diagonal else {"directions": 4}
        return {**changed, **({"weights": dict(grid.weights)} if grid.weights else {})}

    def problem(self) -> Problem:
        """Pack the problem. Its `world` is shared by all problems of the map."""
        grid = self.grid
        return Problem(
            instance=self,
            world=self.shared.packed,
            initial=pack(self.start, self.goal),
            max_successors=len(MOVES) if grid.diagonal else 4,
            action_lengths=_ONES,
            expand=expand_weighted if grid.weights else expand,
            is_goal=is_goal,
            unit_costs=grid.has_unit_costs,
            predecessors=predecessors,
            goals=pack(self.goal, self.goal),
            numbering=self.shared.numbering,
        )

    def state(self, x: int, y: int) -> Words:
        """Pack the state in a cell.

        Raises
        ------
        UserError
            If one cannot stand there.
        """
        cell = operator.index(x), operator.index(y)
        if not rules.is_passable(self.grid, cell):
            raise UserError(f"state: ({x}, {y}) is not a passable cell of {self.grid.name}")
        return pack(cell, self.goal)

    def describe(self, state: Words) -> GridCell:
        """Return the cell (x, y) of a packed state."""
        return unpack(state)

    def locate(self, state: GridCell) -> GridCell:
        """Return the cell (x, y)."""
        return state

    def plan(self, actions: Sequence[int], problem: Problem) -> tuple[str, ...]:
        """Return the moves: E, W, S, N, SE, NE, SW, NW."""
        return plan_of(actions)

    def replay(self, plan: Sequence[str]) -> Replay:
        """Play a plan by `worlds.gridmap.rules`."""
        steps = list(rules.play(self.grid, self.start, plan))
        end, cost = steps[-1][0] if steps else self.start, sum(cost for _, cost in steps)
        if len(steps) == len(plan):
            return Replay(end == self.goal, cost)
        allowed = (move for move, _, _ in rules.successors(self.grid, end))
        return Replay(False, cost, failure=impossible(len(steps) + 1, plan[len(steps)], end, allowed))

    def smaller(self) -> Iterator[GridInstance]:
        """Yield problems on a part of the map, and on the map with an obstacle less."""
        from worlds.gridmap.shrink import smaller

        for grid, (start, goal) in smaller(self.grid, (self.start, self.goal)):
            yield self._at(start, goal, SharedMap(grid))

    def starting_at(self, state: GridCell) -> GridInstance:
        """Return the problem with the start in the cell of a state."""
        return self._at(state, self.goal, self.shared)

    def _at(self, start: GridCell, goal: GridCell, shared: SharedMap) -> GridInstance:
        return replace(self, shared=shared, start=start, goal=goal, seed=None, published_length=None, bucket=None)

    def document(self) -> Document:
        """Return the map as a file, with start, goal and moves as parameters. The name of the file is the id."""
        from worlds.gridmap.formats import dump_map

        grid = self.grid
        parameters = {
            "start": list(self.start),
            "goal": list(self.goal),
            "directions": 8 if grid.diagonal else 4,
            "weights": dict(grid.weights),
        }
        return Document("gridmap/map", ".map", dump_map(grid.rows), parameters)

    def render(self, plan: Sequence[str] | None = None) -> str:
        """Return the map as text, with the path of a plan."""
        from worlds.gridmap.render import text

        return text(self.grid, self.start, self.goal, plan)

    def frames(self, plan: Sequence[str]) -> Iterator[Frame]:
        """Yield the map before and after each move."""
        from worlds.gridmap.render import frames

        return frames(self.grid, self.start, self.goal, plan)

    def picture(self, plan: Sequence[str]) -> Callable[[Any], None]:
        """Return a function that draws the map and the path of a plan."""
        from worlds.gridmap.render import picture

        return picture(self.grid, self.start, self.goal, plan)
