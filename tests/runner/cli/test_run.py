"""Single runs and small sweeps on the command line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from runner.base.result import NAMES
from runner.config.request.arguments import parse_run, run_parser
from runner.execution.recorder import Recorder
from tests.plugins import install, installed
from tests.runner_cli import only, rows, run


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


def test_a_sweep_collects_its_cells_and_skips_duplicates(tmp_path: Path) -> None:
    done = run(tmp_path, "-m", "algorithm=ucs,astar", "heuristic=none,manhattan,pivots", "world=wumpus/static")
    assert done.returncode == 0, done.stderr
    sweep = only(tmp_path, "outputs/sweep/*")
    found = rows(sweep / "results.csv")
    assert len(found) == 7 * (1 + 3)
    assert len({row["run_id"] for row in found}) == len(found)
    assert {row["algorithm"] for row in found} == {"ucs", "astar"}
    assert {row["heuristic"] for row in found if row["algorithm"] == "ucs"} == {"none"}
    cells = [int(file.parent.name) for file in sweep.glob("*/metrics.csv")]
    in_order = [row for cell in sorted(cells) for row in rows(sweep / str(cell) / "metrics.csv")]
    assert [{name: row[name] for name in in_order[0]} for row in found] == in_order
    assert list(found[0]) == list(in_order[0])
    assert (
        "and 1 more: skipped: the same as another cell (ucs ignores heuristics: it runs as heuristic=none)"
        in done.stderr
    )
    assert done.stderr.count("skipped") == 1, "one line for each reason to skip"


def test_many_cells_that_were_done_before_are_one_line(tmp_path: Path) -> None:
    run(tmp_path, "-m", "world.sample=1", "limits.nodes=range(1,10)")
    assert run(tmp_path, "resume", "latest").stderr.splitlines()[-1] == "9 of 9 cells done before: 9 rows"


def test_overrides_may_be_before_and_after_the_flag() -> None:
    _, found = parse_run(run_parser("runner"), ["heuristic=pivots", "-m", "algorithm=bfs,ucs", "limits.nodes=9"])
    assert (found.overrides, found.is_sweep) == (("heuristic=pivots", "algorithm=bfs,ucs", "limits.nodes=9"), True)


def test_a_heuristic_of_a_plugin_runs_and_one_of_another_domain_is_refused(tmp_path: Path) -> None:
    install(tmp_path, "remaining_actions", "my_plugin")
    (tmp_path / "my_conf" / "heuristic").mkdir(parents=True)
    (tmp_path / "my_conf" / "heuristic" / "remaining_actions.yaml").write_text("stack: [remaining_actions]\n")
    (tmp_path / "my_conf" / "heuristic" / "tiles.yaml").write_text("stack: [tiles]\n")
    mine = ("--config-dir", "my_conf", "plugins=[my_plugin]")
    done = run(tmp_path, "-m", *mine, "heuristic=remaining_actions,tiles,pivots", "hydra.sweep.dir=swept")
    assert done.returncode == 0, done.stderr
    assert "heuristic=tiles: skipped: heuristic: wumpus has no heuristic 'tiles'" in done.stderr
    found = rows(tmp_path / "swept" / "results.csv")
    assert [row["heuristic"] for row in found] == ["remaining_actions"] * 7 + ["pivots"] * 7
    assert {row["initial_h"] for row in found[:7]} == {"2"}


def test_an_installed_plugin_is_found_by_its_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "remaining_actions", "installed_plugin")
    installed(tmp_path, "installed_plugin", monkeypatch)
    (tmp_path / "work").mkdir()
    done = run(tmp_path / "work", "heuristic.stack=[remaining_actions]", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    assert {row["heuristic"] for row in rows(tmp_path / "work" / "out" / "metrics.csv")} == {"remaining_actions"}


FRIEND = """
from runner import python_algorithm, python_heuristic


@python_heuristic("part", domain="npuzzle", admissible=True, consistent=True)
def part(tiles, world, k: int = 0):
    return 0


@python_heuristic("mine", domain="npuzzle", builds_on=("part",), admissible=True, consistent=True)
def mine(tiles, world):
    return {value} * (tuple(tiles) != tuple(world.puzzle.goal))


@python_heuristic("part", domain="snake")
def part_of_snakes(snake):
    return 0


@python_heuristic("whole", domain="snake", builds_on=("part",))
def whole(snake):
    return 0


@python_algorithm("first")
def first(problem):
    return None
