"""Histories of searches: g, parents, open and closed nodes; and samples of them."""

from __future__ import annotations

import random

import numpy as np
import pytest

import runner
from algorithms.best_first import AStar
from algorithms.engine.search import Limits
from heuristics.stack import Stack
from runner.explorer.history import CLOSED, OPEN, UNSEEN, History, history_of
from runner.explorer.recorder import Recorder, record_search
from runner.explorer.sampling import sample
from tests.graphs import random_graph, random_table
from tests.runner.explorer.recordings import recorded


def states_after(history: History, steps: int) -> tuple[list[int], list[int], list[int]]:
    """Return status, parent and g of each node after some expansions, as the page computes them."""
    count = len(history.first_parent)
    status, parent, g = [UNSEEN] * count, [-1] * count, [0] * count
    for step in range(steps):
        if step in history.starts:
            status = [UNSEEN] * count
        for change in range(history.first[step], history.first[step + 1]):
            node = history.node[change]
            parent[node], g[node] = int(history.parent[change]), int(history.g[change])
            if node != history.expanded[step]:
                status[node] = OPEN
        status[history.expanded[step]] = CLOSED
    return status, parent, g


def naive_best_first(record: Recorder) -> tuple[dict[int, int], set[int], set[int]]:
    """Return g, open and closed nodes at the end of a best-first search that reopens."""
    g, is_open, is_closed = {0: 0}, {0}, set[int]()
    for step, node in enumerate(record.expanded):
        is_open.discard(node)
        is_closed.add(node)
        for each in range(record.first[step], record.first[step + 1]):
            child, cost = record.successor[each], g[node] + record.cost[each]
            if child not in g or cost < g[child]:
                g[child] = cost
                is_open.add(child)
                is_closed.discard(child)
    return g, is_open, is_closed


def test_open_closed_and_g_equal_those_of_a_naive_search() -> None:
    source = random.Random(7)
    reopened = 0
    for _ in range(300):
        graph = random_graph(source, source.choice([9, 40]), 30)
        table = random_table(source, graph, admissible=False)
        recording = record_search(graph.instance(), AStar(), Stack((table,)), None, Limits())
        record = recording.recorder
        history = history_of(record, reopens=True)
        g, is_open, is_closed = naive_best_first(record)
        status, parent, found_g = states_after(history, len(record.expanded))
        if not record.expanded:
            continue
        assert {node for node in g if status[node] == OPEN} == is_open
        assert {node for node in g if status[node] == CLOSED} == is_closed
        assert {node: found_g[node] for node in g} == g
        assert (history.is_open[-1], history.is_closed[-1], history.is_seen[-1]) == (
            len(is_open),
            len(is_closed),
            len(g),
        )
        assert int(history.is_reopened.sum()) <= recording.found["reopened"]
        assert all(parent[node] >= 0 for node in g if node)
        reopened += int(history.is_reopened.sum())
    assert reopened > 0


def test_a_search_that_does_not_reopen_keeps_closed_nodes() -> None:
    puzzle = runner.load("npuzzle/random", size=[3, 3], count=1)[0]
    recording = recorded(puzzle, "greedy", ["manhattan"])
    history = history_of(recording.recorder, reopens=False)
    expanded = len(recording.recorder.expanded)
    assert history.is_closed.tolist() == list(range(1, expanded + 1))
    assert history.is_seen[-1] == recording.found["peak_nodes"]


@pytest.mark.parametrize("name", ["idastar", "anytime_astar", "ids"])
def test_iterations_begin_where_the_search_begins_again(name: str) -> None:
    cave = runner.load("wumpus/random", size=4, count=1)[0]
    recording = recorded(cave, name, ["manhattan"])
    record = recording.recorder
    history = history_of(record, reopens=bool(recording.found["reopened"]))
    assert all(record.expanded[step] == 0 for step in history.starts)
    # An iteration of iterative deepening may expand nothing.
    assert 0 < len(history.starts) <= recording.found["iterations"]
    if name != "ids":
        assert len(history.starts) == recording.found["iterations"]


def test_the_counts_after_a_bidirectional_search_are_those_of_its_result() -> None:
    puzzle = runner.load("npuzzle/random", size=[3, 3], count=1)[0]
    recording = recorded(puzzle, "bidirectional", ["manhattan"])
    history = history_of(recording.recorder, reopens=False)
    assert history.is_seen[-1] == recording.found["peak_nodes"] == len(recording.recorder.states)
    assert 0 < sum(recording.recorder.backward) < len(recording.recorder.states)


@pytest.mark.parametrize(("max_steps", "max_nodes"), [(50, 10_000), (10_000, 150), (20, 100)])
@pytest.mark.parametrize("name", ["astar", "idastar"])
def test_a_sample_is_a_part_of_the_search_whose_paths_lead_to_the_start(
    name: str, max_steps: int, max_nodes: int
) -> None:
    puzzle = runner.load("npuzzle/random", size=[3, 3], count=1)[0]
    recording = recorded(puzzle, name, ["manhattan"])
    full = history_of(recording.recorder, reopens=False)
    plan = recording.plan_nodes()
    part = sample(full, plan, max_steps, max_nodes)
    history = part.history
    assert len(part.nodes) <= max_nodes
    assert len(part.nodes) < len(full.first_parent)
    assert set(plan) - {-1} <= set(part.nodes.tolist())
    assert (part.nodes[history.expanded] == full.expanded[part.steps]).all()
    assert (history.is_open == full.is_open[part.steps]).all()
    for steps in (1, len(part.steps) // 2, len(part.steps)):
        status, parent, g = states_after(history, steps)
        last = int(part.steps[steps - 1])
        assert g[history.expanded[steps - 1]] == full.expanded_g[last]
        for node in np.flatnonzero(np.array(status) != UNSEEN).tolist():
            seen = 0
            while parent[node] >= 0:
                node, seen = parent[node], seen + 1
                assert seen <= len(part.nodes)
            assert part.nodes[node] == 0


def test_a_small_search_is_its_own_sample() -> None:
    cave = runner.load("wumpus/static")[0]
    recording = recorded(cave, "astar", ["manhattan"])
    history = history_of(recording.recorder, reopens=False)
    assert sample(history, []).history is history
