"""Tables as Markdown, LaTeX or CSV. All texts are escaped, because they may come from anyone."""

from __future__ import annotations

import csv
import io
import math
import re

from runner.registry import one_line
from runner.report.tables import Cell, Table

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
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
LAST_LETTER = "\N{LATIN SMALL LETTER LONG S}"
"""Last letter of Latin Extended-A. pdflatex cannot set the characters after it."""

_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")
_FORMULA, _BLANK = ("=", "+", "-", "@"), ("\t", "\r", "\n")


def markdown(table: Table) -> str:
    """Return a table in GitHub's dialect of Markdown, with the best values in bold."""

    def line(cells: list[str]) -> str:
        return "| " + " | ".join(cells) + " |"

    def text(cell: Cell) -> str:
        plain = markdown_text(cell.text)
        return f"**{plain}**" if cell.is_best else plain

    marks = ["---", *(":---" if is_text else "---:" for is_text in table.text_columns[1:])]
    lines = [line([*map(markdown_text, table.columns)]), line(marks)]
    lines += [line([text(cell) for cell in row]) for row in table.rows]
    lines += [line([f"**{text(row[0])}**", *map(text, row[1:])]) for row in table.totals]
    return "\n".join([f"### {markdown_text(table.title)}", "", *lines, "", *map(markdown_line, table.notes)])


def markdown_text(text: str) -> str:
    """Return a text escaped for Markdown."""
    text = re.sub(r"[\\`*\[\]|~#$!]", r"\\\g<0>", one_line(text))
    text = re.sub(r"(?<![^\W_])_|_(?![^\W_])", r"\_", text)  # not within a word, where it has no meaning
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def markdown_line(text: str) -> str:
    """Return a text escaped for the beginning of a line, where it could become a list or a heading."""
    return re.sub(r"^(\d*)([-+=.)])", r"\1\\\2", markdown_text(text))


def latex(table: Table) -> str:
    """Return a table for the package booktabs, with the best values in bold."""

    def text(cell: Cell) -> str:
        escaped = latex_text(cell.text)
        return rf"\textbf{{{escaped}}}" if cell.is_best else escaped

    def line(row: list[Cell]) -> str:
        return " & ".join(map(text, row)) + r" \\"

    aligned = "".join("l" if is_text else "r" for is_text in table.text_columns)
    lines = [rf"% {one_line(table.title)}", rf"\begin{{tabular}}{{{aligned}}}", r"\toprule"]
    lines += [line([Cell(name) for name in table.columns]), r"\midrule", *map(line, table.rows)]
    if table.totals:
        lines += [*([r"\midrule"] if table.rows else []), *map(line, table.totals)]
    lines += [r"\bottomrule", r"\end{tabular}", *(f"% {one_line(note)}" for note in table.notes)]
    return "\n".join(lines)


def latex_text(text: str) -> str:
    """Return a text escaped for LaTeX. Characters that pdflatex cannot set are replaced by their numbers."""
    characters = (_LATEX.get(c, c) if c <= LAST_LETTER else f"{{[}}U+{ord(c):04X}{{]}}" for c in one_line(text))
    return re.sub("-(?=-)", "-{}", "".join(characters))  # two of them would be a dash


def comma_separated(table: Table) -> str:
    """Return a table as CSV. Texts that a spreadsheet would execute begin with an apostrophe."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(csv_text, table.columns))
    writer.writerows([_csv_value(cell) for cell in row] for row in [*table.rows, *table.totals])
    return out.getvalue()


def csv_text(text: str) -> str:
    """Return a text for a spreadsheet in one line, because a formula could follow a line break."""
    line = one_line(text)
    is_formula = line.startswith(_FORMULA) or text.startswith(_BLANK)
    return f"'{line}" if is_formula and not _NUMBER.fullmatch(line) else line


def _csv_value(cell: Cell) -> str:
    if cell.value is None or math.isnan(cell.value):
        return csv_text(cell.text)
    return str(int(cell.value)) if cell.value.is_integer() else f"{cell.value:.12g}"
