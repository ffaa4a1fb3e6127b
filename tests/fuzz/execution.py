"""Runs a case: in a process that is forked from one in which everything is loaded, or in one of its own.

A forked process takes 0.02 to 0.2 seconds, one of its own takes a second. Both have the same limits.
"""

from __future__ import annotations

import copy
import gc
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import yaml
from omegaconf import OmegaConf

from runner import app, environment, registry, schema
from runner.callbacks import Directories
from runner.registry import UserError
from runner.results import METRICS
from runner.solver import Solver
from tests.fuzz.case import Case
from tests.runner_cli import command
from tests.runner_cli import environment as variables
from worlds.files import cache_root
from worlds.kernel import cache_directory

SECONDS = 10.0
"""What may pass until a case ends, or has its first row."""
PATIENCE = 0.7
"""Seconds until a run that makes rows is asked to end; it may have a billion to make."""
GRACE = 5.0
"""Seconds in which it must do so."""
MOST_MEMORY = 3 << 29
"""Bytes that a case may take beside what the program takes anyway."""

START = 3.0
"""Seconds that a process of its own may take to load everything."""
MOST_CASES = 200
"""Of one worker."""
ODD = ("hydra", "plugins", "--")
"""What leaves something behind in a process: variables, handlers of logs, modules."""

DEFAULTS = ("limits.time=1", "limits.nodes=20000", "limits.memory=200MB", "progress=false")

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = {
    "os.mkdir": (0,), "os.rename": (0, 1), "os.link": (1,), "os.symlink": (1,), "os.remove": (0,), "os.rmdir": (0,),
    "os.truncate": (0,), "os.chmod": (0,), "os.chown": (0,), "os.utime": (0,), "shutil.rmtree": (0,),
}  # fmt: skip
_FOREIGN = (
    "os.system",
    "subprocess.Popen",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "socket.connect",
    "webbrowser.open",
)


@dataclass
class Outcome:
    """What a case did.

    Attributes
    ----------
    code : int or None
        Exit code, negative for a signal; None if it had to be killed.
    terminated : bool
        It was asked to end.
    memory : int
        Bytes at most, beside what the program takes anyway.
    denied : list of str
        What it wanted to do outside of its directory.
    created : list of str
        New files and folders, by their paths in the directory.
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
    """The arguments of a case, with limits unless it has some of its own."""
    named = " ".join(case.arguments)
    defaults = [default for default in DEFAULTS if default.split(".")[0].split("=")[0] not in named]
    path = [] if case.path is None else [f"world.path={quoted(case.path)}"]
    return [*case.arguments, *path, *defaults]


def quoted(text: str) -> str:
    """A text as the value of an override."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'") if text.endswith("\\") else text.replace("'", "\\'")
    return f"'{escaped}'"


