"""Continuing a sweep in its folder: no row is lost, and none is made twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from runner.records.reader import read_rows
from tests.plugins import install
from tests.runner_cli import ROOT, SECONDS, command, environment, rows, run

CELLS = ("-m", "algorithm=astar,bfs", "heuristic=pivots,manhattan", "world=wumpus/random", "world.count=40")
LONG = ("-m", "algorithm=ucs,bfs", "world=wumpus/random", "world.size=40", "world.count=400", "hydra.sweep.dir=out")


def resume(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(directory, "resume", *arguments)


def lasting(file: Path) -> list[dict[str, str]]:
    """Return rows without the columns that differ from run to run."""
    return [{name: value for name, value in row.items() if name not in SECONDS} for row in rows(file)]


def contents(folder: Path) -> dict[str, bytes]:
    """Return the contents of all files, except the record of the newest command."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in files
        if ".hydra" not in path.parts and path.name not in ("multirun.yaml", ".lock", "jobs.json")
    }


def test_a_finished_sweep_has_nothing_to_do(tmp_path: Path) -> None:
    first = run(tmp_path, *CELLS, "hydra.sweep.dir=out")
    assert first.returncode == 0, first.stderr
    before = contents(tmp_path / "out")
    again = run(tmp_path, *CELLS, "hydra.sweep.dir=out")
    assert again.returncode == 0, again.stderr
    assert again.stdout == first.stdout
    assert again.stderr.count("40 done before") == 3
    assert contents(tmp_path / "out") == before
    resumed = resume(tmp_path, "out")
    assert (resumed.returncode, resumed.stdout.split("results:")[0]) == (0, first.stdout.split("results:")[0])
    assert contents(tmp_path / "out") == before


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a sweep without interruption."""
    folder = tmp_path_factory.mktemp("whole")
    done = run(folder, *LONG)
    assert done.returncode == 0, done.stderr
    return folder / "out"


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is a POSIX signal")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_an_interrupted_sweep_is_completed(tmp_path: Path, whole: Path, number: int) -> None:
    """In the end it has the same rows as a sweep without interruption."""
    process = subprocess.Popen(command(*LONG), cwd=tmp_path, env=environment(), stderr=subprocess.DEVNULL, stdout=-3)
    file = tmp_path / "out" / "0" / "metrics.csv"
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and not (file.exists() and file.read_bytes().count(b"\n") > 20):
        time.sleep(0.01)
    process.send_signal(number)
    process.wait(timeout=60)
    with open(file, "a", encoding="utf-8") as half:  # as if it had been cut off while writing
        half.write("0123456789ab,half,a li")
    before = len(list(read_rows(file)))
    assert 20 <= before < 400
    done = resume(tmp_path, "out")
    assert done.returncode == 0, done.stderr
    assert "done before" in done.stderr
    assert lasting(tmp_path / "out" / "results.csv") == lasting(whole / "results.csv")
    found = [json.loads(line) for line in (tmp_path / "out" / "0" / "plans.jsonl").read_text().splitlines()]
    expected = [json.loads(line) for line in (whole / "0" / "plans.jsonl").read_text().splitlines()]
    assert {each["run_id"]: each["actions"] for each in found} == {each["run_id"]: each["actions"] for each in expected}


def test_failed_rows_are_tried_again(tmp_path: Path) -> None:
    install(tmp_path, "fragile", "mine")
    (tmp_path / "broken").touch()
    sweep = ("-m", "plugins=[mine]", "heuristic=fragile", "algorithm=astar,greedy", "hydra.sweep.dir=out")
    assert run(tmp_path, *sweep).returncode == 1
    (tmp_path / "broken").unlink()
    again = run(tmp_path, *sweep, "retry=none")
    assert again.returncode == 1
    assert again.stderr.count("7 done before") == 2
    again = run(tmp_path, *sweep)
    assert again.returncode == 0, again.stderr
    assert again.stderr.count("5 done before") == 2
    found = rows(tmp_path / "out" / "results.csv")
    assert len({row["run_id"] for row in found}) == len(found) == 14
    assert {row["status"] for row in found} == {"solved", "unsolvable"}
    assert len(rows(tmp_path / "out" / "0" / "metrics.csv")) == 9, "what failed stays on record"


def test_rows_that_ended_at_a_limit_are_made_again_under_another(tmp_path: Path) -> None:
    sweep = ("-m", "algorithm=ucs,bfs", "hydra.sweep.dir=out")
    assert run(tmp_path, *sweep, "limits.nodes=900").returncode == 0
    limited = [row["status"] == "node_limit" for row in rows(tmp_path / "out" / "results.csv")]
    assert 0 < sum(limited) < 14
    done = run(tmp_path, *sweep, "limits.nodes=100000", "retry=limits")
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path / "out" / "results.csv")
    assert len({row["run_id"] for row in found}) == len(found) == 14
    assert {row["status"] for row in found} == {"solved", "unsolvable"}
    made = [len(rows(file)) for file in (tmp_path / "out").glob("*/metrics.csv")]
    assert sum(made) == 14 + sum(limited)


def test_a_sweep_over_limits_goes_on_with_every_cell(tmp_path: Path) -> None:
    sweep = ("-m", "limits.nodes=5,100000", "hydra.sweep.dir=out")
    assert run(tmp_path, *sweep).returncode == 0
    kept = (tmp_path / "out" / "1" / "metrics.csv").read_text().splitlines(keepends=True)
    (tmp_path / "out" / "1" / "metrics.csv").write_text("".join(kept[:3]))
    assert run(tmp_path, *sweep).returncode == 0
    assert len(rows(tmp_path / "out" / "results.csv")) == 14
    assert len(rows(tmp_path / "out" / "1" / "metrics.csv")) == 7


def test_a_larger_sweep_keeps_what_is_there(tmp_path: Path) -> None:
    assert run(tmp_path, *CELLS, "hydra.sweep.dir=out").returncode == 0
    before = contents(tmp_path / "out")
    done = run(tmp_path, *CELLS[:-1], "world.count=50", "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("40 done before") == 3
    after = contents(tmp_path / "out")
    assert {name: after[name] for name in before if name != "results.csv"} == {
        name: content for name, content in before.items() if name != "results.csv"
    }
    found = rows(tmp_path / "out" / "results.csv")
    assert len({row["run_id"] for row in found}) == len(found) == 150


@pytest.mark.skipif(os.name != "posix", reason="locks are of POSIX")
def test_a_second_process_is_refused_until_the_first_ends(tmp_path: Path) -> None:
    code = """
