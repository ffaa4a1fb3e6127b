"""Grid maps: a start and a goal on a map that many instances share."""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from runner.base import SOLVED, UNSOLVABLE, Metric, UserError
from worlds.compile import Kernel
from worlds.gridmap import formats, paths, render, rules, shrink
from worlds.gridmap.components import OBSTACLE, Labels, components_of
from worlds.gridmap.rules import OPPOSITE, GridCell, GridMap
from worlds.gridmap.search import (
    MOVES,
    cell_of,
    constants_of,
    expand,
    expand_weighted,
    is_goal,
    pack,
    predecessors,
    unpack,
)
from worlds.gridmap.states import GridStates
from worlds.interface import (
    Document,
    Family,
    Frame,
    InputFile,
    Instance,
    Kernels,
    Looks,
    Numbering,
    Step,
    Words,
    plan_texts,
    user_cost,
)

_ONES = np.ones(len(MOVES), np.int64)
_TOLERANCE = 0.01, 1e-5
"""Largest difference from a published length, absolute and relative: published lengths are rounded."""


@dataclass(frozen=True, eq=False)
class SharedMap:
    """A map and what is computed from it once, for all its instances.

    Attributes
    ----------
    grid : GridMap
    path : Path or None
        File from which the map was read. It is no part of the map's identity.
    """

    grid: GridMap
    path: Path | None = field(default=None, repr=False)

    @cached_property
    def packed(self) -> NDArray[np.int64]:
        """The map as kernels see it."""
        return constants_of(self.grid)

    @cached_property
    def numbering(self) -> Numbering:
        """Numbers of the cells."""
        return Numbering(cell_of, self.grid.width * self.grid.height)

    @cached_property
    def components(self) -> Labels:
        """Number of the connected component of each cell, row by row; negative for obstacles."""
        return components_of(self.grid, self.packed)

    @cached_property
    def plane(self) -> NDArray[np.float32]:
        """1 for each obstacle, 0 for each other cell, of shape (height, width)."""
        size = self.grid.height, self.grid.width
        return np.asarray(self.components == OBSTACLE, np.float32).reshape(size)

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
    def with_unit_costs(self) -> SharedMap:
        """The map on which every step costs 1."""
        return SharedMap(self.grid.with_unit_costs())

    @cached_property
    def digest(self) -> str:
        """Digest of the map and its moves."""
        grid = self.grid
        own = [grid.variant["diagonal"]] if "diagonal" in grid.variant else []
        text = repr((grid.rows, grid.diagonal is not None, sorted(grid.weights.items()), *own))
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    @cached_property
    def file(self) -> InputFile:
        """The map as a file for programs: that from which it was read, if there is one."""
        path = None if self.path is None else self.path.absolute()
        return InputFile(".map", partial(formats.dump_map, self.grid.rows), path, self.digest)

    def entry(
        self, start: GridCell, goal: GridCell, bucket: int | None = None, length: float | None = None
    ) -> formats.ScenarioEntry:
        """Return a problem as a scenario has it. Its map is in the same folder; what is not known is 0."""
        name = f"{self.file.key}{self.file.suffix}" if self.file.path is None else self.file.path.name
        size = self.grid.width, self.grid.height
        return formats.ScenarioEntry(2, bucket or 0, name, size, start, goal, length or 0)


