"""Naive snake and candies with dictionaries and sets, and naive heuristics, written from their definitions."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import permutations

from worlds.snake.rules import Board, GridCell

State = tuple[tuple[GridCell, ...], tuple[tuple[GridCell, int], ...]]
"""Cells of the snake from head to tail, and the candies that are left as sorted (cell, units)."""

MOVES = {"L": (0, -1), "R": (0, 1), "D": (1, 0), "U": (-1, 0)}


def begin(board: Board) -> State:
    """Return the start state."""
    return ((board.head,), tuple(sorted((candy.cell, candy.capacity) for candy in board.candies)))


def successors(board: Board, state: State) -> Iterator[tuple[str, State]]:
    """Yield the moves and the states after them."""
    snake, candies = state
    for move, (down, right) in MOVES.items():
        head = ((snake[0][0] + down) % board.rows, (snake[0][1] + right) % board.columns)
        units = dict(candies)
        if head in units:
            units[head] -= 1
            if units[head] == 0:
                del units[head]
            after = (head, *snake)
        else:
            after = (head, *snake[:-1])
        turns_back = len(snake) > 1 and head == snake[1]
        overlaps = len(set(after)) < len(after)
        stays = head == snake[0]
        if not (turns_back or overlaps or stays):
            yield move, (after, tuple(sorted(units.items())))


def breadth_first(board: Board) -> tuple[int | None, int, int]:
    """Return the cost of the solution (None without one), and the numbers of generated and of distinct states."""
    root = begin(board)
    cost, queue, generated = {root: 0}, deque([root]), 0
    while queue:
        state = queue.popleft()
        if not state[1]:
            return cost[state], generated, len(cost)
        for _, after in successors(board, state):
            generated += 1
            if after not in cost:
                cost[after] = cost[state] + 1
                queue.append(after)
    return None, generated, len(cost)


def space(board: Board) -> dict[State, list[State]]:
    """Return all reachable states with their successors. Goals have none."""
    edges: dict[State, list[State]] = {}
    queue = deque([begin(board)])
    while queue:
        state = queue.popleft()
        if state in edges:
            continue
        edges[state] = [after for _, after in successors(board, state)] if state[1] else []
        queue.extend(edges[state])
    return edges


def exact(edges: dict[State, list[State]]) -> dict[State, int]:
    """Return the number of moves to the nearest goal, for every state that is not a dead end."""
    backward: dict[State, list[State]] = {state: [] for state in edges}
    for state, after in edges.items():
        for to in after:
            backward[to].append(state)
    found = {state: 0 for state in edges if not state[1]}
    queue = deque(found)
    while queue:
        state = queue.popleft()
        for before in backward[state]:
            if before not in found:
                found[before] = found[state] + 1
                queue.append(before)
    return found


def distance(board: Board, one: GridCell, other: GridCell, metric: str = "torus") -> int:
    total = 0
    for axis, side in enumerate((board.rows, board.columns)):
        straight = abs(one[axis] - other[axis])
        total += min(straight, side - straight) if metric == "torus" else straight
    return total


def remaining(board: Board, state: State) -> int:
    return sum(units for _, units in state[1])


def nearest(board: Board, state: State, metric: str = "torus") -> int:
    snake, candies = state
    if not candies:
        return 0
    return min(max(1, distance(board, snake[0], cell, metric)) for cell, _ in candies) + remaining(board, state) - 1


def arrival(board: Board, state: State, cell: GridCell) -> int:
    """Return a lower bound of the moves to a cell.

    A cell of the snake is free after one move for each cell from it to the tail, plus one.
    """
    snake, _ = state
    wait = len(snake) - snake.index(cell) + 1 if cell in snake else 0
    return max(distance(board, snake[0], cell), wait)


def spanning_tree(board: Board, state: State) -> int:
    """Return the weight of a minimum spanning tree over single units (Prim's algorithm), plus the nearest arrival."""
    snake, candies = state
    if not candies:
        return 0
    units = [(cell, number) for cell, capacity in candies for number in range(capacity)]

    def apart(one: tuple[GridCell, int], other: tuple[GridCell, int]) -> int:
        return len(snake) - 1 + 3 if one[0] == other[0] else distance(board, one[0], other[0])

    tree, weight = [units[0]], 0
    while len(tree) < len(units):
        step, unit = min((apart(one, unit), unit) for one in tree for unit in units if unit not in tree)
        tree.append(unit)
        weight += step
    return weight + min(arrival(board, state, cell) for cell, _ in candies)


def route(board: Board, state: State) -> int:
    """Return the length of the shortest route over the units that are left, by trying all orders."""
    snake, candies = state
    orders = set(permutations([cell for cell, capacity in candies for _ in range(capacity)]))
    best: int | None = None
    for order in orders:
        total, length = 0, len(snake) - 1
        for before, cell in zip((None, *order), order, strict=False):
            if before is None:
                total += arrival(board, state, cell)
            else:
                total += length + 2 if before == cell else distance(board, before, cell)
            length += 1
        best = total if best is None else min(best, total)
    return best or 0
