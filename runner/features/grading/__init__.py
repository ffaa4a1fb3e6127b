"""Marks of submissions of students: a heuristic, an algorithm, a world or a program, judged by criteria.

The submission runs in a process of its own (`worker`), which only answers questions: the value of a state, the next
state to expand. It gets no reference; only numbers, JSON and text come back from it (`channel`). This process
(`submission`) never imports it, and computes all marks itself from the answers, which an `Exam` keeps. Of a submitted
world these are numbered states (`numbered_world`), which the grader explores and checks itself (`submitted_world`). A
program in any language is built and started as those of sweeps, and its plans are replayed (`submitted_program`).

A criterion is a registered dataclass with `judge`, and a line in docs/teaching_reference.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runner.base import lazy_names

if TYPE_CHECKING:
    from runner.features.grading.criterion import CRITERIA as CRITERIA
    from runner.features.grading.formats import PLATFORMS as PLATFORMS

_MODULES = {"exercise": ("CRITERIA",), "formats": ("PLATFORMS",)}
"""Names for other features, by modules that register our own entries, and are slow to import."""

__getattr__ = lazy_names(__name__, _MODULES)
