"""Recording of a plan, for programs of others and for searches that tell no expansions: its states are the nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass

from algorithms.engine import Counts, Expansion, Limits
from algorithms.interface import Algorithm, ExpansionOrder
from algorithms.programs.interface import ExternalPlanner
from heuristics.interface import Stack, Weighting
from runner.base import Declared, plural
from runner.execution import Solver
from runner.features.explorer.recorder import CannotBeWatched, Recording, SearchRecorder, record_search
from worlds.interface import Instance, Problem, Unsolvable, Words, World

Step = tuple[Words, int, int]
NO_CODE = -1
_MAX_ACTIONS = 2_000
"""Actions that are played. To find the steps of a plan by its names takes a time that grows with its square."""


@dataclass(frozen=True)
class PlanRecording(Recording):
    """Recorded plan. Each step from one state of the plan to the next takes the place of an expansion."""

    watches_search = False

    @property
    def name(self) -> str:
        """Name of the program, or of the search."""
        return self.algorithm.title if self.is_program else super().name

    @property
    def is_program(self) -> bool:
        """Whether a program of others has made the plan."""
        return isinstance(self.algorithm, ExternalPlanner)

    @property
    def why_unwatched(self) -> str:
        """Reason why there are no expansions."""
        kind = "A program" if self.is_program else self.algorithm.registered_name
        return f"{kind} has no search to watch"

    @property
    def order(self) -> ExpansionOrder:
        """Order of the states."""
        return ExpansionOrder(
            f"{self.why_unwatched}: the nodes are the states of its plan, replayed by the rules",
            "newest",
            None,
        )

    @property
    def summary(self) -> str:
        """Text on how the program ended, and what is played."""
        why = self.found.get("reason") or self.found.get("error")
        reason = f" ({why})" if why else ""
        steps = len(self.recorder.expanded)
        shown = f"the page plays {plural(steps, 'step')} of its plan" if steps else "it gives no plan to play"
        return f"{self.name}: {self.status}{reason}. {self.why_unwatched}: {shown}"

    def plan_nodes(self) -> list[int]:
        """Return the nodes of the plan."""
        return [0, *self.recorder.successor]


def record(
    instance: Instance,
    algorithm: Algorithm,
    stack: Stack,
    weighting: Weighting | None,
    limits: Limits,
    watch: Callable[[Counts], bool | None] | None = None,
) -> Recording:
    """Record the search of an instance, or only the plan if the search cannot be watched.

    Then it is solved as in a run, and the states of the plan are recorded up to the first action that is not possible.
    """
    if not isinstance(algorithm, ExternalPlanner):
        with suppress(CannotBeWatched):
            return record_search(instance, algorithm, stack, weighting, limits, watch)
    with closing(Solver(algorithm, stack, weighting, limits, Declared())) as solver:
        attempt = solver.attempt(instance)
        status = attempt.run(watch)
    recorder = SearchRecorder()
    is_wrong = attempt.columns.get("valid") is False
    has_plan = "plan" in attempt.columns and (is_wrong or "cost" in attempt.columns)  # a fallback plan has no cost
    try:
        problem = instance.problem()
        recorder.begin(problem, stack.prepare(problem))
    except Unsolvable:
        has_plan = False
    if has_plan:
        plan = attempt.columns["plan"]
        if type(instance.world).played is World.played:
            _record(recorder, problem, plan)
        else:
            _record_played(recorder, problem, plan)
    return PlanRecording(instance, algorithm, stack, weighting, recorder, status, attempt.columns, None)


def _record_played(recorder: SearchRecorder, problem: Problem, plan: Sequence[str]) -> None:
    """Record the first steps of a plan in a world that plays plans itself, because later actions decide what one costs.

    The cost of a step is the difference that it makes if the plan ends there.
    """
    world = problem.world
    states, _ = world.played(plan[:_MAX_ACTIONS])
    packed = [problem.pack(state) for state in states]
    totals = [world.played(plan[:number])[1] for number in range(len(states))]
    for number in range(1, len(states)):
        parent = packed[number - 2] if number > 1 else None
        step = packed[number], totals[number] - totals[number - 1], NO_CODE
        recorder.add(Expansion(packed[number - 1], parent, totals[number - 1], [step]))


def _record(recorder: SearchRecorder, problem: Problem, plan: Sequence[str]) -> None:
    """Record the first steps of a plan."""
    state = problem.initial
    parent: Words | None = None
    g = 0
    codes: list[int] = []
    done = 0
    while done < min(len(plan), _MAX_ACTIONS):
        step = _step(problem, state, codes, plan)
        if step is None:
            return
        after, cost, code = step
        recorder.add(Expansion(state, parent, g, [step], False, []))
        parent = state
        state = after
        g += cost
        codes.append(code)
        done = len(problem.plan(codes))


def _step(problem: Problem, state: Words, codes: list[int], plan: Sequence[str]) -> Step | None:
    """Return the step from a state whose actions come next in a plan; None if there is none."""
    for after, cost, code in problem.successors(state):
        names = problem.plan([*codes, code])
        if tuple(plan[: len(names)]) == tuple(names):
            return after.copy(), cost, code
    return None
