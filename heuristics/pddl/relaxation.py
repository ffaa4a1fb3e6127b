"""Delete relaxation: facts stay true once they are true. Cost estimates of all facts, and three heuristics of them.

An operator becomes unary operators, one for each effect: from the preconditions of the operator and the conditions of
the effect to the fact that it makes true. Axioms become unary operators without cost, with those of default values
(`heuristics.pddl.default_axioms`). Source: Bonet and Geffner, "Planning as heuristic search", AI 129, 2001.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, combinations

import numpy as np
from numpy.typing import NDArray

from heuristics.interface import HEURISTICS, PREFERRED, TERM, UNREACHABLE, Term
from heuristics.pddl.cost_type import CostTyped
from heuristics.pddl.default_axioms import all_axioms
from heuristics.pddl.fact_queue import clear, pop, push, queue_size
from heuristics.pddl.facts import fact_at, first_facts, joined, members, places_of, task_of
from heuristics.pddl.preferred import applicable_operators, successor_table
from worlds.compile import MAX_COST, as_index, helper, kernel
from worlds.interface import Problem
from worlds.pddl.packing import Packing
from worlds.pddl.task import CostMode, Effect, Operator, Task

UNREACHED = MAX_COST + 1
"""Cost of a fact that cannot be reached. Sums of costs stop at `MAX_COST`."""
COUNT_BITS = 16
MAX_PRECONDITIONS = (1 << COUNT_BITS) - 1
_MAX_SUBSETS_OF = 5
"""Largest number of preconditions of an operator whose subsets are looked up for cheaper operators."""

# Layout of params: a header with sizes and with the index of each table.
#   PLACES: word, shift, mask and first fact of each variable
#   GOAL_FACTS: the goal facts. IS_GOAL_FACT: 1 for these, for each fact
#   STARTS: for each fact, index of the first unary operator that needs it in the list NEEDED_BY; one more at the end
#   EFFECT: fact that each unary operator makes true
#   INITIAL: for each unary operator, cost << COUNT_BITS | number of preconditions
#   OPERATOR: the operator of each unary operator; the number of operators if it is an axiom
#   CONDITIONS: for each unary operator, index of its preconditions, which follow their number
#   COSTS, SUPPORTERS: cost of each fact, and the unary operator that makes it true at this cost (results)
#   LEFT: as INITIAL, during an exploration. QUEUE: see `fact_queue`. MARKS: see `relaxed_plan_cost`
#   SUCCESSORS: see `preferred`; empty without preferred operators. EXPLORED: see `explore_sums`
(WORDS, VARIABLES, FACTS, UNARY, GOALS, PLACES, GOAL_FACTS, IS_GOAL_FACT, STARTS, EFFECT, INITIAL, OPERATOR, CONDITIONS,
 COSTS, SUPPORTERS, LEFT, QUEUE, MARKS, SUCCESSORS, EXPLORED) = range(20)  # fmt: skip
_HEADER = 20


@dataclass(frozen=True)
class UnaryOperator:
    """Step of the delete relaxation.

    Attributes
    ----------
    conditions : tuple of int
        Facts that must be true, by their numbers.
    effect : int
        Fact that becomes true.
    cost : int
    operator : int
        Number of the operator of the task; the number of operators if it is an axiom.
    """

    conditions: tuple[int, ...]
    effect: int
    cost: int
    operator: int


def unary_operators(task: Task) -> list[UnaryOperator]:
    """Return the unary operators of a task, without those that another one with fewer conditions makes useless."""
    first = first_facts(task)
    axioms = Operator("", (), tuple(Effect(each.variable, each.value, each.conditions) for each in all_axioms(task)), 0)
    best: dict[tuple[int, tuple[int, ...]], UnaryOperator] = {}
    for number, operator in enumerate((*task.operators, axioms)):
        for effect in operator.effects:
            needed = {first[variable] + value for variable, value in (*operator.preconditions, *effect.conditions)}
            fact = first[effect.variable] + effect.value
            if fact in needed:
                continue
            key = fact, tuple(sorted(needed))
            if key not in best or operator.cost < best[key].cost:
                best[key] = UnaryOperator(key[1], fact, operator.cost, number)
    return [each for each in best.values() if not _is_dominated(each, best)]


def _is_dominated(operator: UnaryOperator, best: dict[tuple[int, tuple[int, ...]], UnaryOperator]) -> bool:
    if len(operator.conditions) > _MAX_SUBSETS_OF:
        return False
    fewer = chain.from_iterable(combinations(operator.conditions, n) for n in range(len(operator.conditions)))
    found = (best.get((operator.effect, subset)) for subset in fewer)
    return any(other is not None and other.cost <= operator.cost for other in found)


def params_of(problem: Problem, cost_type: CostMode, *, prefers: bool = False) -> NDArray[np.int64]:
    """Return the params of kernels that explore the delete relaxation, in the layout above.

    A fact that is always true is added. It is the condition of unary operators without any. With `prefers`, the params
    are those of `prefer_relaxed_plan`, too.
    """
    task = task_of(problem, cost_type)
    packing, first = Packing(task), first_facts(task)
    always = first[-1]
    facts = always + 1
    unary = unary_operators(task)
    conditions = [each.conditions or (always,) for each in unary]
    needed_by: list[list[int]] = [[] for _ in range(facts)]
    for number, each in enumerate(conditions):
        if len(each) > MAX_PRECONDITIONS:
            raise ValueError(f"an operator has more than {MAX_PRECONDITIONS:,} preconditions")
        for fact in each:
            needed_by[fact].append(number)
    goal = [first[variable] + value for variable, value in task.goal]
    lists = chain.from_iterable((len(each), *each) for each in conditions)
    tables: dict[int, Iterable[int]] = {
        PLACES: places_of(packing, first),
        GOAL_FACTS: goal,
        IS_GOAL_FACT: np.isin(np.arange(facts), goal).astype(int).tolist(),
        STARTS: list(chain.from_iterable(needed_by)),
        EFFECT: [each.effect for each in unary],
        INITIAL: [each.cost << COUNT_BITS | len(c) for each, c in zip(unary, conditions, strict=True)],
        OPERATOR: [each.operator for each in unary],
        CONDITIONS: list(lists),
        COSTS: [UNREACHED] * facts,
        SUPPORTERS: [-1] * facts,
        LEFT: [0] * len(unary),
        QUEUE: [0] * queue_size(facts),
        MARKS: [0] * (1 + 2 * facts + len(task.operators) + 1),
        SUCCESSORS: successor_table(problem) if prefers else (),
        EXPLORED: [0] * (1 + packing.words),
    }
    header = [packing.words, len(packing.fields), facts, len(unary), len(goal), *[0] * (_HEADER - PLACES)]
    return joined(header, tables, {STARTS: list(map(len, needed_by)), CONDITIONS: [1 + len(c) for c in conditions]})


@helper
def explore(params, states, at, is_additive):
    """Write the costs of facts, from the state at word offset `at`, until all goal facts have theirs.

    The conditions of an operator cost as much as the most expensive one, or their sum if `is_additive`. Costs of facts
    after the last goal fact may be too large. Returns whether all goal facts can be reached.
    """
    facts, unary, queue = as_index(params[FACTS]), as_index(params[UNARY]), as_index(params[QUEUE])
    costs, left, initial = as_index(params[COSTS]), as_index(params[LEFT]), as_index(params[INITIAL])
    starts, supporters = as_index(params[STARTS]), as_index(params[SUPPORTERS])
    effect, is_goal = as_index(params[EFFECT]), as_index(params[IS_GOAL_FACT])
    clear(params, queue, facts)
    for fact in range(facts):
        params[costs + fact] = UNREACHED
        params[supporters + fact] = -1
    for number in range(unary):
        params[left + number] = params[initial + number]
    for place in range(params[PLACES], params[PLACES] + 4 * params[VARIABLES], 4):
        fact = fact_at(params, place, states, at)
        params[costs + fact] = 0
        push(params, queue, facts, fact, np.int64(0))
    params[costs + facts - 1] = 0
    push(params, queue, facts, facts - 1, np.int64(0))
    goals = params[GOALS]
    while goals > 0:
        fact = pop(params, queue, facts, costs)
        if fact < 0:
            return False
        goals -= params[is_goal + fact]
        cost = params[costs + fact]
        change = (cost << COUNT_BITS) - 1 if is_additive else -1
        for i in members(params, starts + fact):
            number = as_index(params[i])
            now = params[left + number] + change
            params[left + number] = now
            if now & MAX_PRECONDITIONS == 0:
                total = min((now >> COUNT_BITS) + (0 if is_additive else cost), MAX_COST)
                reached = as_index(params[effect + number])
                if total < params[costs + reached]:
                    params[costs + reached] = total
                    params[supporters + reached] = number
                    push(params, queue, facts, reached, total)
    return True


@helper
def explore_sums(params, states, at):
    """Write the additive costs of facts, as `explore`, unless the last exploration was from the same state.

    EXPLORED: 1 if all goal facts could be reached from the state explored last; the words of that state. A lazy search
    asks for the preferred successors of the state that it has just evaluated.
    """
    explored, words = as_index(params[EXPLORED]), as_index(params[WORDS])
    is_known = params[explored] != 0
    for i in range(words):
        word = np.int64(states[at + i])
        is_known &= params[explored + 1 + i] == word
        params[explored + 1 + i] = word
    if not is_known:
        params[explored] = explore(params, states, at, True)
    return params[explored] != 0


@HEURISTICS.register("hmax", domain="pddl")
@dataclass(frozen=True)
class HMax(CostTyped):
    """Cost of the most expensive goal fact, if facts stay true and conditions cost as much as the most expensive one.

    Admissible and consistent. Source: Bonet and Geffner, "Planning as heuristic search", AI 129, 2001.
    """

    safe = True

    @property
    def admissible(self) -> bool | None:
        """True with the costs of the plan."""
        return self._if_normal(True)

    @property
    def consistent(self) -> bool | None:
        """True with the costs of the plan."""
        return self._if_normal(True)

    def term(self, problem: Problem) -> Term:
        """Bind to the delete relaxation."""
        return Term(hmax, params_of(problem, self.cost_type))


@kernel(TERM)
def hmax(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Explore the delete relaxation from each state."""
    for k in range(n):
        value = 0
        if explore(params, out, out_at + k * params[WORDS], False):
            for i in range(params[GOAL_FACTS], params[GOAL_FACTS] + params[GOALS]):
                value = max(value, params[params[COSTS] + params[i]])
        else:
            value = UNREACHABLE
        h[slot + k] += value
    return 0


