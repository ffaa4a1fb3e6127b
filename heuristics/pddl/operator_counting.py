"""Operator counting: the least cost of numbers of operators that satisfy the state equation, by linear programs.

Every plan changes each fact from how it is now to how it must be in the end. A linear program has a variable for the
number of times that each operator occurs, and a row for each fact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heuristics.interface import HEURISTICS, UNREACHABLE, Heuristic, Term, callback_term
from heuristics.pddl.facts import first_facts, refuse_axioms, task_of
from runner.base import optional_module
from worlds.compile import MAX_COST, keep
from worlds.interface import Instance, Problem
from worlds.pddl.packing import Packing
from worlds.pddl.task import Operator, Task

_MARGIN = 0.01
"""Amount that is subtracted before values are rounded up. See `OperatorCounting`."""
_MAX_KEPT = 1 << 18
"""Largest number of values that are kept: most states are generated several times."""
_OPTIONS = {
    "output_flag": False,
    "parallel": "off",
    "presolve": "off",
    "solver": "simplex",
    "threads": 1,
}
"""A new right-hand side leaves a basis dual feasible, so the dual simplex method, the default, goes on from it."""
_highspy = partial(optional_module, "highspy", "heuristic: operator_counting", "lp")

Column = tuple[tuple[int, int], ...]
"""Rows of facts that an operator changes, and the change of each."""


@HEURISTICS.register("operator_counting", domain="pddl")
@dataclass(frozen=True)
class OperatorCounting(Heuristic):
    """Least cost of numbers of operators that satisfy the state equation: each fact changes as much as it must.

    A linear program has a row for each fact: over all operators, the number of times that it occurs, times the most
    by which it can change the fact (1 if it may make it true, -1 if it certainly makes it false, else 0), is at least
    the value of the fact in the goal (1 or 0) minus its value in the state. Needs HiGHS: the extra `lp`.

    Admissible, because the numbers of every plan satisfy all rows. Consistent, because a solution for a successor
    with one more of the operator that leads there is a solution for the state, and rounding up keeps this: costs are
    integers. A state without a solution is a dead end. An effect with conditions may make a fact true, but makes none
    false for certain. Axioms are not supported.

    The optimum minus 1/100 is rounded up. So the basis in which the solver ends, on which errors of about 1e-12 depend,
    matters only where the optimum is an integer plus 1/100: optima are fractions, and those with a denominator up to 99
    are at least 1/9900 away from there.

    Sources: van den Briel, Benton, Kambhampati and Vossen, "An LP-based heuristic for optimal planning", CP 2007;
    Bonet, "An admissible heuristic for SAS+ planning obtained from the state equation", IJCAI 2013; Pommerening,
    Röger, Helmert and Bonet, "LP-based heuristics for cost-optimal planning", ICAPS 2014.
    """

    admissible = True
    consistent = True

    def check(self, instance: Instance) -> None:
        """Raise `UserError` if the solver is not installed."""
        _highspy()

    def term(self, problem: Problem) -> Term:
        """Make the linear program of the task."""
        task = task_of(problem)
        refuse_axioms(task, "operator_counting")
        packing, program = Packing(task), LinearProgram(task)
        return callback_term(problem, lambda shared: _callback(program, packing, shared))


def changes_of(operator: Operator, first: list[int]) -> dict[int, int]:
    """Return the most by which an operator can change each fact: 1 or -1, without zeros.

    Parameters
    ----------
    operator : Operator
    first : list of int
        Number of the first fact of each variable.
    """
    before = dict(operator.preconditions)
    after: dict[int, set[int | None]] = {}  # values that a variable may have; None if it is not known
    for effect in operator.effects:
        possible = after.get(effect.variable, {before.get(effect.variable)}) if effect.conditions else set()
        after[effect.variable] = {*possible, effect.value}
    changes = dict[int, int]()
    for variable, possible in after.items():
        known = before.get(variable)
        changes.update((first[variable] + value, 1) for value in possible - {known} if value is not None)
        if known is not None and known not in possible:
            changes[first[variable] + known] = -1
    return changes


class LinearProgram:
    """Linear program of a task, whose right-hand side is that of one state after the other.

    Of operators with the same changes it has the cheapest one. It has no rows of facts that neither the goal needs nor
    any operator makes false for certain: all numbers satisfy them.

    Parameters
    ----------
    task : Task

    Attributes
    ----------
    first : list of int
        Number of the first fact of each variable, and the number of facts.
    """

    def __init__(self, task: Task) -> None:
        self.first = first_facts(task)
        changes = [changes_of(operator, self.first) for operator in task.operators]
        goal = [self.first[variable] + value for variable, value in task.goal]
        lowered = {fact for each in changes for fact, change in each.items() if change < 0}
        self._facts = np.array(sorted(lowered.union(goal)), np.int64)
        self._required = np.zeros(self.first[-1])
        self._required[goal] = 1
        row_of = {int(fact): row for row, fact in enumerate(self._facts)}
        costs: dict[Column, int] = {(): 0}  # HiGHS does not solve a program without columns
        for operator, each in zip(task.operators, changes, strict=True):
            column = tuple(sorted((row_of[fact], change) for fact, change in each.items() if fact in row_of))
            costs[column] = min(operator.cost, costs.get(column, operator.cost))
        highspy = _highspy()
        self._optimal, self._infeasible = highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kInfeasible
        self._no_upper = np.full(len(self._facts), highspy.kHighsInf)
        self._rows = np.arange(len(self._facts), dtype=np.int32)
        self._highs = highspy.Highs()
        for name, value in _OPTIONS.items():
            self._highs.setOptionValue(name, value)
        self._highs.passModel(self._model(costs))

    def _model(self, costs: dict[Column, int]) -> Any:
        """Return the program without a state, as HiGHS takes it: a column with its cost for each operator."""
        highspy = _highspy()
        model = highspy.HighsLp()
        model.num_row_, model.num_col_ = len(self._facts), len(costs)
        model.row_lower_, model.row_upper_ = self._required[self._facts], self._no_upper
        model.col_lower_, model.col_upper_ = np.zeros(len(costs)), np.full(len(costs), highspy.kHighsInf)
        model.col_cost_ = np.array([*costs.values()], np.float64)
        model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        model.a_matrix_.start_ = np.cumsum([0, *map(len, costs)]).astype(np.int32)
        model.a_matrix_.index_ = np.array([row for column in costs for row, _ in column], np.int32)
        model.a_matrix_.value_ = np.array([change for column in costs for _, change in column], np.float64)
        return model

    def value(self, facts: NDArray[np.int64]) -> int:
        """Return the value of a state in which some facts are true."""
        lower = self._required.copy()
        lower[facts] -= 1
        self._highs.changeRowsBounds(len(self._rows), self._rows, lower[self._facts], self._no_upper)
        self._highs.run()
        status = self._highs.getModelStatus()
        if status == self._infeasible:
            return UNREACHABLE
        if status != self._optimal:
            raise ArithmeticError(f"operator_counting: HiGHS ended with {self._highs.modelStatusToString(status)}")
        optimum: float = self._highs.getInfo().objective_function_value
        return min(max(math.ceil(optimum - _MARGIN), 0), MAX_COST)


def _callback(program: LinearProgram, packing: Packing, shared: memoryview) -> Callable[[int], int]:
    """Make a function that replaces packed states in `shared` by their values, which it keeps."""
    packed = np.frombuffer(shared, np.uint64)
    words, shifts, masks = np.array(packing.fields, np.uint64).T
    places, first = words.astype(np.int64), np.array(program.first[:-1])
    known: dict[bytes, int] = {}

    def write(count: int) -> int:
        try:
            states = packed[: count * packing.words].reshape(count, packing.words).copy()
            for index, state in enumerate(states):
                key = state.tobytes()
                if key not in known:
                    if len(known) == _MAX_KEPT:
                        known.clear()
                    values = (state[places] >> shifts) & masks
                    known[key] = program.value(first + values.astype(np.int64))
                shared[index] = known[key]
            return 0
        except BaseException as exception:
            return keep(exception)

    return write
