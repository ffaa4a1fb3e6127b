"""Compiled worlds: the same results as their rules in plain Python, and the mistakes that checks find."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from runner.examples.topspin import TopSpin, gap

import runner
from algorithms.spaces import StateSpace
from runner.base.errors import UserError
from runner.examples import astar  # noqa: F401 - registers plain_astar
from runner.features.audits.checker import WorldError, check_world
from tests.registered import SEARCHES
from tests.sampling import covering
from worlds.compile.errors import KernelError
from worlds.compile.kernels import EXPAND, IS_GOAL, kernel
from worlds.interface.instance import Instance
from worlds.interface.python_world import CompiledWorld, PythonWorld


@dataclass(frozen=True)
class Rules(PythonWorld):
    """The rules of a ring without its kernels."""

    ring: TopSpin
    unit_costs = True

    @property
    def domain(self) -> str:
        return "ring"

    def initial(self) -> Any:
        return self.ring.initial()

    def successors(self, state: Any) -> Any:
        return self.ring.successors(state)

    def is_goal(self, state: Any) -> bool:
        return self.ring.is_goal(state)

    predecessors = successors

    def goals(self) -> Any:
        return self.ring.goals()


def instance_of(world: PythonWorld) -> Instance:
    return next(world.instances())


RINGS = [TopSpin(6, 4, 9), TopSpin(6, 3, 9, seed=1), TopSpin(5, 5, 3), TopSpin(14, 4, 3, seed=2)]


@covering({"algorithm": ["ucs", "astar", "bfs", "idastar", "bidirectional", "greedy"], "ring": RINGS})
def test_the_kernels_give_the_same_counts_and_plans_as_the_rules(ring: TopSpin, algorithm: str) -> None:
    stack = ["gap"] if algorithm in ("astar", "idastar", "greedy") else []
    compiled = runner.solve(instance_of(ring), algorithm, stack)
    plain = runner.solve(instance_of(Rules(ring)), algorithm, stack)
    assert compiled.status == "solved"
    for name in ("status", "cost", "plan", "valid", "expanded", "generated", "evaluated", "initial_h", "bound"):
        assert getattr(compiled, name) == getattr(plain, name), name


def test_states_of_two_words_are_packed_and_unpacked() -> None:
    instance = instance_of(TopSpin(20, 6, 30))
    problem, state = instance.problem(), tuple(reversed(range(20)))
    assert problem.initial.size == 2
    assert problem.unpack(problem.pack(state)) == state
    assert problem.unpack(problem.pack(instance.world.state(state))) == state
    assert runner.heuristic(instance, ["gap"])(state) == gap(state) == 0


def test_values_that_are_no_states_are_refused() -> None:
    instance = instance_of(TopSpin(6, 4, 3))
    h = runner.heuristic(instance, ["gap"])
    with pytest.raises(UserError, match=r"is no state of .*: use a tuple, \(5, 4, 3, 2, 1, 0\)$"):
        h([5, 4, 3, 2, 1, 0])
    with pytest.raises(UserError, match=r"is no state of .*: packed and unpacked it is \(0, 1, 2, 3, 4, 5\)$"):
        h(range(6))


@pytest.mark.parametrize("constants", [[6.5, 4, 1, 0], [6, 1 << 63, 1, 0]])
def test_constants_are_integers_of_64_bits(constants: list[int]) -> None:
    class Wrong(TopSpin):
        def constants(self) -> list[int]:
            return constants

    with pytest.raises(ValueError, match=r"^constants: expected integers from -2\*\*63 to 2\*\*63 - 1: "):
        instance_of(Wrong(6, 4, 3)).problem()


# Faults of the kernels of `Line`, by number.
FAULTS = ("none", "skips", "cost", "code", "bits", "many", "goal", "large code", "order", "less than 0", "own")


@kernel(EXPAND)
def expand_line(constants: Any, states: Any, at: Any, out: Any, out_at: Any, cost: Any, action: Any, slot: Any) -> Any:
    fault, here, n = constants[0], states[at], 0
    for k in range(2):
        step = 1 - k if fault == 8 else k
        if here < 9 and not (fault == 1 and here == 5 and step == 1):
            out[out_at + n] = here + 1 + step
            if fault == 4 and here == 5:
                out[out_at + n] = out[out_at + n] | 1 << 40
            cost[slot + n] = 2 + step if fault == 2 and here == 5 else 1 + step
            if fault == 9 and here == 5:
                cost[slot + n] = -1
            action[slot + n] = 1 - step if fault == 3 and here == 5 else step
            if fault == 7 and here == 5:
                action[slot + n] = 7
            n += 1
    if fault == 5 and here == 5:
        out[out_at + n] = here
        return n + 1
    if fault == 10 and here == 5:
        return -7
    return n


@kernel(IS_GOAL)
def is_end(constants: Any, states: Any, at: Any) -> Any:
    return states[at] == 9 and constants[0] != 6


@dataclass(frozen=True)
class Line(CompiledWorld):
    """Steps of 1 and 2 from 0 to 9 or 10."""

    fault: str = "none"
    expand_kernel = expand_line
    goal_kernel = is_end

    def initial(self) -> int:
        return 0

    def successors(self, state: int) -> list[tuple[str, int, int]]:
        return [("one", state + 1, 1), ("two", state + 2, 2)] if state < 9 else []

    def is_goal(self, state: int) -> bool:
        return state == 9

    def pack(self, state: int) -> Sequence[Any]:
        wrong = {"negative": [-1], "float": [0.5], "no list": 3, "no words": []}
        return wrong.get(self.fault, [state, 0] if self.fault == "longer" and state == 5 else [state])  # type: ignore[return-value]

    def unpack(self, words: Sequence[int]) -> int:
        return (words[0] & 0xFF) - (self.fault == "unpack" and words[0] == 5)

    def constants(self) -> list[int]:
        return [FAULTS.index(self.fault) if self.fault in FAULTS else 0]

    def action_names(self) -> list[str]:
        return ["one"] * 2 if self.fault == "names" else ["one", "two"]


def test_a_line_without_faults_passes() -> None:
    outcomes = {each.check: each.outcome for each in check_world(Line())}
    assert outcomes["kernels_follow_the_rules"] == outcomes["packing_is_inverse"] == "passed"
    assert runner.solve(instance_of(Line()), "ucs").cost == 9


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("skips", r"step 1 from 5: expand_kernel gives None, but successors gives \('two', 7, 2\)"),
        ("cost", r"step 0 from 5: expand_kernel gives \('one', 6, 2\), but successors gives \('one', 6, 1\)"),
        ("code", r"step 0 from 5: expand_kernel gives \('two', 6, 1\)"),
        ("order", r"step 0 from 0: expand_kernel gives \('two', 2, 2\)"),
        ("names", r"step 1 from 0: expand_kernel gives \('one', 2, 2\)"),
        ("bits", r"packing_is_inverse: Line: the kernels write 0x10000000006, but pack gives 0x6 for 6"),
        ("longer", "packing_is_inverse: Line: pack gives 2 words for 5, but 1 for the start"),
        ("unpack", "packing_is_inverse: Line: .* pack gives 0x4 for 4|unpack.* is 4 for 5"),
        ("many", "expand_line wrote 3 states; max_successors is 2"),
        ("goal", "goal_kernel is False for 9, but is_goal is not"),
        ("large code", "expand_kernel gave the action code 7; action_names has 0 to 1"),
        ("negative", r"pack: expected a list of integers from 0 to 2\*\*64 - 1, got \[-1\] for 0"),
        ("float", r"pack: expected .* got \[0.5\] for 0"),
        ("no list", "pack: expected .* got 3 for 0"),
        ("no words", r"pack: expected .* got \[\] for 0"),
    ],
)
def test_each_fault_is_found_by_the_checks(fault: str, message: str) -> None:
    with pytest.raises(WorldError, match=message):
        check_world(Line(fault))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("many", "a state has more successors than max_successors"),
        ("less than 0", "a step has a negative cost"),
        ("own", "a kernel returned -7"),
    ],
)
def test_no_search_goes_on_after_a_fault_of_a_kernel(fault: str, message: str) -> None:
    """In kernels of the engine, and in algorithms in plain Python: a start without a plan seemed unsolvable."""
    instance, found = instance_of(Line(fault)), {}
    for name in ("plain_astar", *SEARCHES):
        with suppress(UserError):  # this algorithm needs a heuristic, or another world
            found[name] = runner.solve(instance, name)
    assert {"plain_astar", "ucs", "bfs", "dfs", "idastar", "rbfs", "bts", "k_best", "ara", "rtaa"} <= found.keys()
    assert {name: each.error for name, each in found.items() if message not in str(each.error)} == {}
    with pytest.raises(KernelError, match=message):
        StateSpace(instance.problem())


def test_kernels_that_are_missing_or_wrong_are_refused() -> None:
    class NoGoal(Line):
        goal_kernel = None  # type: ignore[assignment]

    class Unmarked(Line):
        expand_kernel = is_end

    class Backward(Line):
        predecessors_kernel = expand_line

    for world, message in (
        (NoGoal(), r"world 'NoGoal': goal_kernel: expected a function marked with @kernel\(IS_GOAL\), got nothing"),
        (Unmarked(), r"expand_kernel: expected a function marked with @kernel\(EXPAND\), got the kernel is_end"),
        (Backward(), "predecessors_kernel: needs the methods predecessors and goals, too"),
    ):
        with pytest.raises(UserError, match=message):
            world.check()


class Tenths(Line):
    """Line whose steps cost 0.1 and 0.2; its kernels count in tenths."""

    cost_scale = 10

    def successors(self, state: int) -> Any:
        return [(name, to, cost / 10) for name, to, cost in super().successors(state)]


def test_kernels_write_costs_in_units_of_the_cost_scale() -> None:
    check_world(Tenths())
    result = runner.solve(instance_of(Tenths()), "ucs")
    assert (result.cost, result.valid) == (0.9, True)
    with pytest.raises(WorldError, match=r"expand_kernel gives \('one', 6, 2\), but successors gives \('one', 6, 1\)"):
        check_world(Tenths("cost"))

    class Automatic(Tenths):
        cost_scale = "auto"  # type: ignore[assignment]

    with pytest.raises(UserError, match="cost_scale: a compiled world needs a number"):
        Automatic().check()


class Jumps(Line):
    """Line whose second action is two steps of the rules."""

    has_all_steps = False

    def successors(self, state: int) -> list[tuple[str, int, int]]:
        return [("one", state + 1, 1)] if state < 20 else []

    def action_names(self) -> Any:
        return ["one", ("one", "one")]


def test_macro_actions_are_played_by_the_rules() -> None:
    outcomes = {each.check: each.outcome for each in check_world(Jumps())}
    assert outcomes["kernels_follow_the_rules"] == "passed"
    result = runner.solve(instance_of(Jumps()), "bfs")
    assert (result.plan, result.length, result.cost, result.valid) == (("one",) * 9, 9, 9, True)
    with pytest.raises(WorldError, match=r"'one' from 5: expand_kernel gives \(6, 2\), but the rules give \(6, 1\)"):
        check_world(Jumps("cost"))


class Hopeless(Line):
    """Line that is known to have no solution."""

    def proof_of_unsolvability(self) -> str:
        return "the end is blocked"


def test_a_world_can_prove_that_it_has_no_solution() -> None:
    result = runner.solve(instance_of(Hopeless()), "ucs")
    assert (result.status, result.reason, result.expanded) == ("unsolvable", "the end is blocked", 0)


@kernel(EXPAND)
def expand_up_to_100(world: Any, states: Any, at: Any, out: Any, out_at: Any, cost: Any, action: Any, slot: Any) -> Any:
    if states[at] >= 100:
        return 0
    out[out_at] = states[at] + np.uint64(1)
    cost[slot], action[slot] = 1, 0
    return 1


@kernel(IS_GOAL)
def is_1000(world: Any, states: Any, at: Any) -> Any:
    return states[at] == np.uint64(1000)


@dataclass(frozen=True)
class Far(CompiledWorld):
    """Numbers up to 1000, with a kernel that is wrong far from the start."""

    unit_costs = True
    expand_kernel = expand_up_to_100
    goal_kernel = is_1000

    def initial(self) -> int:
        return 0

    def successors(self, state: Any) -> list[tuple[str, int, int]]:
        return [("up", state + 1, 1)] if state < 1000 else []

    def is_goal(self, state: Any) -> bool:
        return bool(state == 1000)

    def pack(self, state: Any) -> list[int]:
        return [state]

    def unpack(self, words: Any) -> int:
        return int(words[0])

    def action_names(self) -> list[str]:
        return ["up"]


def test_a_fault_far_from_the_start_is_found() -> None:
    with pytest.raises(WorldError, match="kernels_follow_the_rules: Far: step 0 from 1"):
        check_world(Far(), states=50)
