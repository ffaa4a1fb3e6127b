"""Tables of runs and sweeps on standard output."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from rich.table import Column, Table
from rich.text import Text

from runner.columns import Declared
from runner.console import console
from runner.messages import message, plural
from runner.metric import Metric
from runner.records.totals import Totals, number_of
from runner.records.writer import LOG
from runner.registry import one_line

MAX_CELLS = 100


def show_run(totals: Totals, first: Sequence[Mapping[str, str]], directory: str) -> None:
    """Print the table of a run, with one line per instance and a line of sums.

    Parameters
    ----------
    first : sequence of mapping
        Rows to print; the others are counted.
    directory : str
        Folder of the results.
    """
    out = console()
    metrics = _shown([totals])
    table = Table("instance", "status", *(_right(metric.title) for metric in metrics))
    for row in first:
        values = (metric.readable(number_of(row[metric.name])) for metric in metrics)
        table.add_row(Text(row["instance"]), _status(row, totals.declared), *values)
    if totals.rows > len(first):
        table.add_row(f"... {totals.rows - len(first):,} more", *[""] * (len(metrics) + 1))
    if totals.rows > 1:
        table.add_section()
        sums = (metric.readable(totals.total(metric)) for metric in metrics)
        table.add_row(f"all {totals.rows:,}", str(totals), *sums)
    out.print(table)
    scored = totals.metrics["reward"].count
    if totals.games and scored > 1:
        score, error, *shares = _scores(totals, answers := _answers([totals]))
        over = f" over the {scored:,} games that ended" if scored < totals.rows else ""
        ends = "".join(f", {answer} {share}" for answer, share in zip(answers, shares, strict=True))
        out.print(Text(f"mean score {score} ± {error} (standard error){over}{ends}"))
    _show_errors(totals)
    out.print(Text(f"results: {directory}"))


def show_sweep(cells: Sequence[Totals], overrides: Mapping[str, Sequence[str]], results: str) -> None:
    """Print the table of a sweep, with one line per cell that has rows.

    Parameters
    ----------
    overrides : mapping of str to sequence of str
        Overrides of each cell, by the name of its folder.
    results : str
        File of the collected rows.
    """
    out = console()
    has_games = any(cell.games for cell in cells)
    shown = _shown(cells, every=has_games)
    metrics = [metric for metric in shown if not has_games or metric.name not in ("cost", "reward")]
    answers = _answers(cells)
    names = ("rows", "errors", *(("mean score", "standard error", *answers) if has_games else ("solved",)))
    chosen = [
        [text for text in overrides.get(cell.directory.name, ()) if not text.startswith(_NOT_SHOWN)] for cell in cells
    ]
    common = [text for text in chosen[0] if all(text in others for others in chosen)] if len(cells) > 1 else []
    if common:
        out.print(Text(f"in all cells: {' '.join(common)}"))
    own = [[text for text in texts if text not in common] for texts in chosen[:MAX_CELLS]]

    def table_of(own: Sequence[Sequence[str]], between: str) -> Table:
        table = Table(Column("cell", no_wrap=True), *map(_right, (*names, *(metric.title for metric in metrics))))
        for cell, texts in zip(cells, own, strict=False):
            table.add_row(
                Text(between.join((cell.directory.name, *texts))),
                *(f"{count:,}" if count else "" for count in (cell.rows, cell.faulty)),
                *(_scores(cell, answers) if has_games else (f"{cell.solved:,}" if cell.solved else "",)),
                *(metric.readable(cell.total(metric)) for metric in metrics),
            )
        if len(cells) > MAX_CELLS:
            table.add_row(f"... {len(cells) - MAX_CELLS:,} more")
        return table

    short = _abbreviated(own)
    tables = (table_of(own, " "), table_of(short, " "), table_of(short, "\n"))
    any_width = out.options.update(width=_ANY)
    fitting = (table for table in tables if out.measure(table, options=any_width).maximum <= out.width)
    out.print(next(fitting, tables[-1]))
    for cell in cells:
        _show_errors(cell)
    if any(len(cell.codes) > 1 for cell in cells) or len({code[:8] for cell in cells for code in cell.codes}) > 1:
        message("note: the rows were made by several revisions of the code: see the column code")
    out.print(Text(f"results: {results}"))


_NOT_SHOWN = ("+experiment=", "hydra.")
_ANY = 10**6
"""A width that has room for any table."""


def _abbreviated(overrides: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return overrides with the last part of each key only, where that identifies the key. Values stay whole."""
    keys = {text.partition("=")[0] for texts in overrides for text in texts}
    last = {key: re.split("[./]", key)[-1] for key in keys}
    count = Counter(last.values())

    def short(text: str) -> str:
        key, sign, value = text.partition("=")
        return f"{last[key]}{sign}{value}" if count[last[key]] == 1 else text

    return [[short(text) for text in texts] for texts in overrides]


def _shown(cells: Sequence[Totals], every: bool = False) -> list[Metric]:
    """Return the main metrics that any cell has values of, or that every cell has that declares them."""
    has = all if every else any
    metrics = {name: metric for cell in cells for name, metric in cell.declared.all_metrics.items() if metric.is_main}
    return [
        metric
        for name, metric in metrics.items()
        if has(cell.metrics[name].count for cell in cells if name in cell.metrics)
    ]


def _answers(cells: Sequence[Totals]) -> list[str]:
    """Return the statuses that are answers and occur in a cell, in the order of declaration."""
    statuses = {name: each for cell in cells for name, each in cell.declared.all_statuses.items() if each.is_answer}
    return [name for name in statuses if any(cell.statuses[name] for cell in cells)]


def _scores(cell: Totals, answers: Sequence[str]) -> tuple[str, ...]:
    """Return the mean score, its standard error, and the share of each answer among the games that ended."""
    score = cell.metrics["reward"]
    if not score.count:
        return ("",) * (2 + len(answers))
    error = "" if math.isnan(score.standard_error) else f"{score.standard_error:,.1f}"
    return f"{score.mean:,.1f}", error, *(f"{cell.share(answer):.1%}" for answer in answers)


def _show_errors(totals: Totals) -> None:
    """Print each error message once, with the number of its rows."""
    for error, count in totals.errors.items():
        log = totals.directory / LOG
        see = f" (see {log})" if log.exists() else ""
        message(f"{plural(count, 'row')} with error: {one_line(error)}{see}")
    others = totals.faulty - totals.errors.total()
    if others > 0:
        message(f"{plural(others, 'row')} with other errors, or plans that failed validation")


def _right(name: str) -> Column:
    return Column(Text(one_line(name)), justify="right")


def _status(row: Mapping[str, str], declared: Declared) -> Text:
    status = declared.status(row["status"])
    if row["valid"] == "False":
        why = f": {row['reason']}" if row["reason"] else ""
        return Text(f"{status.name}, plan INVALID{why}", style="bold red")
    shown = f"{status.name}: {row['reason']}" if row["reason"] else status.name
    has_plan = status.is_success and row["cost"]
    return Text(shown, style="green" if has_plan else "bold red" if status.is_failure else "yellow")
