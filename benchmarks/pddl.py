"""Planning tasks, beside other planners: ``python -m benchmarks.pddl FOLDER [--only NAME ...] [--repeat 3]``.

FOLDER holds tasks of the International Planning Competitions, one folder for each domain (``gripper/prob05.pddl``).
Programs run in turns. Costs and expansions until the last jump must be the same. Needs the packages up-fast-downward
and pyperplan (extra `benchmarks`).

- blind, hmax, lmcut: A* here and in Fast Downward
- memory: bytes per state of A* with blind on large tasks, here (resident) and in Fast Downward (peak)
- pyperplan: A* with blind and hmax, here and in pyperplan, and with blind in plain Python, as pyperplan has it
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path
from statistics import median

import runner
from algorithms.best_first.best_first import AStar
from algorithms.engine import Limiter, Limits, Search
from benchmarks.tables import Row, expect, parser_of, show
from benchmarks.timing import resident
from heuristics.interface import Stack
from runner.config import sections
from worlds.interface import Problem
from worlds.pddl.packing import PlanningState
from worlds.pddl.sources import find_domain
from worlds.pddl.translator import run_translator
from worlds.pddl.world import PlanningWorld

TASKS = {
    "blind": [
        "gripper/prob05",
        "transport-opt08-strips/p03",
        "nomystery-opt11-strips/p03",
        "elevators-opt08-strips/p03",
        "scanalyzer-08-strips/p03",
        "visitall-opt11-strips/problem04-full",
        "hiking-opt14-strips/ptesting-1-2-8",
        "termes-opt18-strips/p01",
    ],
    "hmax": [
        "gripper/prob03",
        "nomystery-opt11-strips/p03",
        "scanalyzer-08-strips/p03",
        "sokoban-opt08-strips/p05",
        "tpp/p05",
        "zenotravel/p05",
    ],
    "lmcut": [
        "elevators-opt08-strips/p01",
        "floortile-opt11-strips/opt-p01-001",
        "hiking-opt14-strips/ptesting-1-2-5",
        "spider-opt18-strips/p01",
        "woodworking-opt08-strips/p03",
    ],
    "memory": ["depot/p03", "elevators-opt08-strips/p03", "freecell/p03"],
    "pyperplan": [
        "gripper/prob03",
        "logistics00/probLOGISTICS-4-0",
        "satellite/p03-pfile3",
        "tpp/p05",
        "zenotravel/p05",
    ],
}
IN_PYPERPLAN = {"blind": "blind", "hmax": "hmax", "python_blind": "blind"}


@runner.python_heuristic("python_blind", domain="pddl")
def python_blind(state: PlanningState, instance: PlanningWorld) -> int:
    """Return 0 in goals, else 1, in plain Python. Admissible if every operator costs something."""
    return 0 if instance.goal_facts <= state.facts else 1


def against_fast_downward(heuristic: str, folder: Path, repeat: int) -> list[Row]:
    """Expansions per second of A*, here and in Fast Downward."""
    rows: list[Row] = []
    for name in TASKS[heuristic]:
        problem = folder / f"{name}.pddl"
        (instance,) = runner.load("pddl/file", path=str(problem))
        sas = run_translator(find_domain(problem).read_text(), problem.read_text(), name)
        stack = sections.stack_of("pddl", {"stack": [heuristic]})
        ours, theirs = [], []
        for _ in range(repeat):
            search, our_seconds = here(stack, instance.problem())
            printed = fast_downward(heuristic, sas)
            expect(search.cost, int(found(r"Plan cost: (\d+)", printed)), name)
            ours.append(search.counts.expanded / our_seconds)
            seconds = max(float(found(r"Search time: ([\d.e-]+)s", printed)), 1e-6)
            theirs.append(int(found(r"Expanded (\d+) state", printed)) / seconds)
        rate, other = median(ours), median(theirs)
        row: Row = {"task": name, "expanded": search.counts.expanded, "expansions/s": rate}
        rows.append({**row, "Fast Downward": other, "ratio": rate / other})
    return rows


def memory(folder: Path) -> list[Row]:
    """Bytes per state of A* with blind, here and in Fast Downward."""
    rows: list[Row] = []
    stack = sections.stack_of("pddl", {"stack": ["blind"]})
    here(stack, runner.load("pddl/static")[0].problem())  # the kernels take memory, too
    for name in TASKS["memory"]:
        problem = folder / f"{name}.pddl"
        (instance,) = runner.load("pddl/file", path=str(problem))
        problem_here, before = instance.problem(), resident()
        search, _ = here(stack, problem_here)
        states = search.counts.peak_nodes
        ours = (resident() - before) / states
        del search  # before the next task
        printed = fast_downward("blind", run_translator(find_domain(problem).read_text(), problem.read_text(), name))
        other = 1024 * int(found(r"Peak memory: (\d+) KB", printed)) / int(found(r"registered states: (\d+)", printed))
        row: Row = {"task": name, "states": states, "bytes per state": ours}
        rows.append({**row, "Fast Downward": other, "ratio": ours / other})
    return rows


def against_pyperplan(folder: Path, repeat: int) -> list[Row]:
    """Expansions per second of A*, here and in pyperplan."""
    rows: list[Row] = []
    for heuristic, name in product(IN_PYPERPLAN, TASKS["pyperplan"]):
        problem = folder / f"{name}.pddl"
        (instance,) = runner.load("pddl/file", path=str(problem))
        stack = sections.stack_of("pddl", {"stack": [heuristic]})
        ours, theirs = [], []
        for _ in range(repeat):
            search, our_seconds = here(stack, instance.problem())
            ours.append(search.counts.expanded / our_seconds)
            theirs.append(pyperplan(IN_PYPERPLAN[heuristic], problem))
        rate, other = median(ours), median(theirs)
        rows.append({"task": f"{heuristic}, {name}", "expansions/s": rate, "pyperplan": other, "ratio": rate / other})
    return rows


def here(stack: Stack, problem: Problem) -> tuple[Search, float]:
    """Return an A* search that has ended, and its processor time, which Fast Downward reports, too."""
    AStar().start(stack.prepare(problem), None).warm()
    search = AStar().start(stack.prepare(problem), None)
    start = time.process_time()
    search.run(Limiter(Limits()))
    return search, time.process_time() - start


def fast_downward(heuristic: str, sas: str) -> str:
    """Return what Fast Downward prints."""
    package = importlib.util.find_spec("up_fast_downward")
    if package is None or not package.submodule_search_locations:
        raise SystemExit("Fast Downward is missing: pip install up-fast-downward")
    program = Path(package.submodule_search_locations[0]) / "downward/builds/release/bin/downward"
    with tempfile.TemporaryDirectory() as place:
        command = [str(program), "--search", f"astar({heuristic}())", "--internal-plan-file", f"{place}/plan"]
        return subprocess.run(command, input=sas, capture_output=True, text=True, check=True).stdout


def pyperplan(heuristic: str, problem: Path) -> float:
    """Return the expansions per second of pyperplan."""
    with tempfile.TemporaryDirectory() as place:
        copies = [Path(place) / each for each in ("domain.pddl", "problem.pddl")]  # it writes the plan beside them
        for copy, file in zip(copies, (find_domain(problem), problem), strict=True):
            copy.write_bytes(file.read_bytes())
        command = [sys.executable, "-m", "pyperplan", "-s", "astar", "-H", heuristic, *map(str, copies)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    printed = done.stdout + done.stderr
    seconds = max(float(found(r"Search time: ([\d.e+-]+)", printed)), 1e-6)
    return int(found(r"(\d+) Nodes expanded", printed)) / seconds


def found(pattern: str, printed: str) -> str:
    """Return what the first group of a pattern has found in the output of a program."""
    match = re.search(pattern, printed)
    if match is None:
        raise SystemExit(f"expected '{pattern}' in the output:\n{printed}")
    return match[1]


def main() -> None:
    """Print the tables."""
    parser = parser_of(__doc__, list(TASKS), list(TASKS), "all")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    for name in options.only:
        if name == "pyperplan":
            show("A*, pyperplan", against_pyperplan(options.folder, options.repeat))
        elif name == "memory":
            show("A*, memory", memory(options.folder))
        else:
            show(f"A*, {name}", against_fast_downward(name, options.folder, options.repeat))


if __name__ == "__main__":
    main()
