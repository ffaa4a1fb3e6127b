"""``python -m runner.report FOLDER...``: tables and charts of runs and sweeps."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from runner.command import Parser, guarded
from runner.registry import UserError, suggest
from runner.report import text
from runner.report.content import Report
from runner.report.tables import Table
from runner.terminal import message
from worlds.files import whole_file


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    options = _options(arguments)
    return guarded(lambda: _report(options), options.out or "report")


def _report(options: argparse.Namespace) -> int:
    folders = [Path(folder) for folder in options.folders]
    if options.out is None:
        first = next((folder for folder in folders if folder.exists()), folders[0])
        out = (first if first.is_dir() else first.parent) / "report"
    else:
        out = Path(options.out)
    for name in options.format:
        if name not in WRITERS:
            raise UserError(f"--format: there is no format '{name}'{suggest(name, WRITERS)}")
    from runner.report.content import compose

    report = compose(folders, options.metric, options.compare)
    for note in report.notes:
        message(f"note: {note}")
    out.mkdir(parents=True, exist_ok=True)
    files = [file for form in dict.fromkeys(options.format) for file in WRITERS[form](report, out)]
    print(*(str(file).encode(errors="replace").decode() for file in files), sep="\n", flush=True)
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser(
        prog="python -m runner.report", description="Make tables and charts of the rows of runs and sweeps."
    )
    parser.add_argument(
        "folders", nargs="+", metavar="FOLDER", help="folder of a run or a sweep, or a CSV file of rows"
    )
    parser.add_argument(
        "--format", type=_names, default=["html"], metavar="FORMAT,...",
        help=f"{', '.join(WRITERS)} (default: html); several at once are possible",
    )  # fmt: skip
    parser.add_argument("--out", metavar="DIR", help="where the files go (default: report in the first folder)")
    parser.add_argument("--metric", type=_names, default=[], metavar="COLUMN,...", help="which columns are shown")
    parser.add_argument(
        "--compare", nargs=2, default=[], metavar=("A", "B"), help="two configurations, by their names in the report"
    )
    return parser.parse_args(arguments)


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


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


if __name__ == "__main__":
    sys.exit(main())
