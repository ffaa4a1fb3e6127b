"""Checks of heuristics, algorithms and worlds. Ours come first, before those of plug-ins."""

from runner.features.audits.checks import heuristic as heuristic  # isort: skip
from runner.features.audits.checks import algorithm as algorithm
from runner.features.audits.checks import world as world
from runner.features.audits.checks.registration import Check as Check
from runner.features.audits.checks.registration import NotApplicable as NotApplicable
from runner.features.audits.checks.registration import Violation as Violation
from runner.features.audits.checks.registration import check as check
from runner.features.audits.checks.registration import checks_of as checks_of
