"""``python -m runner.collect DIR``: one table of all rows that a sweep has so far, and what is missing."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from runner import app
from runner.registry import UserError
from runner.sweep.advance import Advance, advances_of
from runner.sweep.folder import sweep_at
from runner.terminal import message


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code, that of the sweep, or 1 if it is not complete."""
    parser = argparse.ArgumentParser(
        prog="python -m runner.collect",
        description="Write results.csv of a sweep from the rows that are there, of a sweep that still runs, too.",
    )
    parser.add_argument("folder", metavar="FOLDER", help="of the sweep")
    options = parser.parse_args(arguments)
    try:
        folder = sweep_at(options.folder)
        total = sum(advances_of(folder).values(), Advance())
    except UserError as error:
        message(f"error: {error}")
        return app.REFUSED
    except OSError as error:
        message(f"error: {error.filename or options.folder}: {error.strerror or error}")
        return app.FAILED
    exit_code = app.collect_and_show(folder)
    if total.left:
        left = f"{total.left:,} of {total.instances:,} instances have no row"
        message(f"{left}: python -m runner.resume {options.folder}")
    return max(exit_code, app.FAILED if total.left else 0)


if __name__ == "__main__":
    sys.exit(main())
