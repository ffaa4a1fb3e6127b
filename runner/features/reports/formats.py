"""Write reports as HTML, Markdown, LaTeX, CSV, PDF and PNG. Texts are escaped, because they may come from anyone."""

from __future__ import annotations

import math
import os
import re
import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, cast
from urllib.parse import quote

from runner.base.errors import UserError, one_line
from runner.base.files import atomic_write
from runner.base.html import render
from runner.base.messages import message
from runner.features.reports.doors import REPORT_FORMATS, failures_of, report_format

if TYPE_CHECKING:  # the names of formats are known without pandas, which is slow to import
    from runner.features.reports.content import ReportContent
    from runner.features.reports.tables import Table, TableCell

WITHOUT_PICTURES = frozenset(("markdown", "latex", "csv", "pdf", "png", "checklist"))
"""Our formats that show no pictures of instances, which take seconds to draw."""
_PAGE = Path(__file__).with_name("page.html")
_PLAIN_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")
_FORMULA, _BLANK = ("=", "+", "-", "@"), ("\t", "\r", "\n")


def write_report(report: ReportContent, out: Path, formats: Iterable[str], where: str = "--format") -> list[Path]:
    """Write a report into a folder, in one format after the other, and return the files.

    If one fails, the files of those before it stay.
    """
    names = list(dict.fromkeys(formats))
    for name in names:
        REPORT_FORMATS.find(name, where=where)
    is_new = not out.exists()
    out.mkdir(parents=True, exist_ok=True)
    try:
        return [file for name in names for file in _written(name, report, out)]
    finally:
        if is_new:
            with suppress(OSError):  # it has files
                out.rmdir()


def _written(name: str, report: ReportContent, out: Path) -> list[Path]:
    """Write a report in one format, and return the files."""
    with failures_of(REPORT_FORMATS, name):
        found = REPORT_FORMATS.find(name)(report, out)
        files = [*found] if isinstance(found, (list, tuple, Iterator)) else None
    if files is None or not all(isinstance(file, Path) for file in files):
        raise UserError(f"format '{name}' returned {reprlib.repr(found)}; expected a list of the paths of its files")
    for file in files:
        if not file.is_file():
            raise UserError(f"format '{name}' returned '{file}', but did not write it")
    if not files:
        message(f"note: format '{name}': there is nothing to write")
    return files


def page(report: ReportContent, out: Path) -> str:
    """Return one page that contains everything, as HTML. Its links are relative to a folder."""
    return render(_PAGE, _visible, report=report, link=lambda file: link_to(file, out), themed=_themed)


def _themed(svg: str) -> str:
    """Return a chart whose colours are those of the page, which has others on dark ground."""
    from runner.features.reports.charts import COLOURS

    for index, shade in enumerate(COLOURS):
        svg = svg.replace(shade, f"var(--s{index})")
    return svg


def link_to(file: Path, out: Path) -> str:
    """Return the quoted address of a file, relative to the folder of the page."""
    try:
        return quote(Path(os.path.relpath(file, out)).as_posix().encode(errors="surrogateescape"))
    except ValueError:  # on another drive
        return ""


def _visible(value: object) -> object:
    """Escape the invisible characters of a text, except line breaks and tabs. Leave other values unchanged."""
    if type(value) is not str or value.isprintable():
        return value
    return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in value)


def markdown(table: Table) -> str:
    """Return a table in GitHub's dialect of Markdown, with the best values in bold."""
    import pandas as pd

    def text(cell: TableCell) -> str:
        plain = markdown_text(cell.text)
        return f"**{plain}**" if cell.is_best else plain

    rows = [[text(cell) for cell in row] for row in table.rows]
    rows += [[f"**{text(row[0])}**", *map(text, row[1:])] for row in table.totals]
    frame = pd.DataFrame(rows, columns=[*map(markdown_text, table.columns)])
    sides = ["left" if is_text else "right" for is_text in table.text_columns]
    body = frame.to_markdown(index=False, disable_numparse=True, colalign=sides)
    return "\n".join([f"### {markdown_text(table.title)}", "", body, "", *map(markdown_line, table.notes)])


