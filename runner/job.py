"""One cell: all instances of a source, searched one after the other, a row on disk for each."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from runner import environment
from runner.results import ENVIRONMENT, Writer, whole_file
from runner.schema import Cell
from runner.solver import INTERRUPTED, Result, Solver
from runner.terminal import Progress

LOG = "runner.log"
KEPT_FOR_DISPLAY = 100


@dataclass
class Summary:
    """What became of a cell: counts over all rows, and the first rows for display."""

    statuses: Counter[str] = field(default_factory=Counter)
    invalid: int = 0
    cost: int = 0
    expanded: int = 0
    generated: int = 0
    simulated_actions: int = 0
    seconds: float = 0.0
    first: list[Result] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.statuses.total()

    @property
    def exit_code(self) -> int:
        """1 if a row is an error or a plan failed validation."""
        return 1 if self.statuses["error"] or self.invalid else 0

    def add(self, result: Result) -> None:
        """Count one row."""
        self.statuses[result.status] += 1
        self.invalid += result.valid is False
        self.cost += result.cost or 0
        self.expanded += result.expanded or 0
        self.generated += result.generated or 0
        self.simulated_actions += result.simulated_actions or 0
        self.seconds += result.search_seconds or 0.0
        if len(self.first) < KEPT_FOR_DISPLAY:
            self.first.append(result)


def run(cell: Cell, directory: Path) -> Summary:
    """Run a cell and write its results into a directory.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C, after the row of the instance that was interrupted.
    UserError
        If the directory holds results already.
    """
    solver = Solver(cell.source.registered_name, cell.key(), cell.algorithm, cell.stack, cell.weighting, cell.limits)
    summary = Summary()
    with Writer(directory) as writer, _log_file(directory / LOG):
        with whole_file(directory / ENVIRONMENT) as file:
            file.write(environment.record() + "\n")
        with Progress(f"{cell.algorithm.registered_name} {cell.stack}", len(cell.source), cell.progress) as progress:
            with progress.compiling():
                solver.warm(next(iter(cell.source.instances())))
            for instance in cell.source.instances():
                progress.start(instance.id)
                result = solver.solve(instance, progress.watch)
                writer.write(result)
                summary.add(result)
                progress.finish()
                if result.status == INTERRUPTED:
                    raise KeyboardInterrupt
    return summary


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
