"""Run commands of the runner: in this process, which is fast, or in a new process, as a user does."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import io
import os
import runpy
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from hydra.core.config_store import ConfigStore

import runner
from runner.base.columns import Declared
from runner.base.own_places import EXAMPLES, PACKAGES
from runner.base.signals import end_at_signals
from runner.cli.main import main
from runner.cli.progress import COMPILING
from runner.config.compose.composer import Composer
from runner.machine.usage import Usage
from tests.isolated import isolated
from tests.runner.waiting import HANGING, wait_for

ROOT = Path(__file__).parent.parent
MEASURED = [name for name, metric in Declared().all_metrics.items() if metric.unit == "s"]
MEASURED += ["solver_seconds", "spread", *(field.name for field in dataclasses.fields(Usage))]
"""Columns that the machine decides: they differ from run to run."""


def environment() -> dict[str, str]:
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "runner", *arguments]


def run(directory: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command in this process, with a directory as its working directory."""
    _warm()
    out, err = _Stream(), _Stream()
    with _restored_afterwards(directory, variables), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        sys.argv = ["runner", *arguments]
        code = main()
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), without_compiling(err.getvalue()))


def run_script(directory: Path, code: str) -> None:
    """Run a program in Python in this process, with a directory as its working directory."""
    _warm()
    script = directory / "script_of_a_test.py"
    script.write_text(code, encoding="utf-8")
    with _restored_afterwards(directory, {}), contextlib.redirect_stdout(_Stream()):
        sys.path.insert(0, str(directory))
        runpy.run_path(str(script), run_name="__main__")


def run_process(directory: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a new process."""
    done = subprocess.run(
        command(*arguments), cwd=directory, env={**environment(), **variables},
        capture_output=True, text=True, timeout=HANGING, check=False,
    )  # fmt: skip
    done.stderr = without_compiling(done.stderr)
    return done


class Forked:
    """A command, or another program, in a fork of this process. It starts faster than a new one; signals may end it."""

    def __init__(
        self, directory: Path, *arguments: str, program: Callable[[list[str]], int] = main, **variables: str
    ) -> None:
        _warm()
        self.returncode: int | None = None
        self._streams = [tempfile.TemporaryFile("w+") for _ in "12"]  # noqa: SIM115
        self.pid = os.fork()
        if self.pid == 0:
            code = 1
            try:
                sys.stdout, sys.stderr = out, err = self._streams
                os.dup2(out.fileno(), 1)
                os.dup2(err.fileno(), 2)
                os.chdir(directory)
                os.environ.update(variables)
                signal.signal(signal.SIGINT, signal.default_int_handler)  # shells ignore it in the background
                end_at_signals()
                code = program([*arguments])
            finally:
                out.flush()
                err.flush()
                os._exit(code)

    def poll(self) -> int | None:
        """Return the exit code, or minus the number of a signal; None if the process runs."""
        if self.returncode is None and (ended := os.waitpid(self.pid, os.WNOHANG))[0]:
            self.returncode = os.waitstatus_to_exitcode(ended[1])
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def communicate(self) -> tuple[str, str]:
        """Wait for the process, and return what it has written to standard output and standard error."""
        wait_for(lambda: self.poll() is not None)
        texts = []
        for stream in self._streams:
            stream.seek(0)
            texts.append(without_compiling(stream.read()))
            stream.close()
        return texts[0], texts[1]


def run_forked(directory: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a fork of this process."""
    process = Forked(directory, *arguments, program=main, **variables)
    texts = process.communicate()
    return subprocess.CompletedProcess(arguments, process.returncode or 0, *texts)


def without_compiling(errors: str) -> str:
    """Remove the message about compilation, which only the first search with a kernel prints."""
    return errors.replace(f"{COMPILING}\n", "")


class _Stream(io.TextIOWrapper):
    """A text stream in memory that encodes text as the standard streams do."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

    def getvalue(self) -> str:
        buffer = self.buffer
        assert isinstance(buffer, io.BytesIO)
        return buffer.getvalue().decode()


@cache
def _warm() -> None:
    """Load Hydra's plug-ins, numba and the common kernels in this process, so that forked workers share them."""
    Composer().compose([])
    for instance in runner.load("wumpus/static")[:1]:
        for algorithm in ("ucs", "astar", "bfs"):
            runner.solve(instance, algorithm, ["pivots"])


def _copied(groups: Any) -> Any:
    return {name: _copied(each) for name, each in groups.items()} if isinstance(groups, dict) else groups


@contextlib.contextmanager
def _restored_afterwards(directory: Path, variables: dict[str, str]) -> Iterator[None]:
    """Change the working directory and the environment for a command, and restore the process at the end.

    Restores the registry, Hydra's store, `sys.argv` and `sys.path`. Removes imported modules of tests and examples.
    """
    store = ConfigStore.instance()
    before, argv, paths, stored, cwd = dict(os.environ), sys.argv, list(sys.path), _copied(store.repo), Path.cwd()
    modules = {name: sys.modules.pop(name) for name in list(sys.modules) if name.startswith(EXAMPLES)}
    loaded = sys.modules.keys() | set()
    os.environ.update(variables)
    sys.path += filter(None, variables.get("PYTHONPATH", "").split(os.pathsep))
    os.chdir(directory)
    with isolated(PACKAGES):
        try:
            yield
        finally:
            os.chdir(cwd)
            sys.argv, sys.path[:] = argv, paths
            os.environ.clear()
            os.environ.update(before)
            store.repo.clear()
            store.repo.update(stored)
            for name in sys.modules.keys() - loaded:
                file = Path(getattr(sys.modules[name], "__file__", None) or "/")
                is_ours = file.is_relative_to(ROOT) or file.is_relative_to(sys.prefix)
                is_of_a_test = file.is_relative_to(tempfile.gettempdir()) and not is_ours
                if is_of_a_test or file.is_relative_to(ROOT / "examples"):
                    del sys.modules[name]
            sys.modules.update(modules)


def rows(file: Path) -> list[dict[str, str]]:
    with open(file, encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def only(directory: Path, pattern: str) -> Path:
    """Return the only path that matches a pattern."""
    found = list(directory.glob(pattern))
    assert len(found) == 1, found
    return found[0]
