"""The packed rules of snake, compared with the rules in plain Python and a naive search."""

from __future__ import annotations

import csv
import random
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runner
from runner.base.errors import UserError
from tests.loaded import load
from tests.naive import snake as naive
from tests.snakes import NaiveState, as_naive, from_naive, instance, random_walk, small_boards
from worlds.interface.instance import Unsolvable
from worlds.snake.rules import MOVES, Board, Candy, GridCell, Snake, act, start
from worlds.snake.search import pack, unpack
from worlds.snake.world import SnakeWorld

GOLDEN = Path(__file__).parents[2] / "data" / "snake_graded.csv"
CYCLES = {"name": "ids", "cycle_check": "visited"}


def check(board: Board, snakes: list[Snake]) -> None:
    """Compare packed states, their successors (in order) and goal tests with the rules."""
    problem = instance(board).problem()
    for snake in snakes:
        state = pack(board, snake)
        assert unpack(board, state) == snake
        assert state.size == problem.initial.size
        found = [(unpack(board, after), cost, code) for after, cost, code in problem.successors(state)]
        after = [(act(board, snake, move), 1, code) for code, move in enumerate(MOVES)]
        assert found == [step for step in after if step[0] is not None]
        for to, _, _ in problem.successors(state):
            assert (pack(board, unpack(board, to)) == to).all()
        assert problem.recognises(state) == (sum(snake.left) == 0)


def test_packing_and_successors_are_exact_in_all_states_of_small_boards() -> None:
    for board in small_boards("packed", 20, most_units=4):
        states = naive.space(board)
        snakes = [from_naive(board, state) for state in states]
        assert [as_naive(board, snake) for snake in snakes] == list(states)
        check(board, snakes)
        assert len({pack(board, snake).tobytes() for snake in snakes}) == len(states)


