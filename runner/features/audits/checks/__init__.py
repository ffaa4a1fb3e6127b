"""Checks of heuristics, algorithms and worlds. Ours come first, before those of plug-ins."""

from runner.features.audits.checks import heuristic as heuristic  # isort: skip
from runner.features.audits.checks import algorithm as algorithm
from runner.features.audits.checks import world as world
from runner.features.audits.checks.door import Check as Check
from runner.features.audits.checks.door import NotApplicable as NotApplicable
from runner.features.audits.checks.door import Violation as Violation
from runner.features.audits.checks.door import check as check
from runner.features.audits.checks.door import checks_of as checks_of
