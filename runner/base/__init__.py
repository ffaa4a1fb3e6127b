"""Ground floor: what every package may import, and what imports nothing of ours.

- `errors`, `standard_output`: a mistake of the user is a `UserError`, one line that says what is wrong, where, what
  is allowed, and the nearest spelling. All code that reads input of users may raise one; `runner.cli.main` prints it.
  Only the public API documents it in a section "Raises".
- `registry`: the doors. A `Registry` has entries of any kind by name, a `PartRegistry` dataclasses whose fields are
  parameters in YAML. `own_entries` lists what of ours is imported when it is used; others add to it by entry points.
- `parameters`: checks parameters by their type hints before an entry is made. The messages are those of msgspec, with
  the key in front.
- `result`, `columns`, `metric`, `status`, `formula`: what a column of results is. Its declaration is all that tables,
  colours, charts and the summary in the terminal need.
- `overrides`: words of commands in Hydra's grammar, as texts.
- `files`, `bounded_yaml`: files of users are read within bounds and written atomically.
- `signals`: ends of processes, and signals while foreign code runs. `own_packages` imports the packages beside
  `runner`.

Other rooms import the names below.
"""

from runner.base import bounded_yaml as bounded_yaml
from runner.base import own_entries as own_entries
from runner.base import own_packages as own_packages
from runner.base.bounded_yaml import BoundedLoader as BoundedLoader
from runner.base.bounded_yaml import reason_of as reason_of
from runner.base.columns import MAX_NAME as MAX_NAME
from runner.base.columns import Declared as Declared
from runner.base.errors import ALIASES as ALIASES
from runner.base.errors import FAILED as FAILED
from runner.base.errors import INTERRUPTED_LINE as INTERRUPTED_LINE
from runner.base.errors import REFUSED as REFUSED
from runner.base.errors import SUCCESS as SUCCESS
from runner.base.errors import ForeignDomain as ForeignDomain
from runner.base.errors import Incompatible as Incompatible
from runner.base.errors import NameTaken as NameTaken
from runner.base.errors import PluginError as PluginError
from runner.base.errors import Unsupported as Unsupported
from runner.base.errors import UserError as UserError
from runner.base.errors import did_you_mean as did_you_mean
from runner.base.errors import error_text as error_text
from runner.base.errors import message as message
from runner.base.errors import nearest as nearest
from runner.base.errors import one_line as one_line
from runner.base.errors import optional_module as optional_module
from runner.base.errors import own_traceback as own_traceback
from runner.base.errors import plural as plural
from runner.base.errors import range_hint as range_hint
from runner.base.errors import reason as reason
from runner.base.errors import shown as shown
from runner.base.errors import suggest as suggest
from runner.base.files import MAX_BYTES as MAX_BYTES
from runner.base.files import MAX_ID as MAX_ID
from runner.base.files import MAX_LINE as MAX_LINE
from runner.base.files import OUTPUTS as OUTPUTS
from runner.base.files import Fail as Fail
from runner.base.files import atomic_write as atomic_write
from runner.base.files import cache_root as cache_root
from runner.base.files import checked_id as checked_id
from runner.base.files import content_lines as content_lines
from runner.base.files import directory_kept as directory_kept
from runner.base.files import file_error as file_error
from runner.base.files import files_below as files_below
from runner.base.files import find_files as find_files
from runner.base.files import is_hidden as is_hidden
from runner.base.files import is_id as is_id
from runner.base.files import line_error as line_error
from runner.base.files import matching_files as matching_files
from runner.base.files import named_lines as named_lines
from runner.base.files import natural_order as natural_order
from runner.base.files import observed_files as observed_files
from runner.base.files import open_regular as open_regular
from runner.base.files import read_bytes as read_bytes
from runner.base.files import read_lines as read_lines
from runner.base.files import read_text as read_text
from runner.base.files import remove_abandoned as remove_abandoned
from runner.base.files import text_if_any as text_if_any
from runner.base.files import walked as walked
from runner.base.formula import ARITHMETIC as ARITHMETIC
from runner.base.formula import MAX_LENGTH as MAX_LENGTH
from runner.base.formula import MAX_NODES as MAX_NODES
from runner.base.formula import formula as formula
from runner.base.function_entry import Signature as Signature
from runner.base.function_entry import bound_of as bound_of
from runner.base.function_entry import check_bound as check_bound
from runner.base.function_entry import check_name as check_name
from runner.base.function_entry import merged as merged
from runner.base.function_entry import register_function as register_function
from runner.base.function_entry import signature_of as signature_of
from runner.base.html import html_table as html_table
from runner.base.html import render_page as render_page
from runner.base.metric import Aggregate as Aggregate
from runner.base.metric import Better as Better
from runner.base.metric import Column as Column
from runner.base.metric import Metric as Metric
from runner.base.metric import number_of as number_of
from runner.base.overrides import PARTS as PARTS
from runner.base.overrides import override_text as override_text
from runner.base.overrides import refuse_words as refuse_words
from runner.base.overrides import scalar_text as scalar_text
from runner.base.overrides import section_of_word as section_of_word
from runner.base.overrides import with_quoted_calls as with_quoted_calls
from runner.base.overrides import with_quoted_scalars as with_quoted_scalars
from runner.base.own_places import DATA as DATA
from runner.base.own_places import EXAMPLES as EXAMPLES
from runner.base.own_places import PACKAGES as PACKAGES
from runner.base.own_places import ROOT as ROOT
from runner.base.own_places import SHARED_FOLDERS as SHARED_FOLDERS
from runner.base.own_places import is_own_module as is_own_module
from runner.base.parameters import assignments as assignments
from runner.base.parameters import changed_parameters as changed_parameters
from runner.base.parameters import check_declared as check_declared
from runner.base.parameters import checked as checked
from runner.base.parameters import convert as convert
from runner.base.parameters import defaults_in_yaml as defaults_in_yaml
from runner.base.parameters import fields_of as fields_of
from runner.base.parameters import hints_of as hints_of
from runner.base.parameters import parameters_of as parameters_of
from runner.base.parameters import yaml_name as yaml_name
from runner.base.registry import KINDS as KINDS
from runner.base.registry import Kind as Kind
from runner.base.registry import PartRegistry as PartRegistry
from runner.base.registry import Registered as Registered
from runner.base.registry import Registry as Registry
from runner.base.registry import check_callable as check_callable
from runner.base.registry import check_class as check_class
from runner.base.registry import import_own as import_own
from runner.base.registry import installed as installed
from runner.base.registry import is_own as is_own
from runner.base.registry import lazy_names as lazy_names
from runner.base.registry import of_several as of_several
from runner.base.result import COLUMNS as COLUMNS
from runner.base.result import DERIVED as DERIVED
from runner.base.result import NAMES as NAMES
from runner.base.result import PlanOfSet as PlanOfSet
from runner.base.result import Result as Result
from runner.base.signals import STOP_SIGNALS as STOP_SIGNALS
from runner.base.signals import Harmless as Harmless
from runner.base.signals import blocked as blocked
from runner.base.signals import end_at_signals as end_at_signals
from runner.base.signals import end_process as end_process
from runner.base.signals import end_with as end_with
from runner.base.signals import exit_reason as exit_reason
from runner.base.signals import interrupts_deferred as interrupts_deferred
from runner.base.signals import limited as limited
from runner.base.signals import reset_signals as reset_signals
from runner.base.signals import unblock as unblock
from runner.base.standard_output import console as console
from runner.base.standard_output import show as show
from runner.base.status import AFTER_PLAN as AFTER_PLAN
from runner.base.status import CPU_LIMIT as CPU_LIMIT
from runner.base.status import CRASHED as CRASHED
from runner.base.status import CUTOFF as CUTOFF
from runner.base.status import ENDED_BY as ENDED_BY
from runner.base.status import ERROR as ERROR
from runner.base.status import INTERRUPTED as INTERRUPTED
from runner.base.status import LIMITS as LIMITS
from runner.base.status import MEMORY_LIMIT as MEMORY_LIMIT
from runner.base.status import NODE_LIMIT as NODE_LIMIT
from runner.base.status import SOLUTION_LIMIT as SOLUTION_LIMIT
from runner.base.status import SOLVED as SOLVED
from runner.base.status import STATUSES as STATUSES
from runner.base.status import TIME_LIMIT as TIME_LIMIT
from runner.base.status import UNSOLVABLE as UNSOLVABLE
from runner.base.status import UNSUPPORTED as UNSUPPORTED
from runner.base.status import Retry as Retry
from runner.base.status import Status as Status
