"""Tables as LaTeX, for the packages booktabs, siunitx and longtable. All texts are escaped.

The layout is chosen by estimated widths, so that a table fits the page of the class `article`: smaller fonts, then
several parts. Long tables continue on further pages.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from runner.base.errors import one_line
from runner.reports.tables import Table, TableCell

PREAMBLE = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{lmodern}
\usepackage{booktabs}
\usepackage{longtable}
\usepackage{siunitx}
\sisetup{reset-text-series=false, text-series-to-math=true, group-minimum-digits=4}
\setlength{\LTcapwidth}{\linewidth}
\raggedbottom"""
"""Beginning of a document with such tables. Papers need its packages and the line of siunitx."""

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\textdollar{}",  # matplotlib would unescape \$
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\char34{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",  # brackets and asterisks after the end of a row would be options of it
    "]": "{]}",
    "*": "{*}",
}
LAST_LETTER = "\N{LATIN SMALL LETTER Z WITH CARON}"
"""Last letter of Latin Extended-A that pdflatex can set with the encoding T1."""
_MISSING = frozenset("\u0126\u0127\u0138\u013f\u0140\u0149\u0166\u0167")
"""Letters before `LAST_LETTER` that it cannot set."""

_NUMBER = re.compile(r"-?[\d,]+(?:\.\d+)?")
_MAX_ROWS = 32
"""Maximum number of rows of a table on one page."""
_MAX_TITLE = 50
"""Number of characters from which on a caption may have several lines."""
_WORD, _HEADING = 14, 10
"""Number of characters without a space after which a line may break, and of a line of a heading."""
_BREAK = r"\allowbreak{}"
_CAPTION_ABOVE = r"\setlength{\abovecaptionskip}{0pt}\setlength{\belowcaptionskip}{6pt}"
_WIDTHS = {
    **dict.fromkeys("ijl.,:;'|!()[] ", 0.32),
    **dict.fromkeys("frstIJ", 0.43),
    **dict.fromkeys("aceogz0123456789", 0.53),
    **dict.fromkeys("mwMW%@ŒœŴŵĲ", 1.08),
}
_CAPITAL, _LETTER = 0.82, 0.6
"""Widths of letters in ems, and of all other capital and small letters. Small fonts are wider in relation."""
_SMALL_EM = 1.07
"""Width of an em in relation to the size of a small font."""


@dataclass(frozen=True)
class _Layout:
    """Size of a table.

    Attributes
    ----------
    command : str
        Command for the size of the font.
    size, space : float
        Size of the font, and space on both sides of a column, in points.
    """

    command: str
    size: float
    space: float


_LAYOUTS = (
    _Layout("normalsize", 10, 6),
    _Layout("small", 9, 5),
    _Layout("footnotesize", 8, 4),
    _Layout("footnotesize", 8, 2),
)
"""Layouts in the order of preference. Tables in several parts have the last."""
_TEXT_WIDTH = 340.0
"""Width of the text of the class `article` with 10 points, in points."""


@dataclass(frozen=True)
class _Column:
    """Column of a table in LaTeX: specification, heading, cells, width in ems, whether cells have several lines."""

    specification: str
    heading: str
    cells: list[str]
    width: float
    is_wrapped: bool = False


def document(tables: Sequence[Table]) -> str:
    """Return a document that contains tables."""
    body = "\n\n\\clearpage\n".join(map(latex, tables))
    return f"{PREAMBLE}\n\n\\begin{{document}}\n{body}\n\\end{{document}}\n"


