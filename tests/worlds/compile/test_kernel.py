"""Compilation of kernels: names, cached machine code, and kernels of other processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from worlds.compile.kernel import Kernel, helper

ROOT = Path(__file__).parents[3]
SIGNATURE = "int64(int64)"


def made(offset: int, name: str | None = None) -> Kernel:
    def function(x: int) -> int:
        return x + offset

    if name is not None:
        function.__qualname__ = name
    return Kernel(function, SIGNATURE)


def test_two_different_kernels_with_one_name_are_refused() -> None:
    assert made(1).compiled(1) == 2
    with pytest.raises(ValueError, match="two kernels named"):
        made(2)
    assert made(2, "made.two").compiled(1) == 3


def test_a_kernel_that_is_imported_again_is_accepted() -> None:
    made(5, "made.five")
    assert made(5, "made.five").compiled(1) == 6


def test_importing_the_packages_does_not_import_numba() -> None:
    code = "import sys, worlds, heuristics, algorithms; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_helper_stays_a_python_function() -> None:
    @helper
    def foreign(x: int) -> int:
        return x

    assert foreign(3) == 3


STACKS = """
import sys
import runner
where = runner.load("wumpus/static")[2]
states = [where.state(location=(x, y), facing=f) for x in range(10) for y in range(10) for f in "NESW"]
print(sum(runner.heuristic(where, sys.argv[1:])(state) for state in states))
"""


def test_kernels_cached_by_several_processes_give_the_sum_of_their_values(tmp_path: Path) -> None:
    """A process that loads machine code compiled by several processes must not confuse it."""

    def total(*stack: str) -> float:
        variables = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
        command = [sys.executable, "-c", STACKS, *stack]
        return float(subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, check=True).stdout)

    manhattan, pivots = total("manhattan"), total("pivots")
    assert 0 < manhattan != pivots
    assert total("manhattan", "pivots") == manhattan + pivots


REPORTED = """
import runner
from worlds.compile.clock import READY, watch_compiling

watch_compiling(lambda identity, event: event == READY and print(*identity, sep=" | "))
runner.solve(next(iter(runner.load("wumpus/static"))), "astar", heuristic="pivots")
"""

LOADED = """
import sys
from algorithms.engine.best_first_step import best_first_step
from worlds.compile import kernel
from worlds.compile.clock import watch_compiling

identities = [tuple(line.split(" | ")) for line in sys.argv[1:]]
kernel.load(identities)
watch_compiling(lambda identity, event: print("not loaded:", identity))
packers = [kernel._packer(signature) for _, name, signature in identities if name.endswith(".pack")]
for loaded in (best_first_step, *packers):
    loaded.compiled
print(best_first_step.identity in identities, len(packers) > 2)
"""


def test_kernels_that_another_process_reports_can_be_loaded() -> None:
    """Kernels and packers of lists are loaded; unknown identities are ignored."""

    def output(code: str, *arguments: str) -> str:
        command = [sys.executable, "-c", code, *arguments]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout

    reported = list(dict.fromkeys(output(REPORTED).splitlines()))
    assert output(LOADED, *reported, "nowhere | nothing | int64(int64)") == "True True\n"
