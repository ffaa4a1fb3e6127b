"""Keeps YAML from naming code, which Hydra would run, and files outside of the folder for results."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from hydra._internal.config_loader_impl import ConfigLoaderImpl
from omegaconf import OmegaConf

from runner import bounds
from runner.registry import UserError

TRUSTED = re.compile(
    r"runner\.callbacks\.Directories|hydra(\._internal\.core_plugins|_plugins)(\.[a-z_]+)+\.\w+(Launcher|Sweeper)"
    r"|colorlog\.ColoredFormatter|logging\.(\w+Handler|Formatter|handlers\.\w+Handler)"
)
"""Exactly what may be named; a prefix would let a name walk through the imports of a module."""


OUTPUT = "${hydra.runtime.output_dir}/"
INSIDE = ("hydra.output_subdir", "hydra.job.name", "hydra.sweep.subdir")


MAPPINGS = ("callbacks", "launcher", "sweeper")


def guard_compositions() -> None:
    """Check every configuration that Hydra composes, before it uses it. There is no public hook for that."""
    compose = ConfigLoaderImpl.load_configuration
    if getattr(compose, "is_guarded", False):
        return

    def guarded(self: Any, *arguments: Any, **keywords: Any) -> Any:
        bounds.begin_configuration()
        configuration = compose(self, *arguments, **keywords)
        settings = OmegaConf.select(configuration, "hydra", throw_on_missing=False)
        if settings is not None:
            raw = OmegaConf.to_container(settings, resolve=False)
            refuse_code(raw, configuration)
            refuse_escapes(raw)
        return configuration

    guarded.is_guarded = True  # type: ignore[attr-defined]
    ConfigLoaderImpl.load_configuration = guarded
    bounds.install()


def refuse_code(settings: Any, configuration: Any) -> None:
    """Raise `UserError` if Hydra's section names code that is not Hydra's, its plugins' or ours.

    ``()`` and ``class`` are how Python's logging configuration names code. A whole section that is taken from elsewhere
    by an interpolation is refused, because it could name code there.
    """
    for name in MAPPINGS:
        if not isinstance(settings.get(name), dict):
            raise UserError(f"hydra.{name}: expected a mapping, got {str(settings.get(name))[:80]!r}")
    for path, key, value in _entries(settings, "hydra"):
        named = key in ("_target_", "()") or (key == "class" and "logging" in path)
        if named and not TRUSTED.fullmatch(str(value)):
            raise UserError(f"{path}.{key}: a configuration cannot name code, got {str(value)[:80]!r}")
        if isinstance(value, str) and "${" in value and _is_section(configuration, f"{path}.{key}"):
            raise UserError(f"{path}.{key}: a section of Hydra's cannot be taken from elsewhere, got {value[:80]!r}")


def refuse_escapes(settings: Any) -> None:
    """Raise `UserError` if Hydra's section lets files lie outside of the folder for results.

    Where that folder is (`run.dir`, `sweep.dir`), the user decides; everything else lies in it.
    """
    for path, key, value in _entries(settings, "hydra"):
        name = f"{path}.{key}"
        is_log = key in ("filename", "baseFilename") and "logging" in path
        text = str(value or "").removeprefix(OUTPUT)
        if is_log and not str(value).startswith(OUTPUT):
            raise UserError(f"{name}: expected a file in the folder for results, {OUTPUT}NAME, got {str(value)!r}")
        if (is_log or name in INSIDE) and (PurePath(text).is_absolute() or ".." in PurePath(text).parts):
            raise UserError(f"{name}: expected a name inside of the folder for results, got {str(value)!r}")


def _is_section(configuration: Any, path: str) -> bool:
    try:
        return OmegaConf.is_config(OmegaConf.select(configuration, path, throw_on_missing=False))
    except Exception:  # cannot be resolved yet, as the number of a job: fatal only where code could be named
        return path.startswith(("hydra.callbacks", "hydra.launcher", "hydra.sweeper"))


def _entries(value: Any, path: str) -> Iterator[tuple[str, str, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield path, str(key), item
            yield from _entries(item, f"{path}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield path, str(index), item
            yield from _entries(item, f"{path}.{index}")
