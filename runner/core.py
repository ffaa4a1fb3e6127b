"""Names of the core for features, and by `runner.plugin` for plug-ins.

A feature imports of the core only these names. `runner.plugin` adds those of features. Domains and compiled algorithms
need no others either: `worlds.mapf`, `heuristics.mapf` and `algorithms.mapf` use these and `runner` alone.
"""

from __future__ import annotations

from runner.config import packages

packages.load()  # before another import of these packages

from algorithms.agents.interface import Agent as Agent
from algorithms.engine import control as control
from algorithms.engine.hashing import add_word as add_word
from algorithms.engine.hashing import finish as finish
from algorithms.engine.limits import Limits as Limits
from algorithms.engine.memory import GrowingArrays as GrowingArrays
from algorithms.engine.node_space import NodeSpace as NodeSpace
from algorithms.engine.random_numbers import next_random as next_random
from algorithms.engine.random_numbers import random_below as random_below
from algorithms.engine.search import Counts as Counts
from algorithms.engine.search import Expansion as Expansion
from algorithms.engine.search import ResumableSearch as ResumableSearch
from algorithms.engine.search import Search as Search
from algorithms.engine.search import StepStatus as StepStatus
from algorithms.engine.search import proven_ratio as proven_ratio
from algorithms.engine.search import status_of as status_of
from algorithms.expansion_order import ExpansionOrder as ExpansionOrder
from algorithms.expansion_order import Formula as Formula
from algorithms.interface import Algorithm as Algorithm
from algorithms.interface import Optimal as Optimal
from algorithms.interface import SearchAlgorithm as SearchAlgorithm
from heuristics.combination import Combination as Combination
from heuristics.interface import TERM as TERM
from heuristics.interface import Heuristic as Heuristic
from heuristics.interface import Term as Term
from heuristics.stack import BoundStack as BoundStack
from heuristics.weighting import Weighting as Weighting
from runner.base.errors import Incompatible as Incompatible
from runner.base.errors import PluginError as PluginError
from runner.base.errors import one_line as one_line
from runner.base.files import find_files as find_files
from runner.base.messages import plural as plural
from runner.base.metric import Metric as Metric
from runner.base.registry import Registry as Registry
from runner.cli.display import TerminalDisplay as TerminalDisplay
from runner.cli.information import run_single as run_single
from runner.cli.main import run_command as run_command
from runner.cli.progress import TerminalProgress as TerminalProgress
from runner.cli.run import run_prepared as run_prepared
from runner.config.arguments import add_recorded_sweep as add_recorded_sweep
from runner.config.arguments import parse_run as parse_run
from runner.config.arguments import run_parser as run_parser
from runner.config.commands import COMMANDS as COMMANDS
from runner.config.commands import ArgumentParser as ArgumentParser
from runner.config.commands import command as command
from runner.config.keys import OWN_KEYS as OWN_KEYS
from runner.config.keys import SECTIONS as SECTIONS
from runner.config.plugins import load_plugins as load_plugins
from runner.config.registries import registered_parts as registered_parts
from runner.config.request import Request as Request
from runner.config.schema import Cell as Cell
from runner.config.schema import SearchParts as SearchParts
from runner.config.sections import source_of as source_of
from runner.execution.candidates import cells_of as cells_of
from runner.execution.plan import SweepPlan as SweepPlan
from runner.execution.schedulers import SCHEDULERS as SCHEDULERS
from runner.execution.schedulers import SubmittedTask as SubmittedTask
from runner.execution.slices import PlanPiece as PlanPiece
from runner.execution.slices import search_pieces as search_pieces
from runner.execution.solver import Solver as Solver
from runner.execution.stop import Stop as Stop
from runner.execution.stop import Stopped as Stopped
from runner.execution.supervised import Supervision as Supervision
from runner.execution.supervised import WorkerLost as WorkerLost
from runner.execution.supervised import map_in_workers as map_in_workers
from runner.execution.supervised import supervised as supervised
from runner.execution.sweep import PreparedSweep as PreparedSweep
from runner.records.claims import COST_TOLERANCE as COST_TOLERANCE
from runner.records.claims import audit_command as audit_command
from runner.records.claims import finding as finding
from runner.records.claims import is_beaten as is_beaten
from runner.records.claims import kind_of as kind_of
from runner.records.claims import refutation as refutation
from runner.records.code import code_of as code_of
from runner.records.code import plugin_sources as plugin_sources
from runner.records.code import program_files as program_files
from runner.records.folder import SweepFolder as SweepFolder
from runner.records.given import RESULTS_FORMATS as RESULTS_FORMATS
from runner.records.given import GivenResults as GivenResults
from runner.records.given import ResultsFormat as ResultsFormat
from runner.records.given import given_folder as given_folder
from runner.records.plans import RecordedPlan as RecordedPlan
from runner.records.provenance import record_provenance as record_provenance
from runner.records.provenance import recorded_request as recorded_request
from runner.records.reader import RecordFile as RecordFile
from runner.records.reader import RunFolder as RunFolder
from runner.records.result import Improvement as Improvement
from runner.records.result import Result as Result
from runner.records.rule import ALL_ROWS as ALL_ROWS
from runner.records.rule import RowKind as RowKind
from runner.records.table import ResultTable as ResultTable
from runner.records.table import read as read
from runner.records.table import record_files as record_files
from runner.records.view import SweepLogs as SweepLogs
from runner.records.view import cell_of as cell_of
from runner.records.view import searched_instances as searched_instances
from worlds import plan_texts as plan_texts
from worlds.compile.errors import error_code as error_code
from worlds.compile.operations import int32_at as int32_at
from worlds.interface import Instance as Instance
from worlds.interface import Problem as Problem
from worlds.replay import Replay as Replay
from worlds.source_parameters import Count as Count
from worlds.source_parameters import Seed as Seed
from worlds.source_parameters import chosen_numbers as chosen_numbers
from worlds.source_parameters import sides_of as sides_of
from worlds.source_parameters import sizes_up_to as sizes_up_to
from worlds.source_parameters import suite_paths as suite_paths
from worlds.sources import Source as Source
from worlds.sources import generator_of as generator_of
from worlds.world import Document as Document
from worlds.world import Frame as Frame
from worlds.world import InputFile as InputFile
from worlds.world import Step as Step
from worlds.world import Words as Words
from worlds.world import World as World
