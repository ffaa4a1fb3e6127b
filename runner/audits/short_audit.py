"""Short audit: an audit of a heuristic or an algorithm on small instances, as outcomes of checks."""

from __future__ import annotations

from dataclasses import replace

from runner.audits.auditor import Audit, run
from runner.audits.checks import PROPERTIES
from runner.audits.counterexample import Counterexample
from runner.audits.outcome import Outcome, Outcomes
from runner.audits.request import Request
from runner.audits.tally import Tally
from runner.base.errors import PluginError
from runner.base.messages import plural


def short_audit(request: Request) -> tuple[Outcomes, list[Counterexample]]:
    """Audit instances that are small enough, and return the outcomes and a counterexample for each violated check.

    An exception of a heuristic or an algorithm becomes a failed outcome, too.
    """
    try:
        audit = run(replace(request, skip_large=True))
    except PluginError as error:
        problem = str(error).partition("\n")[0]
        return Outcomes(request.subject, (Outcome("audit", "failed", problem, error),)), []
    skipped = {check.name for check in PROPERTIES} if not request.stack.heuristics else set()
    tallies = [tally for tally in audit.tallies if tally.check.name not in skipped]
    return Outcomes(request.subject, tuple(_outcome(tally, audit, request) for tally in tallies)), audit.counterexamples


def _outcome(tally: Tally, audit: Audit, request: Request) -> Outcome:
    name, verdict = tally.check.name, tally.verdict(is_exhaustive=False)
    large = f"{plural(len(audit.too_large), 'instance')} with {audit.too_large[0]}" if audit.too_large else ""
    if len(audit.too_large) + audit.unsolvable == request.count:
        return Outcome(name, "not checked", large or "the world proves every instance unsolvable")
    if not tally.instances:
        return Outcome(name, "not checked", verdict.removeprefix("not checked: "))
    detail = f"{verdict}; not in {large}" if large else verdict
    if tally.broken:
        return Outcome(name, "failed", detail)
    return Outcome(name, "not declared" if tally.violations else "passed", detail)
