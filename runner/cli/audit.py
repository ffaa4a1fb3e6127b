"""``runner audit``: is a heuristic admissible, does an algorithm keep its promises? Composed by Hydra, as a run is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from runner.audit import output
from runner.audit.auditor import run
from runner.audit.request import parse as parse_request
from runner.cli import help_page, show_config
from runner.cli.arguments import parse_run, run_parser
from runner.cli.progress import Progress
from runner.cli.session import composed, settings
from runner.config.grammar import parse
from runner.console import show
from runner.execution.stop import INTERRUPTED_LINE, Stop
from runner.messages import FAILED, SUCCESS, message, shown
from runner.records import provenance
from runner.registry import UserError


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns the exit code: 1 if something that is declared is violated."""
    options, given = parse_run(run_parser("python -m runner audit"), arguments)
    given = replace(given, config_name="audit" if given.config_name == "config" else given.config_name)
    if options.help:
        return help_page.show(given)
    if options.cfg or options.info:
        return show_config.show(given, options)
    if given.is_sweep or any(each.is_sweep_override() for each in parse(given.overrides)):
        raise UserError("an audit takes one world, one heuristic and at most one algorithm; -m is for runs")
    composition = composed(given)
    chosen, directory = settings(composition), composition.directory("run")
    request = parse_request(composition.resolved)
    if chosen.dry_run:
        raise UserError("dry_run: is for runs; an audit has no plan to show")
    output.check_free(directory)
    for note in request.notes:
        message(f"note: {note}")
    stop = Stop()
    with stop.listening(), Progress(request.subject, request.count, chosen.progress) as progress:
        audit = run(
            request, progress.show, lambda states: progress.show(f"{states:,} states"), progress.advance, stop.check
        )
    is_shown = show(lambda: output.show(audit))
    provenance.record_configuration(directory, composition, None)
    parts = (request.algorithm, *request.stack.heuristics)
    provenance.record(directory, [part for part in parts if part is not None])
    output.write(audit, directory, shown(directory))
    is_shown = show(lambda: print(f"audit: {shown(directory)}")) and is_shown
    if stop.requested:
        message(INTERRUPTED_LINE)
    return max(FAILED if audit.broken or not is_shown else SUCCESS, stop.exit_code)
