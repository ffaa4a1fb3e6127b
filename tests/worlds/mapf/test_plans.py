"""Plans of several agents as programs write them, and the scenarios that programs read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import runner
from tests.worlds.test_programs import WRITERS, cbsh2, lacam, lns2, swap
from worlds.gridmap.rules import GridCell, GridMap
from worlds.gridmap.world import SharedMap
from worlds.mapf.plans import LETTERS
from worlds.mapf.search import Roadmap
from worlds.mapf.world import MapfWorld
from worlds.replay import Replay
from worlds.world import InputFile

OPEN = Roadmap(SharedMap(GridMap("open", ("." * 40,) * 40, None)))
words = st.lists(st.text(LETTERS, max_size=15), min_size=1, max_size=4)


def team(starts: Sequence[GridCell], goals: Sequence[GridCell]) -> MapfWorld:
    return MapfWorld(OPEN, tuple(starts), tuple(goals))


@given(words, st.sampled_from([*WRITERS["mapf", "paths"], cbsh2, lacam, lns2]))
def test_every_form_of_paths_gives_the_same_plan(words: list[str], write: object) -> None:
    """Also if agents collide on their way, which the rules find. When the last agent has moved, the plan ends."""
    length = max(map(len, words))
    plan = tuple(map("".join, zip(*(word.ljust(length, "w") for word in words), strict=True)))
    world = team([(18 + 2 * agent, 16) for agent in range(len(words))], [(agent, 39) for agent in range(len(words))])
    text = write(world, plan)  # type: ignore[operator]
    assert world.read_plan(text, "paths") == plan[: max(len(word.rstrip("w")) for word in words)]


@pytest.mark.parametrize(
    ("text", "starts", "goals", "plan"),
    [
        ("0:(1,2)\n1:(1,3)", [(1, 2)], [(1, 3)], "d"),
        ("0:(2,1)\n1:(3,1)", [(1, 2)], [(1, 3)], "d"),
        ("Agent 0: (2,1)->(3,1)->", [(1, 2)], [(1, 3)], "d"),
        ("Agent 0: (1,2)->(1,3)->", [(1, 2)], [(1, 3)], "d"),
        # the start does not tell, but the goal does
        ("0:(1,1)\n1:(2,1)", [(1, 1)], [(1, 2)], "d"),
        ("0:(1,1)\n1:(2,1)", [(1, 1)], [(2, 1)], "r"),
        # both readings are one plan
        ("Agent 0: (1,1)->\nAgent 1: (3,3)->(3,3)->", [(1, 1), (3, 3)], [(1, 1), (5, 5)], ""),
    ],
)
def test_starts_and_goals_tell_columns_from_rows(
    text: str, starts: list[GridCell], goals: list[GridCell], plan: str
) -> None:
    assert team(starts, goals).read_plan(text, "paths") == tuple(plan)


@pytest.mark.parametrize("text", ["0:(1,1)\n1:(2,1)\n2:(2,2)", "Agent 0: (1,1)->(2,1)->(2,2)->"])
@pytest.mark.parametrize("goal", [(2, 2), (5, 6)])
def test_where_starts_and_goals_do_not_tell_the_format_must(text: str, goal: GridCell) -> None:
    """Both ends are on the diagonal, or the goal is not reached. The mirror image of a wrong path may be possible."""
    world = team([(1, 1)], [goal])
    with pytest.raises(
        ValueError, match=r"line 1: .* do not tell \(x,y\) from .* algorithm.plan.format says it: paths_xy"
    ):
        world.read_plan(text, "paths")
    assert {world.read_plan(text, format) for format in ("paths_xy", "lns2", "lacam")} == {("r", "d")}
    assert {world.read_plan(text, format) for format in ("paths_row_column", "eecbs", "cbsh2")} == {("d", "r")}


def test_a_plan_of_the_tracker_goes_up_in_y() -> None:
    """Its word `u` is a step from y to y + 1, as in the plans that tracker.pathfinding.ai publishes."""
    world = team([(2, 3), (8, 8)], [(3, 5), (8, 7)])
    text = "uru\nwd"
    assert world.replay(world.read_plan(text, "tracker")) == Replay(True, 5)
    with pytest.raises(ValueError, match=r"line 1: with u and d exchanged, .*; algorithm.plan.format=tracker does so"):
        world.read_plan(text, "paths")
    with pytest.raises(ValueError, match=r"algorithm.plan.format=paths does so"):
        world.read_plan("drd\nwu", "tracker")


@pytest.mark.parametrize("text", ["r\n\nu\n", "r w u", "r\nw\nu", "\nr, 1w, u"])
def test_an_agent_that_stays_has_an_empty_line_or_a_wait(text: str) -> None:
    world = team([(0, 0), (5, 5), (9, 9)], [(1, 0), (5, 5), (9, 8)])
    assert world.read_plan(text, "paths") == ("rwu",)


def test_paths_against_the_rules_are_plans_that_replay_refuses() -> None:
    world = swap()
    assert world.replay(world.read_plan("2r 2l", "paths")).failure == "step 1: agents 1 and 2 are both in (1, 1)"
    assert (
        world.replay(world.read_plan("u w", "paths")).failure == "step 1: agent 1 cannot do 'u' from (0, 1) to (0, 0)"
    )


def test_short_texts_do_not_become_long_plans() -> None:
    for text in ("99999999r l", "5000000r5000000l w", "r" + " 9000000w" * 9):
        world = team([(0, y) for y in range(len(text.split()))], [(1, y) for y in range(len(text.split()))])
        with pytest.raises(ValueError, match=re.escape("a plan of more than 10,000,000 moves")):
            world.read_plan(text, "paths")


def test_a_scenario_has_exactly_the_agents_of_the_instance(tmp_path: Path) -> None:
    """A file that is written loads again as the same instance."""
    world = team([(18, 16), (3, 4)], [(0, 39), (7, 7)])
    files = {name: file for name, file in world.inputs().items() if isinstance(file, InputFile)}
    (tmp_path / f"{files['map'].key}.map").write_text(files["map"].text())
    (tmp_path / "two.scen").write_text(files["scenario"].text())
    (again,) = runner.load("mapf/scenario", path=str(tmp_path), agents=2)
    assert again.world.identity() == world.identity()
    with pytest.raises(runner.UserError, match="no scenario has 3 agents; the largest has 2"):
        runner.load("mapf/scenario", path=str(tmp_path), agents=3)
