"""Result of one instance, whose fields are the columns of metrics.csv, each with its declaration.

To add a column: of some algorithms, heuristics or domains, declare it in their `metrics` and return its value from
`measured`; no other table changes. Of all searches, such as `iterations`, it is added here:

1. Add a field to `Result`. A metric that follows from other columns has a formula in `_DERIVED` instead
   (``Metric(..., derived="generated / expanded")``), and no value; rows do not have it.
2. ``python -m tests.runner.features.reports.test_golden`` writes the expected numbers again, as the column is in every
   row.

In both cases: ``python -m docs.generate metrics``, and a test of the value with the tests of the part that measures it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

from runner.base.html import html_table
from runner.base.metric import Column, Metric

_MAX_PLAN = 400
"""Number of characters of a plan in a notebook."""


def _column(meaning: str, default: str | None = None) -> Any:
    """Return a field of a result that is no metric."""
    return field(default=default, metadata={"column": Column("", meaning)})


def _metric(unit: str = "", **options: Any) -> Any:
    """Return a field of a result that is a metric."""
    return field(default=None, metadata={"column": Metric("", unit, **options)})


class PlanOfSet(NamedTuple):
    """Plan of an answer of several, with its cost; in a world with several costs, with all of them."""

    costs: tuple[float, ...]
    actions: tuple[str, ...]


@dataclass(frozen=True, repr=False)
class Result:
    """Result of one instance. All fields except the last four are columns of metrics.csv, in this order.

    None means "not applicable". docs/metrics.md defines the columns. The metrics that a domain, a heuristic, an
    algorithm or an agent declares are attributes, too.

    Attributes
    ----------
    plan : tuple of str or None
        Names of the actions.
    plans : tuple of PlanOfSet
        All plans of an answer of several, the cheapest first; `plan` is the first one. Costs without plans, which only
        programs give, have no actions, and there is no `plan`.
    measured : mapping of str to number or str
        Values of the declared metrics, and texts of the instance (`World.groups`).
    output : str
        Text for a file of its own beside the rows: what a program has printed.
    """

    run_id: str = _column(
        "identity of the search, as 16 hex digits: a hash of the effective algorithm, heuristics and weighting with "
        "the parameters that differ from their defaults, and of the source, name and content of the instance. Limits, "
        "labels and paths of files do not count. Different spellings of the same search have the same `run_id`",
        default="",
    )
    world: str = _column("name of the source of the instance", default="")
    instance: str = _column("name of the instance in its source", default="")
    seed: int | None = _column(
        "seed of a random instance. With the source's other parameters, it reproduces the instance"
    )
    algorithm: str = _column(
        "name of the effective algorithm. `astar` with a constant weight other than 1 becomes `weighted_astar`; "
        "`weighted_astar` with the weight 1, or with a weighting that is not constant, becomes `astar`",
        default="",
    )
    heuristic: str = _column(
        "name of the documented stack, such as `flood_fill`, if the heuristics are one. Otherwise their names joined "
        "by `+`, inside `max(...)` if they are combined by maximum, or inside the name of another combination; `none` "
        "without heuristics",
        default="",
    )
    weighting: str | None = _column("weighting with all its parameters, such as `constant(1.5)`; empty without one")
    status: str = _column("how the search or the game ended; see [Statuses](#statuses)", default="")
    cost: float | None = _metric(log_scale=False, meaning="cost of the plan")
    length: int | None = _metric(
        log_scale=False,
        is_main=False,
        meaning="number of primitive actions in the plan",
    )
    reward: int | None = _metric(
        better="more",
        log_scale=False,
        meaning="score of the plan or of the game, in domains that have scores",
    )
    valid: bool | None = _column(
        "whether the independent simulator confirms the result. Search: the plan is legal, reaches the goal and has "
        "the cost that the search claims. Game: the actions give the cost and the score that the game claims. "
        "Program: the same, with the cost that it prints. Empty without a plan, and if a limit cut the validation off"
    )
    bound: float | None = _metric(
        aggregate="geometric_mean",
        digits=3,
        log_scale=False,
        is_main=False,
        label="proven bound",
        meaning="proven factor: the plan costs at most this factor times the optimum; 1 is optimal. Empty if nothing "
        "is proven, for example because a heuristic is not declared admissible. Of algorithms in plain Python and of "
        "[programs](programs.md), it is what they promise",
    )
    expanded: int | None = _metric(
        meaning="number of expanded nodes, re-expansions included. The goal that ends the search is not expanded",
    )
    generated: int | None = _metric(
        meaning="number of generated successors, duplicates included. The start is not counted",
    )
    evaluated: int | None = _metric(
        is_main=False,
        meaning="number of computed heuristic values: one for each distinct state; in depth-first searches, one for "
        "each successor that passes the cycle check. 0 without a heuristic",
    )
    reopened: int | None = _metric(
        log_scale=False,
        is_main=False,
        meaning="number of times a closed state returned to the open list because a cheaper path was found",
    )
    iterations: int | None = _metric(
        is_main=False,
        meaning="number of iterations: bounds of `ids`, `idastar` and `bts`, layers of `beam`, searches of "
        "`anytime_astar` and `ara`, local searches of `lss_lrta` and `rtaa`. Empty for other algorithms. Counts of "
        "nodes are sums over all iterations, but for `peak_nodes`",
    )
    simulated_actions: int | None = _metric(
        meaning="1 + the number of primitive actions in all generated successors",
    )
    initial_h: float | None = _metric(
        better="neither",
        aggregate="mean",
        log_scale=False,
        is_main=False,
        label="h of the start",
        meaning="heuristic value of the start. Empty for a dead end, and from 2^30 units of the engine on, where "
        "values stop",
    )
    peak_nodes: int | None = _metric(
        is_main=False,
        meaning="maximum number of stored nodes. `ids`, `idastar`, `bts`, `rbfs` and `dfbnb`: successors stored at "
        "once; with `cycle_check=visited`: states that the largest iteration visited; `idastar` in place: nodes of the "
        "longest path",
    )
    memory_bytes: int | None = _metric(
        "bytes",
        is_main=False,
        label="memory",
        meaning="size of the nodes, the open list and the hash table. The states of a world in plain Python are not "
        "included. Program: largest resident memory of one of its processes; server: empty",
    )
    search_seconds: float | None = _metric(
        "s",
        digits=6,
        label="search time",
        meaning="wall time of the search. It includes the preparation of the heuristics for the instance, but no "
        "compilation. Program: from its start to its end; server: from the request to the answer",
    )
    cpu_seconds: float | None = _metric(
        "s",
        digits=6,
        is_main=False,
        label="processor time",
        meaning="processor time of the work that `search_seconds` measures; of a program, of all processes that it "
        "has started",
    )
    compile_seconds: float | None = _metric(
        "s",
        better="neither",
        digits=6,
        is_main=False,
        label="compilation",
        meaning="wall time for compiling kernels or loading them from the cache. It is in the row of the instance that "
        "needed them",
    )
    error: str | None = _column(
        "message of the error, in one line of about 2,000 characters at most. Characters that cannot be printed are "
        "escaped as in Python. The whole message and its traceback are in `runner.log` in the same folder"
    )
    ties: str | None = _column("rule for ties in f, of a best-first search")
    limits: str | None = _column("limits of the search, such as `nodes=1000 time=10`")
    parameters: str | None = _column(
        "other parameters of the algorithm and of the formulation that differ from their defaults, such as "
        "`formulation=primitive reopen=false`"
    )
    reason: str | None = _column(
        "why the instance is `unsolvable`, if that was proven before the search: for example `odd parity` of a board. "
        "If a limit ended an anytime search that has a solution: `the search was ended by time_limit`. If it ended a "
        "search for a set of plans: how many are proven. "
        "If `valid` is `False`: why the rules do not accept the plan. If a solution has not been validated: what cut "
        "its validation off"
    )
    moves: str | None = _column(
        "plan as one word, if every action is one letter (puzzles, snakes) and there are at most 1,000 actions. "
        "All plans are in `plans.jsonl`"
    )
    actions: int | None = _metric(log_scale=False, meaning="number of actions that an [agent](agents.md) took")
    stack: str | None = _column("all heuristics in full, with the parameters that differ from their defaults")
    expanded_before_last_layer: int | None = _metric(
        is_main=False,
        meaning="number of expansions before the last layer of f. Best-first search: nodes with an f below that of the "
        "solution. Iterative deepening: all iterations but the last. `anytime_astar`: the search that found the best "
        "solution, by the same rule, and all expansions of the searches before it. If the heuristic is consistent, the "
        "number does not depend on ties or on the order of operators, so different programs can be compared by it. "
        "Empty without a solution, and where f has no layers: in best-first search, if a node with a larger f than the "
        "solution's was expanded (often with a weight above 1 or a heuristic that is not admissible), always for "
        "`greedy` and bounded-suboptimal search, and for algorithms without f",
    )
    repetitions: int | None = _metric(
        better="neither",
        is_main=False,
        meaning="number of searches of the instance, if it is more than one (`repeat=N`). Their times are medians",
    )
    spread: float | None = _metric(
        aggregate="mean",
        digits=3,
        log_scale=False,
        meaning="difference of the largest and the smallest search time of the repetitions, divided by their median",
    )
    seconds_low: float | None = _metric(
        "s",
        digits=6,
        is_main=False,
        label="search time, lower limit",
        meaning="lower limit of an interval that contains the median of the search time with a confidence of at least "
        "95 %: the k-th smallest of the repetitions. With fewer than six, the smallest; the confidence of two is 50 %, "
        "of five 93.8 %",
    )
    seconds_high: float | None = _metric(
        "s",
        digits=6,
        is_main=False,
        label="search time, upper limit",
        meaning="upper limit of this interval: the k-th largest, or the largest",
    )
    peak_bytes: int | None = _metric(
        "bytes",
        aggregate="mean",
        is_main=False,
        label="peak memory",
        meaning="largest resident memory during the search. Of a search of this program: of its worker process, with "
        "Python and all libraries. Program: of all its processes together",
    )
    user_seconds: float | None = _metric(
        "s",
        digits=6,
        is_main=False,
        label="user time",
        meaning="processor time outside of the operating system, of the same processes. The system measures it, "
        "together with packing the instance and validating the plan, which `cpu_seconds` leaves out",
    )
    system_seconds: float | None = _metric(
        "s",
        digits=6,
        is_main=False,
        label="system time",
        meaning="processor time that the operating system has spent for these processes",
    )
    page_faults: int | None = _metric(
        is_main=False,
        label="page faults",
        meaning="number of pages of memory that the operating system had to provide, from memory or from disk",
    )
    core: int | None = _column(
        "number of the processor on which the search ended; empty where the system does not tell"
    )
    measured_by: str | None = _column(
        "how memory and processor time were measured: `process` (the operating system, for the worker process), "
        "`cgroup` (a control group of a program), `proc` (the operating system, for each process of a program, and "
        "samples of them all); see [measuring](measuring.md)"
    )
    heuristic_seconds: float | None = _metric(
        "s",
        digits=6,
        is_main=False,
        label="heuristic time",
        meaning="part of `search_seconds` inside of heuristics in Python, also of batches. Empty for compiled "
        "heuristics, which the clock would slow down",
    )
    label: str | None = _column("free text of the user (`label=v2`), for comparing revisions")
    code: str | None = _column(
        "fingerprint of the code that made the row: the sources of this program, and those of the plug-ins in use, or "
        "the files of a [program](programs.md#new-builds). When a sweep goes on, it makes rows of other code again"
    )
    number: int | None = _column(
        "place of the instance in its source, counted from 0. The rows of a finished cell are sorted by it"
    )
    content: str | None = _column(
        "identity of the problem, as 16 hex digits: a hash of the domain, the code of a world of a plug-in, and the "
        "content of the instance, whatever its name and source. Rows with the same `content` are of the same problem"
    )
    refuted: str | None = _column(
        "claim of the row that a valid plan of the same `content` refutes, and the `run_id` of the row with that plan: "
        "`unsolvable: 3f733304c1412188`, or `bound 1: ...` if the plan is cheaper than that bound allows. Such a row "
        "is no success, and has no `bound`. Rows are held against each other in `results.csv` and in reports; "
        "`metrics.csv` has what each search claims, and nothing here"
    )
    plan: tuple[str, ...] | None = None
    plans: tuple[PlanOfSet, ...] = ()
    measured: Mapping[str, float | str | None] = field(default_factory=dict)
    output: str = ""

    def __getattr__(self, name: str) -> Any:
        """Return a declared metric, or one that follows from the columns."""
        measured: Mapping[str, Any] = self.__dict__.get("measured", {})
        if name in measured:
            return measured[name]
        if name in DERIVED:
            return DERIVED[name].value_in(self.row())
        raise AttributeError(f"a result has no '{name}'")

    def row(self) -> dict[str, Any]:
        """Return the values by the columns of metrics.csv."""
        return {**{name: getattr(self, name) for name in NAMES}, **self.measured}

    def _shown(self) -> dict[str, str]:
        """Return the values of the main columns that the result has, by their titles."""
        row = self.row()
        values = ((metric, metric.value_in(row)) for metric in METRICS.values() if metric.is_main)
        found = {metric.title: metric.readable(value) for metric, value in values if value is not None}
        return {**found, "plans": f"{len(self.plans):,}"} if self.plans else found

    def __str__(self) -> str:
        """Return status, metrics and search in one line."""
        shown = [" ".join(pair) for pair in self._shown().items()]
        how = ", ".join(text for text in (self.algorithm, self.stack or self.heuristic, self.weighting) if text)
        why = self.error or self.reason
        return f"{self.instance}: {self.status}{f' ({why})' if why else ''}, {', '.join(shown)} [{how}]"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the table that a notebook shows: what is known of the main columns, and the plan."""
        why = self.error or self.reason
        rows = {
            "instance": f"{self.world}: {self.instance}",
            "algorithm": ", ".join(text for text in (self.algorithm, self.weighting) if text),
            "heuristic": self.stack or self.heuristic,
            "status": f"{self.status} ({why})" if why else self.status,
            **self._shown(),
            **({} if self.plan is None else {"plan": textwrap.shorten(" ".join(self.plan), _MAX_PLAN)}),
        }
        return html_table(rows.items())


