"""Memory of the tests: files of this folder are parsed once, and configurations of the same words composed once.

A command of the runner composes a configuration by Hydra, which takes 60 ms; those of tests are alike. What is
remembered depends on the words and the choices of plug-ins. Callers get a copy each time.
"""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from omegaconf import DictConfig, open_dict

from runner.config.compose import composer

ROOT = str(Path(__file__).parents[1])
CONF = f"{ROOT}/conf"
MAX_REMEMBERED = 20_000
"""Characters of a text of YAML that is parsed once."""


def remember() -> None:
    """Let this process parse and compose once."""
    yaml.load = parsed_once(yaml.load)
    yaml.compose = nodes_once(yaml.compose)
    composer.compose = composed_once(composer.compose)  # type: ignore[attr-defined]


def parsed_once(load: Callable[..., Any]) -> Callable[..., Any]:
    """Return `yaml.load` that parses a text, or a file of conf/, once: each command of the runner reads 27 of them."""
    contents: dict[tuple[str, str], Any] = {}

    def loaded(stream: Any, Loader: Any) -> Any:
        name = stream if isinstance(stream, str) else str(getattr(stream, "name", ""))
        if len(name) > MAX_REMEMBERED or not (isinstance(stream, str) or name.startswith(CONF)):
            return load(stream, Loader)
        key = (name, Loader.__qualname__)
        if key not in contents:
            contents[key] = load(stream, Loader)
        return copy.deepcopy(contents[key])

    return loaded


def nodes_once(compose: Callable[..., Any]) -> Callable[..., Any]:
    """Return `yaml.compose` that reads a text once. Nobody changes its nodes."""
    known: dict[tuple[str, Any], Any] = {}

    def composed(text: str, loader: Any) -> Any:
        if len(text) > MAX_REMEMBERED:
            return compose(text, loader)
        if (text, loader) not in known:
            known[text, loader] = compose(text, loader)
        return known[text, loader]

    return composed


def composed_once(compose: Callable[..., DictConfig]) -> Callable[..., DictConfig]:
    """Return Hydra's `compose` that composes the same words once, if all files are those of this folder."""
    known: dict[Any, bytes] = {}

    def composed(name: str, words: list[str], return_hydra_config: bool) -> DictConfig:
        searched = GlobalHydra.instance().config_loader().get_search_path().get_path()
        folders = tuple(str(each.path) for each in searched)
        others = [each for each in folders if each.startswith("/") and not each.startswith(ROOT)]
        if others or any(re.search(r"file:|oc\.env|env_copy", word) for word in words):
            return compose(name, words, return_hydra_config=return_hydra_config)
        key = (name, *words, folders, return_hydra_config, offered(ConfigStore.instance().repo))
        if key not in known:
            known[key] = pickle.dumps(compose(name, words, return_hydra_config=return_hydra_config))
        config: DictConfig = pickle.loads(known[key])
        with open_dict(config):
            config.hydra.runtime.cwd = str(Path.cwd())
        return config

    return composed


def offered(groups: dict[str, Any]) -> tuple[Any, ...]:
    """Return the choices that plug-ins have offered to Hydra, with their content."""
    return tuple(
        (name, offered(each) if isinstance(each, dict) else f"{each.package} {each.node}")
        for name, each in sorted(groups.items())
        if isinstance(each, dict) or each.provider != "hydra"
    )
