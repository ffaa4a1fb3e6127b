"""Published figures: the entries of the atlas, and whether the figures of a run agree with them."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import msgspec
import pandas as pd

from runner.base import ROOT, UserError, convert, one_line, plural, shown, suggest
from runner.features.atlas import ATLAS_FOLDER
from runner.features.reports import ReportContent, Table, TableCell, derived, group_text, texts
from runner.records import read_rows, read_yaml

_ENTRY = "entry.yaml"
_DATA = "{data}"
_NOTE = "note"
"""Column of a published table: why a figure does not follow. Such a figure may differ."""

Verdict = Literal["equal", "within tolerance", "within the bound", "differs", "not run"]


@dataclass(frozen=True)
class Experiment:
    """One command, and the published table that it reproduces.

    Attributes
    ----------
    title : str
        What the table gives.
    run : str
        Words after ``python -m runner`` of a sweep (``-m``) or an audit. ``{entry}`` is the folder of the entry, and
        ``{data}`` that of the files that it needs.
    published : str
        CSV file with the figures as printed, in the folder of the entry, or a path from the top of the package.
    figures : dict of str
        Columns of our rows, each with the column of the published table.
    by : dict of str
        Columns of our rows that tell which of them belong to a row of the published table, each with a column of that
        table, or a text with such columns in braces, such as ``korf100_{id}``.
    rows : int or str
        Number of our rows whose mean a figure is, or the column of the published table that gives it.
    derive : list of str
        Further columns of our rows, as for ``report --derive``.
    tolerance : float
        Largest relative difference. By default figures must agree in all digits that are printed.
    standard_errors : float
        Largest difference in standard errors, where published and own instances are random: of our mean or, with
        `sample`, of the difference of the means.
    sample : int or str, optional
        Number of instances behind a published mean, or the column of the published table that gives it.
    is_bound : bool
        Whether the figures are upper bounds, which ours must not exceed.
    quick : str or None
        Further words with ``--quick``; None: the command is not part of it.
    """

    title: str
    run: str
    published: str
    figures: dict[str, str]
    by: dict[str, str] = field(default_factory=dict)
    rows: int | str = 1
    derive: list[str] = field(default_factory=list)
    tolerance: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    standard_errors: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    sample: int | str | None = None
    is_bound: bool = False
    quick: str | None = None


@dataclass(frozen=True)
class AtlasEntry:
    """Entry of the atlas, the file ``entry.yaml`` in a folder of its name.

    Attributes
    ----------
    title : str
        What is reproduced.
    source : str
        Paper and table.
    counting : str
        What the source counts, and the column that counts the same.
    instances : str
        Where the instances come from.
    time, quick_time : str
        Expected time of the whole, and with ``--quick``.
    experiments : list of Experiment
        Commands with the published figures.
    needs : str
        Files that do not come with the entry, which the user puts into a folder (``--data``).
    remarks : str
        What follows, what does not, and why.
    """

    title: str
    source: str
    counting: str
    instances: str
    time: str
    quick_time: str
    experiments: list[Experiment]
    needs: str = ""
    remarks: str = ""

    def with_data(self, folder: str) -> AtlasEntry:
        """Return the entry with the folder of the files that it needs in its commands."""
        return dataclasses.replace(
            self,
            experiments=[dataclasses.replace(each, run=each.run.replace(_DATA, folder)) for each in self.experiments],
        )


class Figure(NamedTuple):
    """Published figure beside ours.

    Attributes
    ----------
    keys : tuple of str
        Values that name the row of the published table.
    name : str
        Column of our rows.
    published, ours : str
        Figures; `ours` is empty if the rows for it are missing.
    verdict : str
    note : str
        Why the figure differs, if the entry says so.
    """

    keys: tuple[str, ...]
    name: str
    published: str
    ours: str
    verdict: Verdict
    note: str

    @property
    def is_broken(self) -> bool:
        """Whether it differs, and the entry does not say why."""
        return self.verdict == "differs" and not self.note


def entries() -> dict[str, AtlasEntry]:
    """Return all entries by name."""
    return {name: _read(file) for name, file in _files().items()}


def find(name: str) -> AtlasEntry:
    """Return an entry of the atlas, or of a folder of the user.

    Raises
    ------
    UserError
        If there is none of this name, or the file is wrong.
    """
    files = _files()
    file = files.get(name, Path(name, _ENTRY))
    if not file.is_file():
        raise UserError(
            f"{name}: there is no such entry, and no {_ENTRY} in a folder of this name{suggest(name, files)}"
        )
    return _read(file)


def _files() -> dict[str, Path]:
    return {file.parent.name: file for file in sorted(ATLAS_FOLDER.glob(f"*/{_ENTRY}"))}


def _read(file: Path) -> AtlasEntry:
    content = read_yaml(file, "an entry of the atlas")
    try:
        entry: AtlasEntry = convert(AtlasEntry, content, where="")
    except UserError as error:
        raise UserError(f"{shown(file)}: {error}") from None
    experiments = []
    for each in entry.experiments:
        published = next(
            (path for path in (file.parent / each.published, ROOT / each.published) if path.is_file()), None
        )
        if published is None:
            raise UserError(f"{shown(file)}: published: there is no {each.published}")
        run = each.run.format(entry=shown(file.parent), data=_DATA)
        experiments.append(dataclasses.replace(each, run=run, published=str(published)))
        _published(experiments[-1])
    return dataclasses.replace(entry, experiments=experiments)


def _published(experiment: Experiment) -> list[dict[str, str]]:
    """Return the rows of the published table.

    Raises
    ------
    UserError
        If a column is missing.
    """
    rows = list(read_rows(Path(experiment.published)))
    named = [name for text in experiment.by.values() for name in re.findall("{(.*?)}", text) or [text]]
    counts = [each for each in (experiment.rows, experiment.sample) if isinstance(each, str)]
    for column in (*named, *experiment.figures.values(), *counts):
        if not rows or column not in rows[0]:
            file_name = shown(Path(experiment.published))
            raise UserError(f"{file_name}: there is no column '{column}'{suggest(column, [*rows[0]] if rows else [])}")
    return rows


def judge(experiment: Experiment, words: Sequence[str], rows: pd.DataFrame) -> list[Figure]:
    """Return the figures of a published table with ours and verdicts, in the order of the table.

    Parameters
    ----------
    words : sequence of str
        Words of the command. A key with one value there is no column of the rows.
    rows : pandas.DataFrame
        Rows of the command.
    """
    given = dict(word.split("=", 1) for word in words if "=" in word)
    rows = rows.assign(**{key: given[key] for key in experiment.by if key not in rows and key in given})
    for formula in experiment.derive:
        column, values = derived(rows, formula)
        rows = rows.assign(**{column: values})
    keys = [*experiment.by]
    missing = [column for column in (*keys, *experiment.figures) if column not in rows]
    if missing:
        raise UserError(
            f"{experiment.title}: the rows have no column '{missing[0]}'{suggest(missing[0], list(map(str, rows)))}"
        )
    groups: dict[tuple[str, ...], pd.DataFrame] = {(): rows}
    if keys:
        groups = {tuple(map(group_text, key)): group for key, group in rows.groupby(keys, dropna=False)}
    return list(_figures(experiment, groups))


def _figures(experiment: Experiment, groups: Mapping[tuple[str, ...], pd.DataFrame]) -> Iterator[Figure]:
    for row in _published(experiment):
        keys = tuple(text.format_map(row) if "{" in text else row[text] for text in experiment.by.values())
        for ours, theirs in experiment.figures.items():
            if row[theirs]:
                values = groups[keys][ours] if keys in groups else pd.Series([], dtype=float)
                rows = _number_in(row, experiment.rows)
                sample = None if experiment.sample is None else _number_in(row, experiment.sample)
                text, verdict = _compare(row[theirs], values, rows, experiment, sample)
                yield Figure(keys, ours, row[theirs], text, verdict, row.get(_NOTE, "") if verdict == "differs" else "")


def _number_in(row: Mapping[str, str], given: int | str) -> int:
    """Return a number that is given, or that of a column of a published row."""
    return int(row[given]) if isinstance(given, str) else given


def _compare(
    published: str, values: pd.Series, rows: int, experiment: Experiment, sample: int | None
) -> tuple[str, Verdict]:
    """Return our figure with the digits of the published one, and the verdict."""
    number = published.replace(",", "")
    if len(values) != rows:
        return "", "not run"
    if not re.fullmatch(r"-?\d+(\.\d+)?", number):
        found = group_text(values.iloc[0])
        return found, "equal" if found == published else "differs"
    digits = len(number.partition(".")[2])
    mean = float(pd.to_numeric(values, errors="coerce").mean(skipna=False))
    difference = abs(mean - float(number))
    text = "" if math.isnan(mean) else f"{mean:,.{digits}f}"
    if difference <= 0.5 * 10.0**-digits * (1 + 1e-9) and (digits or rows > 1 or not difference):
        return text, "equal"
    if experiment.is_bound and mean < float(number):
        return text, "within the bound"
    allowed = experiment.tolerance * abs(float(number))
    if experiment.standard_errors:
        shares = 1 / len(values) + (1 / sample if sample else 0)
        allowed = max(allowed, experiment.standard_errors * float(values.std()) * math.sqrt(shares))
    return text, "within tolerance" if difference <= allowed else "differs"


def summary(figures: Sequence[Figure]) -> str:
    """Return how many figures have each verdict."""
    verdicts = [figure.verdict for figure in figures]
    counts = [f"{verdicts.count(each):,} {each}" for each in dict.fromkeys(verdicts)]
    return f"{plural(len(figures), 'figure')}: {', '.join(counts)}"


def table(number: int, experiment: Experiment, figures: Sequence[Figure]) -> Table:
    """Return the table of published figures and ours."""
    keys = [*zip(*(figure.keys for figure in figures), strict=True)] or [()] * len(experiment.by)
    columns: list[tuple[str, Sequence[TableCell]]] = [
        (name, texts(values)) for name, values in zip(experiment.by, keys, strict=True)
    ]
    if len(experiment.figures) > 1 or not columns:
        columns.append(("figure", texts(figure.name for figure in figures)))
    columns += [
        ("published", [_number(figure.published) for figure in figures]),
        ("ours", [_number(figure.ours) for figure in figures]),
        ("verdict", texts(figure.verdict for figure in figures)),
    ]
    notes = [f"{' '.join((*each.keys, each.name))}: {each.note}" for each in figures if each.note]
    return Table.of(f"table_{number}", experiment.title, columns, [*notes, summary(figures)])


def _number(text: str) -> TableCell:
    try:
        return TableCell(text, float(text.replace(",", "")))
    except ValueError:
        return TableCell(text)


def content(name: str, entry: AtlasEntry, found: Sequence[tuple[Experiment, str, Sequence[Figure]]]) -> ReportContent:
    """Return the report of an entry: its description, and a table for each command that was run.

    Parameters
    ----------
    found : sequence of (Experiment, str, sequence of Figure)
        Experiments, with the command as it was run.
    """
    facts = {
        "Source": entry.source,
        "Counting": entry.counting,
        "Instances": entry.instances,
        "Needs": entry.needs and f"{entry.needs}, in the folder that --data gives",
    }
    shown = {heading: one_line(text) for heading, text in facts.items() if text}
    about = [("entry", texts(shown)), ("description", texts(shown.values()))]
    made = [table(number, each, figures) for number, (each, _, figures) in enumerate(found, 1)]
    commands = [("table", texts(each.title for each, _, _ in found)), ("command", texts(text for _, text, _ in found))]
    return ReportContent(
        f"{name}: {entry.title}",
        one_line(entry.remarks),
        tables=[*made, Table.of("entry", "Entry", about), Table.of("commands", "Commands", commands)],
        failures=[text for each, _, figures in found for text in _failures(each, figures)],
    )


def _failures(experiment: Experiment, figures: Sequence[Figure]) -> Iterator[str]:
    if all(figure.verdict == "not run" for figure in figures):
        yield f"{experiment.title}: none of the published figures has rows"
    for each in figures:
        if each.is_broken:
            yield f"{' '.join((*each.keys, each.name))}: published {each.published}, ours {each.ours or 'nothing'}"
