"""The command: Hydra composes the configuration, every job runs one cell, and the exit code tells how it went.

Exit codes: 0 every row is an answer; 1 some row is an error, a plan failed validation, or results could not be written;
2 a bad configuration or world file, before anything ran; 130 Ctrl-C, 143 SIGTERM (rows so far are kept).
"""

from __future__ import annotations

import os
import secrets
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
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
from runner.command import FAILED, INTERRUPTED, REFUSED, reason, refuse
from runner.composition import cell_of
from runner.explain import CONF, MISTAKES, explain
from runner.guard import guard_compositions
from runner.registry import UserError
from runner.sweep import jobs
from runner.sweep.dry_run import Planned
from runner.sweep.folder import Opened, folder_of
from runner.sweep.sweeper import swept_keys
from runner.terminal import message, show, show_run, shown


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
        _discard()
        if Opened.current is not None and not Opened.current.has_begun:
            Opened.current.restore_record()
    try:
        return max(exit_code, jobs.finish())
    except KeyboardInterrupt:
        return _interrupted()


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
        return _interrupted()
    except Planned as planned:
        return planned.exit_code
    except DirectoryError as error:
        message(f"error: {error}")
        return REFUSED
    except MISTAKES as error:
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


def _interrupted() -> int:
    """Say it; returns the exit code."""
    # If it came while a library ran a text as code (dataclasses do), CPython would end the process by SIGINT,
    # whatever the exit code, unless another text has been run since.
    exec("pass")
    message("interrupted; rows that were finished are kept")
    return 128 + signal.SIGTERM if interrupts.received() == signal.SIGTERM else INTERRUPTED


@hydra.main(version_base="1.3", config_path=str(CONF), config_name="config")  # type: ignore[untyped-decorator]
def _command(configuration: DictConfig) -> None:
    """One job."""
    _state.began = True
    settings = HydraConfig.get()
    directory = Path(settings.runtime.output_dir)
    job = jobs.run if settings.mode == RunMode.MULTIRUN else _single_run
    job(configuration, directory, settings)


def _single_run(configuration: DictConfig, directory: Path, settings: Any) -> None:
    from runner import job

    def run() -> int:
        cell = cell_of(configuration)
        swept = swept_keys(settings.sweeper)
        hint = f"this configuration is a sweep over {', '.join(swept)}; add -m to run all of it" if swept else None
        for note in filter(None, (*cell.notes, hint)):
            message(f"note: {note}")
        totals, first = job.run(cell, directory)
        is_shown = show(lambda: show_run(totals, first, shown(directory)))
        return FAILED if totals.faulty or not is_shown else 0

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
        with interrupts.not_lost():
            _state.exit_code = max(_state.exit_code, action())
    except MISTAKES as error:
        _state.exit_code = _refuse(error)
        _discard()
    except OSError as error:
        _state.exit_code = FAILED
        message(f"error: {reason(error, directory)}")
    except KeyboardInterrupt:
        _discard()
        raise


def _discard() -> None:
    """Remove what Hydra made for a single run that never began."""
    if Directories.prepared is not None:
        Directories.prepared.discard()


def _refuse(error: Exception) -> int:
    return refuse(error if isinstance(error, UserError) else UserError(explain(error)))
