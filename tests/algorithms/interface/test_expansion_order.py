"""Orders of expansions, as the algorithms declare them for those who watch a search."""

from __future__ import annotations

from typing import Any

import runner
from algorithms.interface.algorithm import SearchAlgorithm
from algorithms.interface.expansion_order import ExpansionOrder
from heuristics.interface.weighting import Constant, Weighting
from heuristics.weightings import Dynamic, Geometric
from tests.algorithms.typed import search_algorithm
from tests.registered import SEARCHES


def order(name: str, weighting: Weighting | None = None, **parameters: Any) -> ExpansionOrder:
    return search_algorithm(name, **parameters).expansion_order(weighting)


def test_every_algorithm_declares_its_order() -> None:
    for name in SEARCHES:
        declared = order(name)
        assert declared != SearchAlgorithm.expansion_order(search_algorithm(name), None), name
        assert "{" not in str(declared), name
        assert declared.formula is not None or "f =" not in str(declared), name


def test_orders_are_those_of_the_algorithms() -> None:
    assert str(order("astar")) == "f = g + h"
    assert str(order("ucs")) == "f = g"
    assert str(order("greedy")) == "f = h"
    assert str(order("weighted_astar", Constant(2.5))) == "f = g + 2.5·h"
    assert str(order("astar", Dynamic())) == str(order("astar", Geometric())) == "f = g + w·h, with changing w"
    assert str(order("astar").without_heuristic()) == "f = g, without a heuristic"
    assert str(order("dfs")) == str(order("dfs").without_heuristic()) == "last in, first out"
    assert str(order("bfs")) == "layer by layer: first in, first out"
    assert str(order("ids")) == "last in, first out, down to a depth that rises by 1 with each iteration"
    beam = order("beam", width=7, order="h")
    assert (str(beam), beam.first) == ("layer by layer, at most 7 nodes of each, the smallest f = h first", "layers")
    deep = order("idastar", weight=1.5)
    assert str(deep) == "last in, first out, within a bound on f that rises with each iteration; f = g + 1.5·h"
    weights = "the smallest g + w·h, with w = 3, 1 one after the other; f = g + h prunes"
    assert str(order("anytime_astar", weights=[3, 1])) == weights


def test_functions_in_plain_python_declare_theirs() -> None:
    def nothing(problem: Any) -> None: ...

    runner.python_algorithm("untold of tests")(nothing)
    runner.python_algorithm("told of tests", heuristic="ignored", order="the last one first; {f}")(nothing)
    assert str(order("untold of tests")) == "an order of its own; f = g + h"
    assert str(order("told of tests")) == "the last one first; f = g"
