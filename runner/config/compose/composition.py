"""A configuration: what Hydra composed of the choices, and values that OmegaConf sets on a copy of the sections."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.types import Override
from omegaconf import DictConfig, OmegaConf, read_write

from runner.base import UserError, section_of_word
from runner.config.grammar.explain import FOREIGN, explained, missing_value
from runner.config.grammar.grammar import is_of_hydra

_MISSING = "???"
_NUMBERED = "${hydra.job.num}"
_MAX_DEPTH = 200
_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


@dataclass(frozen=True)
class Base:
    """Configuration as Hydra composes it.

    Attributes
    ----------
    config : DictConfig
        Result of Hydra. It is never changed.
    plain : dict
        All sections but Hydra's as plain containers, with unresolved interpolations.
    hydra : dict
        Hydra's own section as plain containers, with unresolved interpolations.
    parts : mapping of str to DictConfig
        Other results of Hydra, by the section that stands here instead of the one in `config`.
    """

    config: DictConfig
    plain: dict[str, Any]
    hydra: dict[str, Any]
    parts: Mapping[str, DictConfig] = field(default_factory=dict)
    _changed: dict[tuple[str, ...], dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, config: DictConfig) -> Base:
        """Return a result of Hydra."""
        plain = _mapping(OmegaConf.to_container(config, resolve=False, enum_to_str=True))
        hydra = plain.pop("hydra")
        choices = hydra["runtime"]["choices"]
        for group, name in choices.items():
            if isinstance(name, list) and len(name) == 1:  # in a defaults list, a name with a slash (conf/config.yaml)
                choices[group] = name[0]
        return cls(config, plain, hydra)

    def with_parts(self, parts: Mapping[str, Base]) -> Base:
        """Return the configuration with sections, and choices, of other ones."""
        runtime = self.hydra["runtime"]
        choices = {section: part.hydra["runtime"]["choices"][section] for section, part in parts.items()}
        hydra = {**self.hydra, "runtime": {**runtime, "choices": {**runtime["choices"], **choices}}}
        plain = {**self.plain, **{section: part.plain[section] for section, part in parts.items()}}
        return Base(self.config, plain, hydra, {section: part.config for section, part in parts.items()})

    def with_texts(self, texts: Mapping[tuple[str | int, ...], str]) -> Base:
        """Return the configuration with texts at the paths of some keys. The result of Hydra has them, too."""
        if not texts:
            return self
        with read_write(self.config.hydra):
            for (*around, key), text in texts.items():
                section: Any = self.config
                for step in around:
                    section = section[step]
                section[key] = text
        return Base.of(self.config)

    def with_values(self, values: Iterable[Override], sections: Collection[str]) -> DictConfig:
        """Return a copy of some sections in which values are set, as Hydra sets them."""
        keys: Any = [key for key in self.config if key in sections]
        config = OmegaConf.masked_copy(self.config, keys)
        for section, other in self.parts.items():
            if section in sections:
                config[section] = other[section]
        OmegaConf.set_struct(config, True)
        for override in values:
            _set(config, override)
        OmegaConf.set_struct(config, None)
        return config

    def changed(self, section: str, values: Sequence[Override]) -> dict[str, Any]:
        """Return a section in which values are set, as a plain container. The same values are set once.

        Raises
        ------
        Exception
            If OmegaConf refuses a value as in Hydra, or the result may depend on other sections: OmegaConf follows an
            interpolation into which it merges a mapping.
        """
        words = tuple(str(override.input_line) for override in values)
        if words not in self._changed:
            contents = [override.value() for override in values]
            has_mapping = any(isinstance(content, dict) for content in contents)
            if has_mapping and interpolations([self.plain.get(section), contents]):
                raise ValueError(f"{section}: a mapping beside an interpolation")
            section_only = self.with_values(values, [section])
            self._changed[words] = _mapping(OmegaConf.to_container(section_only, resolve=False))
        return self._changed[words]


def _set(config: DictConfig, override: Override) -> None:
    key = override.key_or_group
    value = override.value()
    is_scalar = not isinstance(value, (dict, list))
    if override.is_add() and is_scalar and OmegaConf.select(config, key) is not None:
        raise ValueError(f"{key}: has a value already")
    OmegaConf.update(config, key, value, merge=True, force_add=override.is_add() or override.is_force_add())


@dataclass(frozen=True)
class Composition:
    """Configuration: the result of Hydra's composition, and values that are set on a copy.

    Attributes
    ----------
    base : Base
        Result of Hydra.
    values : tuple of Override
        Overrides that set values.
    overrides : tuple of str
        All overrides of the configuration, as on the command line.
    unresolved : dict
        Configuration as plain containers, without Hydra's section. Not to be changed: equal sections are shared.
    """

    base: Base
    values: tuple[Override, ...]
    overrides: tuple[str, ...]
    unresolved: dict[str, Any]

    @classmethod
    def of(cls, base: Base, values: Iterable[Override], overrides: Iterable[str]) -> Composition:
        """Return a configuration with values; raises what `Base.changed` raises."""
        by_section: dict[str, list[Override]] = {}
        for override in values:
            by_section.setdefault(section_of_word(override.key_or_group), []).append(override)
        unresolved = dict(base.plain)
        for section, in_section in by_section.items():
            unresolved |= base.changed(section, in_section)
        return cls(base, tuple(values), tuple(overrides), unresolved)

    @cached_property
    def resolved(self) -> dict[str, Any]:
        """Configuration without interpolations; raises `UserError` if one cannot be resolved, or a value is missing."""
        resolved = self.unresolved
        texts = interpolations(resolved)
        if texts:
            of_hydra = ["hydra"] if any("${hydra" in text for text in texts) else []
            config = self.base.with_values(self.values, [*resolved, *of_hydra])
            resolved = {
                key: _select(config, key) if interpolations(value) else value for key, value in resolved.items()
            }
        missing = next((path for path, leaf in _leaves(resolved) if leaf == _MISSING), None)
        if missing is not None:
            raise UserError(missing_value(missing))
        return resolved

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
        return _select(self.config, key) if interpolations(value) else value

    @cached_property
    def config(self) -> DictConfig:
        """Configuration with Hydra's section."""
        config = self.base.with_values(self.values, {"hydra", *self.unresolved})
        with read_write(config.hydra):
            config.hydra.runtime.choices = self.base.hydra["runtime"]["choices"]
            config.hydra.overrides.task = self._task
            config.hydra.job.override_dirname = self._dirname
        return config

    @property
    def _task(self) -> list[str]:
        return [text for text in self.overrides if not is_of_hydra(text)]

    @property
    def _dirname(self) -> str:
        """Overrides as the name of a folder, in Hydra's format. Hydra 1.4 has an interpolation there."""
        job = self.base.hydra["job"]
        if interpolations(job["override_dirname"]):
            return str(job["override_dirname"])
        how = job["config"]["override_dirname"]
        named = [text for text in self._task if text.lstrip("+~").partition("=")[0] not in how["exclude_keys"]]
        return str(how["item_sep"].join(sorted(named)).replace("=", how["kv_sep"]))

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
        job = {**hydra["job"], "override_dirname": self._dirname}
        if number is not None:
            job.update(num=number, id=str(number))
        hydra = {**hydra, "overrides": {**hydra["overrides"], "task": self._task}, "job": job}
        contents = {"config": self.unresolved, "hydra": {"hydra": hydra}, "overrides": self._task}
        return {f"{folder}/{name}.yaml": _yaml(content) for name, content in contents.items()}

    def _of_hydra(self, key: str, number: int | None = None) -> Any:
        """Return a value of Hydra's section with its interpolations resolved."""
        section, name = key.split(".")
        value = self.base.hydra[section][name]
        if not interpolations(value):
            return value
        config = self.config
        if number is not None:
            with read_write(config.hydra):
                config.hydra.job.num = number
                config.hydra.job.id = str(number)
        return _select(config, f"hydra.{key}")