def markdown_text(text: str) -> str:
    """Return a text escaped for Markdown."""
    text = re.sub(r"[\\`*\[\]|~#$!]", r"\\\g<0>", one_line(text))
    text = re.sub(r"(?<![^\W_])_|_(?![^\W_])", r"\_", text)  # not within a word, where it has no meaning
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def markdown_line(text: str) -> str:
    """Return a text escaped for the beginning of a line, where it could become a list or a heading."""
    return re.sub(r"^(\d*)([-+=.)])", r"\1\\\2", markdown_text(text))


def markdown_page(report: ReportContent) -> str:
    """Return a report in Markdown, with links to its charts."""
    escaped = markdown_text
    parts = [f"# {escaped(report.title)}", *(f"> {markdown_line(note)}" for note in report.notes)]
    parts += [escaped(report.lead)] if report.lead else []
    answers = (
        f"- {escaped(question)}: **{escaped(name)}**. {escaped(text)}" for question, name, text in report.answers
    )
    parts.append("\n".join(answers))
    parts += [_fenced(command) for command in report.origin.commands]
    if report.constants:
        constants = (f"{escaped(name)} {escaped(value)}" for name, value in report.constants.items())
        parts.append("In all rows: " + "; ".join(constants) + ".")
    for texts in (report.meanings, report.definitions):
        parts.append("\n".join(f"- **{escaped(name)}**: {escaped(full)}" for name, full in texts.items()))
    parts += map(markdown, report.tables)
    parts += [f"### Counterexample: {escaped(each.check)}\n\n{_fenced(each.text)}" for each in report.counterexamples]
    parts += [f"![{escaped(chart.title)}]({quote(chart.name)}.svg)" for chart in report.charts]
    return "\n\n".join(parts) + "\n"


def checklist_page(report: ReportContent) -> str:
    """Return the answers to questions on experiments in Markdown. What the records do not have is marked."""
    from runner.features.reports.checklist import INTRODUCTION

    lines = [f"# Reproducibility checklist: {markdown_text(report.title)}", "", INTRODUCTION]
    for each in report.checklist:
        lines += ["", f"## {each.question}", "", *(f"- {markdown_line(text)}" for text in each.answers)]
        lines += [f"- **Not recorded**: {markdown_text(gap)}" for gap in each.gaps]
    return "\n".join(lines) + "\n"


