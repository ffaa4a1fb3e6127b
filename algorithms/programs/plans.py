"""Place where a program leaves its plan: its output, or files."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from algorithms.programs.commands import PLAN
from algorithms.programs.output import compiled, place_of, text_of
from runner.base import UserError, natural_order, read_bytes
from worlds.interface import MAX_ACTIONS, World

STDOUT, STDERR, FILE = "stdout", "stderr", "file"
MAX_BYTES = 64 << 20
"""Largest size of a file with a plan."""


class GivenPlan(NamedTuple):
    """Plan that a program gives: its actions, or why they cannot be read; neither if there is none.

    Attributes
    ----------
    is_open : bool
        Whether its text ends without the end of a line, so that more may have been to come.
    is_blank : bool
        Whether there is nothing where the plan alone would stand.
    match : re.Match or None
        Match of the pattern that found it.
    text : str or None
        Text of the file in which it stands; None for what is printed.
    """

    actions: tuple[str, ...] | None = None
    refusal: str | None = None
    is_open: bool = False
    is_blank: bool = False
    match: re.Match[str] | None = None
    text: str | None = None

    @property
    def place(self) -> str | None:
        """Words on where the pattern has matched; None without one."""
        return None if self.match is None else f"pattern '{self.match.re.pattern}' matched in {place_of(self.match)}"


NO_PLAN = GivenPlan()
EMPTY_PLAN = GivenPlan(())
Improved = Callable[[tuple[str, ...], float], None]
"""Function that is called with a plan, and the seconds since the start."""


@dataclass(frozen=True)
class PlanOutput:
    """Section `plan`.

    Attributes
    ----------
    from_ : str
        `stdout`, `stderr`, `file` (the placeholder `plan`), or a name, or pattern of names, in the working directory.
    pattern : str or None
        Regular expression. The first group of its last match is the plan; by default everything.
    format : str
        Format of the plan: one of those of the domain (`World.plan_formats`).
    """

    from_: str = STDOUT
    pattern: str | None = None
    format: str = "names"

    def check(self) -> None:
        """Raise `UserError` if the pattern is no regular expression, or a name leads out of the working directory."""
        _ = self.compiled  # which may be none
        if self.from_ in ("", ".", "..") or "/" in self.from_ or "**" in self.from_:
            allowed = "stdout, stderr, file, or a name in the working directory"
            raise UserError(f"algorithm.plan.from: expected {allowed}; got '{self.from_}'")

    @cached_property
    def compiled(self) -> re.Pattern[str] | None:
        """The pattern, compiled; raises `UserError` if it is no regular expression."""
        return None if self.pattern is None else compiled(self.pattern, "algorithm.plan.pattern")

    @property
    def is_in_file(self) -> bool:
        """Whether the plan is in a file, and not printed."""
        return self.from_ not in (STDOUT, STDERR)

    @property
    def place(self) -> str:
        """Words on where the plan is expected."""
        places = {STDOUT: "on standard output", STDERR: "on standard error", FILE: "in the file {plan}"}
        place = places.get(self.from_, f"in {self.from_}")
        return place if self.pattern is None else f"{place} that matches '{self.pattern}'"

    def files_in(self, folder: Path) -> list[Path]:
        """Return the files with plans: that of the placeholder `plan`, after those with a number behind its name.

        Anytime planners number their plans; the last one is the best.
        """
        if self.from_ != FILE:
            return sorted((file for file in folder.glob(self.from_) if file.is_file()), key=natural_order)
        numbered = [file for file in folder.glob(f"{PLAN}.*") if file.suffix[1:].isdecimal() and file.is_file()]
        files = sorted(numbered, key=lambda file: int(file.suffix[1:]))
        return [*files, *(file for file in [folder / PLAN] if file.is_file())]

    def plan_in(self, text: str, world: World) -> GivenPlan:
        """Return the plan in what a program has printed."""
        if self.compiled is None:
            return self.read(text, world) if text.strip() else GivenPlan(is_blank=True)
        last = deque(self.compiled.finditer(text), 1)
        part = text_of(last[0]) if last else None
        return NO_PLAN if part is None else self.read(part, world)._replace(match=last[0])

    def plan_in_file(self, file: Path, world: World) -> GivenPlan:
        """Return the plan in a file."""
        try:
            text = read_bytes(file, MAX_BYTES).decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n")
        except UserError as error:
            return GivenPlan(refusal=f"the plan cannot be read: {str(error).removeprefix(f'{file}: ')}")
        return self.plan_in(text, world)._replace(is_open=not text.endswith("\n"), text=text)

    def read(self, text: str, world: World) -> GivenPlan:
        """Return the plan that a text is, in the format of this program."""
        try:
            actions = world.read_plan(text, self.format)
            actions = actions if isinstance(actions, tuple) else tuple(actions)  # of a plug-in
        except (ValueError, RecursionError) as error:
            return GivenPlan(refusal=f"the plan cannot be read: {error}")
        if len(actions) > MAX_ACTIONS:
            return GivenPlan(refusal=f"the plan cannot be read: it has more than {MAX_ACTIONS:,} actions")
        return GivenPlan(actions)


class PlanFiles:
    """Files with plans of one run of a program.

    Parameters
    ----------
    source : PlanOutput
    folder : Path
        Working directory of the program.
    world : World
    improved : callable
        Is called with each plan of a planner that writes several.
    """

    def __init__(self, source: PlanOutput, folder: Path, world: World, improved: Improved) -> None:
        self._source = source
        self._folder = folder
        self._world = world
        self._improved = improved
        self._began = time.time()
        self._reported: dict[Path, GivenPlan] = {}

    def look(self) -> None:
        """Report the numbered plans that are complete, because another one follows."""
        while self._source.from_ == FILE and self._numbered(2).exists():
            self._report(self._numbered(1))

    def standing(self, limit_at: float | None) -> GivenPlan:
        """Return the last plan, and report those that are not reported yet.

        A plan that a limit has cut off does not replace the one before, and one that was written later does not count.

        Parameters
        ----------
        limit_at : float or None
            Time since the epoch at which a limit was reached.
        """
        files = self._source.files_in(self._folder)
        if limit_at is not None:
            files = [file for file in files if file.stat().st_mtime <= limit_at]
        has_several = len(files) > 1 or any(file.suffix[1:].isdecimal() for file in files)
        last = NO_PLAN
        for file in files:
            plan = self._report(file) if has_several else self._source.plan_in_file(file, self._world)
            if limit_at is None or not plan.is_open or self._is_right(plan):
                last = plan
        return last

    def _numbered(self, ahead: int) -> Path:
        return self._folder / f"{PLAN}.{len(self._reported) + ahead}"

    def _report(self, file: Path) -> GivenPlan:
        """Return the plan in a file, after reporting it once."""
        if file not in self._reported:
            plan = self._source.plan_in_file(file, self._world)
            if plan.actions is not None:
                self._improved(plan.actions, max(0.0, file.stat().st_mtime - self._began))
            self._reported[file] = plan
        return self._reported[file]

    def _is_right(self, plan: GivenPlan) -> bool:
        return plan.actions is not None and self._world.replay(plan.actions).reaches_goal
