"""``runner warm [ARGUMENTS]``: compile kernels now, so that later commands only load them."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from algorithms.engine import Limits
from algorithms.interface import ALGORITHMS
from algorithms.programs.interface import ExternalPlanner
from heuristics.interface import HEURISTICS, documented_stack
from runner.base import SUCCESS, Incompatible, UserError, message, plural
from runner.cli.progress import TerminalProgress
from runner.config import ArgumentParser, Cell, Parser, Request, command, parse_run, run_parser, source_of
from runner.execution import Solver, combinations, refuse_wrong
from worlds.compile import cache_folder, compile_seconds
from worlds.interface import SOURCES

_USAGE = """usage: python -m runner warm [KEY=VALUE1,VALUE2 ...]

Compile the kernels that a run or a sweep with these arguments needs: five instances of each cell are searched. Without
arguments, compile those of all algorithms, heuristics and random worlds, which takes a minute or two. Later commands
load the kernels from the user's cache, until search-runner, numba or the processor changes. Writes no results."""

_NODES, _INSTANCES = 5_000, 5
"""Expansions of a search, so that arrays grow, and instances of a cell: those without a solution need more kernels."""


def parser() -> ArgumentParser:
    """Return the parser of the words."""
    return run_parser("python -m runner warm")


@command("warm", "compile kernels now, so that later commands only load them", parser=parser, takes_run=True)
def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    flags, request = parse_run(parser(), arguments)
    if flags.help:
        print(_USAGE)
        return SUCCESS
    cells = _cells(request) if request.overrides else _every_cell()
    start = time.perf_counter()
    with TerminalProgress("kernels", len(cells), True) as progress:
        for cell in cells:
            _search(cell, _INSTANCES if request.overrides else 1)
            progress.advance(1)
    folder = cache_folder()
    kept = f"kept in {folder}" if folder is not None else "not kept, because no folder can be written"
    seconds = f"{compile_seconds()[0]:.0f} s of {time.perf_counter() - start:.0f} s"
    message(f"kernels of {plural(len(cells), 'cell')} compiled or loaded in {seconds}, {kept}")
    return SUCCESS


def _every_cell() -> list[Cell]:
    """Return the cells of all random worlds, algorithms and heuristics that fit together."""
    parser, cells = Parser(), dict[str, Cell]()
    algorithms = [name for name in ALGORITHMS.names() if not issubclass(ALGORITHMS.find(name), ExternalPlanner)]
    for world in (name for name in SOURCES.names() if name.endswith("/random")):
        domain = source_of({"name": world}).domain
        stacks = [[], *(documented_stack(domain, each) for each in HEURISTICS.names(domain=domain))]
        for algorithm, stack in itertools.product(algorithms, stacks):
            configuration = {
                "world": {"name": world},
                "algorithm": {"name": algorithm},
                "heuristic": {"stack": stack},
                "weighting": {"name": "none"},
                "limits": {"nodes": _NODES},
            }
            with suppress(Incompatible):
                cell = parser.parse(configuration)
                cells[cell.identity()] = cell
    return list(cells.values())


def _cells(request: Request) -> list[Cell]:
    """Return the cells of a sweep. Raise a `UserError` if one is wrong."""
    cells, omitted = combinations(request)
    refuse_wrong(omitted)
    if not cells:
        raise UserError(omitted[0].problem if omitted else "no cell is left")
    return [each.cell for each in cells]


def _search(cell: Cell, count: int) -> None:
    """Search instances of a cell. Their outcomes do not matter. Programs of others have no kernels."""
    if isinstance(cell.algorithm, ExternalPlanner):
        return
    cell.stack.build(next(iter(cell.source.samples())), lambda *_: None)
    solver = Solver.of(replace(cell, limits=Limits(nodes=_NODES)))
    for instance in itertools.islice(cell.source.series.instances(), count):
        attempt = solver.attempt(instance)
        attempt.warm()
        attempt.result()
