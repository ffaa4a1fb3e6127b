"""From words and YAML to checked cells, in six subjects.

`request` parses the words of a command and computes once what follows. `compose` calls Hydra's public Compose API once
for each choice, puts sections together where no choice touches that of another one, and sets values on copies;
`test_composer.py` and `test_parts.py` in tests/runner/config compare this with one composition by Hydra for each cell.
`grammar` parses overrides, explains errors of Hydra, and refuses its settings that have no effect here (launcher,
sweeper, callbacks, logging). `space` makes the combinations of a sweep. `cell` turns each configuration into a `Cell`,
checked, with its identity. `doors` has commands and their sections, modules of users, and the choices of each group.

Other rooms import the names below. docs/security.md lists which inputs are data and which are code.
"""

from runner.config.cell import sections as sections
from runner.config.cell.keys import NOT_OF_IDENTITY as NOT_OF_IDENTITY
from runner.config.cell.keys import OWN_KEYS as OWN_KEYS
from runner.config.cell.keys import SECTIONS as SECTIONS
from runner.config.cell.keys import Measure as Measure
from runner.config.cell.keys import Order as Order
from runner.config.cell.keys import Settings as Settings
from runner.config.cell.registries import REGISTRIES as REGISTRIES
from runner.config.cell.registries import entries as entries
from runner.config.cell.registries import register as register
from runner.config.cell.registries import registered_parts as registered_parts
from runner.config.cell.schema import Cell as Cell
from runner.config.cell.schema import Parser as Parser
from runner.config.cell.schema import SearchParts as SearchParts
from runner.config.cell.schema import settings_of as settings_of
from runner.config.cell.sections import algorithm_of as algorithm_of
from runner.config.cell.sections import search_key as search_key
from runner.config.cell.sections import source_of as source_of
from runner.config.compose import experiments as experiments
from runner.config.compose.composer import Composer as Composer
from runner.config.compose.composer import config_dirs_of as config_dirs_of
from runner.config.compose.composition import Composition as Composition
from runner.config.compose.experiments import EXPERIMENT as EXPERIMENT
from runner.config.compose.experiments import is_path as is_path
from runner.config.doors.commands import COMMANDS as COMMANDS
from runner.config.doors.commands import ArgumentParser as ArgumentParser
from runner.config.doors.commands import Command as Command
from runner.config.doors.commands import command as command
from runner.config.doors.commands import commands as commands
from runner.config.doors.options import Option as Option
from runner.config.doors.options import options_of as options_of
from runner.config.doors.options import summary_of as summary_of
from runner.config.doors.options import yaml_text as yaml_text
from runner.config.doors.plugins import load_plugins as load_plugins
from runner.config.grammar.parse_overrides import is_of_hydra as is_of_hydra
from runner.config.grammar.parse_overrides import parse as parse
from runner.config.grammar.parse_overrides import without_heuristic as without_heuristic
from runner.config.request.arguments import FLAGS as FLAGS
from runner.config.request.arguments import add_recorded_sweep as add_recorded_sweep
from runner.config.request.arguments import parse_run as parse_run
from runner.config.request.arguments import refuse_carriage_returns as refuse_carriage_returns
from runner.config.request.arguments import run_parser as run_parser
from runner.config.request.request import Request as Request
from runner.config.request.request import Single as Single
from runner.config.request.request import settings_in as settings_in
from runner.config.space import SWEEP_KEY as SWEEP_KEY
from runner.config.space import Choice as Choice
from runner.config.space import blamed as blamed
from runner.config.space import placed as placed
from runner.config.space import swept_keys as swept_keys
from runner.config.space import values_of as values_of
