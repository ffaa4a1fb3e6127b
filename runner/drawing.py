"""Drawings on the axes of matplotlib as SVG. The text is the same on every machine."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
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
