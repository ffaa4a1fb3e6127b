"""``dry_run=true`` prints the plan and writes no files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner_cli import run

SWEEP = ("-m", "algorithm=astar,ucs,greedy", "heuristic=pivots,manhattan", "world=wumpus/random", "hydra.sweep.dir=out")


def table_of(output: str) -> list[list[str]]:
    """Return the cells of the table, without its header."""
    lines = [line for line in output.splitlines() if line.startswith("│")]
    return [[cell.strip() for cell in line.strip("│").split("│")] for line in lines]


def test_the_plan_of_a_sweep_is_shown(tmp_path: Path) -> None:
    done = run(tmp_path, *SWEEP, "world.count=3", "dry_run=true")
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.iterdir())
    table = table_of(done.stdout)
    assert [line[0][:3] for line in table] == ["[0]", "[1]", "[2]", "[4]", "[5]", "5 c"]
    assert table[-1] == ["5 cells", "15", "0", "15"]
    assert table[0][0] == "[0] algorithm=astar heuristic=pivots world=wumpus/random world.count=3"
    assert "skipped: the same as cell 2" in done.stderr
    assert "1 cell would be skipped" in done.stdout
    assert "no estimate of the time" in done.stdout


def test_finished_rows_are_counted_and_the_time_is_estimated(tmp_path: Path) -> None:
    assert run(tmp_path, *SWEEP, "world.count=3").returncode == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    done = run(tmp_path, *SWEEP, "world.count=5", "dry_run=true")
    assert done.returncode == 0, done.stderr
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    table = table_of(done.stdout)
    assert table[-1] == ["5 cells", "25", "15", "10"]
    assert "about 0:00:00 of search, estimated from the finished rows" in done.stdout
    done = run(tmp_path, *SWEEP, "world.count=3", "dry_run=true")
    assert "nothing to do" in done.stdout


def test_the_plan_of_a_single_run_is_shown(tmp_path: Path) -> None:
    done = run(tmp_path, "dry_run=true", "world=wumpus/random", "world.count=1000000")
    assert done.returncode == 0, done.stderr
    assert "1,000,000" in done.stdout
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-m", "algorithm.tis=low_h,fifo"), "error: algorithm.tis: unknown key; did you mean 'ties'?"),
        (("algorithm.ties=lwo_h",), "error: algorithm.ties: expected one of"),
        (("-m", "algorithm.ties=lwo_h,fifo"), "[0] algorithm.ties=lwo_h: error: algorithm.ties: expected one of"),
        (("-m", "heuristic=none,pivot"), "error: heuristic: there is no 'pivot'"),
        (("world=wumpus/file", "world.path=nowhere"), "error: "),
        (("-m", "algorithm=ucs,bfs", "retry=wrong"), "error: retry: expected one of failed, limits, none, got 'wrong'"),
    ],
)
def test_a_mistake_is_one_line(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    done = run(tmp_path, *arguments, "dry_run=true")
    assert done.returncode == 2, done.stdout
    assert done.stderr.startswith(message)
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_wrong_value_of_dry_run_runs_nothing(tmp_path: Path) -> None:
    done = run(tmp_path, "-m", "dry_run=true,false", "hydra.sweep.dir=out")
    assert done.returncode == 2
    assert "dry_run: applies to the whole command" in done.stderr
    assert not (tmp_path / "out" / "0" / "metrics.csv").exists()
    done = run(tmp_path, "dry_run=1")
    assert (done.returncode, done.stderr) == (2, "error: dry_run: expected bool, got int\n")


@pytest.mark.parametrize("flag", [("-p", "dry_run=true"), ("--resolve", "dry_run=true")])
def test_flags_of_a_printed_configuration_run_nothing(tmp_path: Path, flag: tuple[str, ...]) -> None:
    """-p takes the next word, so that dry_run=true would have no effect."""
    done = run(tmp_path, *SWEEP, *flag)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "expected with --cfg or --info" in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_dry_run_of_submit_shows_the_array_and_the_script(tmp_path: Path) -> None:
    """The script is the one that sbatch would get, with its options; SLURM is not needed."""
    options = ("submit.sbatch.account=lab", "submit.sbatch.mail-user=me@x.org", "submit.sbatch.exclusive=true")
    done = run(tmp_path, "submit", "--tasks=4", "--parallel=2", *options, *SWEEP[1:], "world.count=3", "dry_run=true")
    assert done.returncode == 0, done.stderr
    assert "5 cells" in done.stdout
    assert "array: 4 tasks of 3 to 4 instances, at most 2 at the same time\n" in done.stdout
    for line in ("array=0-3%2", "account=lab", "mail-user=me@x.org", "exclusive", f"output={tmp_path}/out/slurm/%A_"):
        assert f"#SBATCH --{line}" in done.stdout
    assert "submitit.core._submit" in done.stdout
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("submit.sbatch.cpus-per-task=2", "submit.sbatch.cpus-per-task: use --cpus"),
        ("submit.sbatch.output=log", "submit.sbatch.output: is set by submit"),
        ("submit.account=lab", "submit.account=lab: expected submit.sbatch.OPTION=VALUE, with OPTION=true for a flag"),
        ("submit.sbatch.account=a\nb", "submit.sbatch.account=a b: expected submit.sbatch.OPTION=VALUE"),
    ],
)
def test_wrong_options_of_sbatch_are_refused(tmp_path: Path, option: str, message: str) -> None:
    done = run(tmp_path, "submit", option, *SWEEP[1:])
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith(f"error: {message}")


@pytest.mark.parametrize("flag", ["--cfg=job", "--info=config", "--version"])
def test_submit_refuses_flags_that_only_print(tmp_path: Path, flag: str) -> None:
    done = run(tmp_path, "submit", flag, *SWEEP[1:])
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: submit: takes no {flag.partition('=')[0]}")
    assert not list(tmp_path.iterdir())
