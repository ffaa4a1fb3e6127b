"""Recording of a program of others: its search cannot be watched, so the states of its plan are recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass

from algorithms.engine.search import Counts, Expansion, Limits
from algorithms.expansion_order import ExpansionOrder
from algorithms.interface import ExternalPlanner
from heuristics.stack import Stack
from runner.base.columns import Declared
from runner.base.messages import plural
from runner.core import Solver
from runner.features.explorer.recorder import Recording, SearchRecorder
from worlds.interface import Instance, Problem, Unsolvable, Words

Step = tuple[Words, int, int]
_MAX_ACTIONS = 2_000
"""Actions that are played. To find the steps of a plan by its names takes a time that grows with its square."""


@dataclass(frozen=True)
class PlanRecording(Recording):
    """Recorded plan of a program. Each step from one state of the plan to the next takes the place of an expansion."""

    watches_search = False

    @property
    def name(self) -> str:
        """Name of the program."""
        return self.algorithm.title

    @property
    def order(self) -> ExpansionOrder:
        """Order of the states."""
        return ExpansionOrder(
            "A program has no search to watch: the nodes are the states of its plan, replayed by the rules",
            "newest",
            None,
        )

    @property
    def summary(self) -> str:
        """How the program ended, and what is played."""
        why = self.found.get("reason") or self.found.get("error")
        reason = f" ({why})" if why else ""
        steps = len(self.recorder.expanded)
        shown = f"the page plays {plural(steps, 'step')} of its plan" if steps else "it gives no plan to play"
        return f"{self.name}: {self.status}{reason}. A program has no search to watch: {shown}"

    def plan_nodes(self) -> list[int]:
        """Return the nodes of the plan."""
        return [0, *self.recorder.successor]


def record_plan(
    instance: Instance,
    algorithm: ExternalPlanner,
    stack: Stack,
    limits: Limits,
    watch: Callable[[Counts], bool | None] | None = None,
) -> PlanRecording:
    """Ask a program about an instance, and record the states of its plan up to the first action that is not possible.

    The status, the plan and the columns are those of a run.
    """
    with closing(Solver(algorithm, stack, None, limits, Declared())) as solver:
        attempt = solver.attempt(instance)
        status = attempt.run(watch)
    recorder = SearchRecorder()
    has_plan = "plan" in attempt.columns and "cost" in attempt.columns  # a fallback plan has no cost
    try:
        problem = instance.problem()
        recorder.begin(problem, stack.prepare(problem))
    except Unsolvable:
        has_plan = False
    if has_plan:
        _record(recorder, problem, attempt.columns["plan"])
    return PlanRecording(instance, algorithm, stack, None, recorder, status, attempt.columns, None)


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
