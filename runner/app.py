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
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from runner import choices, environment, interrupts, plugins

plugins.load_built_in()  # first: see there

from runner.callbacks import Directories, DirectoryError
from runner.command import FAILED, INTERRUPTED, REFUSED, reason
from runner.composition import Claims, cell_of
from runner.explain import CONF, FOREIGN, explain
from runner.guard import guard_compositions
from runner.plugins import PluginError
from runner.registry import Unsuitable, UserError, one_line
from runner.results import ENVIRONMENT, RESULTS
from runner.sweep.dry_run import Planned
from runner.sweep.finished import Finished
from runner.sweep.folder import JOBS, LOCK, SWEEP, Opened, folder_of, folders_of
from runner.sweep.sweeper import swept_keys
from runner.terminal import LOG, message

SKIPPED_FILE, REFUSED_FILE, FAILED_FILE = "skipped.txt", "refused.txt", "failed.txt"


def _job_folder(number: int) -> str:
    return folder_of(Path(str(HydraConfig.get().sweep.dir)), int(number))


def _power_of_ten(exponent: int) -> int:
    if not 0 <= int(exponent) <= 18:
        raise ValueError(f"power_of_ten: expected an exponent from 0 to 18, got {exponent}")
    return 10 ** int(exponent)  # type: ignore[no-any-return]


# Here, because a job may run in another process than `main`.
OmegaConf.register_new_resolver("unique", lambda: secrets.token_hex(3), use_cache=True, replace=True)
OmegaConf.register_new_resolver("power_of_ten", _power_of_ten, replace=True)
OmegaConf.register_new_resolver("job_folder", _job_folder, replace=True)


@dataclass
class _State:
    """What a job of this process leaves for `main`: Hydra discards what jobs return, and reports what they raise."""

    exit_code: int = 0
    began: bool = False
    claims: Claims = field(default_factory=Claims)
    finished: Finished | None = None
    has_told: bool = False


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
    guard_compositions()
    interrupts.install()
    exit_code = _compose_and_run(command or _command)
    if exit_code == REFUSED and not _state.began:
        if Directories.run is not None:
            _discard(Directories.run, Directories.record)
        if Opened.current is not None and not Opened.current.has_begun:
            Opened.current.restore_record()
    return max(exit_code, _finish_sweep())


def _bad_argument(arguments: list[str]) -> str | None:
    """What is wrong with an option that Hydra would take without asking."""
    for folder in choices.config_dirs(arguments):
        try:
            is_folder = Path(folder).is_dir()
        except OSError as error:
            return f"--config-dir: {reason(error, folder)}"
        if not is_folder:
            return f"--config-dir: there is no folder '{folder}'"
    for argument in arguments:
        if argument.startswith("--experimental-rerun"):
            return "--experimental-rerun: refused, because it would unpickle a file; repeat the overrides instead"
    return None


def _compose_and_run(command: Callable[[], None]) -> int:
    try:
        with interrupts.not_lost():
            plugins.load_installed()
            plugins.load(choices.plugins_in(sys.argv[1:]))
            choices.offer(sys.argv[1:])
            command()
    except KeyboardInterrupt:
        message("interrupted; rows that were finished are kept")
        return 128 + signal.SIGTERM if interrupts.received() == signal.SIGTERM else INTERRUPTED
    except Planned as planned:
        return planned.exit_code
    except DirectoryError as error:
        message(f"error: {error}")
        return REFUSED
    except (UserError, *FOREIGN) as error:
        return _refuse(error)
    except OSError as error:
        message(f"error: {reason(error, 'output')}")
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
        cell = cell_of(configuration)
        swept = swept_keys(settings.sweeper)
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
    record = HydraConfig.get().output_subdir if HydraConfig.initialized() else None
    try:
        with interrupts.not_lost():
            _state.exit_code = max(_state.exit_code, action())
    except (UserError, *FOREIGN) as error:
        _state.exit_code = _refuse(error)
        _discard(directory, record)
    except OSError as error:
        _state.exit_code = FAILED
        message(f"error: {reason(error, directory)}")
    except KeyboardInterrupt:
        _discard(directory, record)
        raise


