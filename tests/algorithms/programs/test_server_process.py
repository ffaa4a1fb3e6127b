"""A server answers line by line, each within its limits, and is started again after its end."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator

import pytest

from algorithms.engine.limits import Limits
from algorithms.programs.execution import CLOSED, LINES, OUTPUT, Finished
from algorithms.programs.process import Programs
from algorithms.programs.server_process import AnswerLine, ServerProcess

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs a subreaper and /proc")

NO_LIMITS = Limits()
SERVER = """
import os, sys, time
lines = 0
for line in sys.stdin:
    lines += 1
    word = line.strip()
    if word == "sleep":
        time.sleep(1000)
    if word == "burn":
        while True: pass
    if word == "grow":
        text = b"a" * (200 << 20)
        time.sleep(1000)
    if word == "exit":
        print("broken", file=sys.stderr, flush=True)
        os._exit(3)
    if word == "close":
        os.close(1)
        time.sleep(1000)
    if word == "two":
        word = "1\\n2"
    if word == "endless":
        while True: sys.stdout.write("a" * 65536)
    if word == "errors":
        sys.stderr.write("e" * (1 << 20))
    print(word, lines, flush=True)
"""


@pytest.fixture
def server() -> Iterator[ServerProcess]:
    programs = Programs()
    yield programs.serve([sys.executable, "-S", "-c", SERVER], programs.folder)
    programs.close()


def answer(server: ServerProcess, line: str, limits: Limits = NO_LIMITS) -> str:
    answered = server.ask(line.encode(), limits)
    assert isinstance(answered, AnswerLine)
    return answered.line.decode()


def end(server: ServerProcess, line: str, limits: Limits = NO_LIMITS) -> Finished:
    ended = server.ask(line.encode(), limits)
    assert isinstance(ended, Finished)
    return ended


def test_one_process_answers_all_lines(server: ServerProcess) -> None:
    assert [answer(server, word) for word in ("a", "b", "c")] == ["a 1", "b 2", "c 3"]


def test_a_line_longer_than_a_pipe(server: ServerProcess) -> None:
    text = "a" * (1 << 20)
    assert answer(server, text) == f"{text} 1"


def test_errors_of_a_server_do_not_block_it(server: ServerProcess) -> None:
    assert [answer(server, word) for word in ("errors", "errors")] == ["errors 1", "errors 2"]


def test_a_server_that_dies_is_started_again(server: ServerProcess) -> None:
    answer(server, "a")
    ended = end(server, "exit")
    assert (ended.exit_code, ended.ended_by, ended.stderr) == (3, None, "broken\n")
    assert answer(server, "b") == "b 1"


@pytest.mark.parametrize(
    ("word", "limits", "ended_by"),
    [
        ("sleep", Limits(time=0.3), "time_limit"),
        ("burn", Limits(cpu=0.3), "cpu_limit"),
        ("grow", Limits(memory=100 << 20), "memory_limit"),
        ("two", NO_LIMITS, LINES),
        ("endless", NO_LIMITS, OUTPUT),
    ],
)
def test_limits_hold_for_a_line(server: ServerProcess, word: str, limits: Limits, ended_by: str) -> None:
    answer(server, "a")
    assert end(server, word, limits).ended_by == ended_by
    assert answer(server, "b") == "b 1"


def test_a_server_that_closes_its_output_is_ended(server: ServerProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("algorithms.programs.server_process.SECONDS_TO_END", 0.1)
    assert (end(server, "close").ended_by, answer(server, "b")) == (CLOSED, "b 1")


def test_processor_time_is_that_of_the_line(server: ServerProcess) -> None:
    """Also where the server has used more before, which does not count for the limit."""
    answer(server, "a")
    with pytest.raises(AssertionError):
        answer(server, "burn", Limits(cpu=0.6))
    answered = server.ask(b"b", NO_LIMITS)
    assert isinstance(answered, AnswerLine)
    assert answered.cpu_seconds is not None
    assert answered.cpu_seconds < 0.3
    assert answered.usage.measured_by == "proc"
    assert answered.usage.peak_bytes is not None
    assert 1 << 20 < answered.usage.peak_bytes < 1 << 28


def test_an_interrupt_ends_the_server(server: ServerProcess) -> None:
    ended = server.ask(b"sleep", NO_LIMITS, lambda: True)
    assert isinstance(ended, Finished)
    assert (ended.ended_by, ended.signal) == ("interrupted", signal.SIGTERM)


def test_a_program_may_answer_one_line_and_end() -> None:
    programs = Programs()
    server = programs.serve(["sh", "-c", "read line; echo $line"], programs.folder)
    assert [answer(server, str(number)) for number in range(20)] == [str(number) for number in range(20)]
    programs.close()


def test_a_program_ends_the_server_that_runs() -> None:
    programs = Programs()
    server = programs.serve(["cat"], programs.folder)
    assert answer(server, "a") == "a"
    assert programs.run(["echo", "b"], programs.folder, NO_LIMITS).stdout == "b\n"
    programs.close()
