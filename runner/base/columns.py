"""Columns of results, and the metrics and statuses that others add to the built-in ones.

Worlds, heuristics, algorithms and agents declare metrics and statuses of their own. The terminal, reports,
docs/metrics.md and ``columns.json`` beside each table of results follow from the declarations.

To add a column: of some algorithms, heuristics or domains, declare it in their `metrics` and return its value from
`measured`; no other table changes. Of all searches, such as `iterations`, it is added here:

1. Declare a `Metric` in `COLUMNS`, and give its value: a field of `Result` in ``runner/records/result.py``. A metric
   that follows from other columns has a formula instead (``Metric(..., derived="generated / expanded")``), and no
   value; rows do not have it.
2. ``python -m tests.runner.features.reports.test_golden`` writes the expected numbers again, as the column is in every
   row.

In both cases: ``python -m docs.generate metrics``, and a test of the value with the tests of the part that measures it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from runner.base.errors import UserError, one_line, suggest
from runner.base.formula import MAX_LENGTH, formula
from runner.base.metric import Column, Metric
from runner.base.status import STATUSES, Status

if TYPE_CHECKING:
    import pandas

MAX_DECLARED = 200
"""Number of metrics, and of statuses, that may be declared."""
MAX_NAME = 100
"""Characters of a name."""
MAX_DIGITS = 15
"""Digits after the decimal point."""

Declaration = TypeVar("Declaration", Metric, Status, Column)

COLUMNS: tuple[Column | Metric, ...] = (
    Column(
        "run_id",
        "identity of the search, as 16 hex digits: a hash of the effective algorithm, heuristics and weighting with "
        "the parameters that differ from their defaults, and of the source, name and content of the instance. Limits, "
        "labels and paths of files do not count. Different spellings of the same search have the same `run_id`",
    ),
    Column("world", "name of the source of the instance"),
    Column("instance", "name of the instance in its source"),
    Column("seed", "seed of a random instance. With the source's other parameters, it reproduces the instance"),
    Column(
        "algorithm",
        "name of the effective algorithm. `astar` with a constant weight other than 1 becomes `weighted_astar`; "
        "`weighted_astar` with the weight 1, or with a weighting that is not constant, becomes `astar`",
    ),
    Column(
        "heuristic",
        "name of the documented stack, such as `flood_fill`, if the heuristics are one. Otherwise their names joined "
        "by `+`, inside `max(...)` if they are combined by maximum, or inside the name of another combination; `none` "
        "without heuristics",
    ),
    Column("weighting", "weighting with all its parameters, such as `constant(1.5)`; empty without one"),
    Column("status", "how the search or the game ended; see [Statuses](#statuses)"),
    Metric("cost", log=False, meaning="cost of the plan"),
    Metric("length", log=False, is_main=False, meaning="number of primitive actions in the plan"),
    Metric("reward", better="more", log=False, meaning="score of the plan or of the game, in domains that have scores"),
    Column(
        "valid",
        "whether the independent simulator confirms the result. Search: the plan is legal, reaches the goal and has "
        "the cost that the search claims. Game: the actions give the cost and the score that the game claims. "
        "Program: the same, with the cost that it prints. Empty without a plan, and if a limit cut the validation off",
    ),
    Metric(
        "bound",
        aggregate="geometric_mean",
        digits=3,
        log=False,
        is_main=False,
        label="proven bound",
        meaning="proven factor: the plan costs at most this factor times the optimum; 1 is optimal. Empty if nothing "
        "is proven, for example because a heuristic is not declared admissible. Of algorithms in plain Python and of "
        "[programs](programs.md), it is what they promise",
    ),
    Metric(
        "expanded",
        meaning="number of expanded nodes, re-expansions included. The goal that ends the search is not expanded",
    ),
    Metric("generated", meaning="number of generated successors, duplicates included. The start is not counted"),
    Metric(
        "evaluated",
        is_main=False,
        meaning="number of computed heuristic values: one for each distinct state; in depth-first searches, one for "
        "each successor that passes the cycle check. 0 without a heuristic",
    ),
    Metric(
        "reopened",
        log=False,
        is_main=False,
        meaning="number of times a closed state returned to the open list because a cheaper path was found",
    ),
    Metric(
        "iterations",
        is_main=False,
        meaning="number of iterations: bounds of `ids`, `idastar` and `bts`, layers of `beam`, searches of "
        "`anytime_astar` and `ara`, local searches of `lss_lrta` and `rtaa`. Empty for other algorithms. Counts of "
        "nodes are sums over all iterations, but for `peak_nodes`",
    ),
    Metric("simulated_actions", meaning="1 + the number of primitive actions in all generated successors"),
    Metric(
        "initial_h",
        better="neither",
        aggregate="mean",
        log=False,
        is_main=False,
        label="h of the start",
        meaning="heuristic value of the start. Empty for a dead end, and from 2^30 units of the engine on, where "
        "values stop",
    ),
    Metric(
        "peak_nodes",
        is_main=False,
        meaning="maximum number of stored nodes. `ids`, `idastar`, `bts`, `rbfs` and `dfbnb`: successors stored at "
        "once; with `cycle_check=visited`: states that the largest iteration visited; `idastar` in place: nodes of the "
        "longest path",
    ),
    Metric(
        "memory_bytes",
        "bytes",
        is_main=False,
        label="memory",
        meaning="size of the nodes, the open list and the hash table. The states of a world in plain Python are not "
        "included. Program: largest resident memory of one of its processes; server: empty",
    ),
    Metric(
        "search_seconds",
        "s",
        digits=6,
        label="search time",
        meaning="wall time of the search. It includes the preparation of the heuristics for the instance, but no "
        "compilation. Program: from its start to its end; server: from the request to the answer",
    ),
    Metric(
        "cpu_seconds",
        "s",
        digits=6,
        is_main=False,
        label="processor time",
        meaning="processor time of the work that `search_seconds` measures; of a program, of all processes that it "
        "has started",
    ),
    Metric(
        "compile_seconds",
        "s",
        better="neither",
        digits=6,
        is_main=False,
        label="compilation",
        meaning="wall time for compiling kernels or loading them from the cache. It is in the row of the instance that "
        "needed them",
    ),
    Column(
        "error",
        "message of the error, in one line of about 2,000 characters at most. Characters that cannot be printed are "
        "escaped as in Python. The whole message and its traceback are in `runner.log` in the same folder",
    ),
    Column("ties", "rule for ties in f, of a best-first search"),
    Column("limits", "limits of the search, such as `nodes=1000 time=10`"),
    Column(
        "parameters",
        "other parameters of the algorithm and of the formulation that differ from their defaults, such as "
        "`formulation=primitive reopen=false`",
    ),
    Column(
        "reason",
        "why the instance is `unsolvable`, if that was proven before the search: for example `odd parity` of a board. "
        "If a limit ended an anytime search that has a solution: `the search was ended by time_limit`. "
        "If `valid` is `False`: why the rules do not accept the plan. If a solution has not been validated: what cut "
        "its validation off",
    ),
    Column(
        "moves",
        "plan as one word, if every action is one letter (puzzles, snakes) and there are at most 1,000 actions. "
        "All plans are in `plans.jsonl`",
    ),
    Metric("actions", log=False, meaning="number of actions that an [agent](agents.md) took"),
    Column("stack", "all heuristics in full, with the parameters that differ from their defaults"),
    Metric(
        "expanded_before_last_layer",
        is_main=False,
        meaning="number of expansions before the last layer of f. Best-first search: nodes with an f below that of the "
        "solution. Iterative deepening: all iterations but the last. `anytime_astar`: the search that found the best "
        "solution, by the same rule, and all expansions of the searches before it. If the heuristic is consistent, the "
        "number does not depend on ties or on the order of operators, so different programs can be compared by it. "
        "Empty without a solution, and where f has no layers: in best-first search, if a node with a larger f than the "
        "solution's was expanded (often with a weight above 1 or a heuristic that is not admissible), always for "
        "`greedy` and bounded-suboptimal search, and for algorithms without f",
    ),
    Metric(
        "repetitions",
        better="neither",
        is_main=False,
        meaning="number of searches of the instance, if it is more than one (`repeat=N`). Their times are medians",
    ),
    Metric(
        "spread",
        aggregate="mean",
        digits=3,
        log=False,
        meaning="difference of the largest and the smallest search time of the repetitions, divided by their median",
    ),
    Metric(
        "seconds_low",
        "s",
        digits=6,
        is_main=False,
        label="search time, lower limit",
        meaning="lower limit of an interval that contains the median of the search time with a confidence of at least "
        "95 %: the k-th smallest of the repetitions. With fewer than six, the smallest; the confidence of two is 50 %, "
        "of five 93.8 %",
    ),
    Metric(
        "seconds_high",
        "s",
        digits=6,
        is_main=False,
        label="search time, upper limit",
        meaning="upper limit of this interval: the k-th largest, or the largest",
    ),
    Metric(
        "peak_bytes",
        "bytes",
        aggregate="mean",
        is_main=False,
        label="peak memory",
        meaning="largest resident memory during the search. Of a search of this program: of its worker process, with "
        "Python and all libraries. Program: of all its processes together",
    ),
    Metric(
        "user_seconds",
        "s",
        digits=6,
        is_main=False,
        label="user time",
        meaning="processor time outside of the operating system, of the same processes. The system measures it, "
        "together with packing the instance and validating the plan, which `cpu_seconds` leaves out",
    ),
    Metric(
        "system_seconds",
        "s",
        digits=6,
        is_main=False,
        label="system time",
        meaning="processor time that the operating system has spent for these processes",
    ),
    Metric(
        "page_faults",
        is_main=False,
        label="page faults",
        meaning="number of pages of memory that the operating system had to provide, from memory or from disk",
    ),
    Column("core", "number of the processor on which the search ended; empty where the system does not tell"),
    Column(
        "measured_by",
        "how memory and processor time were measured: `process` (the operating system, for the worker process), "
        "`cgroup` (a control group of a program), `proc` (the operating system, for each process of a program, and "
        "samples of them all); see [measuring](measuring.md)",
    ),
    Column("label", "free text of the user (`label=v2`), for comparing revisions"),
    Column(
        "code",
        "fingerprint of the code that made the row: the sources of this program, and those of the plug-ins in use, or "
        "the files of a [program](programs.md#new-builds). When a sweep goes on, it makes rows of other code again",
    ),
    Column(
        "number", "place of the instance in its source, counted from 0. The rows of a finished cell are sorted by it"
    ),
    Column(
        "content",
        "identity of the problem, as 16 hex digits: a hash of the domain, the code of a world of a plug-in, and the "
        "content of the instance, whatever its name and source. Rows with the same `content` are of the same problem",
    ),
    Column(
        "refuted",
        "claim of the row that a valid plan of the same `content` refutes, and the `run_id` of the row with that plan: "
        "`unsolvable: 3f733304c1412188`, or `bound 1: ...` if the plan is cheaper than that bound allows. Such a row "
        "is no success, and has no `bound`. Rows are held against each other in `results.csv` and in reports; "
        "`metrics.csv` has what each search claims, and nothing here",
    ),
)
"""All built-in columns, in their order. Every table has them."""

NAMES = tuple(column.name for column in COLUMNS)

_DERIVED = (
    Metric(
        "branching",
        better="neither",
        aggregate="geometric_mean",
        digits=2,
        log=False,
        is_main=False,
        label="branching factor",
        meaning="mean number of generated successors of an expanded node",
        derived="generated / expanded",
    ),
)
DERIVED = {metric.name: metric for metric in _DERIVED}
"""Metrics that follow from the built-in columns, by name. Rows do not have them, so others may declare these names."""


@dataclass(frozen=True)
class Declared:
    """Metrics and statuses that some rows have beside the built-in ones.

    Attributes
    ----------
    metrics, statuses : tuple
        Declarations of domains, heuristics, algorithms and agents, in the order in which they were found.
    texts : tuple of str
        Columns of texts that domains add.
    """

    metrics: tuple[Metric, ...] = ()
    statuses: tuple[Status, ...] = ()
    texts: tuple[str, ...] = ()

    @classmethod
    def of(cls, metrics: Iterable[Metric] = (), statuses: Iterable[Status] = (), texts: Iterable[str] = ()) -> Declared:
        """Return the declarations, without repetitions.

        Raises
        ------
        UserError
            If a name is taken by a built-in column or status, is not an identifier or is too long; if a name has two
            different declarations; if there are too many declarations; if a metric has too many digits; or if its
            formula is none, or has a name that is no stored metric.
        """
        found = _distinct(metrics, "metric", NAMES)
        taken = (*NAMES, *(metric.name for metric in found))
        declared = cls(
            found,
            _distinct(statuses, "status", [status.name for status in STATUSES]),
            tuple(column.name for column in _distinct(map(Column, texts), "column", taken)),
        )
        _check_formulas(declared)
        return declared

    def __or__(self, other: Declared) -> Declared:
        """Return the union. If both declare a name, the second declaration counts."""
        metrics = {each.name: each for each in (*self.metrics, *other.metrics)}
        statuses = {each.name: each for each in (*self.statuses, *other.statuses)}
        texts = dict.fromkeys((*self.texts, *other.texts))
        return Declared(tuple(metrics.values()), tuple(statuses.values()), tuple(texts))

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all columns of metrics.csv, in order."""
        return (*NAMES, *self.stored)

    @property
    def stored(self) -> tuple[str, ...]:
        """Names of the declared columns that rows have: metrics that are not derived, and texts."""
        return (*(metric.name for metric in self.metrics if not metric.derived), *self.texts)

    @cached_property
    def all_metrics(self) -> dict[str, Metric]:
        """All metrics by name, in the order of the columns; the built-in derived ones come before the declared ones."""
        every: tuple[Column | Metric, ...] = (*COLUMNS, *DERIVED.values(), *self.metrics)
        return {each.name: each for each in every if isinstance(each, Metric)}

    def with_derived(self, table: pandas.DataFrame) -> pandas.DataFrame:
        """Add the derived metrics whose inputs are columns to a table of rows, after the built-in columns.

        Their place does not depend on the declarations, which a copied table lacks. A value that the table has stays
        where none follows.
        """
        import pandas

        place = 1 + max((number for number, each in enumerate(table) if each in NAMES), default=-1)
        for name, metric in self.all_metrics.items():
            if not metric.derived or any(each not in table for each in metric.inputs):
                continue
            inputs = {each: pandas.to_numeric(table[each], errors="coerce") for each in metric.inputs}
            values = pandas.Series(formula(metric.derived).value(inputs), table.index)
            if name in table:
                table[name] = values.fillna(table[name])
            else:
                table.insert(place, name, values)
                place += 1
        return table

    @cached_property
    def main_metrics(self) -> dict[str, Metric]:
        """Metrics that the terminal shows, by name."""
        return {name: metric for name, metric in self.all_metrics.items() if metric.is_main}

    @cached_property
    def all_statuses(self) -> dict[str, Status]:
        """All statuses by name."""
        return {each.name: each for each in (*STATUSES, *self.statuses)}

    def status(self, name: str) -> Status:
        """Return the status of a name. An undeclared status is neither an answer nor a failure."""
        return self.all_statuses.get(name) or Status(name)

    def checked(self, measured: Mapping[str, float | None]) -> dict[str, float | None]:
        """Return the measured values, after checking them.

        Raises
        ------
        ValueError
            If a metric is not declared, or its value is not a number.
        """
        names = self.stored
        for name, value in measured.items():
            if name not in names:
                raise ValueError(f"'{name}' is not declared: add a Metric to the metrics of the class that measures it")
            if value is not None and not isinstance(value, (int, float)):
                raise ValueError(f"metric '{name}': expected a number, got {value!r}")
        return dict(measured)


