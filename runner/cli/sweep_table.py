"""Layouts of the table of a sweep: the widest one that fits the terminal is chosen.

From wide to narrow: whole labels, labels with abbreviated keys, a column for each key, and then fewer metrics.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from runner.base import one_line
from runner.cli.sweep_labels import key_of

_IMPORTANT_METRICS = ("search_seconds", "expanded", "cost")
"""Metrics that the narrowest tables leave out last; the first two stay in any case."""
_MIN_METRICS = 2
_VALUE_LENGTHS = (80, 40, 20, 10)
"""Lengths to which values of labels are cut, one after the other, until a table fits."""
_NARROW: dict[str, Any] = {"box": SIMPLE_HEAD, "pad_edge": False, "padding": (0, 0, 0, 1)}
_UNBOUNDED_WIDTH = 10**6


class NumberColumn(NamedTuple):
    """Column of numbers: its title, and the text of each line."""

    title: str
    texts: list[str]


class SweepTable(NamedTuple):
    """Contents of the table of a sweep.

    Attributes
    ----------
    title : str
        Title of the labels.
    labels : list of list of str
        Overrides by which each line is called.
    counts : list of NumberColumn
        Columns that all layouts have.
    metrics : dict of NumberColumn
        Columns of metrics, by their names.
    lines_left_out : int
        Number of lines that are not shown.
    """

    title: str
    labels: list[list[str]]
    counts: list[NumberColumn]
    metrics: dict[str, NumberColumn]
    lines_left_out: int

    def fitted(self, console: Console) -> Table:
        """Return the widest layout that fits a console; the narrowest if none does."""
        options = console.options.update(width=_UNBOUNDED_WIDTH)
        for layout in self._layouts():
            if console.measure(layout, options=options).maximum <= console.width:
                break
        return layout

    def _layouts(self) -> Iterator[Table]:
        """Yield layouts, the widest first."""
        short_labels = _abbreviated(self.labels)
        yield self._wide(self.labels)
        yield self._wide(short_labels)
        for length in _VALUE_LENGTHS:
            cut_labels = [[_cut(text, length) for text in label] for label in short_labels]
            for columns in self._fewer_metrics():
                yield self._narrow(cut_labels, columns)

    def _fewer_metrics(self) -> Iterator[list[NumberColumn]]:
        """Yield the columns of all metrics, then without the least important one, and so on."""
        important = [name for name in _IMPORTANT_METRICS if name in self.metrics]
        by_importance = [*important, *(name for name in self.metrics if name not in important)]
        fewest = min(len(self.metrics), _MIN_METRICS)
        for count in range(len(self.metrics), fewest - 1, -1):
            yield [column for name, column in self.metrics.items() if name in by_importance[:count]]

    def _wide(self, labels: Sequence[Sequence[str]]) -> Table:
        """Return the table with labels in one column."""
        numbers = [*self.counts, *self.metrics.values()]
        table = Table(_left(self.title), *(right_aligned(column.title) for column in numbers))
        return self._filled(table, [[" ".join(label) or "others"] for label in labels], numbers)

    def _narrow(self, labels: Sequence[Sequence[str]], metrics: Sequence[NumberColumn]) -> Table:
        """Return the table with a column for each key, without empty columns."""
        keys, values = _by_key(labels)
        numbers = [column for column in (*self.counts, *metrics) if any(column.texts)]
        titles = [right_aligned(column.title, gap="\n") for column in numbers]
        return self._filled(Table(*map(_left, keys), *titles, **_NARROW), values, numbers)

    def _filled(self, table: Table, labels: Sequence[Sequence[str]], numbers: Sequence[NumberColumn]) -> Table:
        """Return the table with its lines."""
        for index, label in enumerate(labels):
            table.add_row(*map(Text, label), *(column.texts[index] for column in numbers))
        if self.lines_left_out:
            table.add_row(f"... {self.lines_left_out:,} more")
        return table


def right_aligned(title: str, gap: str = " ") -> Column:
    """Return a column of numbers. Its title has a gap between the words: a blank, or a new line."""
    return Column(Text(one_line(title).replace(" ", gap)), justify="right")


def _left(title: str) -> Column:
    return Column(Text(one_line(title)), no_wrap=True)


def _abbreviated(labels: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return overrides with the last part of each key only, where that identifies the key. Values stay whole."""
    keys = {key_of(text) for label in labels for text in label}
    last_parts = {key: re.split("[./]", key)[-1] for key in keys}
    counts = Counter(last_parts.values())

    def short(text: str) -> str:
        key, sign, value = text.partition("=")
        last_part = last_parts[key]
        return f"{last_part}{sign}{value}" if counts[last_part] == 1 else text

    return [[short(text) for text in label] for label in labels]


def _cut(text: str, length: int) -> str:
    """Return an override whose value has at most a number of characters."""
    key, sign, value = text.partition("=")
    return text if len(value) <= length else f"{key}{sign}{value[: length - 3]}..."


def _by_key(labels: Sequence[Sequence[str]]) -> tuple[list[str], list[list[str]]]:
    """Return the keys of some overrides, and the values of each line in this order. A text without a key is a cell."""
    lines = []
    for label in labels:
        line = {}
        for text in label:
            key, sign, value = text.partition("=")
            if sign or key.startswith("~"):
                line[key] = value
            else:
                line["cell"] = key
        lines.append(line)
    keys = list(dict.fromkeys(key for line in lines for key in line))
    rows = [[line.get(key, "") for key in keys] for line in lines]
    return keys, [row if any(row) else ["others", *row[1:]] for row in rows]
