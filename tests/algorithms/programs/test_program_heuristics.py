"""Programs as heuristics: the values, and what ends a program that does not keep to the protocol."""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import algorithms.programs.heuristic
import runner
from algorithms.programs.heuristic import ProgramHeuristic, _values_in
from heuristics.interface import Stack
from runner.base.errors import UserError
from tests import runner_cli
from tests.processes import ENDED, descendants, state_of
from tests.runner_cli import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs a subreaper and /proc")

PYTHON = [sys.executable, "-I", "-S"]
PROGRAMS = ROOT / "examples" / "programs"
EXAMPLE = [*PYTHON, str(PROGRAMS / "manhattan.py"), "{columns}", "{goal}"]
ANSWER = "for line in sys.stdin:\n    for _ in range(int(line)): {}\n    sys.stdout.flush()\n"


def program(tmp_path: Path, code: str) -> list[str]:
    """Return the command of a program in Python."""
    file = tmp_path / "h.py"
    file.write_text("import os, signal, sys, time\n" + dedent(code))
    return [*PYTHON, str(file)]


def heuristic(command: list[str], **parameters: Any) -> list[dict[str, Any]]:
    return [{"name": "program", "command": command, **parameters}]


def counts(result: Any) -> tuple[Any, ...]:
    assert result.error is None
    return result.status, result.cost, result.expanded, result.generated, result.evaluated, result.initial_h


def test_counts_are_those_of_the_built_in_heuristic() -> None:
    for instance in runner.load("npuzzle/random", size=3, count=2):
        ours = counts(runner.solve(instance, heuristic="manhattan"))
        assert counts(runner.solve(instance, heuristic=heuristic(EXAMPLE, consistent=True))) == ours


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a compiler of C++")
def test_counts_of_batches_with_a_program_in_cpp(tmp_path: Path) -> None:
    binary = str(tmp_path / "manhattan")
    source = PROGRAMS / "manhattan.cpp"
    assert source.stat().st_size <= 4000
    subprocess.run(["g++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-o", binary, str(source)], check=True)
    (instance,) = runner.load("npuzzle/random", size=[2, 4], count=1)
    greedy = {"name": "greedy", "batch": 20}
    ours = runner.solve(instance, greedy, "manhattan")
    assert counts(runner.solve(instance, greedy, heuristic([binary, "{columns}", "{goal}"]))) == counts(ours)


def test_states_as_texts_and_costs_with_decimals(tmp_path: Path) -> None:
    """The octile distance of grid maps, from the text (x, y) of a cell."""
    octile = """
        goal = sys.argv[1].split(",")
        for line in sys.stdin:
            for _ in range(int(line)):
                cell = sys.stdin.readline().strip("()\\n").split(", ")
                a, b = sorted(abs(int(one) - int(other)) for one, other in zip(cell, goal))
                print(b + a * 0.41421356237)
            sys.stdout.flush()
    """
    instance = runner.load("gridmap/static")[40]
    command = [*program(tmp_path, octile), "{goal}"]
    ours = runner.solve(instance, heuristic="octile")
    result = runner.solve(instance, heuristic=heuristic(command, states="text", admissible=True))
    assert (result.status, result.cost, result.bound, result.error) == (ours.status, ours.cost, 1, None)


def test_tasks_have_facts_as_text_and_files(tmp_path: Path) -> None:
    """The number of goals that do not hold, which the program reads from the task."""
    count = """
        import re
        text = open(sys.argv[2]).read()
        assert "domain" in open(sys.argv[1]).read()
        goals = re.findall(r"\\\\([^()]*\\\\)", text[text.index(":goal"):])
        for line in sys.stdin:
            for _ in range(int(line)):
                state = sys.stdin.readline()
                print(sum(goal not in state for goal in goals))
            sys.stdout.flush()
    """.replace("\\\\\\\\", "\\\\")
    pytest.importorskip("fast_downward")
    command = [*program(tmp_path, count.replace("\\\\", "\\")), "{domain}", "{problem}"]
    instance = runner.load("pddl/static")[0]
    ours = counts(runner.solve(instance, "greedy", "goal_count"))
    assert counts(runner.solve(instance, "greedy", heuristic(command))) == ours
    zero = program(tmp_path, ANSWER.format("print(len(sys.stdin.readline().split()))"))
    result = runner.solve(instance, "greedy", heuristic(zero, states="numbers"))
    assert instance.world.kernels is not None
    values = instance.world.kernels.values_of(instance.problem().initial[None])
    assert values is not None
    assert result.initial_h == values.shape[1]


