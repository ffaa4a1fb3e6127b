"""Control groups limit and measure what is in them, and nothing of them is left.

Most tests need real groups and are skipped where this process can have none: start them in a delegated group, or as
root in the root group of version 2. The tests with a fake folder of files run everywhere.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from algorithms.engine.limits import Limits
from algorithms.programs.process import Programs
from algorithms.programs.server_process import AnswerLine
from runner.base.errors import UserError
from runner.machine import control_groups
from runner.machine.control_groups import ControlGroup, Delegation, delegated, own_worker_group

MEBIBYTE = 1 << 20
OTHER_PROCESS = 999_999_999
"""Number that no process has."""


@pytest.fixture
def delegation() -> Iterator[Delegation]:
    """Real groups."""
    with delegated() as groups:
        if groups is None:
            pytest.skip("this process can have no control groups")
        yield groups


@pytest.fixture
def programs(delegation: Delegation) -> Iterator[Programs]:
    """Programs that run in groups beside that of this process."""
    programs = Programs()
    yield programs
    programs.close()


def groups_in(delegation: Delegation) -> list[str]:
    return sorted(path.name for path in delegation.group.folder.iterdir() if path.is_dir())


def python(text: str) -> list[str]:
    return [sys.executable, "-S", "-c", text]


def test_the_command_returns_and_its_groups_are_removed() -> None:
    before = control_groups._own_folder()
    with delegated() as groups:
        if groups is None:
            pytest.skip("this process can have no control groups")
        own = own_worker_group()
        assert own is not None
        assert own.folder == groups.group.folder / "main"
        worker = groups.worker(1)
        process = subprocess.Popen(["sleep", "1000"])
        worker.add(process.pid)
        assert worker.processes == [process.pid]
        groups.remove_worker(1)
        assert process.wait() != 0
        assert groups_in(groups) == ["main"]
    after = control_groups._own_folder()
    assert after is not None
    assert after == before or after.name.endswith(".scope")
    assert not (after / "main").exists()
    assert not list(after.glob(f"search-runner-{os.getpid()}"))


def test_groups_of_a_killed_command_are_removed_by_the_next() -> None:
    text = """
import os, signal
from runner.machine.control_groups import delegated
with delegated() as groups:
    groups.worker(1)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", text], check=False)
    with delegated() as groups:
        if groups is None:
            pytest.skip("this process can have no control groups")
        others = [
            path.name for path in groups.group.folder.parent.glob("search-runner-*") if path != groups.group.folder
        ]
        assert others == []


def test_what_a_program_takes(programs: Programs, delegation: Delegation) -> None:
    text = "import time; memory = b'1' * (200 << 20)\nwhile time.process_time() < 0.5: pass"
    finished = programs.run(python(text), programs.folder, Limits())
    usage = finished.usage
    assert usage.measured_by == "cgroup"
    assert 200 * MEBIBYTE < (usage.peak_bytes or 0) < 215 * MEBIBYTE
    assert usage.user_seconds is not None
    assert usage.system_seconds is not None
    assert usage.user_seconds + usage.system_seconds == pytest.approx(finished.cpu_seconds)
    assert 0.5 <= finished.cpu_seconds < finished.seconds + 0.1
    assert usage.page_faults
    assert groups_in(delegation) == ["main"]


@pytest.mark.parametrize("command", ["no-such-program", "/"])
def test_a_program_that_cannot_be_executed_leaves_no_group(
    programs: Programs, delegation: Delegation, command: str
) -> None:
    with pytest.raises(OSError, match=command):
        programs.run([command], programs.folder, Limits())
    assert programs.run(["echo", "next"], programs.folder, Limits()).stdout == "next\n"
    assert groups_in(delegation) == ["main"]


def test_the_memory_of_all_processes_of_a_program_is_limited(programs: Programs, delegation: Delegation) -> None:
    text = """
import os, time
for _ in range(4):
    if os.fork() == 0:
        memory = b"1" * (100 << 20)
        time.sleep(1000)
time.sleep(1000)
"""
    finished = programs.run(python(text), programs.folder, Limits(memory=300 * MEBIBYTE))
    assert finished.ended_by == "memory_limit"
    assert 299 * MEBIBYTE < (finished.usage.peak_bytes or 0) <= 300 * MEBIBYTE
    assert groups_in(delegation) == ["main"]


