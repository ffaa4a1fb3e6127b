"""Command explore: files, choices and mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner_cli import only, run

SMALL = ("world=wumpus/random", "world.size=4", "world.count=3")


def test_the_page_is_in_a_folder_of_its_own(tmp_path: Path) -> None:
    done = run(tmp_path, "explore", *SMALL, "heuristic=pivots")
    assert done.returncode == 0, done.stderr
    page = only(tmp_path, "outputs/explore/*/explore.html")
    assert done.stdout.splitlines()[-1] == f"classic-4x4-0: {page.relative_to(tmp_path)}"
    assert "astar with manhattan+pivots: solved" in done.stdout
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_an_instance_a_file_and_a_second_search_can_be_chosen(tmp_path: Path) -> None:
    words = (
        "explore",
        *SMALL,
        "--instance",
        "classic-4x4-2",
        "--out",
        "sub/x.html",
        "heuristic.stack=[pivots,manhattan]",
    )
    done = run(tmp_path, *words, "--against", "algorithm=ucs heuristic=none")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["astar with pivots+manhattan", "ucs", "classic-4x4-2"]
    assert (tmp_path / "sub" / "x.html").stat().st_size < 200_000
    assert not (tmp_path / "outputs").exists()


@pytest.mark.parametrize(("format", "name"), [("trace", "explore.jsonl"), ("posthoc", "explore.trace.yaml")])
def test_traces_have_names_of_their_own(tmp_path: Path, format: str, name: str) -> None:
    assert run(tmp_path, "explore", *SMALL, "--format", format).returncode == 0
    only(tmp_path, f"outputs/explore/*/{name}")


def test_the_extension_chooses_an_animation(tmp_path: Path) -> None:
    done = run(tmp_path, "explore", *SMALL, "heuristic=pivots", "--out", "sub/search.mp4", "--step", "1")
    assert done.stdout.splitlines()[-1] == "classic-4x4-0: sub/search.mp4"
    assert (tmp_path / "sub" / "search.mp4").read_bytes()[4:8] == b"ftyp"


def test_an_instance_that_is_proven_unsolvable_has_a_page(tmp_path: Path) -> None:
    (tmp_path / "odd.txt").write_text("1 2 3 4 5 6 8 7 0\n", encoding="utf-8")
    done = run(tmp_path, "explore", "world=npuzzle/file", "world.path=odd.txt", "world.size=[3,3]", "--out", "x.html")
    assert done.returncode == 0, done.stderr
    assert "astar: unsolvable, 0 expansions" in done.stdout


def test_help_and_configuration_are_printed(tmp_path: Path) -> None:
    assert "--against 'KEY=VALUE ...'" in run(tmp_path, "explore", "--help").stdout
    assert "states: 200000" in run(tmp_path, "explore", "--cfg", "job").stdout