def _fenced(block: str) -> str:
    """Return a text as a block of code, with a fence longer than any in the text."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", block)), default=0))
    return "\n".join([fence, str(_visible(block)), fence])


def comma_separated(table: Table) -> str:
    """Return a table as CSV. Texts that a spreadsheet would execute begin with an apostrophe."""
    import pandas as pd

    frame = pd.DataFrame([[_csv_value(cell) for cell in row] for row in table.lines])
    return frame.to_csv(index=False, header=[*map(csv_text, table.columns)], lineterminator="\n")


def csv_text(text: str) -> str:
    """Return a text for a spreadsheet in one line, because a formula could follow a line break."""
    line = one_line(text)
    is_formula = line.startswith(_FORMULA) or text.startswith(_BLANK)
    return f"'{line}" if is_formula and not _PLAIN_NUMBER.fullmatch(line) else line


def _csv_value(cell: TableCell) -> str:
    if cell.value is None or math.isnan(cell.value):
        return csv_text(cell.text)
    return str(int(cell.value)) if float(cell.value).is_integer() else f"{cell.value:.12g}"


PREAMBLE = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{lmodern}
\usepackage{booktabs}
\usepackage{graphicx}
\usepackage{siunitx}
\sisetup{reset-text-series=false, text-series-to-math=true, group-minimum-digits=4}"""
"""Beginning of a document with such tables. Papers need the last three packages and the line of siunitx."""
_LATEX = {
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
_MAX_LINES, _MAX_COLUMNS = 36, 10
"""Maximum number of rows and columns of a part of a table."""
_WORD, _LINE, _MAX_TEXT = 14, 40, 400
"""Characters after which a word may break, of a line of a long text, and of a text."""
_FITTED = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
"""Begins what becomes smaller if it is wider than the text."""


def latex_document(tables: Sequence[Table], definitions: Mapping[str, str] | None = None) -> str:
    """Return a document that contains tables and the definitions of metrics."""
    parts = [*map(latex, tables), *([latex_definitions(definitions)] if definitions else [])]
    body = "\n\n\\clearpage\n".join(parts)
    return f"{PREAMBLE}\n\n\\begin{{document}}\n{body}\n\\end{{document}}\n"


def latex_definitions(definitions: Mapping[str, str]) -> str:
    """Return a paragraph that defines metrics."""
    parts = [rf"\emph{{{_breakable(name)}}}: {_breakable(text)}" for name, text in definitions.items()]
    return "\n".join([r"\noindent{\raggedright\textbf{Metrics.}", *parts, r"\par}"])


def latex(table: Table) -> str:
    """Return a table with caption and label, in several parts if it has many rows or columns."""
    places = range(1, len(table.columns))
    width = -(-len(places) // max(1, -(-len(places) // _MAX_COLUMNS)))  # the parts have equally many columns
    columns = [[0, *places[start : start + width]] for start in range(0, len(places), max(1, width))] or [[0]]
    long = [place for place in (0, *places) if any(len(line[place].text) > _LINE for line in table.lines)]
    longest = max((len(line[place].text[:_MAX_TEXT]) for line in table.lines for place in long), default=0)
    height = max(1, _MAX_LINES // (longest // _LINE + 1))
    rows = range(len(table.lines))
    lines = [list(rows[start : start + height]) for start in range(0, len(rows), height)]
    parts = [(some, each) for each in columns for some in lines]
    label = re.sub(r"[^a-z0-9]+", "-", table.name.lower()).strip("-")
    made = []
    for number, (some, each) in enumerate(parts, 1):
        is_only = len(parts) == 1
        caption = r"\raggedright " if len(table.title) > _LINE else ""
        caption += _breakable(table.title[:1].upper() + table.title[1:]) + ("" if is_only else f", part {number}")
        made += [
            r"\begin{table}[htbp]",
            r"\centering\emergencystretch=9em",
            rf"\caption{{{caption}}}\label{{tab:{label}{'' if is_only else f'-{number}'}}}",
            rf"\smallskip{_FITTED}",
            _tabular(table, some, each, long),
            "}",
            r"\end{table}",
        ]
    notes = [rf"\noindent{{\footnotesize\raggedright {_breakable(note)}\par}}" for note in table.notes]
    return "\n".join([f"% {one_line(table.title)}", *made, *notes])


def _tabular(table: Table, lines: Sequence[int], places: Sequence[int], long: Sequence[int]) -> str:
    """Return a part of a table as an environment `tabular`."""
    import pandas as pd

    headings, cells, formats = list[str](), dict[int, list[str]](), list[str]()
    bold = pd.DataFrame("", index=range(len(lines)), columns=range(len(places)))
    for column, place in enumerate(places):
        heading, found = table.columns[place], [table.lines[line][place] for line in lines]
        if {cell.text[-1:] for cell in found} - {""} == {"%"} and not table.text_columns[place]:
            heading, found = f"{heading} (%)", [cell._replace(text=cell.text.removesuffix("%")) for cell in found]
        headings.append(_heading(heading, "l" if table.text_columns[place] else "r"))
        bold[column] = ["bfseries: " if cell.is_best and _NUMBER.fullmatch(cell.text) else "" for cell in found]
        if table.text_columns[place]:
            formats.append(rf">{{\raggedright\arraybackslash}}p{{{_LINE // 2}em}}" if place in long else "l")
            cells[column] = [
                _breakable(cell.text[:_MAX_TEXT]) if place in long else latex_text(cell.text) for cell in found
            ]
        else:
            formats.append(_number_format([cell.text for cell in found]))
            cells[column] = [_latex_number(cell) for cell in found]
    if len(table.rows) in lines[1:]:
        first = lines.index(len(table.rows))
        cells[0][first] = "\\midrule\n" + cells[0][first]
    style = pd.DataFrame(cells).style.hide(axis="index").apply(lambda _: bold, axis=None)
    style = style.format_index(lambda place: headings[cast(int, place)], axis=1)
    return style.to_latex(column_format="".join(formats), hrules=True).rstrip()


def _heading(text: str, side: str) -> str:
    """Return a heading, with a line for every few characters."""
    lines = [*map(latex_text, wrap(latex_plain(text), _WORD, break_on_hyphens=False))]
    if len(lines) < 2:
        return f"{{{''.join(lines)}}}"
    return rf"{{\begin{{tabular}}[b]{{@{{}}{side}@{{}}}}" + r" \\ ".join(lines) + r"\end{tabular}}"


def _number_format(found: Sequence[str]) -> str:
    """Return the column of siunitx that aligns numbers."""
    numbers = [text.replace(",", "") for text in found if _NUMBER.fullmatch(text)]
    whole = max((len(number.partition(".")[0].lstrip("-")) for number in numbers), default=1)
    digits = max((len(number.partition(".")[2]) for number in numbers), default=0)
    return f"S[table-format={'-' if any(number.startswith('-') for number in numbers) else ''}{whole}.{digits}]"


def _latex_number(cell: TableCell) -> str:
    if _NUMBER.fullmatch(cell.text):
        return cell.text.replace(",", "")
    return rf"{{\textbf{{{latex_text(cell.text)}}}}}" if cell.is_best else f"{{{latex_text(cell.text)}}}"


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
    made = "".join(" " if piece.isspace() else latex_text(piece) + r"\allowbreak{}" for piece in pieces)
    return made.replace(r"\allowbreak{} ", " ").removesuffix(r"\allowbreak{}")


def _write_all(contents: Mapping[Path, str | bytes]) -> list[Path]:
    """Write files when all charts are drawn, because one of a plug-in may fail."""
    return [_write(file, content) for file, content in contents.items()]


def _write(file: Path, content: str | bytes) -> Path:
    with atomic_write(file, "wb" if isinstance(content, bytes) else "w") as out:
        out.write(content)
    return file


@report_format("html")
def _html(report: ReportContent, out: Path) -> list[Path]:
    return [_write(out / "report.html", page(report, out))]


@report_format("markdown")
def _markdown(report: ReportContent, out: Path) -> list[Path]:
    charts = {out / f"{chart.name}.svg": chart.svg for chart in report.charts}
    return _write_all({out / "report.md": markdown_page(report), **charts})


@report_format("latex")
def _latex(report: ReportContent, out: Path) -> list[Path]:
    files = [_write(out / f"{table.name}.tex", latex(table) + "\n") for table in report.tables]
    if report.definitions:
        files.append(_write(out / "definitions.tex", latex_definitions(report.definitions) + "\n"))
    return [_write(out / "report.tex", latex_document(report.tables, report.definitions)), *files]


@report_format("csv")
def _csv(report: ReportContent, out: Path) -> list[Path]:
    return [_write(out / f"{table.name}.csv", comma_separated(table)) for table in report.tables]


@report_format("pdf")
def _pdf(report: ReportContent, out: Path) -> list[Path]:
    return _figures(report, out, "pdf")


@report_format("png")
def _png(report: ReportContent, out: Path) -> list[Path]:
    return _figures(report, out, "png")


@report_format("checklist")
def _checklist(report: ReportContent, out: Path) -> list[Path]:
    return [_write(out / "checklist.md", checklist_page(report))]


def _figures(report: ReportContent, out: Path, kind: str) -> list[Path]:
    return _write_all({out / f"{chart.name}.{kind}": chart.figure(kind) for chart in report.charts})
