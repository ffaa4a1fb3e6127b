"""Audits: check that a heuristic is admissible and consistent, and that an algorithm keeps its promises.

On the command line: ``python -m runner audit world=... heuristic=...``. From Python:
``runner.audit("wumpus/all", heuristic="flood_fill")``.

An audit works in a worker process, which sends it when it is complete (`worker`). It explores all states from a start
(`algorithms.spaces.state_space`), computes h_star backwards over them (`distances`) and evaluates the stack in every
state (`state_values`). Checks of heuristics and of algorithms find violations. Those of worlds take a `Sample`, raise
``Violation("message")`` or ``NotApplicable("reason")``, and return what they have looked at (None: all states of the
sample). All give a `Finding`, which audit.json, the terminal, notebooks and reports show. If a world implements
`smaller` or `starting_at`, audits shrink counterexamples, and save them if it implements `document`.

Other features use the names below, which are imported at their first use. `runner.features.audits.checks` is the door
by which checks come in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runner.base import lazy_names

if TYPE_CHECKING:
    from runner.features.audits.analysis import Analysis as Analysis
    from runner.features.audits.analysis import InstanceTooLarge as InstanceTooLarge
    from runner.features.audits.api import DEFAULT_LIMITS as DEFAULT_LIMITS
    from runner.features.audits.api import audit_stack as audit_stack
    from runner.features.audits.checker import INSTANCES as INSTANCES
    from runner.features.audits.checker import WorldError as WorldError
    from runner.features.audits.checker import check_world as check_world
    from runner.features.audits.checker import run_checks as run_checks
    from runner.features.audits.checks.registration import Check as Check
    from runner.features.audits.checks.registration import checks_of as checks_of
    from runner.features.audits.counterexample import describe as describe
    from runner.features.audits.finding import Audit as Audit
    from runner.features.audits.finding import RecordedCounterexample as RecordedCounterexample
    from runner.features.audits.finding import audit_folders as audit_folders
    from runner.features.audits.shrink import Witness as Witness
    from runner.features.audits.tally import Tally as Tally

AUDIT, TEXT, RECORD = "audit.csv", "audit.md", "audit.json"
"""Files of an audit: the table of checks, the audit as text, and the record that reports read."""

_MODULES = {
    "analysis": ("Analysis", "InstanceTooLarge"),
    "api": ("DEFAULT_LIMITS", "audit_stack"),
    "checker": ("INSTANCES", "WorldError", "check_world", "run_checks"),
    "checks": ("Check", "checks_of"),
    "counterexample": ("describe",),
    "finding": ("Audit", "RecordedCounterexample", "audit_folders"),
    "shrink": ("Witness",),
    "tally": ("Tally",),
}

__getattr__ = lazy_names(__name__, _MODULES)
