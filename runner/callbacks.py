"""What happens before the jobs, as a Hydra callback in the parent process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hydra.experimental.callback import Callback
from omegaconf import DictConfig

from runner.results import METRICS


class OccupiedError(BaseException):
    """The directory of a run or sweep holds results already. Hydra swallows what is only an Exception here."""


class Directories(Callback):  # type: ignore[misc]
    """Refuses directories that hold results, before Hydra writes into them, and notes where a sweep writes."""

    sweep: Path | None = None

    def on_run_start(self, config: DictConfig, **_: Any) -> None:
        """Check the directory of a single run."""
        _refuse_occupied(Path(str(config.hydra.run.dir)), METRICS)

    def on_multirun_start(self, config: DictConfig, **_: Any) -> None:
        """Check the directory of a sweep, and remember it."""
        directory = Path(str(config.hydra.sweep.dir))
        _refuse_occupied(directory, f"**/{METRICS}")
        Directories.sweep = directory


def _refuse_occupied(directory: Path, pattern: str) -> None:
    if next(directory.glob(pattern), None) is not None:
        raise OccupiedError(f"{directory}: holds results already; they are never overwritten, choose another directory")
