"""Plans of several agents as programs write them, and the scenarios that programs read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import runner
from runner.base.own_places import ROOT
from tests.runner_cli import rows as rows_in
from tests.runner_cli import run
from tests.worlds.test_programs import WRITERS, cbsh2, lacam, lns2, swap
from worlds.gridmap.rules import GridCell, GridMap
from worlds.gridmap.world import SharedMap
from worlds.interface.replay import Replay
from worlds.interface.world import InputFile
from worlds.mapf.plans import LETTERS
from worlds.mapf.search import Roadmap
from worlds.mapf.world import MapfWorld

EXAMPLES = ROOT / "examples" / "plans"

PROGRAMS = ("tracker", "lns2", "lacam", "eecbs", "cbsh2")
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
    assert {world.read_plan(text, format) for format in ("paths_xy", "lacam")} == {("r", "d")}
    others = ("paths_row_column", "eecbs", "cbsh2", "lns2")
    assert {world.read_plan(text, format) for format in others} == {("d", "r")}


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


@pytest.mark.parametrize("format", PROGRAMS)
def test_the_example_of_each_format_of_programs_is_a_plan(format: str) -> None:
    """The documentation shows these files."""
    text = (EXAMPLES / f"{format}.txt").read_text()
    assert swap().replay(swap().read_plan(text, format)) == Replay(True, 7)


def test_a_table_of_the_tracker_has_the_plan_for_these_agents() -> None:
    """Tables of a map have plans of several scenarios for as many agents: the one that reaches the goals is read."""
    table = (
        "map_name,scen_type,type_id,agents,lower_cost,solution_cost,solution_plan\na,even,1,1,1,1,u\na,even,1,2,2,2,"
    )
    text = table + '"u\nd"\na,random,1,2,1,1,"r\n"\n'
    assert team([(0, 0)], [(0, 1)]).read_plan(text, "tracker") == ("d",)
    assert team([(0, 0), (9, 9)], [(0, 1), (9, 8)]).read_plan(text, "tracker") == ("du",)
    assert team([(0, 0), (9, 9)], [(1, 0), (9, 9)]).read_plan(text, "tracker") == ("rw",)
    assert team([(0, 0)], [(0, 1)]).read_plan(text.replace("\n", "\r\n"), "tracker") == ("d",)
    with pytest.raises(ValueError, match=r"line 1: no plan for 3 agents in this table"):
        team([(0, 0), (1, 0), (2, 0)], [(0, 1), (1, 1), (2, 1)]).read_plan(text, "tracker")


@pytest.mark.parametrize(
    ("format", "plan", "reason"),
    [
        ("cbsh2", "Agent 0: (1,0)->(1,1)->\nAgent 1: (1,2)->(1,1)->\n",
         "step 1: agents 1 and 2 are both in (1, 1) (as written: Agent 0 and Agent 1, (1,1))"),
        ("eecbs", "Agent 0: (1,0)->(1,1)->(1,2)->\nAgent 1: (1,2)->(1,2)->(1,1)->\n",
         "step 2: agents 1 and 2 exchange (1, 1) and (2, 1) (as written: Agent 0 and Agent 1, (1,1), (1,2))"),
        ("lns2", "Agent 0:(1,0)->(0,0)->\nAgent 1:(1,2)->(1,1)->\n",
         "step 1: agent 1 cannot do 'u' from (0, 1) to (0, 0) (as written: Agent 0, (1,0), (0,0))"),
        ("tracker", "uw\nww\n", "step 1: agent 1 cannot do 'd' from (0, 1) to (0, 2) (as written: 'u')"),
        ("lacam", "0:(0,1),(2,1)\n1:(1,1),(1,1)\n2:(2,1),(1,1)\n3:(2,1),(2,1)\n",
         "step 1: agents 1 and 2 are both in (1, 1); step 3: agents 1 and 2 are both in (2, 1)"),
        ("names", "wl\n" + "rw\n" + "ww\n" * 10, "; ".join(
            f"step {step}: agents 1 and 2 are both in (1, 1)" for step in range(2, 12)) + "; and 1 more"),
        ("cbsh2", "Agent 0: (1,2)->\nAgent 1: (1,2)->\n",
         "the plan cannot be read: line 1: agent 1 begins in (2, 1); expected its start (0, 1) "
         "(as written: Agent 0, (1,2), (1,0))"),
        ("lns2", "Agent 0:(1,0)->\nAgent 1:(1,2)->(0,1)->\n",
         "the plan cannot be read: line 2: agent 2 jumps from (2, 1) to (1, 0) in step 1 "
         "(as written: Agent 1, (1,2), (0,1))"),
    ],
)  # fmt: skip
def test_reasons_name_all_conflicts_in_our_words_and_in_those_of_the_file(
    tmp_path: Path, format: str, plan: str, reason: str
) -> None:
    (tmp_path / "hand.plan").write_text(plan)
    words = ["algorithm=program", "algorithm.command=[cat,hand.plan]", f"algorithm.plan.format={format}"]
    world = ["world=mapf/map", f"world.path={EXAMPLES / 'swap.map'}"]
    ends = ["world.starts=[[0,1],[2,1]]", "world.goals=[[2,1],[0,1]]"]
    assert run(tmp_path, *words, *world, *ends, "hydra.run.dir=out").returncode == 1
    (row,) = rows_in(tmp_path / "out" / "metrics.csv")
    assert (row["valid"], row["reason"]) == ("False", reason)


def test_three_agents_in_a_cell_are_two_conflicts() -> None:
    world = team([(0, 1), (1, 0), (2, 1)], [(0, 1), (1, 0), (2, 1)])
    reason = "step 1: agents 1 and 2 are both in (1, 1); step 1: agents 1 and 3 are both in (1, 1)"
    assert world.replay(["rdl"]).failure == reason
