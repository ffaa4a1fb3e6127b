"""Programs run within their limits, and nothing of them is left. The programs are small texts for sh and Python."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from algorithms.engine.limits import Limits
from algorithms.programs import execution, supervisor
from algorithms.programs.execution import FILES, OUTPUT, Finished
from algorithms.programs.kept_output import without_middle
from algorithms.programs.process import Programs
from tests.processes import ENDED, descendants, state_of
from tests.runner.waiting import wait_for
from tests.runner_cli import Forked

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs a subreaper and /proc")

NO_LIMITS = Limits()
LONG = "import time; time.sleep(1000)"
DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open("daemon", "w").write(str(os.getpid()))
        time.sleep(1000)
    os._exit(0)
os.wait()
while not os.path.exists("daemon") or not open("daemon").read():
    time.sleep(0.01)
"""
"""Leaves a process whose parent has ended, in a session of its own, with the pipes."""


@pytest.fixture
def programs() -> Iterator[Programs]:
    programs = Programs()
    yield programs
    programs.close()


def run(programs: Programs, text: str, limits: Limits = NO_LIMITS) -> Finished:
    """Run a Python program in the temporary folder."""
    return programs.run([sys.executable, "-S", "-c", text], programs.folder, limits)


def is_running(process: int) -> bool:
    return state_of(process)[0] not in ENDED


def nothing_runs(programs: Programs) -> bool:
    """Return whether the supervisor is the only process left."""
    supervisors = [process for process in descendants(os.getpid()) if is_supervisor(process, programs.folder)]
    return [descendants(process) for process in supervisors] == [[]]


def is_supervisor(process: int, folder: Path) -> bool:
    return os.fsencode(folder) in Path(f"/proc/{process}/cmdline").read_bytes()


def test_what_a_program_prints_and_returns(programs: Programs) -> None:
    finished = programs.run(["sh", "-c", "pwd; echo wrong >&2; exit 3"], programs.folder, NO_LIMITS)
    assert (finished.exit_code, finished.signal, finished.ended_by) == (3, None, None)
    assert (finished.stdout, finished.stderr) == (f"{programs.folder}\n", "wrong\n")


def test_standard_input_is_the_file_or_empty(programs: Programs) -> None:
    file = programs.folder / "instance"
    file.write_text("3 3")
    assert programs.run(["cat"], programs.folder, NO_LIMITS, stdin=file).stdout == "3 3"
    assert programs.run(["cat"], programs.folder, NO_LIMITS).stdout == ""


def test_a_signal_is_no_exit_code(programs: Programs) -> None:
    finished = programs.run(["sh", "-c", "kill -SEGV $$"], programs.folder, NO_LIMITS)
    assert (finished.exit_code, finished.signal, finished.ended_by) == (None, signal.SIGSEGV, None)


@pytest.mark.parametrize("command", ["no-such-program", "/etc/hostname", "a\0b"])
def test_what_cannot_be_executed(programs: Programs, command: str) -> None:
    with pytest.raises(OSError):
        programs.run([command], programs.folder, NO_LIMITS)
    assert programs.run(["true"], programs.folder, NO_LIMITS).exit_code == 0


def test_signals_of_a_program_are_the_defaults(programs: Programs) -> None:
    """Although the worker blocks and ignores some."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    try:
        status = programs.run(["cat", "/proc/self/status"], programs.folder, NO_LIMITS).stdout
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    fields = dict(line.split(":\t") for line in status.splitlines() if line.startswith(("SigBlk", "SigIgn")))
    assert {int(value, 16) for value in fields.values()} == {0}


def test_a_long_output_is_read_and_its_middle_is_not_logged(programs: Programs) -> None:
    beginning, end = "a" * (1 << 19), "c" * (1 << 19)
    text = run(programs, "print('a' * (1 << 19) + 'b' * 1000 + 'c' * (1 << 19), end='')").stdout
    assert text == beginning + "b" * 1000 + end
    assert without_middle(text) == f"{beginning}\n[1,000 characters are left out]\n{end}"


def test_what_comes_after_the_limit_is_told_apart(programs: Programs) -> None:
    code = """
    import signal, sys, time
    signal.signal(signal.SIGTERM, lambda *_: (print("late", flush=True), sys.exit()))
    print("early", flush=True)
    time.sleep(60)
    """
    finished = run(programs, dedent(code), Limits(time=0.5))
    assert (finished.stdout, finished.stdout_in_time) == ("early\nlate\n", "early\n")
    assert finished.limit_at is not None


def test_output_without_end(programs: Programs) -> None:
    finished = programs.run(["yes"], programs.folder, NO_LIMITS)
    assert (finished.ended_by, finished.signal) == (OUTPUT, signal.SIGKILL)
    assert nothing_runs(programs)


@pytest.mark.parametrize(("bound", "value"), [("MAX_FOLDER_FILES", 10), ("MAX_FOLDER_BYTES", 90_000)])
def test_a_full_folder(programs: Programs, monkeypatch: pytest.MonkeyPatch, bound: str, value: int) -> None:
    monkeypatch.setattr(execution, bound, value)
    text = f"import os; [os.mkdir(f'f{{n}}') for n in range(20)]; open('file', 'w').write('a' * 100000); {LONG}"
    assert run(programs, text).ended_by == FILES


def test_a_program_that_closes_its_output_works_on(programs: Programs) -> None:
    finished = run(programs, "import os, time; os.close(1); os.close(2); time.sleep(0.2); os._exit(4)")
    assert (finished.exit_code, finished.seconds > 0.2) == (4, True)


def test_a_daemon_ends_with_the_program(programs: Programs) -> None:
    finished = run(programs, DAEMON)
    assert (finished.exit_code, finished.ended_by) == (0, None)
    assert not is_running(int((programs.folder / "daemon").read_text()))


def test_the_time_limit_ends_daemons_and_what_ignores_sigterm(
    programs: Programs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution, "_SECONDS_AFTER_LIMIT", 0.3)
    text = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n{DAEMON}\n{LONG}"
    finished = run(programs, text, Limits(time=0.5))
    assert (finished.ended_by, finished.signal) == ("time_limit", signal.SIGKILL)
    assert finished.seconds >= 0.8
    assert not is_running(int((programs.folder / "daemon").read_text()))
    assert nothing_runs(programs)


def test_a_program_may_finish_at_its_limit(programs: Programs) -> None:
    text = f"""
