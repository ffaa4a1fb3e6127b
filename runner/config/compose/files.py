"""Files of a configuration: their contents, what their defaults lists choose, and where a key stands in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml
from omegaconf import OmegaConf

from runner.base import BoundedLoader, line_error

KeyPath = tuple[str | int, ...]
"""Keys and indices of a value in a configuration."""


class _Loader(BoundedLoader):
    max_values = 1_000_000


class ConfigFile:
    """YAML file of a configuration. Each is read once, and Hydra reports what cannot be read.

    Parameters
    ----------
    file : Path
    path : str
        Group and name, such as ``algorithm/astar``.
    content : object, optional
        What Hydra gets instead of the content of the file.

    Attributes
    ----------
    content : object
        None if the file cannot be read.

    Raises
    ------
    UserError
        If it begins with a byte order mark, behind which Hydra finds no header.
    """

    def __init__(self, file: Path, path: str, content: Any = None) -> None:
        self.file = file
        self.path = path
        self.content = content
        self._text = ""
        try:
            self._text = file.read_text(encoding="utf-8")
            self.content = yaml.load(self._text, _Loader) if content is None else content
        except (OSError, ValueError, yaml.YAMLError):
            return
        if re.match("\ufeff *# *@", self._text):
            raise line_error(
                file, 1, "Hydra reads no '# @package' after a byte order mark; save the file as UTF-8 without it"
            )

    @cached_property
    def section(self) -> dict[str, Any] | None:
        """Content of the file if it sets nothing but the section that has the name of its group; None otherwise.

        It has no defaults list, no other package and no interpolation.
        """
        content = self.content
        if self._packages != {self.path.partition("/")[0]} or not isinstance(content, dict) or "defaults" in content:
            return None
        try:
            section: Any = OmegaConf.to_container(OmegaConf.create(self._text), resolve=False)
        except yaml.YAMLError:  # a key that is there twice
            return None
        return None if interpolations(section) else section

    @cached_property
    def touched(self) -> set[str] | None:
        """Sections that the file may set, beside its own `section`; None if it may be any."""
        content = self.content if isinstance(self.content, dict) else {}
        without_hydra = {key: value for key, value in content.items() if key != "hydra"}
        is_moved = self._packages != {"_global_"} or any("@" in str(each) for each in content.get("defaults") or ())
        if self.section is not None:
            return set()
        return None if is_moved or interpolations(without_hydra) else {self._group, *map(str, content)}

    @property
    def _packages(self) -> set[str]:
        """Places of the keys of the file: a section, or `_global_`; none if it cannot be read."""
        if self.content is None and self._text:
            return set()
        return {*re.findall(r"@package\s+(\S+)", self._text)} or {self._group.replace("/", ".") or "_global_"}

    @property
    def _group(self) -> str:
        return self.path.rpartition("/")[0]

    @property
    def chosen(self) -> Iterator[str]:
        """Files that the defaults list chooses, such as ``algorithm/astar``."""
        group = self._group
        entries = self.content.get("defaults") if isinstance(self.content, dict) else None
        for entry in entries if isinstance(entries, list) else []:
            for key, value in entry.items() if isinstance(entry, dict) else [("", entry)]:
                name = str(key).removeprefix("optional ").removeprefix("override ").partition("@")[0].strip()
                for choice in value if isinstance(value, list) else [value]:
                    below = f"{name}/{choice}" if name else str(choice)
                    yield below.lstrip("/") if below.startswith("/") or not group else f"{group}/{below}"

    @cached_property
    def lines(self) -> dict[str, int]:
        """Lines of the keys, and of the groups in the defaults list, such as ``world`` for ``override /world``."""
        found: dict[str, int] = {}
        for path, line, _ in self._keys:
            steps = [*path[:1], *(step.lstrip("+~") if isinstance(step, str) else step for step in path[1:])]
            is_choice = path[0] == "defaults" and len(path) == 3
            found[str(path[2]).split()[-1].lstrip("/") if is_choice else dotted(steps)] = line
        return found

    def texts_of(self, path: KeyPath) -> list[str]:
        """Return the plain scalars of a key as they stand in the file. The key may stand in any package."""
        return [text for known, text in self._texts.get(path[-1:], ()) if path[-len(known) :] == known]

    @cached_property
    def _texts(self) -> dict[KeyPath, list[tuple[KeyPath, str]]]:
        """Plain scalars with their keys, by the last parts of the keys."""
        found: dict[KeyPath, list[tuple[KeyPath, str]]] = {}
        for path, _, node in self._keys:
            if isinstance(node, yaml.ScalarNode) and node.style is None:
                found.setdefault(path[-1:], []).append((path, node.value))
        return found

    @cached_property
    def _keys(self) -> list[tuple[KeyPath, int, yaml.Node]]:
        """Keys and indices of all values, with their lines."""
        try:
            return list(_below(yaml.compose(self._text, _Loader), ()))
        except yaml.YAMLError:
            return []


def _below(node: yaml.Node | None, path: KeyPath) -> Iterator[tuple[KeyPath, int, yaml.Node]]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.tag == "tag:yaml.org,2002:merge":
                for each in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                    yield from _below(each, path)
            else:
                yield (*path, str(key.value)), key.start_mark.line + 1, value
                yield from _below(value, (*path, str(key.value)))
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield (*path, index), item.start_mark.line + 1, item
            yield from _below(item, (*path, index))


def leaves(value: Any, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Any]]:
    """Yield the scalars of a configuration with their keys."""
    if isinstance(value, (dict, list)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(item, (*path, key))
    else:
        yield path, value


def interpolations(value: Any) -> list[str]:
    """Return the texts in a value that have an interpolation."""
    return [leaf for _, leaf in leaves(value) if isinstance(leaf, str) and "${" in leaf]


def dotted(path: Iterable[str | int]) -> str:
    """Return the key of a value, such as ``algorithm.command[3]``."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")