"""


def test_names_that_two_plugins_register_are_chosen_with_the_module(tmp_path: Path) -> None:
    (tmp_path / "friends").mkdir()
    for number, file in enumerate(("a1.py", "friends/a2.py")):
        (tmp_path / file).write_text(
            FRIEND.replace("{value}", str(number)).replace("snake", ("snake", "wumpus")[number])
        )
    both = ("plugins=[a1,friends.a2]", "world=npuzzle/random", "world.size=2", "world.count=2")
    for words, message in (
        (["heuristic=mine"], "heuristic: 'mine' is registered by a1 and friends.a2: choose a1.mine or friends.a2.mine"),
        (["heuristic.stack=[part]"], "heuristic: 'part' is registered by a1 and friends.a2: "),
        (["algorithm=first"], "algorithm: 'first' is registered by a1 and friends.a2: "),
    ):
        done = run(tmp_path, *both, *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr
    names = "heuristic=a1.mine,friends.a2.mine"
    assert run(tmp_path, "-m", *both, names, "workers=2", "hydra.sweep.dir=s").returncode == 0
    found = rows(tmp_path / "s" / "results.csv")
    assert [row["heuristic"] for row in found] == ["a1.mine"] * 2 + ["friends.a2.mine"] * 2
    assert len({row["run_id"] for row in found}) == 4
    assert {row["bound"] for row in found} == {"1"}  # each is a stack with its own `part`
    stack = "heuristic.stack=[{name: a1.part, k: 1}, friends.a2.part]"
    assert run(tmp_path, *both, stack, "dry_run=true").returncode == 0
    assert run(tmp_path, *both, "algorithm=a1.first", "dry_run=true").returncode == 0
    assert run(tmp_path, *both[:1], "world=snake/random", "heuristic=whole", "dry_run=true").returncode == 0


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
    assert "ValueError: algorithm 'misnamed': the parameter 'start' is a name of PythonAlgorithm" in done.stderr


@pytest.mark.parametrize(
    ("source", "error"),
    [
        (
            None,
            "there is no module 'broken_one' of the installed package broken_one; repair it, or remove it: pip unins",
        ),
        (
            "1 / 0",
            "importing 'broken_one' of the installed package broken_one failed; repair it, or remove it: pip unin",
        ),
    ],
)
def test_an_installed_plugin_that_cannot_be_imported_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str | None, error: str
) -> None:
    installed(tmp_path, "broken_one", monkeypatch)
    if source is not None:
        (tmp_path / "broken_one.py").write_text(source)
    done = run(tmp_path, "dry_run=true")
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: plugins: {error}")


def test_a_single_run_ignores_the_section_sweep(tmp_path: Path) -> None:
    assert run(tmp_path, "sweep.zip=[{a:1}]").returncode == 0


def test_without_arguments_the_defaults_are_run(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(rows(only(tmp_path, "outputs/run/*/metrics.csv"))) == 7


MISTAKE = "algorithm.ties=low"


def test_a_refused_run_neither_creates_nor_removes_files(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "mine" / "notes").mkdir(parents=True)
    (tmp_path / "mine" / "notes" / "thesis.txt").write_text("five years")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / ".hydra").symlink_to(tmp_path / "mine" / "notes")
    for name, record in (("empty", ".hydra"), ("mine", "notes"), ("linked", ".hydra"), ("new", "record")):
        done = run(tmp_path, f"hydra.run.dir={name}", f"hydra.output_subdir={record}", MISTAKE)
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


def test_packages_of_the_user_do_not_hide_those_of_the_project(tmp_path: Path) -> None:
    for name in ("conf", "heuristics", "worlds"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    assert run(tmp_path, "heuristic=pivots").returncode == 0


def test_a_run_neither_changes_nor_shows_the_rows_of_a_run_below(tmp_path: Path) -> None:
    """Its folder may have the name of a part, in which a task of a cluster writes rows of a sweep."""
    world = ("world=pancake/random", "world.size=4", "world.count=1")
    assert run(tmp_path, *world, "hydra.run.dir=out/part-1").returncode == 0
    below = (tmp_path / "out" / "part-1" / "metrics.csv").read_bytes()
    done = run(tmp_path, "hydra.run.dir=out")
    assert (done.returncode, "│ 4-0 " in done.stdout) == (0, False)
    assert len(rows(tmp_path / "out" / "metrics.csv")) == 7
    assert (tmp_path / "out" / "part-1" / "metrics.csv").read_bytes() == below


REMOVING = """
import shutil
import runner

@runner.python_heuristic("removing", domain="pancake")
def removing(state):
    shutil.rmtree("out", ignore_errors=True)
    return 0
"""


def test_a_run_whose_folder_is_removed_names_no_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "removing.py").write_text(REMOVING, encoding="utf-8")
    world = ("world=pancake/random", "world.size=4", "world.count=2", "algorithm=astar", "heuristic=removing")
    done = run(tmp_path, *world, "plugins=[removing]", "hydra.run.dir=out")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: out")
    assert "was removed while" in done.stderr
    assert done.stderr.count("\n") == 1
    close = Recorder.close

    def remove(recorder: Recorder) -> None:
        close(recorder)
        shutil.rmtree(tmp_path / "later")

    monkeypatch.setattr(Recorder, "close", remove)
    done = run(tmp_path, "hydra.run.dir=later")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: later: was removed while the run went on\n"


def test_help_lists_all_choices(tmp_path: Path) -> None:
    done = run(tmp_path, "--help")
    assert done.returncode == 0
    for name in ("algorithm: ana, ", "wumpus/static", "flood_fill", "limits.memory", "wumpus_offline"):
        assert name in done.stdout
    assert run(tmp_path, "--version").stdout.startswith("search-runner ")