@dataclass(frozen=True)
class GridWorld(Kernels, Looks, Family):
    """A start and a goal on a map. A state is a cell.

    Attributes
    ----------
    shared : SharedMap
    start, goal : (int, int)
        Cells (x, y).
    published_length : float or None
        Length of an optimal path that the scenario gives; 0 also stands for "there is none".
    bucket : int or None
        Bucket of the scenario: published length divided by 4.
    """

    domain: ClassVar[str] = "gridmap"
    goal_kernel = is_goal
    predecessors_kernel = predecessors
    plan_formats = ("names", "cells", "json")
    metrics = (
        Metric("published_length", better="neither", aggregate="mean", digits=5, is_main=False,
               meaning="length of an optimal path in the scenario"),
        Metric("agrees", better="more", log_scale=False,
               meaning="whether the cost is the published length, within its rounding. A length of 0 agrees with "
               "`unsolvable`, too"),
        Metric("bucket", better="neither", aggregate="mean", is_main=False, meaning="bucket in the scenario"),
    )  # fmt: skip

    shared: SharedMap
    start: GridCell
    goal: GridCell
    published_length: float | None = None
    bucket: int | None = None

    @property
    def grid(self) -> GridMap:
        """The map."""
        return self.shared.grid

    @property
    def cost_scale(self) -> int:
        """Cost of a straight step in the engine."""
        return self.grid.scale

    @property
    def unit_costs(self) -> bool:
        return self.grid.has_unit_costs

    def with_unit_costs(self) -> GridWorld:
        """Return the problem on the map on which every step costs the same."""
        return self if self.unit_costs else replace(self, shared=self.shared.with_unit_costs)

    def identity(self) -> dict[str, Any]:
        return {"map": self.shared.digest, "start": self.start, "goal": self.goal}

    def variant(self) -> dict[str, Any]:
        return self.grid.variant

    def measured_at_end(self, plan: Sequence[str] | None, status: str) -> Mapping[str, float | None]:
        """Return the published length, whether the result agrees with it (1 or 0), and the bucket."""
        published = self.published_length
        if published is None:
            return {"bucket": self.bucket}
        agrees: bool | None = None
        if status == UNSOLVABLE.name:
            agrees = published == 0
        elif status == SOLVED.name and plan is not None:
            straight, diagonal = self.grid.costs["."]  # there is no published length for other moves
            cost = user_cost(sum(straight if len(move) == 1 else diagonal for move in plan), self.grid.scale)
            agrees = abs(cost - published) <= max(_TOLERANCE[0], _TOLERANCE[1] * published)
        return {"published_length": published, "agrees": agrees, "bucket": self.bucket}

    def initial(self) -> GridCell:
        return self.start

    def predecessors(self, state: GridCell) -> Iterator[Step]:
        for move, before, _ in self.successors(state):  # every move can be undone, at the cost of entering this cell
            back = OPPOSITE[move]
            step = self.step_of(before, back)
            assert step is not None
            yield back, before, step[1]

    def step_of(self, state: GridCell, action: str) -> tuple[GridCell, float] | None:
        cost = rules.step_cost(self.grid, state, action)
        if cost is None:
            return None
        return rules.after(state, action), cost if self.engine_scale == 1 else cost / self.engine_scale

    def is_goal(self, state: GridCell) -> bool:
        return state == self.goal

    def goals(self) -> tuple[GridCell]:
        return (self.goal,)

    @property
    def expand_kernel(self) -> Kernel:
        return expand_weighted if self.grid.weights else expand

    @property
    def max_successors(self) -> int:
        return 4 if self.grid.diagonal is None else len(MOVES)

    @property
    def action_lengths(self) -> NDArray[np.int64]:
        return _ONES

    @property
    def numbering(self) -> Numbering:
        return self.shared.numbering

    def pack(self, state: GridCell) -> Words:
        return pack(state, self.goal)

    def unpack(self, words: Sequence[int]) -> GridCell:
        return unpack(words)

    def describe_all(self, states: NDArray[np.uint64]) -> GridStates:
        return GridStates(self, states)

    def values_of(self, states: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return x and y of the cell."""
        return (states >> np.array([0, 16], np.uint64) & np.uint64(0xFFFF)).astype(np.int64)

    @property
    def value_counts(self) -> list[int]:
        return [self.grid.width, self.grid.height]

    def constants(self) -> NDArray[np.int64]:
        """Return the map, which all its problems share."""
        return self.shared.packed

    def action_names(self) -> tuple[str, ...]:
        return MOVES

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

    @property
    def dimensions(self) -> tuple[int, ...]:
        return self.grid.width, self.grid.height

    def smaller(self) -> Iterator[GridWorld]:
        for grid, (start, goal) in shrink.smaller(self.grid, (self.start, self.goal)):
            yield GridWorld(SharedMap(grid), start, goal)

    def starting_at(self, state: GridCell) -> GridWorld:
        return GridWorld(self.shared, state, self.goal)

    def document(self, name: str) -> Document:
        """Return the map as a file, with start, goal and moves as parameters. The name of the file is the id."""
        grid = self.grid
        ends = {"start": list(self.start), "goal": list(self.goal)}
        parameters = {**ends, "directions": 8, "weights": {}, **grid.variant}
        return Document("gridmap/map", ".map", formats.dump_map(grid.rows), parameters)

    def inputs(self) -> dict[str, str | InputFile]:
        """Return the map, the problem as a scenario, the ends, the size of the map, and the number of directions."""
        grid = self.grid
        (start_x, start_y), (goal_x, goal_y) = self.start, self.goal
        return {
            "map": self.shared.file,
            "scenario": InputFile(".scen", self._scenario),
            "start": f"{start_x},{start_y}",
            "goal": f"{goal_x},{goal_y}",
            "start_x": str(start_x),
            "start_y": str(start_y),
            "goal_x": str(goal_x),
            "goal_y": str(goal_y),
            "width": str(grid.width),
            "height": str(grid.height),
            "directions": "4" if grid.diagonal is None else "8",
        }

    def _scenario(self) -> str:
        """Return a scenario with this problem."""
        return formats.dump_scenario([self.shared.entry(self.start, self.goal, self.bucket, self.published_length)])

    def read_plan(self, text: str, format: str = "names") -> tuple[str, ...]:
        """Return the moves of a plan. `cells` are those of a path from the start on, and so may those in `json` be.

        Cells between those that lie on a straight or a diagonal line may be left out.
        """
        if format == "cells":
            return paths.moves_of(self.grid, self.start, *plan_texts.pairs(text))
        if format == "json":
            items = plan_texts.json_list(text)
            if items and isinstance(items[0], list):
                return paths.moves_of(self.grid, self.start, *paths.cells_of_json(items))
        return super().read_plan(text, format)

    def locate(self, state: GridCell) -> GridCell:
        return state

    def draw_path(self, states: Sequence[GridCell], axes: Any) -> None:
        render.draw(self.grid, self.goal, states, axes)

    def picture(self, plan: Sequence[str]) -> Callable[[Any], None]:
        """Return a function that draws the map and the path of a plan."""
        return partial(self.draw_path, self.played(plan)[0])

    def render(self, plan: Sequence[str] | None = None) -> str:
        """Return the map as text, with the path of a plan."""
        *_, shown = render.texts(self.grid, self.goal, self.played(plan or ())[0])
        return shown if plan is None else f"{shown}\nplan ({len(plan)} moves): {' '.join(plan)}"

    def frames(self, plan: Sequence[str]) -> Iterator[Frame]:
        """Yield the map before and after each move."""
        shown = render.texts(self.grid, self.goal, self.played(plan)[0])
        return (replace(frame, text=text) for frame, text in zip(super().frames(plan), shown, strict=True))


GridInstance = Instance[GridWorld]
