"""Criteria that exercises can choose: of heuristics in all states, of searches, of worlds, and of the time."""

from runner.features.grading.criteria import heuristics, limits, searches, worlds  # noqa: F401  # register theirs
from runner.features.grading.criterion import Criterion, Outcome, criterion  # noqa: F401  # for `runner.plugin`
