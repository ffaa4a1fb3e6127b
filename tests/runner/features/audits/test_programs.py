"""Audits of programs of others: their promises, counterexamples, and limits."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from tests.programs import CLOSED_LIST, READS_PATHS, REOPENING, write_program
from tests.runner_cli import ROOT, run

PROGRAMS = ROOT / "examples" / "programs"
READS_CELLS = (
    "algorithm.plan={pattern: 'path (.*)', format: cells}",
    r"algorithm.output={cost: 'cost (\S+)', expanded: 'expanded (\d+)'}",
    "algorithm.exit_codes={3: unsolvable}",
)
HAS_NO_CORNERS = "terrain(x + dx, y) == here && terrain(x, y + dy) == here && "
LEFT_OUT_REOPENING = {
    "if (g > cost[cell]) continue;": "if (closed[cell]) continue; closed[cell] = true;",
    "if (cost[cell] >= 0 &&": "if (closed[cell] || cost[cell] >= 0 &&",
    "using Entry": "std::vector<bool> closed(width * map.height(), false); using Entry",
    "weight * octile(goal.x - x, goal.y - y)": "((x + y) % 2 ? octile(goal.x - x, goal.y - y) : 0)",
}
"""Changes that make the heuristic inconsistent, and leave out reopening."""


def audit(folder: Path, *words: str) -> tuple[int, dict[str, Any]]:
    """Run an audit. Return its exit code, and its findings by the names of the checks."""
    done = run(folder, "audit", "algorithm=program", *words, "hydra.run.dir=out")
    assert done.returncode in (0, 1), done.stderr
    record = json.loads((folder / "out" / "audit.json").read_text(encoding="utf-8"))
    return done.returncode, {each["check"]: each for each in record["findings"]}


def violated(findings: dict[str, Any]) -> list[str]:
    return [name for name, each in findings.items() if each["violations"]]


Build = Callable[[Path, dict[str, str]], None]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Return a function that puts the A* of examples/programs into a folder, with some changes; each is built once."""
    built: dict[str, Path] = {}

    def build(folder: Path, changes: dict[str, str]) -> None:
        key = repr(changes)
        if key not in built:
            built[key] = compiled(tmp_path_factory.mktemp("program"), changes)
        shutil.copy(built[key], folder)

    return build


def compiled(folder: Path, changes: dict[str, str]) -> Path:
    """Compile the A* of examples/programs with some changes in a folder."""
    text = (PROGRAMS / "grid.hpp").read_text(encoding="utf-8")
    for before, after in changes.items():
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    (folder / "grid.hpp").write_text(text, encoding="utf-8")
    shutil.copy(PROGRAMS / "grid_astar.cpp", folder)
    subprocess.run(["g++", "-std=c++17", "-O1", "-o", "grid_astar", "grid_astar.cpp"], cwd=folder, check=True)
    return folder / "grid_astar"


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a compiler of C++")
@pytest.mark.parametrize(
    ("changes", "weight", "maps", "broken"),
    [
        ({}, "1", (280, 5), []),
        pytest.param({HAS_NO_CORNERS: ""}, "1", (280, 20), ["valid_plan"], marks=pytest.mark.long),
        pytest.param(LEFT_OUT_REOPENING, "1", (30, 20), ["optimal"], marks=pytest.mark.long),
        ({}, "1.3", (380, 20), ["optimal"]),
    ],
    ids=["right", "corners", "reopening", "weight"],
)
def test_a_bug_in_a_search_on_grid_maps_is_found_on_a_map_of_4x4(
    changes: dict[str, str], weight: str, maps: tuple[int, int], broken: list[str], build: Build, tmp_path: Path
) -> None:
    build(tmp_path, changes)
    code, findings = audit(
        tmp_path, f"algorithm.command='./grid_astar {{map}} {{start}} {{goal}} {weight}'", *READS_CELLS,
        "algorithm.optimal=always", "algorithm.complete=true", "world=gridmap/random", "world.size=4",
        f"world.seed={maps[0]}", f"world.count={maps[1]}",
    )  # fmt: skip
    assert (violated(findings), code) == (broken, int(bool(broken)))
    for name in broken:
        rows = (tmp_path / "out" / "counterexamples" / f"{name}.map").read_text(encoding="utf-8").splitlines()
        assert (rows[1], rows[2]) == ("height 4", "width 4")


@pytest.mark.long
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a compiler of C++")
def test_a_heuristic_that_is_five_percent_too_large_is_found_on_a_larger_map(build: Build, tmp_path: Path) -> None:
    """No map of 4x4 shows it: on all 2,424,312 problems of this size the path with this weight is a shortest one."""
    build(tmp_path, {})
    _, findings = audit(
        tmp_path, "algorithm.command='./grid_astar {map} {start} {goal} 1.05'", *READS_CELLS,
        "algorithm.optimal=always", "world=gridmap/random", "world.count=1", "world.size=16", "world.seed=3832",
        "audit.shrink=any_size",
    )  # fmt: skip
    assert violated(findings) == ["optimal"]
    rows = (tmp_path / "out" / "counterexamples" / "optimal.map").read_text(encoding="utf-8").splitlines()
    assert (rows[1], rows[2]) == ("height 12", "width 4")


