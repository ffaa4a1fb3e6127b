"""Recording of a search: every expansion that it tells, in order."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from algorithms.engine import Counts, Expansion, Limits, NodeSpace, ResumableSearch, Search
from algorithms.interface import Algorithm, Answer, ExpansionOrder, SearchAlgorithm
from algorithms.spaces import INFINITY
from heuristics.interface import INFINITE_H, BoundStack, Stack, Weighting
from runner.base import Declared, Incompatible, PluginError, UserError
from runner.execution import Solver, Stopped
from runner.features.explorer.scene import positions_of
from worlds.interface import Instance, Problem, Words

NO_NODE = -1
LABELS = "labels"
"""What a search for a set of plans keeps: several paths to a state, each of which may be expanded."""


class CannotBeWatched(Incompatible):
    """A search tells no expansions."""


class SearchRecorder:
    """Record of one search. Nodes are numbered in the order in which they first occur, node 0 is the start.

    A node is a state with a direction: a bidirectional search reaches a state from the start and from a goal.

    Attributes
    ----------
    problem : Problem or None
        Problem of the instance; None until the search begins.
    bound : BoundStack or None
        Stack bound to the problem that it has prepared.
    space : NodeSpace or None
        Space of the nodes; None: states of the world.
    keeps : str
        Which of several paths to an open node the search keeps: one, as `Search.keeps` says, or `LABELS`.
    states : list of bytes
        Words of the state of each node.
    backward : array of int
        1 for nodes that were reached from a goal.
    first_parent : array of int
        Node whose expansion generated each node first; -1 for roots.
    expanded, parent, g : array of int
        Node of each expansion, and the parent (-1: a root) and g with which it was expanded.
    costs : list of tuple of int
        All costs of the path of each expansion; empty unless there are several.
    nodes : array of int
        Number of nodes after each expansion.
    first : array of int
        Number of the first step of each expansion, and at the end the number of steps.
    successor, cost : array of int
        Node to which each step leads, and its cost.
    first_learned : array of int
        Number of the first value that was told with each expansion, and at the end the number of these values.
    learned, learned_h : array of int
        Node of each told value, and the value. It may be the one that the node has already.
    """

    def __init__(self) -> None:
        self.problem: Problem | None = None
        self.bound: BoundStack | None = None
        self.space: NodeSpace | None = None
        self.keeps: str = Search.keeps
        self._forget_nodes()
        self.expanded, self.parent, self.g = array("i"), array("i"), array("q")
        self.costs: list[tuple[int, ...]] = []
        self.nodes, self.first = array("i"), array("q", [0])
        self.successor, self.cost = array("i"), array("i")
        self.first_learned, self.learned, self.learned_h = array("q", [0]), array("i"), array("q")

    def _forget_nodes(self) -> None:
        self.states: list[bytes] = []
        self._numbers: tuple[dict[bytes, int], dict[bytes, int]] = ({}, {})
        self.backward, self.first_parent = array("b"), array("i")

    def begin(self, problem: Problem, bound: BoundStack) -> None:
        """Begin with the start of the problem that the stack has prepared."""
        self.problem, self.bound = problem, bound
        self._number(bound.problem.initial, False, NO_NODE)

    def enter(self, space: NodeSpace) -> None:
        """Begin with the start of a space of the search's own."""
        self.space = space
        self._forget_nodes()
        self._number(space.initial, False, NO_NODE)

    def add(self, expansion: Expansion) -> None:
        """Record an expansion."""
        state, parent, g, steps, backward, learned, costs = expansion
        before = NO_NODE if parent is None else self._number(parent, backward, NO_NODE)
        node = self._number(state, backward, before)
        self.expanded.append(node)
        self.parent.append(before)
        self.g.append(g)
        self.costs.append(costs)
        self.successor.extend([self._number(after, backward, node) for after, _, _ in steps])
        self.cost.extend([cost for _, cost, _ in steps])
        self.first.append(len(self.successor))
        self.nodes.append(len(self.states))
        self.learned.extend([self._number(words, backward, node) for words, _ in learned])
        self.learned_h.extend([INFINITY if value >= INFINITE_H else value for _, value in learned])
        self.first_learned.append(len(self.learned))

    def _number(self, state: Words, backward: bool, parent: int) -> int:
        """Return the node of a state. A new one has this parent."""
        words = state.tobytes()
        node = self._numbers[backward].setdefault(words, len(self.states))
        if node == len(self.states):
            self.states.append(words)
            self.backward.append(backward)
            self.first_parent.append(parent)
        return node

    def find(self, state: Words, backward: bool = False) -> int:
        """Return the node of a state; -1 if the search has not generated it."""
        return self._numbers[backward].get(state.tobytes(), NO_NODE)

    def nodes_to(self, state: Words | None) -> list[int]:
        """Return the nodes from a root to a node, each below the node that generated it first."""
        node = NO_NODE if state is None else self.find(state)
        found: list[int] = []
        while node != NO_NODE:
            found.append(node)
            node = self.first_parent[node]
        return found[::-1]

    def words(self) -> Words:
        """Return the words of all nodes, as an array of shape (nodes, words)."""
        return np.frombuffer(bytearray().join(self.states), np.uint64).reshape(len(self.states), -1)

    def unpacked(self, nodes: Iterable[int]) -> Iterator[Any]:
        """Yield the states of nodes as the world describes them."""
        for node in nodes:
            assert self.problem is not None
            yield self.problem.unpack(np.frombuffer(self.states[node], np.uint64))


