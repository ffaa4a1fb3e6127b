"""The pancake problem: packed stacks and flips, compared with the rules in plain Python, and its sources."""

from __future__ import annotations

import random
from itertools import permutations
from pathlib import Path
from typing import get_args

import pytest

import runner
from runner.base.errors import UserError
from tests.bad_input import error_of_file
from worlds.pancake import Costs, Pancakes

WORDS = {2: 1, 3: 1, 9: 1, 16: 1, 17: 2, 20: 2, 21: 3, 30: 3, 31: 4, 40: 4}


def any_stack(source: random.Random, size: int) -> tuple[int, ...]:
    return tuple(source.sample(range(size), size))


@pytest.mark.parametrize("size", WORDS)
def test_packed_flips_are_those_of_the_rules(size: int) -> None:
    source = random.Random(size)
    costs = source.choice(get_args(Costs))
    problem = runner.load("pancake/random", size=size, count=1, costs=costs)[0].problem()
    world = Pancakes(any_stack(source, size), costs)
    for _ in range(20):
        stack = any_stack(source, size)
        packed = problem.pack(stack)
        assert packed.size == WORDS[size]
        assert problem.unpack(packed) == stack
        expected = [(after, cost, k) for k, (_, after, cost) in enumerate(world.successors(stack))]
        assert [(problem.unpack(state), cost, code) for state, cost, code in problem.successors(packed)] == expected
        back = problem.successors(packed, backward=True)
        assert [(problem.unpack(state), cost, code) for state, cost, code in back] == expected
        assert not problem.recognises(packed) or stack == world.goal
    assert problem.recognises(problem.pack(world.goal))


def test_flips_are_named_by_the_number_of_pancakes() -> None:
    (found,) = runner.load("pancake/random", size=4, count=1)
    names = [(name, after) for name, after, _ in found.world.successors((0, 1, 2, 3))]
    assert names == [("flip 2", (1, 0, 2, 3)), ("flip 3", (2, 1, 0, 3)), ("flip 4", (3, 2, 1, 0))]


def test_a_flip_costs_its_length_or_its_heavier_end() -> None:
    stack = (2, 0, 3, 1)
    found = {costs: [cost for _, _, cost in Pancakes(stack, costs).successors(stack)] for costs in get_args(Costs)}
    assert found == {"unit": [1, 1, 1], "length": [2, 3, 4], "heavy": [3, 4, 3]}


def test_the_exhaustive_source_has_every_stack_once_in_order() -> None:
    found = runner.load("pancake/all", size=5)
    assert [each.world.initial() for each in found] == list(permutations(range(5)))
    assert len({each.id for each in found}) == 120


def test_files_have_pancakes_from_0_or_1_and_names(tmp_path: Path) -> None:
    file = tmp_path / "some.txt"
    file.write_text("# top first\n2 0 1\n\nsecond: 3, 1, 2, 4\n", encoding="utf-8")
    found = runner.load("pancake/file", path=str(file))
    assert [(each.id, each.world.initial()) for each in found] == [("some_1", (2, 0, 1)), ("second", (2, 0, 1, 3))]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 1 x", "line 1: 'x' is not a pancake; a stack is whole numbers separated by blanks"),
        ("0 1 1", "line 1: expected each of 0 to 2 once; 2 is missing"),
        ("2 3 4", "line 1: expected each of 1 to 3 once; 1 is missing"),
        ("0", "line 1: expected 2 to 40 pancakes, got 1"),
        (": 0 1", "line 1: the id before the colon is missing"),
        ("# nothing", "holds no stacks; expected one per line, such as 2 0 3 1"),
    ],
)
def test_mistakes_in_files_are_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "bad.txt").write_text(text, encoding="utf-8")
    assert error_of_file("pancake", str(tmp_path / "bad.txt")).endswith(message)


def test_a_state_must_be_a_permutation() -> None:
    (found,) = runner.load("pancake/random", size=4, count=1)
    assert found.world.state([3, 2, 1, 0]) == (3, 2, 1, 0)
    with pytest.raises(UserError, match="state: expected each of 0 to 3 once"):
        found.world.state([1, 2, 3, 4])
