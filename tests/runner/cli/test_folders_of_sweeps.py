"""Folders that cannot be used for a sweep are refused, and corrupt records do not repeat rows."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from runner.records.folder import SweepFolder
from tests.runner.waiting import HANGING, wait_for
from tests.runner_cli import Forked, rows, run

SWEEP = ("-m", "algorithm=astar,ucs", "hydra.sweep.dir=out")


@pytest.mark.skipif(os.name != "posix", reason="locks are of POSIX")
def test_a_second_process_is_refused_until_the_first_ends(tmp_path: Path) -> None:
    def hold(_: list[str]) -> int:
        held = SweepFolder(Path("out"))
        held.lock()
        Path("held").touch()
        time.sleep(HANGING)
        return 0

    holder = Forked(tmp_path, program=hold)
    wait_for((tmp_path / "held").exists)
    done = run(tmp_path, *SWEEP)
    assert done.returncode == 2
    process = f"process {holder.pid} on {os.uname().nodename}"
    assert done.stderr.startswith(f"error: out: another process may be writing to this folder ({process}); wait ")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out" / "0").exists()
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    assert run(tmp_path, *SWEEP).returncode == 0


def test_files_with_other_columns_are_refused(swept: Path) -> None:
    file = swept / "out" / "0" / "metrics.csv"
    lines = file.read_text(encoding="utf-8").splitlines()[:2]
    file.write_text(f"{lines[0]},colour\n{lines[1]},red\n", encoding="utf-8")
    done = run(swept, *SWEEP)
    assert done.returncode == 2
    assert "another version has written it, with other columns" in done.stderr
    assert file.read_text(encoding="utf-8").endswith(",red\n")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "there is no sweep (multirun.yaml is missing)"),
        ("", "not the record of a sweep"),
        ("hydra: [1]", "not the record of a sweep"),
        ("a: &a [*a]", "not the record of a sweep"),
        ("{", "not the record of a sweep"),
    ],
)
def test_a_folder_without_a_sweep_cannot_be_resumed(tmp_path: Path, content: str | None, message: str) -> None:
    if content is not None:
        (tmp_path / "multirun.yaml").write_text(content, encoding="utf-8")
    done = run(tmp_path, "resume", ".")
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_corrupt_records_do_not_repeat_rows(swept: Path) -> None:
    (swept / "out" / "0" / "environment.json").write_text("{")
    (swept / "out" / "1" / "environment.json").unlink()
    (swept / "out" / "jobs.json").write_text("[")
    for _ in range(2):
        done = run(swept, *SWEEP)
        assert done.returncode == 0, done.stderr
        assert done.stderr.count("7 done before") == 2
    assert len(rows(swept / "out" / "results.csv")) == 14


def test_a_corrupt_file_of_rows_is_one_line(swept: Path) -> None:
    file = swept / "out" / "1" / "metrics.csv"
    whole = file.read_bytes()
    for damaged in (whole.replace(b"run_id", b"run_ix"), b"\n\n\n", whole + b"x" * 200_000 + b"\n", b"a,b\n1,2\n"):
        file.write_bytes(damaged)
        done = run(swept, *SWEEP)
        assert done.returncode in (1, 2), done.stdout
        assert "Traceback" not in done.stderr
        assert "1/metrics.csv: " in done.stderr
        assert file.read_bytes() == damaged
    file.write_bytes(whole + b"caf\xe9,half,a li\n")
    assert run(swept, *SWEEP).returncode == 0


@pytest.mark.parametrize("name", [".lock", "jobs.json"])
def test_a_folder_in_place_of_a_file_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "out" / name / "inside").mkdir(parents=True)
    done = run(tmp_path, *SWEEP)
    assert done.returncode == 2
    assert done.stderr.startswith("error: out")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out" / "0").exists()


def test_a_refused_command_does_not_replace_the_record(swept: Path) -> None:
    for mistake in (("-m", "algorithm=astar,nosuch"), ("-m", "algorithm=astar,ucs", "retry=wrong")):
        assert run(swept, *mistake, "hydra.sweep.dir=out").returncode == 2
        done = run(swept, "resume", "out")
        assert done.returncode == 0, done.stderr
        assert done.stderr.count("7 done before") == 2


def test_a_folder_of_a_single_run_or_of_other_subfolders_is_refused(tmp_path: Path) -> None:
    assert run(tmp_path, "hydra.run.dir=out").returncode == 0
    resumed = run(tmp_path, "resume", "out")
    assert (resumed.returncode, "a single run cannot be resumed" in resumed.stderr) == (2, True)
    done = run(tmp_path, *SWEEP)
    assert (done.returncode, "holds results already" in done.stderr) == (2, True)
    other = ("-m", "limits.nodes=5,100000", "hydra.sweep.dir=swept", "hydra.sweep.subdir=job${hydra.job.num}")
    assert run(tmp_path, *other).returncode == 0
    assert len(rows(tmp_path / "swept" / "results.csv")) == 14
    assert run(tmp_path, *other).returncode == 2


@pytest.mark.parametrize("lost", ["multirun.yaml", "jobs.json", "results.csv"])
def test_a_run_in_the_folder_of_a_sweep_is_refused(swept: Path, lost: str) -> None:
    (swept / "out" / lost).rename(swept / lost)
    done = run(swept, "hydra.run.dir=out")
    assert (done.returncode, "out: holds results already" in done.stderr) == (2, True)
    (swept / lost).rename(swept / "out" / lost)
    assert run(swept, "resume", "out").returncode == 0


@pytest.mark.parametrize(
    "subdir", [".", "''", "results.csv", "jobs.json", ".lock", "a/metrics.csv", "${world.path}/..", "/a"]
)
def test_a_subdir_that_is_no_folder_of_its_own_is_refused(tmp_path: Path, subdir: str) -> None:
    done = run(tmp_path, *SWEEP, f"hydra.sweep.subdir={subdir}")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith("error: hydra.sweep.subdir: expected a ")
    assert list(tmp_path.iterdir()) == []


def test_a_refused_cell_cannot_have_the_folder_of_another(tmp_path: Path) -> None:
    world = ("world=pancake/random", "world.size=4", "world.count=1", "heuristic=gap", "algorithm=astar")
    weights = ("weighting=constant", "weighting.weight=2,-1")
    done = run(tmp_path, "-m", *world, *weights, "hydra.sweep.dir=out", "hydra.sweep.subdir=c${world.size}")
    assert done.returncode == 2
    assert "error: hydra.sweep.subdir: cells 0 and 1 have the same folder, c4\n" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_sweep_keeps_the_files_of_the_user_in_its_folder(tmp_path: Path) -> None:
    notes = tmp_path / "out" / "notes" / "refused.txt"
    notes.parent.mkdir(parents=True)
    notes.write_text("mine", encoding="utf-8")
    assert run(tmp_path, *SWEEP).returncode == 0
    assert notes.read_text(encoding="utf-8") == "mine"
    assert run(tmp_path, "status", "out").stdout.endswith(" done\ncomplete\n")
    assert run(tmp_path, "collect", "out").returncode == 0


def test_cells_in_folders_of_folders_have_a_line_each_and_their_problems_count(tmp_path: Path) -> None:
    subdir = "hydra.sweep.subdir=${world.size}/${algorithm.name}"
    world = ("world=npuzzle/random", "world.size=2x2,2x3,0x0", "world.count=2")
    done = run(tmp_path, "-m", "algorithm=astar", *world, "hydra.sweep.dir=out", subdir)
    assert done.returncode == 2
    assert "0x0" in (tmp_path / "out" / "0x0" / "astar" / "refused.txt").read_text(encoding="utf-8")
    assert "1 cell refused: see 0x0/astar/refused.txt\n" in run(tmp_path, "status", "out").stdout
    collected = run(tmp_path, "collect", "out")
    assert collected.returncode == 2
    for output in (done.stdout, collected.stdout):
        assert [line.split()[1] for line in output.splitlines() if "astar" in line and "│" in line] == [
            "2x2/astar", "2x3/astar",
        ]  # fmt: skip


RESTLESS = """
import os
from dataclasses import dataclass
import runner
from runner.plugin import table

