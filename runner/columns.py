"""Columns of results, and what others declare beside ours.

Worlds, heuristics, algorithms and agents declare metrics and statuses of their own. The terminal, reports,
docs/metrics.md and ``columns.json`` beside each table of results follow from the declarations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from runner.metric import Column, Metric
from runner.registry import UserError
from runner.status import STATUSES, Status

MAX_DECLARED, MAX_NAME, MAX_DIGITS = 200, 100, 15
"""Numbers of metrics and of statuses; characters of a name; digits behind the decimal point."""

Declaration = TypeVar("Declaration", Metric, Status)

COLUMNS: tuple[Column | Metric, ...] = (
    Column(
        "run_id",
        "16 hex digits over what is searched and how: the effective algorithm, stack and weighting with all "
        "parameters, and the source, name and content of the instance. Neither files nor limits count. The same search "
        "in other words has the same `run_id`",
    ),
    Column("world", "source of the instance"),
    Column("instance", "its name"),
    Column("seed", "that alone makes a random instance again"),
    Column(
        "algorithm",
        "its name. A* with a constant weight other than 1 is `weighted_astar`, however it was asked for, and "
        "`weighted_astar` with another weighting is `astar`",
    ),
    Column(
        "heuristic",
        "the name of the documented stack, such as `flood_fill`, where the stack is one; else the names in "
        "it, joined by "
        "`+`, or `max(...)` if combined by maximum; `none` if it is empty",
    ),
    Column("weighting", "for example `constant(1.5)`; a schedule with all its parameters"),
    Column("status", "how the search or the game has ended, see below"),
    Metric("cost", log=False, meaning="cost of the plan"),
    Metric("length", log=False, is_main=False, meaning="number of primitive actions of the plan"),
    Metric("reward", better="more", log=False, meaning="score of the play, in domains that have one"),
    Column(
        "valid",
        "the independent simulator says that the plan is legal, reaches the goal, and costs what was "
        "claimed; of a game, "
        "that its actions bring that score",
    ),
    Metric(
        "bound",
        aggregate="geometric_mean",
        digits=3,
        log=False,
        is_main=False,
        label="proven bound",
        meaning="the plan is proven to cost at most this times the optimum; 1 is optimal. Empty if nothing is proven, "
        "for example because a heuristic is not declared admissible",
    ),
    Metric(
        "expanded",
        meaning="calls of expand, re-expansions included; the goal that ends the search is not expanded",
    ),
    Metric("generated", meaning="successors produced, before duplicates are detected; the start is not counted"),
    Metric(
        "evaluated",
        is_main=False,
        meaning="heuristic values computed: one for each distinct state, of depth-first searches one for each "
        "successor; "
        "0 without a heuristic",
    ),
    Metric("reopened", log=False, is_main=False, meaning="closed states that were put back because of a cheaper path"),
    Metric(
        "iterations",
        is_main=False,
        meaning="of iterative algorithms: bounds of `ids` and `idastar`, layers of `beam`, searches of "
        "`anytime_astar`. "
        "All counts are sums over them",
    ),
    Metric("simulated_actions", meaning="1 + the primitive actions in all generated successors"),
    Metric(
        "initial_h",
        better="neither",
        aggregate="mean",
        log=False,
        is_main=False,
        label="h of the start",
        meaning="heuristic value of the start",
    ),
    Metric(
        "peak_nodes",
        is_main=False,
        meaning="stored nodes (of `ids` and `idastar`: the most successors held at once; of `ids` with "
        "`cycle_check=visited`: the states that the largest iteration visited; of `idastar` in place: the "
        "longest path)",
    ),
    Metric(
        "memory_bytes",
        "bytes",
        is_main=False,
        label="memory",
        meaning="of nodes, open list and hash table. The states of a world in plain Python come on top",
    ),
    Metric(
        "search_seconds",
        "s",
        digits=6,
        label="search time",
        meaning="wall time of the search, with the preparation of heuristics for the instance, without compilation",
    ),
    Metric("cpu_seconds", "s", digits=6, is_main=False, label="processor time", meaning="the same in processor time"),
    Metric(
        "compile_seconds",
        "s",
        better="neither",
        digits=6,
        is_main=False,
        label="compilation",
        meaning="time for compiling kernels or loading them from the cache, in the row of the instance that needed "
        "them",
    ),
    Column(
        "error",
        "one line of at most 2,000 characters; what cannot be printed is escaped as in Python, and the whole "
        "message with "
        "its traceback is in `runner.log` beside the file",
    ),
    Column("ties", "tie rule of a best-first search"),
    Column("limits", "under which the instance was searched, such as `nodes=1000 time=10`"),
    Column(
        "parameters",
        "other parameters of algorithm and formulation that are not at their defaults, such as "
        "`formulation=primitive reopen=false`",
    ),
    Column(
        "reason",
        "why an instance is `unsolvable`, where that was proven before any search: `odd parity` of a board, "
        "for example",
    ),
    Column(
        "moves",
        "the plan as one word, where every action is one letter (puzzles, snakes) and there are at most 1,000 of them; "
        "all plans are in `plans.jsonl`",
    ),
    Metric("actions", log=False, meaning="of [agents](agents.md): actions taken"),
    Column("stack", "all heuristics in full, with the parameters that are not at their defaults"),
    Metric(
        "expanded_before_last_layer",
        is_main=False,
        meaning="of the expansions of best-first search, those of nodes with an f below that of the solution (of "
        "iterative deepening, those of all iterations but the last; of `anytime_astar`, those of the search that has "
        "found the best solution, and all expansions of the searches before it). Where the heuristic is consistent, it "
        "depends neither on ties nor on the order of operators, so that it compares counts of different programs. "
        "Empty without a solution, and of algorithms that have no layers of f",
    ),
    Column("label", "free text of the user (`label=v2`), to compare revisions side by side"),
    Column(
        "code",
        "fingerprint of what made the row: of our sources, and of those of the plug-ins that it uses. Rows "
        "of other code "
        "are made again when a sweep goes on",
    ),
)
"""All columns that every table has, in their order."""

NAMES = tuple(column.name for column in COLUMNS)


@dataclass(frozen=True)
class Declared:
    """The metrics and statuses of some rows: ours, and those that a domain, heuristic, algorithm or agent has declared.

    Attributes
    ----------
    metrics, statuses : tuple
        Declared by others, in the order in which they were met.
    """

    metrics: tuple[Metric, ...] = ()
    statuses: tuple[Status, ...] = ()

    @classmethod
    def of(cls, metrics: Iterable[Metric] = (), statuses: Iterable[Status] = ()) -> Declared:
        """Return declarations, each name once.

        Raises
        ------
        UserError
            If a name is that of one of our columns or statuses, cannot be a name, or has two declarations.
        """
        return cls(
            _distinct(metrics, "metric", NAMES),
            _distinct(statuses, "status", [status.name for status in STATUSES]),
        )

    def __or__(self, other: Declared) -> Declared:
        """Return both; of two declarations of a name the second."""
        metrics = {each.name: each for each in (*self.metrics, *other.metrics)}
        statuses = {each.name: each for each in (*self.statuses, *other.statuses)}
        return Declared(tuple(metrics.values()), tuple(statuses.values()))

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all columns of metrics.csv, in their order."""
        return (*NAMES, *(metric.name for metric in self.metrics))

    @property
    def all_metrics(self) -> dict[str, Metric]:
        """All metrics by their names, in the order of the columns."""
        every: tuple[Column | Metric, ...] = (*COLUMNS, *self.metrics)
        return {each.name: each for each in every if isinstance(each, Metric)}

    @property
    def all_statuses(self) -> dict[str, Status]:
        """All statuses by their names."""
        return {each.name: each for each in (*STATUSES, *self.statuses)}

    def status(self, name: str) -> Status:
        """Return a status; one that is not declared is neither an answer nor a failure."""
        return self.all_statuses.get(name) or Status(name)

    def checked(self, measured: Mapping[str, float | None]) -> dict[str, float | None]:
        """Return the values of declared metrics.

        Raises
        ------
        ValueError
            If there is one that nobody has declared, or that is not a number.
        """
        names = {metric.name for metric in self.metrics}
        for name, value in measured.items():
            if name not in names:
                raise ValueError(f"'{name}' is not declared: add a Metric to the metrics of the class that measures it")
            if value is not None and not isinstance(value, (int, float)):
                raise ValueError(f"metric '{name}': expected a number, got {value!r}")
        return dict(measured)


def _distinct(declared: Iterable[Declaration], what: str, taken: Iterable[str]) -> tuple[Declaration, ...]:
    found: dict[str, Declaration] = {}
    for each in declared:
        if not each.name.isidentifier() or len(each.name) > MAX_NAME:
            raise UserError(f"{what} {each.name!r}: expected at most {MAX_NAME} letters, digits and underscores")
        if isinstance(each, Metric) and not 0 <= each.digits <= MAX_DIGITS:
            raise UserError(f"{what} '{each.name}': expected 0 to {MAX_DIGITS} digits, got {each.digits}")
        if len(found) == MAX_DECLARED:
            raise UserError(f"{what} '{each.name}': more than {MAX_DECLARED} are declared")
        if each.name in taken:
            raise UserError(f"{what} '{each.name}': is one of ours; choose another name")
        if found.setdefault(each.name, each) != each:
            raise UserError(f"{what} '{each.name}': is declared twice, in different ways")
    return tuple(found.values())
