"""What happens around the jobs of a sweep, as a Hydra callback in the parent process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hydra.experimental.callback import Callback
from omegaconf import DictConfig


class SweepResults(Callback):  # type: ignore[misc]
    """Notes where a sweep writes, so that its results can be collected however it ends."""

    directory: Path | None = None

    def on_multirun_start(self, config: DictConfig, **kwargs: Any) -> None:  # noqa: ARG002
        """Remember the directory of the sweep."""
        SweepResults.directory = Path(str(config.hydra.sweep.dir))
