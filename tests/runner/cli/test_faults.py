"""Bad files, faulty code, interrupts and full disks: one-line errors, and no finished row is lost."""

from __future__ import annotations

import resource
import signal
import subprocess
from pathlib import Path

import pytest

from runner.base.result import NAMES
from runner.cli.main import main
from runner.cli.progress import COMPILING
from runner.execution import plan
from tests.plugins import install
from tests.runner.waiting import HANGING, wait_for
from tests.runner_cli import Forked, command, environment, only, rows, run

GOOD_CAVE = '"size": [3, 3], "hunters": [[0, 0, "N"]], "golds": [[2, 2]]'


def test_bad_caves_of_a_folder_are_named_together(tmp_path: Path) -> None:
    (tmp_path / "caves").mkdir()
    for number in range(7):
        (tmp_path / "caves" / f"bad{number}.json").write_text('{"size": [3, 3], "hunters": [[0, 0, "N"]]}')
    (tmp_path / "caves" / "good.json").write_text(f"{{{GOOD_CAVE}}}")
    done = run(tmp_path, "world=wumpus/file", "world.path=caves", "world.unsupported=refuse")
    assert (done.returncode, done.stderr.count("\n"), done.stderr.count("caves/bad")) == (2, 1, 5)
    assert done.stderr.endswith("; and 2 more files\n")
    assert not list(tmp_path.glob("outputs/run/*"))


def test_results_are_never_overwritten(tmp_path: Path) -> None:
    assert run(tmp_path, "hydra.run.dir=here").returncode == 0
    before = {path: path.read_bytes() for path in (tmp_path / "here").rglob("*") if path.is_file()}
    done = run(tmp_path, "hydra.run.dir=here", "algorithm=ucs")
    assert done.returncode == 2
    assert "holds results already" in done.stderr
    assert {path: path.read_bytes() for path in (tmp_path / "here").rglob("*") if path.is_file()} == before


def test_ctrl_c_while_a_plugin_is_imported_ends_the_command(tmp_path: Path) -> None:
    (tmp_path / "stopped.py").write_text("raise KeyboardInterrupt\n")
    done = run(tmp_path, "plugins=[stopped]")
    assert (done.returncode, done.stderr) == (130, "interrupted\n")


def test_ctrl_c_while_a_sweep_is_planned_ends_the_command(swept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def raise_interrupt(_: str) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(plan, "key_of", raise_interrupt)
    done = run(swept, "resume", "out")
    assert (done.returncode, done.stderr) == (130, "interrupted\n")


def test_a_problem_of_an_earlier_command_counts_no_more(tmp_path: Path) -> None:
    sweep = ("-m", "world=npuzzle/random", "world.count=2", "world.size=2x2,0x0", "hydra.sweep.dir=out")
    for _ in range(2):
        assert run(tmp_path, *sweep).returncode == 2
        assert sorted(path.name for path in (tmp_path / "out").iterdir() if path.is_dir()) == ["0", "1"]
    assert run(tmp_path, *(word.replace("0x0", "2x3") for word in sweep)).returncode == 0
    assert run(tmp_path, "collect", "out").returncode == 0


def interrupted(tmp_path: Path, *arguments: str, number: int, pattern: str) -> Forked:
    """Start a long run, wait for rows, and send a signal."""
    process = Forked(tmp_path, *arguments)

    def has_rows() -> bool:
        files = list(tmp_path.glob(pattern))
        return bool(files) and files[-1].read_text().count("\n") > 3

    wait_for(lambda: process.poll() is not None or has_rows())
    process.send_signal(number)
    return process


LONG = ("algorithm=ucs", "world=wumpus/random", "world.size=60", "world.pit_probability=0.1", "world.count=100000")


def test_ctrl_c_keeps_the_finished_rows(tmp_path: Path) -> None:
    process = interrupted(tmp_path, *LONG, number=signal.SIGINT, pattern="outputs/run/*/metrics.csv")
    _, errors = process.communicate()
    assert process.returncode == 130
    assert "interrupted" in errors
    assert "Traceback" not in errors
    directory = only(tmp_path, "outputs/run/*")
    assert (directory / "metrics.csv").read_text().endswith("\n")
    found = rows(directory / "metrics.csv")
    assert len(found) >= 3
    assert {row["status"] for row in found[:-1]} <= {"solved", "unsolvable"}
    assert all(len(row) == len(found[0]) >= len(NAMES) and None not in row.values() for row in found)


@pytest.mark.long  # compiles; tests/runner/execution/test_stop.py has a signal during a compilation that only waits
def test_ctrl_c_during_compilation_prints_no_traceback(tmp_path: Path) -> None:
    process = subprocess.Popen(
        command("heuristic=flood_fill"), cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**environment(), "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
    )  # fmt: skip
    assert process.stderr is not None
    assert any(COMPILING in line for line in process.stderr)  # waits for it
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=HANGING)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert "Exception ignored" not in errors


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.long)])
def test_a_sweep_that_a_signal_ends_collects_its_rows(tmp_path: Path, number: signal.Signals) -> None:
    cells = ("-m", *LONG, "heuristic=none,manhattan")
    process = interrupted(tmp_path, *cells, number=number, pattern="outputs/sweep/*/*/metrics.csv")
    process.communicate()
    assert process.returncode == 128 + number
    sweep = only(tmp_path, "outputs/sweep/*")
    found = rows(sweep / "results.csv")
    assert found == rows(sweep / "0" / "metrics.csv")
    assert found[-1]["status"] in ("interrupted", "solved", "unsolvable")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_file_that_cannot_grow_ends_the_run_without_a_traceback(tmp_path: Path) -> None:
    def with_small_files(words: list[str]) -> int:
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
        return main(words)

    process = Forked(tmp_path, "world=wumpus/random", "world.count=100000", program=with_small_files)
    errors = process.communicate()[1]
    assert process.returncode == 1, errors
    assert "File too large" in errors
    assert "Traceback" not in errors