import os, signal, sys
def end(*_):
    print("best plan", flush=True)
    os._exit(7)
signal.signal(signal.SIGTERM, end)
{LONG}
"""
    finished = run(programs, text, Limits(time=0.5))
    assert (finished.exit_code, finished.ended_by, finished.stdout) == (7, "time_limit", "best plan\n")


def test_an_interrupt_ends_the_program(programs: Programs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execution, "_SECONDS_AFTER_INTERRUPT", 0.1)
    command = ["sh", "-c", "trap '' TERM; while true; do sleep 0.01; done"]
    finished = programs.run(command, programs.folder, NO_LIMITS, tick=lambda: True)
    assert (finished.ended_by, finished.signal) == ("interrupted", signal.SIGKILL)


def test_an_exception_ends_the_program(programs: Programs) -> None:
    def tick() -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        programs.run(["sleep", "1000"], programs.folder, NO_LIMITS, tick=tick)
    assert nothing_runs(programs)
    assert programs.run(["echo", "next"], programs.folder, NO_LIMITS).stdout == "next\n"


def test_memory_of_a_grandchild_counts(programs: Programs) -> None:
    command = ["sh", "-c", f"{sys.executable} -S -c 'text = b\"a\" * (200 << 20); {LONG}'; true"]
    finished = programs.run(command, programs.folder, Limits(memory=100 << 20))
    assert (finished.ended_by, finished.signal) == ("memory_limit", signal.SIGKILL)
    assert finished.memory_bytes > 90 << 20


def test_processor_time_of_grandchildren_counts(programs: Programs) -> None:
    burn = f"{sys.executable} -S -c 'while True: pass' & "
    finished = programs.run(["sh", "-c", burn * 2 + "wait"], programs.folder, Limits(cpu=0.3))
    assert finished.ended_by == "cpu_limit"
    assert finished.cpu_seconds >= 0.3


@pytest.mark.parametrize("limits", [NO_LIMITS, Limits(cpu=0.4)], ids=["no limit", "limit"])
def test_processor_time_of_children_that_nobody_waits_for_counts(programs: Programs, limits: Limits) -> None:
    """The system adds it to no counter. Whoever ignores SIGCHLD waits until no child is left."""
    text = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in range(4):
    child = os.fork()
    while child == 0:
        if time.process_time() > 0.2:
            os._exit(0)
    try:
        os.waitpid(child, 0)
    except ChildProcessError:
        pass
"""
    finished = run(programs, text, limits)
    if limits.cpu is None:
        assert finished.cpu_seconds == pytest.approx(0.8, rel=0.3)
        assert finished.usage.user_seconds == pytest.approx(finished.cpu_seconds, abs=0.2)
    else:
        assert (finished.ended_by, finished.cpu_seconds < 0.8) == ("cpu_limit", True)


def test_resources_are_those_of_the_program(programs: Programs) -> None:
    """It says itself what it used, with its child."""
    text = """
import os, resource
text = b"a" * (100 << 20)
if os.fork() == 0:
    sum(range(10**7))
    os._exit(0)
os.wait()
sum(range(10**7))
own = resource.getrusage(resource.RUSAGE_SELF)
child = resource.getrusage(resource.RUSAGE_CHILDREN)
print(own.ru_utime + own.ru_stime + child.ru_utime + child.ru_stime, own.ru_maxrss)
"""
    finished = run(programs, text)
    cpu_seconds, kibibytes = map(float, finished.stdout.split())
    assert finished.cpu_seconds == pytest.approx(cpu_seconds, rel=0.1, abs=0.02)
    assert finished.memory_bytes == pytest.approx(kibibytes * 1024, rel=0.02)


