"""Single runs and small sweeps on the command line."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from runner.base.columns import NAMES
from tests.plugins import install
from tests.runner_cli import command, environment, only, rows, run, run_process
from worlds.wumpus.sources import SUITES


def test_a_single_run_writes_rows_plans_and_records(tmp_path: Path) -> None:
    done = run(tmp_path, "algorithm=astar", "heuristic=flood_fill")
    assert done.returncode == 0, done.stderr
    directory = only(tmp_path, "outputs/run/*")
    found = rows(directory / "metrics.csv")
    assert list(found[0]) == [*NAMES, "arrow_used", "rooms_explored"]
    assert [row["instance"] for row in found] == [f"unibz_w{n}" for n in range(1, 8)]
    assert [row["cost"] for row in found] == ["25", "30", "37", "35", "29", "29", ""]
    assert [row["reward"] for row in found] == ["975", "970", "963", "965", "971", "971", "-1"]
    assert [row["status"] for row in found] == ["solved"] * 6 + ["unsolvable"]
    assert {row["valid"] for row in found[:6]} == {"True"}
    assert {(row["heuristic"], row["stack"]) for row in found} == {
        ("flood_fill", "manhattan+pivots+obstacle+iterative_shift+flood_fill")
    }
    assert len({row["run_id"] for row in found}) == 7
    for name in ("unibz_w1", "unibz_w7", "solved", "unsolvable", "975", "expanded", "results: outputs/run/"):
        assert name in done.stdout
    plans = [json.loads(line) for line in (directory / "plans.jsonl").read_text().splitlines()]
    assert [plan["run_id"] for plan in plans] == [row["run_id"] for row in found]
    assert (plans[6]["actions"], plans[0]["cost"]) == (["CLIMB"], 25)
    recorded = json.loads((directory / "environment.json").read_text())
    assert recorded["packages"]["numba"]
    assert recorded["command"][1:] == ["algorithm=astar", "heuristic=flood_fill"]
    assert "flood_fill" in (directory / ".hydra" / "config.yaml").read_text()
    assert not (directory / "runner.log").exists()


def test_the_same_command_gives_the_same_counts(tmp_path: Path) -> None:
    found = []
    for name in ("one", "two"):
        run(tmp_path, "world=wumpus/random", "world.count=30", "heuristic=obstacle", f"hydra.run.dir={name}")
        found.append(
            [
                {column: value for column, value in row.items() if not column.endswith("seconds")}
                for row in rows(tmp_path / name / "metrics.csv")
            ]
        )
    assert found[0] == found[1]
    assert (tmp_path / "one" / "plans.jsonl").read_text() == (tmp_path / "two" / "plans.jsonl").read_text()


def test_a_sweep_collects_its_cells_and_skips_duplicates(tmp_path: Path) -> None:
    done = run(tmp_path, "-m", "algorithm=ucs,astar", "heuristic=glob(*)", "world=wumpus/static")
    assert done.returncode == 0, done.stderr
    sweep = only(tmp_path, "outputs/sweep/*")
    found = rows(sweep / "results.csv")
    assert len(found) == 7 * (1 + 14)
    assert len({row["run_id"] for row in found}) == len(found)
    assert {row["algorithm"] for row in found} == {"ucs", "astar"}
    assert {row["heuristic"] for row in found if row["algorithm"] == "ucs"} == {"none"}
    cells = [int(file.parent.name) for file in sweep.glob("*/metrics.csv")]
    in_order = [row for cell in sorted(cells) for row in rows(sweep / str(cell) / "metrics.csv")]
    assert [{name: row[name] for name in in_order[0]} for row in found] == in_order
    assert list(found[0]) == list(in_order[0])
    assert "and 11 more: skipped: the same as cell 0 (ucs ignores heuristics: it runs as heuristic=none)" in done.stderr
    assert "belongs to" not in done.stderr
    assert len(done.stderr.splitlines()) == 3 + 15, "one line for each reason to skip"


def test_overrides_may_be_before_and_after_the_flag(tmp_path: Path) -> None:
    done = run(tmp_path, "heuristic=manhattan", "-m", "algorithm=idastar,astar", "limits.nodes=1000")
    assert done.returncode == 0, done.stderr
    found = rows(only(tmp_path, "outputs/sweep/*") / "results.csv")
    assert {(row["algorithm"], row["heuristic"]) for row in found} == {("idastar", "manhattan"), ("astar", "manhattan")}
    assert "in all cells: heuristic=manhattan limits.nodes=1000\n" in done.stdout
    assert "1 algorithm=astar " in done.stdout


def test_one_command_makes_the_published_table(tmp_path: Path) -> None:
    done = run(tmp_path, "-m", "+experiment=wumpus_offline")
    assert done.returncode == 0, done.stderr
    found = {}
    for row in rows(only(tmp_path, "outputs/sweep/*") / "results.csv"):
        name = row["heuristic"].split("+")[-1].split("(")[0]
        found[row["instance"], name] = (row["simulated_actions"], row["reward"])
    published = rows(SUITES / "unibz" / "unibz_table.csv")
    assert found == {(row["cave"], row["heuristic"]): (row["explored"], row["reward"]) for row in published}
    assert len(found) == 49


def test_a_sweep_over_explicit_stacks(tmp_path: Path) -> None:
    done = run(tmp_path, "-m", "workers=2", "heuristic.stack=[manhattan],[manhattan,pivots]")
    assert done.returncode == 0, done.stderr
    found = rows(only(tmp_path, "outputs/sweep/*") / "results.csv")
    assert [row["heuristic"] for row in found] == ["manhattan"] * 7 + ["pivots"] * 7


def test_a_heuristic_of_a_plugin_runs_and_one_of_another_domain_is_refused(tmp_path: Path) -> None:
    install(tmp_path, "remaining_actions", "my_plugin")
    (tmp_path / "my_conf" / "heuristic").mkdir(parents=True)
    (tmp_path / "my_conf" / "heuristic" / "remaining_actions.yaml").write_text("stack: [remaining_actions]\n")
    (tmp_path / "my_conf" / "heuristic" / "tiles.yaml").write_text("stack: [tiles]\n")
    mine = ("--config-dir", "my_conf", "plugins=[my_plugin]")

    done = run(tmp_path, *mine, "heuristic=remaining_actions", "hydra.run.dir=single")
    assert done.returncode == 0, done.stderr
    assert {row["heuristic"] for row in rows(tmp_path / "single" / "metrics.csv")} == {"remaining_actions"}
    assert {row["initial_h"] for row in rows(tmp_path / "single" / "metrics.csv")} == {"2"}

    done = run(tmp_path, *mine, "heuristic=tiles", "hydra.run.dir=refused")
    assert done.returncode == 2
    assert done.stderr.startswith("error: heuristic.stack[0]: wumpus has no heuristic 'tiles' (it belongs to puzzle);")
    assert "manhattan" in done.stderr
    assert not (tmp_path / "refused").exists()

    done = run(tmp_path, "-m", *mine, "heuristic=remaining_actions,tiles,pivots", "hydra.sweep.dir=swept")
    assert done.returncode == 0, done.stderr
    assert "heuristic=tiles: skipped: heuristic.stack[0]: wumpus has no heuristic 'tiles'" in done.stderr
    assert {row["heuristic"] for row in rows(tmp_path / "swept" / "results.csv")} == {"remaining_actions", "pivots"}


def test_an_installed_plugin_is_found_by_its_entry_point(tmp_path: Path) -> None:
    install(tmp_path, "remaining_actions", "installed_plugin")
    metadata = tmp_path / "installed_plugin-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: installed-plugin\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[search_runner.plugins]\nremaining = installed_plugin\n")
    work = tmp_path / "work"
    work.mkdir()
    variables = environment()
    variables["PYTHONPATH"] += os.pathsep + str(tmp_path)
    arguments = command("heuristic.stack=[remaining_actions]", "hydra.run.dir=out")
    done = subprocess.run(arguments, cwd=work, env=variables, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert {row["heuristic"] for row in rows(work / "out" / "metrics.csv")} == {"remaining_actions"}


MISNAMED = """
from runner import python_algorithm


