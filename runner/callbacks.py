"""What happens before the jobs, as a Hydra callback in the parent process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.experimental.callback import Callback
from omegaconf import DictConfig, OmegaConf

from runner.progress import Cells
from runner.results import METRICS


class DirectoryError(BaseException):
    """The directory of a run or sweep cannot be used. Hydra swallows what is only an Exception here."""


class Directories(Callback):  # type: ignore[misc]
    """Refuses directories that hold results, before Hydra writes into them.

    Attributes
    ----------
    sweep : Path or None
        Where this process runs a sweep.
    cells : Cells or None
        Of that sweep, as far as its sweeper tells how many there are.
    """

    sweep: Path | None = None
    cells: Cells | None = None

    def on_run_start(self, config: DictConfig, **_: Any) -> None:
        """Check the directory of a single run."""
        _refuse_occupied(Path(str(_set(config.hydra.run, "dir", "hydra.run.dir"))), METRICS)

    def on_multirun_start(self, config: DictConfig, **_: Any) -> None:
        """Check the directory of a sweep, and remember it."""
        directory = Path(str(_set(config.hydra.sweep, "dir", "hydra.sweep.dir")))
        _refuse_occupied(directory, f"**/{METRICS}")
        Directories.sweep = directory
        Directories.cells = Cells(_number_of_cells(config))


def _number_of_cells(config: DictConfig) -> int | None:
    """How many jobs Hydra's own sweeper will make of the overrides; None for another sweeper."""
    sweeper = config.hydra.sweeper
    if sweeper.get("_target_") != f"{BasicSweeper.__module__}.{BasicSweeper.__name__}":
        return None
    parser = OverridesParser.create(config_loader=GlobalHydra.instance().config_loader())
    swept = [f"{key}={values}" for key, values in (sweeper.get("params") or {}).items()]
    overrides = parser.parse_overrides([*swept, *config.hydra.overrides.task])
    return sum(map(len, BasicSweeper.split_arguments(overrides, None)))


def _set(section: DictConfig, key: str, name: str) -> Any:
    if OmegaConf.is_missing(section, key) or section[key] is None:
        raise DirectoryError(f"{name}: missing; give a directory")
    return section[key]


def _refuse_occupied(directory: Path, pattern: str) -> None:
    if next(directory.glob(pattern), None) is not None:
        raise DirectoryError(
            f"{directory}: holds results already, which are never overwritten; choose another directory"
        )