def test_it_is_started_once_for_instances_with_the_same_words(tmp_path: Path) -> None:
    code = f"""
        open({str(tmp_path / "started")!r}, "a").write("x")
        file = sys.argv[1:] and open(sys.argv[1]).read()
    """
    command = program(tmp_path, dedent(code) + ANSWER.format("sys.stdin.readline(); print(0)"))
    stack = Stack((ProgramHeuristic(command=[*command]),))
    own = Stack((ProgramHeuristic(command=[*command, "{instance}"]),))
    starts = []
    for each in (stack, own):
        for instance in runner.load("npuzzle/random", size=3, count=3):
            for _ in range(2):
                problem = instance.problem()
                assert each.prepare(problem).evaluate(problem.initial) == 0
        starts.append(len((tmp_path / "started").read_text()))
    assert starts == [1, 4]


IGNORE = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
VALUE = "sys.stdin.readline(); print({})"
HOSTILE = {
    "exits at once": ("sys.exit(3)", "no values for 1 state: exit code 3"),
    "tells why": ("print('no licence', file=sys.stderr); sys.exit(2)", "exit code 2; no licence"),
    "ends after two batches": (
        "for _ in range(2):\n"
        "    for _ in range(int(sys.stdin.readline())): sys.stdin.readline(); print(5)\n"
        "    sys.stdout.flush()\n",
        "no values for .* exit code 0",
    ),
    "is killed": ("os.kill(os.getpid(), 9)", "killed by SIGKILL"),
    "closes its output": ("os.close(1); sys.stdin.readline(); time.sleep(99)", "limits.call=0.3 seconds"),
    "reads nothing and hangs": (f"{IGNORE}time.sleep(99)", "limits.call=0.3 seconds"),
    "burns time": ("while True: pass", "limits.call=0.3 seconds"),
    "one line too few": (
        "for line in sys.stdin:\n    for _ in range(int(line) - 1): print(sys.stdin.readline() and 1)\n"
        "    sys.stdin.readline(); sys.stdout.flush()\n",
        r"program': 0 of 1 line came in limits.call=0.3 seconds of a batch",
    ),
    "one line too many": (ANSWER.format("print(1); print(1)"), "more than a line for each of 1 state"),
    "prints a greeting": (
        "print('ready', flush=True)\n" + ANSWER.format(VALUE.format(1)),
        "more than a line for each of|gave 'ready'",
    ),
    "text": (ANSWER.format(VALUE.format("'far'")), "gave 'far' for the state .*; expected a number"),
    "nan": (ANSWER.format(VALUE.format("'nan'")), "gave nan for the state"),
    "negative": (ANSWER.format(VALUE.format("-1")), "gave -1 for the state .* clip it"),
    "fraction": (ANSWER.format(VALUE.format("1.5")), "gave 1.5 for the state .*heuristic.scale=1 rounds"),
    "a line without end": ("while True: sys.stdout.write('1' * 65536)", "printed more than 10 MiB"),
    "errors without end": ("while True: sys.stderr.write('e' * 65536)", "printed more than 10 MiB"),
    "kills its supervisor": ("os.kill(os.getppid(), 9); time.sleep(0.1)", "the process that starts programs has ended"),
    "leaves children": (
        f"{IGNORE}if not os.fork(): os.setsid(); os.close(1); time.sleep(99)\nsys.exit(4)",
        "exit code 4",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (b"", "gave '' for the state 7"),
        (b"1 2", "gave '1 2' for the state 7"),
        (b"1e999", "gave 1e999, which is too large, for the state 7"),
        (b"\xff\x00", "gave '.*' for the state 7"),
        (b"1_0", "gave '1_0' for the state 7"),
    ],
)
def test_a_line_that_is_no_number_is_shown_with_its_state(line: bytes, error: str) -> None:
    with pytest.raises(UserError, match=error):
        _values_in(b"0\n" + line, [6, 7])


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_program_is_one_line_within_the_limit(tmp_path: Path, name: str) -> None:
    code, error = HOSTILE[name]
    call = 0.3 if "limits.call" in error else 5
    (instance,) = runner.load("npuzzle/random", size=3, count=1)
    before = set(descendants(os.getpid()))
    began = time.monotonic()
    result = runner.solve(instance, heuristic=heuristic(program(tmp_path, code)), limits={"call": call})
    assert time.monotonic() - began < 5
    assert result.status == "error"
    assert result.error is not None
    assert "\n" not in result.error
    assert re.search(error, result.error), result.error
    left = set(descendants(os.getpid())) - before
    assert [process for process in left if state_of(process)[0] not in ENDED] == []


