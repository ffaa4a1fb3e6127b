"""Overrides become configurations: Hydra composes the choices, as seldom as possible, and values are set on a copy.

Hydra's public Compose API takes about 50 ms. A choice that sets its own section only, as most do, is put into what
Hydra composes without it; values are set by OmegaConf, as Hydra sets them.
`tests/runner/config/compose/test_composer.py` holds both to one composition by Hydra for each configuration.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from hydra import compose
from hydra.core.override_parser.types import Override, OverrideType
from hydra.errors import MissingConfigException
from omegaconf.errors import ConfigAttributeError, ConfigKeyError

from runner.base import DATA, UserError, override_text, section_of_word, shown, suggest
from runner.config.compose import experiments
from runner.config.compose.composition import Composition
from runner.config.compose.files import ConfigFile, KeyPath, interpolations, leaves
from runner.config.compose.texts import TextKeys, is_number, text_in
from runner.config.doors.choices import ChoiceGroups
from runner.config.grammar import versions
from runner.config.grammar.explain import FOREIGN, explained
from runner.config.grammar.parse_overrides import as_texts, is_of_hydra

CONF = DATA / "conf"
_PRIMARY = "config"
_MAX_SHOWN = 300
_UNKNOWN_GROUP = re.compile(r"(?:Could not override '|Invalid Defaults List override '/?)([^'@:]+)")
"""Error of Hydra 1.3 or 1.4 for a group in a defaults list that does not exist."""


def config_dirs_of(runtime: Mapping[str, Any]) -> list[Path]:
    """Return the folders of ``--config-dir`` from a recorded ``hydra.runtime``."""
    folders = [Path(str(source["path"])) for source in runtime["config_sources"] if source["schema"] == "file"]
    return [folder for folder in folders if folder != CONF]


class Composer:
    """Compose configurations from a primary configuration and folders with choices.

    Parameters
    ----------
    config_dirs : sequence of Path
        Folders of ``--config-dir``, searched after `conf`.
    overrides : sequence of Override
        Overrides of the command; ``+experiment=PATH.yaml`` names a file.
    config_folder : Path, optional
        Folder of the primary configuration of a command.

    Attributes
    ----------
    groups : ChoiceGroups
        Choices in all folders.
    texts : TextKeys
        Keys whose values are texts.
    """

    def __init__(
        self, config_name: str = _PRIMARY, config_dirs: Sequence[Path] = (), overrides: Sequence[Override] = (),
        config_folder: Path | None = None,
    ) -> None:  # fmt: skip
        self.config_name = config_name
        self.overrides = overrides
        of_command = [] if config_folder is None else [config_folder]
        self.groups = ChoiceGroups([CONF, *of_command, *(folder.resolve() for folder in config_dirs)])
        self.texts = TextKeys(self.groups.is_group)
        self._files: dict[tuple[Path, str], ConfigFile] = {}
        self._composed: dict[tuple[str, ...], Composition | UserError] = {}
        self._contents: dict[tuple[str, str], dict[str, Any] | None] = {}

    def located(self, problem: str) -> str:
        """Return a message with the file and the line of the key that it begins with.

        The message stays as it is if no chosen experiment has the key, or the command line replaces its value.
        """
        key = problem.partition(":")[0]
        if key.partition("[")[0] not in {override.key_or_group for override in self.overrides}:
            for each in self.files(self.overrides):
                if each.path.startswith(f"{experiments.EXPERIMENT}/") and key in each.lines:
                    return f"{shown(each.file)}: line {each.lines[key]}: {problem}"
        return problem

    def experiment(self, file: Path) -> ConfigFile:
        """Return an experiment file that is given by its path."""
        return self._file(file, f"{experiments.EXPERIMENT}/{file}", experiments.read)

    def files(self, overrides: Sequence[Override], choices: Iterable[str] = ()) -> Iterator[ConfigFile]:
        """Yield the files that Hydra reads: the primary one, those of choices, and those of their defaults lists.

        Parameters
        ----------
        choices : iterable of str
            Choices that these files make, such as ``algorithm/astar``.
        """
        by_path = {f"{experiments.EXPERIMENT}/{file}": file for file in experiments.given_by_path(overrides)}
        chosen = [
            f"{each.key_or_group}/{Path(name) if experiments.is_path(name) else name}"  # without ./
            for each in map(as_texts, overrides)
            for name in experiments.values_of(each)
        ]
        waiting = list(dict.fromkeys([self.config_name, *chosen, *choices]))
        for path in waiting:  # the loop appends to it
            for file in [self.experiment(by_path[path])] if path in by_path else self._in_folders(path):
                yield file
                waiting += [each for each in file.chosen if each not in waiting]

    def _in_folders(self, path: str) -> list[ConfigFile]:
        """Return the files of a choice, or the primary configurations, one for each folder that has it."""
        files = (folder / f"{path}.yaml" for folder in self.groups.folders)
        return [self._file(file, path) for file in files if os.path.isfile(file)]  # noqa: PTH113 - of long names, too

    def _file(self, file: Path, path: str, read: Callable[[Path], Any] | None = None) -> ConfigFile:
        if (file, path) not in self._files:
            self._files[file, path] = ConfigFile(file, path, None if read is None else read(file))
        return self._files[file, path]

    def compose(self, overrides: Sequence[Override]) -> Composition:
        """Compose a configuration from overrides without sweeps."""
        words = _words(overrides)
        overrides = [self.texts.typed(override) for override in overrides]
        for_hydra, values = self._divided(overrides)
        base = self._of_choices(for_hydra)
        try:
            return base.with_values(values, words)
        except UserError:
            raise
        except (ConfigKeyError, ConfigAttributeError) as error:
            raise self.groups.unknown_key(str(error.full_key), base.unresolved) from None
        except Exception:  # Hydra does it, or says what is wrong
            return self._of_choices(overrides).with_values((), words)

    def _divided(self, overrides: Sequence[Override]) -> tuple[list[Override], list[Override]]:
        """Return the overrides that Hydra applies, and the values that are set afterwards.

        Hydra sets values in their order, after the choices. Those before the deletion of a key are left to it.
        """
        for_hydra: list[Override] = []
        values: list[Override] = []
        for override in overrides:
            key = override.key_or_group
            is_choice = self._is_choice(override)
            if override.is_delete() and not is_choice:
                for_hydra += [*values, override]
                values = []
            elif is_choice or override.package or (is_of_hydra(key) and not _is_place(override)):
                for_hydra.append(override)
            else:
                values.append(override)
        return for_hydra, values

    def _is_choice(self, override: Override) -> bool:
        return self.groups.is_group(override.key_or_group) and not isinstance(override.value(), dict)

    def _of_choices(self, overrides: Sequence[Override]) -> Composition:
        """Return what Hydra composes. The same words are composed once."""
        words = _words(overrides)
        if words not in self._composed:
            try:
                self._composed[words] = self._put_together(overrides)
            except UserError as error:
                self._composed[words] = error
        found = self._composed[words]
        if isinstance(found, UserError):
            raise found
        return found

    def _put_together(self, overrides: Sequence[Override]) -> Composition:
        """Return what Hydra composes. Choices that set a section which nothing else sets are put in afterwards.

        What might not be the same, and what is wrong, is left to Hydra.
        """
        own = {each.key_or_group: each for each in overrides if self._content(each) is not None}
        touched = self._touched([each for each in overrides if each is not own.get(each.key_or_group)])
        put_in = {} if touched is None else {group: each for group, each in own.items() if group not in touched}
        if not put_in:
            return self._composed_by_hydra(overrides)
        with suppress(UserError):
            base = self._of_choices([each for each in overrides if each is not put_in.get(each.key_or_group)])
            if put_in.keys() <= base.unresolved.keys():
                sections = {group: self._content(each) for group, each in put_in.items()}
                return base.with_sections(sections, {group: str(each.value()) for group, each in put_in.items()})
        return self._composed_by_hydra(overrides)

    def _content(self, override: Override) -> dict[str, Any] | None:
        """Return the section that a choice sets; None if it may set others, or only Hydra finds it."""
        group, name = override.key_or_group, override.value()
        if override.type is not OverrideType.CHANGE or override.package or "/" in group or not isinstance(name, str):
            return None
        if (group, name) not in self._contents:
            files = self._in_folders(f"{group}/{name}") if name in self.groups.names(group) else []
            content = versions.offered(group, name) if not files else files[0].section if len(files) == 1 else None
            if content is not None:
                content = self._with_texts({group: content}, files)[group]
            self._contents[group, name] = content
        return self._contents[group, name]

    def _touched(self, around: Sequence[Override]) -> set[str] | None:
        """Return the sections that overrides and their files set, beside the choices of these; None if not known.

        They may set any with interpolations: Hydra resolves those in defaults lists, and those that it merges a mapping
        into.
        """
        values = [each.value() for each in around if not is_of_hydra(each.key_or_group)]
        touched = {section_of_word(each.key_or_group) for each in around}
        for file in self.files(around, [_PRIMARY]):
            if file.touched is None:
                return None
            touched |= file.touched
        return None if interpolations(values) else touched

    def _composed_by_hydra(self, applied: Sequence[Override]) -> Composition:
        words = " ".join(_words(applied))[:_MAX_SHOWN]
        for override in applied:
            if override.key_or_group == experiments.EXPERIMENT and not (override.is_add() or override.is_delete()):
                names = suggest("", self.groups.names(experiments.EXPERIMENT))
                raise UserError(f"experiment: choose it with a plus sign, +experiment=NAME{names}")
            if self.groups.is_group(override.key_or_group) and not override.is_delete():
                self.groups.refuse_value(override.key_or_group, override.value())
        main = next((folder for folder in self.groups.folders if (folder / f"{self.config_name}.yaml").is_file()), CONF)
        beside = [f"file://{folder}" for folder in self.groups.folders if folder != main]
        arguments = [f"hydra.searchpath={override_text(beside)}"] if beside else []
        arguments += [self._for_hydra(override) for override in applied]
        try:
            with versions.initialized(main):
                config = compose(self.config_name, arguments, return_hydra_config=True)
            found = Composition.of(config)
            given = [tuple(each.key_or_group.split(".")) for each in applied if not self._is_choice(each)]
            chosen = [f"{group.partition('@')[0]}/{name}" for group, name in found.chosen.items()]
            sections = {**found.unresolved, "hydra": found.hydra}
            texts = self._with_texts(sections, [*self.files(applied, chosen)], given)
            found.unresolved.update({key: texts[key] for key in found.unresolved})
        except UserError:
            raise
        except MissingConfigException as error:
            raise self.groups.missing(str(error.missing_cfg_file).lstrip("/")) from None
        except FOREIGN as error:
            raise self._explained(error) from None
        except OSError as error:  # the name is too long, or the file cannot be read
            raise UserError(f"{error.filename or words}: {error.strerror or error}") from None
        except Exception as error:  # PyYAML raises errors of all types for odd tags and encodings
            raise UserError(f"{words}: {type(error).__name__}: {error}") from None
        return found

    def _with_texts(
        self, sections: dict[str, Any], files: Sequence[ConfigFile], given: Sequence[KeyPath] = ()
    ) -> dict[str, Any]:
        """Return sections in which texts that YAML has read as something else are as they were typed in files.

        Parameters
        ----------
        given : sequence of tuple
            Keys of the command line, whose values stay.
        """
        for path, value in list(leaves(sections)):
            is_read = isinstance(value, (bool, int, float)) or (path[0] == "hydra" and is_number(value))
            if is_read and self.texts.may_hold_text(path) and not any(path[: len(key)] == key for key in given):
                text = text_in(files, path, value)
                if text is not None and (path[0] == "hydra" or self.texts.as_typed(path, value, text) == text):
                    around: Any = sections
                    for step in path[:-1]:
                        around = around[step]
                    around[path[-1]] = text
        return sections

    def _explained(self, error: BaseException) -> UserError:
        """Return the error for a group that the defaults list of a file names, or what Hydra says."""
        unknown = _UNKNOWN_GROUP.search(str(error))
        return explained(error) if unknown is None else self.groups.unknown_group(unknown[1])

    def _for_hydra(self, override: Override) -> str:
        """Return an override with the name of a choice instead of the path of an experiment file."""
        if override.key_or_group != experiments.EXPERIMENT or not experiments.is_path(override.value()):
            return str(override.input_line)
        path = Path(str(override.value()))
        return f"+{experiments.EXPERIMENT}={override_text(experiments.offer(path, self.experiment(path).content))}"


def _words(overrides: Sequence[Override]) -> tuple[str, ...]:
    return tuple(str(override.input_line) for override in overrides)


def _is_place(override: Override) -> bool:
    """Whether an override sets a folder of results, on which nothing else in Hydra's section depends."""
    is_text = override.type is OverrideType.CHANGE and isinstance(override.value(), str)
    return is_text and override.key_or_group in ("hydra.run.dir", "hydra.sweep.dir")
