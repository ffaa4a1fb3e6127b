"""A* with the rules for inconsistent heuristics, against the naive search."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import get_args

import pytest

import runner
from algorithms.best_first.best_first import Ties
from runner.base.errors import Incompatible
from tests.loaded import kernels_of
from tests.naive import inconsistent as naive
from worlds.graph import Graph
from worlds.interface.instance import Instance

RULES = ("pathmax", "bpmx", "b")
TIES = sorted(set(get_args(Ties)) - {"random"})


def random_graph(source: random.Random, folder: Path) -> Instance:
    """Return a graph whose heuristic is admissible and seldom consistent."""
    n = source.randint(2, 14)
    pairs = {tuple(sorted(source.sample(range(n), 2))) for _ in range(3 * n)}
    arcs = [
        (f"n{one}", source.choice(["->", "--"]), f"n{other}", source.randint(1, 9))
        for one, other in (source.sample(pair, 2) for pair in sorted(pairs))
    ]
    distance = {f"n{n - 1}": 0.0}
    for _ in range(n):
        for one, kind, other, cost in arcs:
            for start, end in ((one, other), (other, one))[: 2 if kind == "--" else 1]:
                if distance.get(end, math.inf) + cost < distance.get(start, math.inf):
                    distance[start] = distance[end] + cost
    values = " ".join(f"{node}={source.choice([0, int(h)])}" for node, h in distance.items())
    file = folder / "graph.txt"
    lines = [f"{one} {kind} {other} {cost}" for one, kind, other, cost in arcs]
    file.write_text("\n".join(["start: n0", f"goal: n{n - 1}", f"h: {values}", *lines]), encoding="utf-8")
    (instance,) = runner.load("graph/file", path=str(file))
    return instance


def steps(world: Graph, node: str) -> list[tuple[str, float]]:
    return [(after, cost) for _, after, cost in world.successors(node)]


def estimates(instance: Instance) -> Callable[[str], float]:
    """Return the heuristic as a function of nodes."""
    h, packed = runner.heuristic(instance, "table"), kernels_of(instance.world).packed
    return lambda node: h(packed(node))


@pytest.mark.parametrize("rule", RULES)
def test_it_is_the_naive_search(rule: str, tmp_path: Path) -> None:
    source, solved, reopened = random.Random(rule), 0, 0
    for _ in range(60):
        instance = random_graph(source, tmp_path)
        world = instance.world
        assert isinstance(world, Graph)
        h, ties = estimates(instance), source.choice(TIES)
        order = naive.search(world.initial(), partial(steps, world), world.is_goal, h, rule, ties)
        result = runner.solve(instance, {"name": "astar", "inconsistency": rule, "ties": ties}, "table")
        best = runner.solve(instance, "ucs")
        is_solved = bool(order) and world.is_goal(order[-1])
        assert result.cost == best.cost
        assert result.expanded == len(order) - is_solved
        solved += is_solved
        reopened += result.reopened or 0
    assert solved > 20
    assert reopened > 0


def test_algorithm_b_needs_few_expansions_on_the_family_of_martelli() -> None:
    """Without steps back, BPMX has nothing to propagate, and pathmax does not help."""
    for n in range(2, 13, 2):
        (instance,) = runner.load("graph/martelli", n=n)
        expanded = {
            rule: runner.solve(instance, {"name": "astar", "inconsistency": rule}, "table").expanded
            for rule in ("none", *RULES)
        }
        assert expanded == {"none": 2 ** (n - 1), "pathmax": 2 ** (n - 1), "bpmx": 2 ** (n - 1), "b": n}


def test_bpmx_prunes_by_steps_back(tmp_path: Path) -> None:
    """A child with a large value shows that its parent, and so its other children, are far from the goal."""
    file = tmp_path / "one.txt"
    lines = ["start: s", "goal: g", "h: s=1 a=10", "s -- a 1", "s -- b 1", "b -- c 1", "c -- d 1", "s -> g 9"]
    file.write_text("\n".join(lines), encoding="utf-8")
    (instance,) = runner.load("graph/file", path=str(file))
    expanded = {
        rule: runner.solve(instance, {"name": "astar", "inconsistency": rule}, "table").expanded
        for rule in ("none", "bpmx")
    }
    assert expanded["none"] == 4
    assert expanded["bpmx"] == 1


def test_weights_random_ties_and_other_searches_are_refused() -> None:
    (instance,) = runner.load("graph/martelli", n=4)
    with pytest.raises(Incompatible, match=r"algorithm\.inconsistency: b is for A\* without weights"):
        runner.solve(instance, {"name": "astar", "inconsistency": "b"}, "table", weighting=2.0)
    with pytest.raises(Incompatible, match="without random ties"):
        runner.solve(instance, {"name": "astar", "inconsistency": "b", "ties": "random"}, "table")
    (maze,) = runner.load("gridmap/random", size="9x7", count=1)
    with pytest.raises(Incompatible, match=r"b is for A\*"):
        runner.solve(maze, {"name": "jps", "inconsistency": "b"}, "octile")
