"""``runner select FOLDER``: choose among candidates on training tasks, and compare the choice on other tasks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from runner.base import (
    OUTPUTS,
    REFUSED,
    SUCCESS,
    UserError,
    assignments,
    console,
    message,
    override_text,
    refuse_words,
    section_of_word,
    shown,
    suggest,
)
from runner.cli import TerminalDisplay, run_prepared
from runner.config import ArgumentParser, Request, command, source_of
from runner.execution import Solver, Sweep
from runner.features.generated.candidates import Candidate, CellValues, candidates_in, importable, values_of_words
from runner.records import read
from worlds.interface import domains_of_sources

if TYPE_CHECKING:
    import pandas

ALGORITHM = {"algorithm": "greedy", "algorithm.ties": "fifo"}
DEFAULTS = (*assignments(ALGORITHM, " ").split(), "limits.time=300", "limits.memory=8GiB", "workers=all")
"""Overrides of both sweeps, before those of the command."""
BASELINES = {"pddl": ("ff", "hadd")}
"""Heuristics of a domain that are compared with the choice."""
_CHOSEN_HERE = ("heuristic", "sweep", "hydra", "plugins")
_WORDS = re.compile(r"world[.=]")
"""Beginning of a place that is given by overrides of the world, not by the path of tasks."""


def parser() -> ArgumentParser:
    """Return the parser of the command."""
    result = ArgumentParser(
        prog="python -m runner select",
        description="Run all candidates on training tasks, choose the best for each domain, and compare it on other "
        "tasks with the best possible choice, and with other heuristics. The same command continues after an "
        "interruption, and makes rows of changed files again.",
    )
    result.add_argument(
        "folder", metavar="FOLDER",
        help="heuristics: Python files for Pyperplan or with decorators, models (.onnx), programs; or a folder of them "
        "for each domain; or a file .txt with the overrides of a candidate in each line",
    )  # fmt: skip
    for name, kind in (("--train", "to choose by"), ("--test", "to compare by")):
        result.add_argument(
            name, action="append", required=True, metavar="TASKS",
            help=f"tasks {kind}, as world.path of PDDL: a folder, a file or a pattern; or overrides of any world in "
            "one text, as 'world=npuzzle/random world.seed=1'; may be repeated",
        )  # fmt: skip
    result.add_argument(
        "--baseline", action="append", metavar="NAME",
        help="heuristic to compare with; may be repeated (default: ff and hadd for PDDL)",
    )  # fmt: skip
    result.add_argument(
        "--out", metavar="DIR", help=f"folder of both sweeps (default: {OUTPUTS}/select/NAME of FOLDER)"
    )
    result.add_argument(
        "overrides", nargs="*", default=[], metavar="KEY=VALUE",
        help=f"overrides of both sweeps, such as limits.time=60; before them stand {' '.join(DEFAULTS)}",
    )  # fmt: skip
    return result


@command("select", "choose the best of many heuristics on training tasks, and compare it on others", parser=parser)
def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    options = parser().parse_intermixed_args(arguments)
    refuse_words(options.overrides)
    for word in options.overrides:
        if section_of_word(word) in _CHOSEN_HERE or word.startswith(("world=", "world.path=", "world.group=")):
            raise UserError(f"{word}: select sets this itself")
    out = Path(options.out or OUTPUTS / "select" / Path(options.folder).resolve().name)
    training, testing = _groups("--train", options.train), _groups("--test", options.test)
    found = importable(
        {group: candidates_in(options.folder, group, places[0].domain) for group, places in training.items()}
    )

    from runner.features.generated import selection  # imports pandas, which is slow
    from runner.features.reports import markdown

    code, rows = _sweep(_cells(training, found), options.overrides, out / "train")
    if rows is None:
        return code
    trained = selection.scores(rows)
    chosen = selection.best(trained)
    own = {group: places for group, places in testing.items() if group in chosen}
    if not own:
        raise UserError(f"--test: there are no tasks of {', '.join(chosen)}; its groups are {', '.join(testing)}")
    ran = set(trained[selection.CANDIDATE])
    ordered = {
        group: sorted((each for each in found[group] if each.name in ran), key=lambda each: each.name != chosen[group])
        for group in own
    }
    cells = _cells(own, ordered)
    for group, places in own.items():
        for name in options.baseline or BASELINES.get(places[0].domain, ()):
            cells += _cells({group: places}, {group: [Candidate("", {"heuristic": name})]})
    code, rows = _sweep(cells, options.overrides, out / "test")
    if rows is None:
        return code
    is_candidate = rows[selection.CANDIDATE] != ""
    tested = selection.scores(rows[is_candidate])
    mine = {group: chosen[group] for group in own}
    compared = selection.comparisons(mine, tested, rows)
    shown_tables = [selection.selection(mine, tested, rows[~is_candidate]), *([] if compared is None else [compared])]
    tables = [*shown_tables, selection.candidates(trained, tested)]
    console().print("\n\n".join(map(markdown, shown_tables)), markup=False, soft_wrap=True)
    file = out / "selection.md"
    file.write_text("\n\n".join(map(markdown, tables)) + "\n", encoding="utf-8")
    message(f"results: {shown(file)}")
    return SUCCESS


class _Place(NamedTuple):
    """Tasks: the values of their world, and its domain."""

    values: CellValues
    domain: str


class _SweptCell(NamedTuple):
    values: CellValues
    candidate: Candidate
    group: str


def _groups(option: str, given: Sequence[str]) -> dict[str, list[_Place]]:
    """Return the places with tasks of each group: of a domain of PDDL, or of another world by its name."""
    found: dict[str, list[_Place]] = {}
    for text in given:
        if _WORDS.match(text):
            values = values_of_words(text, option)
            wrong = next((key for key in values if section_of_word(key) != "world"), None)
            if wrong is not None or "world" not in values:
                raise UserError(
                    f"{option}: {wrong or text}: expected overrides of a world, as 'world=NAME world.seed=1'"
                )
            name = str(values["world"])
            domain = domains_of_sources().get(name)
            if domain is None:
                raise UserError(f"{option}: there is no world '{name}'{suggest(name, domains_of_sources())}")
            found.setdefault(name, []).append(_Place(values, domain))
            continue
        source = source_of({"name": "pddl/file", "path": text})
        source.check()
        for group in dict.fromkeys(instance.id.partition("#")[0] for instance in source.instances()):
            values = {"world": "pddl/file", "world.path": text, "world.group": group}
            found.setdefault(group, []).append(_Place(values, source.domain))
    return found


def _cells(groups: Mapping[str, Sequence[_Place]], found: Mapping[str, Sequence[Candidate]]) -> list[_SweptCell]:
    return [
        _SweptCell({**each.cell, **place.values}, each, group)
        for group, places in groups.items()
        for place in places
        for each in found[group]
    ]


def _sweep(cells: Sequence[_SweptCell], overrides: Sequence[str], folder: Path) -> tuple[int, pandas.DataFrame | None]:
    """Run a sweep of some cells, and return its exit code, and the rows of these cells unless it has been stopped."""
    given = {word.partition("=")[0] for word in overrides}
    for each in cells:
        both = next((key for key in each.candidate.cell if key in given), None)
        if both is not None:  # the value of the command would replace it
            raise UserError(f"{both}: {each.candidate.name} sets this itself; leave it out of the command")
    defaults, values = DEFAULTS, [each.values for each in cells]
    if any("algorithm" in each for each in values):
        defaults = tuple(word for word in DEFAULTS if section_of_word(word) != "algorithm")
        values = [each if "algorithm" in each else {**ALGORITHM, **each} for each in values]
    own = [f"sweep.cells={override_text(values)}", f"hydra.sweep.dir={override_text(str(folder.absolute()))}"]
    plugins = [*dict.fromkeys(each.candidate.plugin for each in cells if each.candidate.plugin is not None)]
    if plugins:
        own.append(f"plugins={override_text(plugins)}")
    request = Request((*defaults, *overrides, *own), is_sweep=True)
    swept = request.first_sweep()
    if swept is not None:
        raise UserError(f"'{swept.input_line}': select takes one value for each key")
    prepared = Sweep.of(request, TerminalDisplay())
    code = run_prepared(prepared)
    is_refused = code == REFUSED and not (prepared.refused and prepared.cells)  # some refused candidates stop no other
    if code > REFUSED or is_refused or prepared.settings.dry_run:
        return code, None
    import pandas

    from runner.features.generated.selection import CANDIDATE
    from runner.features.reports import GROUP

    asked = []
    for run in prepared.cells:
        of_cell, solver = cells[run.number], Solver.of(run.cell)
        names = {CANDIDATE: of_cell.candidate.name, GROUP: of_cell.group, "limits": str(run.cell.limits)}
        asked += [{"run_id": solver.run_id(instance), **names} for instance in run.cell.source.instances()]
    rows = read(folder).drop(columns=GROUP, errors="ignore")
    rows = rows.assign(limits=rows["limits"].fillna("")).drop_duplicates(["run_id", "limits"])
    return code, pandas.DataFrame(asked).drop_duplicates().merge(rows, on=["run_id", "limits"])
