"""Queue of tasks: each instance once, in order, in tasks that become smaller towards the end."""

from __future__ import annotations

import random

import pytest

from runner.execution.pool import Queue
from runner.execution.searcher import WorkerTask


def numbers(task: WorkerTask) -> list[tuple[int, int]]:
    return [(task.cell, number) for number in task.numbers]


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_each_instance_is_taken_once_and_in_order(workers: int) -> None:
    ranges = [(0, range(1000)), (1, range(3, 5)), (1, range(9, 10)), (2, range(0))]
    queue = Queue([each for each in ranges if each[1]], workers)
    found, finished = [], []
    while (task := queue.take()) is not None:
        found += numbers(task)
        if queue.close(task.cell, len(task.numbers)):
            finished.append(task.cell)
    assert found == [(cell, number) for cell, part in ranges for number in part]
    assert finished == [0, 1]


def test_tasks_become_smaller_towards_the_end() -> None:
    queue = Queue([(0, range(20_000))], 2)
    sizes = []
    while (task := queue.take()) is not None:
        sizes.append(len(task.numbers))
    assert sizes == sorted(sizes, reverse=True)
    assert max(sizes) == 256
    assert sizes[-8:] == [1] * 8


def test_instances_that_are_put_back_are_taken_again() -> None:
    source = random.Random(0)
    queue = Queue([(0, range(300)), (1, range(40))], 3)
    found = []
    while (task := queue.take()) is not None:
        done = source.randrange(len(task.numbers) + 1)
        found += numbers(task)[:done]
        queue.put_back(task.cell, [task.numbers[done:]])
        queue.close(task.cell, done)
    assert sorted(found) == [(0, number) for number in range(300)] + [(1, number) for number in range(40)]


def test_a_dropped_cell_has_no_more_tasks() -> None:
    queue = Queue([(0, range(1000)), (1, range(5))], 1)
    first = queue.take()
    assert first is not None
    queue.drop(0)
    queue.put_back(0, [first.numbers])
    assert not queue.close(0, 1)
    rest = queue.take()
    assert rest is not None
    assert rest.cell == 1