def latex(table: Table) -> str:
    """Return a table with caption and label, in several parts if it is too wide."""
    for line in (_HEADING, 0):
        columns = [_column(table, place, line) for place in range(len(table.columns))]
        layout = next((each for each in _LAYOUTS if _fits(columns, each)), _LAYOUTS[-1])
        if _fits(columns, layout):
            break
    parts = _parts(columns, layout)
    label = re.sub(r"[^a-z0-9]+", "-", table.name.lower()).strip("-")
    ragged = r"\raggedright " if len(table.title) > _MAX_TITLE else ""
    title = ragged + _breakable(table.title[:1].upper() + table.title[1:])
    made = []
    for number, part in enumerate(parts, 1):
        is_only = len(parts) == 1
        caption = title + ("" if is_only else f", part {number}")
        made.append(_part(table, part, layout, caption, f"tab:{label}" + ("" if is_only else f"-{number}")))
    notes = [rf"\noindent{{\footnotesize\raggedright {_breakable(note)}\par}}" for note in table.notes]
    return "\n".join([f"% {one_line(table.title)}", "\n\n".join(made), *notes])


def _part(table: Table, columns: Sequence[_Column], layout: _Layout, caption: str, label: str) -> str:
    """Return one part of a table: a float, or a table that continues on further pages."""
    headings = " & ".join(column.heading for column in columns) + r" \\"
    lines = [" & ".join(cells) + r" \\" for cells in zip(*(column.cells for column in columns), strict=True)]
    rows, totals = lines[: len(table.rows)], lines[len(table.rows) :]
    body = [*rows, *([r"\midrule"] if rows and totals else []), *totals, r"\bottomrule"]
    specification = "".join(column.specification for column in columns)
    style = [rf"\{layout.command}", r"\emergencystretch=9em", rf"\setlength{{\tabcolsep}}{{{layout.space:g}pt}}"]
    named = rf"\caption{{{caption}}}\label{{{label}}}"
    height = len(lines) + max(column.heading.count(r" \\ ") for column in columns)
    if height <= _MAX_ROWS and not any(column.is_wrapped for column in columns):
        begin = [
            r"\begin{table}[htbp]",
            r"\centering",
            _CAPTION_ABOVE,
            *style,
            named,
            rf"\begin{{tabular}}{{{specification}}}",
        ]
        end = [r"\end{tabular}", r"\end{table}"]
        return "\n".join([*begin, r"\toprule", headings, r"\midrule", *body, *end])
    repeated = [r"\toprule", headings, r"\midrule"]
    begin = ["{" + "".join(style), rf"\begin{{longtable}}{{{specification}}}", named + r"\\", *repeated]
    begin += [r"\endfirsthead", *repeated, r"\endhead"]
    return "\n".join([*begin, *body, r"\end{longtable}}"])


def _parts(columns: Sequence[_Column], layout: _Layout) -> list[list[_Column]]:
    """Return parts that fit the page, with equally many columns if possible. Each begins with the first column."""
    name, *others = columns
    parts = [[name]]
    for column in others:
        if len(parts[-1]) > 1 and not _fits([*parts[-1], column], layout):
            parts.append([name])
        parts[-1].append(column)
    size = math.ceil(len(others) / len(parts)) or 1
    equal = [[name, *others[start : start + size]] for start in range(0, len(others), size)]
    return equal if equal and all(_fits(part, layout) for part in equal) else parts


def _fits(columns: Sequence[_Column], layout: _Layout) -> bool:
    return sum(column.width * layout.size + 2 * layout.space for column in columns) <= _TEXT_WIDTH


