"""Tables as Markdown, LaTeX or CSV."""

from __future__ import annotations

import csv
import io
import math
import re

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
}


def markdown(table: Table) -> str:
    """A table in the dialect of GitHub; the best values of a row are bold."""

    def line(cells: list[str]) -> str:
        return "| " + " | ".join(cells) + " |"

    def text(cell: Cell) -> str:
        plain = _in_one_line(cell.text).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
        return f"**{plain}**" if cell.is_best else plain

    marks = ["---", *(":---" if _is_text(table, index) else "---:" for index in range(1, len(table.columns)))]
    lines = [line([text(Cell(name)) for name in table.columns]), line(marks)]
    lines += [line([text(cell) for cell in row]) for row in table.rows]
    lines += [line([f"**{text(row[0])}**", *map(text, row[1:])]) for row in table.totals]
    return "\n".join([f"### {text(Cell(table.title))}", "", *lines, "", *(text(Cell(note)) for note in table.notes)])


def latex(table: Table) -> str:
    """A table for the package booktabs; the best values of a row are bold."""

    def text(cell: Cell) -> str:
        escaped = re.sub(r"[\\{}&%$#_~^<>|]", lambda found: _LATEX[found[0]], _in_one_line(cell.text))
        return rf"\textbf{{{escaped}}}" if cell.is_best else escaped

    def line(row: list[Cell]) -> str:
        return " & ".join(map(text, row)) + r" \\"

    aligned = "l" + "".join("l" if _is_text(table, index) else "r" for index in range(1, len(table.columns)))
    lines = [rf"% {_in_one_line(table.title)}", rf"\begin{{tabular}}{{{aligned}}}", r"\toprule"]
    lines += [line([Cell(name) for name in table.columns]), r"\midrule", *map(line, table.rows)]
    if table.totals:
        lines += [*([r"\midrule"] if table.rows else []), *map(line, table.totals)]
    lines += [r"\bottomrule", r"\end{tabular}", *(f"% {_in_one_line(note)}" for note in table.notes)]
    return "\n".join(lines)


def comma_separated(table: Table) -> str:
    """A table as CSV, numbers as numbers."""

    def value(cell: Cell) -> str:
        if cell.value is None or math.isnan(cell.value):
            return cell.text
        return str(int(cell.value)) if cell.value.is_integer() else f"{cell.value:.12g}"

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([value(cell) for cell in row] for row in [*table.rows, *table.totals])
    return out.getvalue()


def _is_text(table: Table, column: int) -> bool:
    return all(row[column].value is None for row in [*table.rows, *table.totals])


def _in_one_line(text: str) -> str:
    return " ".join(text.split())
