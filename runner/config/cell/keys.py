"""Keys of a configuration: sections of a cell, settings of the whole command, and sections of features."""

from __future__ import annotations

import dataclasses
import reprlib
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, get_type_hints

from msgspec import Meta

from runner.base import Registry, Retry, UserError, checked, defaults_in_yaml, fields_of, own_entries

Measure = Literal["auto", "cgroup", "process"]
Order = Literal["cells", "interleaved", "random"]


@dataclass(frozen=True)
class Settings:
    """Settings of a whole command.

    Attributes
    ----------
    plugins : list of str
        Modules to import.
    workers : int or "all"
        Number of worker processes. With 0 the process of the command searches.
    pin : bool
        Whether each worker has a physical core for itself.
    measure : {"auto", "cgroup", "process"}
        Whether control groups limit and measure memory: if there are any, always, or never.
    order : {"cells", "interleaved", "random"}
        Order of the searches: one cell after the other, one instance of each cell in turn, or random.
    order_seed : int
        Seed of the random order.
    """

    plugins: list[str] = field(default_factory=list)
    workers: int | str = 1
    pin: bool = False
    measure: Measure = "auto"
    order: Order = "cells"
    order_seed: Annotated[int, Meta(ge=0)] = 0
    progress: bool = True
    retry: Retry = "failed"
    dry_run: bool = False


@dataclass(frozen=True, kw_only=True)
class CellSections:
    """Sections that make a cell."""

    world: dict[str, Any]
    algorithm: dict[str, Any]
    heuristic: dict[str, Any]
    weighting: dict[str, Any]
    limits: dict[str, Any]
    label: str | int | float | None = None
    repeat: Annotated[int, Meta(ge=1, le=1000)] = 1


@dataclass(frozen=True, kw_only=True)
class SingleSections(CellSections):
    """Sections of one search of each instance."""

    algorithm: dict[str, Any] | None = None  # type: ignore[assignment]
    repeat: Annotated[int, Meta(ge=1, le=1)] = 1


SETTINGS = tuple(each.name for each in dataclasses.fields(Settings))
OF_CELLS = tuple(each.name for each in dataclasses.fields(CellSections))
OWN_KEYS = (*OF_CELLS, *SETTINGS, "sweep", "experiment", "hydra", "defaults", "config")
"""Keys of every configuration, and the names of its files: the section of a feature has another name."""
NOT_OF_IDENTITY = ("label", "repeat")
"""Keys that do not change the identity of a search."""


class SectionRegistry(Registry[type[Any]]):
    """Dataclasses of the sections of a configuration that features have."""

    def add(self, name: str, entry: Any, *, domain: str | None = None) -> None:
        """Add the dataclass of a section.

        Raises
        ------
        ValueError
            If it is no dataclass, or its name is a key of every configuration, or that of another section.
        UserError
            If a default cannot stand in YAML, or is not of the type of its field.
        """
        owner = f"section '{name}'"
        if not (isinstance(entry, type) and dataclasses.is_dataclass(entry)):
            raise ValueError(f"{owner}: expected a dataclass, got {reprlib.repr(entry)}")
        if name in OWN_KEYS:
            raise ValueError(f"{owner}: is a key of every configuration; choose another name")
        hints = get_type_hints(entry, include_extras=True)
        fields = fields_of(entry)
        for key, default in defaults_in_yaml(entry, owner).items():
            if default != "???":
                checked(default, hints[fields[key].name], f"{owner}: the default of {key}")
        super().add(name, entry, domain=domain)

    def check_offered(self, name: str) -> None:
        """Raise `UserError` if no installed package offers a section, which other commands would not find."""
        if not self.is_offered(name):
            raise UserError(
                f"command '{name}': the entry points of its package lack its section; name the dataclass in "
                f'[project.entry-points."{self.group}"], and install the package again'
            )


SECTIONS = SectionRegistry("section", "search_runner.sections", own_entries.SECTIONS)
"""Dataclasses of the sections of a configuration that features have. The core records them, and does not read them."""


def keys_of_commands() -> tuple[str, ...]:
    """Return the keys of a configuration that concern the whole command, or a feature."""
    return (*SETTINGS, "sweep", *SECTIONS.names(missing=True))
