"""Command ``python -m runner check``: check a world, and audit a heuristic and an algorithm on small instances."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Annotated

from msgspec import Meta

from algorithms.programs.interface import ExternalPlanner
from runner.base import FAILED, SUCCESS, PluginError, show
from runner.cli import run_single
from runner.config import ArgumentParser, Request, command, run_parser
from runner.features.audits import output
from runner.features.audits.auditor import run
from runner.features.audits.checker import EXPANSIONS, INSTANCES, STATES, run_checks
from runner.features.audits.checks.registration import CHECKS
from runner.features.audits.checks.world import PACKING
from runner.features.audits.finding import Counterexample, Finding
from runner.features.audits.request import AuditOptions, AuditRequest
from runner.features.audits.request import parse as parse_request

_Count = Annotated[int, Meta(ge=1, le=10**9)]


@dataclass(frozen=True)
class CheckOptions:
    """Section `check` of a configuration."""

    instances: _Count = INSTANCES
    states: _Count = STATES
    expansions: _Count = EXPANSIONS


def parser() -> ArgumentParser:
    """Return the parser of the options."""
    return run_parser("python -m runner check")


@command(
    "check",
    "check a world, and audit a heuristic and an algorithm on small instances",
    parser=parser,
    section=CheckOptions,
    purpose="Run the checks of a world, and audit a heuristic and an algorithm on those of its first instances that "
    "are small enough. The table tells what was checked, and what was not checked and why.",
    usage="python -m runner check world=NAME [heuristic=NAME] [algorithm=NAME] [KEY=VALUE ...]",
    more=(
        "Options: check.instances=N, check.states=N (per instance), check.expansions=N (to find a goal),",
        "limits.nodes=N (the audit leaves out instances with more states). No files are written.",
        "Exit code: 0; 1 if a check fails; 2 if the request is wrong.",
    ),
)
def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code: 1 if a check fails."""
    return run_single("check", arguments, _check)


def _check(_: argparse.Namespace, given: Request) -> int:
    single = given.composed()
    chosen = single.section
    request = parse_request(single.composition.resolved, AuditOptions())
    instances = list(islice(request.instances, chosen.instances))
    request = replace(request, instances=instances, count=len(instances), exhaustive=None)
    of_world = run_checks(instances, chosen.states, chosen.expansions)
    missing, audited = list(_missing(request)), list[Finding[Counterexample]]()
    if len(missing) < 2 and of_world[0].outcome == "failed":
        missing = [Finding("audit", "not checked", f"{PACKING} failed")]
    elif len(missing) < 2:
        audited = _audited(request)
    title = f"{request.world}: {request.subject}" if audited else request.world
    is_shown = show(lambda: output.show_outcomes(title, [of_world, audited, missing]))
    found = [*of_world, *audited]
    return FAILED if any(each.outcome == "failed" for each in found) or not is_shown else SUCCESS


def _missing(request: AuditRequest) -> Iterator[Finding[Counterexample]]:
    """Yield a finding for a part that was not chosen."""
    if isinstance(request.algorithm, ExternalPlanner):
        yield Finding("heuristic", "not checked", "a program has its own, which is not seen")
    elif not request.stack.heuristics:
        yield Finding("heuristic", "not checked", "; ".join(request.notes) or "none is chosen; add heuristic=NAME")
    if request.algorithm is None:
        yield Finding("algorithm", "not checked", "none is chosen; add algorithm=NAME")


def _audited(request: AuditRequest) -> list[Finding[Counterexample]]:
    """Audit the instances that are small enough. An exception of a heuristic or an algorithm is a failed finding."""
    try:
        found = run(replace(request, skip_large=True)).findings
    except PluginError as error:
        problem, _, traceback = str(error).partition("\n")
        return [Finding("audit", "failed", problem, traceback=traceback)]
    skipped = [] if request.stack.heuristics else CHECKS["heuristic"].names()
    return [each for each in found if each.check not in skipped]