@pytest.mark.parametrize(
    ("size", "units", "words"),
    [
        ((5, 5), 8, 1), ((8, 8), 19, 1), ((8, 8), 20, 2), ((30, 30), 40, 3), ((64, 64), 50, 3), ((1, 64), 30, 2),
        ((64, 2), 40, 2),
    ],
)  # fmt: skip
def test_packing_and_successors_are_exact_for_states_of_several_words(
    size: tuple[int, int], units: int, words: int
) -> None:
    """The bodies fill the words up to the last bit."""
    source = random.Random(str(size))
    cells = [(row, column) for row in range(size[0]) for column in range(size[1])]
    for _ in range(4):
        where = source.sample(cells, units // 2 + 1)
        candies = tuple(Candy(cell, 2) for cell in where[1:]) + ((Candy(unused(cells, where), 1),) if units % 2 else ())
        board = Board(*size, where[0], candies)
        assert board.units == units
        assert pack(board, start(board)).size == words
        check(board, [from_naive(board, state) for state in random_walk(source, board, 30)])
        check(board, full_snakes(source, board))


def unused(cells: list[GridCell], used: list[GridCell]) -> GridCell:
    return next(cell for cell in cells if cell not in used)


def full_snakes(source: random.Random, board: Board) -> list[Snake]:
    """Return states in which 0, 1, 2 or 7 units are left. The body is a random path that does not cross itself."""
    snakes = []
    for missing in (0, 1, 2, 7):
        for _ in range(200):
            path = [(source.randrange(board.rows), source.randrange(board.columns))]
            while len(path) < board.units - missing + 1:
                around = [
                    ((path[-1][0] + d) % board.rows, (path[-1][1] + r) % board.columns) for d, r in naive.MOVES.values()
                ]
                around = [cell for cell in around if cell not in path]
                if not around:
                    break
                path.append(source.choice(around))
            else:
                left = [0] * len(board.candies)
                for number in source.sample(
                    [i for i, c in enumerate(board.candies) for _ in range(c.capacity)], missing
                ):
                    left[number] += 1
                snakes.append(Snake(path[0], tuple(path[1:]), tuple(left)))
                break
    assert len(snakes) > 1
    return snakes


def test_breadth_first_search_has_the_cost_and_counts_of_a_naive_search() -> None:
    for board in small_boards("bfs", 100):
        result = runner.solve(instance(board), "bfs")
        cost, generated, states = naive.breadth_first(board)
        assert (result.status, result.cost, result.valid, result.bound) == ("solved", cost, True, 1)
        assert (result.generated, result.peak_nodes) == (generated, states)


@pytest.mark.parametrize("algorithm", ["ucs", CYCLES, "ids", "idastar"])
def test_other_algorithms_find_the_optimal_cost(algorithm: str | dict[str, Any]) -> None:
    solved = 0
    for board in small_boards("others", 75):
        cost = naive.breadth_first(board)[0]
        found = runner.solve(instance(board), algorithm, limits={"nodes": 200_000})
        if found.status == "node_limit":
            assert algorithm in ("ids", "idastar")
            continue
        assert (found.cost, found.valid) == (cost, True)
        solved += 1
    assert solved > 50


@pytest.mark.parametrize("units", [14, 20, 33, 46, 50])
def test_searches_over_states_of_several_words_find_the_optimal_cost(units: int) -> None:
    """Boards with one row have few states, even with a long snake."""
    source = random.Random(units)
    for _ in range(2):
        cells = source.sample(range(64), 12)
        capacities = [units // 11 + (number < units % 11) for number in range(11)]
        candies = tuple(Candy((0, cell), n) for cell, n in zip(cells[1:], capacities, strict=True))
        board = Board(1, 64, (0, cells[0]), candies)
        assert instance(board).problem().initial.size == (1 if units == 14 else 2 if units < 40 else 3)
        cost, generated, states = naive.breadth_first(board)
        result = runner.solve(instance(board), "bfs")
        assert (result.cost, result.generated, result.peak_nodes, result.valid) == (cost, generated, states, True)
        for heuristic in ("nearest", "spanning_tree"):
            assert runner.solve(instance(board), "astar", [heuristic]).cost == cost


def golden() -> list[dict[str, str]]:
    with open(GOLDEN, encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def test_the_suite_has_its_known_costs_and_counts() -> None:
    """The naive search made the table in minutes. It is repeated for boards with less than 5,000 states."""
    boards = {board.id: board for board in load(SnakeWorld, "snake/static")}
    assert list(boards) == [row["instance"] for row in golden()]
    for row in golden():
        found = runner.solve(boards[row["instance"]], "bfs")
        shown = [found.status, *("" if n is None else str(n) for n in (found.cost, found.generated, found.peak_nodes))]
        assert shown == [row["status"], row["cost"], row["generated"], row["states"]]
        if 0 < int(row["states"]) < 5_000:
            assert naive.breadth_first(boards[row["instance"]].world.board) == tuple(
                int(row[name]) for name in ("cost", "generated", "states")
            )


def test_a_board_too_small_for_the_snake_is_unsolvable_without_a_search() -> None:
    board = Board(2, 2, (0, 0), (Candy((0, 1), 4),))
    result = runner.solve(instance(board), "bfs")
    assert (result.status, result.reason, result.expanded) == ("unsolvable", "4 cells for a snake of 5", 0)
    with pytest.raises(Unsolvable, match="4 cells for a snake of 5"):
        instance(board).problem()


def test_a_board_without_candies_is_solved_by_an_empty_plan() -> None:
    board = Board(1, 1, (0, 0), ())
    for algorithm in ("bfs", "astar", "ids"):
        result = runner.solve(instance(board), algorithm, [] if algorithm != "astar" else ["route"])
        assert (result.status, result.cost, result.plan, result.valid) == ("solved", 0, (), True)


def test_states_are_packed_and_described_and_invalid_ones_refused() -> None:
    where = instance(Board(3, 4, (0, 0), (Candy((0, 1), 2), Candy((2, 2), 1))))
    snake = Snake((0, 2), ((0, 1), (0, 0)), (0, 1))
    assert where.world.describe(where.world.state(snake.head, snake.body, snake.left)) == snake
    assert (where.world.state((0, 0)) == where.problem().initial).all()
    assert where.world.state((0, 0)).dtype == np.uint64
    array: Any = np.array([0, 0])
    assert (where.world.state(array) == where.world.state((0, 0))).all()
    wrong: dict[Any, str] = {
        ((0, 4),): r"\(0, 4\) is not a cell",
        ((0, "a"),): "is not a cell",
        ((True, "0"),): "is not a cell",
        (5,): "5 is not a cell",
        ((0, 0), 5): "body and left must be sequences",
        ((0, 0), (), (2.0, 1)): "body and left must be sequences",
        ((0, 0), ((0, 3),)): "body has 1 cells, but 0 units are eaten",
        ((0, 0), ((0, 1),)): "lies on a candy that is still whole",
        ((0, 0), ((0, 1),), (3, 0)): "left must have 0 to the capacity",
        ((0, 0), ((0, 0),), (1, 1)): "head and body must be on different cells",
        ((0, 0), ((0, 2),), (1, 1)): r"body: \(0, 2\) is no neighbour of \(0, 0\)",
    }
    for arguments, message in wrong.items():
        with pytest.raises(UserError, match=message):
            where.world.state(*arguments)


def test_plans_that_break_the_rules_are_not_valid() -> None:
    where = instance(Board(1, 5, (0, 0), (Candy((0, 1), 1), Candy((0, 3), 1))))
    assert where.world.replay("RRR").reaches_goal
    assert where.world.replay("LLLRR").cost == 3  # a snake of two cells cannot turn around
    assert not where.world.replay("RL").reaches_goal
    assert not where.world.replay("RRRU").reaches_goal
    assert where.world.replay("").cost == 0


def test_merging_bodies_with_the_same_cells_loses_the_optimal_plan() -> None:
    """A search that ignores the order of the body's cells is not optimal on this board (see docs/snake.md)."""
    board = Board(2, 3, (0, 2), (Candy((1, 2), 4), Candy((0, 1), 1)))

    def merged(state: NaiveState) -> Hashable:
        snake, candies = state
        return snake[0], frozenset(snake[1:]), candies

    cost, queue = {merged(naive.begin(board)): 0}, [naive.begin(board)]
    for state in queue:
        if not state[1]:
            break
        for _, after in naive.successors(board, state):
            if merged(after) not in cost:
                cost[merged(after)] = cost[merged(state)] + 1
                queue.append(after)
    assert cost[merged(state)] == 15
    assert runner.solve(instance(board), "bfs").cost == 14
