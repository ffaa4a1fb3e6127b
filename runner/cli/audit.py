"""Command ``python -m runner audit``: compose one configuration as for a run, and audit it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from runner.audit import output
from runner.audit.auditor import run
from runner.audit.request import parse as parse_request
from runner.cli import help_page, show_config
from runner.cli.arguments import RunArguments, parse_run, run_parser
from runner.cli.progress import Progress
from runner.cli.session import composed, settings
from runner.config.grammar import parse
from runner.config.space import section_of, swept_keys
from runner.console import show
from runner.execution.stop import INTERRUPTED_LINE, Stop
from runner.messages import FAILED, SUCCESS, message, shown
from runner.records import provenance
from runner.registry import UserError


def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code: 1 if a declared property is violated."""
    options, given = parse_run(run_parser("python -m runner audit"), arguments)
    given = replace(given, config_name="audit" if given.config_name == "config" else given.config_name)
    if options.help:
        return help_page.show(given)
    _refuse_sweep(given)
    if options.cfg or options.info:
        return show_config.show(given, options)
    composition = composed(given)
    chosen, directory = settings(composition), composition.directory("run")
    request = parse_request(composition.resolved)
    swept = swept_keys(section_of(composition))
    if chosen.dry_run:
        raise UserError("dry_run: is for runs and sweeps; an audit has no dry run")
    output.check_free(directory)
    for note in request.notes:
        message(f"note: {note}")
    if swept:
        message(f"note: this configuration is a sweep over {', '.join(swept)}; the audit takes one value for each key")
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


def _refuse_sweep(given: RunArguments) -> None:
    """Raise `UserError` if several configurations are requested."""
    swept = next((each for each in parse(given.overrides) if each.is_sweep_override()), None)
    if swept is not None:
        is_heuristic = swept.key_or_group == "heuristic"
        stack = ", or one stack of several heuristics: heuristic.stack=[...]" if is_heuristic else ""
        raise UserError(f"'{swept.input_line}': an audit takes one value for each key; audit each separately{stack}")
    if given.is_sweep:
        raise UserError("-m: an audit takes one value for each key and is never a sweep; leave out -m (or hydra.mode)")
