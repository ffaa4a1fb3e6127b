"""Files of a class: the table of marks, a page for each student, and an overview for the lecturer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import mean, median
from typing import Any

from runner.base import render_page
from runner.features.grading.formats import Files, csv_table, page
from runner.features.grading.marks import Marks, number
from worlds.drawing import drawn

_OVERVIEW = Path(__file__).parent / "overview.html"
_INCHES = 2.6, 1.6


def files(all_marks: Sequence[Marks]) -> Files:
    """Return the files of a class, with the names of the pages in `index.html`."""
    pages = {f"{marks.student}.html": page(marks) for marks in all_marks}
    return {"marks.csv": csv_table(list(all_marks)), **pages, "index.html": overview(all_marks)}


def overview(all_marks: Sequence[Marks]) -> str:
    """Return the page of the lecturer: marks, leaderboards, histograms, and submissions that behave identically."""
    histograms = [
        (verdict.title, drawn(partial(_histogram, [marks.verdicts[n].points for marks in all_marks]), _INCHES, True))
        for n, verdict in enumerate(all_marks[0].verdicts)
    ]
    return render_page(
        _OVERVIEW, all_marks=all_marks, number=number, leaderboards=leaderboards(all_marks),
        groups=identical(all_marks), histograms=histograms, statistics=statistics(all_marks), cells=cells,
        crashes=sum(marks.is_crash for marks in all_marks), missing=sum(marks.is_missing for marks in all_marks),
    )  # fmt: skip


def cells(marks: Marks) -> list[tuple[str, str]]:
    """Return what a row shows for each criterion, and its class in CSS. A criterion without an answer shows no zero."""
    found, is_told = list[tuple[str, str]](), False
    for each in marks.verdicts:
        if marks.failure or each.is_error:
            found.append(("" if is_told else "no file" if marks.is_missing else "error", "none"))
            is_told = True
        else:
            found.append((str(number(each.points)), "full" if each.passed else "none" if not each.points else ""))
    return found


def statistics(all_marks: Sequence[Marks]) -> list[tuple[str, list[float]]]:
    """Return the mean and the median of the points, of all criteria together and of each one."""
    columns = list(
        zip(*([marks.points, *(each.points for each in marks.verdicts)] for marks in all_marks), strict=True)
    )
    return [("mean", [round(mean(each), 2) for each in columns]), ("median", [float(median(each)) for each in columns])]


def leaderboards(all_marks: Sequence[Marks]) -> dict[str, list[tuple[int, float, str]]]:
    """Return, for each criterion with numbers, ranks, numbers and students, the best first. Equals share a rank."""
    found: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for marks in all_marks:
        for title, value in marks.leaderboard.items():
            found[title].append((value, marks.student))
    return {title: _ranked(sorted(entries)) for title, entries in found.items()}


def _ranked(entries: Sequence[tuple[float, str]]) -> list[tuple[int, float, str]]:
    values = [value for value, _ in entries]
    return [(1 + values.index(value), value, student) for value, student in entries]


def identical(all_marks: Sequence[Marks]) -> list[list[str]]:
    """Return the groups of students whose submissions gave the same answers to every question.

    This is a hint, not a proof: two may have had the same idea, and right answers are often the same.
    """
    found: dict[str, list[str]] = defaultdict(list)
    for marks in all_marks:
        if marks.behaviour:
            found[marks.behaviour].append(marks.student)
    return [students for students in found.values() if len(students) > 1]


def _histogram(points: Sequence[float], axes: Any) -> None:
    values = sorted(set(points))
    axes.bar([f"{number(value)}" for value in values], [points.count(value) for value in values], width=0.6)
    axes.set_xlabel("points")
    axes.set_ylabel("submissions")
    axes.yaxis.get_major_locator().set_params(integer=True)
