"""Counters of threads, and of what they start.

Virtual machines such as those of the tests have no counters of instructions, so most tests count an event of the
operating system, page faults, by the same system call: a process that writes to a new page has one.
"""

from __future__ import annotations

import mmap
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from runner.machine.instructions import INSTRUCTIONS, Count, Counter, Event, instructions, open_counter

PAGE_FAULTS = Event(1, 2)
PAGES = 16_384
TOUCH = f"""
import mmap
pages = mmap.mmap(-1, {PAGES} * mmap.PAGESIZE)
for page in range({PAGES}):
    pages[page * mmap.PAGESIZE] = 1
"""
PYTHON = [sys.executable, "-I", "-S", "-c"]
IN_CHILD = f"import subprocess\nsubprocess.run({[*PYTHON, TOUCH]!r})"
KEEPER = f"""
import os, subprocess, sys
for line in sys.stdin:
    untouched = bytearray(4 << 20)  # of this process itself: not to be counted
    subprocess.run({[*PYTHON, TOUCH]!r}, user=os.geteuid())
    print("ended", flush=True)
"""


def opened(*, on_exec: bool = False, thread: int | None = None) -> Counter:
    counter = open_counter(thread or threading.get_native_id(), on_exec=on_exec, event=PAGE_FAULTS)
    if counter is None:
        pytest.skip("this system does not let processes count events")
    return counter


def counted(counter: Counter, work: Callable[[], object]) -> int:
    before = counter.read()
    work()
    found = counter.read().since(before)
    assert found is not None
    return found


def touch() -> None:
    pages = mmap.mmap(-1, PAGES * mmap.PAGESIZE)
    for page in range(PAGES):
        pages[page * mmap.PAGESIZE] = 1


def in_thread() -> None:
    thread = threading.Thread(target=touch)
    thread.start()
    thread.join()


@pytest.mark.parametrize(
    "work",
    [touch, in_thread, lambda: subprocess.run([*PYTHON, TOUCH]), lambda: subprocess.run([*PYTHON, IN_CHILD])],
    ids=["itself", "thread", "child", "grandchild"],
)
def test_a_thread_is_counted_with_all_that_it_starts(work: Callable[[], object]) -> None:
    # a start of Python has less than 3,000 page faults
    assert PAGES <= counted(opened(), work) < PAGES + 6_000


def test_a_child_is_counted_while_it_runs() -> None:
    counter = opened()
    before = counter.read()
    program = subprocess.Popen([*PYTHON, f"{TOUCH}\nprint(flush=True); input()"], stdin=-1, stdout=-1)
    assert program.stdout is not None
    program.stdout.readline()
    assert (counter.read().since(before) or 0) >= PAGES
    program.communicate(b"\n")


@pytest.fixture
def keeper() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([*PYTHON, KEEPER], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    yield process
    process.communicate()


def test_programs_of_another_process_are_counted_without_the_process(keeper: subprocess.Popen[bytes]) -> None:
    def run() -> None:
        assert keeper.stdin is not None
        assert keeper.stdout is not None
        keeper.stdin.write(b"start\n")
        keeper.stdin.flush()
        assert keeper.stdout.readline() == b"ended\n"

    run()  # it has started, and reads
    found = [counted(opened(on_exec=True, thread=keeper.pid), run) for _ in range(5)]
    assert all(PAGES <= faults < PAGES + 3_000 for faults in found), found


def test_estimates_are_no_counts() -> None:
    before = Count(events=100, enabled=1_000, running=1_000)
    assert Count(events=350, enabled=3_000, running=3_000).since(before) == 250
    assert Count(events=350, enabled=3_000, running=2_000).since(before) is None


def test_instructions_are_counted_where_the_system_does() -> None:
    before = instructions()
    if open_counter(threading.get_native_id()) is None:
        assert before is None
        pytest.skip("this system does not count instructions")
    assert before is not None
    for _ in range(100_000):
        pass
    after = instructions()
    assert after is not None
    assert (after.since(before) or 0) > 100_000


def test_what_the_system_does_not_count_has_no_counter() -> None:
    assert INSTRUCTIONS != PAGE_FAULTS
    assert open_counter(threading.get_native_id(), event=Event(1, 9_999)) is None
