"""Histories of searches: g, parents, open and closed nodes."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import fields

import pytest

import runner
from algorithms.best_first.best_first import AStar
from algorithms.breadth_first import BreadthFirst
from algorithms.engine.search import Limits
from heuristics.interface.stack import Stack
from runner.features.explorer.history import CLOSED, OPEN, UNSEEN, History, history_of
from runner.features.explorer.recorder import SearchRecorder, record_search
from tests.graphs import random_graph, random_table
from tests.runner.features.explorer.recordings import recorded


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


def naive_best_first(record: SearchRecorder) -> tuple[dict[int, int], set[int], set[int], list[tuple[int, int]]]:
    """Return g, open and closed nodes at the end of a best-first search that reopens, and each expansion's path."""
    g, is_open, is_closed = {0: 0}, {0}, set[int]()
    parent, paths = {0: -1}, []
    for step, node in enumerate(record.expanded):
        paths.append((parent[node], g[node]))
        is_open.discard(node)
        is_closed.add(node)
        for each in range(record.first[step], record.first[step + 1]):
            child, cost = record.successor[each], g[node] + record.cost[each]
            if child not in g or cost < g[child]:
                g[child], parent[child] = cost, node
                is_open.add(child)
                is_closed.discard(child)
    return g, is_open, is_closed, paths


def test_open_closed_and_g_equal_those_of_a_naive_search() -> None:
    source = random.Random(7)
    reopened = 0
    for _ in range(300):
        graph = random_graph(source, source.choice([9, 40]), 30)
        table = random_table(source, graph, admissible=False)
        recording = record_search(graph.instance(), AStar(), Stack((table,)), None, Limits())
        record = recording.recorder
        history = history_of(recording)
        g, is_open, is_closed, paths = naive_best_first(record)
        status, parent, found_g = states_after(history, len(record.expanded))
        if not record.expanded:
            continue
        assert list(zip(history.expanded_parent, history.expanded_g, strict=True)) == paths
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


def test_breadth_first_search_keeps_the_first_path() -> None:
    source = random.Random(3)
    dearer = 0
    for _ in range(60):
        recording = record_search(random_graph(source, 9, 30).instance(), BreadthFirst(), Stack(), None, Limits())
        record, history = recording.recorder, history_of(recording)
        paths, queue = {0: (-1, 0)}, deque([0])
        for step, node in enumerate(record.expanded):
            assert node == queue.popleft()
            assert (history.expanded_parent[step], history.expanded_g[step]) == paths[node]
            for each in range(record.first[step], record.first[step + 1]):
                child, g = record.successor[each], paths[node][1] + record.cost[each]
                if child not in paths:
                    paths[child] = node, g
                    queue.append(child)
                dearer += g < paths[child][1]
        _, parent, g_at_end = states_after(history, len(record.expanded))
        assert {node: (parent[node], g_at_end[node]) for node in paths} == paths
    assert dearer > 0


def test_a_search_that_does_not_reopen_keeps_closed_nodes() -> None:
    puzzle = runner.load("npuzzle/random", size=[3, 3], count=1)[0]
    recording = recorded(puzzle, "greedy", ["manhattan"])
    history = history_of(recording)
    expanded = len(recording.recorder.expanded)
    assert history.is_closed.tolist() == list(range(1, expanded + 1))
    assert history.is_seen[-1] == recording.found["peak_nodes"]


@pytest.mark.parametrize("name", ["idastar", "anytime_astar", "ids"])
def test_iterations_begin_where_the_search_begins_again(name: str) -> None:
    cave = runner.load("wumpus/random", size=4, count=1)[0]
    recording = recorded(cave, name, ["manhattan"])
    record = recording.recorder
    history = history_of(recording)
    assert all(record.expanded[step] == 0 for step in history.starts)
    # An iteration of iterative deepening may expand nothing.
    assert 0 < len(history.starts) <= recording.found["iterations"]
    if name != "ids":
        assert len(history.starts) == recording.found["iterations"]


def test_the_counts_after_a_bidirectional_search_are_those_of_its_result() -> None:
    puzzle = runner.load("npuzzle/random", size=[3, 3], count=1)[0]
    recording = recorded(puzzle, "bidirectional", ["manhattan"])
    history = history_of(recording)
    assert history.is_seen[-1] == recording.found["peak_nodes"] == len(recording.recorder.states)
    assert 0 < sum(recording.recorder.backward) < len(recording.recorder.states)


@pytest.mark.parametrize("name", ["astar", "idastar", "bidirectional", "beam"])
def test_the_beginning_of_a_history_is_the_history_of_a_shorter_search(name: str) -> None:
    puzzle = runner.load("npuzzle/random", size=[3, 3], count=1)[0]
    full = history_of(recorded(puzzle, name, ["manhattan"]))
    for steps in (1, 20, len(full.expanded) - 1):
        shorter = history_of(recorded(puzzle, name, ["manhattan"], nodes=steps))
        beginning = full.beginning(steps, 10**9)
        for field in fields(History):
            assert (getattr(beginning, field.name) == getattr(shorter, field.name)).all(), field.name
    nodes = len(full.beginning(10**9, 100).first_parent)
    assert nodes <= 100 < full.is_seen[len(full.beginning(10**9, 100).expanded)]
    assert full.beginning(len(full.expanded), len(full.first_parent)) is full