COLUMNS: tuple[Column | Metric, ...] = tuple(
    replace(each.metadata["column"], name=each.name) for each in fields(Result) if "column" in each.metadata
)
"""All built-in columns, in their order. Every table has them."""
NAMES = tuple(column.name for column in COLUMNS)

_DERIVED = [
    Metric(
        "branching",
        better="neither",
        aggregate="geometric_mean",
        digits=2,
        log_scale=False,
        is_main=False,
        label="branching factor",
        meaning="mean number of generated successors of an expanded node",
        derived="generated / expanded",
    ),
    Metric(
        "evaluations_per_second", better="more", aggregate="geometric_mean", is_main=False,
        meaning="values per second inside of heuristics in Python", derived="evaluated / heuristic_seconds",
    ),
    Metric(
        "heuristic_share", better="neither", aggregate="mean", digits=3, log_scale=False, is_main=False,
        meaning="share of the search time inside of heuristics in Python", derived="heuristic_seconds / search_seconds",
    ),
]  # fmt: skip
DERIVED = {metric.name: metric for metric in _DERIVED}
"""Metrics that follow from the built-in columns, by name. Rows do not have them, so others may declare these names."""
METRICS = {each.name: each for each in (*COLUMNS, *_DERIVED) if isinstance(each, Metric)}
"""Built-in metrics by name, in the order of the columns."""
