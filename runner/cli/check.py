"""Command ``python -m runner check``: check a world, and audit a heuristic and an algorithm on small instances."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Annotated

from msgspec import Meta
from rich.table import Table
from rich.text import Text

from runner.audits.checker import PACKING, run_checks
from runner.audits.counterexample import Counterexample
from runner.audits.outcome import Outcome, Outcomes
from runner.audits.output import explanation
from runner.audits.request import Request as AuditRequest
from runner.audits.request import parse as parse_request
from runner.audits.short_audit import short_audit
from runner.base.console import console, show
from runner.base.errors import PluginError, own_traceback
from runner.base.messages import FAILED, SUCCESS
from runner.base.parameters import convert
from runner.cli.single import composed_single, run_single
from runner.config.arguments import run_parser
from runner.config.request import Request

_STYLES = {"passed": "green", "failed": "bold red", "not declared": "yellow", "not checked": "dim"}
_Count = Annotated[int, Meta(ge=1, le=10**9)]


@dataclass(frozen=True)
class _Options:
    instances: _Count = 3
    states: _Count = 500
    expansions: _Count = 50_000


def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code: 1 if a check fails."""
    return run_single(run_parser("python -m runner check"), arguments, _check)


def _check(_: argparse.Namespace, given: Request) -> int:
    configuration = dict(composed_single("check", given)[0].resolved)
    chosen = convert(_Options, configuration.pop("check", None) or {}, where="check")
    request = parse_request(configuration)
    instances = list(islice(request.instances, chosen.instances))
    request = replace(request, instances=instances, count=len(instances), exhaustive=None)
    of_world = run_checks(request.world, instances, chosen.states, chosen.expansions)
    found, counterexamples = [of_world], list[Counterexample]()
    missing = list(_missing(request))
    if len(missing) < 2 and any(each.check == PACKING for each in of_world.failed):
        missing = [Outcome("audit", "not checked", f"{PACKING} failed")]
    elif len(missing) < 2:
        audited, counterexamples = short_audit(request)
        found.append(audited)
    found += [Outcomes("", tuple(missing))]
    is_shown = show(lambda: _show(found, counterexamples))
    return FAILED if any(each.failed for each in found) or not is_shown else SUCCESS


def _missing(request: AuditRequest) -> Iterator[Outcome]:
    """Yield an outcome for a part that was not chosen."""
    if not request.stack.heuristics:
        yield Outcome("heuristic", "not checked", "; ".join(request.notes) or "none is chosen; add heuristic=NAME")
    if request.algorithm is None:
        yield Outcome("algorithm", "not checked", "none is chosen; add algorithm=NAME")


def _show(found: Sequence[Outcomes], counterexamples: Sequence[Counterexample]) -> None:
    out = console()
    title = ": ".join(outcomes.subject for outcomes in found if outcomes.subject)
    table = Table("check", "outcome", "what was checked, or why not", title=Text(title))
    for outcomes in found:
        for each in outcomes:
            table.add_row(Text(each.check), Text(each.verdict, style=_STYLES[each.verdict]), Text(each.detail.strip()))
        table.add_section()
    out.print(table)
    for trace in _tracebacks(found):
        out.print(Text(trace), soft_wrap=True)
    for example in counterexamples:
        out.print(Text(f"\n{example.check}: " + "\n".join(explanation(example))))


def _tracebacks(found: Sequence[Outcomes]) -> Iterator[str]:
    """Yield the tracebacks of exceptions in the user's code, each once."""
    texts = {}
    for failed in (each for outcomes in found for each in outcomes.failed):
        if isinstance(failed.error, PluginError):
            texts[str(failed.error)] = f"\n{failed.check}: {failed.error}"
        elif failed.error is not None and failed.error.__cause__ is not None:
            text = own_traceback(failed.error.__cause__)
            texts.setdefault(text, f"\n{failed.check}: {text}")
    yield from texts.values()
