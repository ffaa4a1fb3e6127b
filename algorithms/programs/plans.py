"""Place where a program leaves its plan: its output, or files."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

from algorithms.plan_sets import Claim
from algorithms.programs.commands import PLAN
from algorithms.programs.output import compiled, exact, number_of, place_of, precision_of, text_of
from runner.base import UserError, natural_order, one_line, read_bytes, suggest
from worlds.interface import World, plan_texts

STDOUT, STDERR, FILE = "stdout", "stderr", "file"
MAX_BYTES = 64 << 20
"""Largest size of a file with a plan."""
MAX_SOLUTIONS = 100_000
"""Most plans of a set: each pair is compared."""
GROUPS = (PLAN, "cost", "costs", *(f"cost{number}" for number in range(1, 6)))
"""Named groups of the pattern for lines of a set."""
_NOT_BLANK = re.compile(r".*\S.*")
_BETWEEN_COSTS = re.compile(r"[\s,;()\[\]]+")
_UNREADABLE = "the plan cannot be read: "
_MAX_SHOWN = 60


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
    solutions : tuple of Claim
        Plans of a set, in place of `actions`.
    """

    actions: tuple[str, ...] | None = None
    refusal: str | None = None
    is_open: bool = False
    is_blank: bool = False
    match: re.Match[str] | None = None
    text: str | None = None
    solutions: tuple[Claim, ...] = ()

    @property
    def place(self) -> str | None:
        """Words on where the pattern has matched; None without one."""
        return None if self.match is None else f"pattern '{self.match.re.pattern}' matched in {place_of(self.match)}"


NO_PLAN = GivenPlan()
EMPTY_PLAN = GivenPlan(())
EMPTY_PLAN_ALONE = GivenPlan(solutions=(Claim(None, ()),))
"""Set of the empty plan."""
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
    each : {"line"} or None
        What is one plan of a set: each line in which `pattern` matches, by default each that is not blank. None: there
        is one plan. Groups of the pattern may have names (`GROUPS`): `plan`, and those of the costs that the line
        states. With costs, but without `plan`, there are no plans.
    """

    from_: str = STDOUT
    pattern: str | None = None
    format: str = "names"
    each: Literal["line"] | None = None

    def check(self) -> None:
        """Raise `UserError` if the pattern cannot find a plan, or a name leads out of the working directory."""
        pattern = self.compiled
        if pattern is not None and self.each is not None:
            where = "algorithm.plan.pattern"
            wrong = next((name for name in pattern.groupindex if name not in GROUPS), None)
            if wrong is not None:
                raise UserError(f"{where}: there is no group '{wrong}' of a plan{suggest(wrong, GROUPS)}")
            if self.is_costs_alone and pattern.groups > len(pattern.groupindex):
                raise UserError(f"{where}: beside costs, the group of the plan needs its name: (?P<{PLAN}>...)")
        if self.from_ in ("", ".", "..") or "/" in self.from_ or "**" in self.from_:
            allowed = "stdout, stderr, file, or a name in the working directory"
            raise UserError(f"algorithm.plan.from: expected {allowed}; got '{self.from_}'")

    @cached_property
    def compiled(self) -> re.Pattern[str] | None:
        """The pattern, compiled; raises `UserError` if it is no regular expression."""
        return None if self.pattern is None else compiled(self.pattern, "algorithm.plan.pattern")

    @property
    def is_costs_alone(self) -> bool:
        """Whether the lines of a set have costs and no plans."""
        names = self.compiled.groupindex if self.compiled is not None and self.each is not None else {}
        return bool(names) and PLAN not in names

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
        if self.compiled is None and not text.strip():
            return GivenPlan(is_blank=True)
        if self.each is not None:
            return self._set_in(text, world)
        if self.compiled is None:
            return self.read(text, world)
        last = deque(self.compiled.finditer(text), 1)
        part = text_of(last[0]) if last else None
        return NO_PLAN if part is None else self.read(part, world)._replace(match=last[0])

    def _set_in(self, text: str, world: World) -> GivenPlan:
        """Return the plans in the lines of a text. A line that matches, but is no plan, refuses them all."""
        pattern = _NOT_BLANK if self.compiled is None else self.compiled
        found: list[Claim] = []
        for number, line in enumerate(text.split("\n"), 1):
            match = pattern.search(line.removesuffix("\r"))
            if match is None:
                continue
            if len(found) == MAX_SOLUTIONS:
                return GivenPlan(refusal=f"the plans cannot be read: there are more than {MAX_SOLUTIONS:,}")
            try:
                found.append(self._claim(match, world)._replace(name=f"line {number}"))
            except ValueError as error:
                return GivenPlan(refusal=f"line {number}: {one_line(str(error))}: {one_line(line)[:_MAX_SHOWN]}")
        return GivenPlan(solutions=tuple(found))

    def _claim(self, match: re.Match[str], world: World) -> Claim:
        """Return the solution in a line; raise a ValueError if it is none."""
        named = match.groupdict()
        costs: list[float] = []
        precision = 0.0
        for text in (part for name in named if name != PLAN for part in _BETWEEN_COSTS.split(named[name] or "")):
            if text:
                costs.append(exact(number_of(text, "the costs cannot be read")))
                precision = max(precision, precision_of(text, costs[-1]))
        has_costs = any(name != PLAN for name in named)
        if has_costs and not costs:
            raise ValueError("there are no costs")
        if self.is_costs_alone:
            return Claim(costs, None, precision=precision)
        plan = self.read((named[PLAN] if PLAN in named else text_of(match)) or "", world)
        if plan.refusal is not None:
            raise ValueError(plan.refusal.replace(f"{_UNREADABLE}line 1: ", _UNREADABLE))
        return Claim(costs if has_costs else None, plan.actions, precision=precision)

    def plan_in_file(self, file: Path, world: World, *, is_cut: bool = False) -> GivenPlan:
        """Return the plan in a file. One that was cut off may end in the middle of a line, which no set has."""
        try:
            text = read_bytes(file, MAX_BYTES).decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n")
        except UserError as error:
            return GivenPlan(refusal=f"{_UNREADABLE}{str(error).removeprefix(f'{file}: ')}")
        if is_cut and self.each is not None:
            text = text[: text.rfind("\n") + 1]
        return self.plan_in(text, world)._replace(is_open=not text.endswith("\n"), text=text)

    def read(self, text: str, world: World) -> GivenPlan:
        """Return the plan that a text is, in the format of this program."""
        try:
            actions = world.read_plan(text, self.format)
            actions = actions if isinstance(actions, tuple) else tuple(actions)  # of a plug-in
        except (ValueError, RecursionError) as error:
            return GivenPlan(refusal=f"{_UNREADABLE}{error}")
        if len(actions) > plan_texts.MAX_ACTIONS:
            return GivenPlan(refusal=f"{_UNREADABLE}it has more than {plan_texts.MAX_ACTIONS:,} actions")
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
            is_cut = limit_at is not None
            plan = self._report(file) if has_several else self._source.plan_in_file(file, self._world, is_cut=is_cut)
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
