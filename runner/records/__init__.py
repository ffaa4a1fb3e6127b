"""Rows on disk: write, index, read and collect them.

A `Result` becomes a line of metrics.csv (`row`), which the `Log` of its cell keeps (`log`). `rule` decides which rows
count: of each `run_id`, the newest finished row of the current code (`code` has the fingerprint). `view` has all logs
of a sweep: results.csv, `status` and the next plan are made of it. `folder` locks the folder of a sweep and records its
cells. `run_folder`, `csv_table` and `bounded_files` read rows and what is beside them as data, within bounds; `given`
finds the results that users name.

`Instance.source` is the name of the source. It, `Instance.key` (the name and `World.identity`) and the effective search
(`runner.config.cell.sections.search_key`) determine the `run_id`. `Algorithm.effective` maps different spellings of a
search to one; weights belong to weightings.
"""

from runner.records.bounded_files import CORRUPT as CORRUPT
from runner.records.bounded_files import RecordBound as RecordBound
from runner.records.bounded_files import load_yaml as load_yaml
from runner.records.bounded_files import read_json as read_json
from runner.records.bounded_files import read_yaml as read_yaml
from runner.records.claims import COST_TOLERANCE as COST_TOLERANCE
from runner.records.claims import audit_command as audit_command
from runner.records.claims import finding as finding
from runner.records.claims import kind_of as kind_of
from runner.records.claims import refutation as refutation
from runner.records.claims import refuting_plans as refuting_plans
from runner.records.code import code_and_note as code_and_note
from runner.records.code import code_of as code_of
from runner.records.code import plugin_sources as plugin_sources
from runner.records.code import program_files as program_files
from runner.records.csv_table import CsvTable as CsvTable
from runner.records.csv_table import csv_line as csv_line
from runner.records.csv_table import csv_values as csv_values
from runner.records.csv_table import parsed as parsed
from runner.records.csv_table import read_rows as read_rows
from runner.records.folder import Job as Job
from runner.records.folder import SweepFolder as SweepFolder
from runner.records.folder import refuse_occupied as refuse_occupied
from runner.records.given import LATEST as LATEST
from runner.records.given import GivenResults as GivenResults
from runner.records.given import given_folder as given_folder
from runner.records.log import NUMBER as NUMBER
from runner.records.log import PART as PART
from runner.records.log import Log as Log
from runner.records.log import LogWriter as LogWriter
from runner.records.provenance import machine as machine
from runner.records.provenance import record_interference as record_interference
from runner.records.provenance import record_provenance as record_provenance
from runner.records.provenance import recorded_request as recorded_request
from runner.records.row import Improvement as Improvement
from runner.records.row import Row as Row
from runner.records.row import RowFormat as RowFormat
from runner.records.row import decode_plan as decode_plan
from runner.records.row import improvement_line as improvement_line
from runner.records.row import json_bytes as json_bytes
from runner.records.row import key_of as key_of
from runner.records.row import plan_lines as plan_lines
from runner.records.row import write_declared as write_declared
from runner.records.rule import ALL_ROWS as ALL_ROWS
from runner.records.rule import RowRule as RowRule
from runner.records.run_folder import RecordFile as RecordFile
from runner.records.run_folder import RunFolder as RunFolder
from runner.records.table import ResultTable as ResultTable
from runner.records.table import read as read
from runner.records.table import record_files as record_files
from runner.records.totals import Totals as Totals
from runner.records.totals import cause_of as cause_of
from runner.records.totals import has_macro_actions as has_macro_actions
from runner.records.totals import summed as summed
from runner.records.view import RunProgress as RunProgress
from runner.records.view import SweepLogs as SweepLogs
from runner.records.view import cell_of as cell_of
from runner.records.view import collect as collect
from runner.records.view import progress_of as progress_of
from runner.records.view import searched_instances as searched_instances
