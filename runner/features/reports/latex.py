"""LaTeX of tables and definitions: splits tables into parts that fit a page, and escapes all texts.

Columns of numbers are aligned by siunitx; rules are those of booktabs. Documents compile with pdflatex.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from runner.base import one_line

if TYPE_CHECKING:  # the names of formats are known without pandas, which is slow to import
    from runner.features.reports.tables import Table, TableCell

PREAMBLE = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage{booktabs}
\usepackage{graphicx}
\usepackage{siunitx}
\sisetup{reset-text-series=false, text-series-to-math=true, group-minimum-digits=4}"""
"""Beginning of a document with such tables. Papers need the last three packages and the line of siunitx."""
_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\textdollar{}",
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
_MAX_LINES = 36
"""Maximum number of lines of a part of a table."""
_USUAL_HEADING = 4
"""Number of lines of a heading for which these leave room."""
_MAX_NOTES = 18
"""Maximum number of lines of notes beside a table. Longer ones have a float of their own."""
_MAX_COLUMNS = 10
"""Maximum number of columns of a part of a table, after the first one."""
_MAX_WIDTH = 0.98 * 345 / 0.7
"""Width in points of a part of a table that is scaled to letters of 7 pt; 345 are those of a line of text of 10 pt."""
_MAX_WORD = 14
"""Characters of a line of a heading, and of a word that never breaks."""
_MAX_LINE = 40
"""Characters of a line of a long text."""
_MAX_TEXT = 400
"""Characters of a long text that are shown."""
_MAX_NOTE = 85
"""Characters of a line of a note."""
_BREAKABLE_PIECE = re.compile(r"(?:[^\W_]|(?<=\d)[.,](?=\d)){1,20}(?:[^\w\s]+|_+)?|[\W_]")
"""Part of a word after which a line may break: letters with the punctuation that follows them, or another character."""
_POINTS = {
    letter: width
    for letters, width in (
        ("fijl.,:;'|!", 2.9),
        ("I ()[]-", 3.6),
        ("rst", 3.9),
        ("cez", 4.5),
        ("bdhnpu", 5.6),
        ("w", 7.3),
        ("m%@MW", 9),
    )
    for letter in letters
}
"""Widths of letters of Computer Modern in points, which differ from those of most others."""
_BOLD = 1.15
"""Width of a bold number, as a ratio."""
_FITTED = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
"""Begins what becomes smaller if it is wider than the text."""


class _LatexColumn(NamedTuple):
    """Column of an environment `tabular`: its alignment, its heading and its cells."""

    alignment: str
    heading: str
    cells: list[str]


def latex_document(
    tables: Sequence[Table], definitions: Mapping[str, str] | None = None, findings: Sequence[str] = ()
) -> str:
    """Return a document that contains what is wrong with the rows, tables and the definitions of metrics."""
    parts = [latex(table) for table in tables]
    if findings:
        parts.insert(0, "\n".join(rf"\noindent{{\raggedright\textbf{{{_breakable(text)}}}\par}}" for text in findings))
    if definitions:
        parts.append(latex_definitions(definitions))
    body = "\n\n\\clearpage\n".join(parts)
    return f"{PREAMBLE}\n\n\\begin{{document}}\n{body}\n\\end{{document}}\n"


def latex_definitions(definitions: Mapping[str, str]) -> str:
    """Return a paragraph that defines metrics."""
    parts = [rf"\emph{{{_breakable(name)}}}: {_breakable(text)}" for name, text in definitions.items()]
    return "\n".join([r"\noindent{\raggedright\textbf{Metrics.}", *parts, r"\par}"])


