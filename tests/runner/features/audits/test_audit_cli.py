"""``python -m runner audit``: its files, exit codes and messages, and the function `runner.audit`."""

from __future__ import annotations

import html
import json
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from matplotlib.figure import Figure

import runner
from heuristics.interface.python_heuristic import PythonHeuristic
from heuristics.interface.stack import Stack
from runner.cli.progress import COMPILING
from runner.execution import process
from runner.execution.stop import Stop
from runner.features.audits import auditor
from runner.features.audits.api import DEFAULT_LIMITS
from runner.features.audits.request import AuditRequest
from runner.features.audits.worker import supervise
from tests.plugins import install
from tests.runner.features.reports.rows import row, write
from tests.runner.waiting import wait_for
from tests.runner_cli import ROOT, Forked, rows, run
from worlds.interface.instance import Instance
from worlds.interface.python_world import PythonWorld

PLANE = {"name": "nearest", "metric": "plane"}
BOARDS: dict[str, Any] = {"rows": 1, "columns": 4, "candies": 1, "max_capacity": 1}


def audit(directory: Path, *arguments: str, workers: int = 0) -> subprocess.CompletedProcess[str]:
    """Run an audit, by default in this process: a test below has the same findings from a worker."""
    return run(directory, "audit", f"workers={workers}", *arguments)


def checks(folder: Path) -> dict[str, dict[str, str]]:
    """Return the lines of the table of an audit, by the names of the checks."""
    return {line["check"]: line for line in rows(folder / "audit.csv")}


