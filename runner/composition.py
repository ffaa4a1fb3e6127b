"""From what Hydra has composed to a checked cell."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf, open_dict, read_write

from runner import interrupts, plugins, schema
from runner.registry import Unsuitable, UserError
from runner.schema import Cell

UNCOMPOSED = "uncomposed"
"""Key of the configuration of a job that could not be composed: the reason."""


def values_of(configuration: DictConfig) -> Any:
    """The values of a composed configuration, with the plug-ins loaded that it names.

    Raises
    ------
    UserError
        If there is no such plug-in, or it fails.
    """
    values: Any = OmegaConf.to_container(configuration, resolve=True, throw_on_missing=True)
    plugins.load_installed()
    plugins.load(schema.plugins_of(values))
    return values


def cell_of(configuration: DictConfig, is_dry_run: bool = False) -> Cell:
    """The checked cell of a composed configuration, with the plug-ins loaded that it names.

    Parameters
    ----------
    configuration : DictConfig
    is_dry_run : bool
        It will not be run, so it may say so.

    Raises
    ------
    UserError
        For anything wrong in it.
    Unsuitable
        If its parts do not go together.
    """
    if UNCOMPOSED in configuration:
        raise Unsuitable(str(configuration[UNCOMPOSED]))
    with interrupts.not_lost():
        values = values_of(configuration)
        return schema.parse({**values, "dry_run": values.get("dry_run", False) and not is_dry_run})


def without_hydra(configuration: DictConfig) -> DictConfig:
    """A composed configuration without Hydra's own section."""
    composed = copy.deepcopy(configuration)
    with read_write(composed), open_dict(composed):
        del composed["hydra"]
    return composed


def directory_of(configuration: DictConfig, mode: str) -> Path:
    """Where a ``run`` or a ``sweep`` writes to.

    Raises
    ------
    UserError
        If that is not set.
    """
    section = configuration.hydra[mode]
    if OmegaConf.is_missing(section, "dir") or section.dir is None:
        raise UserError(f"hydra.{mode}.dir: missing; give a directory")
    return Path(str(section.dir))


class Claims:
    """Cells that a sweep has already: an algorithm that ignores heuristics runs once, not for each stack."""

    def __init__(self) -> None:
        self._first: dict[str, int] = {}

    def add(self, cell: Cell, number: int) -> None:
        """Claim a cell for a job.

        Raises
        ------
        Unsuitable
            If an earlier job has the same.
        """
        first = self._first.setdefault(cell.identity(), number)
        if first != number:
            raise Unsuitable(f"the same as job {first}" + (f" ({cell.notes[0]})" if cell.notes else ""))
