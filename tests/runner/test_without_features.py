"""The core without its features: a copy without the folder ``runner/features`` runs, sweeps, resumes and reads rows."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tests.runner.tables import without_times
from tests.runner.waiting import HANGING, wait_for
from tests.runner_cli import ROOT, rows
from tests.runner_cli import run as run_with_features

PARTS = ("runner", "worlds", "heuristics", "algorithms", "conf")
SWEEP = ("-m", "world=npuzzle/random", "world.size=3", "world.count=5", "algorithm=astar,ucs", "heuristic=manhattan")


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return the command of an interpreter that finds the copy, the packages that we need, and nothing else of ours."""
    copy = tmp_path_factory.mktemp("copy")
    for part in PARTS:
        shutil.copytree(ROOT / part, copy / part, ignore=shutil.ignore_patterns("features"))
    installed = [place for place in sys.path if Path(place).is_dir() and Path(place) != ROOT]
    return ["env", f"PYTHONPATH={os.pathsep.join([str(copy), *installed])}", sys.executable, "-S"]  # without .pth files


def run(python: list[str], folder: Path, program: str) -> subprocess.CompletedProcess[str]:
    """Run a program in Python, which may run several commands: a process takes a second to start."""
    text = "import sys\nimport runner, runner.plugin\nfrom runner.cli.main import main\nsys.argv[0] = 'runner'\n"
    command = [*python, "-c", text + dedent(program)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=HANGING, check=True)


def test_a_killed_sweep_resumes_to_the_same_rows(python: list[str], tmp_path: Path) -> None:
    whole = run_with_features(tmp_path, *SWEEP, "hydra.sweep.dir=whole")
    assert whole.returncode == 0, whole.stderr
    command = [*python, "-m", "runner", *SWEEP, "hydra.sweep.dir=killed"]
    killed = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: any(map(rows, (tmp_path / "killed").glob("*/metrics.csv"))))
    killed.kill()
    killed.wait()
    program = """
        sys.argv[1:] = ["resume", "killed"]
        assert main() == 0
        print("\\n", runner.__file__, len(runner.read("killed").query("status == 'solved'")))
    """
    file, solved = run(python, tmp_path, program).stdout.splitlines()[-1].split()
    assert without_times(tmp_path / "killed" / "results.csv") == without_times(tmp_path / "whole" / "results.csv")
    assert (Path(file).is_relative_to(ROOT), solved) == (False, "10")


def test_names_and_commands_of_features_are_refused_in_one_line(python: list[str], tmp_path: Path) -> None:
    (tmp_path / "rows.zip").write_bytes(b"")
    asked = ("runner.read('rows.zip')", "runner.audit", "runner.plugin.Table", "runner.UserError(runner.solve)")
    program = f"""
        for text in {asked}:
            try:
                eval(text)
            except runner.UserError as error:
                print(error)
        for sys.argv[1:] in (["--help"], ["report", "out"]):
            print("----")
            code = main()
        print(code)
    """
    done = run(python, tmp_path, program)
    names, shown, code = done.stdout.split("----\n")
    end = "this copy of search-runner has no {}; install it again"
    assert names.splitlines() == [
        "unpack: " + end.format("runner.features.archive.zip_files"),
        "audit: " + end.format("runner.features.audits.api"),
        "Table: " + end.format("runner.features.reports"),
    ]
    commands = shown.partition("Commands:\n")[2].partition("\n\n")[0]
    assert [line.split()[0] for line in commands.splitlines()] == ["collect", "resume", "status", "warm"]
    assert (code, done.stderr) == (
        "2\n", "error: command 'report': this copy of search-runner has no runner.features.reports.report; "
        "install it again\n",
    )  # fmt: skip
