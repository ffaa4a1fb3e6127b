"""Claims that a valid plan refutes: that an instance has no solution, or that a plan is as cheap as its `bound` says.

A plan that the rules accept is a proof, whoever found it. The rows of one instance, by its `content`, are held against
the cheapest such plan, after a sweep and in every report. The column `refuted` has the claim and the `run_id` of the
row with the plan, such as ``unsolvable: 3f733304c1412188`` or ``bound 1: df5f931d974f1cf4``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from shlex import quote
from typing import Any

import numpy as np

from runner.base import UNSOLVABLE, override_text, plural
from runner.records.log import Array

COST_TOLERANCE = 1e-6
"""Difference up to which two costs are equal. Real costs of the same plans may be rounded differently."""
_BOUND_TOLERANCE = 5e-6
"""Relative error of a bound in a row, which has six digits."""
_OPTIMAL = "bound 1"
_MAX_NAMES = 2


def refuting_plans(problem: Array, cost: Array, bound: Array, unsolvable: Array, is_plan: Array) -> Array:
    """Return the place of the cheapest valid plan of its problem that refutes each claim; -1 where none does.

    Parameters
    ----------
    problem : array of int
        Number of the problem of each row.
    cost, bound : array of float
        Cost of its plan, and the proven factor; NaN without one.
    unsolvable, is_plan : array of bool
        Whether the row says that there is no plan, and whether it has a valid one.
    """
    plans = np.flatnonzero(is_plan)
    plans = plans[np.lexsort((cost[plans], problem[plans]))]
    problems, firsts = np.unique(problem[plans], return_index=True)
    rows = np.flatnonzero(np.isin(problem, problems))
    cheapest = plans[firsts[np.searchsorted(problems, problem[rows])]]
    is_refuted = unsolvable[rows] | is_beaten(cost[rows], bound[rows], cost[cheapest])
    result = np.full(len(problem), -1)
    result[rows[is_refuted]] = cheapest[is_refuted]
    return result


def is_beaten(cost: Array, bound: Array, cheapest: Array) -> Array:
    """Return whether each plan costs more than its bound allows beside the cheapest plan."""
    result: Array = cost > bound * cheapest * (1 + _BOUND_TOLERANCE * (bound != 1)) + COST_TOLERANCE
    return result


def refutation(status: str, bound: object, run_id: str) -> str:
    """Return the value of the column `refuted`: the claim of a row, and the `run_id` of the plan that refutes it."""
    return f"{UNSOLVABLE.name if status == UNSOLVABLE.name else f'bound {bound}'}: {run_id}"


def kind_of(refuted: str) -> str:
    """Return the kind of the claim in a column `refuted`: ``unsolvable``, ``bound 1``, or ``bound`` for any other."""
    claim = refuted.partition(":")[0]
    return claim if claim in (UNSOLVABLE.name, _OPTIMAL) else "bound"


def finding(name: str, kind: str, count: int, rows: int, by: Iterable[str], audit: str = "") -> str:
    """Return in one sentence which claims of a configuration are wrong.

    Parameters
    ----------
    count, rows : int
        Number of instances on which a claim of this kind is refuted, and of all instances of the configuration.
    by : iterable of str
        Names of the configurations whose plans refute it.
    audit : str
        Command that audits the heuristic on which the claim rests; empty without a heuristic.
    """
    if kind == UNSOLVABLE.name:
        names = list(dict.fromkeys(by))
        more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
        instances = f"{plural(count, 'instance')} {'has' if count == 1 else 'have'} no solution"
        have = "has a plan" if len(names) == count == 1 else "has plans" if len(names) == 1 else "have plans"
        return f"{name}: says that {instances}; {', '.join(names[:_MAX_NAMES])}{more} {have}"
    if audit:
        plans = "plans that are called optimal" if kind == _OPTIMAL else "plans with a proven bound"
        beaten = f"{plans} are beaten on {count:,} of {plural(rows, 'instance')}, so a promise is broken"
        return f"{name}: {beaten}. To find out which: {audit}"
    promise, than = ("the optimum", "") if kind == _OPTIMAL else ("a bound", " than it allows")
    cheaper = f"{plural(count, 'plan')} {'is' if count == 1 else 'are'} cheaper elsewhere{than}"
    return f"{name}: promises {promise}; {cheaper}"


def audit_command(heuristic: str, configurations: Iterable[Mapping[str, Any]]) -> str:
    """Return the command that audits a heuristic, with the plug-ins of configurations; empty without a heuristic.

    Parameters
    ----------
    heuristic : str
        As in the column of this name.
    """
    if heuristic in ("", "none"):
        return ""
    names = heuristic.removeprefix("max(").removesuffix(")").split("+")
    words = [f"heuristic={heuristic}" if len(names) == 1 else f"heuristic.stack={override_text(names)}"]
    recorded = (found for each in configurations if isinstance(found := each.get("plugins"), list))
    plugins = list(dict.fromkeys(str(plugin) for found in recorded for plugin in found))
    words += [f"plugins={override_text(plugins)}"] if plugins else []
    return " ".join(["python -m runner audit", *map(quote, words)])
