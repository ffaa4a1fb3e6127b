"""``runner select FOLDER``: choose among heuristics in files on training tasks, and compare it on other tasks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from runner.base import (
    OUTPUTS,
    REFUSED,
    SUCCESS,
    UserError,
    console,
    find_files,
    message,
    override_text,
    refuse_words,
    section_of_word,
    shown,
)
from runner.cli import TerminalDisplay, run_prepared
from runner.config import ArgumentParser, Request, command, source_of
from runner.execution import Solver, Sweep
from runner.records import read

if TYPE_CHECKING:
    import pandas

DEFAULTS = (
    "world=pddl/file",
    "algorithm=greedy",
    "algorithm.ties=fifo",
    "limits.time=300",
    "limits.memory=8GiB",
    "workers=all",
)
"""Overrides of both sweeps, before those of the command."""
BASELINES = ("ff", "hadd")
"""Heuristics that are compared with the choice."""
SCALE = 1000
"""`heuristic.scale` of the candidates: greedy search then distinguishes values as floats, to three decimals."""
_CHOSEN_HERE = ("heuristic", "sweep", "hydra")

Cell = dict[str, str | int]


def parser() -> ArgumentParser:
    """Return the parser of the command."""
    result = ArgumentParser(
        prog="python -m runner select",
        description="Run all heuristics in a folder on training tasks, choose the best for each domain, and compare it "
        "on other tasks with the best possible choice, and with ff and hadd. The same command continues after an "
        "interruption, and makes rows of changed files again.",
    )
    result.add_argument(
        "folder", metavar="FOLDER",
        help="Python files with heuristics for Pyperplan, or a folder with such files for each domain",
    )  # fmt: skip
    for name, kind in (("--train", "to choose by"), ("--test", "to compare by")):
        result.add_argument(
            name, action="append", required=True, metavar="PATH",
            help=f"tasks {kind}, as world.path: a folder, a file or a pattern; may be repeated",
        )  # fmt: skip
    result.add_argument(
        "--out", metavar="DIR", help=f"folder of both sweeps (default: {OUTPUTS}/select/NAME of FOLDER)"
    )
    result.add_argument(
        "overrides",
        nargs="*",
        default=[],
        metavar="KEY=VALUE",
        help=f"overrides of both sweeps, such as limits.time=60; before them stand {' '.join(DEFAULTS)}",
    )
    return result


@command(
    "select", "choose the best of many heuristics in files on training tasks, and compare it on others", parser=parser
)
def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    options = parser().parse_intermixed_args(arguments)
    refuse_words(options.overrides)
    for word in options.overrides:
        if section_of_word(word) in _CHOSEN_HERE or word.startswith(("world=", "world.path=", "world.group=")):
            raise UserError(f"{word}: select sets this itself")
    out = Path(options.out or OUTPUTS / "select" / Path(options.folder).resolve().name)
    training, testing = _groups(options.train), _groups(options.test)
    files = {group: _files(options.folder, group) for group in training}

    from runner.features.generated import selection  # imports pandas, which is slow
    from runner.features.reports import markdown

    code, rows = _sweep(_cells(training, files), options.overrides, out / "train")
    if rows is None:
        return code
    trained = selection.scores(rows)
    chosen = selection.best(trained)
    own = {group: paths for group, paths in testing.items() if group in chosen}
    if not own:
        raise UserError(f"--test: there are no tasks of {', '.join(chosen)}; its groups are {', '.join(testing)}")
    ordered = {group: dict.fromkeys([chosen[group], *files[group]]) for group in own}
    cells = [{**cell, "heuristic": name} for name in BASELINES for cell in _places(own)]
    code, rows = _sweep([*_cells(own, ordered), *cells], options.overrides, out / "test")
    if rows is None:
        return code
    is_candidate = rows[selection.CANDIDATE].notna()
    tested = selection.scores(rows[is_candidate])
    tables = [selection.selection({g: chosen[g] for g in own}, tested, rows[~is_candidate])]
    console().print(markdown(tables[0]), markup=False, soft_wrap=True)
    tables.append(selection.candidates(trained, tested))
    file = out / "selection.md"
    file.write_text("\n\n".join(map(markdown, tables)) + "\n", encoding="utf-8")
    message(f"results: {shown(file)}")
    return SUCCESS


def _groups(paths: Sequence[str]) -> dict[str, list[str]]:
    """Return the paths with tasks of each group."""
    found: dict[str, list[str]] = {}
    for path in paths:
        source = source_of({"name": "pddl/file", "path": path})
        source.check()
        for group in dict.fromkeys(instance.id.partition("#")[0] for instance in source.instances()):
            found.setdefault(group, []).append(path)
    return found


def _files(folder: str, group: str) -> list[str]:
    """Return the candidates for a group: the files in the folder of its name, or else those in the folder itself."""
    own = Path(folder).expanduser() / group
    return [str(path) for path in find_files(str(own) if own.is_dir() else folder, (".py",), "heuristics", "FOLDER")]


def _places(groups: Mapping[str, Sequence[str]]) -> list[Cell]:
    return [{"world.path": path, "world.group": group} for group, paths in groups.items() for path in paths]


def _cells(groups: Mapping[str, Sequence[str]], files: Mapping[str, Iterable[str]]) -> list[Cell]:
    return [
        {"heuristic": "file", "heuristic.path": file, "heuristic.scale": SCALE, **place}
        for place in _places(groups)
        for file in files[str(place["world.group"])]
    ]


def _sweep(cells: Sequence[Cell], overrides: Sequence[str], folder: Path) -> tuple[int, pandas.DataFrame | None]:
    """Run a sweep of some cells, and return its exit code, and the rows of these cells unless it has been stopped."""
    own = (f"sweep.cells={override_text(cells)}", f"hydra.sweep.dir={override_text(str(folder.absolute()))}")
    words = (*DEFAULTS, *overrides, *own)
    request = Request(words, is_sweep=True)
    swept = request.first_sweep()
    if swept is not None:
        raise UserError(f"'{swept.input_line}': select takes one value for each key")
    prepared = Sweep.of(request, TerminalDisplay())
    code = run_prepared(prepared)
    if code >= REFUSED or prepared.settings.dry_run:
        return code, None
    from runner.features.generated.selection import CANDIDATE
    from runner.features.reports import GROUP

    asked: set[tuple[str, str]] = set()
    limits: set[str] = set()
    for each in prepared.cells:
        file, solver = str(cells[each.number].get(CANDIDATE, "")), Solver.of(each.cell)
        asked.update((solver.run_id(instance), file) for instance in each.cell.source.instances())
        limits.add(str(each.cell.limits))
    rows = read(folder)
    if CANDIDATE not in rows:  # a single cell
        rows[CANDIDATE] = cells[0][CANDIDATE]
    rows[GROUP] = rows["instance"].str.partition("#")[0]
    keys = zip(rows["run_id"], rows[CANDIDATE].fillna(""), strict=True)
    rows = rows[[key in asked for key in keys]]
    return code, rows[rows["limits"].fillna("").isin(limits)].drop_duplicates(["run_id", CANDIDATE])
