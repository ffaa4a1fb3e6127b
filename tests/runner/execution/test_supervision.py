"""Functions in worker processes. Tests of audits and of grading end them by limits and signals."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from runner.base.errors import UserError
from runner.execution.supervision import WorkerLost, map_in_workers


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_of_any_item_comes_back_after_the_results_before_it(tmp_path: Path, workers: int) -> None:
    """Also that of the last one, when no process waits for another item; and each process ends its context."""

    @contextmanager
    def square() -> Iterator[Callable[[int], int]]:
        def squared(number: int) -> int:
            if number == 3:
                raise UserError("three")
            return number**2

        yield squared
        (tmp_path / str(os.getpid())).touch()

    assert sorted(map_in_workers(square, [1, 2, 4], workers)) == [1, 4, 16]
    assert len([*tmp_path.iterdir()]) == workers
    found: list[int] = []
    with pytest.raises(UserError, match="three"):
        found.extend(map_in_workers(square, [3], workers))
    assert not found


def test_a_process_that_ends_is_lost() -> None:
    @contextmanager
    def start() -> Iterator[Callable[[int], None]]:
        yield os._exit

    with pytest.raises(WorkerLost, match="exit code 3"):
        list(map_in_workers(start, [3, 3], 2))
