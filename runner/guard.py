"""Keeps YAML from naming code: Hydra builds whatever a `_target_` in its own section names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hydra._internal.config_loader_impl import ConfigLoaderImpl
from omegaconf import OmegaConf

from runner.registry import UserError

TRUSTED = ("hydra._internal.", "hydra_plugins.", "runner.callbacks.")


def guard_compositions() -> None:
    """Check every configuration that Hydra composes, before it uses it. There is no public hook for that."""
    compose = ConfigLoaderImpl.load_configuration
    if getattr(compose, "is_guarded", False):
        return

    def guarded(self: Any, *arguments: Any, **keywords: Any) -> Any:
        configuration = compose(self, *arguments, **keywords)
        settings = OmegaConf.select(configuration, "hydra", throw_on_missing=False)
        if settings is not None:
            refuse_code(OmegaConf.to_container(settings, resolve=False))
        return configuration

    guarded.is_guarded = True  # type: ignore[attr-defined]
    ConfigLoaderImpl.load_configuration = guarded


def refuse_code(settings: Any) -> None:
    """Raise `UserError` if Hydra's section names code that is not Hydra's, its plugins' or ours.

    ``()`` is how Python's logging configuration names a class.
    """
    for path, key, value in _entries(settings, "hydra"):
        named = key in ("_target_", "()") or (key == "class" and "logging" in path)
        standard = key == "class" and str(value).startswith("logging.")
        if named and not standard and not str(value).startswith(TRUSTED):
            raise UserError(f"{path}.{key}: a configuration cannot name code, got {str(value)[:80]!r}")


def _entries(value: Any, path: str) -> Iterator[tuple[str, str, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield path, str(key), item
            yield from _entries(item, f"{path}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _entries(item, f"{path}[{index}]")
