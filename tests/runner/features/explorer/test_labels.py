"""Recordings of searches for sets of plans, which may expand a state once for each label."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from algorithms.engine import Expansion, Limiter, Limits, Search, Solution
from algorithms.interface import Answer, SearchAlgorithm
from heuristics.interface import BoundStack, Stack, Weighting
from runner.features.explorer.content import page_data
from runner.features.explorer.exploration import Exploration
from runner.features.explorer.history import CLOSED, OPEN, UNSEEN, history_of
from runner.features.explorer.recorder import Recording, record_search
from tests.algorithms.test_plan_sets import Given
from tests.runner.features.explorer.test_history import states_after
from worlds.interface import CostVectors, Instance, Problem, Step

ARCS = {0: {1: (1, 5), 2: (3, 2)}, 1: {3: (1, 1)}, 2: {3: (1, 1)}, 3: {4: (2, 2)}, 4: {}}
LABELS = [(0, None, (0, 0)), (1, 0, (1, 5)), (3, 1, (2, 6)), (2, 0, (3, 2)), (3, 2, (4, 3))]
"""Node, parent and costs of each expansion: two labels at node 3."""


@dataclass(frozen=True)
class Fork(CostVectors):
    """Two ways from 0 to 3, and one from there to 4."""

    domain = "fork"

    def initial(self) -> int:
        return 0

    def successors(self, state: int) -> Iterator[Step]:
        return ((str(head), head, costs[0]) for head, costs in ARCS[state].items())

    def is_goal(self, state: int) -> bool:
        return state == 4

    def cost_vector(self, plan: Sequence[str]) -> tuple[int, ...]:
        return (4, 8) if plan[0] == "1" else (6, 5)

    def reference(self) -> tuple[int, ...]:
        return 6, 8


class LabelSearch(Given):
    """Search that tells the labels."""

    def __init__(self, problem: Problem) -> None:
        super().__init__([Solution((4, 8), [0, 0, 0]), Solution((6, 5), [1, 0, 0])], "solved")
        self._problem = problem

    def run(self, limiter: Limiter) -> str:
        assert self.record is not None
        words = [np.array(self._problem.pack(node), np.uint64) for node in ARCS]
        for node, parent, costs in LABELS:
            before = None if parent is None else words[parent]
            steps = self._problem.successors(words[node])
            self.record(Expansion(words[node], before, costs[0], steps, costs=costs))
        return super().run(limiter)


@dataclass(frozen=True)
class Labels(SearchAlgorithm):
    """Search for the front."""

    registered_name = "labels"
    heuristic = "ignored"

    @property
    def answer(self) -> Answer:
        return "front"

    def start(self, stack: BoundStack, weighting: Weighting | None) -> Search:
        return LabelSearch(stack.problem)


def recording() -> Recording:
    return record_search(Instance(Fork(), "one"), Labels(), Stack(), None, Limits())


def test_a_label_that_is_expanded_later_opens_its_state_again() -> None:
    found = recording()
    assert found.found["valid"] is True
    history = history_of(found)
    order = found.recorder.states.index  # of the nodes, in the order in which they occur
    assert not history.is_reopened.any()
    statuses = [states_after(history, steps)[0] for steps in range(1, 6)]
    of_last_but_one = order(np.array([3], np.uint64).tobytes())
    assert [status[of_last_but_one] for status in statuses] == [UNSEEN, OPEN, CLOSED, OPEN, CLOSED]
    assert found.plan_nodes()[-2:] == [of_last_but_one, order(np.array([4], np.uint64).tobytes())]


def test_a_page_has_the_costs_of_labels_and_of_plans() -> None:
    found = recording()
    data = zlib.decompress(base64.b64decode(page_data(found.instance, [found], 10)))
    size = 4 + int.from_bytes(data[:4], "little")
    content = json.loads(data[4:size])
    (run,) = content["runs"]
    begin = size + sum(4 * count for _, count in content["arrays"][: run["labels"]])
    kind, count = content["arrays"][run["labels"]]
    labels = np.frombuffer(data[begin : begin + 4 * count], np.uint8).reshape(4, -1).T.copy().view(kind).ravel()
    assert [content["texts"][label] for label in labels] == [f"({a}, {b})" for _, _, (a, b) in LABELS]
    assert (run["mostLabels"], run["labelName"], run["solutions"]) == (2, "labels", ["(4, 8)", "(6, 5)"])


def test_a_trace_has_the_costs_of_labels() -> None:
    lines = map(json.loads, Exploration([recording()])._lines("trace").splitlines())
    assert [tuple(line["costs"]) for line in lines if line["type"] == "expansion"] == [costs for *_, costs in LABELS]
