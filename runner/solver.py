"""One instance, one search: prepare, run under limits, validate the plan, and report a typed result."""

from __future__ import annotations

import dataclasses
import hashlib
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from algorithms.engine.search import MEMORY_LIMIT, NOT_FOUND, SOLVED, UNSOLVABLE, Counts, Limits, Search, run
from algorithms.interface import Algorithm
from heuristics.stack import Stack
from heuristics.weighting import Weighting
from runner import registry
from worlds.interface import Instance, Problem, Unsolvable
from worlds.kernel import compile_seconds

log = logging.getLogger(__name__)

ERROR, INTERRUPTED = "error", "interrupted"
_MOST_MOVES = 1000


@dataclass(frozen=True)
class Result:
    """What came of one instance. All fields but the last are the columns of metrics.csv, in order.

    None stands for "not applicable". See docs/metrics.md for definitions.
    """

    run_id: str
    world: str
    instance: str
    seed: int | None
    algorithm: str
    heuristic: str
    weighting: str | None
    status: str
    cost: int | None = None
    length: int | None = None
    reward: int | None = None
    valid: bool | None = None
    bound: float | None = None
    expanded: int | None = None
    generated: int | None = None
    evaluated: int | None = None
    reopened: int | None = None
    iterations: int | None = None
    simulated_actions: int | None = None
    initial_h: int | None = None
    peak_nodes: int | None = None
    memory_bytes: int | None = None
    search_seconds: float | None = None
    cpu_seconds: float | None = None
    compile_seconds: float | None = None
    error: str | None = None
    ties: str | None = None
    parameters: str | None = None
    reason: str | None = None
    moves: str | None = None
    plan: tuple[str, ...] | None = None

    def row(self) -> dict[str, Any]:
        """The columns of metrics.csv."""
        return {name: getattr(self, name) for name in COLUMNS}

    @property
    def is_faulty(self) -> bool:
        """An error, or a plan that the rules do not accept."""
        return self.status == ERROR or self.valid is False


COLUMNS = tuple(field.name for field in dataclasses.fields(Result))[:-1]
_COUNTS = tuple(field.name for field in dataclasses.fields(Counts))


@dataclass(frozen=True)
class Improvement:
    """A better solution that an anytime search has found on its way.

    Attributes
    ----------
    cost : int
    bound : float or None
    seconds : float
        Since the search began.
    expanded : int
    plan : tuple of str
    """

    cost: int
    bound: float | None
    seconds: float
    expanded: int
    plan: tuple[str, ...]


