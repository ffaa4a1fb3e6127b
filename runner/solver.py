"""How instances are searched or played: one try for each, whose outcome is always a typed result."""

from __future__ import annotations

import errno
import hashlib
import logging
import time
from collections.abc import Generator, Iterable, Mapping
from functools import partial
from typing import Any, Protocol

import msgspec

from algorithms.agents.interface import Agent
from algorithms.engine.search import MEMORY_LIMIT, Counts, Limits
from algorithms.interface import Algorithm, SearchAlgorithm
from heuristics.stack import Stack
from heuristics.weighting import Weighting
from runner import interrupts, registry
from runner.attempt import Attempt, GameAttempt, Improved, SearchAttempt, Watch
from runner.result import ERROR, INTERRUPTED, Improvement, Result
from worlds.interface import Instance
from worlds.kernel import compile_seconds

log = logging.getLogger(__name__)


Results = Generator[Result, None, None]


class Listener(Protocol):
    """Who is told of searches on their way."""

    def begins(self, instance: Instance) -> None:
        """The next instance."""

    def watch(self, counts: Counts) -> None:
        """The counts so far."""

    def improved(self, instance: Instance, improvement: Improvement) -> None:
        """An anytime search has found a better solution."""

    def compiling(self) -> None:
        """Kernels are being compiled, which takes a while."""


class Solver:
    """How instances are searched: an algorithm, a stack, a weighting and limits.

    Parameters
    ----------
    key : mapping
        What identifies this way of searching (`runner.schema.search_key`); part of every `run_id`.
    isolation : str, optional
        For the column of this name.
    """

    def __init__(
        self,
        key: Mapping[str, Any],
        algorithm: Algorithm,
        stack: Stack,
        weighting: Weighting | None,
        limits: Limits,
        isolation: str | None = None,
    ) -> None:
        self._algorithm, self._stack, self._weighting, self._limits = algorithm, stack, weighting, limits
        self._digest = hashlib.sha256(_canonical(key))
        self._labels: dict[str, Any] = {
            "algorithm": algorithm.registered_name,
            "heuristic": str(stack),
            "weighting": None if weighting is None else str(weighting),
            "ties": getattr(algorithm, "ties", None),
            "isolation": isolation,
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

    def warm(self, instance: Instance) -> bool:
        """Compile or load all kernels that the search of such an instance needs, outside of any measured time.

        Returns whether that could be done; what is proven to be unsolvable, say, needs none.
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

    def solve(self, instance: Instance, watch: Watch | None = None, improved: Improved | None = None) -> Result:
        """Search one instance, or play it.

        `watch` is called with the counts on the way, `improved` with every better solution of an anytime search. An
        exception becomes a result of status "error", Ctrl-C one of status "interrupted"; both keep the counts.
        """
        warming, self._compile_seconds = self._compile_seconds, 0.0
        error: str | None = None
        attempt = self._attempt(instance, watch, improved)
        try:
            status = attempt.run()
        except MemoryError:
            status = MEMORY_LIMIT
        except KeyboardInterrupt:
            status = INTERRUPTED
        except (Exception, SystemExit, GeneratorExit) as exception:  # a world of the user's may end as it likes
            if interrupts.received():  # Ctrl-C, that came out of a library as something else
                status = INTERRUPTED
            elif isinstance(exception, OSError) and exception.errno == errno.ENOMEM:
                status = MEMORY_LIMIT
            else:
                status = ERROR
                error = " ".join(f"{type(exception).__name__}: {exception}".split())
                log.exception("instance %s failed", instance.id)
        attempt.stop_clock()
        attempt.conclude()
        attempt.found["compile_seconds"] += warming
        return self.result(instance, status, error=error, **attempt.found)

    def solve_each(self, instances: Iterable[Instance], listener: Listener) -> Results:
        """Search instances one after the other."""
        for instance in instances:
            listener.begins(instance)
            yield self.solve(instance, listener.watch, partial(listener.improved, instance))

    def result(self, instance: Instance, status: str, **found: Any) -> Result:
        """What came of an instance.

        Parameters
        ----------
        **found : object
            Columns beside those that tell what was searched, and how.
        """
        return Result(
            run_id=self.run_id(instance),
            world=instance.world,
            instance=instance.id,
            seed=instance.seed,
            status=status,
            parameters=registry.assignments({**instance.variant(), **self._parameters}, " ") or None,
            **self._labels,
            **found,
        )

    def _attempt(self, instance: Instance, watch: Watch | None = None, improved: Improved | None = None) -> Attempt:
        if isinstance(self._algorithm, Agent):
            return GameAttempt(instance, self._algorithm, int(self.run_id(instance), 16), self._limits)
        assert isinstance(self._algorithm, SearchAlgorithm)
        return SearchAttempt(instance, self._algorithm, self._stack, self._weighting, self._limits, watch, improved)


def _canonical(value: Any) -> bytes:
    return msgspec.json.encode(value, enc_hook=repr, order="sorted")
