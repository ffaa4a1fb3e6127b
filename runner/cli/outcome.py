"""Output at the end of a run or a sweep: a table, causes of errors, and the folder of the results."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from rich.table import Table
from rich.text import Text

from runner.base import (
    SOLVED,
    UNSUPPORTED,
    Declared,
    Metric,
    Status,
    UserError,
    console,
    message,
    one_line,
    plural,
    shown,
)
from runner.cli.sweep_labels import label_cells
from runner.cli.sweep_table import NumberColumn, SweepTable, right_aligned
from runner.records import RecordFile, RunFolder, Totals, audit_command, finding, summed

_MAX_LINES = 100
"""Largest number of lines of the table of a sweep."""


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
    table = Table("instance", "status", *(right_aligned(metric.title) for metric in metrics))
    for row in first:
        values = (metric.readable(metric.value_in(row)) for metric in metrics)
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
        answers = _answers([totals])
        score, error, *shares = _scores(totals, answers)
        over = f" over the {scored:,} games that ended" if scored < totals.rows else ""
        ends = "".join(f", {answer} {share}" for answer, share in zip(answers, shares, strict=True))
        out.print(Text(f"mean score {score} ± {error} (standard error){over}{ends}"))
    _show_errors(totals)
    _show_left_out(totals)
    out.print(Text(f"results: {directory}"))


def show_sweep(cells: Sequence[Totals], overrides: Mapping[str, Sequence[str]], folder: Path) -> None:
    """Print the table of a sweep, and the command for its report.

    The table has one line per cell that has rows. If there are more than a few, the swept keys are printed, and it has
    one line for each combination of those of the search that were swept first, with the sums over the cells. In a
    narrow terminal the keys are columns, with folded values.

    Parameters
    ----------
    overrides : mapping of str to sequence of str
        Overrides of each cell, by its folder, relative to that of the sweep.
    folder : Path
        Folder of the sweep.
    """
    out = console()
    labels = label_cells(cells, overrides, folder)
    if labels.common:
        out.print(Text(f"in all cells: {' '.join(labels.common)}"))
    if labels.swept:
        out.print(Text(f"swept: {' '.join(labels.swept)}"))
    groups: dict[tuple[str, ...], list[Totals]] = {}
    for cell, label in zip(cells, labels.of_cells, strict=True):
        groups.setdefault(tuple(label), []).append(cell)
    lines = [_SweepLine(list(label), len(group), summed(group)) for label, group in groups.items()]
    out.print(_sweep_table(lines, cells, is_summary=bool(labels.swept)).fitted(out))
    for text in _findings(groups):
        message(f"finding: {text}")
    for line in lines:
        _show_errors(line.totals)
    _show_left_out(summed([line.totals for line in lines]))
    if any(len(cell.codes) > 1 for cell in cells) or len({code[:8] for cell in cells for code in cell.codes}) > 1:
        message("note: the rows were made by several revisions of the code: see the column code")
    out.print(Text(f"results: {shown(folder / RecordFile.RESULTS)}"), soft_wrap=True)
    out.print(Text(f"for tables and charts: python -m runner report {quote(shown(folder))}"), soft_wrap=True)


def _findings(groups: Mapping[tuple[str, ...], Sequence[Totals]]) -> Iterator[str]:
    """Yield which claims of the rows of each line of the table the plans of others refute."""
    names = _names(list(groups))
    name_of = {cell.directory: name for name, cells in zip(names, groups.values(), strict=True) for cell in cells}
    for name, cells in zip(names, groups.values(), strict=True):
        total = summed(cells)
        for kind in dict.fromkeys(kind for kind, _ in total.refuted):
            found = {folder: count for (each, folder), count in total.refuted.items() if each == kind}
            by = [name_of[folder] for folder in found]
            audit = audit_command(cells[0].heuristic, [_configuration(cells[0].directory)])
            yield finding(name, kind, sum(found.values()), total.rows, by, audit)


def _configuration(folder: Path) -> dict[str, Any]:
    """Return the recorded configuration of a cell; nothing if there is none."""
    with suppress(UserError, OSError):
        return RunFolder(folder).configuration()
    return {}


def _names(labels: Sequence[Sequence[str]]) -> list[str]:
    """Return short names of lines: as many of their values as tell them apart, such as the name of the algorithm."""
    values = [[text.partition("=")[2] for text in label if "=" in text] for label in labels]
    for length in range(1, 1 + max(map(len, values))):
        names = [" ".join(each[:length]) for each in values]
        if all(names) and len(set(names)) == len(names):
            return names
    return [" ".join(label) or "others" for label in labels]


class _SweepLine(NamedTuple):
    """Line of the table of a sweep: its label, the number of its cells, and the sums over these."""

    label: list[str]
    cells: int
    totals: Totals


def _sweep_table(all_lines: Sequence[_SweepLine], cells: Sequence[Totals], is_summary: bool) -> SweepTable:
    """Return the contents of the table of a sweep."""
    lines = all_lines[:_MAX_LINES]
    totals = [line.totals for line in lines]
    numbers = [_counts("cells", [line.cells for line in lines])] if is_summary else []
    numbers.append(_counts("rows", [line.rows for line in totals]))
    numbers.append(_counts("errors", [line.faulty for line in totals]))
    has_games = any(cell.games for cell in cells)
    metrics = _shown(cells, every=has_games)
    if has_games:
        metrics = [metric for metric in metrics if metric.name not in ("cost", "reward")]
        answers = _answers(cells)
        scores = zip(*(_scores(line, answers) for line in totals), strict=True)
        titles = ("mean score", "standard error", *answers)
        numbers += [NumberColumn(title, list(texts)) for title, texts in zip(titles, scores, strict=True)]
    else:
        ends = [status.name for status in _present_statuses(cells) if not status.is_failure]
        statuses = [SOLVED.name, *(name for name in ends if name != SOLVED.name)]
        numbers += [_counts(status, [line.statuses[status] for line in totals]) for status in statuses]
    numbers += [
        NumberColumn(metric.title, [metric.readable(line.total(metric)) for line in totals]) for metric in metrics
    ]
    title = "summary" if is_summary else "cell"
    return SweepTable(title, [line.label for line in lines], numbers, len(all_lines) - len(lines))


def _counts(title: str, counts: Sequence[int]) -> NumberColumn:
    """Return a column of counts, empty for 0."""
    return NumberColumn(title, [f"{count:,}" if count else "" for count in counts])


def _shown(cells: Sequence[Totals], every: bool = False) -> list[Metric]:
    """Return the main metrics that any cell has values of, or that every cell has that declares them."""
    has = all if every else any
    metrics = {name: metric for cell in cells for name, metric in cell.declared.main_metrics.items()}
    return [
        metric
        for name, metric in metrics.items()
        if has(cell.metrics[name].count for cell in cells if name in cell.metrics)
        if name != "simulated_actions" or any(cell.has_macro_actions for cell in cells)
    ]


def _answers(cells: Sequence[Totals]) -> list[str]:
    """Return the statuses that are answers and occur in a cell, in the order of declaration."""
    return [status.name for status in _present_statuses(cells) if status.is_answer]


def _present_statuses(cells: Sequence[Totals]) -> list[Status]:
    statuses = {name: status for cell in cells for name, status in cell.declared.all_statuses.items()}
    return [status for name, status in statuses.items() if any(cell.statuses[name] for cell in cells)]


def _scores(cell: Totals, answers: Sequence[str]) -> tuple[str, ...]:
    """Return the mean score, its standard error, and the share of each answer among the games that ended."""
    score = cell.metrics["reward"]
    if not score.count:
        return ("",) * (2 + len(answers))
    error = "" if math.isnan(score.standard_error) else f"{score.standard_error:,.1f}"
    return f"{score.mean:,.1f}", error, *(f"{cell.share(answer):.1%}" for answer in answers)


def _show_errors(totals: Totals) -> None:
    """Print each cause of errors once, with the message and the log of its first row, and the number of its rows."""
    for rows in totals.errors.values():
        log = rows.directory / RecordFile.LOG
        see = f" (see {log})" if log.exists() else ""
        message(f"{plural(rows.count, 'row')} with error: {one_line(rows.message)}{see}")
    others = totals.faulty - totals.refuted.total() - sum(rows.count for rows in totals.errors.values())
    if others > 0:
        message(f"{plural(others, 'row')} with other errors, or plans that failed validation")


def _show_left_out(totals: Totals) -> None:
    """Print each reason of unsupported rows, and each note, once, as in its first row, and the number of its rows."""
    for rows in totals.left_out.values():
        message(f"{plural(rows.count, 'row')} unsupported: {one_line(rows.message)}")
    for rows in totals.notes.values():
        message(f"note: {plural(rows.count, 'row')} with a valid plan: {one_line(rows.message)}")
    others = totals.statuses[UNSUPPORTED.name] - sum(rows.count for rows in totals.left_out.values())
    if others > 0:
        message(f"{plural(others, 'row')} unsupported for other reasons: see the column reason")


def _status(row: Mapping[str, str], declared: Declared) -> Text:
    status = declared.status(row["status"])
    if row["valid"] == "False":
        why = f": {row['reason']}" if row["reason"] else ""
        return Text(f"{status.name}, plan INVALID{why}", style="bold red")
    text = f"{status.name}: {row['reason']}" if row["reason"] else status.name
    has_plan = status.is_success and row["cost"]
    return Text(text, style="green" if has_plan else "bold red" if status.is_failure else "yellow")
