"""Memory of the tests: files of this folder are parsed once, and configurations of the same words composed once.

A command of the runner composes three or four configurations, and Hydra takes 60 ms for each; the commands of tests are
alike. What is remembered depends on the words, the files and the choices of plug-ins. Callers get a copy each time.
"""

from __future__ import annotations

import copy
import io
import itertools
import pickle
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from omegaconf import DictConfig, OmegaConf, open_dict

from runner.config.compose import composer

ROOT = str(Path(__file__).parents[1])
CONF = f"{ROOT}/conf"
MAX_REMEMBERED = 20_000
"""Characters of a text of YAML that is parsed once."""
DIRECTORY = re.compile(
    r"(hydra\.(run|sweep)\.dir)=(?:'([^'\\${}]+)'|((?!(?i:true|false|null|nan|inf)$)[a-zA-Z/][\w./-]*))"
)
PLACE = "folder_of_results"
"""Word for the folder of a run or a sweep, which decides nothing else."""
ENVIRONMENT = re.compile(rb"oc\.env|env_copy")
MAX_FILES = 20
"""Files of the folders of a test that are compared."""
OF_A_TEST = re.compile(rf"{re.escape(tempfile.gettempdir())}/pytest-of-[^/]+/pytest-\d+/\w+")
"""Folder of a test, or of a fixture."""


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
    """Return Hydra's `compose` that composes the same words and files once, whatever the name of the folder."""
    known: dict[Any, bytes] = {}

    def composed(name: str, words: list[str], return_hydra_config: bool) -> DictConfig:
        searched = GlobalHydra.instance().config_loader().get_search_path().get_path()
        folders = [*(str(each.path) for each in searched), *re.findall(r"file:/*(/[^'\\,\]]+)", " ".join(words[:1]))]
        own = [folder for folder in folders if folder.startswith("/") and not folder.startswith(ROOT)]
        places = sorted({*OF_A_TEST.findall("\0".join([*own, *words]))})
        files = contents(own, places)
        if files is None or ENVIRONMENT.search(" ".join(words).encode()):
            return compose(name, words, return_hydra_config=return_hydra_config)
        keys = [word.lstrip("+~").partition("=")[0] for word in words]
        directories = [
            each if each and keys.count(each[1]) == 1 and not {"hydra", f"hydra.{each[2]}"} & {*keys} else None
            for each in map(DIRECTORY.fullmatch, words)
        ]
        alike = [f"{each[1]}={PLACE}" if each else word for each, word in zip(directories, words, strict=True)]
        texts = _Places(io.BytesIO(), places).without("\0".join([name, *folders, "", *alike]))
        key = (texts, files, return_hydra_config, offered(ConfigStore.instance().repo))
        if key not in known:
            buffer = io.BytesIO()
            _Places(buffer, places).dump(compose(name, alike, return_hydra_config=return_hydra_config))
            known[key] = buffer.getvalue()
        config: DictConfig = _Placed(io.BytesIO(known[key]), places).load()
        with open_dict(config):
            config.hydra.runtime.cwd = str(Path.cwd())
            for each in filter(None, directories):
                config.hydra[each[2]].dir = each[3] or each[4]
            typed = dict(zip(alike, words, strict=True))
            made: Any = OmegaConf.to_container(config.hydra.overrides.hydra, resolve=False)
            config.hydra.overrides.hydra = [typed.get(str(word), word) for word in made]
        return config

    return composed


def contents(folders: list[str], places: list[str]) -> tuple[tuple[str, bytes], ...] | None:
    """Return the files of folders of a test; None if there are many, or one refers to the folder or the environment."""
    found: list[tuple[str, bytes]] = []
    for number, folder in enumerate(folders):
        for file in itertools.islice(sorted(Path(folder).rglob("*.yaml")), MAX_FILES + 1):
            content = file.read_bytes()
            if (
                len(found) == MAX_FILES
                or ENVIRONMENT.search(content)
                or any(place.encode() in content for place in places)
            ):
                return None
            found.append((f"{number}/{file.relative_to(folder)}", content))
    return tuple(found)


class _Places(pickle.Pickler):
    """Pickle texts without the names of folders of tests."""

    def __init__(self, file: io.BytesIO, places: list[str]) -> None:
        super().__init__(file)
        self._places = places

    def without(self, text: str) -> str:
        for number, place in enumerate(self._places):
            text = text.replace(place, f"\1{number}\1")
        return text

    def persistent_id(self, obj: Any) -> str | None:
        return self.without(obj) if isinstance(obj, str) and any(place in obj for place in self._places) else None


class _Placed(pickle.Unpickler):
    """Load texts with the names of other folders."""

    def __init__(self, file: io.BytesIO, places: list[str]) -> None:
        super().__init__(file)
        self._places = places

    def persistent_load(self, pid: str) -> str:
        for number, place in enumerate(self._places):
            pid = pid.replace(f"\1{number}\1", place)
        return pid


def offered(groups: dict[str, Any]) -> tuple[Any, ...]:
    """Return the choices that plug-ins have offered to Hydra, with their content."""
    return tuple(
        (name, offered(each) if isinstance(each, dict) else f"{each.package} {each.node}")
        for name, each in sorted(groups.items())
        if isinstance(each, dict) or each.provider != "hydra"
    )
