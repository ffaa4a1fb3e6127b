"""Animations of searches: what is open at every moment, things on the map, boards in the tree, and bounded length."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import runner
from runner.base.errors import UserError
from runner.features.explorer.animation import Animation
from runner.features.explorer.frames import _Moments
from runner.features.explorer.history import history_of
from worlds.interface.instance import Instance

CAVE = runner.load("wumpus/static")[0]
PUZZLE = runner.load("npuzzle/random", size=3, shuffle="walk", steps=6, count=1)[0]


@pytest.mark.parametrize(
    ("instance", "algorithm"),
    [(CAVE, "weighted_astar"), (CAVE, "anytime_astar"), (PUZZLE, "idastar"), (PUZZLE, "bidirectional")],
    ids=str,
)
def test_moments_have_the_open_nodes_of_the_history(instance: Instance, algorithm: str) -> None:
    (recording,) = runner.explore(instance, algorithm, "manhattan", limits={"nodes": 60}).recordings
    history = history_of(recording)
    moments = _Moments(history)
    assert moments.at(0).is_open.sum() == 1
    order = history.expanded.tolist()
    assert moments.first[order].tolist() == [order.index(node) for node in order]
    for step in range(1, moments.count + 1):
        moment = moments.at(step)
        begin = max((start for start in history.starts if start < step), default=0)
        assert moment.is_open.sum() == history.is_open[step - 1]
        assert (moment.last >= begin).sum() - (moment.is_open & (moment.last >= begin)).sum() == (
            history.is_closed[step - 1]
        )
        assert moment.is_seen.sum() == history.is_seen[step - 1]
        assert moment.path[-1] == history.expanded[step - 1]


def test_the_search_does_not_hide_the_gold_and_the_wumpus(tmp_path: Path) -> None:
    animation = runner.explore(CAVE, "astar", "manhattan").animation()
    Animation([animation.frames[0], animation.frames[-1]], size=animation.size).save(tmp_path / "cave.gif")
    with Image.open(tmp_path / "cave.gif") as image:
        for frame in range(2):
            image.seek(frame)
            pixels = np.asarray(image.convert("RGB")).reshape(-1, 3).astype(int)
            for colour in ((230, 184, 0), (176, 48, 96)):  # in the cave and in the legend
                assert (np.abs(pixels - colour).max(axis=1) < 12).sum() > 60


def test_a_moment_of_a_search_is_a_picture(tmp_path: Path) -> None:
    exploration = runner.explore(CAVE, "astar", "manhattan")
    assert exploration.animation(7).frames[0].caption.startswith("astar with manhattan: 7 expanded")
    exploration.save(tmp_path / "x.png", step=7, size=(641, 360))
    with Image.open(tmp_path / "x.png") as picture:
        assert picture.size == (641, 360)
    with pytest.raises(UserError, match=r"step: expected 0 to .* expansions, got 9,999"):
        exploration.animation(9999)


@pytest.mark.parametrize(
    ("instance", "things"), [(CAVE, ["exit", "gold", "hunter"]), (PUZZLE, [])], ids=["map", "tree"]
)
def test_the_legend_names_what_the_search_draws(instance: Instance, things: list[str], tmp_path: Path) -> None:
    animation = runner.explore(instance, "astar", "manhattan").animation()
    Animation(animation.frames[:1], size=animation.size).save(tmp_path / "first.svg")
    text = (tmp_path / "first.svg").read_text(encoding="utf-8")
    for mark in (*things, "expanded, first to last", "open", "current state", "path to it", "plan"):
        assert text.count(f">{mark}</text>") == 1


def test_states_of_a_small_tree_are_legible(tmp_path: Path) -> None:
    runner.explore(PUZZLE, "astar", "manhattan").save(tmp_path / "puzzle.svg")
    text = (tmp_path / "puzzle.svg").read_text(encoding="utf-8")
    result = runner.solve(PUZZLE, "astar", "manhattan")
    assert result.expanded is not None
    assert text.count('class="frame"') == result.expanded + 1
    assert f"astar with manhattan: {result.expanded} expanded, solved, cost {result.cost}" in text
    assert PUZZLE.world.show(PUZZLE.world.initial()).split("\n")[0] in text


def test_a_long_search_has_few_frames_and_an_empty_one_has_one(tmp_path: Path) -> None:
    long = runner.load("npuzzle/korf100", instances=[12])[0]
    animation = runner.explore(long, "astar", "manhattan", limits={"nodes": 3_000}).animation()
    assert len(animation) == 60
    assert "the first 1,000 of 3,000 expanded" in animation.frames[-1].caption  # all would not fit into a tree
    (tmp_path / "odd.txt").write_text("1 2 3 4 5 6 8 7 0\n", encoding="utf-8")
    odd = runner.load("npuzzle/file", path=str(tmp_path / "odd.txt"), size=[3, 3])[0]
    empty = runner.explore(odd, "astar", "manhattan").animation()
    assert [frame.caption for frame in empty.frames] == [
        "astar with manhattan: 0 expanded, unsolvable (odd parity), 0 open"
    ]
    empty.save(tmp_path / "odd.gif")