@python_algorithm("misnamed")
def search(problem, start=3):
    return None
"""


def test_a_refused_registration_shows_the_line_of_the_plugin_only(tmp_path: Path) -> None:
    (tmp_path / "misnamed.py").write_text(MISNAMED)
    done = run(tmp_path, "plugins=[misnamed]", "algorithm=misnamed")
    assert done.returncode == 2
    assert done.stderr.startswith("error: plugins: importing 'misnamed' failed\n")
    assert done.stderr.count("  File ") == 1
    assert "ValueError: algorithm 'misnamed': the parameter 'start' is a name of SearchAlgorithm" in done.stderr


def test_an_installed_plugin_that_cannot_be_imported_is_named(tmp_path: Path) -> None:
    metadata = tmp_path / "broken_one-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-one\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[search_runner.plugins]\nbroken = broken_of_tests\n")
    variables = {**environment(), "PYTHONPATH": f"{environment()['PYTHONPATH']}{os.pathsep}{tmp_path}"}
    remedy = "of the installed package broken-one{}; repair it, or remove it: pip uninstall broken-one\n"
    for source, error in (
        (None, "there is no module 'broken_of_tests' " + remedy.format("")),
        ("1 / 0", "importing 'broken_of_tests' " + remedy.format(" failed") + "Traceback"),
    ):
        if source is not None:
            (tmp_path / "broken_of_tests.py").write_text(source)
        done = run_process(tmp_path, "dry_run=true", **variables)
        assert done.returncode == 2
        assert done.stderr.startswith(f"error: plugins: {error}")


def test_a_single_run_ignores_the_section_sweep(tmp_path: Path) -> None:
    assert run(tmp_path, "sweep.zip=[{a:1}]").returncode == 0


def test_a_run_does_not_change_runs_in_its_subfolders(tmp_path: Path) -> None:
    for folder in ("out/one", "out/part-000000001", "out"):
        assert run(tmp_path, f"hydra.run.dir={folder}").returncode == 0
    for folder in ("out/one", "out/part-000000001", "out"):
        assert len(rows(tmp_path / folder / "metrics.csv")) == 7


def test_without_arguments_the_defaults_are_run(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(rows(only(tmp_path, "outputs/run/*/metrics.csv"))) == 7


REFUSED = {
    "algorithm=astr": "algorithm: there is no 'astr'; did you mean 'astar'?",
    "plugins=lds algorithm=lds": "plugins: expected a list of module names, got 'lds'; write 'plugins=[lds]'",
    "world=[wumpus/random,npuzzle/random]": "world: expected one name, got a list; write -m world=wumpus/random,n",
    "heuristic=[manhattan,pivots]": "heuristic: expected one name, got a list; write heuristic.stack=[manhattan",
    "algoritm=astar": "algoritm: unknown key; did you mean 'algorithm'?",
    "heuristic=flod_fill": "heuristic: there is no 'flod_fill'; did you mean 'flood_fill'?",
    "heuristic.stack=[manhatan]": "heuristic.stack[0]: wumpus has no heuristic 'manhatan'; did you mean 'manhattan'?",
    "world=wumpus/sttic": "world: there is no 'wumpus/sttic'; did you mean 'wumpus/static'?",
    "world.sute=x": "world.sute: unknown key; did you mean 'suite'?",
    "+world.sute=x": "world.sute: unknown parameter of world 'wumpus/static'; did you mean 'suite'?",
    "algorithm.ties=low": "algorithm.ties: expected one of low_h, high_h, fifo, lifo, got 'low'; did you mean 'low_h'?",
    "algorithm.reopen=3": "algorithm.reopen: expected bool, got int",
    "limits.memory=1XB": "limits.memory: expected bytes or a size such as 500MB or 1GiB, got '1XB'",
    "weighting=constant algorithm=greedy": "weighting: greedy has no weight;",
    "algorithm=unibz_astar world.formulation=primitive": "algorithm: unibz_astar searches wumpus caves",
    "world=wumpus/file": "world.path: missing; set it as world.path=...",
    "world=wumpus/file world.path=bad.json": "bad.json: golds: expected exactly one gold, got 2",
    "world=wumpus/file world.path=none.json": "world.path: none.json does not exist",
    "algorithm=astar,ucs": "'algorithm=astar,ucs': several values make a sweep; add -m",
    "plugins=[no_such_module]": "plugins: there is no module 'no_such_module'",
    "algorithm={tis:fifo}": "algorithm.tis: unknown key; did you mean 'ties'?",
    "experiment=snake_ca1": "experiment: choose it with a plus sign, +experiment=NAME; choose from: ipc_optimal",
    "hydra.run.dir=Übung": "hydra.run.dir=Übung: cannot be read as KEY=VALUE (LexerNoViableAltException: hydra.run",
    "plugins=[mine.py]": "plugins: 'mine.py' is a file; write the name of its module: mine",
    "plugins=of/mine.py": "plugins: expected a list of module names, got 'of/mine.py'; write 'plugins=[of.mine]'",
    "plugins=['']": "plugins: '' cannot be the name of a module",
    "plugins=[.mine]": "plugins: '.mine' cannot be the name of a module",
    "just_a_word": "just_a_word: expected KEY=VALUE or a command",
    "~algorithm": "algorithm: missing",
    "limits.nodes=${power_of_ten:999999999}": "limits.nodes: ValueError raised while resolving interpolation: power_of",
    "--config-dir=" + 300 * "x": "--config-dir: " + 300 * "x",
    "hydra.output_subdir=null algorithm.ties=low": "algorithm.ties: expected one of",
    "hydra.output_subdir=record algorithm.ties=low": "algorithm.ties: expected one of",
    "hydra/job_logging=default": "hydra/job_logging: the log is runner.log in the folder of the run",
    "+hydra.job.env_set={A:[1]}": "hydra.job.env_set: set variables in the shell",
    "hydra.job.chdir=true": "hydra.job.chdir: runs keep the working directory",
    "-m hydra/launcher=ray algorithm=ucs,astar": (
        "hydra/launcher: the runner has its own worker processes, see workers=N"
    ),
    "-m hydra/sweeper=optuna algorithm=ucs,astar": "hydra/sweeper: list the values in the section sweep:",
    "hydra.sweeper.params.algorithm=ucs": "hydra.sweeper.params.algorithm: list the values in the section sweep:",
    "isolation=process": "isolation: worker processes search all instances; with workers=0",
    "shards=4": "shards: workers=N divides the instances of a cell",
    "resmue outputs": "resmue: expected KEY=VALUE or a command; did you mean 'resume'?",
    "limits.time=10x": "limits.time: expected seconds above 0, or a time such as 500ms, 10s or 2h, got '10x'",
    "limits.time=0": "limits.time: expected seconds above 0",
    "algorithm.ties=foo": "algorithm.ties: expected one of low_h, high_h, fifo, lifo, got 'foo'",
    "workers=some": "workers: expected a number from 0 to 1024, or all, got 'some'",
    "plugins=[heuristics]": "plugins: 'heuristics' is the name of a package of search-runner; rename your module",
    "world=wumpus/random world.count=": "world.count: expected int, got str",
    "hydra.run.dir=${nowhere}": "hydra.run.dir: Interpolation key 'nowhere' not found",
    "hydra.run.dir=": "hydra.run.dir: expected a directory, got ''",
    "algorithm=": "algorithm: there is no ''; choose from: anytime_astar",
    "heuristic=5": "heuristic: there is no '5'; choose from: area_pruning",
    "world=wumpus/file limits.time=${workers}": "world.path: missing; set it as world.path=...",
    "world=wumpus/file world.path=${hydra:job.name}.json": "world.path: runner.json does not exist",
    "hydra.run.dir=null": "hydra.run.dir: field 'hydra.run.dir' is not Optional",
}


@pytest.mark.parametrize(("arguments", "message"), REFUSED.items(), ids=REFUSED.keys())
def test_a_mistake_is_one_line_and_exit_code_2(tmp_path: Path, arguments: str, message: str) -> None:
    (tmp_path / "bad.json").write_text('{"size": [2, 2], "hunters": [[0, 0]], "golds": [[1, 1], [1, 0]]}')
    done = run(tmp_path, *arguments.split())
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {message}"), done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert not list(tmp_path.glob("outputs/run/*"))


MISTAKE = "algorithm.ties=low"


@pytest.mark.parametrize("dry", [(), ("dry_run=true",)])
def test_a_refused_run_neither_creates_nor_removes_files(tmp_path: Path, dry: tuple[str, ...]) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "mine" / "notes").mkdir(parents=True)
    (tmp_path / "mine" / "notes" / "thesis.txt").write_text("five years")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / ".hydra").symlink_to(tmp_path / "mine" / "notes")
    for name, record in (("empty", ".hydra"), ("mine", "notes"), ("linked", ".hydra"), ("new", "record")):
        done = run(tmp_path, f"hydra.run.dir={name}", f"hydra.output_subdir={record}", MISTAKE, *dry)
        assert done.returncode == 2
        assert not (tmp_path / "new").exists()
    assert list((tmp_path / "empty").iterdir()) == []
    assert (tmp_path / "mine" / "notes" / "thesis.txt").read_text() == "five years"
    assert [path.name for path in (tmp_path / "linked").iterdir()] == [".hydra"]


def test_a_refused_run_keeps_the_files_of_an_earlier_run(tmp_path: Path) -> None:
    assert run(tmp_path, "hydra.run.dir=out").returncode == 0
    before = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*"))
    (tmp_path / "out" / "metrics.csv").rename(tmp_path / "rows.csv")
    assert run(tmp_path, "hydra.run.dir=out", MISTAKE).returncode == 2
    (tmp_path / "rows.csv").rename(tmp_path / "out" / "metrics.csv")
    assert sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*")) == before


def test_a_sweep_over_limits_keeps_every_cell(tmp_path: Path) -> None:
    done = run(tmp_path, "-m", "limits.nodes=5,100000", "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    assert len(rows(tmp_path / "out" / "results.csv")) == 14


def test_packages_of_the_user_do_not_hide_those_of_the_project(tmp_path: Path) -> None:
    for name in ("conf", "heuristics", "worlds"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    assert run(tmp_path, "heuristic=pivots").returncode == 0


def test_an_error_in_a_plugin_shows_its_traceback(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("import math\nmath.no_such_function()\n")
    done = run(tmp_path, "plugins=[broken]")
    assert done.returncode == 2
    assert "no_such_function" in done.stderr
    assert 'broken.py", line 2' in done.stderr


def test_help_lists_all_choices(tmp_path: Path) -> None:
    done = run(tmp_path, "--help")
    assert done.returncode == 0
    for name in ("algorithm: anytime_astar", "wumpus/static", "flood_fill", "limits.memory", "wumpus_offline"):
        assert name in done.stdout
    assert run(tmp_path, "--version").stdout.startswith("search-runner ")
