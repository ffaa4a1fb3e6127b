"""A configuration as plain containers. OmegaConf sets values on copies of its sections, and resolves interpolations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.types import Override, OverrideType
from omegaconf import DictConfig, OmegaConf

from runner.base import UserError, section_of_word
from runner.config.compose.files import interpolations, leaves
from runner.config.grammar import settings
from runner.config.grammar.explain import FOREIGN, explained, missing_value
from runner.config.grammar.parse_overrides import is_of_hydra

_MISSING = "???"
_NUMBERED = "${hydra.job.num}"
_MAX_DEPTH = 200  # parts of a path: `Path.mkdir` calls itself for each folder above
_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


@dataclass(frozen=True)
class Composition:
    """Configuration as plain containers, with interpolations as they were written. Equal sections are shared.

    Attributes
    ----------
    unresolved : dict
        All sections but that of Hydra.
    hydra : dict
        Hydra's own section.
    overrides : tuple of str
        Overrides of the configuration, as on the command line.
    """

    unresolved: dict[str, Any]
    hydra: dict[str, Any]
    overrides: tuple[str, ...] = ()
    _changed: dict[tuple[str, ...], dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, config: DictConfig) -> Composition:
        """Return a result of Hydra."""
        unresolved = _mapping(OmegaConf.to_container(config, resolve=False, enum_to_str=True))
        hydra = unresolved.pop("hydra")
        choices = hydra["runtime"]["choices"]
        for group, name in choices.items():
            if isinstance(name, list) and len(name) == 1:  # in a defaults list, a name with a slash (conf/config.yaml)
                choices[group] = name[0]
        return cls(unresolved, hydra)

    @property
    def chosen(self) -> dict[str, Any]:
        """Chosen names, by their groups."""
        chosen: dict[str, Any] = self.hydra["runtime"]["choices"]
        return chosen

    def with_sections(self, sections: Mapping[str, Any], chosen: Mapping[str, str]) -> Composition:
        """Return the configuration with other sections, and the names of their choices."""
        hydra = {**self.hydra, "runtime": {**self.hydra["runtime"], "choices": {**self.chosen, **chosen}}}
        return Composition({**self.unresolved, **sections}, hydra)

    def with_values(self, values: Sequence[Override], overrides: Sequence[str]) -> Composition:
        """Return the configuration in which values are set, and which has been made by some overrides.

        Raises
        ------
        UserError
            If a value of Hydra's section has no effect.
        Exception
            If OmegaConf refuses a value as in Hydra, or the result may depend on other sections: OmegaConf follows an
            interpolation into which it merges a mapping.
        """
        by_section: dict[str, list[Override]] = {}
        for override in values:
            by_section.setdefault(section_of_word(override.key_or_group), []).append(override)
        sections = {**self.unresolved, "hydra": self.hydra}
        for section, in_section in by_section.items():
            sections |= self._with_values(section, in_section)
        hydra = sections.pop("hydra")
        task = [text for text in overrides if not is_of_hydra(text)]
        own = [*hydra["overrides"]["hydra"], *(str(each.input_line) for each in by_section.get("hydra", ()))]
        hydra = {**hydra, "overrides": {"task": task, "hydra": own}}
        hydra["job"] = {**hydra["job"], "override_dirname": _dirname(hydra["job"], task)}
        settings.check(hydra)
        return Composition(sections, hydra, tuple(overrides))

    def _with_values(self, section: str, values: Sequence[Override]) -> dict[str, Any]:
        """Return a section in which values are set. The same values are set once."""
        words = tuple(str(override.input_line) for override in values)
        if words not in self._changed:
            before: Any = self.hydra if section == "hydra" else self.unresolved.get(section)
            contents = [override.value() for override in values]
            if any(isinstance(content, dict) for content in contents) and interpolations([before, contents]):
                raise ValueError(f"{section}: a mapping beside an interpolation")
            if isinstance(before, dict) and all(_replaces(before, override) for override in values):
                changed = {override.key_or_group.split(".")[1]: override.value() for override in values}
                self._changed[words] = {section: {**before, **changed}}
            else:
                exists = before is not None or section in self.unresolved
                config = OmegaConf.create({section: before} if exists else {})
                OmegaConf.set_struct(config, True)
                for override in values:
                    _set(config, override)
                self._changed[words] = _mapping(OmegaConf.to_container(config, resolve=False))
        return self._changed[words]

    @cached_property
    def resolved(self) -> dict[str, Any]:
        """Configuration without interpolations; raises `UserError` if one cannot be resolved, or a value is missing."""
        resolved = {
            key: _select(self.config, key) if interpolations(value) else value for key, value in self.unresolved.items()
        }
        missing = next((path for path, leaf in leaves(resolved) if leaf == _MISSING), None)
        if missing is not None:
            raise UserError(missing_value(".".join(map(str, missing))))
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
        """Configuration of OmegaConf, with Hydra's section."""
        return OmegaConf.create({**self.unresolved, "hydra": self.hydra})

    def text(self, sections: Sequence[str], key: str | None = None, *, resolve: bool = False) -> str:
        """Return some sections, or the value of a key in them, as YAML."""
        config = OmegaConf.masked_copy(self.config, list(sections))
        value = config if key is None else OmegaConf.select(config, key)
        if value is None:
            raise UserError(f"--package: there is no section '{key}'")
        try:
            return OmegaConf.to_yaml(value, resolve=resolve) if OmegaConf.is_config(value) else f"{value}\n"
        except FOREIGN as error:
            raise explained(error) from None

    def directory(self, mode: str) -> Path:
        """Return the folder for the results of a ``run`` or a ``sweep``."""
        value = self._of_hydra(f"{mode}.dir")
        path = Path(str(value))
        if value in (None, "", _MISSING) or len(path.parts) > _MAX_DEPTH:
            raise UserError(f"hydra.{mode}.dir: expected a directory, got {str(value)[:100]!r}")
        return path

    def subdirectory(self, number: int) -> str | None:
        """Return the name of a cell's folder in that of its sweep; None if ``hydra.sweep.subdir`` is at its default."""
        is_default = self.hydra["sweep"]["subdir"] == _NUMBERED
        return None if is_default else str(self._numbered(number)._of_hydra("sweep.subdir"))

    def record(self, number: int | None) -> dict[str, str]:
        """Return the contents of the files that Hydra writes to ``.hydra``, by their names.

        The result is empty if ``hydra.output_subdir`` is null.

        Parameters
        ----------
        number : int or None
            Number of the cell in its sweep.
        """
        hydra = (self if number is None else self._numbered(number)).hydra
        folder = hydra["output_subdir"]
        if folder is None:
            return {}
        contents = {"config": self.unresolved, "hydra": {"hydra": hydra}, "overrides": hydra["overrides"]["task"]}
        return {f"{folder}/{name}.yaml": _yaml(content) for name, content in contents.items()}

    def _numbered(self, number: int) -> Composition:
        """Return the configuration of a cell with its number in its sweep."""
        return replace(self, hydra={**self.hydra, "job": {**self.hydra["job"], "num": number, "id": str(number)}})

    def _of_hydra(self, key: str) -> Any:
        """Return a value of Hydra's section with its interpolations resolved."""
        section, name = key.split(".")
        value = self.hydra[section][name]
        return _select(self.config, f"hydra.{key}") if interpolations(value) else value