def _column(table: Table, place: int, line: int) -> _Column:
    """Return a column whose heading has lines of this number of characters, or of one word if that is longer."""
    cells = [row[place] for row in [*table.rows, *table.totals]]
    heading = table.columns[place]
    if table.text_columns[place]:
        return _text_column(_lines(heading, line), cells)
    if {cell.text[-1:] for cell in cells} - {""} == {"%"}:
        heading, cells = f"{heading} (%)", [replace(cell, text=cell.text.removesuffix("%")) for cell in cells]
    numbers = [cell.text.replace(",", "") for cell in cells if _NUMBER.fullmatch(cell.text)]
    whole = max((len(number.partition(".")[0].lstrip("-")) for number in numbers), default=1)
    digits = max((len(number.partition(".")[2]) for number in numbers), default=0)
    sign = "-" if any(number.startswith("-") for number in numbers) else ""
    specification = f"S[table-format={sign}{whole}.{digits}]"
    lines = _lines(heading, line)
    others = [_em(cell.text) for cell in cells if not _NUMBER.fullmatch(cell.text)]
    width = 0.57 * (whole + digits + (digits > 0) + 1.5 * bool(sign)) + 0.18 * ((whole - 1) // 3 + digits // 3)
    width = max([width, *others, *map(_em, lines)])
    return _Column(specification, _heading(lines, "r"), [_number(cell) for cell in cells], width)


def _text_column(lines: list[str], cells: Sequence[TableCell]) -> _Column:
    """Return a column of texts. Long texts have several lines."""
    longest = 16.0
    width = max([_em(cell.text) for cell in cells] + [_em(line) for line in lines], default=1.0)
    if width <= longest:
        return _Column("l", _heading(lines, "l"), [_bold(latex_text(cell.text), cell) for cell in cells], width)
    specification = rf">{{\raggedright\arraybackslash}}p{{{longest:g}em}}"
    texts = [_bold(_breakable(cell.text), cell) for cell in cells]
    return _Column(specification, _heading(lines, "l"), texts, longest * _SMALL_EM, is_wrapped=True)


def _number(cell: TableCell) -> str:
    if not _NUMBER.fullmatch(cell.text):
        return f"{{{_bold(latex_text(cell.text), cell)}}}" if cell.text else "{}"
    return (r"\bfseries " if cell.is_best else "") + cell.text.replace(",", "")


def _bold(text: str, cell: TableCell) -> str:
    return rf"\textbf{{{text}}}" if cell.is_best else text


def _lines(heading: str, length: int) -> list[str]:
    """Return the lines of a heading: its words and their parts up to underscores, with short ones together."""
    lines: list[str] = []
    for piece in re.findall(rf" ?[^ _]{{1,{_WORD}}}_?|[ _]", latex_plain(heading)):
        if lines and len(lines[-1]) + len(piece) <= length:
            lines[-1] += piece
        else:
            lines.append(piece.lstrip())
    return lines or [""]


def _heading(lines: Sequence[str], side: str) -> str:
    escaped = [latex_text(line) for line in lines]
    if len(escaped) == 1:
        return f"{{{escaped[0]}}}"
    return rf"{{\begin{{tabular}}[b]{{@{{}}{side}@{{}}}}" + r" \\ ".join(escaped) + r"\end{tabular}}"


def _em(text: str) -> float:
    """Return an upper estimate of the width of a text in ems, for the fonts Computer Modern and Latin Modern."""
    return sum(_WIDTHS.get(c, _CAPITAL if c.isupper() else _LETTER) for c in latex_plain(text))


def latex_plain(text: str) -> str:
    """Return a text with the characters that pdflatex cannot set replaced by their numbers."""
    return "".join(c if c <= LAST_LETTER and c not in _MISSING else f"[U+{ord(c):04X}]" for c in one_line(text))


def latex_text(text: str) -> str:
    """Return a text escaped for LaTeX."""
    characters = (_LATEX.get(c, c) for c in latex_plain(text))
    return re.sub("-(?=-)", "-{}", "".join(characters))  # two of them would be a dash


def _breakable(text: str) -> str:
    """Return a text escaped for LaTeX, in which long words may break, at punctuation or after some characters."""
    pieces = re.findall(rf"\s+|[^\W_]{{1,{_WORD}}}[^\w\s]*|[\W_]", latex_plain(text))
    made = "".join(" " if piece.isspace() else latex_text(piece) + _BREAK for piece in pieces)
    return made.replace(f"{_BREAK} ", " ").removesuffix(_BREAK)