class Solver:
    """How instances are searched: an algorithm, a stack, a weighting and limits.

    Parameters
    ----------
    key : mapping
        What identifies this way of searching (`runner.schema.search_key`); part of every `run_id`.
    """

    def __init__(
        self,
        key: Mapping[str, Any],
        algorithm: Algorithm,
        stack: Stack,
        weighting: Weighting | None,
        limits: Limits,
    ) -> None:
        self._algorithm, self._stack, self._weighting, self._limits = algorithm, stack, weighting, limits
        self._digest = hashlib.sha256(_canonical(key))
        self._labels: dict[str, Any] = {
            "algorithm": algorithm.registered_name,
            "heuristic": str(stack),
            "weighting": None if weighting is None else str(weighting),
            "ties": getattr(algorithm, "ties", None),
        }
        self._parameters = {
            name: value for name, value in registry.changed(algorithm).items() if name not in self._labels
        }
        self._compile_seconds = 0.0

    def run_id(self, instance: Instance) -> str:
        """Identity of a row: 12 hex digits over the way of searching and the instance."""
        digest = self._digest.copy()
        digest.update(_canonical({"world": instance.world, **instance.key()}))
        return digest.hexdigest()[:12]

    def warm(self, instance: Instance) -> None:
        """Compile or load all kernels that the search of such an instance needs, outside of any measured time."""
        before, start = compile_seconds(), time.perf_counter()
        try:
            self._start(instance.problem()).warm()
        except (Exception, SystemExit, GeneratorExit):  # whatever is wrong will be the row of this instance
            log.debug("warming failed", exc_info=True)
        if compile_seconds() > before:
            self._compile_seconds = time.perf_counter() - start

    def solve(
        self,
        instance: Instance,
        watch: Callable[[Counts], None] | None = None,
        improved: Callable[[Improvement], None] | None = None,
    ) -> Result:
        """Search one instance.

        `watch` is called with the counts on the way, `improved` with every better solution of an anytime search. An
        exception becomes a result of status "error", Ctrl-C one of status "interrupted"; both keep the counts.
        """
        fields: dict[str, Any] = {"compile_seconds": self._compile_seconds}
        self._compile_seconds = 0.0
        search: Search | None = None
        loaded, wall, cpu = compile_seconds(), time.perf_counter(), time.process_time()

        def stop_clock() -> None:
            loading = [after - before for after, before in zip(compile_seconds(), loaded, strict=True)]
            fields["search_seconds"] = max(0.0, time.perf_counter() - wall - loading[0])
            fields["cpu_seconds"] = max(0.0, time.process_time() - cpu - loading[1])
            fields["compile_seconds"] += loading[0]

        try:
            try:
                problem = instance.problem()
                wall, cpu = time.perf_counter(), time.process_time()
                search = self._start(problem)
                spent = time.perf_counter() - wall - (compile_seconds()[0] - loaded[0])
                status = run(
                    search, self._limits, watch, lambda: _improve(instance, problem, search, wall, improved), spent
                )
            except Unsolvable as proof:
                status = UNSOLVABLE
                fields["reason"] = str(proof) or None
            stop_clock()
            if search is not None and (status == SOLVED or search.has_solution):
                status = _conclude(instance, problem, search, fields)
            elif status in (UNSOLVABLE, NOT_FOUND):
                _resign(instance, fields)
        except MemoryError:
            status = MEMORY_LIMIT
        except KeyboardInterrupt:
            status = INTERRUPTED
            if search is not None and search.has_solution:
                _conclude(instance, problem, search, fields)
        except (Exception, SystemExit, GeneratorExit) as error:  # a world of the user's may end as it likes
            status = ERROR
            fields["error"] = " ".join(f"{type(error).__name__}: {error}".split())
            log.exception("instance %s failed", instance.id)
        if "search_seconds" not in fields:
            stop_clock()
        counts = Counts() if search is None else search.counts
        fields.update((name, getattr(counts, name)) for name in _COUNTS)
        fields["initial_h"] = None if search is None else search.initial_h
        return Result(
            run_id=self.run_id(instance),
            world=instance.world,
            instance=instance.id,
            seed=instance.seed,
            status=status,
            parameters=registry.assignments({**instance.variant(), **self._parameters}, " ") or None,
            **self._labels,
            **fields,
        )

    def _start(self, problem: Problem) -> Search:
        return self._algorithm.start(self._stack.prepare(problem), self._weighting)


def _improve(
    instance: Instance,
    problem: Problem,
    search: Search | None,
    start: float,
    improved: Callable[[Improvement], None] | None,
) -> None:
    if improved is not None and search is not None:
        seconds, expanded = time.perf_counter() - start, search.counts.expanded
        improved(Improvement(search.cost, search.bound, seconds, expanded, instance.plan(search.path(), problem)))


def _conclude(instance: Instance, problem: Problem, search: Search, fields: dict[str, Any]) -> str:
    """Fill in the plan and its validation; a plan that is not worth its cost is none."""
    cost = search.cost
    if not instance.is_worthwhile(cost):
        _resign(instance, fields)
        return UNSOLVABLE
    plan = instance.plan(search.path(), problem)
    replay = instance.replay(plan)
    fields.update(
        plan=plan,
        cost=cost,
        length=len(plan),
        moves=_moves(plan),
        reward=replay.reward,
        valid=replay.reaches_goal and replay.cost == cost,
        bound=search.bound,
    )
    return SOLVED


def _moves(plan: tuple[str, ...]) -> str | None:
    """A plan as one word, if every action is a letter and there are not too many for a cell of a table."""
    letters = all(len(action) == 1 and action.isalpha() for action in plan)
    return "".join(plan) if letters and len(plan) <= _MOST_MOVES else None


def _resign(instance: Instance, fields: dict[str, Any]) -> None:
    """In domains that know something better than nothing, an unsolvable instance still gets that plan."""
    plan = instance.resignation()
    if plan is not None:
        fields.update(plan=plan, reward=instance.replay(plan).reward)


def _canonical(value: Any) -> bytes:
    return msgspec.json.encode(value, enc_hook=repr, order="sorted")
