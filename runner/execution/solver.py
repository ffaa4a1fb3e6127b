"""Searches or plays instances one at a time; every outcome is a `Result`."""

from __future__ import annotations

import errno
import hashlib
import logging
import time
from collections.abc import Mapping
from typing import Any

import msgspec

from algorithms.agents.interface import Agent
from algorithms.engine.search import MEMORY_LIMIT, Limits
from algorithms.interface import Algorithm, SearchAlgorithm
from heuristics.stack import Stack
from heuristics.weighting import Weighting
from runner import registry
from runner.config.schema import Cell
from runner.execution.attempt import Attempt, GameAttempt, Improved, SearchAttempt, Watch
from runner.execution.stop import Stopped
from runner.records.result import ERROR, INTERRUPTED, Result
from worlds.interface import Instance
from worlds.kernel import compile_seconds

log = logging.getLogger(__name__)


class Solver:
    """An algorithm, a stack, a weighting and limits, applied to instances.

    Parameters
    ----------
    key : mapping
        What identifies this search (`runner.config.sections.search_key`); part of every `run_id`.
    """

    def __init__(
        self, key: Mapping[str, Any], algorithm: Algorithm, stack: Stack, weighting: Weighting | None, limits: Limits
    ) -> None:
        self._algorithm, self._stack, self._weighting, self._limits = algorithm, stack, weighting, limits
        self._digest = hashlib.sha256(_canonical(key))
        self._columns: dict[str, Any] = {
            "algorithm": algorithm.registered_name,
            "heuristic": str(stack),
            "weighting": None if weighting is None else str(weighting),
            "ties": getattr(algorithm, "ties", None),
            "limits": str(limits) or None,
        }
        self._parameters = {
            name: value for name, value in registry.changed(algorithm).items() if name not in self._columns
        }
        self._compile_seconds = 0.0

    @classmethod
    def of(cls, cell: Cell) -> Solver:
        """Return the solver of a cell."""
        return cls(cell.search_key(), cell.algorithm, cell.stack, cell.weighting, cell.limits)

    def run_id(self, instance: Instance) -> str:
        """Return the identity of a row: 12 hex digits over the search and the instance."""
        digest = self._digest.copy()
        digest.update(_canonical({"world": instance.world, **instance.key()}))
        return digest.hexdigest()[:12]

    def columns(self, instance: Instance) -> dict[str, Any]:
        """Return the columns of a row that are known before the search."""
        return {
            "run_id": self.run_id(instance),
            "world": instance.world,
            "instance": instance.id,
            "seed": instance.seed,
            "parameters": registry.assignments({**instance.variant(), **self._parameters}, " ") or None,
            **self._columns,
        }

    def warm(self, instance: Instance) -> bool:
        """Compile or load all kernels that the search of such an instance needs, outside of any measured time.

        Returns whether that could be done; an instance that is proven unsolvable, say, needs none.
        """
        before, start = compile_seconds(), time.perf_counter()
        try:
            self._attempt(instance).warm()
            return True
        except (Exception, SystemExit, GeneratorExit):  # whatever is wrong will be the row of this instance
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
    ) -> Result:
        """Search one instance, or play it.

        An exception becomes a result of status "error", which keeps the counts.

        Parameters
        ----------
        watch : callable, optional
            Called with the counts on the way. If it returns True, the result has the status "interrupted".
        improved : callable, optional
            Called with every better solution of an anytime search.
        columns : mapping, optional
            What `columns` returned for this instance.
        """
        warming, self._compile_seconds = self._compile_seconds, 0.0
        error: str | None = None
        attempt = self._attempt(instance, watch, improved)
        try:
            status = attempt.run()
        except MemoryError:
            status = MEMORY_LIMIT
        except Stopped:
            status = INTERRUPTED
        except BaseException as exception:  # code of the user's may raise anything, and signals raise nothing
            if isinstance(exception, OSError) and exception.errno == errno.ENOMEM:
                status = MEMORY_LIMIT
            else:
                status = ERROR
                error = " ".join(f"{type(exception).__name__}: {exception}".split())
                log.exception("instance %s failed", instance.id)
        attempt.stop_clock()
        attempt.conclude()
        attempt.found["compile_seconds"] += warming
        known = self.columns(instance) if columns is None else columns
        return Result(status=status, error=error, **{**known, **attempt.found})

    def _attempt(self, instance: Instance, watch: Watch | None = None, improved: Improved | None = None) -> Attempt:
        if isinstance(self._algorithm, Agent):
            return GameAttempt(instance, self._algorithm, int(self.run_id(instance), 16), self._limits, watch)
        assert isinstance(self._algorithm, SearchAlgorithm)
        return SearchAttempt(instance, self._algorithm, self._stack, self._weighting, self._limits, watch, improved)


def _canonical(value: Any) -> bytes:
    return msgspec.json.encode(value, enc_hook=repr, order="sorted")
