"""Contents of a report, independent of the format in which it is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd

from runner.base import Metric, UserError, plural, suggest
from runner.features.audits import RecordedCounterexample
from runner.features.reports import summaries
from runner.features.reports.answers import Answer, answers
from runner.features.reports.audits import audits
from runner.features.reports.charts import Chart, check_parameter
from runner.features.reports.checklist import Question, questions
from runner.features.reports.columns import by_cause
from runner.features.reports.comparisons import Condition, fulfilled
from runner.features.reports.doors import CHARTS_OF_PAGE, TABLES_OF_PAGE
from runner.features.reports.fronts import incomplete, recorded_fronts
from runner.features.reports.interference import recorded_interference
from runner.features.reports.naming import folder_names
from runner.features.reports.noise import noise_notes
from runner.features.reports.origin import Origin, cells_of, origin_of
from runner.features.reports.parameters import recorded_parameters
from runner.features.reports.parts import as_table, charts_of, tables_of
from runner.features.reports.pictures import Picture, pictures
from runner.features.reports.rankings import best_pair
from runner.features.reports.refuted import findings
from runner.features.reports.runs import OF_PLANS, Expressions, NothingToReport, Runs, load
from runner.features.reports.section import recorded_section
from runner.features.reports.selection import Grouping, Selection
from runner.features.reports.summaries import SEED_IN_NAME
from runner.features.reports.tables import Table, listed
from runner.records import has_macro_actions

_MAX_COMPARED = 24
_MAX_WORLDS = 12
"""Maximum number of worlds that have charts of their own."""
_MAX_ERRORS = 5

Shown = TypeVar("Shown", Table, Chart)
TableFunction = Callable[[pd.DataFrame], pd.DataFrame]
"""Table of a user: a function of the rows. Its name is that of the table, the first line of its docstring the title."""


@dataclass(frozen=True)
class ReportContent:
    """Contents of a report.

    Attributes
    ----------
    title : str
        Label of the rows, or what they compare.
    lead : str
        What the rows compare if they have a label, otherwise their experiment or folders; how many there are.
    findings : list of str
        What is wrong with the claims of configurations.
    notes : list of str
        Problems with the input and failures of the runs.
    definitions : dict of str
        Definition of each metric that is shown, by its title.
    tables : list of Table
    charts : list of Chart
        The first one belongs to the answers.
    pictures : list of Picture
        Instances with a plan.
    counterexamples : list of RecordedCounterexample
        Counterexamples that audits found.
    answers : list of Answer
        Which configurations are the best.
    failures : list of str
        Changes that fulfil a condition of ``--fail-if``.
    checklist : list of Question
        Questions on the experiments, as far as the records answer them.
    """

    title: str
    lead: str = ""
    findings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    definitions: dict[str, str] = field(default_factory=dict)
    tables: list[Table] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    counterexamples: list[RecordedCounterexample] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    checklist: list[Question] = field(default_factory=list)


@dataclass(frozen=True)
class Choices:
    """Choice of the rows, tables and charts of a report.

    Attributes
    ----------
    metrics : sequence of str
        Columns to show; by default the main metrics.
    pair : sequence of str
        Two configurations to compare; by default each other configuration is compared with the first.
    grouping : Grouping or None
        Columns by which metrics are summed up.
    parameter : str
        Column for charts against a parameter; empty for none.
    tables : sequence of str or callable
        Names of tables, and functions of the rows that return one, in their order; ``"all"`` for all names. By default
        those of the page.
    charts : sequence of str
        Names of charts, in their order; ``"all"`` for all. By default those of the page.
    where, filters, derive, rename : sequence of str
        Conditions, derived columns and new names, as for `runner.features.reports.runs.load`.
    conditions : sequence of Condition
        Conditions on changes.
    has_pictures : bool
        Whether to draw instances with their plans, which only pages show.
    """

    metrics: Sequence[str] = ()
    pair: Sequence[str] = ()
    grouping: Grouping | None = None
    parameter: str = ""
    tables: Sequence[str | TableFunction] = ()
    charts: Sequence[str] = ()
    where: Sequence[str] = ()
    filters: Sequence[str] = ()
    derive: Sequence[str] = ()
    rename: Sequence[str] = ()
    conditions: Sequence[Condition] = ()
    has_pictures: bool = True


def compose(folders: Sequence[Path], choices: Choices | None = None) -> ReportContent:
    """Return the report of the rows and audits below some folders.

    What `choices` leave open comes from the recorded section `reports`, if there is one.
    """
    choices, notes, unfinished = choices or Choices(), list[str](), list[str]()
    found = audits(folders, notes)
    file, recorded = recorded_section(folders, notes)
    asked = [each if isinstance(each, str) else each.__name__ for each in choices.tables]
    names = asked or recorded.get("tables") or TABLES_OF_PAGE
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # the numbers in a table may be of any size
            filters, derive = (
                Expressions(given) if given else Expressions(recorded.get(key, ()), file)
                for key, given in (("filter", choices.filters), ("derive", choices.derive))
            )
            runs = load(folders, choices.where, choices.rename, derive, filters)
            if runs.unfinished:
                unfinished = [f"unfinished: {runs.unfinished}; python -m runner resume makes them"]
            report = replace(of_runs(runs, folders, choices, names), failures=fulfilled(runs, choices.conditions))
    except NothingToReport as error:
        if not found:
            raise NothingToReport("; ".join([str(error), *notes])) from None
        report = ReportContent(_names(folders))
    return replace(
        report,
        notes=[*unfinished, *notes, *report.notes],
        tables=_chosen([*report.tables, *(each.table for each in found)], names, "--tables" if asked else ""),
        charts=_chosen(report.charts, choices.charts or CHARTS_OF_PAGE, "--charts" if choices.charts else ""),
        counterexamples=[example for each in found for example in each.counterexamples],
    )


def _numbered(made: Sequence[Shown]) -> list[Shown]:
    """Return tables or charts with a number after each name that is taken, because files have the names."""
    numbered: dict[str, Shown] = {}
    for each in made:
        names = (f"{each.name}_{number}" for number in count(2))
        name = each.name if each.name not in numbered else next(name for name in names if name not in numbered)
        numbered[name] = replace(each, name=name)
    return list(numbered.values())


def _chosen(made: Sequence[Shown], names: Sequence[str], option: str) -> list[Shown]:
    """Return the tables or charts with some names, in the order of the names.

    Parameters
    ----------
    option : str
        Option with which the user has typed the names, which must exist; empty if they were not typed.
    """
    numbered = _numbered(made)
    if "all" in names:
        return numbered
    found: dict[str, Shown] = {}
    for name in names:
        matching = [each for each in numbered if name in each.names]
        if option and not matching:
            present = dict.fromkeys(name for each in numbered for name in (each.family, each.name))
            raise UserError(f"{option}: this report has no {option[2:-1]} '{name}'{suggest(name, present)}")
        found |= {each.name: each for each in matching}
    return list(found.values())


def of_runs(
    runs: Runs, folders: Sequence[Path], choices: Choices | None = None, names: Sequence[str] = TABLES_OF_PAGE
) -> ReportContent:
    """Return the report of rows, with the tables and charts that may have the chosen names."""
    choices = choices or Choices()
    cells = cells_of(folders)
    origin = origin_of(cells)
    runs = replace(runs, selection=_selection(runs, folders, choices, origin))
    selection = replace(runs.selection, fronts=recorded_fronts(runs, folders))
    runs = replace(runs, selection=selection)
    by_world = runs.by("world")
    charts = choices.charts or CHARTS_OF_PAGE
    if 1 < len(by_world) <= _MAX_WORLDS:
        shown_charts = [chart.of(world) for world, rows in by_world.items() for chart in charts_of(rows, charts)]
    else:
        shown_charts = list(charts_of(runs, charts))
    pictured = pictures(runs, folders) if choices.has_pictures else []
    interference = recorded_interference(runs, folders)
    made = list(tables_of(runs, names))
    made += [_of_user(runs, each) for each in choices.tables if not isinstance(each, str)]
    definitions = summaries.definitions(selection.metrics)
    label, sentence = runs.constants.get("label"), _sentence(runs)
    return ReportContent(
        title=label or sentence,
        lead=_lead(runs, sentence if label else origin.experiment or _names(folders)),
        findings=[*findings(runs.table, lambda: [each.read() for each in cells]), *incomplete(runs)],
        notes=[
            *dict.fromkeys(runs.notes),
            *_faults(runs),
            *noise_notes(runs, choices.conditions, interference),
        ],  # those on plans come once for each world
        definitions=definitions,
        tables=[table for table in made if table.columns],
        charts=shown_charts,
        pictures=pictured,
        answers=answers(runs, selection.important),
        checklist=questions(
            runs, selection.parameters, definitions, [*made, *shown_charts], cells, interference, origin
        ),
    )


def _selection(runs: Runs, folders: Sequence[Path], choices: Choices, origin: Origin) -> Selection:
    """Return what a report shows of some rows, from the choices of the user."""
    shown = _metrics(runs, choices.metrics)
    of_plans = [metric for metric in shown if metric.name in OF_PLANS and runs.is_limited.any()]
    main = next(iter(of_plans), None) or _main(runs, shown)
    compared = _pairs(runs, choices.pair, main)
    seconds = runs.declared.all_metrics["search_seconds"]
    important = [metric for metric in dict.fromkeys((*of_plans, main, seconds)) if metric in shown]
    if choices.grouping is not None:
        choices.grouping.check(runs.table)
    if choices.parameter:
        runs.notes.extend(check_parameter(runs, choices.parameter))
    parameters = recorded_parameters(runs, folders, runs.notes)
    return Selection(folders, shown, important, compared, choices.grouping, choices.parameter, parameters, origin)


def _of_user(runs: Runs, function: TableFunction) -> Table:
    name = function.__name__
    return as_table(runs, name, function, function(runs.table.copy()), f"tables: {name}")


def _sentence(runs: Runs) -> str:
    """Return what was compared: "3 heuristics, astar, npuzzle uniform-3x3, 30 instances"."""
    different, same = list[str](), list[str]()
    for column in ("algorithm", "heuristic", "world"):
        names = _in_column(runs, column)
        if len(names) > 1:
            different.append(plural(len(names), column))
        elif names not in ([], ["none"]):
            same += names
    instances = runs.table["instance"].drop_duplicates().astype(str)
    families = instances.str.replace(SEED_IN_NAME, "", regex=True).unique()
    if len(_in_column(runs, "world")) == len(families) == 1 < len(instances):
        same[-1] = f"{same[-1].partition('/')[0]} {families[0]}"
    if not different and len(runs.configurations) > 1:
        different.append(plural(len(runs.configurations), "configuration"))
    return ", ".join([*different, *same, plural(len(instances), "instance")])


def _in_column(runs: Runs, column: str) -> list[str]:
    return [name for name in runs.table[column].dropna().astype(str).unique() if name]


def _lead(runs: Runs, name: str) -> str:
    """Return a name of the rows, how many there are, and their worlds if these are several."""
    parts = [plural(len(runs.configurations), "configuration"), plural(len(runs.table), "row")]
    if runs.is_replicated:
        parts.append(f"up to {plural(int(runs.replications.max()), 'seed')} for each instance")
    worlds = [str(world) for world in runs.table["world"].unique()]
    return f"{name}: {', '.join(parts)}{f'; {listed(worlds)}' if len(worlds) > 1 else ''}"


def _names(folders: Sequence[Path]) -> str:
    return ", ".join(folder_names(folders))


def _metrics(runs: Runs, names: Sequence[str]) -> list[Metric]:
    present = runs.measured
    for name in names:
        if name not in present:
            why = "has no values here" if name in runs.declared.all_metrics else "is no metric"
            raise UserError(f"--metric: '{name}' {why}{suggest(name, present)}")
    main = [name for name, metric in present.items() if metric.is_main or (name == "bound" and runs.is_limited.any())]
    simulated = runs.table["simulated_actions"].dropna()
    if not has_macro_actions(simulated.sum(), runs.table["generated"].loc[simulated.index].sum(), len(simulated)):
        main = [name for name in main if name != "simulated_actions"]
    return [present[name] for name in dict.fromkeys(names or main)] or list(present.values())


def _main(runs: Runs, shown: Sequence[Metric]) -> Metric | None:
    """Return the metric by which configurations are compared: the score of games, otherwise the effort."""
    of_games = [metric for metric in shown if runs.is_of_games and metric.better == "more"]
    return next(iter([*of_games, *(metric for metric in shown if metric.log_scale), *shown]), None)


def _pairs(runs: Runs, pair: Sequence[str], metric: Metric | None) -> list[tuple[str, str]]:
    """Return the chosen pair; by default each configuration and the first one, then the best and the runner-up."""
    names = runs.configurations
    for name in pair:
        if name not in names:
            raise UserError(f"--compare: there is no configuration '{name}'{suggest(name, names)}")
    if pair:
        return [(pair[0], pair[1])]
    made = [
        (name, part.configurations[0])
        for part in (runs.worlds_apart.values() or [runs])
        for name in part.configurations[1:]
    ]
    made = made if len(names) <= _MAX_COMPARED else []
    best = best_pair(runs, metric) if metric is not None else None
    return [*made, best] if best is not None and not {best, best[::-1]}.intersection(made) else made


def _faults(runs: Runs) -> list[str]:
    """Return notes on the most common errors and on plans that failed validation."""
    errors = by_cause(runs.table["error"], _MAX_ERRORS)
    found = [f"{plural(count, 'row')} with this error: {error}" for error, count in errors]
    others = int(runs.has_status(lambda status: status.is_failure).sum()) - sum(count for _, count in errors)
    found += [f"{plural(others, 'other row')} with a failure"] if others > 0 else []
    invalid = int(runs.is_invalid.sum())
    return [*found, *([f"{plural(invalid, 'plan')} failed validation, and are no answers"] if invalid else [])]
