"""Drawings on the axes of matplotlib, and their files, whose text is the same on every machine."""

from __future__ import annotations

import io
import math
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from typing import IO, TYPE_CHECKING, Any

from runner.base import one_line

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

INK = "#010101"
"""Colour of texts and lines of charts. In their SVG it is the colour of the text around them."""

_STYLE: Any = {
    "svg.fonttype": "none",  # text stays text, which can be selected and keeps files small
    "svg.hashsalt": "search-runner",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
}

_CHART: Any = {
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), INK),
    **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), "none"),
    "axes.linewidth": 0.7,
    "grid.color": INK,
    "grid.alpha": 0.13,
    "grid.linewidth": 0.7,
}
"""Style of charts, which stand on pages of any colour."""
_PAPER: Any = {
    **dict.fromkeys(("font.size", "axes.labelsize"), 8),
    **dict.fromkeys(("xtick.labelsize", "ytick.labelsize", "legend.fontsize"), 7),
    "font.family": "serif",
    "pdf.fonttype": 42,  # TrueType, which publishers accept
    "figure.dpi": 300,
}
"""Style of figures in papers."""
_TIP, _TIPS = "tip:", "tips:"
_GROUP = re.compile(rf'<g id="{_TIP}([^"]*)">')
_POINTS = re.compile(rf'<g id="{_TIPS}([^"]*)">(.*?)\n   </g>', re.DOTALL)
_POINT = re.compile(r"<use ([^>]*)/>")
_COORDINATES, _DECIMALS = re.compile(r' (?:d|x|y)="[^"]*"'), re.compile(r"(\.\d\d)\d+")
"""Coordinates in SVG, and numbers with more decimals than are visible."""

CHARACTER, LINE = 0.61, 1.2
"""Width and height of a character of the fixed-width font, as shares of the font size."""
_MAX_FONT = 100.0
_ROW, _ROW_POINTS, _LEGEND_FONT = 0.045, 11, 8
"""Height of a row of a legend as a share of the whole, its least height in points, and its font size in points."""


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
    font = min(_MAX_FONT, 72 * box.width / (CHARACTER * columns), 72 * box.height / (LINE * lines))
    left = 0.5 - CHARACTER * columns * font / 144 / box.width
    top = 0.5 + LINE * lines * font / 144 / box.height
    padded = text.expandtabs() + "\n" * (lines - 1 - text.count("\n"))  # matplotlib places a single line differently
    shown = axes.text(left, top, padded, va="top", transform=axes.transAxes)
    shown.set(fontsize=font, family="monospace", parse_math=False)


def line_through(points: Iterable[Sequence[float]], torus: Sequence[float] | None) -> list[tuple[float, ...]]:
    """Return the points (x, y) of a line through others. A point of NaN interrupts it.

    Parameters
    ----------
    torus : pair of float, optional
        Width and height of a torus, on which each step goes the shorter way: half of a step across an edge leads to the
        edge, and the other half continues from the opposite edge.
    """
    line: list[tuple[float, ...]] = []
    for point in map(tuple, points):
        if line and torus is not None:
            direct = [after - before for before, after in zip(line[-1], point, strict=True)]
            step = [
                each - math.copysign(size, each) if abs(each) > size / 2 else each
                for each, size in zip(direct, torus, strict=True)
            ]
            if step != direct:
                leaves = tuple(at + each / 2 for at, each in zip(line[-1], step, strict=True))
                enters = tuple(at - each / 2 for at, each in zip(point, step, strict=True))
                line += [leaves, (math.nan, math.nan), enters]
        line.append(point)
    return line


def aside(line: Iterable[Sequence[float]], others: Iterable[Any], distance: float) -> list[tuple[float, ...]]:
    """Return the points (x, y) of a line, moved aside where it runs along others or along itself. Its ends stay.

    Parameters
    ----------
    others : iterable of lines
        Lines that are drawn already.
    distance : float
        By how much x and y change.
    """
    points = list(map(tuple, line))
    taken = {frozenset(step) for other in others for step in pairwise(map(tuple, other))}
    moved = points[:1]
    for step in pairwise(points):
        (x, y), (next_x, next_y) = step
        if step[0] != step[1]:
            by = distance if frozenset(step) in taken else 0.0
            across = -by if (next_x - x) * (next_y - y) > 0 else by  # a diagonal moves to its side
            moved += [(x + by, y + across), (next_x + by, next_y + across)]
            taken.add(frozenset(step))
    return [point for point, _ in groupby([*moved, *points[-1:]])]


def height_with_legend(picture: float, rows: int = 1) -> float:
    """Return the height in inches of a picture with a legend and the labels above it."""
    return max(picture / (1 - _ROW * (1 + rows)), picture + _ROW_POINTS / 72 * (1 + rows))