def _replaces(section: Mapping[str, Any], override: Override) -> bool:
    """Whether an override replaces a scalar of a section by a scalar, as most do: OmegaConf takes long for it."""
    (_, *keys), scalar = override.key_or_group.split("."), (str, bool, int, float, type(None))
    is_change = override.type is OverrideType.CHANGE and len(keys) == 1 and isinstance(override.value(), scalar)
    return is_change and isinstance(section.get(keys[0], {}), scalar)


def _set(config: DictConfig, override: Override) -> None:
    key = override.key_or_group
    value = override.value()
    is_scalar = not isinstance(value, (dict, list))
    if override.is_add() and is_scalar and OmegaConf.select(config, key) is not None:
        raise ValueError(f"{key}: has a value already")
    OmegaConf.update(config, key, value, merge=True, force_add=override.is_add() or override.is_force_add())


def _dirname(job: Mapping[str, Any], task: Sequence[str]) -> str:
    """Return overrides as the name of a folder, in Hydra's format. Hydra 1.4 has an interpolation there."""
    if interpolations(job["override_dirname"]):
        return str(job["override_dirname"])
    how = job["config"]["override_dirname"]
    named = [text for text in task if text.lstrip("+~").partition("=")[0] not in how["exclude_keys"]]
    return str(how["item_sep"].join(sorted(named)).replace("=", how["kv_sep"]))


def _select(config: DictConfig, key: str) -> Any:
    """Return a value with its interpolations resolved, including those with Hydra's resolver ``${hydra:...}``."""
    hydra: Any = HydraConfig.instance()
    before = hydra.cfg
    try:
        hydra.cfg = config
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


def _yaml(value: Any) -> str:
    try:
        return str(yaml.dump(value, Dumper=_DUMPER, sort_keys=False, allow_unicode=True))
    except UnicodeEncodeError:  # bytes of the command line that are not UTF-8
        return str(yaml.dump(value, Dumper=yaml.SafeDumper, sort_keys=False))