def has_macro_actions(simulated: float, generated: float, rows: int) -> bool:
    """Return whether successors have several actions, given the sums of `simulated_actions` and `generated` of rows."""
    return rows > 0 and simulated != generated + rows


def _check_formulas(declared: Declared) -> None:
    """Raise `UserError` if a derived metric does not follow from metrics that rows have."""
    stored = [name for name, metric in declared.all_metrics.items() if not metric.derived]
    for metric in declared.metrics:
        where = f"metric '{metric.name}': derived: '{one_line(metric.derived[:MAX_LENGTH])}'"
        try:
            unknown = [name for name in metric.inputs if metric.derived and name not in stored]
        except ValueError as error:
            raise UserError(f"{where}: {error}") from None
        if unknown:
            raise UserError(f"{where}: '{unknown[0]}' is no metric of the rows{suggest(unknown[0], stored)}")


def _distinct(declared: Iterable[Declaration], kind: str, taken: Iterable[str]) -> tuple[Declaration, ...]:
    found: dict[str, Declaration] = {}
    for each in declared:
        if not each.name.isidentifier() or len(each.name) > MAX_NAME:
            raise UserError(f"{kind} {each.name!r}: expected at most {MAX_NAME} letters, digits and underscores")
        if isinstance(each, Metric) and not 0 <= each.digits <= MAX_DIGITS:
            raise UserError(f"{kind} '{each.name}': expected 0 to {MAX_DIGITS} digits, got {each.digits}")
        if each.name in taken:
            raise UserError(f"{kind} '{each.name}': is a built-in name; choose another")
        if found.setdefault(each.name, each) != each:
            raise UserError(f"{kind} '{each.name}': is declared twice, with different properties; keep one declaration")
        if len(found) > MAX_DECLARED:
            raise UserError(f"{kind} '{each.name}': more than {MAX_DECLARED} are declared; declare fewer")
    return tuple(found.values())
