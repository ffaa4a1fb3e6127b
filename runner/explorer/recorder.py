"""Recording of a search: every expansion with its successors, in order."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.engine.search import Counts, Limits
from algorithms.interface import Algorithm, SearchAlgorithm
from heuristics.stack import BoundStack, Stack
from heuristics.weighting import Weighting
from runner.base.columns import Declared
from runner.base.errors import Incompatible, PluginError, UserError
from runner.execution.solver import SearchAttempt, Solver
from runner.execution.stop import Stopped
from worlds.interface import Instance, Problem, Words
from worlds.traced_problem import Expansion, traced

Integers = NDArray[np.int32]
NO_NODE = -1


class Recorder:
    """Record of one search. Nodes are numbered in the order in which they first occur, node 0 is the start.

    A node is a state with a direction: a bidirectional search reaches a state from the start and from a goal.

    Attributes
    ----------
    states : list of bytes
        Words of the state of each node.
    backward : array of int
        1 for nodes that were reached from a goal.
    goals : set of int
        Nodes that the search recognised as goals.
    expanded : array of int
        Node of each expansion.
    above, step_to : array of int
        In a depth-first search, the expansion whose successor each expanded state is, and the number of the step
        between them; else -1.
    first : array of int
        Number of the first step of each expansion, and at the end the number of steps.
    successor, cost, action : array of int
        Node to which each step leads, its cost, and its action code.
    depth_first : bool
        Whether the search is one of the engine's depth-first searches.
    """

    def __init__(self) -> None:
        self.bound: BoundStack | None = None
        self.problem: Problem | None = None
        self.clear()

    def clear(self) -> None:
        """Forget everything that was recorded."""
        self.states: list[bytes] = []
        self._numbers: tuple[dict[bytes, int], dict[bytes, int]] = ({}, {})
        self.backward = array("b")
        self.goals: set[int] = set()
        self.expanded, self.first = array("i"), array("q", [0])
        self.above, self.step_to = array("i"), array("q")
        self.successor, self.cost, self.action = array("i"), array("i"), array("h")
        self.depth_first = False
        self._path: list[_Level] = []
        self._has_kernel = False

    def trace(self, stack: Stack, problem: Problem, bound: BoundStack) -> BoundStack:
        """Begin a record. Return the stack with a traced problem.

        Parameters
        ----------
        stack : Stack
            Stack of the result.
        problem, bound
            Problem of the instance, and the stack that was prepared for it.
        """
        self.clear()
        self.problem, self.bound = problem, bound
        self.number(bound.problem.initial.tobytes())
        return BoundStack(
            stack, traced(bound.problem, self._by_kernel, self._in_python, self._found_goal), bound.bound_terms
        )

    def number(self, state: bytes, backward: bool = False) -> int:
        """Return the node of a state, which may be new."""
        numbers = self._numbers[backward]
        node = numbers.setdefault(state, len(self.states))
        if node == len(self.states):
            self.states.append(state)
            self.backward.append(backward)
        return node

    def find(self, state: bytes, backward: bool = False) -> int:
        """Return the node of a state; -1 if the search has not generated it."""
        return self._numbers[backward].get(state, NO_NODE)

    def unpacked(self, nodes: Iterable[int]) -> Iterator[Any]:
        """Yield the states of nodes as the world describes them."""
        for node in nodes:
            assert self.problem is not None
            yield self.problem.unpack(np.frombuffer(self.states[node], np.uint64))

    def _found_goal(self, state: bytes) -> None:
        self.goals.add(self.number(state))

    def _by_kernel(self, step: Expansion) -> None:
        self._has_kernel = True
        self._record(step)

    def _in_python(self, step: Expansion) -> None:
        """Record an expansion of a search that has no kernel. With one, this is a question about a path."""
        if not self._has_kernel:
            self._record(step)

    def _record(self, step: Expansion) -> None:
        number, size, backward = self.number, len(step.state), step.backward
        self.expanded.append(number(step.state, backward))
        above, step_to = self._enter(step, size // 8)
        self.above.append(above)
        self.step_to.append(step_to)
        found = step.successors
        self.successor.extend([number(found[at : at + size], backward) for at in range(0, len(found), size)])
        self.cost.extend(step.costs)
        self.action.extend(step.actions)
        self.first.append(len(self.successor))

    def _enter(self, step: Expansion, words: int) -> tuple[int, int]:
        """Return the expansion above one of a depth-first search, and the step between them.

        Such a search keeps the open states of its path in one array, a stack: it writes the successors of a state
        behind everything that is still open, so the position of a state tells whose successor it is. Other searches
        write successors to the beginning of a buffer.
        """
        if step.out_at == 0:
            return NO_NODE, NO_NODE
        self.depth_first = True
        slot, top = step.at // words, step.out_at // words
        while self._path and self._path[-1].top > slot:
            self._path.pop()
        above, step_to = NO_NODE, NO_NODE
        if self._path:
            level = self._path[-1]
            if level.kept is None:
                level.kept = self._kept(level, top - level.top)
            above, step_to = level.expansion, level.kept[slot - level.top]
        self._path.append(_Level(len(self.expanded) - 1, top))
        return above, step_to

    def _kept(self, level: _Level, count: int) -> list[int]:
        """Return the steps from the last state of the path that the search has kept, which are `count`.

        Whatever its cycle check, it leaves out the state itself and the one before it, or all states of the path.
        """
        path = [self.expanded[each.expansion] for each in self._path]
        steps = range(self.first[level.expansion], self.first[level.expansion + 1])
        kept = [step for step in steps if self.successor[step] not in path[-2:]]
        return kept if len(kept) == count else [step for step in steps if self.successor[step] not in path]


@dataclass
class _Level:
    """Expansion on the path of a depth-first search.

    Attributes
    ----------
    expansion : int
    top : int
        Position of its first successor.
    kept : list of int or None
        Steps from it that the search has kept; None until one of them is followed.
    """

    expansion: int
    top: int
    kept: list[int] | None = None


@dataclass(frozen=True)
class TracedStack(Stack):
    """Stack whose searches are recorded."""

    recorder: Recorder = field(default_factory=Recorder, compare=False, repr=False)

    def prepare(self, problem: Problem) -> BoundStack:
        """Prepare the problem, and return a stack whose problem is traced."""
        return self.recorder.trace(self, problem, super().prepare(problem))

    def prepare_backward(self, problem: Problem) -> BoundStack:  # noqa: ARG002
        """Bind the terms that estimate the cost from the start, for the problem that is not traced."""
        assert self.recorder.bound is not None
        return super().prepare_backward(self.recorder.bound.problem)


@dataclass(frozen=True)
class Recording:
    """A recorded search.

    Attributes
    ----------
    instance : Instance
    algorithm : SearchAlgorithm
    stack : TracedStack
    weighting : Weighting or None
    status : str
        Status of the result.
    found : dict
        Other columns of the result.
    """

    instance: Instance
    algorithm: SearchAlgorithm
    stack: TracedStack
    weighting: Weighting | None
    status: str
    found: dict[str, Any]

    @property
    def recorder(self) -> Recorder:
        """Record of the search."""
        return self.stack.recorder

    @property
    def name(self) -> str:
        """Algorithm, stack and weighting as text."""
        changed = "" if self.weighting is None else f", {self.weighting}"
        with_stack = f" with {self.stack}" if self.stack.heuristics else ""
        return f"{self.algorithm.registered_name}{with_stack}{changed}"

    def plan_nodes(self) -> list[int]:
        """Return the nodes of the plan, as far as the search has generated its states."""
        bound, plan = self.recorder.bound, self.found.get("codes")
        if bound is None or plan is None:
            return []
        state, states = bound.problem.initial, [bound.problem.initial]
        for code in plan:
            state = _after(bound.problem, state, code)
            states.append(state)
        nodes = [self.recorder.find(each.tobytes()) for each in states]
        from_goal = [self.recorder.find(each.tobytes(), backward=True) for each in states]
        return [node if node >= 0 else other for node, other in zip(nodes, from_goal, strict=True)]


def _after(problem: Problem, state: Words, code: int) -> Words:
    """Return the state after an action. A backward search may have codes of its own."""
    steps = problem.successors(state)
    for after, _, action in steps:
        if action == code and code >= 0:
            return after.copy()
    for after, cost, _ in steps:
        for before, step_cost, action in problem.successors(after, backward=True):
            if (step_cost, action) == (cost, code) and (before == state).all():
                return after.copy()
    raise ValueError(f"no step from {problem.unpack(state)!r} has the action code {code}")


class _Attempt(SearchAttempt):
    """Attempt that also keeps the action codes of the plan."""

    def codes(self) -> list[int] | None:
        """Return the action codes of the path to the goal; None without one."""
        if self._search is None or "plan" not in self.columns or "cost" not in self.columns:
            return None
        return self._search.path()


def record_search(
    instance: Instance,
    algorithm: Algorithm,
    stack: Stack,
    weighting: Weighting | None,
    limits: Limits,
    watch: Callable[[Counts], bool | None] | None = None,
) -> Recording:
    """Search an instance, and record every expansion. For the parameters see `runner.execution.solver`.

    The status, the plan and the counts are those of an ordinary search.

    Raises
    ------
    UserError
        If the algorithm is an agent, or code of the user raises an exception. The message has its traceback.
    """
    if not isinstance(algorithm, SearchAlgorithm):
        raise Incompatible(f"algorithm: {algorithm.registered_name} is an agent; only searches can be explored")
    if algorithm.has_own_steps:
        raise Incompatible(
            f"algorithm: {algorithm.registered_name} jumps over states; only single steps can be explored"
        )
    recorded = TracedStack(stack.heuristics, stack.combine)
    attempt = _Attempt(Solver(algorithm, recorded, weighting, limits, Declared()), algorithm, instance, {})
    try:
        status = attempt.run(watch)
    except (UserError, Stopped):
        raise
    except Exception as error:
        raise PluginError(f"{instance.id} cannot be searched", error) from None
    return Recording(instance, algorithm, recorded, weighting, status, {**attempt.columns, "codes": attempt.codes()})
