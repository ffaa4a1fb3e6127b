"""Programs answer once before anything is measured."""

import sys
import time
from pathlib import Path

import pytest

import runner
from algorithms.engine.limits import Limits
from algorithms.programs.program import Program
from algorithms.programs.sessions import ProgramSession
from tests.programs import write_program
from worlds.interface.instance import Instance

STARTS = """\
    #!{python}
    import json, sys, time
    open("{log}", "a").write("started\\n")
"""
SERVER = """\
    for line in sys.stdin:
        print(json.dumps({{"id": json.loads(line)["id"], "status": "cutoff"}}), flush=True)
"""
LIMITS = Limits(time=20)


@pytest.fixture
def instance() -> Instance:
    return runner.load("npuzzle/random", size=3, count=1)[0]


def session_of(folder: Path, text: str, *, serve: bool = False) -> tuple[ProgramSession, Path]:
    """Return a session of a program that notes its starts in the file."""
    log = folder / "starts"
    program = write_program(folder / "program", (STARTS + text).format(python=sys.executable, log=log))
    return Program(command=[str(program)], serve=serve, exit_codes={} if serve else {0: "cutoff"}).session(), log


def test_a_program_is_started_once_without_counting(tmp_path: Path, instance: Instance) -> None:
    session, log = session_of(tmp_path, "")
    try:
        session.warm(instance, LIMITS, lambda: False)
        assert log.read_text() == "started\n"
        assert session.answer(instance, LIMITS, lambda: False, lambda *_: None).status == "cutoff"
    finally:
        session.close()
    assert log.read_text() == "started\n" * 2


def test_a_server_has_answered_before_anything_is_measured(tmp_path: Path, instance: Instance) -> None:
    session, log = session_of(tmp_path, "    time.sleep(1)\n" + SERVER, serve=True)
    try:
        session.warm(instance, LIMITS, lambda: False)
        answer = session.answer(instance, LIMITS, lambda: False, lambda *_: None)
    finally:
        session.close()
    assert answer.status == "cutoff"
    seconds = answer.columns["search_seconds"]
    assert isinstance(seconds, float)
    assert seconds < 1
    assert log.read_text() == "started\n"


@pytest.mark.parametrize("serve", [False, True])
def test_warming_ends_at_once_when_its_time_is_over_or_the_user_stops(
    tmp_path: Path, instance: Instance, monkeypatch: pytest.MonkeyPatch, serve: bool
) -> None:
    session, log = session_of(
        tmp_path, "    import signal\n    signal.signal(15, signal.SIG_IGN)\n    time.sleep(600)\n", serve=serve
    )
    monkeypatch.setattr(session, "warming_seconds", 1.0)
    try:
        began = time.monotonic()
        session.warm(instance, LIMITS, lambda: False)
        session.warm(instance, LIMITS, log.exists)
        assert time.monotonic() - began < 15
    finally:
        session.close()