def latex(table: Table) -> str:
    """Return a table with caption and label, in several parts if it has many rows or columns."""
    long_columns = [
        column
        for column in range(len(table.columns))
        if any(len(line[column].text) > _MAX_LINE for line in table.lines)
    ]
    lines_of_notes = sum(len(note) // _MAX_NOTE + 1 for note in table.notes)
    parts = [
        _tabular(table, rows, columns, long_columns)
        for columns in _columns_of_parts([_width(table, column) for column in range(len(table.columns))])
        for rows in _rows_of_parts(table, long_columns, lines_of_notes)
    ]
    caption = _breakable(table.title[:1].upper() + table.title[1:])
    if len(table.title) > _MAX_LINE:
        caption = rf"\raggedright {caption}"
    label = re.sub(r"[^a-z0-9]+", "-", table.name.lower()).strip("-")
    if len(parts) == 1:
        floats = [_captioned(parts[0], caption, label)]
    else:
        floats = [_captioned(part, f"{caption}, part {n}", f"{label}-{n}") for n, part in enumerate(parts, 1)]
    if notes := [rf"{{\footnotesize\raggedright {_breakable(note)}\par}}" for note in table.notes]:
        if lines_of_notes > _MAX_NOTES:
            floats.append([])
        floats[-1] += [r"\par\smallskip", *notes]
    begin, end = r"\begin{table}[htbp]", r"\end{table}"
    return "\n".join([f"% {one_line(table.title)}", *(line for each in floats for line in (begin, *each, end))])


def _columns_of_parts(widths: Sequence[float]) -> list[list[int]]:
    """Return the columns of each part of a table: the first one, and about equally many of the others, which fit."""
    others = range(1, len(widths))
    for parts in range(math.ceil(len(others) / _MAX_COLUMNS), len(others)):
        size = math.ceil(len(others) / max(parts, 1))
        found = [[0, *others[start : start + size]] for start in range(0, len(others), size)]
        if all(sum(widths[column] for column in part) <= _MAX_WIDTH for part in found):
            return found
    return [[0, column] for column in others] or [[0]]


def _width(table: Table, column: int) -> float:
    """Return the width of a column in points, with its margins. Numbers are aligned at their decimal points."""
    cells = [line[column] for line in table.lines]
    is_text = table.text_columns[column]
    if is_text and any(len(cell.text) > _MAX_LINE for cell in cells):
        return 10 * _MAX_LINE / 2 + 12
    parts = [cell.text.partition("\n" if is_text else ".") for cell in cells]
    widest = sum(max(map(_points, texts)) for texts in zip(("", "", ""), *parts, strict=True))
    if any(cell.is_best for cell in cells):
        widest *= _BOLD
    return max(widest, *map(_points, _lines(table.columns[column]))) + 12


def _points(text: str) -> float:
    """Return the width of a text in letters of 10 pt."""
    return sum(_POINTS.get(c, 7.4 if c.isupper() else 5.0) for c in text)


def _rows_of_parts(table: Table, long_columns: Sequence[int], lines_of_notes: int) -> list[range]:
    """Return the rows of each part of a table, as many as have room if each takes the lines of the longest text.

    The rows of the last part are halved if they leave no room for the notes below them.
    """
    long_texts = [line[column].text[:_MAX_TEXT] for line in table.lines for column in long_columns]
    lines_of_row = max((len(latex_plain(text)) for text in long_texts), default=0) // _MAX_LINE + 1
    lines_of_heading = max(_USUAL_HEADING, *(len(_lines(name)) for name in table.columns))
    height = max(1, (_MAX_LINES + _USUAL_HEADING - lines_of_heading) // lines_of_row)
    rows = range(len(table.lines))
    parts = [rows[start : start + height] for start in range(0, len(rows), height)]
    is_below = lines_of_notes <= _MAX_NOTES
    if is_below and parts and len(parts[-1]) > 1 and len(parts[-1]) * lines_of_row + lines_of_notes > _MAX_LINES:
        half = (len(parts[-1]) + 1) // 2
        parts[-1:] = [parts[-1][:half], parts[-1][half:]]
    return parts


def _captioned(tabular: str, caption: str, label: str) -> list[str]:
    """Return the lines of a float with a tabular that is not wider than the text."""
    return [
        r"\centering\emergencystretch=9em",
        rf"\caption{{{caption}}}\label{{tab:{label}}}",
        rf"\smallskip{_FITTED}",
        tabular,
        "}",
    ]


def _tabular(table: Table, rows: Sequence[int], columns: Sequence[int], long_columns: Sequence[int]) -> str:
    """Return a part of a table as an environment `tabular`, with a rule above the totals."""
    latex_columns = []
    for column in columns:
        cells = [table.lines[row][column] for row in rows]
        if not table.text_columns[column]:
            latex_columns.append(_column_of_numbers(table.columns[column], cells))
        elif column in long_columns:
            latex_columns.append(_column_of_paragraphs(table.columns[column], cells))
        else:
            latex_columns.append(_column_of_texts(table.columns[column], cells))
    body: list[str] = []
    for row, texts in zip(rows, zip(*(column.cells for column in latex_columns), strict=True), strict=True):
        if row == len(table.rows) and body:
            body.append(r"\midrule")
        body.append(_row(texts))
    lines = [
        rf"\begin{{tabular}}{{{''.join(column.alignment for column in latex_columns)}}}",
        r"\toprule",
        _row(column.heading for column in latex_columns),
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines)


def _row(texts: Iterable[str]) -> str:
    return " & ".join(texts) + r" \\"


def _column_of_texts(heading: str, cells: Sequence[TableCell]) -> _LatexColumn:
    return _LatexColumn("l", _heading(heading, "l"), [_emphasized(cell, latex_text(cell.text)) for cell in cells])


def _column_of_paragraphs(heading: str, cells: Sequence[TableCell]) -> _LatexColumn:
    """Return a column of texts that may take several lines."""
    alignment = rf">{{\raggedright\arraybackslash}}p{{{_MAX_LINE // 2}em}}"
    texts = [_emphasized(cell, _breakable(cell.text[:_MAX_TEXT])) for cell in cells]
    return _LatexColumn(alignment, _heading(heading, "l"), texts)


def _column_of_numbers(heading: str, cells: Sequence[TableCell]) -> _LatexColumn:
    """Return a column of numbers that siunitx aligns. The heading has the sign of percentages."""
    texts = [cell.text for cell in cells]
    if {text[-1:] for text in texts} - {""} == {"%"}:
        heading = f"{heading} (%)"
        texts = [text.removesuffix("%") for text in texts]
        cells = [cell._replace(text=text) for cell, text in zip(cells, texts, strict=True)]
    return _LatexColumn(_number_format(texts), _heading(heading, "r"), [_latex_number(cell) for cell in cells])


def _number_format(texts: Sequence[str]) -> str:
    """Return the alignment of a column of siunitx, by the most digits before and after the decimal point."""
    numbers = [text.replace(",", "") for text in texts if _NUMBER.fullmatch(text)]
    sign = "-" if any(number.startswith("-") for number in numbers) else ""
    parts = [number.lstrip("-").partition(".") for number in numbers]
    digits = max((len(whole) for whole, _, _ in parts), default=1)
    decimals = max((len(fraction) for _, _, fraction in parts), default=0)
    return f"S[table-format={sign}{digits}.{decimals}]"


def _latex_number(cell: TableCell) -> str:
    """Return a number for siunitx, or in braces a text that it cannot read. An empty cell has neither."""
    if not cell.text:
        return ""
    if _NUMBER.fullmatch(cell.text):
        return _emphasized(cell, cell.text.replace(",", ""))
    text = latex_text(cell.text)
    return rf"{{\textbf{{{text}}}}}" if cell.is_best else f"{{{text}}}"


def _emphasized(cell: TableCell, text: str) -> str:
    """Return the text of a cell, in bold if it is the best number."""
    return rf"\bfseries {text}" if cell.is_best and _NUMBER.fullmatch(cell.text) else text


def _heading(text: str, side: str) -> str:
    """Return a heading, with a line for every few characters."""
    lines = [*map(latex_text, _lines(text))]
    if len(lines) < 2:
        return f"{{{''.join(lines)}}}"
    return rf"{{\begin{{tabular}}[b]{{@{{}}{side}@{{}}}}" + r" \\ ".join(lines) + r"\end{tabular}}"


def _lines(heading: str) -> list[str]:
    """Return the lines of a heading. They end after words, or after parts of a word that is longer than a line."""
    lines = [""]
    for word in latex_plain(heading).split():
        if lines[-1]:
            lines[-1:] = [f"{lines[-1]} "] if len(lines[-1]) + len(word) < _MAX_WORD else [lines[-1], ""]
        for piece in _pieces(word):
            if lines[-1] and len(lines[-1] + piece) > _MAX_WORD:
                lines.append("")
            lines[-1] += piece
    return lines


def _pieces(word: str) -> list[str]:
    """Return the parts of a word after which a line may break."""
    return [word] if len(word) <= _MAX_WORD else _BREAKABLE_PIECE.findall(word)


def latex_plain(text: str) -> str:
    """Return a text with the characters that pdflatex cannot set replaced by their numbers."""
    return "".join(c if c <= LAST_LETTER and c not in _MISSING else f"[U+{ord(c):04X}]" for c in one_line(text))


def latex_text(text: str) -> str:
    """Return a text escaped for LaTeX."""
    plain = latex_plain(text)
    pairs = zip(f" {plain}", plain, strict=False)  # each character with the one before it
    return "".join("{}-" if before == c == "-" else _ESCAPES.get(c, c) for before, c in pairs)  # "--" would be a dash


def _breakable(text: str) -> str:
    """Return a text escaped for LaTeX, in which long words may break, at punctuation or after some characters."""
    words = map(_pieces, latex_plain(text).split())
    return " ".join(r"\allowbreak{}".join(map(latex_text, pieces)) for pieces in words)