def smallest_cave(folder: Path) -> dict[str, Any]:
    """Return the counterexample of an audit to the check `admissible`."""
    found: dict[str, Any] = json.loads((folder / "counterexamples" / "admissible.json").read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def undeclared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return the folder above an audit, `out`, with violations that are not declared, and what it has printed."""
    folder = tmp_path_factory.mktemp("audit")
    caves = ("world=wumpus/random", "world.size=4", "world.count=60")
    done = audit(folder, *caves, "heuristic=iterative_shift", "audit.shrink=any_size", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


def test_an_undeclared_violation_is_shown_and_its_counterexample_loads_again(undeclared: tuple[Path, str]) -> None:
    folder, shown = undeclared
    assert "VIOLATED" in shown
    out = folder / "out"
    cave = smallest_cave(out)
    assert (cave["size"], cave["pits"], cave["wumpuses"], cave["blocks"]) == ([3, 3], [[1, 1]], [], [])
    assert re.search(r"\n1 [^ ] P ", shown)
    table = checks(out)
    assert table["admissible"]["declared"] == "no"
    assert int(table["admissible"]["violations"]) > 0
    assert (table["path_independent"]["declared"], table["path_independent"]["violations"]) == ("yes", "0")
    assert table["admissible"]["instances"] == "60"
    assert float(table["smallest h* - h"]["value"]) < 0
    text = (out / "audit.md").read_text(encoding="utf-8")
    assert re.search(r"\n1 [^ ] P ", text)
    assert "world=wumpus/file world.path=out/counterexamples/admissible.json" in text
    assert (out / "counterexamples" / "admissible.svg").read_text(encoding="utf-8").startswith("<svg")
    record = json.loads((out / "audit.json").read_text(encoding="utf-8"))
    assert (record["world"], record["subject"]) == (table["admissible"]["world"], table["admissible"]["subject"])
    (check,) = [each for each in record["findings"] if each["check"] == "admissible"]
    for name in ("declared", "verdict", "violations", "violating", "broken", "instances", "states"):
        assert str(check[name]) == table["admissible"][name]
    assert (check["outcome"], check["declared"]) == ("not declared", "no")
    found = check["counterexample"]
    assert found["instance"] == "counterexamples/admissible.json"
    assert found["picture"] == "counterexamples/admissible.svg"
    assert found["text"] in text
    assert found["overrides"] in text
    written = ("world=wumpus/file", "world.path=out/counterexamples/admissible.json")
    again = audit(folder, *written, "heuristic=iterative_shift", "hydra.run.dir=again")
    assert again.returncode == 0, again.stderr
    table = checks(folder / "again")
    assert (table["admissible"]["violating"], table["admissible_at_start"]["violations"]) == ("1", "1")
    all_of_them = ("world=wumpus/file", "world.path=out/counterexamples/")
    searched = run(folder, *all_of_them, "heuristic=iterative_shift", "hydra.run.dir=run")
    assert searched.returncode == 0, searched.stderr


def test_an_audit_with_a_broken_declaration_ends_with_1(tmp_path: Path) -> None:
    install(tmp_path, "overestimating", "mine")
    searches = ("world=wumpus/all", "world.size=2", "heuristic=too_much", "algorithm=astar")
    done = audit(tmp_path, "plugins=[mine]", *searches, "hydra.run.dir=out")
    assert done.returncode == 1, done.stderr
    table = checks(tmp_path / "out")
    assert table["admissible"]["declared"] == "yes"
    assert int(table["admissible"]["broken"]) > 0
    assert table["zero_at_goals"]["verdict"].startswith("holds in all")
    assert table["optimal"]["violations"] == "0"
    assert "world=" not in table["admissible"]["world"]
    assert "all caves of up to 2x2 squares" in table["admissible"]["world"]
    shown = run(tmp_path, "report", "out")
    assert shown.returncode == 0, shown.stderr
    assert "note: astar with too_much: admissible is declared, but VIOLATED" in shown.stderr


def test_an_error_and_an_exit_of_a_plugin_show_its_own_traceback(tmp_path: Path) -> None:
    install(tmp_path, "overestimating", "mine")
    done = audit(tmp_path, "plugins=[mine]", "heuristic=fails", "hydra.run.dir=out")
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert lines[0] == "error: unibz_w1: cannot be audited"
    assert "mine.py" in lines[2]
    assert lines[-1] == "KeyError: 'key of mine'"
    assert "state_values.py" not in done.stderr
    done = audit(tmp_path, "plugins=[mine]", "heuristic=leaves", "hydra.run.dir=out")
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, "SystemExit: 0")
    assert not (tmp_path / "out").exists()


def test_an_audit_ends_at_its_limit_and_at_a_signal_although_the_heuristic_never_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "overestimating", "mine")
    monkeypatch.setattr(process, "STOP_SECONDS", 0.1)
    given = ("plugins=[mine]", "heuristic=hangs", "hydra.run.dir=out")
    done = audit(tmp_path, *given, "limits.time=0.1", workers=1)
    assert done.returncode == 2
    assert done.stderr.startswith("error: unibz_w1: more than 0.1 s (limits.time), without a return from the heuristic")
    assert done.stderr.count("\n") == 1
    done = audit(tmp_path, *given, "heuristic.signalling=true", workers=1)
    assert (done.returncode, done.stderr) == (143, "interrupted; the worker did not stop, so nothing is written\n")
    assert not (tmp_path / "out").exists()


def test_an_audit_in_a_worker_is_the_same() -> None:
    pictures = []
    here, elsewhere = (runner.audit("snake/all", [PLANE], "astar", **BOARDS, workers=number) for number in (0, 1))
    assert (str(here), here.statistics) == (str(elsewhere), elsewhere.statistics)
    assert [each.text for each in here.counterexamples] == [each.text for each in elsewhere.counterexamples]
    for each in (here, elsewhere):
        axes = Figure().add_subplot()
        draw = each.counterexamples[0].draw
        assert draw is not None
        draw(axes)
        pictures.append([np.asarray(patch.get_path().vertices).tolist() for patch in axes.child_axes[0].patches])
    assert pictures[0] == pictures[1] != []


def test_a_world_that_cannot_be_pickled_is_audited_in_this_process() -> None:
    class Local(PythonWorld):
        def initial(self) -> int:
            return 2

        def successors(self, state: Any) -> list[tuple[str, int, int]]:
            return [("down", state - 1, 1)]

        def is_goal(self, state: Any) -> bool:
            return state == 0

    @dataclass(frozen=True)
    class TooMuch(PythonHeuristic):
        registered_name = "too much"

        def value(self, state: Any, world: Any) -> float:
            return 2 * state

    made = supervise(AuditRequest(list(Local().instances()), 1, "local", None, Stack((TooMuch(),))), 1, Stop())
    assert made is not None
    found = made.counterexamples[0]
    assert isinstance(found.instance, Instance)
    assert isinstance(found.instance.world, Local)
    assert (found.h, found.h_star) == (2, 1)


def test_findings_are_shown_even_if_they_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "out" / "audit.md").mkdir(parents=True)
    done = audit(tmp_path, "world=wumpus/all", "world.size=2x1", "hydra.run.dir=out")
    assert done.returncode == 1
    assert "no_failure" not in done.stdout
    assert "holds in all" in done.stdout
    assert done.stderr.replace(f"{COMPILING}\n", "").count("\n") == 1


def test_dominance_and_the_promises_of_an_algorithm_are_checked(tmp_path: Path) -> None:
    done = audit(
        tmp_path, "world=npuzzle/all", "world.size=[2,3]", "heuristic=linear_conflict", "algorithm=idastar",
        "audit.dominates=[manhattan,misplaced,pattern_database]", "hydra.run.dir=out",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    table = checks(tmp_path / "out")
    assert table["dominates manhattan"]["verdict"] == "holds in all 360 states of 1 space that 360 instances share"
    assert table["dominates misplaced"]["violations"] == "0"
    (beaten,) = [line for name, line in table.items() if name.startswith("dominates") and "pattern" in name]
    assert beaten["verdict"].startswith("VIOLATED")
    assert beaten["declared"] == "unknown"
    assert (table["optimal"]["declared"], table["optimal"]["instances"]) == ("yes", "360")


def test_without_a_world_the_audit_takes_a_small_one_of_the_domain(tmp_path: Path) -> None:
    install(tmp_path, "tile_counts", "mine")
    done = audit(tmp_path, "heuristic=mine")
    assert (done.returncode, done.stderr) == (
        2,
        "error: heuristic: there is no 'mine'; 'plugins=[mine]' imports mine.py\n",
    )
    done = audit(tmp_path, "plugins=[mine]", "heuristic=tiles_and_world", "world.size=2x3", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    assert "note: without world=, the audit takes world=npuzzle/random world.count=1\n" in done.stderr
    assert checks(tmp_path / "out")["admissible"]["verdict"] == "no violation in 360 states of 1 instance"
    configuration = yaml.safe_load((tmp_path / "out" / ".hydra" / "config.yaml").read_text(encoding="utf-8"))
    assert (configuration["world"]["name"], configuration["world"]["size"]) == ("npuzzle/random", "2x3")
    done = audit(tmp_path, "plugins=[mine]", "heuristic=tiles_and_world", "world=wumpus/static")
    assert done.returncode == 2
    assert done.stderr.startswith("error: heuristic: wumpus has no heuristic 'tiles_and_world' (it belongs to n")


def test_states_that_must_be_checked_again_are_announced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "tile_counts", "mine")
    monkeypatch.setattr(auditor, "MIN_ANNOUNCED_SECONDS", 0.0)
    boards = ("plugins=[mine]", "world=npuzzle/random", "world.size=2x3", "world.count=4")
    reason = "because the values of above_start may depend on the start: about 0:0"
    done = audit(tmp_path, *boards, "heuristic=above_start", "hydra.run.dir=out")
    assert done.stderr.count(f"note: 360 states are checked again for 3 other starts, {reason}") == 1
    done = audit(tmp_path, *boards, "heuristic=tiles_and_world", "hydra.run.dir=shared")
    assert "note: " not in done.stderr


def test_several_values_are_several_audits(tmp_path: Path) -> None:
    """In folders of one folder. A wrong value is refused before the first audit."""
    words = ("heuristic=manhattan,misplaced", "world=npuzzle/random", "world.size=2", "world.count=1")
    done = audit(tmp_path, *words)
    assert done.returncode == 0, done.stderr
    (folder,) = (tmp_path / "outputs" / "audit").iterdir()
    subjects = [json.loads((folder / name / "audit.json").read_text())["subject"] for name in ("0", "1")]
    assert subjects == ["manhattan", "misplaced"]
    assert audit(tmp_path, *words, "world.cont=2").returncode == 2
    assert len([*(tmp_path / "outputs" / "audit").iterdir()]) == 1


def test_an_audit_is_not_repeated(tmp_path: Path) -> None:
    done = audit(tmp_path, "world=wumpus/static", "heuristic=manhattan", "repeat=2")
    assert (done.returncode, done.stderr) == (2, "error: repeat: expected int <= 1, got 2\n")


def test_values_of_the_section_sweep_are_several_audits(tmp_path: Path) -> None:
    """An axis of one value is one of them. Without a combination there is nothing to audit."""
    words = ("world=pancake/all", "hydra.run.dir=out")
    done = audit(tmp_path, *words, "+sweep.product={heuristic: [none], world.size: [2,3]}")
    assert (done.returncode, done.stderr) == (0, "")
    subjects = [json.loads(file.read_text())["subject"] for file in sorted(tmp_path.glob("out/*/audit.json"))]
    assert subjects == ["none", "none"]
    done = audit(tmp_path, *words, "heuristic=gap,none", "+sweep.exclude=[{heuristic: '*'}]")
    assert (done.returncode, done.stderr) == (2, "error: sweep.exclude: excludes every combination\n")


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)])
def test_an_interrupted_audit_writes_its_findings(tmp_path: Path, number: int) -> None:
    """The sixth instance of an endless world creates a file, so that the test knows when to send the signal."""
    install(tmp_path, "endless", "mine")
    process = Forked(tmp_path, "audit", "plugins=[mine]", "world=endless", "heuristic=two", "hydra.run.dir=out")
    wait_for(lambda: (tmp_path / "marker").exists() or process.poll() is not None)
    process.send_signal(number)
    output, errors = process.communicate()
    assert process.returncode == 128 + number, errors
    assert "endless, interrupted" in output
    table = checks(tmp_path / "out")
    assert int(table["admissible"]["instances"]) >= 5
    assert "no violation in" in table["zero_at_goals"]["verdict"]
    assert table["admissible"]["verdict"].startswith("VIOLATED")
    assert (tmp_path / "out" / ".hydra" / "config.yaml").exists()


def test_an_audit_is_never_overwritten(tmp_path: Path) -> None:
    arguments = ("world=wumpus/all", "world.size=2x1", "hydra.run.dir=out")
    assert audit(tmp_path, *arguments).returncode == 0
    before = (tmp_path / "out" / "audit.csv").read_bytes()
    done = audit(tmp_path, *arguments)
    assert done.returncode == 2
    assert "out: contains an audit, which is never overwritten" in done.stderr
    assert (tmp_path / "out" / "audit.csv").read_bytes() == before


def test_help_describes_audits_and_no_sweeps(tmp_path: Path) -> None:
    done = run(tmp_path, "audit", "--help")
    assert done.returncode == 0
    for words in ("python -m runner audit", "Exit code:", "wumpus/all"):
        assert words in done.stdout
    assert "-m" not in done.stdout.replace("python -m", "").split()
    assert "--multirun" not in done.stdout


def test_default_limits_are_the_same_in_python_and_yaml() -> None:
    configuration = yaml.safe_load(
        (ROOT / "runner" / "features" / "audits" / "conf" / "audit.yaml").read_text(encoding="utf-8")
    )
    assert configuration["limits"] == DEFAULT_LIMITS


def test_a_report_shows_audits_beside_rows(tmp_path: Path, undeclared: tuple[Path, str]) -> None:
    write(tmp_path / "both" / "run" / "metrics.csv", [row("a", expanded=1), row("a", "h", expanded=2)])
    shutil.copytree(undeclared[0] / "out", tmp_path / "both" / "audit")
    record = json.loads((tmp_path / "both" / "audit" / "audit.json").read_text(encoding="utf-8"))
    found = {each["check"]: each["counterexample"] for each in record["findings"] if each["counterexample"]}
    done = run(tmp_path, "report", "both", "--format", "html,markdown,csv", "--tables", "all")
    assert (done.returncode, done.stderr) == (0, "")
    page = (tmp_path / "both" / "report" / "report.html").read_text(encoding="utf-8")
    assert html.escape(f"Audit: {record['subject']}, on {record['world']}") in page
    assert page.count('<img src="data:image/svg+xml;base64,') == len(found) > 1
    sums = [line for line in found["admissible"]["text"].splitlines() if line.startswith("h = manhattan ")]
    assert sums
    assert all(line in page for line in sums)
    assert "Counterexample: admissible" in (tmp_path / "both" / "report" / "report.md").read_text(encoding="utf-8")
    assert (tmp_path / "both" / "report" / "audit_1.csv").exists()
    assert (tmp_path / "both" / "report" / "expanded.csv").exists()


def test_the_function_audit_returns_violations_and_counterexamples() -> None:
    made = runner.audit("snake/all", [PLANE], **BOARDS)
    assert "admissible" in made.violated
    assert made.broken == []
    assert made.exhaustive is not None
    found = made.counterexamples[0]
    assert (found.h, found.h_star) == (2.0, 1.0)
    assert found.picture == "@ . 1"
    board = runner.load("npuzzle/random", size=3, count=1)
    assert runner.audit(board, "manhattan").violated == []
    with pytest.raises(runner.UserError, match="there are no instances"):
        runner.audit([])
    with pytest.raises(runner.UserError, match="unknown parameter"):
        runner.audit("wumpus/all", sizes=3)
