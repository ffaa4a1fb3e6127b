"""Searches that expand no states of the world: nodes of their own, and plans of those that tell nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import runner
from algorithms.engine.node_space import NodeSpace
from algorithms.engine.search import Counts, Expansion, Limits, ResumableSearch, StepStatus
from algorithms.interface.expansion_order import ExpansionOrder, Formula
from algorithms.mapf.conflict_based import ConflictTreeSearch
from algorithms.mapf.team_search import Paths, TeamAlgorithm, TeamSearch
from heuristics.interface.stack import BoundStack, Stack
from heuristics.interface.weighting import Weighting
from runner.base.errors import UserError
from runner.features.explorer.content import page_data
from runner.features.explorer.exploration import Exploration
from runner.features.explorer.planned import PlanRecording, record
from runner.features.explorer.recorder import Recording
from worlds.interface.instance import Instance, Words


def words(number: int) -> Words:
    return np.array([number], np.uint64)


class Branches(NodeSpace):
    """A root with two children; the second has the solution."""

    initial = words(0)
    solution = words(2)

    def is_goal(self, node: Words) -> bool:
        return int(node[0]) == 2

    def show(self, node: Words) -> str:
        return f"branch {node[0]}"

    def details(self, node: Words) -> str:
        return f"branch {node[0]}\nwith its paths"


class AloneSearch(TeamSearch):
    """All agents take shortest paths alone."""

    done = 0

    def step(self, budget: int) -> StepStatus:
        if budget > 0 and not self.done:
            self.done = 1
            return StepStatus.RUNNING
        return StepStatus.SOLVED if self.done else StepStatus.RUNNING

    def grow(self, memory_limit: int | None) -> bool:
        raise AssertionError

    @property
    def counts(self) -> Counts:
        return Counts(expanded=self.done, generated=2 * self.done)

    @property
    def paths(self) -> Paths:
        paths = [self.starts]
        while (paths[-1] != self.goals).any():
            paths.append(np.array([self._after(*each) for each in enumerate(paths[-1])], np.int32))
        return np.array(paths, np.int32).T

    def _after(self, agent: int, cell: int) -> int:
        nearer = [each for each in self.neighbours[cell] if each >= 0]
        return min([cell, *nearer], key=lambda each: int(self.distances[agent, each]))


class BranchingSearch(AloneSearch):
    space = Branches()

    def expansion(self) -> Expansion:
        return Expansion(words(0), None, 5, [(words(1), 1, 0), (words(2), 0, 0)])


@dataclass(frozen=True)
class Alone(TeamAlgorithm):
    registered_name = "alone"

    def start(self, stack: BoundStack, weighting: Weighting | None) -> TeamSearch:
        return AloneSearch(stack)


class SilentSearch(ConflictTreeSearch):
    """Search of the tree of constraints that tells nothing."""

    expansion = ResumableSearch.expansion


@dataclass(frozen=True)
class TellsNothing(Alone):
    registered_name = "silent"

    def start(self, stack: BoundStack, weighting: Weighting | None) -> TeamSearch:
        return SilentSearch(stack, 1.0)


@dataclass(frozen=True)
class Branching(Alone):
    registered_name = "branching"

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        return ExpansionOrder("the smallest cost", "f", Formula.of(0))

    def start(self, stack: BoundStack, weighting: Weighting | None) -> TeamSearch:
        return BranchingSearch(stack)


def lanes(folder: Path, agents: int) -> Instance:
    """Return agents that move two cells to the right, each in a row of its own."""
    rows = "...\n" * agents
    (folder / "lanes.map").write_text(f"type octile\nheight {agents}\nwidth 3\nmap\n{rows}", encoding="utf-8")
    lines = [f"0\tlanes.map\t3\t{agents}\t0\t{row}\t2\t{row}\t2" for row in range(agents)]
    (folder / "lanes.scen").write_text("\n".join(["version 1", *lines, ""]), encoding="utf-8")
    return runner.load("mapf/scenario", path=str(folder / "lanes.scen"), agents=agents)[0]


def swap(folder: Path) -> Instance:
    """Return two agents that exchange their cells beside a bay."""
    (folder / "swap.map").write_text("type octile\nheight 2\nwidth 3\nmap\n@.@\n...\n", encoding="utf-8")
    lines = ["0\tswap.map\t3\t2\t0\t1\t2\t1\t2", "0\tswap.map\t3\t2\t2\t1\t0\t1\t2"]
    (folder / "swap.scen").write_text("\n".join(["version 1", *lines, ""]), encoding="utf-8")
    return runner.load("mapf/scenario", path=str(folder / "swap.scen"), agents=2)[0]


@pytest.mark.parametrize("agents", [2, 8])
def test_the_plan_of_a_search_that_tells_nothing_is_played(tmp_path: Path, agents: int) -> None:
    """With 8 agents a state has too many successors for h*, and for finding the steps among them."""
    instance = lanes(tmp_path, agents)
    recording = record(instance, Alone(), Stack(), None, Limits(nodes=9))
    assert isinstance(recording, PlanRecording)
    assert recording.plan_nodes() == [0, 1, 2]
    assert list(recording.recorder.cost) == [agents, agents]
    assert recording.summary == "alone: solved. alone has no search to watch: the page plays 2 steps of its plan"
    assert page_data(instance, [recording], 1000)
    with pytest.raises(UserError, match="alone has none to watch"):
        Exploration([recording]).save(tmp_path / "x.jsonl", "trace")


def test_waits_at_the_goal_are_free_in_a_played_plan(tmp_path: Path) -> None:
    instance = swap(tmp_path)
    recording = record(instance, Alone(), Stack(), None, Limits())
    assert recording.found["valid"] is False
    assert recording.plan_nodes() == [0]  # both agents enter the middle
    played = record(instance, TellsNothing(), Stack(), None, Limits())
    assert isinstance(played, PlanRecording)
    assert sum(played.recorder.cost) == 7


def test_nodes_of_an_own_space_have_texts_and_no_h(tmp_path: Path) -> None:
    recording = record(lanes(tmp_path, 2), Branching(), Stack(), None, Limits())
    assert list(recording.texts(3)) == ["branch 0", "branch 1", "branch 2"]
    assert (recording.plan_nodes(), list(recording.recorder.expanded)) == ([0, 2], [0])
    exploration = Exploration([recording])
    exploration.save(tmp_path / "x.jsonl", "trace")
    lines = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text(encoding="utf-8").splitlines()]
    assert lines[3] == {"type": "node", "node": 2, "state": "branch 2\nwith its paths", "goal": True}
    assert (lines[4]["g"], lines[4]["successors"], "h" in lines[4]) == (5, [[1, 1], [2, 0]], False)
    exploration.save(tmp_path / "x.trace.yaml", "posthoc")
    exploration.save(tmp_path / "x.png", step=1)


@pytest.mark.parametrize("disjoint", [False, True])
def test_the_tree_of_constraints_names_conflicts_and_paths(tmp_path: Path, disjoint: bool) -> None:
    recording: Recording = runner.explore(
        swap(tmp_path), {"name": "cbs", "disjoint": disjoint, "heuristic": "none"}
    ).recordings[0]
    record = recording.recorder
    expected = runner.solve(recording.instance, {"name": "cbs", "disjoint": disjoint, "heuristic": "none"})
    assert (recording.status, recording.found["cost"], recording.found["plan"]) == ("solved", 7, expected.plan)
    assert recording.found["generated"] == expected.generated
    assert len(record.expanded) == expected.expanded
    count = len(record.states)
    details = list(recording.details(count))
    assert details[0] == ("cost 4, 1 conflict\nagents 1 and 2 are both in (1, 1) at 1\n1 (0, 1) rr\n2 (2, 1) ll")
    verb = "must be" if disjoint else "not"
    assert f"\nagent 1 {verb} in (1, 1) at 1\n" in details[1]
    plan = recording.plan_nodes()
    assert (plan[0], details[plan[-1]].split("\n")[0]) == (0, "cost 7, 0 conflicts")
    assert all(parent in record.expanded for parent in plan[:-1])
    g = {0: 4}
    for step, node in enumerate(record.expanded):
        assert record.g[step] == g[node]
        for each in range(record.first[step], record.first[step + 1]):
            g[record.successor[each]] = g[node] + record.cost[each]
    assert [int(text.split()[1].rstrip(",")) for text in details] == [g[node] for node in range(count)]
