"""Limits by which the system ends a worker hold during searches alone."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator

import pytest

from algorithms.engine.search import Limits
from runner.execution.worker_state import SystemLimits, WorkerState
from worlds.compile.clock import compiling, watch_compiling

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the resident memory")

KERNEL = ("module", "function", "signature")
LIMITS = Limits(time=1000.0, memory=1 << 20)


@pytest.fixture
def state() -> Iterator[WorkerState]:
    """State of this process, whose limits are lifted afterwards."""
    yield WorkerState()
    watch_compiling(None)


def holding(state: WorkerState) -> tuple[bool, bool]:
    """Return whether the limits of time and of memory hold."""
    return state.seconds_left(cpu=0.0).get("time_limit", math.inf) < math.inf, state.most_bytes > 0


def test_limits_stand_still_while_a_kernel_is_compiled(state: WorkerState) -> None:
    limits = SystemLimits(state)
    limits.begin(LIMITS)
    assert holding(state) == (True, True)
    with compiling(KERNEL):
        assert holding(state) == (False, False)
    assert holding(state) == (True, True)


def test_a_kernel_that_is_compiled_after_a_search_brings_no_limit_back(state: WorkerState) -> None:
    """Such as one that builds a pattern database, which may take more memory and time than a search."""
    limits = SystemLimits(state)
    limits.begin(LIMITS)
    limits.lift()
    with compiling(KERNEL):
        pass
    assert holding(state) == (False, False)
