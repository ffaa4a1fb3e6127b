"""Where a program leaves its plan: in what it prints, or in files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from runner.base.errors import UserError
from runner.base.files import natural_order
from worlds.world import World

STDOUT, STDERR, FILE = "stdout", "stderr", "file"
MAX_BYTES = 64 << 20
"""Largest size of a file with a plan."""


class GivenPlan(NamedTuple):
    """Plan that a program gives: its actions, or why they cannot be read; neither if there is none."""

    actions: tuple[str, ...] | None = None
    refusal: str | None = None


NO_PLAN = GivenPlan()


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
        try:
            assert self.pattern is None or self.compiled is not None
        except re.error as error:
            raise UserError(f"algorithm.plan.pattern: {self.pattern!r} is no regular expression: {error}") from None
        if not self.from_ or "/" in self.from_:
            allowed = "stdout, stderr, file, or a name in the working directory"
            raise UserError(f"algorithm.plan.from: expected {allowed}; got '{self.from_}'")

    @cached_property
    def compiled(self) -> re.Pattern[str] | None:
        """The pattern, compiled."""
        return None if self.pattern is None else re.compile(self.pattern, re.MULTILINE)

    def text_in(self, text: str) -> str | None:
        """Return the plan in a text; None if there is none."""
        if self.compiled is None:
            return text if text.strip() else None
        matches = list(self.compiled.finditer(text))
        if not matches:
            return None
        last = matches[-1]
        return last[1] if self.compiled.groups else last[0]

    def files_in(self, folder: Path) -> list[Path]:
        """Return the files with plans: that of the placeholder `plan`, after those with a number behind its name.

        Anytime planners number their plans; the last one is the best.
        """
        if self.from_ != FILE:
            return sorted((file for file in folder.glob(self.from_) if file.is_file()), key=natural_order)
        numbered = [file for file in folder.glob("plan.*") if file.suffix[1:].isdecimal() and file.is_file()]
        files = sorted(numbered, key=lambda file: int(file.suffix[1:]))
        return [*files, *(file for file in [folder / "plan"] if file.is_file())]

    def plan_in(self, text: str, world: World) -> GivenPlan:
        """Return the plan in what a program has printed."""
        part = self.text_in(text)
        return NO_PLAN if part is None else self.read(part, world)

    def plan_in_file(self, file: Path, world: World) -> GivenPlan:
        """Return the plan in a file."""
        if file.stat().st_size > MAX_BYTES:
            return GivenPlan(refusal=f"the plan cannot be read: it has more than {MAX_BYTES >> 20} MiB")
        return self.plan_in(file.read_text(encoding="utf-8", errors="replace"), world)

    def read(self, text: str, world: World) -> GivenPlan:
        """Return the plan that a text is, in the format of this program."""
        try:
            return GivenPlan(tuple(world.read_plan(text, self.format)))
        except ValueError as error:
            return GivenPlan(refusal=f"the plan cannot be read: {error}")
