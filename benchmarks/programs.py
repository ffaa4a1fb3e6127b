"""Programs of others as algorithms: what their start, and their answers as servers cost.

Run from the repository: ``python -m benchmarks.programs [--only start serve]`` (minutes). It needs compilers
for C and C++. `benchmarks.measuring` compares what is measured with other tools.

- start: a program that is started for each instance, in turns with the same command by hand; and the time of an
  instance in a whole cell, with worker, row and validation, as the difference of a long and a short run.
- serve: answers of a server that only replies, beside the same lines through pipes by hand, and rows of a whole cell.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from functools import cache, partial
from pathlib import Path
from statistics import median

import runner
from algorithms.engine import Limits
from algorithms.programs.program import Program
from algorithms.programs.sessions import ProgramSession
from benchmarks.tables import Case, Row, print_tables
from benchmarks.timing import command, timed
from worlds.interface import Instance

FEW_LINES, MANY_LINES = 2_000, 22_000
FEW = 20
INSTANCES = {0.0: 300, 0.02: 150, 0.2: 50}
"""Number of instances of `start` by the processor time of the program."""
GIVES_UP = "algorithm.exit_codes={0: cutoff}"
PUZZLES = ("world=npuzzle/random", "algorithm.plan.format=moves")
SERVER = Path(__file__).parents[1] / "examples" / "programs" / "echo_server.cpp"


@cache
def _built() -> tempfile.TemporaryDirectory[str]:
    """Compile the programs, and return the folder that has them until this process ends."""
    folder = tempfile.TemporaryDirectory()
    source = Path(__file__).with_name("load.c")
    subprocess.run(["cc", "-O2", "-o", f"{folder.name}/load", source], check=True)
    subprocess.run(["c++", "-std=c++17", "-O2", "-o", f"{folder.name}/echo_server", SERVER], check=True)
    return folder


def program(name: str) -> str:
    """Return the path of a compiled program."""
    return f"{_built().name}/{name}"


def start(repeat: int) -> list[Row]:
    """Milliseconds per instance of a program that is started for each, beside the same command by hand."""
    rows: list[Row] = []
    for seconds, count in INSTANCES.items():
        words = [program("load"), str(seconds), "1"]
        here, by_hand = _in_turns(words, count * repeat)
        cell = cell_of(words, GIVES_UP, *PUZZLES, "workers=1")
        few, many = (min(_seconds(*cell, f"world.count={n}") for _ in range(repeat)) for n in (FEW, FEW + count))
        rows.append(
            {
                "program": f"{1000 * seconds:.0f} ms",
                "here, ms": 1000 * here,
                "by hand, ms": 1000 * by_hand,
                "extra ms": 1000 * (here - by_hand),
                "extra %": 100 * (here / by_hand - 1),
                "whole cell, ms": 1000 * (many - few) / count,
            }
        )
    return rows


def _in_turns(words: list[str], count: int) -> tuple[float, float]:
    """Return the median seconds of a program for an instance, here and by hand. Both run in turns."""
    session = Program(command=[*words], exit_codes={0: "cutoff"}).session()
    here: list[float] = []
    by_hand: list[float] = []
    try:
        for instance in runner.load("npuzzle/random", count=count):
            here.append(timed(partial(_ask, session, [instance]))[1])
            by_hand.append(timed(partial(_start_by_hand, words))[1])
    finally:
        session.close()
    return median(here), median(by_hand)


def serve(repeat: int) -> list[Row]:
    """Answers and rows per second of a server that only replies."""
    rows: list[Row] = []
    worlds = {"npuzzle/random": {"count": FEW_LINES}, "gridmap/static": {}}
    for world, parameters in worlds.items():
        instances = list(runner.load(world, **parameters))
        server = Program(command=[program("echo_server")], serve=True)
        session = server.session()
        try:
            _ask(session, instances)  # starts the server
            here = median(timed(partial(_ask, session, instances))[1] for _ in range(repeat)) / len(instances)
        finally:
            session.close()
        lines = [f'{{"id":"{instance.id}"}}\n'.encode() for instance in instances]
        by_hand = median(_echo(lines) for _ in range(repeat)) / len(lines)
        rows.append(
            {
                "": f"answers, {world}",
                "per second": 1 / here,
                "by hand": 1 / by_hand,
                "extra us": 1e6 * (here - by_hand),
            }
        )
    cell = (*cell_of([program("echo_server")], "algorithm.serve=true", *PUZZLES), "workers=1")
    own = ("algorithm=bfs", "limits.nodes=1", "world=npuzzle/random", "workers=1")
    here, other = (_per_row(each, repeat) for each in (cell, own))
    rows.append(
        {
            "": "rows, npuzzle/random; reference: bfs, one node",
            "per second": 1 / here,
            "by hand": 1 / other,
            "extra us": 1e6 * (here - other),
        }
    )
    return rows


def cell_of(words: list[str], *arguments: str) -> tuple[str, ...]:
    """Return the words of a cell with a program."""
    return ("algorithm=program", f"algorithm.command={json.dumps(words)}", *arguments)


def _seconds(*arguments: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        return command(Path(folder) / "run", *arguments)[0]


def _per_row(arguments: tuple[str, ...], repeat: int) -> float:
    times: dict[int, list[float]] = {FEW_LINES: [], MANY_LINES: []}
    for _ in range(repeat):
        for count, seconds in times.items():
            seconds.append(_seconds(*arguments, f"world.count={count}"))
    return (min(times[MANY_LINES]) - min(times[FEW_LINES])) / (MANY_LINES - FEW_LINES)


def _start_by_hand(words: list[str]) -> None:
    """Start a program as a script would, in a new folder, and read its output."""
    folder = tempfile.mkdtemp()
    subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    shutil.rmtree(folder)


def _ask(session: ProgramSession, instances: list[Instance]) -> None:
    limits = Limits()
    for instance in instances:
        session.answer(instance, limits, lambda: False, lambda *_: None)


def _echo(lines: list[bytes]) -> float:
    """Return the seconds of requests and replies through pipes, without anything else."""
    with subprocess.Popen([program("echo_server")], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        requests, replies = server.stdin.fileno(), server.stdout.fileno()

        def ask(lines: list[bytes]) -> None:
            for line in lines:
                os.write(requests, line)
                os.read(replies, 1 << 16)

        ask(lines[:1])
        _, seconds = timed(lambda: ask(lines))
        server.stdin.close()
    return seconds


CASES: dict[str, Case] = {case.__name__: case for case in (start, serve)}

if __name__ == "__main__":
    print_tables(__doc__, CASES, list(CASES), repeated="each case")
