"""Tables as Markdown or CSV. All texts are escaped, because they may come from anyone."""

from __future__ import annotations

import csv
import io
import math
import re

from runner.base.errors import one_line
from runner.reports.tables import Table, TableCell

_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")
_FORMULA, _BLANK = ("=", "+", "-", "@"), ("\t", "\r", "\n")


def markdown(table: Table) -> str:
    """Return a table in GitHub's dialect of Markdown, with the best values in bold."""

    def line(cells: list[str]) -> str:
        return "| " + " | ".join(cells) + " |"

    def text(cell: TableCell) -> str:
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


def _csv_value(cell: TableCell) -> str:
    if cell.value is None or math.isnan(cell.value):
        return csv_text(cell.text)
    return str(int(cell.value)) if cell.value.is_integer() else f"{cell.value:.12g}"
