"""Chart of a report, and the style that all charts share. A configuration has the same colour in all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from runner.base.drawing import INK, drawn, literal, tip
from runner.base.errors import one_line
from runner.base.metric import Metric
from runner.reports.statistics import Numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6d46", "#5d3a9b", INK, "#b8a800")
"""Colours of Okabe and Ito (2008), with a darker yellow and two more. Further configurations repeat them with other
hatches and line styles."""

HATCHES = ("", "///", "...")
LINES = ("-", "--", ":")
MARKERS = ("o", "s", "^")
MAX_LEGEND = 40
"""Maximum number of configurations in a legend."""
_NARROW = 4.5
"""Width of a figure, in inches, below which its legend is below the axes."""
_MAX_STEPS = 300
_MAX_NAME, _MAX_LABEL = 40, 40
_COLUMN, _PAGE, _LEAST = 3.15, 6.5, 2.1
"""Widths of a column and of a page of a paper in inches, and the least height of a figure without its legend."""
_FEW_DECADES = 60
"""Ratio of values below which a logarithmic axis has labels at 1, 2 and 5."""
_WIDE = 8.0
"""Width of a chart, in inches, above which it is as wide as a page."""


@dataclass(frozen=True)
class Chart:
    """Chart, which is drawn when it is written.

    Attributes
    ----------
    name : str
        Name of its file.
    title : str
        Caption: the question that it answers.
    draw : callable
        Function that draws it on axes.
    size : tuple of float
        Width and height in inches.
    """

    name: str
    title: str
    draw: Callable[[Axes], None]
    size: tuple[float, float]

    @cached_property
    def svg(self) -> str:
        """Drawing as SVG, with tooltips."""
        return drawn(self.draw, self.size, is_chart=True)

    def _repr_svg_(self) -> str:
        """Return what a notebook shows."""
        return self.svg

    @property
    def paper_size(self) -> tuple[float, float]:
        """Width and height in inches in a paper: as wide as one of two columns, or as the page."""
        width = _PAGE if self.size[0] > _WIDE else _COLUMN
        return width, max(_LEAST, self.size[1] * width / self.size[0]) + (width == _PAGE)


def steps(axes: Axes, x: Numbers, y: Numbers, index: int, name: str, text: str) -> None:
    """Draw the step function of a configuration with a tooltip, with at most 300 of its points."""
    kept = np.unique(np.linspace(0, len(x) - 1, min(len(x), _MAX_STEPS)).astype(int))
    (line,) = axes.step(x[kept], y[kept], line_of(index), where="post", color=colour(index), label=short(name))
    tip(line, f"{name}: {text}")


def scale_axis(axes: Axes, which: Literal["x", "y"], metric: Metric, values: Numbers) -> None:
    """Choose a logarithmic scale if the metric asks for it and no value is negative; linear near 0 if some are 0."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    known = values[~np.isnan(values)]
    if not metric.log or not len(known) or known.min() < 0 or not (known > 0).any():
        return
    set_scale, axis = (axes.set_xscale, axes.xaxis) if which == "x" else (axes.set_yscale, axes.yaxis)
    set_scale("log" if known.min() > 0 else "symlog")
    if known.min() > 0:
        axis.set_minor_formatter(NullFormatter())
        if known.max() / known.min() < _FEW_DECADES:
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def legend(axes: Axes) -> None:
    """Add a legend to the right of axes, or below those of a narrow figure, which grows by its height."""
    figure = axes.get_figure(root=True)
    if figure is None or figure.get_figwidth() >= _NARROW:
        entries = len(axes.get_legend_handles_labels()[0])
        axes.legend(
            loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize="small", ncols=1 + entries // 18,
            borderaxespad=0,
        )  # fmt: skip
        return
    for columns in (2, 1):
        made = figure.legend(loc="outside lower center", frameon=False, ncols=columns)
        box = made.get_window_extent()
        if box.width <= figure.get_figwidth() * figure.dpi or columns == 1:
            figure.set_figheight(figure.get_figheight() + box.height / figure.dpi)
            return
        made.remove()


def axis_label(axes: Axes, text: str) -> str:
    """Return the label of an axis, escaped, in several lines if it is long and the figure narrow."""
    figure = axes.get_figure(root=True)
    is_narrow = figure is not None and figure.get_figwidth() < _NARROW
    return "\n".join(map(literal, wrap(text, _MAX_LABEL, break_on_hyphens=False) if is_narrow else [text]))


def abbreviated(name: str) -> str:
    """Return a name of at most 40 characters, with its middle left out if it is longer."""
    name = one_line(name)
    return name if len(name) <= _MAX_NAME else f"{name[: _MAX_NAME // 2 - 1]}...{name[-_MAX_NAME // 2 + 2 :]}"


def short(name: str) -> str:
    """Return an abbreviated name, escaped."""
    return literal(abbreviated(name))


def colour(index: int) -> str:
    """Return the colour of a configuration."""
    return COLOURS[index % len(COLOURS)]


def line_of(index: int) -> str:
    """Return the style of the line of a configuration."""
    return LINES[index // len(COLOURS) % len(LINES)]


def fill(index: int) -> dict[str, Any]:
    """Return the style of the bars of a configuration."""
    hatch = HATCHES[index // len(COLOURS) % len(HATCHES)]
    return {"color": colour(index), "hatch": hatch, "edgecolor": "white" if hatch else None, "linewidth": 0}
