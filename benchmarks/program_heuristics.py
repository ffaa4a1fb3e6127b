"""Programs of others as heuristics: values per second of a program that only replies, beside the pipe alone.

Run from the repository: ``python -m benchmarks.program_heuristics`` (seconds). It needs a compiler for C++.

- values: batches of boards of the 15-puzzle, from packed states to the values in the engine, in turns with the same
  lines through pipes by hand.
- searches: `greedy` with batches of nodes and the program of examples/programs, and the same search with the compiled
  heuristic `manhattan`.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from statistics import median

import numpy as np

import runner
from algorithms.programs.heuristic import ProgramHeuristic
from benchmarks.tables import Case, Row, print_tables
from benchmarks.timing import timed
from runner.base import own_packages

BATCHES = (1, 4, 64, 1_000, 4_000)
VALUES = 40_000
MOST_BATCHES = 2_000
EXAMPLE = Path(__file__).parents[1] / "examples" / "programs" / "manhattan.cpp"
ECHO = Path(__file__).with_name("echo_heuristic.cpp")


@cache
def _built() -> tempfile.TemporaryDirectory[str]:
    """Compile the programs, and return the folder that has them until this process ends."""
    folder = tempfile.TemporaryDirectory()
    for source in (EXAMPLE, ECHO):
        subprocess.run(["c++", "-std=c++17", "-O2", "-o", f"{folder.name}/{source.stem}", source], check=True)
    return folder


def values(repeat: int) -> list[Row]:
    """Values per second of batches, beside the pipe alone."""
    command = f"{_built().name}/{ECHO.stem}"
    rows: list[Row] = []
    for batch in BATCHES:
        calls = min(MOST_BATCHES, VALUES // batch)
        times: tuple[list[float], list[float]] = ([], [])
        with _by_hand(command, batch) as by_hand:
            here = _here(command, batch)
            for _ in range(repeat):  # in turns
                for call, seconds in zip((here, by_hand), times, strict=True):
                    call(1)
                    seconds.append(timed(partial(call, calls))[1])
        ours, other = (calls * batch / median(seconds) for seconds in times)
        rows.append({"batch": batch, "values/s": ours, "pipe alone": other, "ratio": ours / other})
    return rows


def searches(repeat: int) -> list[Row]:
    """Seconds of searches of 15-puzzles with a program, by the nodes that are taken at once."""
    command = [f"{_built().name}/{EXAMPLE.stem}", "{columns}", "{goal}"]
    (instance,) = runner.load("npuzzle/random", size=4, count=1)
    program = [{"name": "program", "command": command}]
    rows: list[Row] = []
    for batch in (1, 20, 500):
        greedy = {"name": "greedy", "batch": batch}
        found = [[runner.solve(instance, greedy, each) for _ in range(repeat)] for each in (program, "manhattan")]
        assert len({(each.expanded, each.evaluated) for several in found for each in several}) == 1
        ours, compiled = (median(each.search_seconds or 0.0 for each in several) for several in found)
        evaluated = found[0][0].evaluated or 0
        rows.append({
            "batch": batch, "evaluated": evaluated, "program, s": ours, "compiled, s": compiled,
            "values/s": evaluated / ours,
        })  # fmt: skip
    return rows


def _here(command: str, batch: int) -> Callable[[int], None]:
    """Return a function that evaluates a batch some times, as the engine does."""
    own_packages.load()
    problem = runner.load("npuzzle/random", count=1)[0].problem()
    term = ProgramHeuristic(command=[command]).term(problem)
    states = np.tile(problem.initial, batch)
    h, actions = np.zeros(batch, np.int64), np.zeros(batch, np.int16)

    def call(times: int) -> None:
        for _ in range(times):
            assert term.kernel.compiled(term.params, states, 0, -1, states, 0, actions, h, 0, batch) == 0

    return call


@contextmanager
def _by_hand(command: str, batch: int) -> Iterator[Callable[[int], None]]:
    """Yield a function that sends the lines of a batch through pipes some times, and reads as many lines."""
    board = runner.load("npuzzle/random", count=1)[0].world.initial()
    question = b"%d\n" % batch + batch * (b"%b\n" % " ".join(f"{tile:2}" for tile in board).encode())
    with subprocess.Popen([command], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        requests, replies = server.stdin.fileno(), server.stdout.fileno()

        def call(times: int) -> None:
            for _ in range(times):
                written = 0
                while written < len(question):
                    written += os.write(requests, question[written:])
                left = batch
                while left:
                    left -= os.read(replies, 1 << 16).count(b"\n")

        yield call


CASES: dict[str, Case] = {case.__name__: case for case in (values, searches)}

if __name__ == "__main__":
    print_tables(__doc__, CASES, list(CASES), repeated="each case")
