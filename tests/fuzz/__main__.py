"""Run commands with random bad input. Each case must be refused with one line, or be a valid run.

Run from the repository: ``python -m tests.fuzz [--cases 20000] [--seed 0] [--kind overrides|configs|worlds]``. Cases
are valid overrides, configurations and world files with random changes, or are made of inputs that often break
programs. A case must end with exit code 2 and one line on standard error, or be a valid run. It must print no
traceback, stay below a memory limit, and end within 10 seconds; a run that writes rows gets SIGTERM sooner. It must
write no file outside the output folder, and none at all with exit code 2. Exit code 1 is for output folders that cannot
be written. Prints the number of cases by outcome, and each failure with its arguments and files reduced; exits with 1
if there is any. ``--seed`` and ``--only NUMBER`` repeat one case.
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
"""A case with a world file takes a tenth of the time of the others."""
ALONE = 500
"""One in so many cases also runs in a new process."""


def make(seed: int, number: int, kind: str | None) -> Case:
    """Return the case that the seed and the number determine."""
    source = random.Random(f"{seed} {number}")
    chosen = source.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
    return MAKERS[kind or chosen](source)


def label(outcome: Outcome) -> str:
    """Return one word for the outcome."""
    if outcome.terminated:
        return "terminated"
    return {0: "valid", 1: "failed", 2: "refused"}.get(outcome.code or 0, "other")


def reduced(case: Case, stage: Stage, fault: str) -> Case:
    """Return the case without the arguments and files that do not contribute to the fault."""

    def has_fault(smaller: Case) -> bool:
        return any(found.split(":")[0] == fault.split(":")[0] for found in faults(smaller, stage.run(smaller)))

    if "killed" in fault or "hung" in fault:
        return case
    for argument in case.arguments if case.path is None else ():
        smaller = replace(case, arguments=tuple(other for other in case.arguments if other is not argument))
        if smaller.arguments and has_fault(smaller):
            case = smaller
    for name in list(case.files):
        smaller = replace(case, files={other: content for other, content in case.files.items() if other != name})
        if has_fault(smaller):
            case = smaller
    return case


def checked(case: Case, run: Callable[[Case], Outcome]) -> tuple[Outcome, list[str]]:
    """Run a case and find its faults. Repeat it if it took too long, because the machine may have been busy."""
    outcome = run(case)
    found = faults(case, outcome)
    if found and outcome.seconds > SECONDS:
        outcome = run(case)
        found = faults(case, outcome)
    return outcome, found


def main() -> int:
    """Run the cases and return the exit code."""
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
            outcome, found = checked(case, stage.run)
            if options.only is not None:
                print(case, outcome, sep="\n")
            if not found and number % ALONE == ALONE - 1:
                alone, found = checked(case, stage.run_alone)
                found = [f"in a new process: {fault}" for fault in found]
                is_comparable = not alone.terminated and not outcome.terminated
                if not found and is_comparable and label(alone) != label(outcome):
                    found = [f"exit code {outcome.code}, but {alone.code} in a new process"]
                happened[case.kind, "also in a new process"] += 1
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
