"""Naive search problems of Pacman on rows of characters, and naive heuristics, written from their definitions."""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, permutations

Square = tuple[int, int]
State = tuple[Square, frozenset[Square]]
"""Square of Pacman, and the targets that are left."""
MOVES = {"North": (0, 1), "South": (0, -1), "East": (1, 0), "West": (-1, 0)}


@dataclass(frozen=True)
class Naive:
    """A board with a problem. Costs of steps are integers: `scale` of them are a cost of 1."""

    rows: tuple[str, ...]
    problem: str = "food"
    cost: str = "unit"

    def at(self, square: Square) -> str:
        return self.rows[len(self.rows) - 1 - square[1]][square[0]]

    def squares(self, marks: str) -> list[Square]:
        everywhere = [(x, y) for x in range(len(self.rows[0])) for y in range(len(self.rows))]
        return [square for square in everywhere if self.at(square) in marks]

    def targets(self) -> list[Square]:
        right, top = len(self.rows[0]) - 2, len(self.rows) - 2
        corners = {(1, 1), (1, top), (right, 1), (right, top)}
        return sorted(corners) if self.problem == "corners" else self.squares(".")

    @property
    def scale(self) -> int:
        return 2 ** (len(self.rows[0]) - 2) if self.cost == "east" else 1

    def begin(self) -> State:
        (pacman,) = self.squares("P")
        return pacman, frozenset(self.targets()) - {pacman}

    def step_cost(self, square: Square) -> int:
        return {"unit": 1, "east": self.scale // 2 ** square[0], "west": 2 ** square[0]}[self.cost]

    def successors(self, state: State) -> Iterator[tuple[str, State, int]]:
        for move, (east, north) in MOVES.items():
            square = state[0][0] + east, state[0][1] + north
            if self.at(square) != "%":
                yield move, (square, state[1] - {square}), self.step_cost(square)

    def space(self) -> list[State]:
        """Return all states that can be reached."""
        found, queue = {self.begin()}, [self.begin()]
        for state in queue:
            for _, after, _ in self.successors(state):
                if after not in found:
                    found.add(after)
                    queue.append(after)
        return queue

    def uniform_cost(self) -> tuple[int | None, int]:
        """Return the cost of a cheapest plan (None without one), and the expansions by the rules of the project."""
        queue: list[tuple[int, int, State]] = [(0, 0, self.begin())]
        expanded: set[State] = set()
        number = 0
        while queue:
            cost, _, state = heapq.heappop(queue)
            if not state[1]:
                return cost, len(expanded)
            if state not in expanded:
                expanded.add(state)
                for _, after, step in self.successors(state):
                    number += 1
                    heapq.heappush(queue, (cost + step, number, after))
        return None, len(expanded)

    def steps_from(self, square: Square) -> dict[Square, int]:
        """Return the length of a shortest path to each square."""
        steps, queue = {square: 0}, deque([square])
        while queue:
            at = queue.popleft()
            for _, (to, _), _ in self.successors((at, frozenset())):
                if to not in steps:
                    steps[to] = steps[at] + 1
                    queue.append(to)
        return steps

    def maze(self, one: Square, other: Square) -> int:
        return self.steps_from(one)[other]

    def nearest_first(self) -> int:
        """Return the length of a plan that always eats a nearest target."""
        square, left = self.begin()
        length = 0
        while left:
            steps = self.steps_from(square)
            square = min(left, key=lambda target: (steps[target], target))
            length += steps[square]
            left -= {square}
        return length


Distance = Callable[[Square, Square], int]


def manhattan(one: Square, other: Square) -> int:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def crow(one: Square, other: Square) -> int:
    return math.isqrt((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2)


def farthest(state: State, distance: Distance) -> int:
    return max((distance(state[0], target) for target in state[1]), default=0)


def tour(state: State) -> int:
    orders = ([state[0], *order] for order in permutations(state[1]))
    return min(sum(map(manhattan, order, order[1:])) for order in orders)


def tree(state: State, distance: Distance) -> int:
    """Return the distance to the nearest target, and a minimum spanning tree of the targets (algorithm of Kruskal)."""
    component = {target: target for target in state[1]}
    weight = min((distance(state[0], target) for target in state[1]), default=0)
    for length, one, other in sorted((distance(*pair), *pair) for pair in combinations(sorted(state[1]), 2)):
        old, new = component[one], component[other]
        if old != new:
            weight += length
            component = {target: new if each == old else each for target, each in component.items()}
    return weight


def pair(state: State, distance: Distance) -> int:
    """Return the distance of the first of the farthest pairs, and that to its nearer end."""
    square, left = state[0], sorted(state[1])
    if len(left) < 2:
        return sum(distance(square, target) for target in left)
    one, other = max(combinations(left, 2), key=lambda each: distance(*each))
    return distance(one, other) + min(distance(square, one), distance(square, other))
