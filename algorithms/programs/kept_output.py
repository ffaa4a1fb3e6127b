"""Output of a program as it is kept in a file of `logs`: written, and read again."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from algorithms.programs.execution import Finished
from algorithms.programs.plans import STDERR, STDOUT
from runner.machine import Usage

PROMPT = "$ "
_MAX_CHARACTERS = 1 << 20
_END = re.compile(
    r"^(?:exit code (?P<code>-?\d{1,10}|None)|signal (?P<signal>\d{1,5}))(?:, ended by (?P<ended>\w+))?"
    r", (?P<seconds>\d{1,12}\.\d{3}) s(?:, plan in (?P<plan>.+))?\n",
    re.MULTILINE,
)
_TITLE = re.compile(r"--- (?P<name>[a-z ]+) \((?P<size>\d{1,10}) characters(?:, (?P<first>\d{1,10}) in time)?\)\n")
_OUTPUT, _ERRORS, _PLAN = "standard output", "standard error", "plan"


@dataclass(frozen=True)
class KeptOutput:
    """End of a program, what it printed, and its plan.

    Attributes
    ----------
    plan_from : str
        Where the plan is expected: `plan.from`.
    plan : str or None
        Text of the file with the plan; None if there is none.
    """

    finished: Finished
    plan_from: str = STDOUT
    plan: str | None = None

    def text(self, words: Sequence[str]) -> str:
        """Return the text of the file, given the words of the command. The middle of what is long is left out."""
        finished = self.finished
        how = f"exit code {finished.exit_code}" if finished.signal is None else f"signal {finished.signal}"
        ended = f", ended by {finished.ended_by}" if finished.ended_by else ""
        place = "" if self.plan_from in (STDOUT, STDERR) else f", plan in {self.plan_from}"
        in_time = len(finished.stdout_in_time)
        first = f", {in_time} in time" if in_time < len(finished.stdout) else ""
        sections = [(_OUTPUT, finished.stdout, first), (_ERRORS, finished.stderr, "")]
        if self.plan is not None:
            sections.append((_PLAN, self.plan, ""))
        shown = (
            f"--- {name} ({len(text)} characters{more})\n{without_middle(text)}\n" for name, text, more in sections
        )
        return f"{PROMPT}{shlex.join(words)}\n{how}{ended}, {finished.seconds:.3f} s{place}\n{''.join(shown)}"

    @classmethod
    def of(cls, text: str, plan_from: str) -> KeptOutput | None:
        """Return what the text of a file says; None if it is not whole, or the plan was expected in another file."""
        end = _END.search(text)
        if end is None or plan_from not in (STDOUT, STDERR, end["plan"]):
            return None
        sections: dict[str, str] = {}
        in_time: str | None = None
        place = end.end()
        while title := _TITLE.match(text, place):
            place = title.end() + int(title["size"]) + 1
            sections[title["name"]] = text[title.end() : place - 1]
            in_time = in_time or title["first"]
        if place != len(text) or not {_OUTPUT, _ERRORS} <= sections.keys():
            return None
        code, signal = (None if end[name] in (None, "None") else int(end[name]) for name in ("code", "signal"))
        stdout = sections[_OUTPUT]
        finished = Finished(
            exit_code=code, signal=signal, ended_by=end["ended"], seconds=float(end["seconds"]), cpu_seconds=0.0,
            memory_bytes=0, usage=Usage(), stdout=stdout, stderr=sections[_ERRORS], limit_at=None,
            stdout_in_time=stdout if in_time is None else stdout[: int(in_time)],
        )  # fmt: skip
        return cls(finished, plan_from, sections.get(_PLAN))


def without_middle(text: str) -> str:
    """Return a text, or its beginning and its end if it is long, with a line in place of what is left out."""
    left_out = len(text) - _MAX_CHARACTERS
    if left_out <= 0:
        return text
    half = _MAX_CHARACTERS // 2
    return f"{text[:half]}\n[{left_out:,} characters are left out]\n{text[-half:]}"
