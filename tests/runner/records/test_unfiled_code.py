"""Code in no file has a digest that follows every change of what it names, and no other change."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import runner
from heuristics.interface.heuristic import HEURISTICS, Heuristic
from heuristics.interface.stack import Stack
from runner.records.code import code_and_note, code_of
from runner.records.unfiled_code import unfiled_code
from tests.plugins import line

CELL = """
import collections, dataclasses, enum, functools, math, re, threading, types
import numpy as np
import runner
%s
@runner.python_heuristic("of_a_cell", domain="npuzzle")
def of_a_cell(board):
    return %s
"""
CHANGED = {
    "body": ("", "?", "0", "1"),
    "set in a body": ("", "board in {'a', '?'}", "b", "c"),
    "global": ("N = ?", "N", "1", "2"),
    "type of a global": ("N = ?", "N", "1", "True"),
    "array": ("N = np.arange(?)", "N[0]", "3", "1, 4"),
    "nested dictionary": ("N = {'a': [1, (2, {3: ?})]}", "N", "4", "5"),
    "set": ("N = {'a', 'b', '?'}", "N", "c", "d"),
    "list in itself": ("N = [?]; N.append(N)", "N", "1", "2"),
    "set of pairs": ("N = {('a', 1), ('b', ?)}", "N", "2", "3"),
    "globals without a name": ("h = eval('lambda b: ?', {})", "h(0)", "1", "2"),
    "module": ("import ? as m", "m.sqrt(1)", "math", "cmath"),
    "attribute of a module": ("m = types.ModuleType('m'); m.n = ?", "m.n", "1", "2"),
    "builtin function": ("f = ?", "f(1, 2)", "min", "max"),
    "helper": ("def h(b): return ?", "h(board)", "0", "1"),
    "recursive helpers": ("N = ?\ndef g(b): return N and h(b)\ndef h(b): return g(b)", "h(board)", "1", "2"),
    "lambda": ("h = lambda b: ?", "h(board)", "0", "1"),
    "closure": ("def make(n): return lambda b: n\nh = make(?)", "h(0)", "1", "2"),
    "default": ("def h(b, *, n=?): return n", "h(0)", "1", "2"),
    "cached function": ("@functools.cache\ndef h(b): return ?", "h(0)", "1", "2"),
    "partial function": ("def g(a, b): return a - b\nh = functools.partial(g, ?)", "h(2)", "1", "3"),
    "function in a partial one": ("def g(a, b): return a ? b\nh = functools.partial(g, 1)", "h(2)", "-", "+"),
    "base class": ("class B:\n  def f(self): return ?\nclass C(B): pass", "C().f()", "1", "2"),
    "property": ("class C:\n  @property\n  def f(self): return ?", "C().f", "1", "2"),
    "default of a field": (
        "@dataclasses.dataclass\nclass C:\n  x: int = dataclasses.field(default_factory=lambda: ?)", "C().x", "1", "2",
    ),
    "method of an enumeration": ("class E(enum.Enum):\n  A = 1\n  def f(self): return ?\ne = E.A", "e.f()", "1", "2"),
    "object with slots": (
        "class C:\n  __slots__ = ('x',)\n  def __init__(self, x): self.x = x\nc = C(?)", "c.x", "1", "2",
    ),
    "bound method": (
        "class C:\n  def __init__(self, x): self.x = x\n  def f(self): return self.x\nh = C(?).f", "h()", "1", "2",
    ),
    "object of a library": ("r = re.compile('?')", "r", "a", "b"),
    "helper of kernels": ("@runner.helper\ndef g(x): return x + ?", "g(1)", "1", "2"),
    "long chain": ("N = ?\nfor _ in range(5000): N = [N]", "N", "1", "2"),
}  # fmt: skip
"""Definitions, the value that a heuristic returns, and what stands in one of them for the question mark."""


def _defined(definitions: str, value: str, module: str = "__main__") -> Heuristic:
    names = {"__name__": module}
    exec(compile(CELL % (definitions, value), "<cell>", "exec"), names)
    return HEURISTICS.build("of_a_cell", {}, domain="npuzzle")


def _code(definitions: str, value: str) -> str:
    code, note = code_and_note([_defined(definitions, value)])
    assert not note
    return code


@pytest.mark.parametrize("change", CHANGED)
def test_a_change_of_what_code_names_changes_the_fingerprint(change: str) -> None:
    definitions, value, old, new = CHANGED[change]
    former = definitions.replace("?", old), value.replace("?", old)
    assert _code(definitions.replace("?", new), value.replace("?", new)) != _code(*former)
    assert _code(f"# a comment\n\n{former[0]}\nunused = 1", former[1]) == _code(*former)


PROCESS = """
from tests.runner.records.test_unfiled_code import CHANGED, _code
print([_code(*(text.replace("?", old) for text in texts)) for *texts, old, _ in CHANGED.values()])
"""


def test_another_process_has_the_same_fingerprints() -> None:
    """Sets have another order there, and objects other addresses."""
    found = {
        subprocess.run(
            [sys.executable, "-c", PROCESS], env={**os.environ, "PYTHONHASHSEED": seed}, cwd=Path(__file__).parents[3],
            check=True, capture_output=True, text=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(found) == 1


def test_a_value_of_unknown_content_gives_another_fingerprint_each_time() -> None:
    part = _defined("lock = threading.Lock()", "lock")
    (first, note), (second, _) = code_and_note([part]), code_and_note([part])
    assert first != second
    assert "uses lock (lock), whose content cannot be compared" in note


def test_code_in_files_counts_by_its_files() -> None:
    assert unfiled_code([line.Line, type(_defined("", "0"))]) is not None
    assert unfiled_code([line.Line]) is None
    assert code_of([line.Line()]).count("+") == 1


def test_a_file_that_a_cell_imports_counts_before_and_after_its_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    file = tmp_path / "beside_a_cell.py"
    definitions = "def h(b):\n  from beside_a_cell import f\n  return f(b)"
    codes = []
    for number in (1, 2):
        file.write_text(f"def f(b): return {number}\n")
        codes.append(_code(definitions, "h(board)"))
    assert codes[0] != codes[1]
    (board,) = runner.load("npuzzle/random", size=2, count=1)
    bound = Stack((_defined(definitions, "h(board)"),)).prepare(board.problem())
    assert bound.evaluate(bound.problem.initial) == 2
    assert _code(definitions, "h(board)") == codes[1]


WORLD = """
from dataclasses import dataclass
import runner