class Stage:
    """A process in which everything is loaded, from which workers are forked, and the directory where cases run."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._composed: dict[tuple[str, ...], Any] = {}
        self._streams = {name: open(root / name, "w+b") for name in ("output", "errors", "denied")}  # noqa: SIM115
        self._worker: _Worker | None = None
        self._load()

    def _load(self) -> None:
        """Load what cases might need, so that forked processes have it already."""
        with _silenced(), tempfile.TemporaryDirectory(dir=self._root) as folder, _directory(Path(folder)):
            sys.argv = ["runner", "algorithm=ucs", "progress=false"]
            app.main()
            _warm_kernels()
        _remember_yaml()
        environment._machine()
        gc.collect()
        gc.freeze()

    def close(self) -> None:
        """End the worker."""
        if self._worker is not None:
            self._worker.end()
            self._worker = None

    def run(self, case: Case) -> Outcome:
        """Run a case in a worker; in one of its own if it might leave something behind in it."""
        is_odd = any(word in case.text for word in ODD)
        if is_odd:
            self.close()
        with self._prepared(case) as (directory, before):
            values = self._values(case)
            if self._worker is None:
                self._worker = _Worker(directory, {name: stream.fileno() for name, stream in self._streams.items()})
            began = time.monotonic()
            code, terminated, memory = self._worker.run(full_arguments(case), values)
            outcome = self._outcome(directory, before, code, time.monotonic() - began, terminated, memory)
        if is_odd or terminated or code not in (0, 2) or memory > MOST_MEMORY or self._worker.cases >= MOST_CASES:
            self.close()
        return outcome

    def run_alone(self, case: Case) -> Outcome:
        """Run a case in a process of its own, as a user does."""
        with self._prepared(case) as (directory, before):
            began = time.monotonic()
            process = subprocess.Popen(
                command(*full_arguments(case)), cwd=directory, env=variables(), stdin=subprocess.DEVNULL,
                stdout=self._streams["output"], stderr=self._streams["errors"],
            )  # fmt: skip
            terminated, code = _watched(
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
        rows = [line for file in sorted(directory.rglob(METRICS)) for line in _lines(file)[1:]]
        created = sorted(_tree(directory.parent) - before)
        denied = texts["denied"].splitlines()
        return Outcome(code, texts["output"], texts["errors"], seconds, terminated, memory, denied, created, rows)

    def _values(self, case: Case) -> Any:
        """The composed configuration of a case of which only the path of a world file is special."""
        if case.path is None:
            return None
        if case.arguments not in self._composed:
            from hydra import compose, initialize_config_dir

            with initialize_config_dir(str(app.CONF), version_base="1.3"):
                composed = compose("config", [*case.arguments, "world.path=x", *DEFAULTS])
            self._composed[case.arguments] = OmegaConf.to_container(composed, resolve=True)
        values: dict[str, Any] = self._composed[case.arguments]
        return {**values, "world": {**values["world"], "path": case.path}}


def _watched(
    directory: Path, began: float, ended: Callable[[float], int | None], send: Callable[[int], object]
) -> tuple[bool, int | None]:
    """Wait for the end of a case. Returns whether it was asked to end, and its exit code; None if it had to be killed."""
    deadline = None
    while True:
        code = ended(0.1)
        if code is not None:
            return deadline is not None, code
        now = time.monotonic()
        if deadline is None and (now > began + SECONDS or (now > began + PATIENCE and _rows(directory) > 1)):
            send(signal.SIGTERM)
            deadline = now + GRACE
        if deadline is not None and now > deadline:
            send(signal.SIGKILL)
            return True, None


def _ended(process: subprocess.Popen[bytes], seconds: float) -> int | None:
    with suppress(subprocess.TimeoutExpired):
        return process.wait(seconds)
    return None


class _Worker:
    """A forked process that runs one case after the other."""

    def __init__(self, directory: Path, streams: dict[str, int]) -> None:
        self._directory = directory
        self.cases = 0
        self._connection, remote = Pipe()
        self._process = os.fork()
        if self._process == 0:
            self._connection.close()
            _work(directory, streams, remote)
        remote.close()

    def run(self, arguments: list[str], values: Any) -> tuple[int | None, bool, int]:
        """Run a case. Returns its exit code, whether it was asked to end, and the bytes that it took."""
        self.cases += 1
        memory = 0

        def ended(seconds: float) -> int | None:
            nonlocal memory
            if not self._connection.poll(seconds):
                return None
            try:
                code, memory = self._connection.recv()
            except EOFError:
                code = self._reap()
            return code  # type: ignore[no-any-return]

        self._connection.send((arguments, values))
        terminated, code = _watched(
            self._directory, time.monotonic(), ended, lambda number: os.kill(self._process, number)
        )
        return code, terminated, memory

    def end(self) -> None:
        """Let the process end."""
        self._connection.close()
        self._reap()

    def _reap(self) -> int:
        if self._process == 0:
            return 0
        _, status = os.waitpid(self._process, 0)
        self._process = 0
        return os.waitstatus_to_exitcode(status)


def _work(directory: Path, streams: dict[str, int], connection: Connection) -> None:
    """What a forked process does; never returns."""
    try:
        for number, name in ((1, "output"), (2, "errors")):
            os.dup2(streams[name], number)
        size, resident = (
            int(pages) * resource.getpagesize() for pages in Path("/proc/self/statm").read_text().split()[:2]
        )
        resource.setrlimit(resource.RLIMIT_AS, (size + 2 * MOST_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        sys.addaudithook(
            _watcher(directory, lambda text: os.write(streams["denied"], f"{text}\n".encode(errors="replace")))
        )
        while True:
            try:
                arguments, values = connection.recv()
            except EOFError:
                break
            os.chdir(directory)
            code = _run(arguments, values)
            os.chdir("/")
            memory = max(0, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - resident)
            connection.send((code, memory))
    finally:
        os._exit(70)


def _run(arguments: list[str], values: Any) -> int:
    """The command in this process, as if it had just begun."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", errors="strict", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    app._state = app._State()
    Directories.sweep = Directories.cells = Directories._lock = None
    Directories._record = {}
    sys.argv = ["runner", *arguments]
    try:
        code = app.main(None if values is None else _shortened(values))
    except SystemExit as exit_:  # of --help
        code = exit_.code if isinstance(exit_.code, int) else int(exit_.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    return code


def _shortened(values: dict[str, Any]) -> Callable[[], None]:
    """A run of which the configuration has been composed already."""
    directory = Path("outputs", "run", "now")

    def run() -> int:
        from runner import job, terminal

        cell = schema.parse(values)
        totals, first = job.run(cell, directory)
        with app.standard_output():
            terminal.show_run(totals, first, app.shown(directory))
        return app.FAILED if totals.faulty else 0

    return lambda: app.run_guarded(run, directory)


def _watcher(directory: Path, tell: Callable[[str], object]) -> Callable[[str, tuple[Any, ...]], None]:
    """An audit hook that denies what is not to be done outside of a directory: writing, and running anything."""
    allowed = tuple(f"{Path(path).resolve()}{os.sep}" for path in (directory, cache_root(), cache_directory().parent))

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, flags = arguments[0], arguments[2]
            if isinstance(path, int) or not (isinstance(flags, int) and flags & _WRITING):
                return
            paths = [path]
        elif event in _CHANGES:
            paths = [arguments[index] for index in _CHANGES[event]]
        elif event in _FOREIGN:
            tell(f"{event} {arguments!r}")
            raise PermissionError(13, "Permission denied")
        else:
            return
        for path in paths:
            with suppress(TypeError, ValueError):
                real = os.path.realpath(os.fsdecode(path)) if not isinstance(path, int) else ""
                if real and real != os.devnull and not f"{real}{os.sep}".startswith(allowed):
                    tell(f"{event} {real}")
                    raise PermissionError(13, "Permission denied", os.fsdecode(path))

    return watch


def _rows(directory: Path) -> int:
    """Rows, and jobs after the first: what shows that something is being done."""
    jobs = sum(1 for _ in directory.glob("outputs/sweep/*/*/.hydra"))
    return max(0, jobs - 1) + sum(len(_lines(file)) - 1 for file in directory.rglob(METRICS))


def _lines(file: Path) -> list[str]:
    with suppress(OSError):
        return file.read_text(encoding="utf-8", errors="replace").splitlines()
    return []


def _tree(directory: Path) -> set[str]:
    """Everything in a directory, by its path."""
    found: set[str] = set()
    for folder, folders, files in os.walk(os.fsencode(directory)):
        found.update(
            os.fsdecode(os.path.relpath(os.path.join(folder, name), os.fsencode(directory)))
            for name in (*folders, *files)
        )
    return found


def _remember_yaml() -> None:
    """Parse no file of the package twice: that is a third of the time of a case."""
    load, parsed = yaml.load, {file.read_text(encoding="utf-8"): None for file in app.CONF.rglob("*.yaml")}

    def remembered(stream: Any, Loader: Any) -> Any:
        text = stream.read() if hasattr(stream, "read") else stream
        if text not in parsed:
            if hasattr(stream, "seek"):
                stream.seek(0)
            return load(stream, Loader=Loader)
        if parsed[text] is None:
            parsed[text] = load(text, Loader=Loader)
        return copy.deepcopy(parsed[text])

    yaml.load = remembered
    for text in parsed:
        remembered(text, yaml.SafeLoader)


def _warm_kernels() -> None:
    """Load the kernels of all algorithms, and of all heuristics with A*."""
    worlds = {
        "wumpus": [{"name": "wumpus/static"}, {"name": "wumpus/static", "formulation": "primitive"}],
        "npuzzle": [{"name": "npuzzle/random", "count": 1, "size": 3}],
        "snake": [{"name": "snake/static"}],
    }
    for domain, sources in worlds.items():
        heuristics = registry.names("heuristic", domain=domain)
        for source in sources:
            for algorithm in registry.names("algorithm"):
                _warm(source, algorithm, "manhattan" if "manhattan" in heuristics else heuristics[0])
                _warm(source, algorithm, "none")
            for heuristic in heuristics:
                _warm(source, "astar", heuristic)
    for weighting in ("dynamic", "geometric", "linear"):
        _warm(worlds["wumpus"][0], "astar", "pivots", weighting)


def _warm(source: dict[str, Any], algorithm: str, heuristic: str, weighting: str = "none") -> None:
    domain = source["name"].split("/")[0]
    with suppress(UserError):
        cell = schema.parse(
            {
                "world": source, "algorithm": {"name": algorithm}, "weighting": {"name": weighting}, "limits": {},
                "heuristic": {"stack": schema.documented_stack(domain, heuristic)},
            }
        )  # fmt: skip
        sample = next(iter(cell.source.samples()))
        cell.stack.build(sample, lambda *_: None)
        Solver(cell.key(), cell.algorithm, cell.stack, cell.weighting, cell.limits).warm(sample)


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
    """Keep what is printed away from the user."""
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