def _sweep_job(configuration: DictConfig, directory: Path, settings: Any) -> None:
    from runner import job

    number = int(settings.job.num)
    for name in (SKIPPED_FILE, REFUSED_FILE, FAILED_FILE):
        (directory / name).unlink(missing_ok=True)  # of a time before
    label = one_line(f"[{number}] {' '.join(settings.overrides.task) or 'no overrides'}")
    sweep = Opened.current
    try:
        with interrupts.not_lost():
            cell = cell_of(configuration)
            _state.claims.add(cell, number)
            for note in cell.notes:
                message(f"{label}: note: {note}")
            if sweep is not None:
                sweep.cells.current = number
            else:  # in a process beside others, whose bars would be drawn over each other
                cell = replace(cell, progress=False)
            if _state.finished is None:
                _state.finished = Finished(Path(settings.runtime.cwd, settings.sweep.dir), cell.retry)
            _tell_of_change(directory)
            totals, _ = job.run(cell, directory, None if sweep is None else sweep.cells, _state.finished)
    except Unsuitable as error:
        _record(directory / SKIPPED_FILE, f"{label}: skipped", str(error))
    except (UserError, *FOREIGN) as error:
        _record(directory / REFUSED_FILE, f"{label}: error", _line(error))
    except OSError as error:
        _record(directory / FAILED_FILE, f"{label}: error", reason(error, directory))
    except KeyboardInterrupt:
        _discard(directory, settings.output_subdir)
        raise
    else:
        message(f"{label}: {totals}" + (f", {totals.search_seconds:.3f} s" if totals.rows else ""))


def _tell_of_change(directory: Path) -> None:
    """Say once if rows that are there already were made by another version."""
    change = None if _state.has_told else environment.change_since(directory / ENVIRONMENT)
    if change is not None:
        _state.has_told = True
        message(f"note: rows that are there were made {change}")


def _record(path: Path, label: str, why: str) -> None:
    """Say why a job did not run to its end, and leave it in a file: the job may run in another process than `main`."""
    message(f"{label}: {why}")
    try:
        path.write_text(f"{why}\n", encoding="utf-8")
    except OSError as error:
        message(f"{label}: error: {reason(error, path)}")


def _finish_sweep() -> int:
    """Collect the rows of all jobs, however the sweep ended, and show what became of them."""
    if Opened.current is None or Opened.current.is_part:
        return 0
    directory = Opened.current.directory
    if not directory.is_dir():
        message(f"error: {directory}: was removed")
        return FAILED
    if not any(path.is_dir() for path in directory.iterdir()):  # refused, or interrupted, before the first job
        with contextlib.suppress(OSError):
            for name in (SWEEP, JOBS, LOCK):
                (directory / name).unlink(missing_ok=True)
            directory.rmdir()
        return 0
    return collect_and_show(directory)


def collect_and_show(directory: Path) -> int:
    """Write the table of all rows of a sweep and show what became of its jobs; returns the exit code."""
    from runner import terminal
    from runner.sweep.results import collect

    try:
        totals = collect(directory)
    except UserError as error:
        message(f"error: {error}")
        return FAILED
    except OSError as error:
        message(f"error: {reason(error, directory)}")
        return FAILED
    folders = folders_of(directory)
    jobs = directory.iterdir() if folders is None else [directory / name for name in folders]
    reasons = [path.name for job in jobs if job.is_dir() for path in job.iterdir()]
    skipped, refused, failed = map(reasons.count, (SKIPPED_FILE, REFUSED_FILE, FAILED_FILE))
    with standard_output():
        terminal.show_sweep(totals, skipped, refused, failed, shown(directory / RESULTS))
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


def _discard(directory: Path, record: str | None) -> None:
    """Remove the directory that Hydra made for a run that never began, with its log and its record."""
    with contextlib.suppress(OSError):
        log = directory / LOG
        if {path.name for path in directory.iterdir()} <= {record, LOG} and not (log.exists() and log.stat().st_size):
            log.unlink(missing_ok=True)
            if record is not None and (directory / record).is_dir():
                for file in (directory / record).iterdir():
                    file.unlink()
                (directory / record).rmdir()
            directory.rmdir()


def shown(path: Path) -> str:
    """A path relative to the working directory where that is shorter."""
    with contextlib.suppress(ValueError, OSError):
        return path.resolve().relative_to(Path.cwd()).as_posix()
    return str(path)
