"""The command: Hydra composes the configuration, every job runs one cell, and the exit code tells how it went.

Exit codes: 0 every row is an answer; 1 some row is an error, a plan failed validation, or results could not be written;
2 a bad configuration or world file, before anything ran; 130 Ctrl-C, 143 SIGTERM (rows so far are kept).
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from runner import choices, interrupts, plugins

plugins.load_built_in()  # first: see there

from runner.callbacks import Directories, DirectoryError
from runner.explain import CONF, FOREIGN, explain
from runner.guard import guard_compositions
from runner.plugins import PluginError
from runner.registry import Unsuitable, UserError
from runner.terminal import message

FAILED, REFUSED, INTERRUPTED = 1, 2, 130
SKIPPED_FILE, REFUSED_FILE, FAILED_FILE = "skipped.txt", "refused.txt", "failed.txt"


@dataclass
class _State:
    """What a job of this process leaves for `main`: Hydra discards what jobs return, and reports what they raise."""

    exit_code: int = 0
    began: bool = False
    cells: dict[str, int] = field(default_factory=dict)


_state = _State()


def main(command: Callable[[], None] | None = None) -> int:
    """Run the command line; returns the exit code.

    Parameters
    ----------
    command : callable, optional
        What Hydra calls with the composed configuration (`hydra.main`); that of a run unless given.
    """
    if sys.argv[1:] == ["--version"]:
        print(f"search-runner {version('search-runner')}")
        return 0
    if sys.stderr is None:  # closed by the caller; Hydra writes to it without asking
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    mistake = _bad_argument(sys.argv[1:])
    if mistake is not None:
        message(f"error: {mistake}")
        return REFUSED
    # argparse takes no overrides on both sides of a flag
    sys.argv[1:] = sorted(sys.argv[1:], key=lambda argument: argument not in ("-m", "--multirun"))
    os.environ.setdefault("HYDRA_FULL_ERROR", "1")  # Hydra re-raises, and `explain` makes one line of it
    OmegaConf.register_new_resolver("unique", lambda: secrets.token_hex(3), use_cache=True, replace=True)
    OmegaConf.register_new_resolver("power_of_ten", lambda exponent: 10 ** int(exponent), replace=True)
    guard_compositions()
    interrupts.install()
    return max(_compose_and_run(command or _command), _finish_sweep())


def _bad_argument(arguments: list[str]) -> str | None:
    """What is wrong with an option that Hydra would take without asking."""
    for folder in choices.config_dirs(arguments):
        if not Path(folder).is_dir():
            return f"--config-dir: there is no folder '{folder}'"
    for argument in arguments:
        if argument.startswith("--experimental-rerun"):
            return "--experimental-rerun: refused, because it would unpickle a file; repeat the overrides instead"
    return None


def _compose_and_run(command: Callable[[], None]) -> int:
    try:
        plugins.load_installed()
        plugins.load(choices.plugins_in(sys.argv[1:]))
        choices.offer(sys.argv[1:])
        command()
    except KeyboardInterrupt:
        message("interrupted; rows that were finished are kept")
        return 128 + signal.SIGTERM if interrupts.received() == signal.SIGTERM else INTERRUPTED
    except DirectoryError as error:
        message(f"error: {error}")
        return REFUSED
    except (UserError, *FOREIGN) as error:
        return _refuse(error)
    except OSError as error:
        message(f"error: {_reason(error, 'output')}")
        return FAILED
    except Exception as error:
        if _state.began:
            traceback.print_exc()
            return FAILED
        message(f"error: {explain(error)}")
        return REFUSED
    return _state.exit_code


@hydra.main(version_base="1.3", config_path=str(CONF), config_name="config")  # type: ignore[untyped-decorator]
def _command(configuration: DictConfig) -> None:
    """One job."""
    _state.began = True
    settings = HydraConfig.get()
    directory = Path(settings.runtime.output_dir)
    job = _sweep_job if settings.mode == RunMode.MULTIRUN else _single_run
    job(configuration, directory, settings)


def _single_run(configuration: DictConfig, directory: Path, settings: Any) -> None:
    from runner import job, terminal

    def run() -> int:
        cell = _cell(configuration)
        swept = settings.sweeper.get("params") or {}
        hint = f"this configuration is a sweep over {', '.join(swept)}; add -m to run all of it" if swept else None
        for note in filter(None, (*cell.notes, hint)):
            message(f"note: {note}")
        totals, first = job.run(cell, directory)
        with standard_output():
            terminal.show_run(totals, first, shown(directory))
        return FAILED if totals.faulty else 0

    run_guarded(run, directory)


def run_guarded(action: Callable[[], int], directory: Path) -> None:
    """Do what a single run does; what the user has to mend is one line, and leaves no directory behind.

    Never raises that, because Hydra would report it in its own words.

    Parameters
    ----------
    action : callable
        Returns the exit code.
    directory : Path
        That Hydra made for it.
    """
    _state.began = True
    try:
        _state.exit_code = max(_state.exit_code, action())
    except (UserError, *FOREIGN) as error:
        _state.exit_code = _refuse(error)
        _discard(directory)
    except OSError as error:
        _state.exit_code = FAILED
        message(f"error: {_reason(error, directory)}")
    except KeyboardInterrupt:
        _discard(directory)
        raise


def _sweep_job(configuration: DictConfig, directory: Path, settings: Any) -> None:
    from runner import job

    number = int(settings.job.num)
    label = f"[{number}] {' '.join(settings.overrides.task) or 'no overrides'}"
    try:
        cell = _cell(configuration)
        _claim(cell, number)
        for note in cell.notes:
            message(f"{label}: note: {note}")
        if Directories.cells is not None:
            Directories.cells.current = number
        totals, _ = job.run(cell, directory, Directories.cells)
    except Unsuitable as error:
        _record(directory / SKIPPED_FILE, f"{label}: skipped", str(error))
    except (UserError, *FOREIGN) as error:
        _record(directory / REFUSED_FILE, f"{label}: error", _line(error))
    except OSError as error:
        _record(directory / FAILED_FILE, f"{label}: error", _reason(error, directory))
    except KeyboardInterrupt:
        _discard(directory)
        raise
    else:
        message(f"{label}: {totals}, {totals.search_seconds:.3f} s")


def _cell(configuration: DictConfig) -> Any:
    """The checked cell of a composed configuration."""
    values: Any = OmegaConf.to_container(configuration, resolve=True, throw_on_missing=True)
    plugins.load_installed()
    from runner import schema

    plugins.load(schema.plugins_of(values))
    return schema.parse(values)


def _claim(cell: Any, number: int) -> None:
    """Refuse a cell that this sweep has run already: an algorithm that ignores heuristics runs once, not per stack."""
    first = _state.cells.setdefault(cell.identity(), number)
    if first != number:
        raise Unsuitable(f"the same as job {first}" + (f" ({cell.notes[0]})" if cell.notes else ""))


def _record(path: Path, label: str, reason: str) -> None:
    """Say why a job did not run to its end, and leave it in a file: the job may run in another process than `main`."""
    message(f"{label}: {reason}")
    path.write_text(f"{reason}\n", encoding="utf-8")


def _finish_sweep() -> int:
    """Collect the rows of all jobs, however the sweep ended, and show what became of them."""
    directory = Directories.sweep
    if directory is None or not directory.is_dir():
        return 0
    from runner import results, terminal

    jobs = [path for path in directory.iterdir() if path.is_dir()]
    if not jobs:  # refused, or interrupted, before the first job
        with contextlib.suppress(OSError):
            (directory / "multirun.yaml").unlink(missing_ok=True)
            directory.rmdir()
        return 0
    try:
        totals = results.collect(directory)
    except OSError as error:
        message(f"error: {_reason(error, directory)}")
        return FAILED
    skipped, refused, failed = (len(list(directory.rglob(name))) for name in (SKIPPED_FILE, REFUSED_FILE, FAILED_FILE))
    with standard_output():
        terminal.show_sweep(totals, skipped, refused, failed, shown(directory / results.RESULTS))
    if refused:
        return REFUSED
    if not totals and not failed:
        message("error: no cell of the sweep could run")
        return REFUSED
    return FAILED if failed or any(job.faulty for job in totals) else 0


@contextlib.contextmanager
def standard_output() -> Iterator[None]:
    """Where results are shown: that it cannot be written to is a failure, but no reason to stop."""
    try:
        yield
    except OSError as error:
        message(f"error: standard output: {error.strerror}")
        _state.exit_code = max(_state.exit_code, FAILED)


def _refuse(error: Exception) -> int:
    message(_line(error) if isinstance(error, PluginError) else f"error: {_line(error)}")
    return REFUSED


def _line(error: Exception) -> str:
    return explain(error) if isinstance(error, FOREIGN) else str(error)


def _reason(error: OSError, where: str | Path) -> str:
    return f"{error.filename or where}: {error.strerror or error}"


def _discard(directory: Path) -> None:
    """Remove the directory that Hydra made for a run that never began."""
    with contextlib.suppress(OSError):
        if [path.name for path in directory.iterdir()] == [".hydra"]:
            for file in (directory / ".hydra").iterdir():
                file.unlink()
            (directory / ".hydra").rmdir()
            directory.rmdir()


def shown(path: Path) -> str:
    """A path relative to the working directory where that is shorter."""
    with contextlib.suppress(ValueError, OSError):
        return path.resolve().relative_to(Path.cwd()).as_posix()
    return str(path)
