"""Tables of runs and sweeps on standard output."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Column, Table
from rich.text import Text

from runner.base.columns import Declared
from runner.base.console import console
from runner.base.errors import one_line
from runner.base.messages import message, plural, shown
from runner.base.metric import Metric
from runner.base.overrides import section_of_word
from runner.base.status import SOLVED, UNSUPPORTED
from runner.cli.display import FEW_CELLS
from runner.config.experiments import is_path
from runner.config.grammar import without_heuristic
from runner.records.reader import RecordFile
from runner.records.totals import Totals, summed

_MAX_CELLS, _MAX_LINES, _MAX_VALUES = 100, 20, 12
"""Largest number of cells in a table, of lines that sum cells up, and of values of a swept key."""
_KEPT = ("search_seconds", "expanded", "cost")
"""Metrics that the narrowest tables leave out last; the first two stay in any case."""


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
        score, error, *shares = _scores(totals, answers := _answers([totals]))
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
    narrow terminal keys are abbreviated, then they become columns, then metrics are left out.

    Parameters
    ----------
    overrides : mapping of str to sequence of str
        Overrides of each cell, by its folder, relative to that of the sweep.
    folder : Path
        Folder of the sweep.
    """
    out = console()
    has_games = any(cell.games for cell in cells)
    shown_metrics = _shown(cells, every=has_games)
    metrics = [metric for metric in shown_metrics if not has_games or metric.name not in ("cost", "reward")]
    answers, statuses = _answers(cells), _other_statuses(cells)
    folders = [cell.directory.relative_to(folder).as_posix() for cell in cells]
    chosen = [
        [_readable(text) for text in overrides.get(each, ()) if not text.startswith(_NOT_SHOWN)] for each in folders
    ]
    chosen = [
        without_heuristic(texts) if cell.heuristic == "none" else texts
        for texts, cell in zip(chosen, cells, strict=True)
    ]
    alike = Counter(map(tuple, chosen))  # as after a change of limits in a file
    chosen = [
        [*texts, *(f"limits.{each}" for each in cell.limits.split())] if alike[tuple(texts)] > 1 else texts
        for texts, cell in zip(chosen, cells, strict=True)
    ]
    common = [text for text in chosen[0] if all(text in others for others in chosen)] if len(cells) > 1 else []
    if common:
        out.print(Text(f"in all cells: {' '.join(common)}"))
    own = [[text for text in texts if text not in common] for texts in chosen]
    keys = _keys_of_summary(own)
    if keys:
        out.print(Text(f"swept: {' '.join(_swept(own))}"))
    groups: dict[tuple[str, ...], list[Totals]] = {}
    for cell, cell_label, texts in zip(cells, _cell_labels(folders, own), own, strict=True):
        label = [text for text in texts if _key(text) in keys] if keys else cell_label
        groups.setdefault(tuple(label), []).append(cell)
    lines = [summed(group) if keys else group[0] for group in groups.values()]
    names = ("rows", "errors", *(("mean score", "standard error", *answers) if has_games else (SOLVED.name, *statuses)))

    def table_of(
        titles: Sequence[str], labels: Sequence[Sequence[str]], metrics: Sequence[Metric], is_narrow: bool = False
    ) -> Table:
        numbers = [*(["cells"] if keys else []), *names, *(metric.title for metric in metrics)]
        rows = []
        for line, group in zip(lines[: len(labels)], groups.values(), strict=False):
            counts = (*([len(group)] if keys else []), line.rows, line.faulty)
            solved = [] if has_games else [line.statuses[name] for name in (SOLVED.name, *statuses)]
            rows.append((
                *(f"{count:,}" if count else "" for count in (*counts, *solved)),
                *(_scores(line, answers) if has_games else ()),
                *(metric.readable(line.total(metric)) for metric in metrics),
            ))  # fmt: skip
        used = [index for index in range(len(numbers)) if not is_narrow or any(row[index] for row in rows)]
        table = Table(
            *(Column(Text(one_line(title)), no_wrap=True) for title in titles),
            *(_right(numbers[index], "\n" if is_narrow else " ") for index in used),
            **(_NARROW if is_narrow else {}),
        )
        for texts, row in zip(labels, rows, strict=True):
            table.add_row(*map(Text, texts), *(row[index] for index in used))
        if len(lines) > _MAX_CELLS:
            table.add_row(f"... {len(lines) - _MAX_CELLS:,} more")
        return table

    def tables() -> Iterator[Table]:
        """Yield tables, each narrower than the one before."""
        labels = [list(label) for label in groups][:_MAX_CELLS]
        for texts in (labels, _abbreviated(labels)):
            yield table_of(["summary" if keys else "cell"], [[" ".join(each) or "others"] for each in texts], metrics)
        columns = _columns(_abbreviated(labels))
        by_importance = sorted(metrics, key=lambda each: _KEPT.index(each.name) if each.name in _KEPT else len(_KEPT))
        for count in range(len(metrics), min(len(metrics), 2) - 1, -1):
            kept = [metric for metric in metrics if metric in by_importance[:count]]
            yield table_of(*columns, kept, is_narrow=True)

    any_width, table = out.options.update(width=_ANY), Table()
    for table in tables():
        if out.measure(table, options=any_width).maximum <= out.width:
            break
    out.print(table)
    for line in lines:
        _show_errors(line)
    _show_left_out(summed(lines))
    if any(len(cell.codes) > 1 for cell in cells) or len({code[:8] for cell in cells for code in cell.codes}) > 1:
        message("note: the rows were made by several revisions of the code: see the column code")
    out.print(Text(f"results: {shown(folder / RecordFile.RESULTS)}"), soft_wrap=True)
    out.print(Text(f"for tables and charts: python -m runner report {quote(shown(folder))}"), soft_wrap=True)


