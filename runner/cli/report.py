"""``runner report FOLDER...``: tables and charts of runs and sweeps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from runner.cli.arguments import ArgumentParser
from runner.messages import SUCCESS, message
from runner.registry import UserError, suggest

FORMATS = ("html", "markdown", "latex", "csv")


def parser() -> ArgumentParser:
    """Return the parser of the options."""
    result = ArgumentParser(
        prog="python -m runner report", description="Make tables and charts of the rows of runs and sweeps."
    )
    result.add_argument(
        "folders", nargs="+", metavar="FOLDER", help="folder of a run or a sweep, or a CSV file of rows"
    )
    result.add_argument(
        "--format", type=_names, default=["html"], metavar="FORMAT,...",
        help=f"{', '.join(FORMATS)} (default: html); several at once are possible",
    )  # fmt: skip
    result.add_argument("--out", metavar="DIR", help="where the files go (default: report in the first folder)")
    result.add_argument("--metric", type=_names, default=[], metavar="COLUMN,...", help="which columns are shown")
    result.add_argument(
        "--compare", nargs=2, default=[], metavar=("A", "B"), help="two configurations, by their names in the report"
    )
    return result


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns the exit code."""
    options = parser().parse_args(arguments)
    for name in options.format:
        if name not in FORMATS:
            raise UserError(f"--format: there is no format '{name}'{suggest(name, FORMATS)}")
    folders = [Path(folder) for folder in options.folders]
    out = _default_folder(folders) if options.out is None else Path(options.out)

    from runner.report.content import compose  # imports pandas and matplotlib
    from runner.report.writers import WRITERS

    report = compose(folders, options.metric, options.compare)
    for note in report.notes:
        message(f"note: {note}")
    out.mkdir(parents=True, exist_ok=True)
    files = [file for name in dict.fromkeys(options.format) for file in WRITERS[name](report, out)]
    print(*(str(file).encode(errors="replace").decode() for file in files), sep="\n", flush=True)
    return SUCCESS


def _default_folder(folders: Sequence[Path]) -> Path:
    first = next((folder for folder in folders if folder.exists()), folders[0])
    return (first if first.is_dir() else first.parent) / "report"


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]