def test_a_missing_line_is_an_error_without_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program gives one value less than there are successors of the first board."""
    monkeypatch.setattr(algorithms.programs.heuristic, "_BATCH_SECONDS", 0.5)
    few = "    for number in range(int(line)): sys.stdin.readline(); number == 1 or print(1)\n"
    command = program(tmp_path, f"for line in sys.stdin:\n{few}    sys.stdout.flush()\n")
    (instance,) = runner.load("npuzzle/random", size=3, count=1)
    result = runner.solve(instance, heuristic=heuristic(command))
    assert result.status == "error"
    assert re.search(r"program': [12] of [23] lines came in limits.call=0.5 seconds of a batch", result.error or "")


BURN = "    end = time.process_time() + 0.05\n    while time.process_time() < end: pass\n"
CHILD = "    if not os.fork():\n        while True: pass\n    os.wait()\n"
GROW = "    kept.append(bytearray(b'x') * (16 << 20))\n"


@pytest.mark.parametrize(
    ("code", "limits", "status"),
    [
        (BURN, {"cpu": 0.25}, "cpu_limit"),
        (CHILD, {"cpu": 0.25}, "cpu_limit"),
        (GROW, {"memory": 200 << 20}, "memory_limit"),
        ("    time.sleep(0.3); kept += [b'x' * (400 << 20)]; time.sleep(9)\n", {"memory": 200 << 20}, "memory_limit"),
    ],
    ids=["many batches", "a child in one batch", "growth", "one batch"],
)
def test_limits_count_the_program(tmp_path: Path, code: str, limits: dict[str, Any], status: str) -> None:
    answer = "    for _ in range(int(line)): sys.stdin.readline(); print(1)\n    sys.stdout.flush()\n"
    command = program(tmp_path, f"kept = []\nfor line in sys.stdin:\n{code}{answer}")
    (instance,) = runner.load("npuzzle/random", size=3, count=1)
    result = runner.solve(instance, heuristic=heuristic(command), limits={**limits, "time": 60})
    assert (result.status, result.error) == (status, None)
    if "cpu" in limits and code == BURN:
        assert result.cpu_seconds is not None
        assert result.cpu_seconds >= limits["cpu"]


def test_huge_numbers_stop_and_dead_ends_are_pruned(tmp_path: Path) -> None:
    (instance,) = runner.load("npuzzle/random", size=3, count=1)
    huge = program(tmp_path, ANSWER.format(VALUE.format("10**40")))
    assert runner.heuristic(instance, heuristic(huge))(instance.world.initial()) == 1 << 30
    infinite = program(tmp_path, ANSWER.format(VALUE.format("'inf'")))
    assert runner.solve(instance, heuristic=heuristic(infinite)).status == "cutoff"


@pytest.mark.parametrize(
    ("command", "parameters", "message"),
    [
        ("", {}, "heuristic.command: missing"),
        (["./none"], {}, "there is no program ./none"),
        (["{board"], {}, "a brace is open"),
        (["sh", "{map}"], {}, "npuzzle has no such placeholder"),
        (["sh", "{time}"], {}, "{time}: has no value for a heuristic"),
        (["sh"], {"code": ["none*.c"]}, "heuristic.code: no file matches"),
        (["sh"], {"scale": 10, "admissible": True}, "true of scale=1 only"),
    ],
)  # fmt: skip
def test_a_wrong_configuration_is_refused(command: Any, parameters: dict[str, Any], message: str) -> None:
    (instance,) = runner.load("npuzzle/random", size=3, count=1)
    with pytest.raises(UserError) as caught:
        runner.solve(instance, heuristic=heuristic(command, **parameters))
    assert message in str(caught.value)


def test_states_that_are_no_numbers_are_refused() -> None:
    (cave,) = runner.load("wumpus/random", size=4, count=1)
    with pytest.raises(UserError, match="states of wumpus are no numbers; choose heuristic"):
        runner.solve(cave, heuristic=heuristic(["sh"], states="numbers"))


def test_an_audit_finds_a_wrong_promise(tmp_path: Path) -> None:
    command = program(tmp_path, ANSWER.format(VALUE.format("9")))
    audit = runner.audit(
        heuristic=heuristic(command, admissible=True), world="npuzzle/random", size=[2, 2], count=1, shrink=False,
        workers=0,
    )  # fmt: skip
    assert "admissible" in str(audit)


def test_rows_of_a_sweep_are_stale_after_a_new_build_and_nothing_is_left(tmp_path: Path) -> None:
    program(tmp_path, ANSWER.format(VALUE.format("0")))
    words = (
        "-m", "heuristic=program", f"heuristic.command=[{sys.executable},-I,-S,h.py]", "world=npuzzle/random",
        "world.size=[2,2]", "world.count=2", "hydra.sweep.dir=out", "workers=1",
    )  # fmt: skip
    codes = []
    for _ in range(2):
        done = runner_cli.run(tmp_path, *words)
        assert done.returncode == 0, done.stderr
        rows = list(csv.DictReader((tmp_path / "out" / "results.csv").open()))
        assert [row["status"] for row in rows] == ["solved"] * 2
        codes.append({row["code"] for row in rows})
        program(tmp_path, ANSWER.format(VALUE.format("0 + 0")))
    assert len(codes[0] | codes[1]) == 2
    commands = [file.read_bytes() for file in Path("/proc").glob("[0-9]*/cmdline") if os.access(file, os.R_OK)]
    assert not any(str(tmp_path).encode() in command for command in commands)
