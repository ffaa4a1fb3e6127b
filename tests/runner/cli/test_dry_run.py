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
    settings = ("pin=false", "measure=process", "order=random", "order_seed=1")
    done = run(tmp_path, *SWEEP, "world.count=3", *settings, "dry_run=true")
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.iterdir())
    table = table_of(done.stdout)
    assert [line[0][:3] for line in table] == ["[0]", "[1]", "[2]", "[4]", "[5]", "5 c"]
    assert table[-1] == ["5 cells", "15", "0", "15"]
    assert table[0][0] == "[0] algorithm=astar heuristic=pivots world=wumpus/random world.count=3"
    assert "skipped: the same as another cell (ucs" in done.stderr
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
    ("argument", "message"),
    [
        ("algorithm.ties=lwo_h,fifo", "[0] algorithm.ties=lwo_h: error: algorithm.ties: expected one of"),
        ("heuristic=glob(gap*)", "error: glob: matches heuristics of other domains only"),
        ("sweep.exclude=[{algorithm:astar}]", "error: sweep.exclude: excludes every combination"),
    ],
)
def test_mistakes_of_cells_are_found(tmp_path: Path, argument: str, message: str) -> None:
    done = run(tmp_path, "-m", argument, "dry_run=true")
    assert (done.returncode, list(tmp_path.iterdir())) == (2, [])
    assert message in done.stderr


def test_a_dry_run_of_submit_shows_the_array_and_the_script(tmp_path: Path) -> None:
    """The script is the one that sbatch would get, with its options; SLURM is not needed."""
    options = ("submit.sbatch.account=lab", "submit.sbatch.mail-user=me@x.org", "submit.sbatch.exclusive=true")
    words = ("submit", "--tasks=4", "--parallel=2", "--memory=1.5", *SWEEP[1:], "world.count=3", "dry_run=true")
    done = run(tmp_path, *words, *options)
    assert done.returncode == 0, done.stderr
    assert "5 cells" in done.stdout
    assert "array: 4 tasks of 3 to 4 instances, at most 2 at the same time\n" in done.stdout
    lines = ("mem=1536MB", "account=lab", "mail-user=me@x.org", "exclusive")
    for line in (*lines, f"output={tmp_path}/out/slurm/%A_"):
        assert f"#SBATCH --{line}" in done.stdout
    assert "wckey" not in done.stdout
    assert "#SBATCH --wckey=ours\n" in run(tmp_path, *words, "submit.sbatch.wckey=ours").stdout
    assert f'-m runner part "$part/4" {tmp_path}/out ' in done.stdout
    assert not list(tmp_path.iterdir())


def test_a_search_may_be_as_long_as_a_task_until_its_signal(tmp_path: Path) -> None:
    words = ("submit", "dry_run=true", "algorithm=astar,ucs", "hydra.sweep.dir=out")
    for minutes, seconds in ((2, 96), (60, 3540)):
        done = run(tmp_path, *words, f"--minutes={minutes}", "limits.time=1h")
        assert f"#SBATCH --signal=B:USR2@{60 * minutes - seconds}\n" in done.stdout
        longer = f"limits.time=3600 is longer than the {seconds:,} seconds that a task of --minutes {minutes} has"
        assert done.stderr.count(longer) == 1
    assert "limits.time" not in run(tmp_path, *words, "--minutes=2", "limits.time=96").stderr


def test_an_experiment_is_called_by_its_name_in_every_line(tmp_path: Path) -> None:
    """Its path is recorded. Experiments that are swept differ in their paths."""
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "e.yaml").write_text("sweep: {product: {world.size: [2, 3]}}")
    words = ("world=npuzzle/random", "world.count=1", "dry_run=true")
    shown = run(tmp_path, "a/e.yaml", *words, COLUMNS="200").stdout
    assert shown.count("+experiment=e.yaml ") == 2
    assert str(tmp_path) not in shown
    swept = run(tmp_path, "-m", "+experiment=a/e.yaml,b/e.yaml", *words, COLUMNS="200").stderr
    assert "+experiment=a/e.yaml world=npuzzle/random" in swept
