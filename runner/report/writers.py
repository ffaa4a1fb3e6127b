"""Reports as files: HTML, Markdown, LaTeX and CSV."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from runner.report import text
from runner.report.content import Report
from runner.report.tables import Table
from worlds.files import whole_file


def _html(report: Report, out: Path) -> list[Path]:
    """One page with everything in it."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )

    def link(file: Path) -> str:
        return Path(os.path.relpath(file, out)).as_posix()

    page = environment.get_template("page.html").render(report=report, link=link)
    return [_write(out / "report.html", page)]


def _markdown(report: Report, out: Path) -> list[Path]:
    """The tables in one file, the charts beside it."""
    charts = [_write(out / f"{figure.name}.svg", figure.svg) for figure in report.figures]
    parts = [f"# {report.title}", *(f"> {note}" for note in report.notes)]
    if report.constants:
        parts.append("In all rows: " + "; ".join(f"{name} {value}" for name, value in report.constants.items()) + ".")
    parts.append("\n".join(f"- `{label}`: {meaning}" for label, meaning in report.meanings.items()))
    parts += map(text.markdown, report.tables)
    parts += [f"### Counterexample: {each.check}\n\n```\n{each.text}\n```" for each in report.counterexamples]
    parts += [f"![{figure.title}]({figure.name}.svg)" for figure in report.figures]
    return [_write(out / "report.md", "\n\n".join(parts) + "\n"), *charts]


def _latex(report: Report, out: Path) -> list[Path]:
    """Tables to be included, for the package booktabs."""
    return [_write(out / "report.tex", "\n\n".join(map(text.latex, report.tables)) + "\n")]


def _csv(report: Report, out: Path) -> list[Path]:
    """A file for each table."""

    def file(table: Table) -> Path:
        return _write(out / f"{table.name}.csv", text.comma_separated(table))

    return list(map(file, report.tables))


WRITERS: dict[str, Callable[[Report, Path], list[Path]]] = {
    "html": _html,
    "markdown": _markdown,
    "latex": _latex,
    "csv": _csv,
}


def _write(file: Path, content: str) -> Path:
    with whole_file(file) as out:
        out.write(content)
    return file
