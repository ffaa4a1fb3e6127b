"""Explicit graphs: files, the kernels compared with the rules, and Martelli's family."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from pathlib import Path

import pytest

import runner
from runner.base.errors import UserError
from worlds.graph import Arc, Graph
from worlds.interface.instance import Instance


def any_graph(source: random.Random) -> Graph:
    names = [f"n{k}" for k in range(source.randint(1, 8))]
    pairs = {(source.choice(names), source.choice(names)) for _ in range(source.randint(0, 20))}
    arcs = tuple(Arc(*pair, source.choice([0, 1, 2.5, 7, 0.125])) for pair in sorted(pairs))
    graph = Graph(source.choice(names), (source.choice(names),), arcs)
    return replace(graph, h=tuple((name, source.choice([0, 3, 1.75, math.inf])) for name in graph.number))


def read(tmp_path: Path, text: str) -> Graph:
    file = tmp_path / "example.txt"
    file.write_text(text, encoding="utf-8")
    (found,) = runner.load("graph/file", path=str(file))
    assert isinstance(found.world, Graph)
    return found.world


def test_kernels_and_the_table_are_those_of_the_rules_and_files_keep_graphs(tmp_path: Path) -> None:
    source = random.Random(0)
    for _ in range(60):
        graph = any_graph(source)
        instance = Instance(graph, "any")
        problem, scale = instance.problem(), graph.cost_scale
        for node in graph.number:
            packed = problem.pack(node)
            steps = [
                (problem.unpack(s), cost, graph.action_names()[code]) for s, cost, code in problem.successors(packed)
            ]
            assert steps == [(head, math.ceil(cost * scale), head) for head, _, cost in graph.successors(node)]
            back = problem.successors(packed, backward=True)
            steps = [(problem.unpack(s), cost, graph.action_names()[code]) for s, cost, code in back]
            assert steps == [(tail, math.ceil(cost * scale), node) for _, tail, cost in graph.predecessors(node)]
            assert problem.recognises(packed) == (node in graph.goal_nodes)
            h = runner.heuristic(instance, ["table"])(node)
            assert h * scale == (h if h == math.inf else math.floor(dict(graph.h)[node] * scale))
        document = instance.world.document(instance.id)
        assert document is not None
        assert read(tmp_path, document.text) == graph


def test_files_have_arcs_both_ways_decimal_costs_and_comments(tmp_path: Path) -> None:
    graph = read(tmp_path, "# a textbook\nstart: S\ngoal: G H\n\nS -- A 2.5\nA -> G 1\nh: S=3 A=1\nh: H=inf\n")
    assert [tuple(arc) for arc in graph.arcs] == [("S", "A", 2.5), ("A", "S", 2.5), ("A", "G", 1)]
    assert (graph.start, graph.goal_nodes) == ("S", ("G", "H"))
    assert dict(graph.h) == {"S": 3, "A": 1, "H": math.inf}
    assert graph.cost_scale == 10
    result = runner.solve(Instance(graph, "textbook"), "astar", ["table"])
    assert (result.cost, result.plan, result.valid) == (3.5, ("A", "G"), True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("start: S\nS -> G 1", "expected one start and at least one goal; expected lines are 'start: A'"),
        ("start: S T\ngoal: G", "expected one start and at least one goal"),
        ("S - G 1", "line 1: expected 'start: A', 'goal: B C'"),
        ("S -> G -1", "line 1: '-1' is no number from 0 to 1,000,000,000"),
        ("S -> G nan", "line 1: 'nan' is no number"),
        ("S -> G inf", "line 1: 'inf' is no number"),
        ("S -> G 1\nG -- S 2", "line 2: there is an arc from S to G already"),
        ("h: S=1 S=2", "line 1: the node S has two heuristic values"),
        ("h: 4", "line 1: '' is no name of a node"),
        ("start: S\ngoal: G\nh: X=4", "h: the node X is neither start nor goal, and has no arc"),
    ],
)
def test_mistakes_in_files_are_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        read(tmp_path, text)
    assert message in str(caught.value)


@pytest.mark.parametrize("n", [2, 3, 4, 9, 14])
def test_astar_expands_exponentially_many_nodes_of_martellis_graphs(n: int) -> None:
    """2^(n-1) expansions (Martelli 1977), with an admissible heuristic; n without reopening, or without a heuristic."""
    (graph,) = runner.load("graph/martelli", n=n)
    result = runner.solve(graph, "astar", ["table"])
    assert (result.expanded, result.reopened) == (2 ** (n - 1), 2 ** (n - 1) - n)
    assert result.cost == 2 ** (n - 1) + 2 * n - 3
    assert runner.solve(graph, {"name": "astar", "reopen": False}, ["table"]).expanded == n
    assert runner.solve(graph, "ucs").expanded == n
    (undirected,) = runner.load("graph/martelli", n=n, directed=False)
    assert runner.solve(undirected, "astar", ["table"]).expanded == 2 ** (n - 1)
    assert undirected.world.predecessors is not None
    assert len({*undirected.world.predecessors(str(n))}) == n - 1
    audit = runner.audit([graph], ["table"], workers=0)
    found = {each.check: each.violations for each in audit.findings}
    assert found["admissible"] == 0
    assert found["consistent"] > 0