def test_an_invalid_plan_is_marked_and_the_run_ends_with_1(tmp_path: Path) -> None:
    install(tmp_path, "faulty")
    done = run(tmp_path, "plugins=[faulty]", "algorithm=liar", "hydra.run.dir=out")
    assert done.returncode == 1
    found = rows(tmp_path / "out" / "metrics.csv")
    assert [row["valid"] for row in found] == ["False"] * 6 + [""]
    assert "plan INVALID" in done.stdout


@pytest.mark.parametrize("sweep", [False, True])
def test_an_error_in_one_instance_is_a_row_and_the_run_ends_with_1(tmp_path: Path, sweep: bool) -> None:
    install(tmp_path, "faulty")
    where = ["-m", "hydra.sweep.dir=out", "heuristic.stack=[broken],[manhattan]"] if sweep else ["hydra.run.dir=out"]
    done = run(tmp_path, *where, "plugins=[faulty]", *([] if sweep else ["heuristic.stack=[broken]"]))
    assert done.returncode == 1
    found = rows(tmp_path / "out" / ("results.csv" if sweep else "metrics.csv"))
    assert [row["status"] for row in found[:7]] == ["solved"] * 2 + ["error"] + ["solved"] * 3 + ["unsolvable"]
    assert found[2]["error"] == "RuntimeError: on purpose"
    assert "1 row with error: RuntimeError: on purpose" in done.stderr
    assert len(found) == (14 if sweep else 7)
    log = tmp_path / "out" / ("0/runner.log" if sweep else "runner.log")
    assert 'faulty.py", line' in log.read_text()


def test_a_source_that_fails_keeps_its_rows_and_the_other_cells(tmp_path: Path) -> None:
    install(tmp_path, "crashing")
    done = run(tmp_path, "-m", "plugins=[crashing]", "hydra.sweep.dir=out", "world=crashing,wumpus/static")
    assert done.returncode == 1
    assert "boom" in done.stderr
    assert len(rows(tmp_path / "out" / "results.csv")) == 2 + 7


def write_choice(folder: Path, choice: str, text: str) -> None:
    """Add a choice such as algorithm/evil to a folder of configurations."""
    file = folder / f"{choice}.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(text)


DIRECT = "# @package _global_\nhydra: {callbacks: {e: {_target_: numpy.savetxt, fname: owned, X: [1]}}}\n"
INDIRECT = "# @package _global_\nx: {a: {_target_: numpy.savetxt, fname: owned, X: [1]}}\nhydra: {callbacks: '${x}'}\n"
WALK = "+hydra.callbacks.x={_target_:runner.callbacks.Path.touch,_args_:[owned]}"


@pytest.mark.parametrize("text", [DIRECT, INDIRECT, ""])
def test_the_section_hydra_cannot_name_code(tmp_path: Path, text: str) -> None:
    write_choice(tmp_path / "mine", "algorithm/evil", text)
    done = run(tmp_path, *(("--config-dir", "mine", "algorithm=evil") if text else (WALK,)))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith("error: hydra.callbacks")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_target_in_yaml_is_refused(tmp_path: Path) -> None:
    write_choice(tmp_path / "conf", "world/evil", "_target_: os.system\ncommand: touch owned\nname: wumpus/static\n")
    done = run(tmp_path, "--config-dir", "conf", "world=evil")
    assert done.returncode == 2
    assert "world._target_: unknown parameter" in done.stderr
    assert not (tmp_path / "owned").exists()