import time
from pathlib import Path
from runner.records.folder import SweepFolder

held = SweepFolder(Path("out"))
held.lock()
print("held", flush=True)
time.sleep(600)
"""
    holder = subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    done = run(tmp_path, "-m", "algorithm=astar,ucs", "hydra.sweep.dir=out")
    assert done.returncode == 2
    process = f"process {holder.pid} on {os.uname().nodename}"
    assert done.stderr.startswith(f"error: out: another process may be writing to this folder ({process}); wait ")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out" / "0").exists()
    holder.kill()
    holder.wait(timeout=60)
    holder.stdout.close()
    assert run(tmp_path, "-m", "algorithm=astar,ucs", "hydra.sweep.dir=out").returncode == 0


def test_files_with_other_columns_are_refused(tmp_path: Path) -> None:
    sweep = ("-m", "algorithm=astar,ucs", "hydra.sweep.dir=out")
    assert run(tmp_path, *sweep).returncode == 0
    file = tmp_path / "out" / "0" / "metrics.csv"
    lines = file.read_text(encoding="utf-8").splitlines()[:2]
    file.write_text(f"{lines[0]},colour\n{lines[1]},red\n", encoding="utf-8")
    done = run(tmp_path, *sweep)
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
    done = resume(tmp_path, ".")
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_single_run_cannot_be_resumed(tmp_path: Path) -> None:
    assert run(tmp_path, "hydra.run.dir=out").returncode == 0
    done = resume(tmp_path, "out")
    assert done.returncode == 2
    assert "a single run cannot be resumed" in done.stderr


def cut(file: Path, kept: int) -> None:
    """Cut a file after its header and some rows."""
    file.write_text("".join(file.read_text(encoding="utf-8").splitlines(keepends=True)[: kept + 1]), encoding="utf-8")


def run_ids(file: Path) -> list[str]:
    return [row["run_id"] for row in rows(file)]


@pytest.mark.parametrize(
    "changed",
    [
        ("algorithm=astar,ucs", "world.count=10", "world=wumpus/random"),
        ("world=wumpus/random", "world.count=10", "algorithm=ucs,astar"),
        ("world=wumpus/random", "world.count=10", "algorithm=ucs,astar,bfs", "weighting=none", "heuristic=none"),
    ],
)
def test_a_changed_command_runs_all_missing_instances(tmp_path: Path, changed: tuple[str, ...]) -> None:
    out = tmp_path / "out"
    first = ("-m", "algorithm=astar,ucs", "world=wumpus/random", "world.count=10", "hydra.sweep.dir=out")
    assert run(tmp_path, *first).returncode == 0
    expected = set(run_ids(out / "results.csv"))
    cut(out / "0" / "metrics.csv", 4)
    assert run(tmp_path, "-m", *changed, "hydra.sweep.dir=out").returncode == 0
    found = run_ids(out / "results.csv")
    assert len(found) == len(set(found))
    assert expected <= set(found)
    assert sum(len(rows(file)) for file in out.glob("*/metrics.csv")) == len(found)


def test_a_sweep_over_limits_may_grow(tmp_path: Path) -> None:
    sweep = ("-m", "limits.nodes=5,100000", "world=wumpus/random", "hydra.sweep.dir=out")
    assert run(tmp_path, *sweep, "world.count=5").returncode == 0
    assert run(tmp_path, *sweep, "world.count=8").returncode == 0
    found = run_ids(tmp_path / "out" / "results.csv")
    assert (len(found), len(set(found))) == (16, 8)
    assert (
        run(tmp_path, *sweep[2:-1], "-m", "algorithm=bfs,dfs", "world.count=5", "hydra.sweep.dir=out").returncode == 0
    )
    assert len(rows(tmp_path / "out" / "results.csv")) == 26


def test_corrupt_records_do_not_make_rows_twice(tmp_path: Path) -> None:
    sweep = ("-m", "algorithm=astar,ucs", "hydra.sweep.dir=out")
    assert run(tmp_path, *sweep).returncode == 0
    (tmp_path / "out" / "0" / "environment.json").write_text("{")
    (tmp_path / "out" / "1" / "environment.json").unlink()
    (tmp_path / "out" / "jobs.json").write_text("[")
    for _ in range(2):
        done = run(tmp_path, *sweep)
        assert done.returncode == 0, done.stderr
        assert done.stderr.count("7 done before") == 2
    assert len(rows(tmp_path / "out" / "results.csv")) == 14


def test_a_corrupt_file_of_rows_is_one_line(tmp_path: Path) -> None:
    sweep = ("-m", "algorithm=astar,ucs", "hydra.sweep.dir=out")
    assert run(tmp_path, *sweep).returncode == 0
    file = tmp_path / "out" / "1" / "metrics.csv"
    whole = file.read_bytes()
    for damaged in (whole.replace(b"run_id", b"run_ix"), b"\n\n\n", whole + b"x" * 200_000 + b"\n", b"a,b\n1,2\n"):
        file.write_bytes(damaged)
        done = run(tmp_path, *sweep)
        assert done.returncode in (1, 2), done.stdout
        assert "Traceback" not in done.stderr
        assert "1/metrics.csv: " in done.stderr
        assert file.read_bytes() == damaged
    file.write_bytes(whole + b"caf\xe9,half,a li\n")
    assert run(tmp_path, *sweep).returncode == 0


@pytest.mark.parametrize("name", [".lock", "jobs.json"])
def test_a_folder_that_cannot_be_used_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "out" / name / "inside").mkdir(parents=True)
    done = run(tmp_path, "-m", "algorithm=astar,ucs", "hydra.sweep.dir=out")
    assert done.returncode == 2
    assert done.stderr.startswith("error: out")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out" / "0").exists()


def test_a_mistake_does_not_become_the_record(tmp_path: Path) -> None:
    sweep = ("-m", "algorithm=astar,ucs", "hydra.sweep.dir=out")
    assert run(tmp_path, *sweep).returncode == 0
    for mistake in (("-m", "algorithm=astar,nosuch"), ("-m", "algorithm=astar,ucs", "retry=wrong")):
        assert run(tmp_path, *mistake, "hydra.sweep.dir=out").returncode == 2
        done = resume(tmp_path, "out")
        assert done.returncode == 0, done.stderr
        assert done.stderr.count("7 done before") == 2


def test_a_folder_of_a_single_run_or_of_other_subfolders_is_refused(tmp_path: Path) -> None:
    assert run(tmp_path, "hydra.run.dir=out").returncode == 0
    done = run(tmp_path, "-m", "algorithm=astar,ucs", "hydra.sweep.dir=out")
    assert (done.returncode, "holds results already" in done.stderr) == (2, True)
    other = ("-m", "limits.nodes=5,100000", "hydra.sweep.dir=swept", "hydra.sweep.subdir=job${hydra.job.num}")
    assert run(tmp_path, *other).returncode == 0
    assert len(rows(tmp_path / "swept" / "results.csv")) == 14
    assert run(tmp_path, *other).returncode == 2


def test_the_name_of_the_configuration_is_kept(tmp_path: Path) -> None:
    (tmp_path / "conf d").mkdir()
    (tmp_path / "conf d" / "mine.yaml").write_text(
        "defaults:\n  - config\n  - override algorithm: bfs\n", encoding="utf-8"
    )
    mine = (
        "--config-dir",
        "conf d",
        "--config-name",
        "mine",
        "-m",
        "world.suite=unibz,green_team",
        "hydra.sweep.dir=out",
    )
    done = run(tmp_path, *mine)
    assert done.returncode == 0, done.stderr
    cut(tmp_path / "out" / "0" / "metrics.csv", 2)
    done = resume(tmp_path, "out")
    assert done.returncode == 0, done.stderr
    assert {row["algorithm"] for row in rows(tmp_path / "out" / "results.csv")} == {"bfs"}
    assert len(rows(tmp_path / "out" / "results.csv")) == 15


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="signals and limits are of POSIX")
def test_faults_lose_nothing() -> None:
    """10 rounds; `python -m tests.faults` runs 200."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults", "--rounds", "10"],
        cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "rows lost: 0, rows doubled or foreign: 0, rows different: 0" in done.stdout
