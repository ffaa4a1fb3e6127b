"""Values whose type the tests know better than the functions that return them."""

from __future__ import annotations

from typing import TypeVar

from algorithms.interface.algorithm import SearchAlgorithm
from heuristics.interface.weighting import Weighting
from runner.config.cell import sections

Value = TypeVar("Value")


def not_none(value: Value | None) -> Value:
    """Return a value that must not be None."""
    assert value is not None
    return value


def search_algorithm(name: str, **parameters: float) -> SearchAlgorithm:
    """Return a registered search algorithm. Parameters that are not given have their defaults."""
    algorithm = sections.algorithm_of({"name": name, **parameters})
    assert isinstance(algorithm, SearchAlgorithm)
    return algorithm


def effective(algorithm: SearchAlgorithm, weighting: Weighting | None) -> tuple[SearchAlgorithm, Weighting | None]:
    """Return the search algorithm and the weighting that run (`Algorithm.effective`)."""
    chosen, used = algorithm.effective(weighting)
    assert isinstance(chosen, SearchAlgorithm)
    return chosen, used
