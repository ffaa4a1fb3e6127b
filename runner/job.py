"""One cell: all instances of a source, searched one after the other, a row on disk for each."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from algorithms.engine.search import Counts
from runner import environment, interrupts, isolation
from runner.progress import Cells, Progress
from runner.result import INTERRUPTED, Improvement, Result
from runner.results import ENVIRONMENT, Writer
from runner.schema import Cell
from runner.solver import Solver
from runner.sweep.finished import Finished
from runner.terminal import LOG
from runner.totals import Totals
from worlds.interface import Instance

KEPT_FOR_DISPLAY = 100


def run(
    cell: Cell, directory: Path, cells: Cells | None = None, finished: Finished | None = None
) -> tuple[Totals, list[Result]]:
    """Run a cell and write its results into a directory.

    Parameters
    ----------
    cells : Cells, optional
        The sweep of which it is a cell.
    finished : Finished, optional
        The rows of the sweep that are not to be made again; the cell goes on with the files in the directory.

    Returns
    -------
    totals : Totals
        Over the new rows.
    first : list of Result
        The first rows, for display.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C, after the row of the instance that was interrupted.
    UserError
        If the directory holds results already, or what a heuristic needs cannot be built.
    """
    isolated = isolation.is_isolated(cell.isolation, is_sweep=finished is not None)
    enforced = isolation.description(cell.limits) if isolated else None
    solver = Solver(cell.key(), cell.algorithm, cell.stack, cell.weighting, cell.limits, enforced)
    with Progress(str(cell.stack), 1, cell.progress, cells) as progress:
        for sample in cell.source.samples():
            cell.stack.build(sample, progress.build)
    totals = Totals(directory)
    first: list[Result] = []
    with Writer(directory, goes_on=finished is not None) as writer, _log_file(directory / LOG):
        title = f"{cell.algorithm.registered_name} {cell.stack}"
        with Progress(title, len(cell.part), cell.progress, cells) as progress:
            limits = repr(cell.limits)
            own = 0 if finished is None else finished.adopt(directory, limits)

            on_the_way: set[str] = set()

            def unfinished() -> Iterator[Instance]:
                for instance in _made(cell.instances()):
                    run_id = solver.run_id(instance)
                    if finished is not None and (run_id in on_the_way or finished.has(run_id, limits)):
                        totals.before += 1
                        progress.finish()
                    else:
                        on_the_way.add(run_id)
                        yield instance

            instances = unfinished()
            following = next(instances, None)
            if following is None:
                environment.correct_instances(directory / ENVIRONMENT, cell.identity(), own)
                return totals, first
            environment.record(_unused(directory / ENVIRONMENT), cell.identity(), len(cell.part))
            if not isolated:
                with progress.compiling():
                    solver.warm(following)
            instances = itertools.chain([following], instances)
            listener = _Listener(progress, writer, solver)
            each = (
                isolation.solve_each(solver, instances, cell.limits, listener)
                if isolated
                else solver.solve_each(instances, listener)
            )
            with closing(each) as results:
                for result in results:
                    writer.write(result)
                    if finished is not None:
                        finished.add(result.run_id, limits, result.status)
                    on_the_way.discard(result.run_id)
                    totals.add(result.row())
                    first += [result] * (len(first) < KEPT_FOR_DISPLAY)
                    progress.finish()
                    interrupts.raise_if_received()
                    if result.status == INTERRUPTED:
                        raise KeyboardInterrupt
        if totals.before > own:  # other jobs have some of them
            environment.correct_instances(directory / ENVIRONMENT, cell.identity(), own + totals.rows)
    return totals, first


@dataclass
class _Listener:
    """Shows how far a search is, and keeps what it finds on its way."""

    progress: Progress
    writer: Writer
    solver: Solver

    def begins(self, instance: Instance) -> None:
        self.progress.start(instance.id)

    def watch(self, counts: Counts) -> None:
        self.progress.watch(counts)
        interrupts.raise_if_received()

    def improved(self, instance: Instance, improvement: Improvement) -> None:
        self.writer.write_improvement(self.solver.run_id(instance), instance.id, improvement)

    def compiling(self) -> None:
        self.progress.say_compiling()


def _made(instances: Iterator[Instance]) -> Iterator[Instance]:
    """Instances, of which none can end the process."""
    try:
        yield from instances
    except SystemExit as error:
        raise RuntimeError(f"the source of the instances ended with SystemExit({error})") from error


def _unused(file: Path) -> Path:
    """The file, or if it is there the first that is not: name-1.json, name-2.json, ..."""
    numbered = (file.with_stem(f"{file.stem}-{number}") for number in itertools.count(1))
    return next(path for path in itertools.chain([file], numbered) if not path.exists())


@contextmanager
def _log_file(path: Path) -> Iterator[None]:
    """Send log records of INFO and above to a file, which appears with the first of them."""
    handler = logging.FileHandler(path, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(min(level, logging.INFO) if level else logging.INFO)
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
        handler.close()
