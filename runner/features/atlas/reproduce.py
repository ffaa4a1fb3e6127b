"""``runner reproduce [NAME]``: run an entry of the atlas, and compare its figures with the published ones."""

from __future__ import annotations

import shlex
import shutil
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from runner.base import FAILED, SUCCESS, UserError, console, message, override_text, show, shown
from runner.cli import run_command
from runner.config import ArgumentParser, command
from runner.features.audits import AUDIT
from runner.records import read

if TYPE_CHECKING:
    import pandas as pd

    from runner.features.atlas.reproduction import AtlasEntry, Experiment, Figure

_FORMATS = ("html", "markdown", "latex", "csv")


def parser() -> ArgumentParser:
    """Return the parser of the command."""
    result = ArgumentParser(
        prog="python -m runner reproduce",
        description="Run an entry of the atlas of published tables, and say for each figure what was published, what "
        "comes out here, and whether they agree. Without NAME, list the entries. An interrupted command continues "
        "where it stopped. Exit code 1: a figure that should agree does not.",
    )
    result.add_argument("name", nargs="?", metavar="NAME", help="entry of the atlas, or folder with an entry.yaml")
    result.add_argument("--quick", action="store_true", help="run the part that takes a minute or less")
    result.add_argument(
        "--data", metavar="DIR", type=Path, help="folder with the files that an entry needs beside those of the package"
    )
    result.add_argument(
        "--out", metavar="DIR", type=Path, help="folder to write to (default: outputs/reproduce/NAME, or NAME-quick)"
    )
    result.add_argument(
        "--format", action="append", choices=_FORMATS, help="format of the tables; may be repeated (default: all)"
    )
    result.add_argument("--workers", default="1", metavar="N", help="processes that search: a number or all")
    return result


@command("reproduce", "run an entry of the atlas of published tables, and compare the figures", parser=parser)
def main(arguments: Sequence[str]) -> int:
    """Run the command and return its exit code."""
    options = parser().parse_args(arguments)
    from runner.features.atlas import reproduction  # imports pandas, which is slow

    if options.name is None:
        return SUCCESS if show(lambda: _list(reproduction.entries())) else FAILED
    return _reproduce(options, _with_data(reproduction.find(options.name), options))


def _with_data(entry: AtlasEntry, options: Namespace) -> AtlasEntry:
    """Return an entry with the folder of the files that it needs in its commands.

    Raises
    ------
    UserError
        If it needs files, and there is no folder of them, or commands cannot contain its path.
    """
    folder: Path | None = options.data
    if not entry.needs:
        if folder is not None:
            raise UserError(f"--data: {options.name} needs no files")
        return entry
    if folder is None:
        raise UserError(f"{options.name}: needs {entry.needs}; give the folder of these files by --data DIR")
    if not folder.is_dir():
        raise UserError(f"--data: there is no folder {shown(folder)}")
    if shlex.quote(_quoted(folder)) != str(folder):
        raise UserError(f"--data: expected a path of letters, digits and / - _ ., got {shown(folder)}")
    return entry.with_data(str(folder))


def _list(entries: dict[str, AtlasEntry]) -> None:
    from rich.table import Table

    table = Table("entry", "what", "source", "time", "--quick")
    for name, entry in entries.items():
        table.add_row(name, entry.title, entry.source, entry.time, entry.quick_time)
    console().print(table)


def _reproduce(options: Namespace, entry: AtlasEntry) -> int:
    from runner.features.atlas import reproduction
    from runner.features.reports import write_report

    name = Path(options.name).resolve().name
    out: Path = options.out or Path("outputs", "reproduce", name + "-quick" * options.quick)
    found: list[tuple[Experiment, str, list[Figure]]] = []
    for number, experiment in enumerate(entry.experiments, 1):
        if options.quick and experiment.quick is None:
            continue
        words = shlex.split(f"{experiment.run} {experiment.quick if options.quick else ''}")
        command = f"python -m runner {shlex.join(words)}"
        message(command)
        exit_code, rows = _run(words, out / f"run_{number}", options.workers)
        if rows is None:
            return exit_code
        found.append((experiment, command, reproduction.judge(experiment, words, rows)))
    report = reproduction.content(name, entry, found)
    files = write_report(report, out, options.format or _FORMATS)
    is_shown = show(lambda: _show(found, files))
    for failure in report.failures:
        message(f"failed: {failure}")
    return FAILED if report.failures or not is_shown else SUCCESS


def _run(words: list[str], folder: Path, workers: str) -> tuple[int, pd.DataFrame | None]:
    """Run a command in a folder; return its exit code, and its rows, if it came to an end."""
    if words[0] == "audit":
        if (folder / AUDIT).exists():
            shutil.rmtree(folder)
        exit_code = run_command([*words, f"hydra.run.dir={_quoted(folder)}"])
        return exit_code, read(folder / AUDIT) if exit_code in (SUCCESS, FAILED) else None
    exit_code = run_command([*words, f"workers={workers}", f"hydra.sweep.dir={_quoted(folder)}"])
    return exit_code, read(folder) if exit_code in (SUCCESS, FAILED) else None


def _quoted(path: Path) -> str:
    return override_text(str(path))


def _show(found: Sequence[tuple[Experiment, str, Sequence[Figure]]], files: Sequence[Path]) -> None:
    from runner.features.atlas.reproduction import summary

    for experiment, _, figures in found:
        print(f"{experiment.title}\n  {summary(figures)}")
        for figure in figures:
            if figure.verdict == "differs":
                values = f"published {figure.published}, ours {figure.ours or 'nothing'}"
                print(f"  {' '.join((*figure.keys, figure.name))}: {values}{figure.note and f' ({figure.note})'}")
    print(*(shown(file) for file in files), sep="\n", flush=True)
