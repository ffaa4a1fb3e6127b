"""Formats of reports: which files each format writes, and what HTML, Markdown and CSV contain.

All texts are escaped, because they may come from anyone. `runner.features.reports.latex` makes LaTeX.
"""

from __future__ import annotations

import math
import re
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from runner.base import UserError, atomic_write, message, one_line, render_page
from runner.features.reports.doors import REPORT_FORMATS, failures_of, report_format
from runner.features.reports.latex import latex, latex_definitions, latex_document

if TYPE_CHECKING:  # the names of formats are known without pandas, which is slow to import
    from runner.features.reports.content import ReportContent
    from runner.features.reports.tables import Table, TableCell

WITHOUT_PICTURES = frozenset(("markdown", "latex", "csv", "pdf", "png", "checklist"))
"""Our formats that show no pictures of instances, which take seconds to draw."""
_PAGE = Path(__file__).with_name("page.html")
_PLAIN_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")
_BEGINS_FORMULA = ("=", "+", "-", "@")
_BEGINS_BLANK = ("\t", "\r", "\n")


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
        result = REPORT_FORMATS.find(name)(report, out)
        files = [*result] if isinstance(result, (list, tuple, Iterator)) else None
    if files is None or not all(isinstance(file, Path) for file in files):
        raise UserError(f"format '{name}' returned {reprlib.repr(result)}; expected a list of the paths of its files")
    for file in files:
        if not file.is_file():
            raise UserError(f"format '{name}' returned '{file}', but did not write it")
    if not files:
        message(f"note: format '{name}': there is nothing to write")
    return files


def page(report: ReportContent) -> str:
    """Return one page that contains everything, as HTML."""
    kinds = {chart.kind for chart in report.charts[:1]}  # one chart for each world
    first = [chart for chart in report.charts if chart.kind in kinds]
    return render_page(_PAGE, _visible, report=report, first_charts=first, themed=_themed)


def _themed(svg: str) -> str:
    """Return a chart whose colours are those of the page, which has others on dark ground."""
    from runner.features.reports.charts import COLOURS

    for index, shade in enumerate(COLOURS):
        svg = svg.replace(shade, f"var(--s{index})")
    return svg


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
    parts = [f"# {escaped(report.title)}", *(f"> **{markdown_text(text)}**" for text in report.findings)]
    parts += [f"> {markdown_line(note)}" for note in report.notes]
    parts += [escaped(report.lead)] if report.lead else []
    answers = [
        f"- {escaped(question)}: " + (f"**{escaped(name)}**. {escaped(text)}" if text else f"{escaped(name)}.")
        for question, name, text in report.answers
    ]
    parts.append("\n".join(answers))
    parts += map(markdown, report.tables)
    parts += [
        f"### Counterexample: {escaped(counterexample.check)}\n\n{_fenced(counterexample.text)}"
        for counterexample in report.counterexamples
    ]
    parts += [f"![{escaped(chart.title)}]({quote(chart.name)}.svg)" for chart in report.charts]
    return "\n\n".join(parts) + "\n"


def checklist_page(report: ReportContent) -> str:
    """Return the answers to questions on experiments in Markdown. What the records do not have is marked."""
    from runner.features.reports.checklist import INTRODUCTION

    lines = [f"# Reproducibility checklist: {markdown_text(report.title)}", "", INTRODUCTION]
    for item in report.checklist:
        lines += ["", f"## {item.question}", ""]
        lines += [f"- {markdown_line(text)}" for text in item.answers]
        lines += [f"- **Not recorded**: {markdown_text(gap)}" for gap in item.gaps]
    return "\n".join(lines) + "\n"


def _fenced(block: str) -> str:
    """Return a text as a block of code, with a fence longer than any in the text."""
    longest_run = max(map(len, re.findall("`+", block)), default=0)
    fence = "`" * max(3, longest_run + 1)
    return "\n".join([fence, str(_visible(block)), fence])


def comma_separated(table: Table) -> str:
    """Return a table as CSV. Texts that a spreadsheet would execute begin with an apostrophe."""
    import pandas as pd

    frame = pd.DataFrame([[_csv_value(cell) for cell in row] for row in table.lines])
    return frame.to_csv(index=False, header=[*map(csv_text, table.columns)], lineterminator="\n")


def csv_text(text: str) -> str:
    """Return a text for a spreadsheet in one line, because a formula could follow a line break."""
    line = one_line(text)
    is_formula = line.startswith(_BEGINS_FORMULA) or text.startswith(_BEGINS_BLANK)
    return f"'{line}" if is_formula and not _PLAIN_NUMBER.fullmatch(line) else line


def _csv_value(cell: TableCell) -> str:
    if cell.value is None or math.isnan(cell.value):
        return csv_text(cell.text)
    return str(int(cell.value)) if float(cell.value).is_integer() else f"{cell.value:.12g}"


def _write_all(contents: Mapping[Path, str | bytes]) -> list[Path]:
    """Write files when all charts are drawn, because one of a plug-in may fail."""
    return [_write(file, content) for file, content in contents.items()]


def _write(file: Path, content: str | bytes) -> Path:
    with atomic_write(file, "wb" if isinstance(content, bytes) else "w") as out:
        out.write(content)
    return file


@report_format("html")
def _html(report: ReportContent, out: Path) -> list[Path]:
    return [_write(out / "report.html", page(report))]


@report_format("markdown")
def _markdown(report: ReportContent, out: Path) -> list[Path]:
    charts = {out / f"{chart.name}.svg": chart.svg for chart in report.charts}
    return _write_all({out / "report.md": markdown_page(report), **charts})


@report_format("latex")
def _latex(report: ReportContent, out: Path) -> list[Path]:
    files = [_write(out / f"{table.name}.tex", latex(table) + "\n") for table in report.tables]
    if report.definitions:
        files.append(_write(out / "definitions.tex", latex_definitions(report.definitions) + "\n"))
    document = latex_document(report.tables, report.definitions, report.findings)
    return [_write(out / "report.tex", document), *files]


@report_format("csv")
def _csv(report: ReportContent, out: Path) -> list[Path]:
    return [_write(out / f"{table.name}.csv", comma_separated(table)) for table in report.tables]


def _figures(kind: str) -> Callable[[ReportContent, Path], list[Path]]:
    """Return the format with a file of a kind for each chart."""
    return lambda report, out: _write_all({out / f"{chart.name}.{kind}": chart.figure(kind) for chart in report.charts})


report_format("pdf")(_figures("pdf"))
report_format("png")(_figures("png"))


@report_format("checklist")
def _checklist(report: ReportContent, out: Path) -> list[Path]:
    return [_write(out / "checklist.md", checklist_page(report))]
