"""Find faults in the outcome of a case."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

from runner.base.result import NAMES
from runner.base.status import ERROR
from tests.fuzz.case import Case
from tests.fuzz.execution import Outcome
from tests.fuzz.worker import MAX_MEMORY, SECONDS

INTERRUPTED = (130, 143, -15)  # -15: the signal came after Python had restored its handlers at exit

JOB = r"\[\d+\]( .*)?: "
LINE = re.compile(
    rf"error: |note: |{JOB}(error|skipped): |{JOB}\d[\d,]* \w+|sweep\.exclude|interrupted|building |"
    r"loading or compiling kernels|[\d,]+ of [\d,]+ cells? refused: see above$"
)
"""Allowed beginnings of a line on standard error."""
WARNING = re.compile(r".*Warning: |  warnings\.warn\(|\s*$")


def faults(case: Case, outcome: Outcome) -> list[str]:
    """Return what is wrong with an outcome; empty if nothing is."""
    return list(_faults(case, outcome))


def _faults(case: Case, outcome: Outcome) -> Iterator[str]:
    code, errors = outcome.code, outcome.errors
    if code is None:
        yield f"had to be killed after {outcome.seconds:.0f} s"
    elif code < 0 and not (outcome.terminated and code in INTERRUPTED):
        yield f"died of signal {-code}"
    elif outcome.terminated and code in INTERRUPTED:
        does_nothing = not outcome.rows and sum(name.endswith(".hydra") for name in outcome.created) < 2
        if does_nothing and outcome.seconds > SECONDS and "pattern_database" not in case.text:
            yield f"hung: no row after {SECONDS:.0f} s"
    elif code not in (0, 1, 2):
        yield f"exit code {code}"
    elif outcome.seconds > SECONDS and not outcome.rows:
        yield f"took {outcome.seconds:.1f} s"
    said = errors + outcome.output
    if "Traceback" in said and "verbose" not in case.text:
        yield f"traceback: {said[said.index('Traceback') :][:2000]!r}"
    if outcome.memory > MAX_MEMORY:
        yield f"took {outcome.memory >> 20} MiB"
    if code in (0, 1, 2):
        yield from _wrong_messages(case, outcome)
    yield from _wrong_files(case, outcome)
    for row in csv.reader(outcome.rows):
        values = dict(zip(NAMES, row, strict=False))
        if values.get("status") == ERROR.name:
            yield f"a row with an error: {values.get('error')}"
        if values.get("valid") == "False":
            yield "a plan that is not valid"


def _wrong_messages(case: Case, outcome: Outcome) -> Iterator[str]:
    lines = outcome.errors.split("\n")[:-1]
    if not outcome.errors.endswith("\n") and outcome.errors:
        yield "the last line has no newline"
    wrong = [line for line in lines if line.startswith("error: ")]
    jobs = [line for line in lines if re.match(rf"{JOB}error: ", line)]
    if outcome.code == 2:
        if len(wrong) != 1 and not (jobs and not wrong):
            yield f"exit code 2 with {len(wrong)} lines of errors"
    elif outcome.code == 1:
        if not (case.chooses_folder and len(wrong) == 1) and not jobs:
            yield "exit code 1"
    elif wrong:
        yield "an error, but exit code 0"
    for line in lines:
        if not LINE.match(line) and (outcome.code == 2 or not WARNING.match(line)):
            yield f"a further line: {line[:200]!r}"
            break
    for line in lines:
        if any(not (c.isprintable() or c == "\t") for c in line):
            yield f"a line that cannot be printed: {line[:200]!r}"
            break
    longest = max(
        (len(line) for line in lines if not re.match(JOB, line)), default=0
    )  # the line of a cell contains all its overrides
    if longest > 2000:
        yield f"a line of {longest} characters"


def _wrong_files(case: Case, outcome: Outcome) -> Iterator[str]:
    for line in outcome.denied:
        if not case.chooses_folder or not line.startswith(("open", "os.mkdir")):
            yield f"tried an operation outside its folder: {line}"
            break
    inside = ("work", "work/outputs") if not case.chooses_folder else ("work",)
    for name in outcome.created:
        if not (name in inside or name.startswith(f"{inside[-1]}/")) or name.endswith("owned"):
            yield f"created a file outside the output folder: {name!r}"
            break
    left = [name for name in outcome.created if name.startswith("work/outputs/") and name.count("/") > 2]
    if outcome.code == 2 and left and not case.is_sweep:
        yield f"exit code 2, but created {left[-1]!r}"
