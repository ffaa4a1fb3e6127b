"""The command: Hydra composes the configuration, every job runs one cell, and the exit code tells how it went.

Exit codes: 0 every row is an answer; 1 some row is an error or a plan failed validation; 2 a bad configuration or
world file, before anything ran; 130 Ctrl-C (rows so far are kept).
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
import traceback
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from runner import plugins
from runner.callbacks import SweepResults
from runner.explain import CONF, FOREIGN, explain
from runner.plugins import PluginError
from runner.registry import Unsuitable, UserError

FAILED, REFUSED, INTERRUPTED = 1, 2, 130
SKIPPED_FILE, REFUSED_FILE = "skipped.txt", "refused.txt"


@dataclass
class _State:
    """What a job of this process leaves for `main`: Hydra discards what jobs return, and reports what they raise."""

    exit_code: int = 0
    began: bool = False
    cells: dict[str, int] = field(default_factory=dict)


_state = _State()


def main() -> int:
    """Run the command line; returns the exit code."""
    if sys.argv[1:] == ["--version"]:
        print(f"search-runner {version('search-runner')}")
        return 0
    os.environ.setdefault("HYDRA_FULL_ERROR", "1")  # Hydra re-raises, and `explain` makes one line of it
    OmegaConf.register_new_resolver("unique", lambda: secrets.token_hex(3), use_cache=True, replace=True)
    try:
        return max(_compose_and_run(), _finish_sweep())
    except BrokenPipeError:  # the reader of our output has gone, as in `... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _state.exit_code


def _compose_and_run() -> int:
    try:
        _command()
    except KeyboardInterrupt:
        _say("interrupted; the rows so far are kept")
        return INTERRUPTED
    except UserError as error:
        return _refuse(error)
    except FOREIGN as error:
        _say(f"error: {explain(error)}")
        return REFUSED
    except BrokenPipeError:
        raise
    except Exception as error:
        if _state.began:
            traceback.print_exc()
            return FAILED
        _say(f"error: {f'{error.filename}: {error.strerror}' if isinstance(error, OSError) else error}")
        return REFUSED
    return _state.exit_code


@hydra.main(version_base="1.3", config_path=str(CONF), config_name="config")  # type: ignore[untyped-decorator]
def _command(configuration: DictConfig) -> None:
    """One job. Never raises what is the user's to mend, because Hydra would report it in its own words."""
    _state.began = True
    settings = HydraConfig.get()
    directory = Path(settings.runtime.output_dir)
    try:
        if settings.mode == RunMode.MULTIRUN:
            _sweep_job(configuration, directory, settings)
        else:
            _single_run(configuration, directory, settings)
    except UserError as error:
        _state.exit_code = max(_state.exit_code, _refuse(error))
        _discard(directory)
    except FOREIGN as error:
        _say(f"error: {explain(error)}")
        _state.exit_code = REFUSED
        _discard(directory)
    except OSError as error:
        _say(f"error: {error.filename or directory}: {error.strerror or error}")
        _state.exit_code = max(_state.exit_code, FAILED)


def _single_run(configuration: DictConfig, directory: Path, settings: Any) -> None:
    from runner import job, terminal

    cell = _cell(configuration)
    swept = settings.sweeper.get("params") or {}
    hint = f"this configuration is a sweep over {', '.join(swept)}; add -m to run all of it" if swept else None
    for note in filter(None, (*cell.notes, hint)):
        _say(f"note: {note}")
    totals, first = job.run(cell, directory)
    terminal.show_run(totals, first, _shown(directory))
    _state.exit_code = FAILED if totals.faulty else 0


def _sweep_job(configuration: DictConfig, directory: Path, settings: Any) -> None:
    from runner import job

    number = int(settings.job.num)
    label = f"[{number}] {' '.join(settings.overrides.task) or 'no overrides'}"
    try:
        cell = _cell(configuration)
        _claim(cell, number)
    except Unsuitable as error:
        (directory / SKIPPED_FILE).write_text(f"{error}\n", encoding="utf-8")
        _say(f"{label}: skipped: {error}")
        return
    except (UserError, *FOREIGN) as error:
        reason = explain(error) if isinstance(error, FOREIGN) else str(error)
        (directory / REFUSED_FILE).write_text(f"{reason}\n", encoding="utf-8")
        _say(f"{label}: error: {reason}")
        return
    for note in cell.notes:
        _say(f"{label}: note: {note}")
    totals, _ = job.run(cell, directory)
    _say(f"{label}: {totals}, {totals.search_seconds:.3f} s")


def _cell(configuration: DictConfig) -> Any:
    values = OmegaConf.to_container(configuration, resolve=True, throw_on_missing=True)
    assert isinstance(values, dict)
    plugins.load_built_in()
    plugins.load_installed()
    plugins.load(_plugin_names(values))
    from runner import schema

    return schema.parse(values)  # type: ignore[arg-type]


def _plugin_names(values: dict[Any, Any]) -> list[str]:
    from runner import schema

    return schema.plugins_of(values)


def _claim(cell: Any, number: int) -> None:
    """Refuse a cell that this sweep has run already: an algorithm that ignores heuristics runs once, not per stack."""
    import json

    identity = json.dumps([cell.key(), repr(cell.source)], sort_keys=True)
    first = _state.cells.setdefault(identity, number)
    if first != number:
        raise Unsuitable(f"the same as job {first}" + (f" ({cell.notes[0]})" if cell.notes else ""))


def _finish_sweep() -> int:
    """Collect the rows of all jobs, however the sweep ended, and show what became of them."""
    directory = SweepResults.directory
    if directory is None or not directory.is_dir():
        return 0
    from runner import results, terminal
    from worlds.interface import natural_order

    try:
        totals = results.collect(directory)
    except OSError as error:
        _say(f"error: {error.filename or directory}: {error.strerror or error}")
        return FAILED
    refused = sorted(directory.rglob(REFUSED_FILE), key=natural_order)
    skipped = sorted(directory.rglob(SKIPPED_FILE), key=natural_order)
    terminal.show_sweep(totals, len(skipped), len(refused), _shown(directory / results.RESULTS))
    if refused:
        return REFUSED
    if not totals:
        _say("error: no cell of the sweep could run")
        return REFUSED
    return FAILED if any(job.faulty for job in totals) else 0


def _refuse(error: UserError) -> int:
    _say(str(error) if isinstance(error, PluginError) else f"error: {error}")
    return REFUSED


def _discard(directory: Path) -> None:
    """Remove the directory that Hydra made for a run that never began."""
    with contextlib.suppress(OSError):
        for file in (directory / ".hydra").iterdir():
            file.unlink()
        (directory / ".hydra").rmdir()
        directory.rmdir()


def _shown(path: Path) -> str:
    """A path relative to the working directory where that is shorter."""
    with contextlib.suppress(ValueError):
        return path.resolve().relative_to(Path.cwd()).as_posix()
    return str(path)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
