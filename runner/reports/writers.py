"""Write reports as HTML, Markdown, LaTeX and CSV."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from runner.base.drawing import save_pdf, save_pgf
from runner.base.errors import UserError
from runner.base.html import render
from runner.reports import latex, text
from runner.reports.chart import COLOURS
from runner.reports.content import ReportContent
from worlds.files import atomic_write

_PAGE = Path(__file__).with_name("page.html")


def page(report: ReportContent, out: Path) -> str:
    """Return one page that contains everything, as HTML. Its links are relative to a folder."""
    return render(_PAGE, _visible, report=report, link=lambda file: link_to(file, out), themed=_themed)


def _html(report: ReportContent, out: Path) -> list[Path]:
    return [_write(out / "report.html", page(report, out))]


def _themed(svg: str) -> str:
    """Return a chart whose colours are those of the page, which has others on dark ground."""
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


def _markdown(report: ReportContent, out: Path) -> list[Path]:
    """Write the tables to one file, and the charts to files beside it."""
    charts = [_write(out / f"{figure.name}.svg", figure.svg) for figure in report.figures]
    escaped = text.markdown_text
    parts = [f"# {escaped(report.title)}", *(f"> {text.markdown_line(note)}" for note in report.notes)]
    parts += [escaped(report.lead)] if report.lead else []
    answers = (
        f"- {escaped(each.question)}: **{escaped(each.name)}**. {escaped(each.detail)}" for each in report.answers
    )
    parts.append("\n".join(answers))
    parts += [_fenced(command) for command in report.origin.commands]
    if report.constants:
        constants = (f"{escaped(name)} {escaped(value)}" for name, value in report.constants.items())
        parts.append("In all rows: " + "; ".join(constants) + ".")
    parts.append("\n".join(f"- **{escaped(name)}**: {escaped(full)}" for name, full in report.meanings.items()))
    parts += map(text.markdown, report.tables)
    parts += [f"### Counterexample: {escaped(each.check)}\n\n{_fenced(each.text)}" for each in report.counterexamples]
    parts += [f"![{escaped(figure.title)}]({quote(figure.name)}.svg)" for figure in report.figures]
    return [_write(out / "report.md", "\n\n".join(parts) + "\n"), *charts]


def _fenced(block: str) -> str:
    """Return a text as a block of code, with a fence longer than any in the text."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", block)), default=0))
    return "\n".join([fence, str(_visible(block)), fence])


def _latex(report: ReportContent, out: Path) -> list[Path]:
    """Write a document with all tables, and a file for each table."""
    files = [_write(out / f"{table.name}.tex", latex.latex(table) + "\n") for table in report.tables]
    return [_write(out / "report.tex", latex.document(report.tables)), *files]


def _csv(report: ReportContent, out: Path) -> list[Path]:
    """Write a file for each table."""
    return [_write(out / f"{table.name}.csv", text.comma_separated(table)) for table in report.tables]


def _pdf(report: ReportContent, out: Path) -> list[Path]:
    """Write each chart as a figure for a paper."""
    made = []
    for figure in report.figures:
        made.append(out / f"{figure.name}.pdf")
        with atomic_write(made[-1], "wb") as file:
            save_pdf(figure.draw, figure.paper_size, file)
    return made


def _pgf(report: ReportContent, out: Path) -> list[Path]:
    """Write each chart for papers that use the package pgf."""
    if shutil.which("pdflatex") is None:
        raise UserError("--format pgf: needs the program pdflatex, which measures texts; install TeX Live")
    made = []
    for figure in report.figures:
        made.append(out / f"{figure.name}.pgf")
        with atomic_write(made[-1]) as file:
            save_pgf(figure.draw, figure.paper_size, file, latex.latex_text)
    return made


WRITERS: dict[str, Callable[[ReportContent, Path], list[Path]]] = {
    "html": _html,
    "markdown": _markdown,
    "latex": _latex,
    "csv": _csv,
    "pdf": _pdf,
    "pgf": _pgf,
}


def _write(file: Path, content: str) -> Path:
    with atomic_write(file) as out:
        out.write(content)
    return file
