"""What a report consists of, whatever it is written as."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from runner.records.metric import BY_NAME, MAIN, Metric
from runner.records.reader import overrides_of
from runner.records.result import FAULTY
from runner.records.writer import ENVIRONMENT, PLANS
from runner.registry import UserError, suggest
from runner.report import figures, tables
from runner.report.audits import Counterexample, audits
from runner.report.figures import Figure
from runner.report.improvements import quality_over_time
from runner.report.pictures import pictures
from runner.report.runs import NothingToReport, Runs, load
from runner.report.tables import Table
from worlds.files import natural_order

MOST_CELLS = 100
"""Of so many cells the configuration is shown."""

_MOST_COMPARED = 24
_MOST_ERRORS = 5


@dataclass(frozen=True)
class Cell:
    """One job: what was configured, where it ran, and where its plans are.

    Attributes
    ----------
    name : str
    configuration, environment : str
        As they are recorded; empty if they are not.
    plans : Path or None
    """

    name: str
    configuration: str
    environment: str
    plans: Path | None


@dataclass(frozen=True)
class Report:
    """A report.

    Attributes
    ----------
    title : str
    notes : list of str
        What was wrong, with the input and in the runs; never hidden.
    constants : dict of str
        What is the same in all rows.
    meanings : dict of str
        Of each configuration, in full.
    tables : list of Table
    figures : list of Figure
    pictures : list of Figure
        Of instances, with a plan.
    cells : list of Cell
    counterexamples : list of Counterexample
        Of audits.
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


def compose(folders: Sequence[Path], metrics: Sequence[str] = (), pair: Sequence[str] = ()) -> Report:
    """Make the report of some folders: of their rows, and of their audits.

    Parameters
    ----------
    metrics, pair
        As for `of_runs`.

    Raises
    ------
    UserError
        If there is neither a row nor an audit, or for a metric or a configuration that is not there.
    """
    notes: list[str] = []
    found = audits(folders, notes)
    try:
        report = of_runs(load(folders), folders, metrics, pair)
    except NothingToReport:
        if not found:
            raise
        report = Report(_title(folders), [], {}, {}, [], [], [], [])
    return replace(
        report,
        notes=[*notes, *report.notes],
        tables=[*report.tables, *(audit.table for audit in found)],
        counterexamples=[block for audit in found for block in audit.counterexamples],
    )


def of_runs(runs: Runs, folders: Sequence[Path], metrics: Sequence[str] = (), pair: Sequence[str] = ()) -> Report:
    """Make the tables and charts of some rows.

    Parameters
    ----------
    metrics : sequence of str
        Columns to show; the main ones unless given.
    pair : sequence of str
        Two configurations to compare; the first with each other one unless given.

    Raises
    ------
    UserError
        For a metric or a configuration that is not there.
    """
    shown = _metrics(runs, metrics)
    pairs = _pairs(runs, pair)
    main = next((metric for metric in shown if metric.log), shown[0] if shown else None)
    parts: list[Table | None] = [tables.coverage(runs), tables.scores(runs)]
    parts += [tables.absolute(runs, metric) for metric in shown]
    if main is not None and runs.pivot(main.name).notna().sum(axis=1).max() > 1:
        parts += [tables.comparisons(runs, main, pairs), tables.best(runs, main)]
    charts: list[Figure | None] = [figures.bars(runs, metric) for metric in shown if metric.log]
    charts += [
        figures.distribution(runs),
        *(figures.cactus(runs, metric) for metric in shown if metric in (main, BY_NAME["search_seconds"])),
    ]
    if main is not None and pairs:
        charts += [figures.scatter(runs, main, *pairs[-1]), figures.ratios(runs, main, *pairs[-1])]
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
        cells=[cell for folder in folders for cell in _cells(folder)][:MOST_CELLS],
    )


def _title(folders: Sequence[Path]) -> str:
    return ", ".join(folder.resolve().name for folder in folders).encode(errors="replace").decode()


def _metrics(runs: Runs, names: Sequence[str]) -> list[Metric]:
    present = {metric.name: metric for metric in tables.measured(runs)}
    for name in names:
        if name not in present:
            why = "has no values here" if name in BY_NAME else "is no metric"
            raise UserError(f"--metric: '{name}' {why}{suggest(name, present)}")
    return [present[name] for name in dict.fromkeys(names or MAIN) if name in present] or list(present.values())


def _pairs(runs: Runs, pair: Sequence[str]) -> list[tuple[str, str]]:
    names = runs.configurations
    for name in pair:
        if name not in names:
            raise UserError(f"--compare: there is no configuration '{name}'{suggest(name, names)}")
    if pair:
        return [(pair[0], pair[1])]
    return [(name, names[0]) for name in names[1:]] if len(names) <= _MOST_COMPARED else []


def _faults(runs: Runs) -> list[str]:
    """Errors and plans that failed validation, for the top of the report."""
    errors = runs.table["error"].dropna().astype(str).value_counts()
    found = [f"{count:,} rows with error: {error}" for error, count in errors.head(_MOST_ERRORS).items()]
    failed = int(runs.table["status"].isin(FAULTY).sum()) - int(errors.head(_MOST_ERRORS).sum())
    found += [f"{failed:,} more rows with errors"] if failed > 0 else []
    invalid = int((runs.table["valid"].astype(str) == "False").sum())
    return [*found, *([f"{invalid:,} plans failed validation"] if invalid else [])]


def _cells(folder: Path) -> list[Cell]:
    """The jobs below a folder, from what they recorded."""
    files = sorted(folder.rglob(ENVIRONMENT), key=natural_order)[:MOST_CELLS] if folder.is_dir() else []
    found = []
    for file in files:
        job = file.parent
        plans = job / PLANS
        name = job.relative_to(folder).as_posix()
        label = " ".join((name if name != "." else folder.name, *overrides_of(job)))
        found.append(
            Cell(label, _text(job / ".hydra" / "config.yaml"), _text(file), plans if plans.is_file() else None)
        )
    return found


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