def _cell_labels(folders: Sequence[str], overrides: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the folder and the overrides of each cell; the overrides alone if folders are named after them."""
    is_named_after = any("=" in folder for folder in folders)
    if is_named_after and all(overrides) and len({*map(tuple, overrides)}) == len(overrides):
        return [list(texts) for texts in overrides]
    return [[folder, *texts] for folder, texts in zip(folders, overrides, strict=True)]


def _keys_of_summary(overrides: Sequence[Sequence[str]]) -> list[str]:
    """Return the keys by which many cells are summed up: as many of the first ones of the search as fit; else none.

    Cells that differ in the seed of a search are summed up, as those of different worlds are.
    """
    keys = list(dict.fromkeys(_key(text) for texts in overrides for text in texts))
    if len(overrides) <= FEW_CELLS:
        return []
    of_search = [key for key in keys if section_of_word(key) != "world" and not key.endswith(".seed")]
    first = (of_search[:count] for count in range(len(of_search), 0, -1))
    for chosen in (*first, *([key] for key in keys)):
        values = {tuple(text for text in texts if _key(text) in chosen) for texts in overrides}
        if len(overrides) == len(values) <= _MAX_LINES:
            return []
        if 1 < len(values) <= _MAX_LINES:
            return chosen
    return []


def _swept(overrides: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield each swept key with its first values, such as ``world.size=4,5,6``."""
    values: dict[str, dict[str, None]] = {}
    for key, sign, value in (text.partition("=") for texts in overrides for text in texts):
        values.setdefault(f"{key}{sign}", {})[value] = None
    for key, found in values.items():
        more = f",... ({len(found):,} values)" if len(found) > _MAX_VALUES else ""
        yield key + ",".join(list(found)[:_MAX_VALUES]) + more


def _readable(override: str) -> str:
    """Return an override with the path of an experiment as short as it can be."""
    key, _, value = override.partition("=")
    return f"{key}={shown(Path(value))}" if key == "+experiment" and is_path(value) else override


def _key(override: str) -> str:
    return override.partition("=")[0]


_NOT_SHOWN = ("hydra.", "sweep.")
_NARROW: dict[str, Any] = {"box": SIMPLE_HEAD, "pad_edge": False, "padding": (0, 0, 0, 1)}
_ANY = 10**6
"""A width that has room for any table."""


def _abbreviated(overrides: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return overrides with the last part of each key only, where that identifies the key. Values stay whole."""
    keys = {_key(text) for texts in overrides for text in texts}
    last = {key: re.split("[./]", key)[-1] for key in keys}
    count = Counter(last.values())

    def short(text: str) -> str:
        key, sign, value = text.partition("=")
        return f"{last[key]}{sign}{value}" if count[last[key]] == 1 else text

    return [[short(text) for text in texts] for texts in overrides]


def _columns(overrides: Sequence[Sequence[str]]) -> tuple[list[str], list[list[str]]]:
    """Return the keys of some overrides, and the values of each line in this order; a cell is a number."""
    lines = []
    for texts in overrides:
        parts = (text.partition("=") for text in texts)
        lines.append(dict((key, value) if sign or key[0] == "~" else ("cell", key) for key, sign, value in parts))
    keys = list(dict.fromkeys(key for line in lines for key in line))
    values = [[line.get(key, "") for key in keys] for line in lines]
    return keys, [each if any(each) else ["others", *each[1:]] for each in values]


def _shown(cells: Sequence[Totals], every: bool = False) -> list[Metric]:
    """Return the main metrics that any cell has values of, or that every cell has that declares them."""
    has = all if every else any
    metrics = {name: metric for cell in cells for name, metric in cell.declared.main_metrics.items()}
    return [
        metric
        for name, metric in metrics.items()
        if has(cell.metrics[name].count for cell in cells if name in cell.metrics)
    ]


def _answers(cells: Sequence[Totals]) -> list[str]:
    """Return the statuses that are answers and occur in a cell, in the order of declaration."""
    statuses = {name: each for cell in cells for name, each in cell.declared.all_statuses.items() if each.is_answer}
    return [name for name in statuses if any(cell.statuses[name] for cell in cells)]


def _other_statuses(cells: Sequence[Totals]) -> list[str]:
    """Return the statuses that occur in a cell and are neither failures nor `solved`, in the order of declaration."""
    statuses = {name: each for cell in cells for name, each in cell.declared.all_statuses.items()}
    others = [name for name, each in statuses.items() if not each.is_failure and name != SOLVED.name]
    return [name for name in others if any(cell.statuses[name] for cell in cells)]


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
    others = totals.faulty - sum(rows.count for rows in totals.errors.values())
    if others > 0:
        message(f"{plural(others, 'row')} with other errors, or plans that failed validation")


def _show_left_out(totals: Totals) -> None:
    """Print each reason of unsupported rows once, as it stands in its first row, and the number of its rows."""
    for rows in totals.left_out.values():
        message(f"{plural(rows.count, 'row')} unsupported: {one_line(rows.message)}")
    others = totals.statuses[UNSUPPORTED.name] - sum(rows.count for rows in totals.left_out.values())
    if others > 0:
        message(f"{plural(others, 'row')} unsupported for other reasons: see the column reason")


def _right(name: str, gap: str = " ") -> Column:
    """Return a column of numbers. Its title has a gap between the words: a blank, or a new line."""
    return Column(Text(one_line(name).replace(" ", gap)), justify="right")


def _status(row: Mapping[str, str], declared: Declared) -> Text:
    status = declared.status(row["status"])
    if row["valid"] == "False":
        why = f": {row['reason']}" if row["reason"] else ""
        return Text(f"{status.name}, plan INVALID{why}", style="bold red")
    shown = f"{status.name}: {row['reason']}" if row["reason"] else status.name
    has_plan = status.is_success and row["cost"]
    return Text(shown, style="green" if has_plan else "bold red" if status.is_failure else "yellow")
