"""Makes what plugins register choosable by name, as if there were a YAML file with its defaults."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException

from runner import registry
from runner.explain import CONF


def plugins_in(arguments: Sequence[str]) -> list[str]:
    """The modules that ``plugins=[...]`` on the command line names: they are needed before anything is composed."""
    overrides = [argument for argument in arguments if argument.lstrip("+").startswith("plugins=")]
    modules: list[str] = []
    for override in overrides:
        try:
            value = OverridesParser.create().parse_override(override).value()
        except HydraException:  # Hydra will say so itself
            continue
        modules += [str(module) for module in value] if isinstance(value, list) else []
    return modules


def offer(arguments: Sequence[str]) -> None:
    """Give every registered name that has no YAML, of ours or in a --config-dir, one made of its defaults."""
    store = ConfigStore.instance()
    folders = [CONF, *map(Path, config_dirs(arguments))]
    for kind, name, configuration in _defaults():
        if not any((folder / kind / f"{name}.yaml").exists() for folder in folders):
            group, _, option = f"{kind}/{name}".rpartition("/")
            store.store(group=group, name=option, node=configuration, package=kind, provider="plugin")


def config_dirs(arguments: Sequence[str]) -> Iterator[str]:
    """Folders given by ``--config-dir``."""
    for argument, following in zip(arguments, [*arguments, ""][1:], strict=True):
        option, _, value = argument.partition("=")
        if option in ("--config-dir", "-cd"):
            yield value or following


def _defaults() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for kind, domain, name in registry.entries():
        entry = registry.find(kind, name, domain=domain)
        if kind == "heuristic":
            yield kind, name, {"stack": [*entry.builds_on, name], "combine": "sum", "as_published": None}
        else:
            parameters = registry.parameters(entry).items()
            plain = {key: "???" if value is dataclasses.MISSING else _plain(value) for key, value in parameters}
            yield kind, name, {"name": name, **plain}


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, (tuple, list)) else value
