"""Solver: search or play instances one at a time. Every outcome is a `Result`."""

from __future__ import annotations

import errno
import hashlib
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec

from algorithms.agents.interface import Agent
from algorithms.engine.search import SOLVED, Limits
from algorithms.interface import Algorithm, SearchAlgorithm
from heuristics.stack import Stack
from heuristics.weighting import Weighting
from runner.base.columns import Declared
from runner.base.errors import UserError, error_text
from runner.base.parameters import assignments, changed_parameters
from runner.base.status import ERROR, INTERRUPTED, MEMORY_LIMIT
from runner.config.schema import Cell
from runner.config.sections import search_key
from runner.execution.attempt import Attempt, GameAttempt, Improved, SearchAttempt, Watch
from runner.execution.stop import Stopped
from runner.records.result import Result
from worlds.compile.clock import compile_seconds
from worlds.interface import Instance

Solved = Callable[[Mapping[str, Any]], None]
"""Function that is called with the known columns of a solution, and its plan, before the plan is validated."""
T = TypeVar("T")

log = logging.getLogger(__name__)
_SEED_DIGITS = 12
"""Number of digits of the `run_id` that seed the random choices of an agent."""


class Solver:
    """Effective algorithm, stack, weighting and limits, to be applied to instances.

    Parameters
    ----------
    declared : Declared
        Metrics and statuses that the domain, the algorithm and the heuristics declare.
    code, label : str, optional
        Values of the columns of these names.
    """

    def __init__(
        self,
        algorithm: Algorithm,
        stack: Stack,
        weighting: Weighting | None,
        limits: Limits,
        declared: Declared,
        code: str | None = None,
        label: str | None = None,
    ) -> None:
        self._algorithm, self._stack, self._weighting, self._limits = algorithm, stack, weighting, limits
        self._declared = declared
        self._digest = hashlib.sha256(_canonical(search_key(algorithm, stack, weighting)))
        self._columns: dict[str, Any] = {
            "algorithm": algorithm.registered_name,
            "heuristic": stack.name,
            "weighting": None if weighting is None else str(weighting),
            "ties": getattr(algorithm, "ties", None),
            "limits": str(limits) or None,
            "stack": str(stack),
            "label": label,
            "code": code,
        }
        self._parameters = {
            name: value for name, value in changed_parameters(algorithm).items() if name not in self._columns
        }
        self._compile_seconds = 0.0

    @classmethod
    def of(cls, cell: Cell) -> Solver:
        """Return the solver of a cell."""
        parts = (cell.algorithm, cell.stack, cell.weighting, cell.limits)
        return cls(*parts, cell.declared, cell.code, cell.label)

    def run_id(self, instance: Instance) -> str:
        """Return the identity of a row: 16 hex digits of a digest of the search and the content of the instance."""
        digest = self._digest.copy()
        digest.update(_canonical({"world": instance.world, **instance.key()}))
        return digest.hexdigest()[:16]

    def columns(self, instance: Instance) -> dict[str, Any]:
        """Return the columns of a row that are known before the search."""
        return {
            "run_id": self.run_id(instance),
            "world": instance.world,
            "instance": instance.id,
            "seed": instance.seed,
            "parameters": assignments({**instance.variant(), **self._parameters}, " ") or None,
            **self._columns,
        }

    def warm(self, instance: Instance) -> bool:
        """Compile or load the kernels for instances like this one, before any time is measured.

        Returns
        -------
        bool
            False if the kernels were not needed, as for an instance that is proven unsolvable, or there was an error.
        """
        before, start = compile_seconds(), time.perf_counter()
        try:
            self._attempt(instance).warm()
            return True
        except BaseException:  # the same error will be in the row of this instance
            log.debug("warming failed", exc_info=True)
            return False
        finally:
            if compile_seconds() > before:
                self._compile_seconds = time.perf_counter() - start

    def solve(
        self,
        instance: Instance,
        watch: Watch | None = None,
        improved: Improved | None = None,
        columns: Mapping[str, Any] | None = None,
        solved: Solved | None = None,
    ) -> Result:
        """Search or play one instance.

        An exception becomes a result with the status "error" and the counts so far.

        Parameters
        ----------
        watch : callable, optional
            Called with the counts during the search. If it returns True, the result has the status "interrupted".
        improved : callable, optional
            Called with every better solution of an anytime search.
        columns : mapping, optional
            Columns that `columns` returned for this instance.
        solved : callable, optional
            Called with a solution before it is validated, which may take long.
        """
        warming, self._compile_seconds = self._compile_seconds, 0.0
        measured: dict[str, float | None] = {}
        known = self.columns(instance) if columns is None else columns

        def report() -> None:
            if solved is not None:
                attempt.conclude()
                solved({**known, **attempt.found, "status": SOLVED})

        attempt = self._attempt(instance, watch, improved, report)

        def run() -> str:
            status = attempt.run()
            attempt.stop_clock()
            measured.update(self._declared.checked(attempt.measured(status)))
            return status

        status, error = _outcome(run, instance)
        attempt.stop_clock()
        concluded, problem = _outcome(attempt.conclude, instance)  # its counts may be wrong
        if concluded is not None and error is None:
            status, error = concluded, problem
        attempt.found["compile_seconds"] += warming
        return Result(status=status, error=error, measured=measured, **{**known, **attempt.found})

    def _attempt(
        self,
        instance: Instance,
        watch: Watch | None = None,
        improved: Improved | None = None,
        solved: Callable[[], None] = lambda: None,
    ) -> Attempt:
        if isinstance(self._algorithm, Agent):
            seed = int(self.run_id(instance)[:_SEED_DIGITS], 16)
            return GameAttempt(instance, self._algorithm, seed, self._limits, watch)
        assert isinstance(self._algorithm, SearchAlgorithm)
        search = (self._algorithm, self._stack, self._weighting, self._limits)
        return SearchAttempt(instance, *search, watch, improved, solved)


def _outcome(action: Callable[[], T], instance: Instance) -> tuple[T | str, str | None]:
    """Return what a part of an attempt returns; or the status for its exception, and the message of an error."""
    try:
        return action(), None
    except MemoryError:
        return MEMORY_LIMIT.name, None
    except Stopped:
        return INTERRUPTED.name, None
    except UserError as mistake:
        return ERROR.name, str(mistake)
    except BaseException as exception:  # the code of users may raise anything
        if isinstance(exception, OSError) and exception.errno == errno.ENOMEM:
            return MEMORY_LIMIT.name, None
        log.exception("instance %s failed", instance.id)
        return ERROR.name, error_text(exception)


def _canonical(value: Any) -> bytes:
    return msgspec.json.encode(value, enc_hook=repr, order="sorted")