def _select(config: DictConfig, key: str) -> Any:
    """Return a value with its interpolations resolved, including those with Hydra's resolver ``${hydra:...}``."""
    hydra = HydraConfig.instance()
    before = hydra.cfg
    try:
        if "hydra" in config:
            hydra.set_config(config)
        selected = OmegaConf.select(config, key, throw_on_missing=True)
        is_config = OmegaConf.is_config(selected)
        return OmegaConf.to_container(selected, resolve=True, throw_on_missing=True) if is_config else selected
    except FOREIGN as error:
        raise explained(error) from None
    finally:
        hydra.cfg = before


def _mapping(container: object) -> dict[str, Any]:
    """Return a container of OmegaConf as a mapping."""
    return {str(key): value for key, value in container.items()} if isinstance(container, dict) else {}


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, (dict, list)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(item, f"{path}.{key}" if path else str(key))
    else:
        yield path, value


def interpolations(value: Any) -> list[str]:
    """Return the texts in a value that have an interpolation."""
    return [leaf for _, leaf in _leaves(value) if isinstance(leaf, str) and "${" in leaf]


def _yaml(value: Any) -> str:
    try:
        return str(yaml.dump(value, Dumper=_DUMPER, sort_keys=False, allow_unicode=True))
    except UnicodeEncodeError:  # bytes of the command line that are not UTF-8
        return str(yaml.dump(value, Dumper=yaml.SafeDumper, sort_keys=False))
