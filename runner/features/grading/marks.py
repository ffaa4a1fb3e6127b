"""Marks: records of what a submission got for each criterion, in memory and in files."""

from __future__ import annotations

import re

import msgspec
from msgspec.structs import replace


class Verdict(msgspec.Struct, frozen=True):
    """Marks of one criterion.

    Attributes
    ----------
    name, title : str
    points, max_points : float
    text : str
        What was found; with a counterexample, also its instance and its state as text.
    picture : str or None
        The counterexample as a data URL of a PNG.
    visible, feedback : bool
        Whether students see it before the end of the exercise, and whether they see more than the points.
    value : float or None
        Number for the leaderboard; less is better.
    is_error : bool
        Whether the submission did not answer; `text` tells why.
    measure : str
        What the number is, if the title does not tell.
    """

    name: str
    title: str
    points: float
    max_points: float
    text: str
    picture: str | None = None
    visible: bool = True
    feedback: bool = True
    value: float | None = None
    is_error: bool = False
    measure: str = ""

    @property
    def passed(self) -> bool:
        """Whether it got all points."""
        return self.points >= self.max_points

    @property
    def ranked_by(self) -> str:
        """Title of its leaderboard."""
        return f"{self.title} ({self.measure})" if self.measure else self.title

    @property
    def for_students(self) -> Verdict:
        """Verdict as students may read it: without feedback it has the points only."""
        if self.feedback:
            return self
        text = "fulfilled" if self.passed else "not fulfilled" if not self.points else "fulfilled in part"
        return replace(self, text=text, picture=None, value=None, is_error=False)


class Marks(msgspec.Struct, frozen=True):
    """Marks of one submission.

    Attributes
    ----------
    exercise : str
        Title of the exercise.
    student : str
        Id of the student.
    submission : str
        Name of the file.
    entry : str
        Name under which the submission is registered.
    verdicts : list of Verdict
        In the order of the criteria.
    failure : str
        Why it could not be judged at all; empty otherwise.
    output : str
        What it has printed while visible criteria were judged, shortened.
    warning : str
        What the student should change although the submission has answered; empty otherwise.
    behaviour : str
        Digest of all values and plans. Submissions with the same one behave identically; empty without any, or
        if all are those of the reference.
    key : str
        Digest of the submission, the exercise, the student and the code of the grader.
    """

    exercise: str
    student: str
    submission: str
    entry: str
    verdicts: list[Verdict]
    failure: str = ""
    output: str = ""
    warning: str = ""
    behaviour: str = ""
    key: str = ""

    @property
    def points(self) -> float:
        """Points of all criteria."""
        return sum(each.points for each in self.verdicts)

    @property
    def max_points(self) -> float:
        """Points of a submission without a fault."""
        return sum(each.max_points for each in self.verdicts)

    @property
    def for_students(self) -> Marks:
        """Marks as students may read them: of the visible criteria, whose points alone add up."""
        return replace(self, verdicts=[each.for_students for each in self.verdicts if each.visible])

    @property
    def problem(self) -> str:
        """Line on the first thing that went wrong; empty if the submission has answered every question."""
        errors = (each.text for each in self.verdicts if each.is_error)
        return next(filter(None, (self.failure, *errors, self.warning)), "")

    @property
    def is_missing(self) -> bool:
        """Whether nothing was handed in that could be graded: there is no digest of it."""
        return bool(self.failure) and not self.key

    @property
    def is_crash(self) -> bool:
        """Whether the submission could not be judged, or has not answered a question."""
        return not self.is_missing and (bool(self.failure) or any(each.is_error for each in self.verdicts))

    @property
    def findings(self) -> list[tuple[str, Verdict]]:
        """Findings without repetitions and without `problem`: titles of the criteria, and the first verdict."""
        first = same_error(self.problem)
        errors = {first, *(same_error(each.text) for each in self.verdicts if each.is_error)}
        found: dict[tuple[str, str | None], list[Verdict]] = {}
        for each in [] if self.failure else self.verdicts:
            if each.is_error:
                if same_error(each.text) != first:
                    found.setdefault((same_error(each.text), None), []).append(each)
            elif not errors.issuperset(map(same_error, each.text.splitlines())):  # `limits` lists all errors
                found.setdefault((each.text, each.picture), []).append(each)
        return [(", ".join(each.title for each in equal), equal[0]) for equal in found.values()]

    @property
    def leaderboard(self) -> dict[str, float]:
        """Numbers to compare with those of other submissions, by their criterion and measure; less is better."""
        return {each.ranked_by: each.value for each in self.verdicts if each.value is not None}

    def __getitem__(self, name: str) -> Verdict:
        """Return the verdict of the first criterion of a name or title."""
        found = next((each for each in self.verdicts if name in (each.title, each.name)), None)
        if found is None:
            raise KeyError(name)
        return found

    def __str__(self) -> str:
        """Return the points, and for each criterion its points and what was found."""
        return markdown(self)

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        """Return what a notebook shows."""
        return str(self)


_ERROR = re.compile(r"\bline \d.*?(?=\bh\(|$)")
PROBLEMS = {True: "The submission could not be judged:", False: "Correct this first:"}
"""Words before `Marks.problem`, by whether the submission could not be judged at all."""


def same_error(text: str) -> str:
    """Return an error without its instance and its state: what criteria with other ones have in common."""
    found = _ERROR.search(text)
    return found[0] if found else text


def number(value: float) -> float | int:
    """Return an int for a whole number: platforms show it without a decimal point."""
    return int(value) if value == int(value) else round(value, 4)


def markdown(marks: Marks) -> str:
    """Return the marks as Markdown."""
    lines = [f"# {marks.exercise}: {marks.student}", ""]
    lines += [f"**{number(marks.points)} of {number(marks.max_points)} points**", ""]
    lines += ["| criterion | points | of |", "| --- | ---: | ---: |"]
    lines += [f"| {each.title} | {number(each.points)} | {number(each.max_points)} |" for each in marks.verdicts]
    if marks.problem:
        lines += ["", PROBLEMS[bool(marks.failure)], "", *_fenced(marks.problem)]
    for titles, each in marks.findings:
        lines += ["", f"## {titles}", "", *_fenced(each.text)]
    if marks.output:
        lines += ["", "## Output", "", *_fenced(marks.output)]
    return "\n".join(lines) + "\n"


def _fenced(text: str) -> list[str]:
    fence = "`" * max(3, 1 + max((len(line) for line in text.split() if set(line) == {"`"}), default=0))
    return [f"{fence}text", text.rstrip("\n"), fence]
