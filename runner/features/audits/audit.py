"""Command ``python -m runner audit``: compose one configuration as for a run, and audit it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from algorithms.programs.interface import ExternalPlanner
from heuristics.interface import HEURISTICS
from runner.base import FAILED, INTERRUPTED_LINE, SUCCESS, message, override_text, section_of_word, show, shown
from runner.cli import TerminalProgress, run_single
from runner.config import ArgumentParser, Request, Single, command, run_parser, source_of
from runner.execution import Stop
from runner.features.audits import output
from runner.features.audits.request import AuditOptions, AuditRequest
from runner.features.audits.request import parse as parse_request
from runner.features.audits.worker import supervise
from runner.records import record_provenance
from worlds.interface import SOURCES, domains_of_sources


def parser() -> ArgumentParser:
    """Return the parser of the options."""
    return run_parser("python -m runner audit")


@command(
    "audit",
    "check that a heuristic is admissible and that an algorithm keeps its promises",
    parser=parser,
    section=AuditOptions,
    purpose="Check that a heuristic is admissible and consistent, and that an algorithm keeps its promises. All states"
    " of every instance are explored. Without an algorithm, only the heuristic is audited.",
    usage="python -m runner audit world=NAME heuristic=NAME[,NAME...] [algorithm=NAME] [KEY=VALUE ...]",
    noun="an audit",
    takes_several=True,
    more=(
        "Options: audit.dominates=[NAME] (other heuristics; this one must not be smaller in any state),",
        "audit.shrink=false (do not simplify counterexamples) or any_size (also to sizes that no instance has),",
        "limits.nodes=N (maximum number of states per instance). Without world=, the audit takes small instances.",
        "Results: audit.csv, .md, .json and counterexamples/ in outputs/audit/...; another folder: hydra.run.dir=...",
        "Several values of a key, as in heuristic=NAME,NAME, are audits in the folders 0, 1, ... of that folder.",
        "Exit code: 0; 1 if a declared property is violated; 2 if the request is wrong.",
    ),
)
def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code: 1 if a declared property is violated."""
    return run_single("audit", arguments, _audit)


def _audit(_: argparse.Namespace, words: Request) -> int:
    """Audit each combination of values. All of them are checked before the first audit."""
    requests = [_with_world(each).composed() for each in words.separate()]
    folder = requests[0].composition.directory("run")
    directories = [folder / str(number) for number in range(len(requests))] if len(requests) > 1 else [folder]
    parsed = [parse_request(each.composition.resolved, each.section) for each in requests]
    for directory in directories:
        output.check_free(directory)
    stop = Stop()
    exit_code = SUCCESS
    for single, request, directory in zip(requests, parsed, directories, strict=True):
        if not stop.requested:
            exit_code = max(exit_code, _audit_one(single, request, directory, stop))
    return exit_code


def _audit_one(single: Single, request: AuditRequest, directory: Path, stop: Stop) -> int:
    for note in request.notes:
        message(f"note: {note}")
    with TerminalProgress(request.subject, request.count, single.settings.progress) as progress:
        audit = supervise(request, 0 if single.settings.workers == 0 else 1, stop, progress)
    if audit is None:
        message("interrupted; the worker did not stop, so nothing is written")
        return stop.exit_code
    is_shown = show(lambda: output.show(audit, request.notes))
    parts = [part for part in (request.algorithm, *request.stack.parts) if part is not None]
    record_provenance(directory, single.composition, parts)
    by_hand = request.by_hand if isinstance(request.algorithm, ExternalPlanner) else None
    written = output.write(audit, directory, shown(directory), by_hand)
    lines = [f"by hand, {found.check}: {found.command}" for found in written.counterexamples if found.command]
    is_shown = show(lambda: print(*lines, f"audit: {shown(directory)}", sep="\n")) and is_shown
    if stop.requested:
        message(INTERRUPTED_LINE)
    return max(FAILED if audit.broken or not is_shown else SUCCESS, stop.exit_code)


def _with_world(given: Request) -> Request:
    """Choose a world of the heuristic's domain if the words choose none, and the heuristic is of one other domain."""
    if any(each.key_or_group in ("world", "experiment") for each in given.parsed):
        return given
    others = [each for each in given.parsed if section_of_word(each.key_or_group) != "world"]
    configuration = given.composer.compose(others).resolved
    default = source_of(configuration["world"]).domain
    domains = _domains_of(configuration["heuristic"])
    if len(domains) != 1 or default in domains:
        return given
    (domain,) = domains
    chosen = {each.key_or_group for each in given.parsed}
    added = tuple(word for word in _small_world(domain) if word.partition("=")[0] not in chosen)
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


def _small_world(domain: str) -> list[str]:
    """Return overrides that choose a source of a domain: the first that declares a small space, or else the first."""
    names = [name for name, own in domains_of_sources().items() if own == domain]
    spaces = {name: getattr(SOURCES.find(name), "small_space", None) for name in names}
    name = next((each for each, space in spaces.items() if space is not None), next(iter(spaces), None))
    if name is None:
        return []
    return [f"world={name}", *(f"world.{key}={override_text(value)}" for key, value in (spaces[name] or {}).items())]