def test_the_peak_is_that_of_all_processes_together(programs: Programs) -> None:
    """Also where no limit asks for samples, and while none of them has the whole peak."""
    text = """
import os, time
for _ in range(2):
    if os.fork() == 0:
        text = b"a" * (60 << 20)
        time.sleep(1)
        os._exit(0)
os.wait()
os.wait()
"""
    finished = run(programs, text)
    usage = finished.usage
    assert usage.measured_by == "proc"
    assert finished.memory_bytes < 100 << 20
    assert 120 << 20 < (usage.peak_bytes or 0) < 180 << 20
    assert usage.user_seconds is not None
    assert usage.system_seconds is not None
    assert usage.user_seconds + usage.system_seconds == pytest.approx(finished.cpu_seconds)
    assert usage.page_faults


def test_limits_of_the_user_are_those_of_the_program(tmp_path: Path) -> None:
    def worker(_: list[str]) -> int:
        most = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, most))
        own = Programs()
        print(own.run(["sh", "-c", "ulimit -v"], own.folder, NO_LIMITS).stdout)
        own.close()
        return 0

    assert Forked(tmp_path, program=worker).communicate()[0].strip() == str(8 << 20)


def worker(arguments: list[str]) -> int:
    """Write the folder of programs to the file `folder`, fork if there are arguments, and run a program without end."""
    programs = Programs()
    Path("folder").write_text(str(programs.folder))
    if arguments:
        forked = os.fork()
        if forked == 0:
            signal.pause()
        Path("forked").write_text(str(forked))
    run(programs, f"{DAEMON}\n{LONG}")
    return 0


def started_daemon(directory: Path) -> tuple[Path, int]:
    """Return the folder of the programs of the worker, and the process that its program has left."""
    written = directory / "folder"
    wait_for(lambda: written.exists() and written.read_text())
    folder = Path(written.read_text())
    daemon = folder / "daemon"
    wait_for(lambda: daemon.exists() and daemon.read_text())
    return folder, int(daemon.read_text())


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_nothing_is_left_when_the_worker_is_killed(number: signal.Signals, tmp_path: Path) -> None:
    process = Forked(tmp_path, program=worker)
    folder, daemon = started_daemon(tmp_path)
    processes = [*descendants(process.pid), daemon]
    assert len(processes) >= 3
    process.send_signal(number)
    wait_for(lambda: process.poll() is not None)
    wait_for(lambda: not any(is_running(each) for each in processes))
    wait_for(lambda: not folder.exists())


def test_a_process_that_the_worker_has_forked_does_not_keep_its_programs(tmp_path: Path) -> None:
    process = Forked(tmp_path, "fork", program=worker)
    folder, _ = started_daemon(tmp_path)
    forked = int((tmp_path / "forked").read_text())
    process.send_signal(signal.SIGKILL)
    wait_for(lambda: process.poll() is not None)
    wait_for(lambda: not folder.exists())
    assert is_running(forked)
    os.kill(forked, signal.SIGKILL)


def test_kernels_without_lists_of_children() -> None:
    with subprocess.Popen(["sleep", "1000"]) as child:
        assert child.pid in supervisor._children(os.getpid())
        assert child.pid in supervisor._children_of_all()[os.getpid()]
        child.kill()


def test_the_folder_is_removed_by_close(programs: Programs) -> None:
    folder = programs.folder
    run(programs, "import os; os.makedirs('a/b'); os.chmod('a', 0)")
    programs.close()
    programs.close()
    assert not folder.exists()


def test_the_folder_is_removed_without_a_path(
    programs: Programs, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    folder = programs.folder
    programs.close()
    assert (folder.exists(), capfd.readouterr().err) == (False, "")


def test_the_end_of_the_supervisor_is_an_error_and_its_folder_is_removed(programs: Programs) -> None:
    folder = programs.folder
    with pytest.raises(RuntimeError, match="exit code -9"):
        programs.run(["sh", "-c", "kill -KILL $PPID"], folder, NO_LIMITS)
    programs.close()
    assert not folder.exists()


def test_a_program_enters_its_group_where_it_cannot_be_made_in_it(tmp_path: Path) -> None:
    """As here: the folder is no control group, so the file has what the process has written."""
    group = os.fsencode(tmp_path)
    files = [os.open(os.devnull, os.O_RDWR) for _ in range(3)]
    process = supervisor.new_process([b"true"], group, dict(os.environb), files, group)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
    assert (tmp_path / "cgroup.procs").read_bytes() == b"0"
    for file in files:
        os.close(file)
