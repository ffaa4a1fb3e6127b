"""The command ``select``: the choice among heuristics in files, its table, and how it continues."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pandas as pd
import pytest

import runner
from runner.features.generated import selection
from tests import runner_cli
from tests.planning import SMALL, needs_translator

HEURISTIC = """
from heuristics.heuristic_base import Heuristic

class Own(Heuristic):
    def __init__(self, task):
        self.goals = task.goals

    def __call__(self, node):
        return """


def row(path: str, status: str = "solved", seconds: float = 0.5, expanded: int = 10, group: str = "blocks") -> dict:
    error = "TypeError: bad" if status == "error" else None
    return {
        "instance_group": group, "candidate": path, "status": status, "search_seconds": seconds,
        "expanded": expanded, "error": error,
    }  # fmt: skip


def test_coverage_counts_before_speed_and_speed_before_expansions() -> None:
    fast_and_few = [row("few", "solved"), row("few", "time_limit", 300.0)]
    slow = [row("slow", seconds=200.0), row("slow", seconds=200.0, expanded=1)]
    more = [row("more", seconds=2.0, expanded=900), row("more", seconds=1.0, expanded=900)]
    less = [row("less", seconds=2.0, expanded=899), row("less", seconds=0.1, expanded=900)]
    wrong = [row("wrong", "error"), row("wrong", "error", expanded=0)]
    other = [row("slow", group="ferry"), row("few", "error", group="ferry")]
    ranked = selection.scores(pd.DataFrame([*wrong, *fast_and_few, *slow, *more, *less, *other]))
    of_blocks = ranked[ranked["instance_group"] == "blocks"]
    assert list(of_blocks["candidate"]) == ["less", "more", "slow", "few", "wrong"]
    assert list(of_blocks["solved"]) == [2, 2, 2, 1, 0]
    assert of_blocks["agile"].tolist()[2:] == pytest.approx([2 * (1 - 5.298317 / 5.703782), 1.0, 0.0])
    assert list(of_blocks["error"]) == ["", "", "", "", "TypeError: bad"]
    assert selection.best(ranked) == {"blocks": "less", "ferry": "slow"}
    others = pd.DataFrame([{**row(""), "heuristic": "ff"}, {**row("", "error"), "heuristic": "ff"}])
    table = selection.selection({"blocks": "few", "ferry": "slow"}, ranked, others)
    columns = ["tasks", "chosen", "solved", "best in hindsight", "best solved", "ff", "loss"]
    assert table.columns == ["domain", *columns]
    shown = [[cell.text for cell in line] for line in table.lines]
    assert shown == [
        ["blocks", "2", "few", "1", "less", "2", "1", "1"],
        ["ferry", "1", "slow", "1", "slow", "1", "0", "0"],
        ["all", "3", "", "2", "", "3", "1", "1"],
    ]


@needs_translator
def test_one_command_chooses_compares_and_continues(tmp_path: Path) -> None:
    for domain in ("blocks", "gripper"):
        shutil.copytree(SMALL / domain, tmp_path / "tasks" / domain)
        (tmp_path / "own" / domain).mkdir(parents=True)
        (tmp_path / "own" / domain / "blind.py").write_text(f"{HEURISTIC}0\n")
        (tmp_path / "own" / domain / "goals.py").write_text(f"{HEURISTIC}len(self.goals - node.state) / 2\n")
    (tmp_path / "own/blocks/wrong.py").write_text(f"{HEURISTIC}None\n")
    command = ["select", "own", "--train", "tasks/blocks/sussman.pddl", "--train", "tasks/gripper/two_balls.pddl"]
    command += ["--test", "tasks", "limits.time=100", "workers=1"]

    def choice() -> list[list[str]]:
        done = runner_cli.run(tmp_path, *command)
        assert done.returncode == 0, done.stderr
        lines = [line for line in done.stdout.splitlines() if re.match(r"\| (blocks|gripper) ", line)]
        return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]

    def rows() -> dict[tuple[str, str], tuple[str, float]]:
        table = pd.concat(runner.read(tmp_path / "outputs/select/own" / each) for each in ("train", "test"))
        keys = zip(table["heuristic.path"].fillna(table["heuristic"]), table["instance"], strict=True)
        return dict(zip(keys, zip(table["status"], table["search_seconds"], strict=True), strict=True))

    expected = [
        ["blocks", "2", "own/blocks/goals.py", "2", "own/blocks/goals.py", "2", "2", "2", "0"],
        ["gripper", "2", "own/gripper/goals.py", "2", "own/gripper/goals.py", "2", "2", "2", "0"],
    ]
    assert choice() == expected
    before = rows()
    assert before["own/blocks/wrong.py", "blocks#sussman"][0] == "error"
    assert len(before) == 5 * 2 + 2 * 4

    (tmp_path / "own/gripper/goals.py").write_text(f"{HEURISTIC}1 / 0\n")
    assert [line[2] for line in choice()] == ["own/blocks/goals.py", "own/gripper/blind.py"]
    after = rows()
    assert {key for key in before if after[key] != before[key]} >= {("own/gripper/goals.py", "gripper#two_balls")}
    kept = {key for key in before if before[key][0] == "solved" and key[0] != "own/gripper/goals.py"}
    assert {key: after[key] for key in kept} == {key: before[key] for key in kept}


@needs_translator
def test_files_for_all_domains_and_a_file_that_was_renamed(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own/first.py").write_text(f"{HEURISTIC}len(self.goals - node.state)\n")
    tasks = ["--train", str(SMALL / "blocks" / "sussman.pddl"), "--test", str(SMALL / "blocks"), "workers=1"]
    for before, name in (("first", "first"), ("first", "second")):
        (tmp_path / f"own/{before}.py").rename(tmp_path / f"own/{name}.py")
        done = runner_cli.run(tmp_path, "select", "own/*.py", "--out", "out", *tasks)
        assert done.returncode == 0, done.stderr
        assert re.search(rf"\| blocks +\| +2 \| own/{name}\.py +\| +2 \| own/{name}\.py ", done.stdout)
        table = (tmp_path / "out/selection.md").read_text()
        assert table.count("own/first.py") == (5 if name == "first" else 0)  # in both lines of comparisons, too


@needs_translator
def test_mistakes_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    tasks = ["--train", str(SMALL / "blocks"), "--test", str(SMALL / "gripper")]
    (tmp_path / "one.py").write_text(f"{HEURISTIC}0\n")
    for words, message in [
        (["own", *tasks], "FOLDER: the folder own holds no heuristics (.py, .onnx, or programs)"),
        (["own", *tasks, "heuristic=ff"], "heuristic=ff: select sets this itself"),
        (["one.py", *tasks, "limits.time=1,2"], "'limits.time=1,2': select takes one value"),
        (["own", *tasks[:2]], "the following arguments are required: --test"),
    ]:
        done = runner_cli.run(tmp_path, "select", *words)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert message in done.stderr


def test_candidates_of_several_kinds_in_a_world_that_is_given_by_words(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    head = 'import runner\n@runner.python_heuristic("{}", domain="npuzzle")\ndef h(board, world):\n    return '
    (own / "blank.py").write_text(head.format("blank") + "0 if board == tuple(world.puzzle.goal) else 1\n")
    misplaced = "sum(one != other for one, other in zip(board, world.puzzle.goal) if one)\n"
    (own / "places.py").write_text(head.format("places") + misplaced)
    (own / "broken.py").write_text("import nothing_there\n" + head.format("broken") + "0\n")
    (own / "plain.py").write_text("def h(board):\n    return 0\n")
    boards = "world=npuzzle/random world.shuffle=walk world.steps=16"
    words = ["--train", f"{boards} world.count=3", "--test", f"{boards} world.seed=50 world.count=6"]
    words += ["--baseline", "manhattan", "world.size=3", "algorithm=astar", "workers=1"]
    done = runner_cli.run(tmp_path, "select", "own", *words)
    assert done.returncode == 0, done.stderr
    assert re.search(r"\| npuzzle/random +\| +6 \| own/places.py +\| +6 \| own/places.py +\| +6 \| +6 \|", done.stdout)
    assert "own/places.py / manhattan" in done.stdout
    assert "own/broken.py: left out: plugins: importing 'broken' failed: ModuleNotFoundError" in done.stderr
    assert "own/plain.py: left out: it has no heuristic with one of the decorators" in done.stderr

    other = "heuristic=misplaced algorithm=weighted_astar weighting=constant weighting.weight=3"
    refused = "heuristic=linear_conflict algorithm=weighted_astar weighting=constant weighting.weight=-1"
    (tmp_path / "all.txt").write_text(f"heuristic=manhattan\nheuristic=linear_conflict\n{other}\n{refused}\n")
    done = runner_cli.run(tmp_path, "select", "all.txt", *words[:4], "world.size=3", "workers=1")
    assert done.returncode == 0, done.stderr
    assert "| npuzzle/random |" in done.stdout
    assert "1 of 4 cells refused" in done.stderr
    algorithms = set(runner.read(tmp_path / "outputs/select/all.txt/train")["algorithm"])
    assert algorithms == {"greedy", "weighted_astar"}
    done = runner_cli.run(tmp_path, "select", "all.txt", *words[:4], "algorithm=astar")
    assert f"algorithm: {other} sets this itself" in done.stderr
    wrong = ["--train", "world=npuzle/random", "--test", "tasks"]
    done = runner_cli.run(tmp_path, "select", "all.txt", *wrong)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "there is no world 'npuzle/random'; did you mean 'npuzzle/random'?" in done.stderr
