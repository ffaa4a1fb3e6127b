"""Modules of the project that files of students import, with its names. A `Grid` is a table: ``grid[x][y]``."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from itertools import count
from types import ModuleType
from typing import Any

from worlds.pacman.rules import STEP, Square

_EMPTY = ("eightpuzzle", "ghostAgents", "graphicsDisplay", "graphicsUtils", "keyboardAgents", "layout", "textDisplay")


def raiseNotDefined() -> None:
    raise NotImplementedError("util.raiseNotDefined() is still here: this part is not written yet")


class _Stack:
    def __init__(self) -> None:
        self.list = self.heap = list[Any]()

    def push(self, item: Any) -> None:
        self.list.append(item)

    def pop(self) -> Any:
        return self.list.pop()

    def isEmpty(self) -> bool:
        return not self.list


class _Queue(_Stack):
    def push(self, item: Any) -> None:
        self.list.insert(0, item)


class PriorityQueue(_Stack):
    count = 0

    def push(self, item: Any, priority: Any) -> None:  # type: ignore[override]
        heapq.heappush(self.heap, (priority, self.count, item))
        self.count += 1

    def pop(self) -> Any:
        return heapq.heappop(self.heap)[2]

    def update(self, item: Any, priority: Any) -> None:
        at = next((at for at, entry in enumerate(self.heap) if entry[2] == item), None)
        if at is None:
            self.push(item, priority)
        elif priority < self.heap[at][0]:
            self.heap[at] = priority, self.heap[at][1], item
            heapq.heapify(self.heap)


class _PriorityQueueWithFunction(PriorityQueue):
    def __init__(self, priorityFunction: Callable[[Any], Any]) -> None:
        super().__init__()
        self.priorityFunction = priorityFunction

    def push(self, item: Any) -> None:  # type: ignore[override]
        super().push(item, self.priorityFunction(item))


class Grid:
    def __init__(self, width: int, height: int, initialValue: Any = False, others: Iterable[Square] = ()) -> None:
        self.width, self.height = width, height
        self.data = [[initialValue] * height for _ in range(width)]
        for x, y in others:
            self.data[x][y] = not initialValue

    def __getitem__(self, x: int) -> list[Any]:
        return self.data[x]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Grid) and self.data == other.data

    def __hash__(self) -> int:
        return hash(tuple(map(tuple, self.data)))

    def __repr__(self) -> str:
        return f"<grid: {' '.join(map(str, self.asList())) or 'empty'}>"

    def copy(self) -> Grid:
        new = Grid(self.width, self.height)
        new.data = [column[:] for column in self.data]
        return new

    deepCopy = shallowCopy = copy

    def count(self, item: Any = True) -> int:
        return sum(column.count(item) for column in self.data)

    def asList(self, key: Any = True) -> list[Square]:
        return [(x, y) for x, column in enumerate(self.data) if key in column for y, e in enumerate(column) if e == key]


class Directions:
    NORTH, SOUTH, EAST, WEST, STOP = "North", "South", "East", "West", "Stop"
    LEFT = {"North": "West", "West": "South", "South": "East", "East": "North", "Stop": "Stop"}
    RIGHT = {after: before for before, after in LEFT.items()}
    REVERSE = {"North": "South", "South": "North", "East": "West", "West": "East", "Stop": "Stop"}


class Actions:
    vectors = {**STEP, "Stop": (0, 0)}

    @classmethod
    def directionToVector(cls, direction: str, speed: float = 1.0) -> tuple[float, ...]:
        return tuple(each * speed for each in cls.vectors[direction])

    @classmethod
    def getLegalNeighbors(cls, position: Square, walls: Grid) -> list[Square]:
        near = [(int(position[0] + x), int(position[1] + y)) for x, y in cls.vectors.values()]
        return [(x, y) for x, y in near if 0 <= x < walls.width and 0 <= y < walls.height and not walls[x][y]]


class GameState:
    def __init__(self, walls: Grid, food: Grid, position: Square) -> None:
        self.walls, self.food, self.position = walls, food, position
        self.getWalls, self.getFood, self.getPacmanPosition = (lambda: walls), (lambda: food), (lambda: position)
        self.hasWall, self.hasFood, self.getNumFood = (lambda x, y: walls[x][y]), (lambda x, y: food[x][y]), food.count
        self.isWin, self.getCapsules, self.getGhostPositions = (lambda: not food.count()), list, list

    def getLegalActions(self, agentIndex: int = 0) -> list[str]:
        x, y = self.position
        return [name for name, (east, north) in Actions.vectors.items() if not self.walls[x + east][y + north]]


def successors_of(problem: Any) -> Any:
    return getattr(problem, "getSuccessors", None) or problem.expand  # its name from 2020 on


def _search(of_g: int, of_h: int, of_moves: int, problem: Any, heuristic: Any = lambda *_: 0) -> list[Any]:
    """Return a path for submissions that call a search; empty without one. The numbers are weights."""
    places, closed = count(), set[Any]()
    heap: list[tuple[float, int, Any, float, list[Any]]] = [(0, next(places), problem.getStartState(), 0, [])]
    while heap:
        _, _, state, g, path = heapq.heappop(heap)
        if state not in closed:
            if problem.isGoalState(state):
                return path
            closed.add(state)
            for after, action, cost in successors_of(problem)(state):
                order = of_g * (g + cost) + of_h * heuristic(after, problem) + of_moves * (len(path) + 1)
                heapq.heappush(heap, (order, next(places), after, g + cost, [*path, action]))
    return []


def modules() -> dict[str, ModuleType]:
    """Return new modules by their names."""
    parts = _Stack, _Queue, PriorityQueue, _PriorityQueueWithFunction, Counter, raiseNotDefined
    of_util: dict[str, Any] = {each.__name__.lstrip("_"): each for each in parts}
    names = {"dfs": "depthFirstSearch", "bfs": "breadthFirstSearch", "ucs": "uniformCostSearch", "astar": "aStarSearch"}
    weights = zip(names.items(), ((0, 0, -1), (0, 0, 1), (1, 0, 0), (1, 1, 0)), strict=True)
    searches = {name: partial(_search, *each) for both, each in weights for name in both}
    contents: dict[str, dict[str, Any]] = {
        **{name: {} for name in _EMPTY},
        "util": {**of_util, "manhattanDistance": lambda a, b: abs(a[0] - b[0]) + abs(a[1] - b[1])},
        "game": {each.__name__: each for each in (Directions, Actions, Grid)} | {"Agent": object},
        "pacman": {"GameState": GameState},
        "search": {**searches, "SearchProblem": object, "nullHeuristic": lambda *_: 0},
        "searchAgents": {"SearchAgent": object},
    }
    found = {name: ModuleType(name) for name in contents}
    for name, content in contents.items():
        vars(found[name]).update(content)
    return found
