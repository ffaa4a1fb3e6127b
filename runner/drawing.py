"""Drawings on the axes of matplotlib, and their SVG, whose text is the same on every machine."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runner.registry import UserError
from worlds.files import atomic_write

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


def draw_order(positions: Sequence[tuple[int, int]], axes: Axes) -> None:
    """Colour unit squares by the order in which they occur first, over what is drawn on axes already.

    Parameters
    ----------
    positions : sequence of (int, int)
        Centres of the squares.
    """
    import numpy as np

    at, first = np.unique(np.array(positions), axis=0, return_index=True)
    (left, low), (right, high) = at.min(axis=0), at.max(axis=0)
    order = np.full((high - low + 1, right - left + 1), np.nan)
    order[at[:, 1] - low, at[:, 0] - left] = first + 1
    limits = axes.get_xlim(), axes.get_ylim()  # an image changes them
    image = axes.imshow(
        order, cmap="plasma", interpolation="nearest", origin="lower", zorder=1.5,
        extent=(left - 0.5, right + 0.5, low - 0.5, high + 0.5),
    )  # fmt: skip
    axes.set(xlim=limits[0], ylim=limits[1])
    axes.figure.colorbar(image, ax=axes, label="number of the expansion", shrink=0.8)


def save_drawing(draw: Callable[[Axes], None], file: Path) -> None:
    """Write what a function draws on axes to a file, completely or not at all. The suffix names the format.

    Raises
    ------
    UserError
        If there is no such format, or the file cannot be written.
    """
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(6.4, 5.4), dpi=150, layout="constrained")
    formats = canvas.canvas.get_supported_filetypes()
    if (suffix := file.suffix[1:].lower()) not in formats:
        raise UserError(f"file: expected a name that ends in .png, .svg or .pdf, got '{file}'")
    draw(canvas.add_subplot())
    out = io.BytesIO()
    canvas.savefig(out, format=suffix)
    try:
        with atomic_write(file, "wb") as target:
            target.write(out.getvalue())
    except OSError as error:
        raise UserError(f"file: {file}: {error.strerror or error}") from None
