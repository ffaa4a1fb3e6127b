"""Run a case in a worker, which is forked from a process that has loaded everything, or in a new process.

A case takes 0.02 to 0.2 seconds in a worker, and a second in a new process. Both have the same limits.
"""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from runner.base.errors import UserError
from runner.cli.main import main
from runner.config.compose.composer import Composer
from runner.config.compose.composition import Composition
from runner.config.grammar.parse_overrides import parse
from runner.records.run_folder import RecordFile
from tests.fuzz.case import Case
from tests.fuzz.loading import remember_yaml, warm_kernels
from tests.fuzz.worker import MAX_MEMORY, Worker, lines_of, watched
from tests.runner_cli import command
from tests.runner_cli import environment as variables

START = 3.0
"""Seconds that a new process may take to start."""
MAX_CASES = 200
"""Number of cases after which a worker is replaced."""
MAY_CHANGE_PROCESS = ("hydra", "plugins", "--info")
"""Words of cases that may change the process: environment, log handlers, modules. Such a case gets its own worker."""

DEFAULTS = ("limits.time=1", "limits.nodes=20000", "limits.memory=200MB", "progress=false")


@dataclass
class Outcome:
    """Outcome of a case.

    Attributes
    ----------
    code : int or None
        Exit code, negative for a signal; None if it had to be killed.
    terminated : bool
        Whether it got SIGTERM.
    memory : int
        Peak memory in bytes, without that of a process that has loaded everything.
    denied : list of str
        Operations outside its directory that were denied.
    created : list of str
        Paths of new files and folders.
    rows : list of str
        Lines of metrics.csv.
    """

    code: int | None
    output: str
    errors: str
    seconds: float
    terminated: bool = False
    memory: int = 0
    denied: list[str] = field(default_factory=list)
    created: list[str] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)


def full_arguments(case: Case) -> list[str]:
    """Return the arguments of a case, the path of its world file, and limits unless it sets limits."""
    named = " ".join(case.arguments)
    defaults = [default for default in DEFAULTS if default.split(".")[0].split("=")[0] not in named]
    path = [] if case.path is None else [f"world.path={quoted(case.path)}"]
    return [*case.arguments, *path, *defaults]


def quoted(text: str) -> str:
    """Quote a text as the value of an override."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'") if text.endswith("\\") else text.replace("'", "\\'")
    return f"'{escaped}'"


class Stage:
    """Directory in which cases run, and the worker that runs them. Loads everything before a worker is forked."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._composer = Composer()
        self._streams = {name: open(root / name, "w+b") for name in ("output", "errors", "denied")}  # noqa: SIM115
        self._worker: Worker | None = None
        self._load()

    def _load(self) -> None:
        """Load what cases might need, so that workers share it."""
        with _silenced(), tempfile.TemporaryDirectory(dir=self._root) as folder, _directory(Path(folder)):
            sys.argv = ["runner", "algorithm=ucs", "progress=false"]
            main()
            warm_kernels()
        remember_yaml()
        gc.collect()
        gc.freeze()

    def close(self) -> None:
        """End the worker."""
        if self._worker is not None:
            self._worker.end()
            self._worker = None

    def run(self, case: Case) -> Outcome:
        """Run a case in the worker, or in a worker that ends after it if the case may change the process."""
        may_change_process = any(word in case.text for word in MAY_CHANGE_PROCESS)
        if may_change_process:
            self.close()
        with self._prepared(case) as (directory, before):
            composition = self._composition(case)
            if self._worker is None:
                self._worker = Worker(directory, {name: stream.fileno() for name, stream in self._streams.items()})
            began = time.monotonic()
            code, terminated, memory = self._worker.run(full_arguments(case), composition)
            outcome = self._outcome(directory, before, code, time.monotonic() - began, terminated, memory)
        if (
            may_change_process
            or terminated
            or code not in (0, 2)
            or memory > MAX_MEMORY
            or self._worker.cases >= MAX_CASES
        ):
            self.close()
        return outcome

    def run_alone(self, case: Case) -> Outcome:
        """Run a case in a new process, as a user does."""
        with self._prepared(case) as (directory, before):
            began = time.monotonic()
            process = subprocess.Popen(
                command(*full_arguments(case)), cwd=directory, env=variables(), stdin=subprocess.DEVNULL,
                stdout=self._streams["output"], stderr=self._streams["errors"],
            )  # fmt: skip
            terminated, code = watched(
                directory, began + START, lambda seconds: _ended(process, seconds), process.send_signal
            )
            return self._outcome(directory, before, code, time.monotonic() - began - START, terminated, 0)

    @contextmanager
    def _prepared(self, case: Case) -> Iterator[tuple[Path, set[str]]]:
        directory = self._root / "case" / "work"
        directory.mkdir(parents=True)
        (self._root / "case" / "outside.json").write_text('{"size": [2, 2], "hunters": [[0, 0]], "golds": [[1, 1]]}')
        case.write(directory)
        for stream in self._streams.values():
            os.truncate(stream.fileno(), 0)
            os.lseek(stream.fileno(), 0, os.SEEK_SET)
        try:
            yield directory, _tree(directory.parent)
        finally:
            shutil.rmtree(self._root / "case")

    def _outcome(
        self, directory: Path, before: set[str], code: int | None, seconds: float, terminated: bool, memory: int
    ) -> Outcome:
        texts = {}
        for name, stream in self._streams.items():
            stream.seek(0)
            texts[name] = stream.read().decode(errors="backslashreplace")
        rows = [line for file in sorted(directory.rglob(RecordFile.METRICS)) for line in lines_of(file)[1:]]
        created = sorted(_tree(directory.parent) - before)
        denied = texts["denied"].splitlines()
        return Outcome(code, texts["output"], texts["errors"], seconds, terminated, memory, denied, created, rows)

    def _composition(self, case: Case) -> Composition | None:
        """Return the composed configuration of a case that sets only the path of a world file."""
        if case.path is None:
            return None
        try:
            return self._composer.compose(parse(full_arguments(case)))
        except UserError:  # a path that cannot be an override
            return None


def _ended(process: subprocess.Popen[bytes], seconds: float) -> int | None:
    with suppress(subprocess.TimeoutExpired):
        return process.wait(seconds)
    return None


def _tree(directory: Path) -> set[str]:
    """Return the paths of all files and folders in a directory."""
    found: set[str] = set()
    for folder, folders, files in os.walk(directory):
        found.update(str(Path(folder, name).relative_to(directory)) for name in (*folders, *files))
    return found


@contextmanager
def _directory(path: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(path)
    try:
        yield
    finally:
        os.chdir(before)


@contextmanager
def _silenced() -> Iterator[None]:
    """Discard standard output."""
    sys.stdout.flush()
    saved, nothing = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(saved, 1)
        os.close(saved)
        os.close(nothing)
