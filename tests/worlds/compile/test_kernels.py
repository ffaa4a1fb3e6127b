"""Compilation of kernels: names, cached machine code, and kernels of other processes."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from runner.base.own_places import ROOT
from tests.worlds.compile.conftest import Processes
from worlds.compile import kernels as compilation
from worlds.compile.kernels import Kernel, helper, named
from worlds.gridmap.search import cell_of

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


def calling(inner: Callable[[int], int], name: str) -> Kernel:
    def function(x: int) -> int:
        return inner(x)

    function.__qualname__ = name
    return Kernel(function, SIGNATURE)


def test_kernels_of_two_functions_with_one_name_are_told_apart() -> None:
    """Lambdas of a module have one qualified name; so have functions that one factory makes."""

    def plus(offset: int) -> Callable[[int], int]:
        return lambda x: x + offset

    functions = [plus(1), plus(2), lambda x: x, lambda x: -x]
    names = {named(lambda x: x, "calling", function).__qualname__ for function in functions}
    assert len(names) == 4
    assert named(lambda x: x, "calling", plus(1)).__qualname__ in names
    for function, other in pairwise(functions):
        calling(function, f"calling.{id(function)}")
        with pytest.raises(ValueError, match="two kernels named"):
            calling(other, f"calling.{id(function)}")


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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_all_processes_is_left_to_the_one_that_waits_for_the_kernel(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    """As Ctrl-C in a terminal. The other process has closed the file to which handlers of signals write."""

    class Signalled(Kernel):
        @property
        def compiled(self) -> Callable[..., Any]:
            os.kill(os.getpid(), number)
            return self.function

    monkeypatch.setattr(compilation, "_can_compile_ahead", lambda: True)
    signalled = Signalled(made(7, f"made.{number.name}").function, SIGNATURE)
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    handler, wakeup = signal.signal(number, lambda *_: None), signal.set_wakeup_fd(theirs.fileno())
    try:
        signalled.compile_ahead()
        _, status = os.wait()
    finally:
        signal.set_wakeup_fd(wakeup)
        signal.signal(number, handler)
        ours.close()
        theirs.close()
    assert (status, capfd.readouterr().err) == (0, "")


STACKS = """
import runner

board = runner.load("npuzzle/random", count=1)[0]
print(runner.heuristic(board, STACK)(board.problem().initial))
"""


def test_kernels_cached_by_several_processes_give_the_sum_of_their_values(processes: Processes, tmp_path: Path) -> None:
    """A process that loads machine code compiled by several processes must not confuse it."""

    def total(*stack: str) -> float:
        return float(processes.run(tmp_path, STACKS.replace("STACK", repr(stack)), NUMBA_CACHE_DIR=str(tmp_path))[0])

    manhattan, misplaced = total("manhattan"), total("misplaced")
    assert 0 < misplaced < manhattan
    assert total("manhattan", "misplaced") == manhattan + misplaced


REPORTED = """
import runner
from worlds.compile.clock import READY, watch_compiling

watch_compiling(lambda identity, event: event == READY and print(*identity, sep=" | "))
runner.solve(next(iter(runner.load("wumpus/static"))), "astar", heuristic="pivots")
"""

LOADED = """
from algorithms.best_first.best_first import best_first_step
from algorithms.engine.nodes import insert_all
from worlds.compile import kernels
from worlds.compile.clock import watch_compiling

identities = [tuple(line.split(" | ")) for line in LINES]
kernels.load(identities)
watch_compiling(lambda identity, event: print("not loaded:", identity))
for loaded in (best_first_step, insert_all):
    print(loaded.identity in identities, callable(loaded.compiled))
"""


def test_kernels_that_another_process_reports_can_be_loaded(processes: Processes, tmp_path: Path) -> None:
    """Unknown identities are ignored."""
    variables = {"NUMBA_CACHE_DIR": os.environ.get("NUMBA_CACHE_DIR", "")}
    reported = list(dict.fromkeys(processes.run(tmp_path, REPORTED, **variables)[0].splitlines()))
    lines = [*reported, "nowhere | nothing | int64(int64)"]
    assert processes.run(tmp_path, LOADED.replace("LINES", repr(lines)), **variables)[0] == "True True\n" * 2


def test_a_kernel_is_pickled_by_its_name_in_its_module() -> None:
    assert pickle.loads(pickle.dumps(cell_of)) is cell_of
    with pytest.raises(pickle.UnpicklingError, match="no kernel"):
        pickle.loads(pickle.dumps(made(7, "made.seven")))
