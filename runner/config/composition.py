"""A configuration: the result of Hydra's composition, and values that are set on a copy."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.types import Override
from omegaconf import DictConfig, OmegaConf, read_write

from runner.base.errors import UserError
from runner.config.explain import FOREIGN, explained, missing_value
from runner.config.grammar import is_of_hydra

_MISSING, _NUMBERED = "???", "${hydra.job.num}"
_MAX_DEPTH = 200
_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


@dataclass(frozen=True)
class Base:
    """Configuration as Hydra composed it, with Hydra's own section."""

    config: DictConfig

    @cached_property
    def hydra(self) -> dict[str, Any]:
        """Hydra's own section as plain containers, with unresolved interpolations."""
        return _mapping(OmegaConf.to_container(self.config.hydra, resolve=False, enum_to_str=True))

    @cached_property
    def plain(self) -> dict[str, Any]:
        """All other sections as plain containers, with unresolved interpolations."""
        sections = [str(key) for key in self.config if key != "hydra"]
        return _mapping(OmegaConf.to_container(OmegaConf.masked_copy(self.config, sections), resolve=False))

    @cached_property
    def has_interpolations(self) -> bool:
        """Whether a section other than Hydra's has interpolations."""
        return has_interpolation(self.plain)


@dataclass(frozen=True)
class Composition:
    """Configuration: the result of Hydra's composition, and values that are set on a copy.

    Attributes
    ----------
    values : tuple of Override
        Overrides that set values.
    overrides : tuple of str
        All overrides of the configuration, as on the command line.
    """

    base: Base
    values: tuple[Override, ...]
    overrides: tuple[str, ...]

    @cached_property
    def unresolved(self) -> dict[str, Any]:
        """Configuration as plain containers, without Hydra's section."""
        plain = self.base.plain
        for override in self.values:
            plain = _with_value(plain, override.key_or_group.split("."), override.value())
        return plain

    @cached_property
    def resolved(self) -> dict[str, Any]:
        """Configuration without interpolations; raises `UserError` if one cannot be resolved, or a value is missing."""
        found = self.unresolved
        if self.base.has_interpolations or any(has_interpolation(each.value()) for each in self.values):
            found = {key: self.select(key) for key in self.unresolved}
        missing = next((path for path, leaf in _leaves(found) if leaf == _MISSING), None)
        if missing is not None:
            raise UserError(missing_value(missing))
        return found

    def select(self, key: str) -> Any:
        """Return the value of a key, with its interpolations resolved.

        Raises
        ------
        KeyError
            If there is no such key.
        """
        value: Any = self.unresolved
        for part in key.split("."):
            if not isinstance(value, dict):
                raise KeyError(key)
            value = value[part]
        if not has_interpolation(value):
            return value
        return _select(self._sections, key)

    @cached_property
    def _sections(self) -> DictConfig:
        """Configuration in which interpolations are resolved; it has Hydra's section only if they refer to it."""
        if any(isinstance(leaf, str) and "${hydra" in leaf for _, leaf in _leaves(self.unresolved)):
            return self.config
        try:
            return OmegaConf.create(self.unresolved)
        except FOREIGN as error:
            raise explained(error) from None

    @cached_property
    def config(self) -> DictConfig:
        """Configuration with Hydra's section."""
        config = copy.deepcopy(self.base.config)
        OmegaConf.set_struct(config, False)
        try:
            for override in self.values:
                OmegaConf.update(config, override.key_or_group, override.value(), merge=True)
        except FOREIGN as error:
            raise explained(error) from None
        with read_write(config.hydra):
            config.hydra.overrides.task = self._task
        return config

    @property
    def _task(self) -> list[str]:
        return [text for text in self.overrides if not is_of_hydra(text)]

    def directory(self, mode: str) -> Path:
        """Return the folder for the results of a ``run`` or a ``sweep``."""
        value = self._of_hydra(f"{mode}.dir")
        path = Path(str(value))
        if value in (None, "", _MISSING) or len(path.parts) > _MAX_DEPTH:
            raise UserError(f"hydra.{mode}.dir: expected a directory, got {str(value)[:100]!r}")
        return path

    def subdirectory(self, number: int) -> str | None:
        """Return the name of a cell's folder in that of its sweep; None if ``hydra.sweep.subdir`` is at its default."""
        return None if self.base.hydra["sweep"]["subdir"] == _NUMBERED else str(self._of_hydra("sweep.subdir", number))

    def record(self, number: int | None) -> dict[str, str]:
        """Return the contents of the files that Hydra writes to ``.hydra``, by their names.

        The result is empty if ``hydra.output_subdir`` is null.

        Parameters
        ----------
        number : int or None
            Number of the cell in its sweep.
        """
        hydra = self.base.hydra
        folder = hydra["output_subdir"]
        if folder is None:
            return {}
        hydra = {**hydra, "overrides": {**hydra["overrides"], "task": self._task}}
        if number is not None:
            hydra["job"] = {**hydra["job"], "num": number, "id": str(number)}
        contents = {"config": self.unresolved, "hydra": {"hydra": hydra}, "overrides": self._task}
        return {f"{folder}/{name}.yaml": _yaml(content) for name, content in contents.items()}

    def _of_hydra(self, key: str, number: int | None = None) -> Any:
        """Return a value of Hydra's section with its interpolations resolved."""
        section, name = key.split(".")
        value = self.base.hydra[section][name]
        if not has_interpolation(value):
            return value
        config = self.config
        with read_write(config.hydra):
            if "override_dirname" in value:
                config.hydra.job.override_dirname = self._dirname(config.hydra.job.config.override_dirname)
            if number is not None:
                config.hydra.job.num, config.hydra.job.id = number, str(number)
        return _select(config, f"hydra.{key}")

    def _dirname(self, how: DictConfig) -> str:
        """Return the overrides as the name of a folder, in Hydra's format."""
        kept = [text for text in self._task if text.lstrip("+~").partition("=")[0] not in how.exclude_keys]
        return str(how.item_sep.join(sorted(text.replace("=", how.kv_sep, 1) for text in kept)))


