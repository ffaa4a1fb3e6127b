"""Several agents as text, as pictures and in words."""

from __future__ import annotations

from itertools import chain
from typing import Any

import pytest

from tests.worlds.test_programs import swap
from worlds.gridmap.rules import GridMap
from worlds.gridmap.world import SharedMap
from worlds.mapf import render
from worlds.mapf.search import Roadmap
from worlds.mapf.world import MapfWorld

PLAN = ("rw", "ul", "dl", "rw")


def crowd(agents: int, side: int = 30) -> MapfWorld:
    cells = [(x, y) for y in range(side) for x in range(side)]
    return MapfWorld(Roadmap(SharedMap(GridMap("open", ("." * side,) * side, None))), tuple(cells[:agents]),
                     tuple(cells[-agents:]))  # fmt: skip


def test_frames_show_agents_and_free_goals_and_say_who_moves() -> None:
    frames = list(swap().frames(PLAN))
    assert [frame.text.splitlines()[:2] for frame in frames] == [
        ["@.@", "1.2"], ["@.@", "+12"], ["@1@", "+2+"], ["@.@", "21+"], ["@.@", "2.1"],
    ]  # fmt: skip
    assert frames[1].caption == "1/4: 1 right, 2 waits"
    assert frames[4].caption == "4/4: 1 right, 2 at goal"


def test_what_is_said_of_many_agents_stays_short() -> None:
    world = crowd(200)
    after = world.initial()._replace(cells=(*world.targets[:50], *world.starts[50:]))
    action = "w" * 60 + "r" * 140
    assert world.caption(action, world.initial(), after) == "140 move, 10 wait, 50 at their goals"
    assert world.text_of(world.initial()).endswith("8 in (7, 0), and 192 more")


def test_the_text_of_a_plan_has_the_paths_in_the_form_of_the_format() -> None:
    shown = swap().render(PLAN)
    assert shown.splitlines()[3:] == ["paths (4 steps):", "1: rudr", "2: w2l"]


def test_of_a_large_map_all_frames_show_the_same_part() -> None:
    grid = GridMap("large", ("." * 500,) * 3, None)
    world = MapfWorld(Roadmap(SharedMap(grid)), ((100, 1), (110, 1)), ((99, 1), (112, 1)))
    texts = [frame.text for frame in world.frames(("lr", "wr", "lw", "rw"))]
    assert {text.splitlines()[0] for text in texts} == {"x 95 to 115, y 0 to 2 of 500 x 3"}
    assert texts[3].splitlines()[2] == "...1+............2..."


@pytest.mark.parametrize("agents", [2, 10, 100])
def test_each_agent_has_a_colour_of_its_own_for_path_ring_and_disk(agents: int) -> None:
    from matplotlib.figure import Figure

    world = crowd(agents)
    axes: Any = Figure().add_subplot()
    states, _ = world.played(["d" * agents if agents < 31 else "w" * agents] * 3)
    world.draw_path(states, axes)
    paths, goals, disks = axes.collections
    colours = [tuple(colour[:3]) for colour in disks.get_facecolors().tolist()]
    assert len(set(colours)) == agents
    for drawn in (paths.get_colors(), goals.get_edgecolors()):
        assert [tuple(colour[:3]) for colour in drawn.tolist()] == colours
    assert disks.get_offsets().tolist() == [list(cell) for cell in states[-1].cells]
    assert goals.get_offsets().tolist() == [list(cell) for cell in world.targets]


def test_colours_of_few_agents_are_far_apart() -> None:
    colours = render.colours(8)
    distances = [
        max(abs(one - two) for one, two in zip(first, second, strict=True))
        for first, second in chain.from_iterable([(a, b) for b in colours[:n]] for n, a in enumerate(colours))
    ]
    assert min(distances) > 0.15