@dataclass(frozen=True)
class _RecordedStack(Stack):
    """Stack that hands the recorder the problem.

    Searches in place keep no states, so they are recorded by their general kernel, which visits the same nodes.
    """

    recorder: SearchRecorder = field(default_factory=SearchRecorder, compare=False, repr=False)

    def prepare(self, problem: Problem) -> BoundStack:
        bound = super().prepare(problem)
        self.recorder.begin(problem, bound)
        return BoundStack(self, replace(bound.problem, in_place=None), bound.bound_terms)


class _RecordedAlgorithm(SearchAlgorithm):
    """Algorithm whose search tells the recorder its expansions."""

    search: Search | None = None

    def __init__(self, algorithm: SearchAlgorithm, recorder: SearchRecorder) -> None:
        self._algorithm, self._recorder = algorithm, recorder

    @property
    def answer(self) -> Answer:
        """The kind of answer of the algorithm."""
        return self._algorithm.answer

    def start(self, stack: BoundStack, weighting: Weighting | None) -> Search:
        self.search = self._algorithm.start(stack, weighting)
        if isinstance(self.search, ResumableSearch) and type(self.search).expansion is ResumableSearch.expansion:
            raise CannotBeWatched(f"algorithm: {self._algorithm.registered_name} tells no expansions")
        self.search.record = self._recorder.add
        self._recorder.keeps = self.search.keeps if self.answer == "plan" else LABELS
        if self.search.space is not None:
            self._recorder.enter(self.search.space)
        return self.search


@dataclass(frozen=True)
class Recording:
    """A recorded search.

    Attributes
    ----------
    instance : Instance
    algorithm : Algorithm
    stack : Stack
    weighting : Weighting or None
    recorder : Recorder
        Record of the search.
    status : str
        Status of the result.
    found : dict
        Other columns of the result.
    codes : list of int or None
        Action codes of the plan; None without one.
    watches_search : bool
        Whether there are expansions. Otherwise the nodes are the states of a plan.
    """

    watches_search: ClassVar[bool] = True

    instance: Instance
    algorithm: Algorithm
    stack: Stack
    weighting: Weighting | None
    recorder: SearchRecorder
    status: str
    found: dict[str, Any]
    codes: list[int] | None

    @property
    def name(self) -> str:
        """Algorithm, stack and weighting as text."""
        changed = "" if self.weighting is None else f", {self.weighting}"
        with_stack = f" with {self.stack}" if self.stack.heuristics else ""
        return f"{self.algorithm.registered_name}{with_stack}{changed}"

    @property
    def summary(self) -> str:
        """Line on how the search ended."""
        return f"{self.name}: {self.status}, {len(self.recorder.expanded):,} expansions"

    @property
    def order(self) -> ExpansionOrder:
        """Order of the expansions."""
        assert isinstance(self.algorithm, SearchAlgorithm)
        declared = self.algorithm.expansion_order(self.weighting)
        return declared if self.stack.heuristics else declared.without_heuristic()

    def positions(self, count: int) -> NDArray[np.float64] | None:
        """Return the positions of the first nodes, as an array of shape (count, 2); None unless all have one."""
        if self.recorder.space is not None:
            return None
        return positions_of(self.instance, self.recorder.unpacked(range(count)))

    def texts(self, count: int) -> Iterator[str]:
        """Yield the texts of the first nodes."""
        space = self.recorder.space
        if space is None:
            return map(self.instance.world.show, self.recorder.unpacked(range(count)))
        return map(space.show, self.recorder.words()[:count])

    def details(self, count: int) -> Iterator[str]:
        """Yield the texts of the first nodes for tables."""
        space = self.recorder.space
        return self.texts(count) if space is None else map(space.details, self.recorder.words()[:count])

    def plan_nodes(self) -> list[int]:
        """Return the nodes of the plan; -1 for states that the search has not generated.

        In a space of the search's own they lead from the start to the solution.
        """
        record = self.recorder
        if record.space is not None:
            return record.nodes_to(record.space.solution)
        if record.bound is None or self.codes is None:
            return []
        state, states = record.bound.problem.initial, [record.bound.problem.initial]
        for code in self.codes:
            state = _after(record.bound.problem, state, code)
            states.append(state)
        nodes, from_goal = map(record.find, states), (record.find(each, backward=True) for each in states)
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


def record_search(
    instance: Instance,
    algorithm: Algorithm,
    stack: Stack,
    weighting: Weighting | None,
    limits: Limits,
    watch: Callable[[Counts], bool | None] | None = None,
) -> Recording:
    """Search an instance, and record every expansion. For the parameters see `runner.execution.Solver.attempt`.

    The status, the plan and the counts are those of an ordinary search.

    Raises
    ------
    CannotBeWatched
        If the search tells no expansions.
    UserError
        If the algorithm is an agent, or code of the user raises an exception. The message has its traceback.
    """
    if not isinstance(algorithm, SearchAlgorithm):
        raise Incompatible(f"algorithm: {algorithm.registered_name} is an agent; only searches can be explored")
    recorder = SearchRecorder()
    recorded = _RecordedAlgorithm(algorithm, recorder)
    recorded_stack = _RecordedStack(stack.heuristics, stack.combine, recorder)
    solver = Solver(algorithm, recorded_stack, weighting, limits, Declared())
    attempt = solver.attempt(instance, recorded)
    try:
        status = attempt.run(watch)
    except (UserError, Stopped):
        raise
    except Exception as error:
        raise PluginError(f"{instance.id} cannot be searched", error) from None
    has_plan = {"plan", "cost"} <= attempt.columns.keys()  # a fallback plan has no cost
    codes = recorded.search.path() if recorded.search is not None and has_plan else None
    return Recording(instance, algorithm, stack, weighting, recorder, status, attempt.columns, codes)