def test_a_program_that_forks_without_end(programs: Programs, delegation: Delegation) -> None:
    text = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for _ in range(5):
    if os.fork() == 0:
        while True:
            if os.fork() > 0:
                os._exit(0)  # the next process is another
print("forking", flush=True)
time.sleep(1000)
"""
    finished = programs.run(python(text), programs.folder, Limits(), tick=lambda: True)
    assert finished.ended_by == "interrupted"
    assert groups_in(delegation) == ["main"]


def test_what_a_server_takes_for_a_line(programs: Programs) -> None:
    text = """
import sys, time
for line in sys.stdin:
    memory = b"1" * int(line)
    end = time.process_time() + 0.2
    while time.process_time() < end: pass
    print(len(memory), flush=True)
"""
    server = programs.serve(python(text), programs.folder)
    for size in (100 * MEBIBYTE, 1):
        answer = server.ask(str(size).encode(), Limits())
        assert isinstance(answer, AnswerLine)
        assert answer.usage.measured_by == "cgroup"
        assert answer.usage.peak_bytes is not None
        assert answer.usage.peak_bytes > 100 * MEBIBYTE
        assert answer.cpu_seconds is not None
        assert 0.19 < answer.cpu_seconds < answer.seconds + 0.1
    ended = server.ask(str(200 * MEBIBYTE).encode(), Limits(memory=150 * MEBIBYTE))
    assert ended.ended_by == "memory_limit"  # type: ignore[union-attr]


@pytest.fixture
def fake(tmp_path: Path) -> Path:
    """Fake: a folder with files like those of a group that is delegated to this process."""
    for name, text in {
        "cgroup.controllers": "cpu memory pids\n",
        "cgroup.subtree_control": "",
        "cgroup.type": "domain\n",
        "cgroup.procs": f"{os.getppid()}\n{os.getpid()}\n",
        "cpu.stat": "usage_usec 3500000\nuser_usec 2500000\nsystem_usec 1000000\n",
        "memory.stat": "anon 4096\npgfault 17\npgmajfault 1\n",
        "memory.events": "max 3\noom 2\noom_kill 1\n",
        "memory.current": "8192\n",
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_files_of_a_fake_group(fake: Path) -> None:
    group = ControlGroup(fake)
    assert group.processor_time == (2.5, 1.0)
    assert (group.page_faults, group.is_killed_at_limit, group.current_bytes) == (17, True, 8192)
    assert group.peak_bytes is None  # before Linux 5.19
    group.close()


def test_a_kill_because_the_machine_had_no_memory_left_is_not_at_the_limit_of_a_fake_group(fake: Path) -> None:
    """The system counts it in the group of the process, but `oom` where the limit was."""
    (fake / "memory.events").write_text("max 0\noom 0\noom_kill 1\n")
    group = ControlGroup(fake)
    assert not group.is_killed_at_limit
    group.close()


@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        ("cgroup.controllers", "cpu pids\n", "the controller of memory is not enabled for"),
        ("cgroup.procs", f"{OTHER_PROCESS}\n", f"holds others, such as process {OTHER_PROCESS}"),
    ],
)
def test_why_a_fake_group_is_not_used(
    fake: Path, monkeypatch: pytest.MonkeyPatch, file: str, text: str, problem: str
) -> None:
    (fake / file).write_text(text)
    monkeypatch.setattr(control_groups, "_own_folder", lambda: fake)
    monkeypatch.setattr(control_groups, "_has_systemd", lambda: False)
    monkeypatch.setattr(control_groups, "_is_version_1", lambda: False)
    with pytest.raises(UserError, match=problem) as refusal, delegated(is_required=True):
        pass
    assert "systemd-run --user --scope -p Delegate=yes" in str(refusal.value)
    with delegated() as groups:
        assert groups is None


def test_a_fake_group_of_its_own_is_used(fake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_groups, "_has_systemd", lambda: False)
    assert control_groups._problem_of(fake) is None
