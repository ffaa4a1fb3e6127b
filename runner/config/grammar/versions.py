"""Differences between Hydra 1.3 with OmegaConf 2.3 and Hydra 1.4 with OmegaConf 2.4."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import hydra
from hydra import initialize_config_dir
from hydra.core.config_store import ConfigStore
from hydra.plugins.config_source import ConfigLoadError
from omegaconf import OmegaConf

IS_HYDRA_1_3 = hydra.__version__.startswith("1.3.")


def initialized(folder: Path) -> AbstractContextManager[Any]:
    """Return a context in which Hydra composes the configurations of a folder.

    Hydra 1.3 warns without a `version_base`, Hydra 1.4 with one.
    """
    version: dict[str, Any] = {"version_base": "1.3"} if IS_HYDRA_1_3 else {}
    return initialize_config_dir(str(folder), job_name="runner", **version)


def register_resolver(name: str, resolver: Callable[..., Any], *, use_cache: bool = False) -> None:
    """Register or replace a resolver ``${name:...}``. OmegaConf 2.4 calls `register_new_resolver` deprecated."""
    register: Any = OmegaConf.register_new_resolver if IS_HYDRA_1_3 else OmegaConf.register_resolver
    register(name, resolver, replace=True, use_cache=use_cache)


def offer(group: str | None, name: str, content: Any, package: str | None, provider: str) -> None:
    """Offer Hydra a choice of a group, or without a group a primary configuration.

    Hydra 1.4 warns unless an option asks it to replace an earlier choice of this name.
    """
    replace: dict[str, Any] = {} if IS_HYDRA_1_3 else {"replace": True}
    ConfigStore.instance().store(name, content, group, package=package, provider=provider, **replace)


def offered(group: str, name: str) -> dict[str, Any] | None:
    """Return the content of a choice that is offered in the package of its group; None if there is no such choice."""
    try:
        node = ConfigStore.instance().load(f"{group}/{name}.yaml")
    except ConfigLoadError:
        return None
    content: Any = OmegaConf.to_container(node.node, resolve=False)
    return content if node.package == group and isinstance(content, dict) else None
