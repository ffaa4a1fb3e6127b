"""Anything that can be drawn on the axes of matplotlib, as an SVG text that is the same on every machine."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from typing import Any

_STYLE: Any = {
    "svg.fonttype": "none",  # text stays text: small files, and it can be selected
    "svg.hashsalt": "search-runner",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
}


def drawn(draw: Callable[[Any], None], size: tuple[float, float]) -> str:
    """Return as SVG what a function draws on axes; the size is in inches."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of characters that the font of this machine lacks
        import matplotlib as mpl
        from matplotlib.figure import Figure as Canvas

        with mpl.rc_context(_STYLE):
            canvas = Canvas(figsize=size, layout="constrained")
            draw(canvas.add_subplot())
            out = io.StringIO()
            canvas.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    return text[text.index("<svg") :]
