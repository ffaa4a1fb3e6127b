"""Second ring of the public API: what plug-ins are written against.

`runner` is the first ring: what a notebook uses. This one has the names of the core that plug-ins need, each from the
room that offers it, and those by which features let others in. Plug-ins need no others, as `worlds.mapf` and its
like, but for helpers of domains, and the engine of compiled algorithms. docs/plugins.md shows all doors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runner.base import lazy_names, own_packages

own_packages.load()  # before another import of these packages

from algorithms.agents.interface import Agent as Agent
from algorithms.engine import Counts as Counts
from algorithms.engine import Expansion as Expansion
from algorithms.engine import GrowingArrays as GrowingArrays
from algorithms.engine import NodeSpace as NodeSpace
from algorithms.engine import ResumableSearch as ResumableSearch
from algorithms.engine import Search as Search
from algorithms.engine import StepStatus as StepStatus
from algorithms.engine import add_word as add_word
from algorithms.engine import control as control
from algorithms.engine import control_open_list as control_open_list
from algorithms.engine import finish as finish
from algorithms.engine import next_random as next_random
from algorithms.engine import proven_ratio as proven_ratio
from algorithms.engine import random_below as random_below
from algorithms.engine import status_of as status_of
from algorithms.interface import Algorithm as Algorithm
from algorithms.interface import ExpansionOrder as ExpansionOrder
from algorithms.interface import Formula as Formula
from algorithms.interface import Optimal as Optimal
from algorithms.interface import SearchAlgorithm as SearchAlgorithm
from heuristics.interface import TERM as TERM
from heuristics.interface import BoundStack as BoundStack
from heuristics.interface import Combination as Combination
from heuristics.interface import Heuristic as Heuristic
from heuristics.interface import Term as Term
from heuristics.interface import Weighting as Weighting
from runner.base import Incompatible as Incompatible
from runner.base import Metric as Metric
from runner.base import find_files as find_files
from runner.base import one_line as one_line
from runner.base import plural as plural
from runner.cli import run_single as run_single
from runner.config import COMMANDS as COMMANDS
from runner.config import ArgumentParser as ArgumentParser
from runner.config import Request as Request
from runner.config import command as command
from runner.config import parse_run as parse_run
from runner.config import run_parser as run_parser
from runner.config import source_of as source_of
from runner.execution import Supervision as Supervision
from runner.records import cell_of as cell_of
from worlds.compile import as_index as as_index
from worlds.compile import count_ones as count_ones
from worlds.compile import error_code as error_code
from worlds.compile import int32_at as int32_at
from worlds.drawing import literal as literal
from worlds.interface import CostVectors as CostVectors
from worlds.interface import Count as Count
from worlds.interface import Document as Document
from worlds.interface import Frame as Frame
from worlds.interface import InPlaceProblem as InPlaceProblem
from worlds.interface import InputFile as InputFile
from worlds.interface import Instance as Instance
from worlds.interface import Move as Move
from worlds.interface import Numbering as Numbering
from worlds.interface import PerfectIndex as PerfectIndex
from worlds.interface import Problem as Problem
from worlds.interface import Replay as Replay
from worlds.interface import Seed as Seed
from worlds.interface import StateVariable as StateVariable
from worlds.interface import Step as Step
from worlds.interface import Words as Words
from worlds.interface import chosen_numbers as chosen_numbers
from worlds.interface import generator_of as generator_of
from worlds.interface import plan_texts as plan_texts
from worlds.interface import sides_of as sides_of
from worlds.interface import sizes_up_to as sizes_up_to
from worlds.interface import suite_paths as suite_paths

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
