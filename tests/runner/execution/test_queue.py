"""Queue of tasks: each instance once, in order, in tasks that become smaller towards the end."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from runner.execution.pool import Queue
from runner.execution.worker_loop import WorkerTask


def numbers(task: WorkerTask) -> list[tuple[int, int]]:
    return [(task.position, number) for number in task.numbers]


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_each_instance_is_taken_once_and_in_order(workers: int) -> None:
    ranges = [(0, range(1000)), (1, range(3, 5)), (1, range(9, 10)), (2, range(0))]
    queue = Queue([each for each in ranges if each[1]], workers)
    found, finished = [], []
    while (task := queue.take()) is not None:
        found += numbers(task)
        if queue.count_ended(task.position, len(task.numbers)):
            finished.append(task.position)
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
        queue.put_back(task.position, [task.numbers[done:]])
        queue.count_ended(task.position, done)
    assert sorted(found) == [(0, number) for number in range(300)] + [(1, number) for number in range(40)]


def test_a_dropped_cell_has_no_more_tasks() -> None:
    queue = Queue([(0, range(1000)), (1, range(5))], 1)
    first = queue.take()
    assert first is not None
    queue.drop(0)
    queue.put_back(0, [first.numbers])
    assert not queue.count_ended(0, 1)
    rest = queue.take()
    assert rest is not None
    assert rest.position == 1


@pytest.mark.parametrize("seed", range(20))
def test_repeated_searches_end_with_the_last_one_of_their_cell(seed: int) -> None:
    """Workers hold tasks at the same time, some die in them, and instances that fail are not searched again."""
    source = random.Random(seed)
    repeat = 3
    instances = [(cell, number) for cell in range(3) for number in range(12)]
    failing = {each for each in instances if source.random() < 0.3}
    searches = instances * repeat
    source.shuffle(searches)
    queue = Queue([(cell, range(number, number + 1)) for cell, number in searches], 2)
    made = Counter[tuple[int, int]]()
    skipped = Counter[int]()
    finished: list[int] = []

    def end(cell: int, count: int) -> None:
        if queue.count_ended(cell, count):
            finished.append(cell)
            assert sum(made[cell, number] for number in range(12)) + skipped[cell] == 12 * repeat

    held: list[WorkerTask] = []
    is_empty = False
    while held or not is_empty:
        if len(held) < 2 and not is_empty:
            task = queue.take()
            for cell in queue.skipped():
                skipped[cell] += 1
                end(cell, 1)
            is_empty = task is None
            held += [] if task is None else [task]
            continue
        task = held.pop(source.randrange(len(held)))
        if source.random() < 0.2:  # the worker has died
            queue.put_back(task.position, [task.numbers])
            is_empty = False
            continue
        for search in numbers(task):
            made[search] += 1
            if search in failing:
                queue.leave_out(task.position, [search[1]])
        end(task.position, len(task.numbers))
    assert sorted(finished) == [0, 1, 2]
    assert all(made[each] == repeat for each in set(instances) - failing)
    assert all(1 <= made[each] <= 2 for each in failing)  # the second is one that another worker held
    assert any(skipped.values())
