"""Contents of a report, independent of the format in which it is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from runner.messages import plural
from runner.metric import Metric
from runner.records.reader import noted, overrides_of, text_of
from runner.records.writer import ENVIRONMENT, PLANS
from runner.registry import UserError, suggest
from runner.report import figures, pairs, tables
from runner.report.aggregates import Grouping, aggregates, check
from runner.report.audits import Counterexample, audits
from runner.report.figures import Figure
from runner.report.improvements import quality_over_time
from runner.report.pictures import pictures
from runner.report.revisions import folder_names
from runner.report.runs import NothingToReport, Runs, load
from runner.report.scores import scores
from runner.report.tables import Table
from worlds.files import natural_order

MAX_CELLS = 100
"""Maximum number of cells whose configuration is shown."""

_MAX_COMPARED = 24
_MAX_ERRORS = 5


@dataclass(frozen=True)
class Cell:
    """Cell of a sweep, or a run: its configuration, its environment and its plans.

    Attributes
    ----------
    name : str
        Folder and overrides.
    configuration, environment : str
        Contents of the recorded files; empty if they are missing.
    plans : Path or None
        File of its plans.
    """

    name: str
    configuration: str
    environment: str
    plans: Path | None


@dataclass(frozen=True)
class Report:
    """Contents of a report.

    Attributes
    ----------
    title : str
        Names of the folders.
    notes : list of str
        Problems with the input and failures of the runs.
    constants : dict of str
        Columns that have the same value in all rows, with this value.
    meanings : dict of str
        Full description of each configuration.
    tables : list of Table
        Tables of the rows, then of the audits.
    figures : list of Figure
        Charts.
    pictures : list of Figure
        Instances with a plan.
    cells : list of Cell
        Runs and cells.
    counterexamples : list of Counterexample
        Counterexamples that audits found.
    """

    title: str
    notes: list[str]
    constants: dict[str, str]
    meanings: dict[str, str]
    tables: list[Table]
    figures: list[Figure]
    pictures: list[Figure]
    cells: list[Cell]
    counterexamples: list[Counterexample] = field(default_factory=list)


def compose(
    folders: Sequence[Path], metrics: Sequence[str] = (), pair: Sequence[str] = (), grouping: Grouping | None = None
) -> Report:
    """Return the report of the rows and audits below some folders.

    Parameters
    ----------
    metrics, pair, grouping
        As for `of_runs`.

    Raises
    ------
    UserError
        If there is neither a row nor an audit, or if a metric, configuration or column does not exist.
    """
    notes: list[str] = []
    found = audits(folders, notes)
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # the numbers in a table may be of any size
            report = of_runs(load(folders), folders, metrics, pair, grouping)
    except NothingToReport as error:
        if not found:
            raise NothingToReport("; ".join([str(error), *notes])) from None
        report = Report(_title(folders), [], {}, {}, [], [], [], [])
    return replace(
        report,
        notes=[*notes, *report.notes],
        tables=[*report.tables, *(audit.table for audit in found)],
        counterexamples=[block for audit in found for block in audit.counterexamples],
    )


def of_runs(
    runs: Runs,
    folders: Sequence[Path],
    metrics: Sequence[str] = (),
    pair: Sequence[str] = (),
    grouping: Grouping | None = None,
) -> Report:
    """Return the report of some rows.

    Parameters
    ----------
    metrics : sequence of str
        Columns to show; by default the main metrics.
    pair : sequence of str
        Two configurations to compare; by default each other configuration is compared with the first.
    grouping : Grouping, optional
        Columns by which metrics are summed up.

    Raises
    ------
    UserError
        If a metric, configuration or column does not exist.
    """
    shown = _metrics(runs, metrics)
    compared = _pairs(runs, pair)
    main = _main(runs, shown)
    parts: list[Table | None] = [tables.coverage(runs), scores(runs)]
    if grouping is not None:
        check(runs, grouping)
        grouped = runs.for_groups((*grouping.rows, *grouping.columns))
        parts += [aggregates(grouped, metric, grouping) for metric in shown]
    parts += [tables.absolute(runs, metric) for metric in shown]
    parts += [pairs.revisions(runs, metric) for metric in shown]
    if main is not None and runs.comparable(main).notna().sum(axis=1).max() > 1:
        parts += [pairs.comparisons(runs, main, compared)]
        parts += [tables.best(runs, main)] if main.better != "neither" else []
    charts: list[Figure | None] = [figures.bars(runs, metric) for metric in shown if metric.log]
    seconds = runs.declared.all_metrics["search_seconds"]
    charts += [
        figures.distribution(runs),
        *(figures.cactus(runs, metric) for metric in shown if metric in (main, seconds) and metric.better == "less"),
    ]
    if main is not None and compared:
        charts += [figures.scatter(runs, main, *compared[-1]), figures.ratios(runs, main, *compared[-1])]
    if not runs.table["run_id"].duplicated().any():  # curves are found by run_id
        charts.append(quality_over_time(runs, folders))
    shown_instances = pictures(runs, folders)
    return Report(
        title=_title(folders),
        notes=[*runs.notes, *_faults(runs)],
        constants=runs.constants,
        meanings=runs.meanings,
        tables=[table for table in parts if table is not None],
        figures=[chart for chart in charts if chart is not None],
        pictures=shown_instances,
        cells=[cell for folder in folders for cell in _cells(folder)][:MAX_CELLS],
    )


def _title(folders: Sequence[Path]) -> str:
    return ", ".join(folder_names(folders))


def _metrics(runs: Runs, names: Sequence[str]) -> list[Metric]:
    present = {metric.name: metric for metric in tables.measured(runs)}
    for name in names:
        if name not in present:
            why = "has no values here" if name in runs.declared.all_metrics else "is no metric"
            raise UserError(f"--metric: '{name}' {why}{suggest(name, present)}")
    main = [name for name, metric in present.items() if metric.is_main]
    return [present[name] for name in dict.fromkeys(names or main)] or list(present.values())


def _main(runs: Runs, shown: Sequence[Metric]) -> Metric | None:
    """Return the metric by which configurations are compared: the score of games, otherwise the effort."""
    of_games = [metric for metric in shown if runs.is_of_games and metric.better == "more"]
    return next(iter([*of_games, *(metric for metric in shown if metric.log), *shown]), None)


def _pairs(runs: Runs, pair: Sequence[str]) -> list[tuple[str, str]]:
    names = runs.configurations
    for name in pair:
        if name not in names:
            raise UserError(f"--compare: there is no configuration '{name}'{suggest(name, names)}")
    if pair:
        return [(pair[0], pair[1])]
    return [(name, names[0]) for name in names[1:]] if len(names) <= _MAX_COMPARED else []


def _faults(runs: Runs) -> list[str]:
    """Return notes on the most common errors and on plans that failed validation."""
    errors = runs.table["error"].dropna().astype(str).value_counts().head(_MAX_ERRORS)
    found = [f"{plural(count, 'row')} with this error: {error}" for error, count in errors.items()]
    others = int(runs.has_status(lambda status: status.is_failure).sum()) - int(errors.sum())
    found += [f"{plural(others, 'other row')} with a failure"] if others > 0 else []
    invalid = int((runs.table["valid"].astype(str) == "False").sum())
    return [*found, *([f"{plural(invalid, 'plan')} failed validation"] if invalid else [])]


def _cells(folder: Path) -> list[Cell]:
    """Return the runs and cells below a folder, from their recorded files."""
    files = sorted(folder.rglob(ENVIRONMENT), key=natural_order)[:MAX_CELLS] if folder.is_dir() else []
    found = []
    for file in files:
        job, plans = file.parent, file.parent / PLANS
        name = job.relative_to(folder).as_posix()
        label = " ".join((name if name != "." else folder.name, *(noted(overrides_of, job) or ())))
        found.append(
            Cell(label, _text(job / ".hydra" / "config.yaml"), _text(file), plans if plans.is_file() else None)
        )
    return found


def _text(file: Path) -> str:
    return noted(text_of, file) or ""