def with_legend(draw: Callable[[Any], None], axes: Any, marks: Mapping[str, Any] | None = None, rows: int = 1) -> Any:
    """Draw a picture and, below it, a legend of the artists that have labels. Return the axes of the picture.

    Parameters
    ----------
    marks : mapping of str to artist or tuple of artists, optional
        More entries of the legend. The artists of a tuple stand side by side.
    rows : int
        Largest number of rows. They are as wide as the figure; the last one has the rest.
    """
    from matplotlib.collections import PathCollection
    from matplotlib.legend import Legend
    from matplotlib.legend_handler import HandlerTuple
    from matplotlib.lines import Line2D

    row_share = max(_ROW, _ROW_POINTS / 72 / axes.figure.get_figheight())
    share = row_share * (1 + rows)
    axes.set_axis_off()
    picture = axes.inset_axes((0, share, 1, 1 - share))
    draw(picture)
    picture.autoscale(False)
    handles, labels = picture.get_legend_handles_labels()
    each = {**dict(zip(labels, handles, strict=True)), **(marks or {})}
    room = 72 * axes.figure.get_figwidth() / (CHARACTER * _LEGEND_FONT)  # in characters
    packed: list[list[str]] = [[]]
    for label in each:
        if len(packed) < rows and sum(len(other) + 5 for other in [*packed[-1], label]) > room:
            packed.append([])
        packed[-1].append(label)
    for number, row in enumerate(packed if each else []):
        legend = Legend(
            axes, [each[label] for label in row], row, loc="lower center",
            bbox_to_anchor=(0, share - row_share * (2 + number), 1, 1), ncols=len(row), frameon=False, markerscale=0.5,
            borderpad=0, borderaxespad=0, handletextpad=0.2, columnspacing=1, handlelength=1.2, fontsize=_LEGEND_FONT,
            handler_map={tuple: HandlerTuple(ndivide=None, pad=0)},
        )  # fmt: skip
        for handle in legend.legend_handles:  # as high as the text, whatever size they have in the picture
            if isinstance(handle, Line2D):
                handle.set_markersize(min(handle.get_markersize(), _LEGEND_FONT))
            elif isinstance(handle, PathCollection):
                handle.set_sizes([min(size, _LEGEND_FONT**2) for size in handle.get_sizes()])
        axes.add_artist(legend)
    return picture


def literal(text: str) -> str:
    """Return a text escaped for a drawing, in which ``$`` begins a formula."""
    return one_line(text).replace("$", r"\$")


def tip(artist: Artist, text: str) -> None:
    """Set the tooltip of an artist in SVG."""
    artist.set_gid(_TIP + one_line(text))


def tips(points: Artist, texts: Sequence[str]) -> None:
    """Set the tooltips of the points of a scatter plot in SVG."""
    points.set_gid(_TIPS + "\x1f".join(map(one_line, texts)))


def drawn(draw: Callable[[Axes], None], size: tuple[float, float], is_chart: bool = False) -> str:
    """Return the SVG of what a function draws on axes.

    Parameters
    ----------
    size : tuple of float
        Width and height in inches.
    is_chart : bool
        Whether the drawing is a chart: its background is transparent, and `INK` becomes ``currentColor``.
    """
    out = io.BytesIO()
    _save(draw, size, out, "svg", _CHART if is_chart else {}, {"Date": None, "Creator": None})
    text = out.getvalue().decode()
    text = _GROUP.sub(r"<g><title>\1</title>", text[text.index("<svg") :])
    text = _POINTS.sub(_with_tips, text)
    text = _COORDINATES.sub(lambda match: _DECIMALS.sub(r"\1", match[0]), text)
    return text.replace(INK, "currentColor") if is_chart else text


def save_figure(draw: Callable[[Axes], None], size: tuple[float, float], file: IO[bytes], kind: str) -> None:
    """Write what a function draws on axes as a figure of a paper, a vector graphic ("pdf") or pixels ("png")."""
    metadata = dict.fromkeys(("CreationDate", "Creator", "Producer") if kind == "pdf" else ("Software",))
    ground = {} if kind == "pdf" else {"figure.facecolor": "white"}
    _save(draw, size, file, kind, {**_CHART, **_PAPER, **ground}, metadata)


def _save(
    draw: Callable[[Axes], None], size: tuple[float, float], file: IO[Any], kind: str, style: Any, metadata: Any
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # matplotlib warns of characters that the font lacks
        import matplotlib as mpl
        from matplotlib.backend_bases import get_registered_canvas_class
        from matplotlib.figure import Figure

        with mpl.rc_context({**_STYLE, **style}):
            figure = Figure(figsize=size, layout="constrained")
            draw(figure.add_subplot())
            canvas = get_registered_canvas_class(kind)(figure)
            getattr(canvas, f"print_{kind}")(file, metadata=metadata)  # Figure.savefig draws twice


def _with_tips(match: re.Match[str]) -> str:
    texts = iter(match[1].split("\x1f"))
    points = _POINT.sub(lambda use: f"<use {use[1]}><title>{next(texts, '')}</title></use>", match[2])
    return f"<g>{points}\n   </g>"
