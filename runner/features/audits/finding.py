"""Findings: results of checks, from the check to audit.json, the terminal, reports and notebooks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

import msgspec

from runner.base import files_below, natural_order, one_line
from runner.features.audits import AUDIT, RECORD
from worlds.interface import Document, Instance, document_of

Outcome = Literal["passed", "failed", "not checked", "not declared"]
STYLES = {"passed": "green", "failed": "bold red", "not checked": "dim", "not declared": "yellow"}
"""Styles of the outcomes in tables on the terminal."""


@dataclass(frozen=True)
class Counterexample:
    """Instance that violates a check, as small as the audit could make it.

    Attributes
    ----------
    check : str
        Name of the check.
    instance : Instance
    origin : str
        Id of the instance that was simplified.
    picture : str
        Instance and state as text.
    draw : callable or None
        Draws the same on axes of matplotlib, and an optimal path from the state on; None if the domain has no drawings.
    lines : list of str
        Explanation with all values.
    h, h_star : float
        Values of the state; ``math.inf`` for infinity.
    """

    check: str
    instance: Instance
    origin: str
    picture: str
    draw: Callable[[Any], None] | None
    lines: list[str]
    h: float
    h_star: float

    @property
    def document(self) -> Document | None:
        """File from which the instance can be loaded; None for worlds without files."""
        return document_of(self.instance)

    @property
    def text(self) -> str:
        """Instance, picture and explanation."""
        return "\n".join([self.instance.id, "", *self.picture.splitlines(), "", *self.lines])


class RecordedCounterexample(msgspec.Struct, frozen=True):
    """Counterexample in audit.json and in reports.

    Attributes
    ----------
    check : str
        Name of the check.
    text : str
        Instance, picture as text, and explanation.
    picture : str or None
        SVG file, relative to the folder of the audit; in a report a data URI. None if there is none.
    instance : str or None
        File of the instance, relative to the folder of the audit; None for worlds without files.
    overrides : str or None
        Overrides that load the instance.
    command : str or None
        Line for a shell that starts the audited program for the instance; None without a program.
    """

    check: str
    text: str
    picture: str | None = None
    instance: str | None = None
    overrides: str | None = None
    command: str | None = None


Example = TypeVar("Example", bound=Counterexample | RecordedCounterexample)


class Finding(msgspec.Struct, Generic[Example], frozen=True):
    """Result of a check of a world, a heuristic or an algorithm.

    Attributes
    ----------
    check : str
        Name of the check.
    outcome : {"passed", "failed", "not checked", "not declared"}
        "not declared": the property does not hold, but it is not declared either. This is no failure.
    verdict : str
        Checked objects, the violation, or why nothing was checked.
    claim : str
        The property in a few words.
    declared : str
        Whether the property is declared: yes, no, unknown, or for how many instances. Empty for worlds.
    violations : int
        Number of states, steps or instances that violate the check.
    violating : int
        Number of instances with a violation.
    declaring : int
        Number of instances for which the property is declared.
    broken : int
        Number of instances that violate the check although the property is declared.
    instances : int
        Number of checked instances.
    states : int or None
        Number of checked states; None if instances are checked.
    steps : int or None
        Number of checked steps; None if states or instances are checked.
    counterexample : Counterexample, RecordedCounterexample or None
        The smallest that was found: a `Counterexample` in memory, a `RecordedCounterexample` in audit.json.
    traceback : str
        Traceback of an exception in the user's code; empty if there was none.
    """

    check: str
    outcome: Outcome
    verdict: str
    claim: str = ""
    declared: str = ""
    violations: int = 0
    violating: int = 0
    declaring: int = 0
    broken: int = 0
    instances: int = 0
    states: int | None = None
    steps: int | None = None
    counterexample: Example | None = None
    traceback: str = ""

    @property
    def text(self) -> str:
        """Verdict that can be read without the outcome."""
        return f"not checked: {self.verdict}" if self.outcome == "not checked" else self.verdict


@dataclass(frozen=True, repr=False)
class Findings:
    """Findings of the checks of a world. As text they are a table.

    Attributes
    ----------
    subject : str
        Checked world.
    all : list of Finding
        In the order of the checks. Iteration yields them, too.
    """

    subject: str
    all: list[Finding[Counterexample]]

    def __iter__(self) -> Iterator[Finding[Counterexample]]:
        return iter(self.all)

    def __len__(self) -> int:
        return len(self.all)

    def __str__(self) -> str:
        """Return a line for each check: its name, its outcome and what was checked."""
        names = max((len(each.check) for each in self.all), default=0)
        outcomes = max((len(each.outcome) for each in self.all), default=0)
        lines = (f"  {each.check:<{names}}  {each.outcome:<{outcomes}}  {one_line(each.verdict)}" for each in self.all)
        return "\n".join([self.subject, *lines])

    __repr__ = __str__


class Statistic(msgspec.Struct, frozen=True):
    """Statistic of a stack of heuristics.

    Attributes
    ----------
    name : str
    value : float
    states, instances : int
        Number of states and instances that the value summarises.
    """

    name: str
    value: float
    states: int
    instances: int


class RecordedCover(msgspec.Struct, frozen=True):
    """Least number of expansions below the optimal cost that any front-to-end search of an instance needs.

    Attributes
    ----------
    instance : str
    cost : float
        Optimal cost.
    vertex_cover : int
        Size of a minimum vertex cover of the must-expand graph (`algorithms.bidirectional.must_expand`).
    expanded : int or None
        Expansions of the audited algorithm; None without one, or if it found no solution.
    """

    instance: str
    cost: float
    vertex_cover: int
    expanded: int | None = None


class Audit(msgspec.Struct, Generic[Example], frozen=True):
    """Results of an audit, in memory and in audit.json.

    Attributes
    ----------
    world, subject : str
        Name of the instances, and of the audited stack and algorithm.
    exhaustive : str or None
        Description of the family, if these are all its instances; None if they are a sample.
    findings : list of Finding
        One for each check.
    statistics : list of Statistic
        Accuracy of the stack.
    notes : list of str
        Notes on settings without effect and on instances that were not checked.
    covers : list of RecordedCover
        One for each instance, if they were asked for instead of the checks.
    """

    world: str
    subject: str
    exhaustive: str | None
    findings: list[Finding[Example]]
    statistics: list[Statistic]
    notes: list[str]
    covers: list[RecordedCover] = []

    @property
    def violated(self) -> list[str]:
        """Names of the violated checks."""
        return [each.check for each in self.findings if each.violations]

    @property
    def broken(self) -> list[str]:
        """Names of the violated checks whose property the heuristic or the algorithm declares."""
        return [each.check for each in self.findings if each.broken]

    @property
    def counterexamples(self) -> list[Example]:
        """One counterexample for each violated check, in the order of the checks."""
        return [each.counterexample for each in self.findings if each.counterexample is not None]

    def __str__(self) -> str:
        """Return the results with a line for each check and statistic."""
        lines = [f"{self.subject}, on {self.world}"]
        for each in self.findings:
            count = f", {each.violations:,} violations" if each.violations else ""
            declared = ", but declared" if each.broken else ""
            lines.append(f"  {each.check}: {each.text}{count}{declared}")
        return "\n".join([*lines, *(f"  {each.name}: {each.value:.6g}" for each in self.statistics)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the findings, and the counterexamples."""
        from runner.base import html_table

        checks = html_table(
            [(each.check, each.claim, each.declared, each.text) for each in self.findings],
            ("check", "claim", "declared", "verdict"),
        )
        examples = [(each.check, each.text) for each in self.counterexamples]
        title = f"<p>{escape(self.subject)}, on {escape(self.world)}</p>"
        return title + checks + (html_table(examples) if examples else "")


def audit_folders(folder: Path) -> list[Path]:
    """Return the folders with an audit at or below a folder, in natural order. A partial audit has no audit.json."""
    return sorted({file.parent for file in files_below(folder, RECORD, AUDIT)}, key=natural_order)
