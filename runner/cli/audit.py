"""Command ``python -m runner audit``: compose one configuration as for a run, and audit it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from runner.audits import output
from runner.audits.request import parse as parse_request
from runner.audits.worker import supervise
from runner.base.console import show
from runner.base.messages import FAILED, SUCCESS, message, shown
from runner.cli.single import composed_single, run_single
from runner.config.arguments import run_parser
from runner.config.request import Request
from runner.execution.progress import TerminalProgress
from runner.execution.stop import INTERRUPTED_LINE, Stop
from runner.records import provenance


def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code: 1 if a declared property is violated."""
    return run_single(run_parser("python -m runner audit"), arguments, _audit)


def _audit(_: argparse.Namespace, given: Request) -> int:
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
