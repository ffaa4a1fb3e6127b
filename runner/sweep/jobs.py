"""The jobs of a sweep: each runs one cell, and its end is said; at last the rows of all are collected."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from omegaconf import DictConfig

from runner import environment, interrupts
from runner.callbacks import Prepared
from runner.command import FAILED, REFUSED, reason
from runner.composition import Claims, cell_of
from runner.explain import MISTAKES, explain
from runner.registry import Unsuitable, UserError, one_line
from runner.results import ENVIRONMENT, FAILED_FILE, REFUSED_FILE, RESULTS, SKIPPED_FILE
from runner.sweep.finished import Finished
from runner.sweep.folder import JOBS, LOCK, SWEEP, Opened, folders_of
from runner.terminal import message, show, show_sweep, shown


@dataclass
class _Seen:
    """What the jobs of this process know of those before."""

    claims: Claims = field(default_factory=Claims)
    finished: Finished | None = None
    has_told: bool = False


_seen = _Seen()


def run(configuration: DictConfig, directory: Path, settings: Any) -> None:
    """Run one job of a sweep. What stops it is said, and is in a file beside; the other jobs run.

    Parameters
    ----------
    configuration : DictConfig
        As composed.
    directory : Path
        Of the job.
    settings : HydraConf
        Hydra's section of the configuration.
    """
    from runner import job

    number = int(settings.job.num)
    for name in (SKIPPED_FILE, REFUSED_FILE, FAILED_FILE):
        (directory / name).unlink(missing_ok=True)  # of a time before
    label = one_line(f"[{number}] {' '.join(settings.overrides.task) or 'no overrides'}")
    sweep = Opened.current
    try:
        with interrupts.not_lost():
            cell = cell_of(configuration)
            _seen.claims.add(cell, number)
            for note in cell.notes:
                message(f"{label}: note: {note}")
            if sweep is not None:
                sweep.cells.current = number
            else:  # in a process beside others, whose bars would be drawn over each other
                cell = replace(cell, progress=False)
            if _seen.finished is None:
                _seen.finished = Finished(Path(settings.runtime.cwd, settings.sweep.dir), cell.retry)
            _tell_of_change(directory)
            totals, _ = job.run(cell, directory, None if sweep is None else sweep.cells, _seen.finished)
    except Unsuitable as error:
        _record(directory / SKIPPED_FILE, f"{label}: skipped", str(error))
    except MISTAKES as error:
        _record(directory / REFUSED_FILE, f"{label}: error", explain(error))
    except OSError as error:
        _record(directory / FAILED_FILE, f"{label}: error", reason(error, directory))
    except KeyboardInterrupt:
        Prepared(directory, settings.output_subdir).discard()
        raise
    else:
        message(f"{label}: {totals}" + (f", {totals.search_seconds:.3f} s" if totals.rows else ""))


def _tell_of_change(directory: Path) -> None:
    """Say once if rows that are there already were made by another version."""
    change = None if _seen.has_told else environment.change_since(directory / ENVIRONMENT)
    if change is not None:
        _seen.has_told = True
        message(f"note: rows that are there were made {change}")


def _record(path: Path, label: str, why: str) -> None:
    """Say why a job did not run to its end, and leave it in a file: the job may run in another process than `main`."""
    message(f"{label}: {why}")
    try:
        path.write_text(f"{why}\n", encoding="utf-8")
    except OSError as error:
        message(f"{label}: error: {reason(error, path)}")


def finish() -> int:
    """Collect the rows of all jobs, however the sweep ended, and show what became of them."""
    if Opened.current is None or Opened.current.is_part:
        return 0
    directory = Opened.current.directory
    if not directory.is_dir():
        message(f"error: {directory}: was removed")
        return FAILED
    for name in folders_of(directory) or ():  # that Hydra made, and then refused the job
        with contextlib.suppress(OSError):
            (directory / name).rmdir()
    if not any(path.is_dir() for path in directory.iterdir()):  # refused, or interrupted, before the first job
        with contextlib.suppress(OSError):
            for name in (SWEEP, JOBS, LOCK):
                (directory / name).unlink(missing_ok=True)
            directory.rmdir()
        return 0
    return collect_and_show(directory)


def collect_and_show(directory: Path) -> int:
    """Write the table of all rows of a sweep and show what became of its jobs; returns the exit code."""
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
    paths = directory.iterdir() if folders is None else [directory / name for name in folders]
    reasons = [path.name for job in paths if job.is_dir() for path in job.iterdir()]
    skipped, refused, failed = map(reasons.count, (SKIPPED_FILE, REFUSED_FILE, FAILED_FILE))
    is_shown = show(lambda: show_sweep(totals, skipped, refused, failed, shown(directory / RESULTS)))
    if refused:
        return REFUSED
    if not totals and not failed and interrupts.received() is None:
        message("error: no cell of the sweep could run")
        return REFUSED
    return FAILED if failed or not is_shown or any(job.faulty for job in totals) else 0
