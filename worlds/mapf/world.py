"""Several agents on a grid map: the world that joins rules, kernels, plans of others and pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice, product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from runner.base import Metric
from worlds.gridmap import formats, shrink
from worlds.gridmap.rules import GridCell, GridMap
from worlds.gridmap.world import SharedMap
from worlds.interface import (
    Document,
    Family,
    Frame,
    InputFile,
    Instance,
    Kernels,
    Looks,
    Replay,
    Step,
    Words,
    plan_texts,
)
from worlds.mapf import plans, render, rules
from worlds.mapf.rules import LETTERS, SETTLE, WAIT, JointState, Objective
from worlds.mapf.search import DIGIT, LEAVING, MOST_JOINT_AGENTS, SETTLED, Roadmap, expand, is_goal


@dataclass(frozen=True)
class MapfWorld(Kernels, Looks, Family):
    """Agents on a map, each with a start and a goal of its own (multi-agent path finding).

    A joint action is a word with one letter for each agent: u d l r, and w for waiting. Joint steps have `.`, too: the
    agent settles at its goal (`worlds.mapf.rules`). Plans have `w` for both.

    Attributes
    ----------
    roadmap : Roadmap
    starts, targets : tuple of (int, int)
        Cells (x, y) of the agents: different starts, different goals.
    objective : {"sum_of_costs", "makespan"}
        What a plan costs.
    scenario_type : str
        Type of the scenario, such as "random" or "even" in the benchmark; empty without one.
    """

    domain: ClassVar[str] = "mapf"
    expand_kernel = expand
    goal_kernel = is_goal
    plan_formats = ("names", "json", *plans.FORMATS)
    costs_add_up = False  # the waits of an agent at its goal are free unless it leaves again
    metrics = (
        Metric("agents", better="neither", aggregate="mean", digits=1, log_scale=False, is_main=False,
               meaning="number of agents"),
        Metric("sum_of_costs", better="less", is_main=False,
               meaning="sum over the agents of the time of the last arrival"),
        Metric("makespan", better="less", meaning="largest time of a last arrival at a goal"),
    )  # fmt: skip

    roadmap: Roadmap
    starts: tuple[GridCell, ...]
    targets: tuple[GridCell, ...]
    objective: Objective = "sum_of_costs"
    scenario_type: str = ""

    @property
    def grid(self) -> GridMap:
        """The map."""
        return self.roadmap.shared.grid

    @property
    def agents(self) -> int:
        """Number of agents."""
        return len(self.starts)

    @property
    def unit_costs(self) -> bool:
        return self.objective == "makespan"

    def identity(self) -> dict[str, Any]:
        return {"map": self.roadmap.shared.digest, "starts": self.starts, "goals": self.targets, **self.variant()}

    def variant(self) -> dict[str, Any]:
        return {"objective": "makespan"} if self.unit_costs else {}

    @property
    def groups(self) -> Mapping[str, str]:
        """The map, and the type of the scenario."""
        return {"map": self.grid.name, "instance_group": self.scenario_type}

    def measured(self, plan: Sequence[str] | None) -> Mapping[str, float | None]:
        """Return the number of agents, and both objectives of the plan."""
        times = None if plan is None else rules.arrivals(self.starts, self.targets, plan)
        sums: dict[str, float | None] = {"sum_of_costs": None, "makespan": None}
        if times is not None:
            sums = {"sum_of_costs": sum(times), "makespan": max(times)}
        return {"agents": self.agents, **sums}

    def initial(self) -> JointState:
        return JointState.at_start(self.starts)

    def successors(self, state: JointState) -> Iterator[Step]:
        """Yield all joint steps. Their number grows exponentially with the agents."""
        alone = [
            [letter for letter in LETTERS if rules.is_possible(self.grid, *each, letter, self.objective)]
            for each in zip(self.targets, *state, strict=True)
        ]
        for action in map("".join, product(*alone)):
            step = self.step_of(state, action)
            if step is not None:
                yield action, *step

    def step_of(self, state: JointState, action: str) -> tuple[JointState, int] | None:
        if not self._is_possible(state, action):
            return None
        cells = tuple(map(rules.after, state.cells, action))
        settled = tuple(letter == SETTLE for letter in action)
        leaving = tuple(
            letter == WAIT and cell == goal and not self.unit_costs
            for goal, cell, letter in zip(self.targets, state.cells, action, strict=True)
        )
        return JointState(cells, settled, leaving), 1 if self.unit_costs else len(action) - action.count(SETTLE)

    def _is_possible(self, state: JointState, action: str) -> bool:
        given = self.grid, state, self.targets, action, self.objective
        return rules.has_letters(action, self.agents) and next(rules.violations(*given), None) is None

    def is_goal(self, state: JointState) -> bool:
        return state.cells == self.targets and not any(state.leaving)

    # Plans: `w` also stands for settling, and what it costs is known at the end.

    def played(self, plan: Sequence[str]) -> tuple[list[JointState], int]:
        """Return the states of a plan, up to the first impossible action, and its cost by the times of arrival."""
        state = self.initial()
        states = [state]
        for action in plan:
            if not self._is_possible(state, action):
                break
            state = JointState.at_start(tuple(map(rules.after, state.cells, action)))
            states.append(state)
        times = rules.arrivals(self.starts, self.targets, plan[: len(states) - 1])
        return states, max(times) if self.unit_costs else sum(times)

    def replay(self, plan: Sequence[str]) -> Replay:
        """Play a plan. The failure names all conflicts and impossible actions of agents, up to ten, with their time."""
        states, cost = self.played(plan)
        if len(states) > len(plan):
            return Replay(self.is_goal(states[-1]), cost)
        written = plan.notation if isinstance(plan, plans.WrittenPlan) else plans.OURS
        found = self._violations(plan)
        named = [
            f"step {number}: {each}{'' if isinstance(each, str) else written.note(*each)}"
            for number, each in islice(found, _MAX_VIOLATIONS)
        ]
        others = sum(1 for _ in found)
        failure = "; ".join(named + [f"and {others:,} more"] * (others > 0))
        return Replay(False, cost, failure=failure)

    def _violations(self, plan: Sequence[str]) -> Iterator[tuple[int, str | rules.RefusedStep]]:
        """Yield what the rules refuse in a plan that goes on nevertheless, with the number of the step."""
        cells = self.starts
        for number, action in enumerate(plan, 1):
            if not rules.has_letters(action, self.agents):
                letters = f"letter of {' '.join(LETTERS)} for each of {self.agents} agents"
                yield number, f"'{action[:50]}' has not one {letters}"
                return
            state = JointState.at_start(cells)
            for each in rules.violations(self.grid, state, self.targets, action, self.objective):
                yield number, each
            cells = tuple(map(rules.after, cells, action))

    # Pictures and texts.

    def show(self, state: JointState) -> str:
        """Return the map with the agents: 1 to 9, then letters; + is a goal where nobody is."""
        return next(render.texts(self.grid, self.targets, [state.cells]))

    def text_of(self, state: JointState) -> str:
        return render.cells_text(state.cells)

    def caption(self, action: str, before: JointState, after: JointState) -> str:
        """Return who moves, who waits and who is at the goal; of many agents, how many."""
        return render.caption(action, after.cells, self.targets)

    def draw_path(self, states: Sequence[JointState], axes: Any) -> None:
        render.draw(self.grid, self.targets, [state.cells for state in states], axes)

    def picture(self, plan: Sequence[str]) -> Callable[[Any], None]:
        """Return a function that draws the map and the paths of a plan."""
        return partial(self.draw_path, self.played(plan)[0])

    def render(self, plan: Sequence[str] | None = None) -> str:
        """Return the map with the agents at their starts, and the paths of a plan."""
        shown = self.show(self.initial())
        return shown if plan is None else f"{shown}\n{render.plan_text(plan)}"

    def frames(self, plan: Sequence[str]) -> Iterator[Frame]:
        """Yield the map before and after each joint step."""
        team = [state.cells for state in self.played(plan)[0]]
        shown = render.texts(self.grid, self.targets, team)
        return (replace(frame, text=text) for frame, text in zip(super().frames(plan), shown, strict=True))

    # What programs read and write.

    def inputs(self) -> dict[str, str | InputFile]:
        """Return the map, a scenario with exactly these agents, their number and ends, the objective and the size."""
        return {
            "map": self.roadmap.shared.file,
            "scenario": InputFile(".scen", self._scenario),
            "agents": str(self.agents),
            "starts": " ".join(f"{x},{y}" for x, y in self.starts),
            "goals": " ".join(f"{x},{y}" for x, y in self.targets),
            "objective": self.objective,
            "width": str(self.grid.width),
            "height": str(self.grid.height),
        }

    def _scenario(self) -> str:
        return formats.dump_scenario(map(self.roadmap.shared.entry, self.starts, self.targets))

    def read_plan(self, text: str, format: str = "names") -> tuple[str, ...]:
        """Return the joint actions of a plan. `names` has a word for each step, others have the path of each agent."""
        if format in plans.FORMATS:
            return plans.read_paths(self.starts, self.targets, text, format)
        if format not in self.plan_formats:
            raise plan_texts.unknown_format(self.domain, format, self.plan_formats)
        return plans.checked_steps(plan_texts.names(text, format, ()), self.agents)

    # Kernels.

    @property
    def max_successors(self) -> int:
        """The number of joint actions, which is larger than what the engine takes if there are many agents."""
        return int(DIGIT**self.agents)

    @property
    def action_lengths(self) -> NDArray[np.int64]:
        return _LENGTHS[: DIGIT ** min(self.agents, MOST_JOINT_AGENTS)]

    def constants(self) -> NDArray[np.int64]:
        """Return the number of agents, the objective, the goals, and, for few agents, the moves."""
        header = np.array([self.agents, self.unit_costs, *self.goal_numbers], np.int64)
        if self.agents > MOST_JOINT_AGENTS:
            return header
        return np.concatenate([header, self.roadmap.neighbours.ravel()])

    @cached_property
    def start_numbers(self) -> NDArray[np.int32]:
        """Numbers of the starts on the roadmap."""
        return self.roadmap.numbered(self.starts)

    @cached_property
    def goal_numbers(self) -> NDArray[np.int32]:
        """Numbers of the goals on the roadmap."""
        return self.roadmap.numbered(self.targets)

    def pack(self, state: JointState) -> Words:
        packed = self.roadmap.numbered(state.cells).astype(np.uint32)
        packed[np.array(state.settled)] |= np.uint32(SETTLED)
        packed[np.array(state.leaving)] |= np.uint32(LEAVING)
        padded = np.zeros(self.agents + self.agents % 2, np.uint32)
        padded[: self.agents] = packed
        return padded.view("<u8").astype(np.uint64)

    def unpack(self, words: Sequence[int]) -> JointState:
        numbers = np.array(words, "<u8").view(np.uint32)[: self.agents]
        cells = tuple(self.roadmap.cells[number] for number in (numbers & np.uint32(LEAVING - 1)).tolist())
        settled, leaving = ((numbers & np.uint32(flag)) != 0 for flag in (SETTLED, LEAVING))
        return JointState(cells, tuple(settled.tolist()), tuple(leaving.tolist()))

    def name_of(self, state: JointState | None, code: int) -> str:
        """Return the letters of a joint action. The code of an action of many agents is a long integer."""
        letters = []
        for _ in range(self.agents):
            code, digit = divmod(code, DIGIT)
            letters.append(LETTERS[digit])
        return "".join(letters)

    def plan_name(self, name: str | tuple[str, ...]) -> str:
        """Return the letters of a joint action in a plan, in which `w` also stands for settling."""
        return str(name).replace(SETTLE, WAIT)

    def proof_of_unsolvability(self) -> str | None:
        """Return which agent cannot reach its goal even alone."""
        shared = self.roadmap.shared
        for number, ends in enumerate(zip(self.starts, self.targets, strict=True), 1):
            start, goal = (int(shared.components[y * self.grid.width + x]) for x, y in ends)
            if start != goal:
                return f"agent {number} cannot reach its goal"
        return None

    # Family.

    @property
    def dimensions(self) -> tuple[int, ...]:
        return self.grid.width, self.grid.height, self.agents

    def smaller(self) -> Iterator[MapfWorld]:
        """Yield worlds that are one step simpler: without an agent, then on a simpler map."""
        agents, starts, targets = self.agents, self.starts, self.targets
        for agent in range(agents if agents > 1 else 0):
            rest = [ends[:agent] + ends[agent + 1 :] for ends in (starts, targets)]
            yield replace(self, starts=rest[0], targets=rest[1])
        for grid, ends in shrink.smaller(self.grid, (*starts, *targets)):
            yield replace(self, roadmap=Roadmap(SharedMap(grid)), starts=ends[:agents], targets=ends[agents:])

    def starting_at(self, state: JointState) -> MapfWorld | None:
        """Return the world that starts in a state; None if agents are bound in it to stay or to leave."""
        return None if any(state.settled + state.leaving) else replace(self, starts=state.cells)

    def document(self, name: str) -> Document:
        """Return the map as a file, with the ends of the agents as parameters. The name of the file is the id."""
        parameters = {
            "starts": [list(cell) for cell in self.starts],
            "goals": [list(cell) for cell in self.targets],
            "objective": self.objective,
        }
        return Document("mapf/map", ".map", formats.dump_map(self.grid.rows), parameters)


_MAX_VIOLATIONS = 10
"""Maximum number of violations of the rules that a message names."""
_LENGTHS = np.ones(DIGIT**MOST_JOINT_AGENTS, np.int64)
MapfInstance = Instance[MapfWorld]
