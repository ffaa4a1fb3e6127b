"""Criteria that exercises can choose: of heuristics in all states, of searches, of worlds, and of the time."""

from runner.features.grading.criteria import heuristics, limits, searches, worlds  # noqa: F401  # register theirs
