"""Violations of what is declared, as messages of tests."""

from __future__ import annotations

from runner.features.audits.finding import Audit, Counterexample


def violations(audit: Audit[Counterexample]) -> dict[str, tuple[str, ...]]:
    """Return the counterexample to each check of an audit that is violated although its property is declared."""
    return {
        each.check: (audit.subject, audit.world, each.counterexample.text if each.counterexample else each.text)
        for each in audit.findings
        if each.broken
    }
