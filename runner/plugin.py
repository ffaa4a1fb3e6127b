"""Second ring of the public API: what plug-ins are written against, as our own features are.

`runner` is the first ring: what a notebook uses. This one has the names of `runner.core`, and those by which features
let others in. A plug-in needs `runner` and `runner.plugin` alone. docs/plugins.md shows all doors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runner.base.registry import lazy_names
from runner.core import *

if TYPE_CHECKING:
    from runner.features.audits.checks import NotApplicable as NotApplicable
    from runner.features.audits.checks import Violation as Violation
    from runner.features.audits.checks import check as check
    from runner.features.grading.criterion import Criterion as Criterion
    from runner.features.grading.criterion import Outcome as Outcome
    from runner.features.grading.criterion import criterion as criterion
    from runner.features.grading.exam import Exam as Exam
    from runner.features.grading.formats import platform as platform
    from runner.features.grading.marks import Marks as Marks
    from runner.features.reports import Chart as Chart
    from runner.features.reports import ReportContent as ReportContent
    from runner.features.reports import Runs as Runs
    from runner.features.reports import Table as Table
    from runner.features.reports import chart as chart
    from runner.features.reports import report_format as report_format
    from runner.features.reports import table as table

_OF_FEATURES = {
    "audits.checks": ("NotApplicable", "Violation", "check"),
    "grading.criteria": ("Criterion", "Outcome", "criterion"),
    "grading.exam": ("Exam",),
    "grading.formats": ("platform",),
    "grading.marks": ("Marks",),
    "reports": ("Chart", "ReportContent", "Runs", "Table", "chart", "report_format", "table"),
}
"""Names that features add, by modules that register our own entries first, and are imported when they are used."""

__getattr__ = lazy_names(__name__, _OF_FEATURES, "runner.features")
