"""Choices: which groups there are, which names each has, and what is wrong with another name."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from runner.base import (
    ALIASES,
    KINDS,
    UserError,
    is_hidden,
    is_own,
    nearest,
    of_several,
    override_text,
    parameters_of,
    read_text,
    suggest,
)
from runner.config.cell.registries import registered_parts
from runner.config.grammar import settings

_MAX_NAMED = 4
_DECORATORS = {
    "heuristic": "@runner.python_heuristic(...) above the function",
    "algorithm": "@runner.python_algorithm(...) above the function",
    "world": '@runner.register("world", ...) above the class',
}


class ChoiceGroups:
    """Groups and their names: YAML files in folders, and registered entries.

    Parameters
    ----------
    folders : sequence of Path
        Folders with a folder for each group.

    Attributes
    ----------
    plugins : sequence of str
        Names of the plug-ins of the command, for messages.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = folders
        self.plugins: Sequence[str] = ()
        self._names: dict[str, list[str]] = {}

    def names(self, group: str) -> list[str]:
        """Return the sorted names of a group; empty if there is no such group."""
        if group not in self._names:
            names = {name for _, name, _ in registered_parts(group)}
            for folder in [folder / group for folder in self.folders if group.partition("/")[0] in self.groups()]:
                with suppress(OSError):  # the name is too long
                    files = (file for file in folder.rglob("*.yaml") if not is_hidden(file.name))
                    names.update(file.relative_to(folder).with_suffix("").as_posix() for file in files)
            self._names[group] = sorted(names)
        return self._names[group]

    def is_group(self, key: str) -> bool:
        """Whether a key is the name of a group."""
        return "." not in key and bool(self.names(key))

    def groups(self) -> set[str]:
        """Return the names of all groups."""
        names = (path.name for folder in self.folders for path in folder.iterdir() if path.is_dir())
        return {*KINDS, *(name for name in names if not name.startswith((".", "_")))}  # such as __pycache__

    def missing(self, path: str) -> UserError:
        """Return the error for a choice that does not exist, such as ``algorithm/astr`` or ``world/wumpus/sttic``."""
        group, _, name = path.partition("/")
        if group == "hydra":
            settings.refuse_replaced(path.rpartition("/")[0])
        if not name:
            return UserError(f"--config-name: there is no {group}.yaml in {', '.join(map(str, self.folders))}")
        if several := of_several(name, self.names(group)):
            return UserError(f"{group}: {several}")
        hint = suggest(name, self.names(group))
        is_near = bool(nearest(name, self.names(group)))
        silent = [each for each in self.plugins if _registers_nothing(each)]
        silent = [each for each in silent if not is_near or hasattr(sys.modules[each], name)]
        file = _file_with(name, is_near) if group in KINDS else None
        if group in _DECORATORS and silent:
            hint = f"; {silent[0].replace('.', '/')}.py registers nothing: write {_DECORATORS[group]}"
        elif file is not None and file.stem not in self.plugins:
            hint = f"; 'plugins=[{file.stem}]' imports {file}"
        elif group in KINDS and not self.plugins and not is_near:
            article = "an" if group == "algorithm" else "a"
            hint = f"; {article} {group} of your own needs 'plugins=[FILE]'{hint}"
        return UserError(f"{group}: there is no '{name}'{hint}")

    def unknown_group(self, group: str) -> UserError:
        """Return the error for a group that does not exist."""
        return UserError(f"{group}: there is no such group{suggest(group, sorted(self.groups()))}")

    def unknown_key(self, key: str, configuration: Mapping[str, Any]) -> UserError:
        """Return the error for a key that a configuration does not have."""
        section, _, name = key.rpartition(".")
        if not section:
            places = " or ".join(_sections_with(ALIASES.get(name, name), configuration))
            keys = sorted({*self.groups(), *configuration})
            hint = f"; did you mean {places}? choose from: {', '.join(keys)}" if places else suggest(name, keys)
            return UserError(f"{key}: unknown key{hint}")
        parent: Any = configuration
        for part in section.split("."):
            parent = parent.get(part) if isinstance(parent, dict) else None
        allowed = [str(name) for name in parent if name != "name"] if isinstance(parent, dict) else []
        if not allowed and self.is_group(section):
            choices = ", ".join(self.names(section))
            return UserError(f"{key}: this choice of {section} has no parameters; choose from: {choices}")
        owners = _choices_with(section, name, parent)
        hint = f"; choose from: {', '.join(allowed)} ('{name}' is a key of {', '.join(owners)})"
        if isinstance(parent, dict) and parent.get("name") in owners:  # the file of this choice leaves it out
            hint = f"; write +{key}=..., because this choice of {section} leaves it out"
        return UserError(f"{key}: unknown key{hint if owners and allowed else suggest(name, allowed)}")

    def refuse_value(self, group: str, value: object) -> None:
        """Raise `UserError` if the value of a group cannot be the name of a choice."""
        if value == "":
            raise UserError(f"{group}: the name is missing{suggest('', self.names(group))}")
        if isinstance(value, (int, float, type(None))):
            raise UserError(f"{group}: there is no '{value}'{suggest('', self.names(group))}")
        if isinstance(value, list) and group in KINDS:
            stack = f"heuristic.stack={override_text(value)} for a stack, or " if group == "heuristic" else ""
            names = ",".join(map(str, value))
            raise UserError(f"{group}: expected one name, got a list; write {stack}-m {group}={names} for a sweep")


def _registers_nothing(plugin: str) -> bool:
    """Return whether a plug-in has no decorator, and neither it nor what it imports has registered anything."""
    module = sys.modules[plugin]
    used = {getattr(each, "__module__", None) or getattr(each, "__name__", "") for each in vars(module).values()}
    others = {entry.__module__ for each in KINDS for *_, entry in registered_parts(each) if not is_own(entry)}
    with suppress(OSError, TypeError):  # no source
        if "@" not in inspect.getsource(module):
            return not any(f"{other}.".startswith(f"{each}.") for other in others for each in (plugin, *used))
    return False


def _file_with(name: str, is_near: bool) -> Path | None:
    """Return the Python file in the working directory that has a name, or else the first with it in a decorator.

    If the name is near to another one, a file that has it is a plug-in only if it mentions the runner.
    """
    named = Path(f"{name}.py")
    in_decorator = re.compile(rf"""^[ \t]*@[^\n]*[(,]\s*(["']){re.escape(name)}\1""", re.MULTILINE)
    files = [file for file in sorted(Path().glob("*.py")) if file.stem.isidentifier()] if name else []
    for file in sorted(files, key=lambda file: file != named):
        with suppress(UserError):
            text = read_text(file)
            if (file == named and ("runner" in text or not is_near)) or in_decorator.search(text):
                return file
    return None


def _sections_with(name: str, configuration: Mapping[str, Any]) -> list[str]:
    """Return the keys of sections that end with a name, in this configuration or with another choice."""
    return [
        f"{section}.{name}"
        for section in (*KINDS, "limits")
        if name != "name" and (name in (configuration.get(section) or ()) or _choices_with(section, name))
    ]


def _choices_with(section: str, name: str, chosen: object = None) -> list[str]:
    """Return the choices that have a parameter: those of the chosen domain, or else the first few."""
    owners = {choice: None for _, choice, entry in registered_parts(section) if name in parameters_of(entry)}
    domain = str(chosen.get("name")).partition("/")[0] if isinstance(chosen, dict) else ""
    return [choice for choice in owners if choice.startswith(f"{domain}/")] or list(owners)[:_MAX_NAMED]
