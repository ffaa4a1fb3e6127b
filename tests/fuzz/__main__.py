"""Bad input by the thousand: every case must be refused in one line, or be a valid run.

Run from the repository: ``python -m tests.fuzz [--cases 20000] [--seed 0] [--kind overrides|configs|worlds]``. Cases
are real overrides, configurations and world files after some changes, and things made of nasty pieces. Checked of
each: exit code 2 with one line on standard error, or a valid run; no traceback; an end within 10 seconds (a run that
makes rows is asked to end sooner, and must); memory; no file outside of the output folder, and none at all with exit
code 2. Exit code 1 is for output folders of the user's that cannot be written. Prints what happened, and each failure
as small as it gets; exits with 1 if there is any. A case is made again by ``--seed`` and ``--only NUMBER``.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tests.fuzz.case import Case
from tests.fuzz.configurations import configuration
from tests.fuzz.execution import Outcome, Stage
from tests.fuzz.overrides import override
from tests.fuzz.verdict import faults
from tests.fuzz.worker import SECONDS
from tests.fuzz.world_files import world_file

MAKERS = {"overrides": override, "configs": configuration, "worlds": world_file}
WEIGHTS = {"overrides": 2, "configs": 1, "worlds": 7}
"""World files take a tenth of the time."""
ALONE = 500
"""Of so many cases one runs in a process of its own, too."""


def make(seed: int, number: int, kind: str | None) -> Case:
    """A case, which depends on nothing else."""
    source = random.Random(f"{seed} {number}")
    chosen = source.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
    return MAKERS[kind or chosen](source)


def label(outcome: Outcome) -> str:
    """Return the outcome in a word."""
    if outcome.terminated:
        return "went on and on"
    return {0: "valid", 1: "failed", 2: "refused"}.get(outcome.code or 0, "other")


def reduced(case: Case, stage: Stage, fault: str) -> Case:
    """The case without the arguments and files that the fault does not need."""

    def still(smaller: Case) -> bool:
        return any(found.split(":")[0] == fault.split(":")[0] for found in faults(smaller, stage.run(smaller)))

    if "killed" in fault or "hung" in fault:
        return case
    for argument in case.arguments if case.path is None else ():
        smaller = replace(case, arguments=tuple(other for other in case.arguments if other is not argument))
        if smaller.arguments and still(smaller):
            case = smaller
    for name in list(case.files):
        smaller = replace(case, files={other: content for other, content in case.files.items() if other != name})
        if still(smaller):
            case = smaller
    return case


def tried(case: Case, run: Callable[[Case], Outcome]) -> tuple[Outcome, list[str]]:
    """Run a case; once more if it took too long, because the machine may have been busy."""
    outcome = run(case)
    found = faults(case, outcome)
    if found and outcome.seconds > SECONDS:
        outcome = run(case)
        found = faults(case, outcome)
    return outcome, found


def main() -> int:
    """Try cases; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", choices=list(MAKERS))
    parser.add_argument("--only", type=int, help="the number of a case")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    options = parser.parse_args()
    numbers = range(options.first, options.first + options.cases) if options.only is None else [options.only]
    happened: Counter[tuple[str, str]] = Counter()
    failures = 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        stage = Stage(Path(folder).resolve())
        began = time.monotonic()
        for number in numbers:
            case = make(options.seed, number, options.kind)
            outcome, found = tried(case, stage.run)
            if options.only is not None:
                print(case, outcome, sep="\n")
            if not found and number % ALONE == ALONE - 1:
                alone, found = tried(case, stage.run_alone)
                found = [f"as a process of its own: {fault}" for fault in found]
                is_comparable = not alone.terminated and not outcome.terminated
                if not found and is_comparable and label(alone) != label(outcome):
                    found = [f"exit code {outcome.code}, but {alone.code} as a process of its own"]
                happened[case.kind, "also in a process of its own"] += 1
            happened[case.kind, "WRONG" if found else label(outcome)] += 1
            if found:
                failures += 1
                small = reduced(case, stage, found[0])
                print(f"case {number} (seed {options.seed}, {case.kind}): {'; '.join(found)}\n{small}\n", flush=True)
        seconds = time.monotonic() - began
        stage.close()
    for (kind, what), count in sorted(happened.items()):
        print(f"{kind:>10} {what:<30} {count:>7,}")
    print(f"{len(numbers):,} cases in {seconds:.0f} s ({len(numbers) / seconds:.0f} per second), {failures:,} wrong")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