def test_a_counterexample_is_shrunk_with_the_program_and_reproduced_by_its_command(tmp_path: Path) -> None:
    write_program(tmp_path / "closed_list", CLOSED_LIST)
    words = ("algorithm.command='./closed_list {instance}'", *READS_PATHS, "algorithm.optimal=always")
    code, findings = audit(tmp_path, *words, "world=graph/martelli", "world.n=4")
    assert (violated(findings), code) == (["optimal"], 1)
    command = findings["optimal"]["counterexample"]["command"]
    assert command == "./closed_list out/counterexamples/optimal/instance.txt"
    graph = (tmp_path / "out" / "counterexamples" / "optimal.txt").read_text(encoding="utf-8").splitlines()
    assert sum("->" in line for line in graph) == 4
    assert command in (tmp_path / "out" / "audit.md").read_text(encoding="utf-8")
    printed = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert f"solved, {printed.splitlines()[1]}" in findings["optimal"]["counterexample"]["text"]
    done = run(tmp_path, "report", "out", "--format", "markdown")
    assert done.returncode == 0, done.stderr
    (page,) = tmp_path.rglob("report.md")
    assert f"by hand: {command}" in page.read_text(encoding="utf-8")


def test_claims_and_answers_that_change_are_checked(tmp_path: Path) -> None:
    write_program(tmp_path / "moody", """\
        #!/bin/sh
        [ -e ../moody_was_here ] && exit 3
        touch ../moody_was_here
        echo path S A M G
        """)  # fmt: skip
    (tmp_path / "graph.txt").write_text(dedent(REOPENING), encoding="utf-8")
    words = ("algorithm.command=[./moody]", *READS_PATHS, "algorithm.complete=true", "audit.shrink=false")
    code, findings = audit(tmp_path, *words, "world=graph/file", "world.path=graph.txt")
    assert (violated(findings), code) == (["same_answer"], 1)
    assert findings["optimal"]["declared"] == "no"
    shutil.rmtree(tmp_path / "out")
    write_program(tmp_path / "moody", "#!/bin/sh\nexit 3\n")
    code, findings = audit(tmp_path, *words, "world=graph/file", "world.path=graph.txt")
    assert (violated(findings), code) == (["complete", "proofs"], 1)


@pytest.mark.parametrize(
    ("start", "world"),
    [(1, "graph/file world.path=graph.txt"), (5, "npuzzle/random world.size=2 world.count=3")],
)  # fmt: skip
def test_a_failure_that_does_not_happen_again_has_its_own_message_and_log(
    start: int, world: str, tmp_path: Path
) -> None:
    """The third board is analysed and searched again for its counterexample, because its state space is shared."""
    write_program(tmp_path / "moody", f"""\
        #!/bin/sh
        echo >> ../starts
        [ $(wc -l < ../starts) -eq {start} ] || exit 4
        echo asking the server for a licence
        echo no licence, code 17 >&2
        exit 9
        """)  # fmt: skip
    (tmp_path / "graph.txt").write_text(dedent(REOPENING), encoding="utf-8")
    words = ("algorithm.command=[./moody]", "algorithm.plan={pattern: 'path (.*)'}", "algorithm.exit_codes={4: cutoff}")
    code, findings = audit(tmp_path, *words, "audit.shrink=false", *f"world={world}".split())
    assert [name for name, each in findings.items() if each["broken"]] == ["no_failure", "same_answer"]
    assert code == 1
    failure = findings["no_failure"]
    assert re.fullmatch(r"seen once in 1 of [13] instances?, did not happen again", failure["verdict"])
    text = failure["counterexample"]["text"]
    assert "ends without an error: violated once, did not happen again" in text
    assert "no licence, code 17" in text
    assert "second start: cutoff" in text
    assert "asking the server for a licence" in text.splitlines()
    assert findings["same_answer"]["verdict"].startswith("VIOLATED in 1 of ")
    assert "second start: cutoff" in findings["same_answer"]["counterexample"]["text"]


def test_the_limit_of_time_ends_a_program_and_the_audit_goes_on(tmp_path: Path) -> None:
    write_program(tmp_path / "slow", "#!/bin/sh\nsleep 99\n")
    (tmp_path / "graph.txt").write_text(dedent(REOPENING), encoding="utf-8")
    began = time.monotonic()
    code, findings = audit(
        tmp_path, "algorithm.command='./slow {time}'", "world=graph/file", "world.path=graph.txt", "limits.time=0.3",
        "limits.nodes=1000",
    )  # fmt: skip
    assert (violated(findings), code) == ([], 0)
    assert findings["valid_plan"]["outcome"] == "not checked"
    assert time.monotonic() - began < 40
    done = run(tmp_path, "audit", "algorithm=program", "algorithm.command='./slow {time}'", "world=graph/martelli")
    assert done.returncode == 2
    assert "add limits.time=60" in done.stderr


def test_check_runs_a_program(tmp_path: Path) -> None:
    write_program(tmp_path / "closed_list", CLOSED_LIST)
    words = ("algorithm=program", "algorithm.command='./closed_list {instance}'", *READS_PATHS, "algorithm.bound=1")
    done = run(tmp_path, "check", "world=graph/martelli", "world.n=4", *words)
    assert done.returncode == 1, done.stderr
    outcomes = dict(re.findall(r"│ (\w+) +│ ([\w ]+?) +│", done.stdout))
    assert (outcomes["valid_plan"], outcomes["optimal"], outcomes["heuristic"]) == ("passed", "failed", "not checked")
    assert "a program has its own" in done.stdout
