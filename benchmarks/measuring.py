"""Rows of programs beside other tools, and what measuring costs: ``python -m benchmarks.measuring`` (minutes).

- usage: peak memory and processor time of programs in their rows, beside GNU time (``/usr/bin/time -v``) and, where it
  is installed and can run, BenchExec's ``runexec``. The tools run in turns. It needs a compiler for C.
- overhead: rows per second of random 4x4 caves in one worker, with `measure` and `pin` as they are by default, without
  control groups, and on a core of its own. All run in turns; the time of a row is the difference of a long and a short
  run.
"""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

from benchmarks.programs import GIVES_UP, PUZZLES, cell_of, program
from benchmarks.tables import Case, Row, print_tables
from benchmarks.timing import MIB, command

Usage = dict[str, float]
"""Peak in MiB, and user and system seconds."""
MEASURED = {
    "300 MiB": "{load} 0 300",
    "2 s": "{load} 2 20",
    "a shell script that starts three": "sh {script}",
}
SCRIPT = """
{load} 0.7 50 &
{load} 0.5 100
{load} 0.8 20
wait
"""
UNITS = {"peak": "MiB", "user": "s", "system": "s", "user + system": "s"}
GNU_TIME = "/usr/bin/time"
RUNEXEC = "runexec"
CAVES = ("world=wumpus/random", "world.size=4", "algorithm=astar", "heuristic=pivots", "workers=1")
SETTINGS = {"by default": (), "measure=process": ("measure=process",), "pin=true": ("pin=true",)}
FEW_CAVES = 2_000
MANY_CAVES = 20_000


def usage(repeat: int) -> list[Row]:
    """Peak memory and processor time of programs in their rows, beside other tools."""
    tools = {"here": _here, **_other_tools()}
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "three.sh")
        script.write_text(SCRIPT.format(load=program("load")), encoding="utf-8")
        for name, text in MEASURED.items():
            words = text.format(load=program("load"), script=script).split()
            found: dict[str, list[Usage]] = {tool: [] for tool in tools}
            for _ in range(repeat):
                for tool, measure in tools.items():
                    found[tool].append(measure(words))
            rows += [_row_of(name, figure, found) for figure in UNITS]
    return rows


def _row_of(name: str, figure: str, found: dict[str, list[Usage]]) -> Row:
    """Return the medians of one figure, and the ratios of ours to those of the others."""
    medians = {tool: median(usage[figure] for usage in usages) for tool, usages in found.items()}
    here = medians["here"]
    row: Row = {"": f"{name}: {figure}", "unit": UNITS[figure], "here": here}
    for tool in (GNU_TIME, RUNEXEC):
        other = medians.get(tool)
        row[tool] = other
        row[f"here / {Path(tool).name}"] = here / other if other else None
    return row


def overhead(repeat: int) -> list[Row]:
    """Rows per second of random 4x4 caves with what measures them, and without."""
    times: dict[tuple[str, int], list[float]] = {}
    for _ in range(repeat):
        for name, words in SETTINGS.items():
            for count in (FEW_CAVES, MANY_CAVES):
                times.setdefault((name, count), []).append(_seconds(*CAVES, *words, f"world.count={count}"))
    rows: list[Row] = []
    for name in SETTINGS:
        # minima: the start of a command varies more than an instance takes
        per_row = (min(times[name, MANY_CAVES]) - min(times[name, FEW_CAVES])) / (MANY_CAVES - FEW_CAVES)
        rows.append({"random 4x4 caves": name, "us per row": 1e6 * per_row, "rows/s": 1 / per_row})
    return rows


def _seconds(*arguments: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        return command(Path(folder) / "run", *arguments)[0]


def _here(words: list[str]) -> Usage:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "run"
        command(folder, *cell_of(words, GIVES_UP, *PUZZLES), "world.count=1")
        with open(folder / "metrics.csv", encoding="utf-8", newline="") as lines:
            row = next(csv.DictReader(lines))
    peak = int(row["peak_bytes"] or row["memory_bytes"])
    usage = _usage_of(peak, float(row["user_seconds"] or "nan"), float(row["system_seconds"] or "nan"))
    return {**usage, "user + system": float(row["cpu_seconds"])}


def _other_tools() -> dict[str, Callable[[list[str]], Usage]]:
    """Return the tools that can run here."""
    tools = {GNU_TIME: _by_gnu_time, RUNEXEC: _by_runexec}
    usable: dict[str, Callable[[list[str]], Usage]] = {}
    for name, measure in tools.items():
        if shutil.which(name) is None:
            print(f"{name}: not installed, left out")
            continue
        try:
            measure(["true"])
        except (OSError, subprocess.CalledProcessError, KeyError):
            print(f"{name}: cannot run here, left out")
        else:
            usable[name] = measure
    return usable


def _by_gnu_time(words: list[str]) -> Usage:
    text = subprocess.run([GNU_TIME, "-v", *words], capture_output=True, text=True, check=True).stderr
    found = dict(re.findall(r"(User time|System time|Maximum resident set size)[^:]*: ([\d.]+)", text))
    peak = 1024 * int(found["Maximum resident set size"])
    return _usage_of(peak, float(found["User time"]), float(found["System time"]))


def _by_runexec(words: list[str]) -> Usage:
    """Run a command by BenchExec, which prints ``memory=314572800B`` and ``cputime-user=1.98s`` or the like."""
    line = [RUNEXEC, "--output", "/dev/null", "--", *words]
    text = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    found = dict(re.findall(r"^([\w-]+)=([\d.]+)", text, re.MULTILINE))
    total = float(found["cputime"])
    user = float(found.get("cputime-user", "nan"))
    made = _usage_of(int(found["memory"]), user, total - user)
    return {**made, "user + system": total}


def _usage_of(peak_bytes: int, user: float, system: float) -> Usage:
    return {"peak": peak_bytes / MIB, "user": user, "system": system, "user + system": user + system}


CASES: dict[str, Case] = {case.__name__: case for case in (usage, overhead)}

if __name__ == "__main__":
    print_tables(__doc__, CASES, list(CASES), repeated="each case")
