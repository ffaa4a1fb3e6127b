"""What happens before the jobs, as a Hydra callback in the parent process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hydra.experimental.callback import Callback
from omegaconf import DictConfig, OmegaConf

from runner.results import METRICS


class DirectoryError(BaseException):
    """The directory of a run or sweep cannot be used. Hydra swallows what is only an Exception here."""


class Directories(Callback):  # type: ignore[misc]
    """Refuses directories that hold results, before Hydra writes into them, and notes where a sweep writes."""

    sweep: Path | None = None

    def on_run_start(self, config: DictConfig, **_: Any) -> None:
        """Check the directory of a single run."""
        _refuse_occupied(Path(str(_set(config.hydra.run, "dir", "hydra.run.dir"))), METRICS)

    def on_multirun_start(self, config: DictConfig, **_: Any) -> None:
        """Check the directory of a sweep, and remember it."""
        directory = Path(str(_set(config.hydra.sweep, "dir", "hydra.sweep.dir")))
        _refuse_occupied(directory, f"**/{METRICS}")
        Directories.sweep = directory


def _set(section: DictConfig, key: str, name: str) -> Any:
    if OmegaConf.is_missing(section, key) or section[key] is None:
        raise DirectoryError(f"{name}: missing; give a directory")
    return section[key]


def _refuse_occupied(directory: Path, pattern: str) -> None:
    if next(directory.glob(pattern), None) is not None:
        raise DirectoryError(
            f"{directory}: holds results already, which are never overwritten; choose another directory"
        )
