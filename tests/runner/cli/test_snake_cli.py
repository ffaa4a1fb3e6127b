"""Snake on the command line: the experiment, files, replay."""

from __future__ import annotations

import json
import sys
from io import TextIOWrapper
from pathlib import Path

from PIL import Image, ImageSequence

from runner.cli.main import main
from tests.runner_cli import Forked, only, rows, run


def test_the_experiment_has_the_six_searches_of_the_document(tmp_path: Path) -> None:
    """The rows have every column of the tables in the document."""
    boards = tmp_path / "boards"
    boards.mkdir()
    (boards / "test1.txt").write_text("5,5\n0,0\n3\n2,2,2\n3,1,1\n4,4,1\n")
    (boards / "test2.txt").write_text("1,9\n0,0\n2\n0,4,2\n0,7,1\n")
    done = run(tmp_path, "-m", "+experiment=snake_ca1", "world=snake/file", "world.path=boards")
    assert done.returncode == 0, done.stderr
    sweep = only(tmp_path, "outputs/sweep/*")
    found = rows(sweep / "results.csv")
    assert [(row["algorithm"], row["heuristic"], row["weighting"]) for row in found[::2]] == [
        ("bfs", "none", ""),
        ("ids", "none", ""),
        ("astar", "remaining", ""),
        ("astar", "nearest", ""),
        ("weighted_astar", "remaining", "constant(1.9)"),
        ("weighted_astar", "remaining", "constant(4.5)"),
    ]
    assert [row["parameters"] for row in found[2:4]] == ["cycle_check=visited"] * 2
    assert {(row["status"], row["valid"]) for row in found} == {("solved", "True")}
    for row in found:
        assert set(row["moves"]) <= set("LRDU")
        assert len(row["moves"]) == int(row["cost"]) == int(row["length"])
        assert int(row["generated"]) >= int(row["peak_nodes"]) - 1 > 0
        assert float(row["search_seconds"]) > 0
    costs = {(row["instance"], row["cost"]) for row in found[:8]}
    assert len(costs) == 2
    plans = [json.loads(line)["actions"] for line in (sweep / "0" / "plans.jsonl").read_text().splitlines()]
    assert ["".join(plan) for plan in plans] == [row["moves"] for row in found[:2]]


def test_a_single_search_of_the_experiment_can_be_chosen(tmp_path: Path) -> None:
    arguments = ("world=snake/random", "world.count=3", "world.rows=4", "world.columns=4", "world.candies=2")
    done = run(tmp_path, *arguments, "+experiment/snake_ca1=weighted_1_9", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    assert {row["weighting"] for row in rows(tmp_path / "out" / "metrics.csv")} == {"constant(1.9)"}
    done = run(tmp_path, "+experiment/snake_ca1=weighted_4_5", "hydra.run.dir=alone")
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path / "alone" / "metrics.csv")
    assert {(row["world"], row["weighting"]) for row in found} == {("snake/static", "constant(4.5)")}


def _with_ascii(words: list[str]) -> int:
    assert isinstance(sys.stdout, TextIOWrapper)
    sys.stdout.reconfigure(encoding="ascii")
    return main(words)


def test_a_search_with_a_parameter_of_its_heuristic_is_replayed(tmp_path: Path) -> None:
    done = run(tmp_path, "world=snake/static", "heuristic=nearest", "heuristic.metric=plane", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    found = {row["instance"]: row for row in rows(tmp_path / "out" / "metrics.csv")}
    assert (found["05_edges"]["cost"], found["05_edges"]["bound"]) == ("15", "")
    assert (found["05_edges"]["heuristic"], found["05_edges"]["stack"]) == ("nearest", "nearest(metric=plane)")
    assert found["13_too_long"]["reason"] == "6 cells for a snake of 7"
    replay = ("replay", "out", "--instance", "02_small")
    for arguments in ([], ["--out", "small.gif", "--delay", "0.1"]):
        shown = run(tmp_path, *replay, *arguments)
        assert (shown.returncode, shown.stderr) == (0, "")
        if not arguments:
            assert shown.stdout.count("(") == int(found["02_small"]["length"])
            assert "eats (units left: 0)" in shown.stdout
    in_ascii = Forked(tmp_path, *replay, program=_with_ascii)
    assert (in_ascii.communicate()[1], in_ascii.returncode) == ("", 0)
    with Image.open(tmp_path / "small.gif") as picture:
        assert len(ImageSequence.all_frames(picture)) == int(found["02_small"]["length"]) + 1
