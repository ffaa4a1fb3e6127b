"""``python -m runner.status DIR``: how far a sweep has come, by its rows on disk, and what of it waits or runs."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from runner.registry import UserError
from runner.sweep import slurm
from runner.sweep.advance import Advance, advances_of
from runner.sweep.folder import is_locked, sweep_at
from runner.terminal import console, message

FAILED, REFUSED, INTERRUPTED = 1, 2, 130
_WAIT_SECONDS = 10.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code: 0 if nothing is missing or failed, or it still runs."""
    parser = argparse.ArgumentParser(
        prog="python -m runner.status",
        description="How far a sweep has come. What is finished is told by rows on disk, never by the accounting of a "
        "cluster. Exit code 1: nothing runs any more, and rows are missing or failed.",
    )
    parser.add_argument("folder", metavar="FOLDER", help="of the sweep")
    parser.add_argument("--wait", action="store_true", help="until none of its tasks waits or runs")
    options = parser.parse_args(arguments)
    try:
        folder = sweep_at(options.folder)
        while options.wait and _is_running(folder):
            time.sleep(_WAIT_SECONDS)
        return _show(folder)
    except KeyboardInterrupt:
        message("interrupted")
        return INTERRUPTED
    except UserError as error:
        message(f"error: {error}")
        return REFUSED
    except OSError as error:
        message(f"error: {error.filename or options.folder}: {error.strerror or error}")
        return FAILED


def _is_running(folder: Path) -> bool:
    """Whether some process works there, or a task will."""
    states = slurm.states() or {}
    live = any(not slurm.is_over(states.get(each.id, slurm.GONE)) for each in slurm.submissions(folder))
    return live or is_locked(folder)


def _show(folder: Path) -> int:
    advances, submissions = advances_of(folder), slurm.submissions(folder)
    total = sum(advances.values(), Advance())
    states = slurm.states() if submissions else {}
    out = console()
    if submissions:
        table = Table("task", "state", *("jobs", "instances", "done", "failed", "left"))
        for each in submissions:
            advance = sum((advances.get(name, Advance()) for name in each.folders), Advance())
            state = "unknown" if states is None else states.get(each.id, slurm.GONE).lower()
            if slurm.is_over(state.upper()) or state == slurm.GONE:
                state = "finished" if not advance.left else f"{state}, rows are missing: see {slurm.log_of(each.id)}"
            counts = (len(each.folders), advance.instances, advance.done, advance.failed, advance.left)
            table.add_row(Text(each.id), state, *(f"{count:,}" for count in counts))
        out.print(table)
    if states is None:
        message("note: squeue does not answer, so it is not known what waits or runs")
    of = f" of {total.instances:,}" if total.instances else ""
    failed = f", {total.failed:,} failed" if total.failed else ""
    out.print(Text(f"{len(advances):,} jobs, {total.done:,}{of} instances done{failed}"))
    if states is None or _is_running(folder):
        out.print(Text("somebody works there"))
        return 0
    if total.left or total.failed:
        out.print(
            Text(f"go on: python -m runner.submit --resume {folder} (on the cluster), or python -m runner.resume")
        )
        return FAILED
    out.print(Text(f"collect: python -m runner.collect {folder}"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
