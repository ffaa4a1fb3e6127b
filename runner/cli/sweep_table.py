"""Table of a sweep in two layouts: one line for each label, or folded cells in a narrow terminal."""

from __future__ import annotations

from typing import NamedTuple

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from runner.base import one_line

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
    numbers : list of NumberColumn
        Columns of counts and metrics.
    lines_left_out : int
        Number of lines that are not shown.
    """

    title: str
    labels: list[list[str]]
    numbers: list[NumberColumn]
    lines_left_out: int

    def fitted(self, console: Console) -> Table:
        """Return the layout with a line for each label if it fits a console; otherwise the folded one."""
        options = console.options.update(width=_UNBOUNDED_WIDTH)
        wide = self._filled(Table(self.title, *(right_aligned(each.title) for each in self.numbers)))
        return wide if console.measure(wide, options=options).maximum <= console.width else self._folded()

    def _folded(self) -> Table:
        """Return the table without lines between columns, with folded cells and without empty columns."""
        shown = self._replace(numbers=[each for each in self.numbers if any(each.texts)])
        label = Column(self.title, overflow="fold")
        titles = [right_aligned(each.title, gap="\n") for each in shown.numbers]
        return shown._filled(Table(label, *titles, box=SIMPLE_HEAD, pad_edge=False, padding=0))

    def _filled(self, table: Table) -> Table:
        """Return the table with its lines."""
        for label, *texts in zip(self.labels, *(each.texts for each in self.numbers), strict=True):
            table.add_row(Text(" ".join(label) or "others"), *texts)
        if self.lines_left_out:
            table.add_row(f"... {self.lines_left_out:,} more")
        return table


def right_aligned(title: str, gap: str = " ") -> Column:
    """Return a column of numbers. Its title has a gap between the words: a blank, or a new line."""
    return Column(Text(one_line(title).replace(" ", gap)), justify="right", overflow="fold")
