"""``python -m runner.collect DIR``: one table of all rows that a sweep has so far, and what is missing."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from runner.command import FAILED, Parser, guarded
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
    exit_code = jobs.collect_and_show(folder)
    if total.left:
        left = f"{total.left:,} of {total.instances:,} instances have no row"
        message(f"{left}: python -m runner.resume {given}")
    return max(exit_code, FAILED if total.left else 0)


if __name__ == "__main__":
    sys.exit(main())
