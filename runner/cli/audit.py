"""Command ``python -m runner audit``: compose one configuration as for a run, and audit it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from heuristics.interface import HEURISTICS
from runner.audits import output
from runner.audits.request import parse as parse_request
from runner.audits.worker import supervise
from runner.base.console import show
from runner.base.messages import FAILED, SUCCESS, message, shown
from runner.cli.progress import TerminalProgress
from runner.cli.single import composed_single, run_single
from runner.config import sections
from runner.config.arguments import run_parser
from runner.config.grammar import section
from runner.config.request import Request
from runner.execution.stop import INTERRUPTED_LINE, Stop
from runner.records import provenance
from worlds.sources import WORLDS

SMALL_WORLDS = {
    "graph": ("world=graph/martelli", "world.n=8"),
    "gridmap": ("world=gridmap/all",),
    "hanoi": ("world=hanoi/random", "world.disks=7", "world.count=1"),
    "npuzzle": ("world=npuzzle/random", "world.size=3", "world.count=1"),
    "pancake": ("world=pancake/random", "world.size=8", "world.count=1"),
    "pddl": ("world=pddl/static",),
    "rubik": ("world=rubik/random", "world.turns=[U2,F2,R2]", "world.count=1"),
    "snake": ("world=snake/all",),
    "topspin": ("world=topspin/random", "world.tokens=8", "world.count=1"),
    "wumpus": ("world=wumpus/all",),
}
"""Overrides for heuristics of a domain if the words choose no world: all states are checked in seconds."""


def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code: 1 if a declared property is violated."""
    return run_single(run_parser("python -m runner audit"), arguments, _audit)


def _audit(_: argparse.Namespace, words: Request) -> int:
    given = _with_world(words)
    composition, chosen = composed_single("audit", given)
    directory = composition.directory("run")
    request = parse_request(composition.resolved)
    output.check_free(directory)
    for note in request.notes:
        message(f"note: {note}")
    stop = Stop()
    with TerminalProgress(request.subject, request.count, chosen.progress) as progress:
        audit = supervise(request, 0 if chosen.workers == 0 else 1, stop, progress)
    if audit is None:
        message("interrupted; the worker did not stop, so nothing is written")
        return stop.exit_code
    is_shown = show(lambda: output.show(audit, request.notes))
    provenance.record_configuration(directory, composition, None)
    parts = (request.algorithm, *request.stack.heuristics)
    provenance.record(directory, [part for part in parts if part is not None])
    output.write(audit, directory, shown(directory))
    is_shown = show(lambda: print(f"audit: {shown(directory)}")) and is_shown
    if stop.requested:
        message(INTERRUPTED_LINE)
    return max(FAILED if audit.broken or not is_shown else SUCCESS, stop.exit_code)


def _with_world(given: Request) -> Request:
    """Choose a world of the heuristic's domain if the words choose none, and the heuristic is of one other domain."""
    if any(each.key_or_group in ("world", "experiment") for each in given.parsed):
        return given
    others = [each for each in given.parsed if section(each.key_or_group) != "world"]
    configuration = given.composer.compose(others).resolved
    default = sections.source_of(configuration["world"]).domain
    domains = _domains_of(configuration["heuristic"])
    if len(domains) != 1 or default in domains:
        return given
    (domain,) = domains
    chosen = {each.key_or_group for each in given.parsed}
    words = SMALL_WORLDS.get(domain) or _first_world(domain)
    added = tuple(word for word in words if word.partition("=")[0] not in chosen)
    if not added:
        return given
    message(f"note: without world=, the audit takes {' '.join(added)}")
    return replace(given, overrides=(*added, *given.overrides))


def _domains_of(heuristic: Mapping[str, Any]) -> list[str]:
    """Return the domains that have all heuristics of a stack; none if the stack is empty, or a mistake."""
    stack = heuristic.get("stack") or [heuristic]
    names = [each.get("name") if isinstance(each, Mapping) else each for each in stack]
    found = [HEURISTICS.domains(str(name)) for name in names]
    return [domain for domain in found[0] if all(domain in each for each in found)]


def _first_world(domain: str) -> tuple[str, ...]:
    """Return the override that chooses a world of the user; none if the domain has no world."""
    declared = ((name, getattr(entry, "domain", None)) for _, name, entry in WORLDS.entries())
    names = (name for name, own in declared if (own if isinstance(own, str) else name) == domain)
    return tuple(f"world={name}" for name in islice(names, 1))