def _select(config: DictConfig, key: str) -> Any:
    """Return a value with its interpolations resolved, including those with Hydra's resolver ``${hydra:...}``."""
    hydra = HydraConfig.instance()
    before = hydra.cfg
    try:
        if "hydra" in config:
            hydra.set_config(config)
        found = OmegaConf.select(config, key, throw_on_missing=True)
        is_config = OmegaConf.is_config(found)
        return OmegaConf.to_container(found, resolve=True, throw_on_missing=True) if is_config else found
    except FOREIGN as error:
        raise explained(error) from None
    finally:
        hydra.cfg = before


def _mapping(container: object) -> dict[str, Any]:
    """Return a container of OmegaConf as a mapping."""
    return {str(key): value for key, value in container.items()} if isinstance(container, dict) else {}


def _with_value(plain: Any, path: Sequence[str], value: Any) -> Any:
    """Return a copy with another value at a path; the copy shares everything else."""
    if path:
        return {**plain, path[0]: _with_value(plain[path[0]], path[1:], value)}
    if isinstance(plain, dict) and isinstance(value, dict):
        return {**plain, **{key: _with_value(plain[key], (), item) for key, item in value.items()}}
    return value


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, (dict, list)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(item, f"{path}.{key}" if path else str(key))
    else:
        yield path, value


def has_interpolation(value: Any) -> bool:
    """Whether a value contains an interpolation."""
    return any(isinstance(leaf, str) and "${" in leaf for _, leaf in _leaves(value))


def _yaml(value: Any) -> str:
    try:
        return str(yaml.dump(value, Dumper=_DUMPER, sort_keys=False, allow_unicode=True))
    except UnicodeEncodeError:  # bytes of the command line that are not UTF-8
        return str(yaml.dump(value, Dumper=yaml.SafeDumper, sort_keys=False))
