"""Drawings on the axes of matplotlib, and their SVG, whose text is the same on every machine."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STYLE: Any = {
    "svg.fonttype": "none",  # text stays text, which can be selected and keeps files small
    "svg.hashsalt": "search-runner",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
}

_CHARACTER, _LINE = 0.61, 1.2
"""Width and height of a character of the fixed-width font, as shares of the font size."""
_MAX_FONT = 100.0


def text_size(texts: Iterable[str]) -> tuple[int, int]:
    """Return the largest number of columns and of lines of some texts, each at least 1."""
    from rich.cells import cell_len

    lines = [text.expandtabs().split("\n") for text in texts]
    columns = max((cell_len(line) for text in lines for line in text), default=1)
    return max(1, columns), max(map(len, lines), default=1)


def draw_text(text: str, axes: Axes, size: tuple[int, int] | None = None) -> None:
    """Fill empty axes with a text in a fixed-width font.

    Parameters
    ----------
    size : tuple of int, optional
        Columns and lines of the largest of several texts that are drawn in one place. All get the same font size.
    """
    columns, lines = size or text_size([text])
    axes.set_axis_off()
    box = axes.get_window_extent().transformed(axes.figure.dpi_scale_trans.inverted())  # in inches
    font = min(_MAX_FONT, 72 * box.width / (_CHARACTER * columns), 72 * box.height / (_LINE * lines))
    left = 0.5 - _CHARACTER * columns * font / 144 / box.width
    top = 0.5 + _LINE * lines * font / 144 / box.height
    padded = text.expandtabs() + "\n" * (lines - 1 - text.count("\n"))  # matplotlib places a single line differently
    shown = axes.text(left, top, padded, va="top", transform=axes.transAxes)
    shown.set(fontsize=font, family="monospace", parse_math=False)


def drawn(draw: Callable[[Axes], None], size: tuple[float, float]) -> str:
    """Return the SVG of what a function draws on axes.

    Parameters
    ----------
    size : tuple of float
        Width and height in inches.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # matplotlib warns of characters that the font lacks
        import matplotlib as mpl
        from matplotlib.figure import Figure as Canvas

        with mpl.rc_context(_STYLE):
            canvas = Canvas(figsize=size, layout="constrained")
            draw(canvas.add_subplot())
            out = io.StringIO()
            canvas.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    return text[text.index("<svg") :]