@runner.register("world", "line_of_a_cell")
@dataclass(frozen=True)
class Line(runner.PythonWorld):
    def initial(self):
        return 0

    def successors(self, state):
        yield "step", state + 1, COST

    def is_goal(self, state):
        return state == 5

@runner.python_algorithm("walk_of_a_cell")
def walk(problem):
    state, plan = problem.start, []
    while not problem.is_goal(state) and len(plan) < LIMIT:
        action, state, _ = next(iter(problem.expand(state)))
        plan.append(action)
    return plan if problem.is_goal(state) else None
"""


def test_a_sweep_after_a_change_of_a_cell_has_no_former_rows(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {"__name__": "__main__", "COST": 1, "LIMIT": 2}
    exec(compile(WORLD, "<cell>", "exec"), names)

    def made(folder: str, *words: str) -> list[object]:
        table = runner.sweep("world=line_of_a_cell", *words, folder=tmp_path / folder)
        return [*table["cost"].dropna(), *table["status"]]

    assert made("ucs", "algorithm=ucs") == [5, "solved"]
    assert made("walk", "algorithm=walk_of_a_cell") == ["cutoff"]
    names["LIMIT"] = 99
    assert made("walk", "algorithm=walk_of_a_cell") == [5, "solved"]
    capfd.readouterr()
    assert made("ucs", "algorithm=ucs") == [5, "solved"]
    assert "other code" not in capfd.readouterr().err
    names["COST"] = 7
    assert made("ucs", "algorithm=ucs") == [35, "solved"]
    assert "note: 1 row made by other code: made again" in capfd.readouterr().err


COMPILED = """
import runner
FACTOR = 1

@runner.compiled_heuristic("compiled_in_a_cell", domain="npuzzle")
def compiled(constants, states, at):
    return FACTOR * (states[at] % 7)
"""


def test_machine_code_of_former_values_is_refused() -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    (board,) = runner.load("npuzzle/random", size=[2, 3], count=1)

    def search() -> int | None:
        return runner.solve(board, "astar", "compiled_in_a_cell").expanded

    exec(compile(COMPILED, "<cell>", "exec"), names)
    before = search()
    names["FACTOR"] = 3
    with pytest.raises(runner.UserError, match=r"^compiled: is compiled, and what it names has changed since; run its"):
        search()
    exec(compile(COMPILED.replace("= 1", "= 3"), "<cell>", "exec"), names)
    assert search() != before
