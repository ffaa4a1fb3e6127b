"""A request: the words of a command, and what follows from them: composer, configuration, settings, combinations."""

from __future__ import annotations

import secrets
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from hydra.core.override_parser.types import Override

from runner.base import KINDS, PluginError, UserError, convert, message, override_text, section_of_word
from runner.config.cell.keys import NOT_OF_IDENTITY, Settings, keys_of_commands
from runner.config.cell.schema import Cell, Parser, settings_of
from runner.config.compose import experiments
from runner.config.compose.composer import Composer
from runner.config.compose.composition import Composition
from runner.config.doors import plugins
from runner.config.doors.commands import Command
from runner.config.grammar import versions
from runner.config.grammar.parse_overrides import parse
from runner.config.space import SWEEP_KEY, Space, has_several_values, swept_keys


@dataclass(frozen=True)
class Request:
    """Words of a command that composes configurations. What follows from them is computed once, when it is needed.

    Attributes
    ----------
    overrides : tuple of str
        Overrides in Hydra's grammar.
    is_sweep : bool
        Whether the words ask for a sweep (``-m``).
    config_dirs : tuple of Path
        Folders of ``--config-dir``.
    config_name : str
        Name of the primary configuration.
    command : Command or None
        Command with a section, whose primary configuration is composed.
    """

    overrides: tuple[str, ...]
    is_sweep: bool = False
    config_dirs: tuple[Path, ...] = ()
    config_name: str = "config"
    command: Command | None = None

    def of_command(self, command: Command) -> Request:
        """Return the request with the primary configuration of a command, unless it names another one."""
        if command.folder is None and command.section is not None:
            plugins.offer_section(command.name, command.section)
        name = command.name if self.config_name == "config" else self.config_name
        return replace(self, config_name=name, command=command)

    def in_folder(self, folder: str | Path) -> Request:
        """Return the request with the folder of its run or sweep."""
        mode = "sweep" if self.is_sweep else "run"
        return replace(self, overrides=(*self.overrides, f"hydra.{mode}.dir={override_text(str(folder))}"))

    @cached_property
    def parsed(self) -> list[Override]:
        """Overrides as Hydra parses them."""
        return parse(self.overrides)

    @cached_property
    def _composer(self) -> Composer:
        """Composer before the import of plug-ins, which register choices."""
        folder = None if self.command is None else self.command.folder
        return Composer(self.config_name, self.config_dirs, self.parsed, folder)

    @cached_property
    def composer(self) -> Composer:
        """Composer, after the import of the installed plug-ins and of those that the request names."""
        versions.register_resolver("unique", lambda: secrets.token_hex(3), use_cache=True)
        versions.register_resolver("power_of_ten", _power_of_ten)
        plugins.load_for(self._composer, self.plugin_folders)
        return self._composer

    @property
    def experiment_files(self) -> list[Path]:
        """Experiments that are given by their paths."""
        return experiments.given_by_path(self.parsed)

    @property
    def plugin_folders(self) -> list[Path]:
        """Folders that are searched for plug-ins, with their parents, after the working directory."""
        return [*self.config_dirs, *(file.parent for file in self.experiment_files)]

    @property
    def has_sweep_file(self) -> bool:
        """Whether an experiment that is given by its path has a section ``sweep``."""
        files = map(self._composer.experiment, self.experiment_files)
        sections = (file.content.get(SWEEP_KEY) for file in files)
        return any(isinstance(each, Mapping) and any(each.values()) for each in sections)

    def first_sweep(self) -> Override | None:
        """Return the first override with several values."""
        return next((each for each in self.parsed if has_several_values(each)), None)

    @cached_property
    def single(self) -> Composition:
        """Configuration of a single run; raises `UserError` if a key has several values."""
        swept = self.first_sweep()
        if swept is not None:
            raise UserError(f"'{swept.input_line}': several values make a sweep; add -m{self._in_brackets(swept)}")
        return self.composer.compose(self.parsed)

    def _in_brackets(self, swept: Override) -> str:
        """Return how to write the values of an override as one list, if the key has a list."""
        key, _, values = str(swept.input_line).partition("=")
        with suppress(KeyError):  # there is no such key
            others = [each for each in self.parsed if not has_several_values(each)]
            if "." in key and isinstance(self.composer.compose(others).select(key.lstrip("+")), list):
                return f", or write one list in brackets: {key}=[{values}]"
        return ""

    @cached_property
    def common(self) -> Composition:
        """Configuration that all cells of a sweep share: without swept keys, and without values in swept sections."""
        swept = {section_of_word(each.key_or_group) for each in self.parsed if _is_swept(each)}
        swept.update(section_of_word(key) for key in swept_keys(self._without_values))
        return self._without_values if "experiment" in swept else self._without_values_of(swept)

    @cached_property
    def _without_values(self) -> Composition:
        """Configuration without swept keys, and without values in the sections of choices."""
        return self._without_values_of({*KINDS, "limits"})

    def _without_values_of(self, names: Container[str]) -> Composition:
        fixed = ((each, each.key_or_group) for each in self.parsed if not _is_swept(each))
        return self.composer.compose(
            [each for each, key in fixed if "." not in key or section_of_word(key) not in names]
        )

    @property
    def settings(self) -> Settings:
        """Settings that apply to the whole command."""
        return settings_in(self.common if self.is_sweep else self.single)

    @cached_property
    def space(self) -> Space:
        """Combinations of a sweep."""
        space = Space(self.composer, self.common, self.parsed)
        for key in space.swept:
            if key in (*keys_of_commands(), *NOT_OF_IDENTITY):
                raise UserError(f"{key}: applies to the whole command and cannot be swept")
        return space

    def separate(self) -> list[Request]:
        """Return a request for each combination of values; this one if no key has several.

        Raises
        ------
        UserError
            If all combinations are excluded.
        """
        with self.locating():
            if self.first_sweep() is None and not swept_keys(self._without_values):
                return [self]
            words = [tuple(choice.text for choice in choices) for choices in self.space.cells()]
        if not words:
            raise UserError(f"{SWEEP_KEY}.exclude: excludes every combination")
        return [replace(self, overrides=each, is_sweep=False) for each in words]

    def refuse_sweep(self) -> None:
        """Raise `UserError` if several configurations are requested of a command with a section."""
        command = self.command
        assert command is not None
        swept = self.first_sweep()
        if swept is not None:
            is_heuristic = swept.key_or_group == "heuristic"
            stack = ", or one stack of several heuristics: heuristic.stack=[...]" if is_heuristic else ""
            raise UserError(
                f"'{swept.input_line}': {command.noun} takes one value for each key; {command.name} each separately"
                f"{command.instead_of_sweep}{stack}"
            )
        if self.is_sweep:
            raise UserError(f"-m: {command.noun} takes one value for each key and is never a sweep; leave out -m")

    def composed(self) -> Single:
        """Return the configuration that a command with a section requests.

        Raises
        ------
        UserError
            If several configurations are requested, or a dry run, or a value of the section is wrong.
        """
        command = self.command
        assert command is not None
        self.refuse_sweep()
        with self.locating():
            composition = self.single
        settings = settings_in(composition)
        if settings.dry_run:
            raise UserError(f"dry_run: is for runs and sweeps; {command.noun} has no dry run")
        swept = swept_keys(composition)
        if swept and not command.takes_several:
            keys = ", ".join(swept)
            message(f"note: this configuration is a sweep over {keys}; the {command.name} takes one value for each key")
        section: Any = command.section
        values = convert(section, composition.resolved.get(command.name) or {}, where=command.name)
        return Single(composition, settings, values)

    @contextmanager
    def locating(self) -> Iterator[None]:
        """Add the file and the line of an experiment to an error about one of its keys."""
        try:
            yield
        except PluginError:
            raise
        except UserError as error:
            raise UserError(self._composer.located(str(error))) from None


class Single(NamedTuple):
    """Configuration that a command with a section has composed.

    Attributes
    ----------
    composition : Composition
    settings : Settings
    section : object
        Values of the section of the command, in its dataclass.
    """

    composition: Composition
    settings: Settings
    section: Any

    def cell(self) -> Cell:
        """Return the cell of the configuration, checked, and print its notes."""
        found = Parser().parse(self.composition.resolved)
        for note in found.all_notes:
            message(f"note: {note}")
        return found


def settings_in(composition: Composition) -> Settings:
    """Return the settings of a configuration that apply to the whole command."""
    names = [name for name in Settings.__dataclass_fields__ if name in composition.unresolved]
    return settings_of({name: composition.select(name) for name in names})


def _is_swept(override: Override) -> bool:
    return has_several_values(override) or override.value() == "*"


def _power_of_ten(exponent: int) -> int:
    if not 0 <= int(exponent) <= 18:
        raise ValueError(f"power_of_ten: expected an exponent from 0 to 18, got {exponent}")
    return int(10 ** int(exponent))
