"""Tab completion in bash, zsh and fish of options, commands, groups, choices, keys and values."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import argcomplete
from argcomplete.completers import BaseCompleter, FilesCompleter
from argcomplete.lexers import split_line
from hydra.core.override_parser.types import Glob

from runner.base import KINDS, UserError
from runner.config import (
    COMMANDS,
    REGISTRIES,
    Command,
    Composer,
    Composition,
    Settings,
    is_path,
    options_of,
    parse,
    parse_run,
    run_parser,
)
from runner.records import LATEST

_OF_HYDRA = ("hydra.run.dir=", "hydra.sweep.dir=")
_OF_FOLDERS = ("folder", "folders", "directory", "resume")
"""Arguments that name the folder of a run or a sweep."""
_FREE = ("number", "text", "null")


def main() -> None:
    """Print the completions at the cursor for the shell, and end the process."""
    line, point = os.environ["COMP_LINE"], int(os.environ["COMP_POINT"])
    quote, prefix, _, words, _ = split_line(line, point)
    given = words[int(os.environ["_ARGCOMPLETE"]) :]
    command = COMMANDS.find(given[0]) if given and given[0] in COMMANDS.names() else None
    parser = run_parser("") if command is None else command.parser()
    option = given[-1] if given and given[-1].startswith("-") else ""
    line = f"runner {option} {quote}{prefix}"
    os.environ.update(COMP_LINE=line, COMP_POINT=str(len(line.encode())), _ARGCOMPLETE="1")

    argcomplete.autocomplete(parser, always_complete_options=False, default_completer=_Words(given, command))


class _Words(BaseCompleter):
    """Completer of overrides and commands, or of files. Argcomplete itself completes options."""

    def __init__(self, given: Sequence[str], command: Command | None) -> None:
        self.given, self.command = given, command

    def __call__(self, prefix: str, action: argparse.Action, **_: Any) -> list[str]:
        if action.dest != "overrides" or (self.command is not None and not self.command.takes_run):
            is_folder = action.dest in _OF_FOLDERS and LATEST.startswith(prefix)
            return [*([LATEST] if is_folder else []), *FilesCompleter()(prefix)]
        commands = [] if self.given else [name for name in COMMANDS.names() if name.startswith(prefix)]
        return commands + list(overrides(prefix, self.given[self.command is not None :], self.command))


def overrides(prefix: str, given: Sequence[str], command: Command | None = None) -> Iterator[str]:
    """Yield the overrides that complete a text.

    Parameters
    ----------
    prefix : str
        The text.
    given : sequence of str
        Words before the text on the command line.
    command : Command, optional
        Command with the words of a run; None for a run.
    """
    composer, composition = _composed(given, command)
    sign = prefix[: len(prefix) - len(prefix.lstrip("+~"))]
    key, is_set, value = prefix.removeprefix(sign).partition("=")
    if is_set:
        before, comma, _ = value.rpartition(",")
        candidates = (f"{sign}{key}={before}{comma}{each}" for each in _values(key, composer, composition.unresolved))
    else:
        groups = (*KINDS, "limits", *(["+experiment"] if composer.groups.names("experiment") else ()))
        candidates = (f"{each}=" for each in (*groups, *_keys(composition.unresolved)))
        candidates = (each if each.startswith(sign) else f"{sign}{each}" for each in (*candidates, *_OF_HYDRA))
        candidates = (each.removesuffix("=") for each in candidates) if sign == "~" else candidates
    yield from (each for each in candidates if each.startswith(prefix))


def _composed(given: Sequence[str], command: Command | None) -> tuple[Composer, Composition]:
    """Compose the words before the cursor, with the first value of each sweep. Ignore all if one is wrong."""
    try:
        request = parse_run(run_parser(""), [w for w in given if "=" in w or w.startswith("-") or is_path(w)])[1]
        if command is not None and command.section is not None:
            request = request.of_command(command)
        swept = [each for each in request.parsed if each.is_sweep_override()]
        first = (each for each in swept if not isinstance(each.value(), Glob))
        words = parse(f"{each.key_or_group}={next(each.sweep_string_iterator())}" for each in first)
        return request.composer, request.composer.compose([*(e for e in request.parsed if e not in swept), *words])
    except UserError:
        if not given:
            raise
        return _composed((), command)


def _keys(section: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for name, value in section.items():
        if isinstance(value, Mapping) and value and name != "sweep":
            yield from _keys(value, f"{prefix}{name}.")
        elif name not in ("name", "sweep"):
            yield f"{prefix}{name}"


def _values(key: str, composer: Composer, composed: Mapping[str, Any]) -> list[str]:
    """Return the choices of a group, or the values of a key whose values can be listed."""
    if composer.groups.is_group(key):
        return composer.groups.names(key)
    section, _, name = key.rpartition(".")
    if key == "workers":
        return ["0", "1", "all"]
    chosen = composed.get(section) or {}
    names = [chosen["name"]] if "name" in chosen else [str(each) for each in chosen.get("stack") or ()]
    entries = [Settings] if not section else [
        REGISTRIES[section].find(each, domain=domain)
        for each in names
        for domain in (REGISTRIES[section].domains(each) if each not in REGISTRIES[section].names() else [None])
    ]  # fmt: skip
    kinds = [option.kind for entry in entries for option in options_of(entry) if option.name == name]
    return [each for kind in kinds for each in kind.split(" | ") if each not in _FREE and " " not in each]
