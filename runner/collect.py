"""``python -m runner.collect DIR``: one table of all rows that a sweep has so far, and what is missing."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from shlex import quote

from runner.command import FAILED, Parser, guarded
from runner.registry import UserError
from runner.sweep import jobs
from runner.sweep.advance import Advance, advances_of
from runner.sweep.folder import sweep_at
from runner.terminal import message


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code, that of the sweep, or 1 if it is not complete."""
    parser = Parser(
        prog="python -m runner.collect",
        description="Write results.csv of a sweep from the rows that are there, of a sweep that still runs, too.",
    )
    parser.add_argument("folder", metavar="FOLDER", help="of the sweep")
    options = parser.parse_args(arguments)
    return guarded(lambda: _collect(options.folder), options.folder)


def _collect(given: str) -> int:
    folder = sweep_at(given)
    total = sum(advances_of(folder).values(), Advance())
    resume = f"python -m runner.resume {quote(given)}"
    if not total.is_whole and not total.done and not total.failed:
        raise UserError(f"{folder}: there are no rows yet: {resume}")
    exit_code = jobs.collect_and_show(folder)
    if total.left:
        message(f"{total.left:,} of {total.instances:,} instances have no row: {resume}")
    if total.waiting:
        message(f"jobs not begun: {total.waiting:,}: {resume}")
    return max(exit_code, 0 if total.is_whole else FAILED)


if __name__ == "__main__":
    sys.exit(main())