def leave():
    os.makedirs("elsewhere", exist_ok=True)
    os.chdir("elsewhere")

leave()

@runner.source("restless", files=(".txt",))
def restless_files(file):
    yield file.stem, Restless(int(file.read_text()))

@dataclass(frozen=True)
class Restless(runner.PythonWorld):
    domain = "restless"
    first: int = 0

    def initial(self):
        leave()
        return self.first

    def successors(self, state):
        leave()
        yield "step", state + 1, 1

    def is_goal(self, state):
        return state == 2

@runner.python_heuristic("restless", domain="restless")
def h(state):
    leave()
    return 0

@table("restless")
def restless(runs):
    leave()
"""


def test_a_plugin_that_changes_the_working_directory_moves_no_results(tmp_path: Path) -> None:
    (tmp_path / "restless.py").write_text(RESTLESS, encoding="utf-8")
    (tmp_path / "worlds").mkdir()
    for number in range(3):
        (tmp_path / "worlds" / f"{number}.txt").write_text(f"{number}\n", encoding="utf-8")
    words = ("world=restless", "world.path=worlds", "heuristic=restless", "plugins=[restless]")
    done = run(tmp_path, "-m", *words, "workers=1", "algorithm=astar,ucs", "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    assert len(rows(tmp_path / "out" / "results.csv")) == 6
    assert run(tmp_path, *words, "workers=0", "hydra.run.dir=one").returncode == 0
    assert {row["status"] for row in rows(tmp_path / "one" / "metrics.csv")} == {"solved"}
    assert run(tmp_path, "report", "out", "--out", "page", "--plugins", "restless").returncode == 0
    assert (tmp_path / "page" / "report.html").is_file()
    assert not [file for file in (tmp_path / "elsewhere").rglob("*") if file.is_file()]