@HEURISTICS.register("hadd", domain="pddl")
@dataclass(frozen=True)
class HAdd(CostTyped):
    """Sum of the costs of the goal facts, if facts stay true and the costs of conditions add up.

    Not admissible: steps that serve several facts count several times. Source: Bonet and Geffner, "Planning as
    heuristic search", AI 129, 2001.
    """

    admissible = False
    consistent = False
    safe = True
    prefers = True

    def term(self, problem: Problem) -> Term:
        """Bind to the delete relaxation."""
        return Term(hadd, params_of(problem, self.cost_type, prefers=True), preferred=prefer_relaxed_plan)


@kernel(TERM)
def hadd(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Explore the delete relaxation from each state."""
    for k in range(n):
        value = 0
        if explore_sums(params, out, out_at + k * params[WORDS]):
            for i in range(params[GOAL_FACTS], params[GOAL_FACTS] + params[GOALS]):
                value = min(value + params[params[COSTS] + params[i]], MAX_COST)
        else:
            value = UNREACHABLE
        h[slot + k] += value
    return 0


@HEURISTICS.register("ff", domain="pddl")
@dataclass(frozen=True)
class FF(CostTyped):
    """Cost of a plan of the delete relaxation, which makes each fact true by its cheapest operator according to `hadd`.

    Not admissible: the relaxed plan need not be optimal. Sources: Hoffmann and Nebel, "The FF planning system", JAIR
    14, 2001; Keyder and Geffner, "Heuristics for planning with action costs revisited", ECAI 2008.
    """

    admissible = False
    consistent = False
    safe = True
    prefers = True

    def term(self, problem: Problem) -> Term:
        """Bind to the delete relaxation."""
        return Term(ff, params_of(problem, self.cost_type, prefers=True), preferred=prefer_relaxed_plan)


@helper
def relaxed_plan_cost(params):
    """Return the cost of the relaxed plan: of all operators that support the goal facts, each counted once.

    The relaxed exploration must have been run. A visited fact or operator is marked with the number of the call.
    """
    facts, marks = as_index(params[FACTS]), as_index(params[MARKS])
    supporters, operators = as_index(params[SUPPORTERS]), as_index(params[OPERATOR])
    initial, conditions = as_index(params[INITIAL]), as_index(params[CONDITIONS])
    mark = params[marks] = params[marks] + 1
    waiting, fact_marks = marks + 1, marks + 1 + facts
    operator_marks = fact_marks + facts
    count, total = 0, 0
    goal_facts = as_index(params[GOAL_FACTS])
    for i in range(goal_facts, goal_facts + params[GOALS]):
        params[waiting + count] = params[i]
        params[fact_marks + as_index(params[i])] = mark
        count += 1
    while count > 0:
        count -= 1
        number = params[supporters + as_index(params[waiting + count])]
        if number < 0:  # the fact is true in the state
            continue
        operator = as_index(params[operators + number])
        if params[operator_marks + operator] != mark:
            params[operator_marks + operator] = mark
            total = min(total + (params[initial + number] >> COUNT_BITS), MAX_COST)
        needed = as_index(params[conditions + number])
        for i in range(needed + 1, needed + 1 + params[needed]):
            condition = as_index(params[i])
            if params[fact_marks + condition] != mark:
                params[fact_marks + condition] = mark
                params[waiting + count] = condition
                count += 1
    return total


@kernel(TERM)
def ff(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
    """Explore the delete relaxation from each state, and extract a relaxed plan."""
    for k in range(n):
        if explore_sums(params, out, out_at + k * params[WORDS]):
            h[slot + k] += relaxed_plan_cost(params)
        else:
            h[slot + k] += UNREACHABLE
    return 0


@kernel(PREFERRED)
def prefer_relaxed_plan(params, states, at, marks, slot):
    """Mark successors by operators of the relaxed plan.

    As in Fast Downward, these are the applicable operators that support a fact at their own cost: conditions cost 0.
    """
    if not explore_sums(params, states, at):
        return 0
    relaxed_plan_cost(params)
    facts, costs, supporters = as_index(params[FACTS]), as_index(params[COSTS]), as_index(params[SUPPORTERS])
    operators, initial = as_index(params[OPERATOR]), as_index(params[INITIAL])
    in_plan = as_index(params[MARKS])
    fact_marks = in_plan + 1 + facts
    operator_marks = fact_marks + facts
    mark = params[in_plan]
    for fact in range(facts):
        number = params[supporters + fact]
        if number < 0 or params[fact_marks + fact] != mark:
            continue
        if params[costs + fact] == params[initial + number] >> COUNT_BITS:
            params[operator_marks + as_index(params[operators + number])] = -mark
    first, n = applicable_operators(params, as_index(params[SUCCESSORS]), states, at)
    for k in range(n):
        if params[operator_marks + as_index(params[first + k])] == -mark:
            marks[slot + k] = 1
    return min(n, 0)
