"""Overrides become configurations, with Hydra's public Compose API.

Hydra composes each combination of group choices once, which takes about 75 ms. Values are then set on copies, which
takes microseconds and gives the same result (`tests/runner/config/test_compose.py` compares both).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from hydra import compose
from hydra.core.override_parser.types import Override
from hydra.errors import MissingConfigException
from omegaconf import DictConfig, OmegaConf, read_write

from runner.base.errors import ROOT, UserError, suggest
from runner.base.messages import shown
from runner.base.overrides import override_text
from runner.base.parameters import parameters_of
from runner.base.registry import KINDS
from runner.base.spelling import ALIASES
from runner.config import experiments, settings, versions
from runner.config.composition import Base, Composition
from runner.config.explain import FOREIGN, explained
from runner.config.grammar import is_of_hydra
from runner.config.registries import registered_parts

CONF = ROOT / "conf"
_SEARCHPATH = "hydra.searchpath"
_MAX_NAMED, _MAX_SHOWN = 4, 300
_UNKNOWN_GROUP = re.compile(r"(?:Could not override '|Invalid Defaults List override '/?)([^'@:]+)")
"""Error of Hydra 1.3 or 1.4 for a group in a defaults list that does not exist."""
_NESTED_OVERRIDE = re.compile(
    r"In '(?P<file>[^']+)': Invalid Defaults List override '/?(?P<group>[^/':]+)/(?P<choice>[^':]+): (?P<option>[^']+)'"
)
"""Error of Hydra 1.4 for ``override /world: wumpus/static``."""


def config_dirs_of(runtime: Mapping[str, Any]) -> list[Path]:
    """Return the folders of ``--config-dir`` from a recorded ``hydra.runtime``."""
    found = [Path(str(source["path"])) for source in runtime["config_sources"] if source["schema"] == "file"]
    return [folder for folder in found if folder != CONF]


class Composer:
    """Compose configurations from a primary configuration and folders with choices.

    Parameters
    ----------
    config_dirs : sequence of Path
        Folders of ``--config-dir``, searched after `conf`.
    overrides : sequence of Override
        Overrides of the command; ``hydra.searchpath`` names further folders, ``+experiment=PATH.yaml`` a file.
    config_folder : Path, optional
        Folder of the primary configuration of a command.

    Attributes
    ----------
    folders : list of Path
        All folders with choices.
    """

    def __init__(
        self, config_name: str = "config", config_dirs: Sequence[Path] = (), overrides: Sequence[Override] = (),
        config_folder: Path | None = None,
    ) -> None:  # fmt: skip
        further = [_folders(each) for each in overrides if each.key_or_group == _SEARCHPATH]
        self.config_name, self.overrides = config_name, overrides
        of_command = [] if config_folder is None else [config_folder]
        self.folders = [CONF, *of_command, *(folder.resolve() for folder in config_dirs), *itertools.chain(*further)]
        self._choices: dict[str, list[str]] = {}
        self._files: dict[Path, dict[str, Any]] = {}
        self._bases: dict[tuple[str, ...], Base | UserError] = {}

    def choices(self, group: str) -> list[str]:
        """Return the sorted choices of a group; empty if there is no such group."""
        if group not in self._choices:
            found = {name for _, name, _ in registered_parts(group)}
            for folder in [each / group for each in self.folders if group.partition("/")[0] in self._groups()]:
                with suppress(OSError):  # the name is too long
                    found.update(file.relative_to(folder).with_suffix("").as_posix() for file in folder.rglob("*.yaml"))
            self._choices[group] = sorted(found)
        return self._choices[group]

    def is_group(self, key: str) -> bool:
        """Whether a key is the name of a group of choices."""
        return "." not in key and bool(self.choices(key))

    def _groups(self) -> set[str]:
        names = (path.name for folder in self.folders for path in folder.iterdir() if path.is_dir())
        return {*KINDS, *(name for name in names if not name.startswith((".", "_")))}  # such as __pycache__

    def located(self, problem: str) -> str:
        """Return a message with the file and the line of the key that it begins with.

        The message stays as it is if no chosen experiment has the key, or the command line replaces its value.
        """
        key = problem.partition(":")[0]
        if key.partition("[")[0] not in {each.key_or_group for each in self.overrides}:
            for file, lines in self._lines.items():
                if key in lines:
                    return f"{shown(file)}: line {lines[key]}: {problem}"
        return problem

    @cached_property
    def _lines(self) -> dict[Path, dict[str, int]]:
        return experiments.lines_of(self.overrides, self.folders)

    def experiment(self, path: Path) -> dict[str, Any]:
        """Return the content of an experiment file that is given by its path. Each file is read once."""
        if path not in self._files:
            self._files[path] = experiments.read(path)
        return self._files[path]

    def compose(self, overrides: Sequence[Override]) -> Composition:
        """Compose a configuration from overrides without sweeps."""
        values = self._settable(overrides)
        base = self._base([each for each in overrides if each not in values])
        texts = tuple(str(each.input_line) for each in overrides)
        missing = [_missing(base.plain, each.key_or_group.split("."), each.value()) for each in values]
        if any(key == "" for key in missing):  # only Hydra can tell
            return Composition(self._base(overrides), (), texts)
        for key in filter(None, missing):
            raise self._unknown_key(key, base.plain)
        return Composition(base, tuple(values), texts)

    def _settable(self, overrides: Sequence[Override]) -> list[Override]:
        """Return the overrides of values that can be set after Hydra has composed the others.

        The list is empty if two overrides concern the same key. Choices of groups do not count: Hydra applies them
        before values anyway.
        """
        values = [each for each in overrides if self._sets_value(each)]
        others = [each.key_or_group for each in overrides if not (each in values or self.is_group(each.key_or_group))]
        touched = any(_overlap(each.key_or_group, key) for each in values for key in others)
        keys = {each.key_or_group for each in values}
        return [] if touched or any(_overlap(*pair) for pair in itertools.combinations(keys, 2)) else values

    def _sets_value(self, override: Override) -> bool:
        key = override.key_or_group
        is_plain = not (override.is_delete() or override.is_add() or override.is_force_add() or override.package)
        return is_plain and not is_of_hydra(key) and (isinstance(override.value(), dict) or not self.is_group(key))

    def _base(self, overrides: Sequence[Override]) -> Base:
        key = tuple(str(each.input_line) for each in overrides)
        if key not in self._bases:
            try:
                self._bases[key] = self._composed(overrides)
            except UserError as error:
                self._bases[key] = error
        found = self._bases[key]
        if isinstance(found, UserError):
            raise found
        return found

    def _composed(self, overrides: Sequence[Override]) -> Base:
        given = [each for each in overrides if each.key_or_group != _SEARCHPATH]
        words = " ".join(str(each.input_line) for each in given)[:_MAX_SHOWN]
        for each in given:
            if each.key_or_group == "experiment" and not (each.is_add() or each.is_delete()):
                names = suggest("", self.choices("experiment"))
                raise UserError(f"experiment: choose it with a plus sign, +experiment=NAME{names}")
            value, is_choice = each.value(), self.is_group(each.key_or_group) and not each.is_delete()
            if is_choice and (value == "" or isinstance(value, (int, float, type(None)))):
                names = suggest("", self.choices(each.key_or_group))
                raise UserError(f"{each.key_or_group}: there is no '{value}'{names}")
            if is_choice and isinstance(value, list) and each.key_or_group in KINDS:
                raise _listed(each.key_or_group, value)
        main = next((folder for folder in self.folders if (folder / f"{self.config_name}.yaml").is_file()), CONF)
        beside = [f"file://{folder}" for folder in self.folders if folder != main]
        arguments = [f"{_SEARCHPATH}={override_text(beside)}"] if beside else []
        arguments += [self._for_hydra(each) for each in given]
        try:
            with versions.initialized(main):
                config = compose(self.config_name, arguments, return_hydra_config=True)
            _name_choices(config)
            base = Base(config)
            settings.check(base.hydra)
        except UserError:
            raise
        except MissingConfigException as error:
            raise self._missing_choice(str(error.missing_cfg_file).lstrip("/")) from None
        except FOREIGN as error:
            raise self._explained(error) from None
        except OSError as error:  # the name is too long, or the file cannot be read
            raise UserError(f"{error.filename or words}: {error.strerror or error}") from None
        except Exception as error:  # PyYAML raises errors of all types for odd tags and encodings
            raise UserError(f"{words}: {type(error).__name__}: {error}") from None
        return base

    def _explained(self, error: BaseException) -> UserError:
        """Return the error for a group that the defaults list of a file names, or what Hydra says."""
        text = str(error)
        override = _NESTED_OVERRIDE.search(text)
        if override and self.is_group(override["group"]):  # in Hydra 1.3, the name of a choice may have a slash
            choice = f"override /{override['group']}: [{override['choice']}/{override['option']}]"
            return UserError(
                f"{override['file']}.yaml: defaults: in Hydra 1.4, a name with a slash needs brackets: {choice}"
            )
        unknown = _UNKNOWN_GROUP.search(text)
        if unknown is None:
            return explained(error)
        return UserError(f"{unknown[1]}: there is no such group{suggest(unknown[1], sorted(self._groups()))}")

    def _for_hydra(self, override: Override) -> str:
        """Return an override with the name of a choice instead of the path of an experiment file."""
        if override.key_or_group != experiments.GROUP or not experiments.is_path(override.value()):
            return str(override.input_line)
        path = Path(str(override.value()))
        return f"+{experiments.GROUP}={override_text(experiments.offer(path, self.experiment(path)))}"

    def _missing_choice(self, asked: str) -> UserError:
        """Return the error for a choice that does not exist, such as ``algorithm/astr`` or ``world/wumpus/sttic``."""
        group, _, name = asked.partition("/")
        if group == "hydra":
            settings.refuse_replaced(asked.rpartition("/")[0])
        if not name:
            return UserError(f"--config-name: there is no {group}.yaml in {', '.join(map(str, self.folders))}")
        hint = suggest(name, self.choices(group))
        if name.isidentifier() and Path(f"{name}.py").is_file():
            hint = f"; 'plugins=[{name}]' imports {name}.py"
        return UserError(f"{group}: there is no '{name}'{hint}")

    def _unknown_key(self, key: str, plain: Mapping[str, Any]) -> UserError:
        section, _, name = key.rpartition(".")
        if not section:
            places = " or ".join(_sections_with(ALIASES.get(name, name), plain))
            keys = sorted({*self._groups(), *plain})
            hint = f"; did you mean {places}? choose from: {', '.join(keys)}" if places else suggest(name, keys)
            return UserError(f"{key}: unknown key{hint}")
        parent: Any = plain
        for part in section.split("."):
            parent = parent.get(part) if isinstance(parent, dict) else None
        allowed = [str(each) for each in parent if each != "name"] if isinstance(parent, dict) else []
        if not allowed and self.is_group(section):
            choices = ", ".join(self.choices(section))
            return UserError(f"{key}: this choice of {section} has no parameters; choose from: {choices}")
        owners = _choices_with(section, name, parent)
        hint = f"; choose from: {', '.join(allowed)} ('{name}' is a key of {', '.join(owners)})"
        return UserError(f"{key}: unknown key{hint if owners and allowed else suggest(name, allowed)}")


def _name_choices(config: DictConfig) -> None:
    """Record names of choices: a defaults list has a name with a slash in a list (see `conf/config.yaml`)."""
    choices = config.hydra.runtime.choices
    with read_write(choices):
        for group, choice in choices.items():
            if OmegaConf.is_list(choice) and len(choice) == 1:
                choices[group] = choice[0]


def _sections_with(name: str, plain: Mapping[str, Any]) -> list[str]:
    """Return the keys of sections that end with a name, in this configuration or with another choice."""
    return [
        f"{section}.{name}"
        for section in (*KINDS, "limits")
        if name != "name" and (name in (plain.get(section) or ()) or _choices_with(section, name))
    ]


def _choices_with(section: str, name: str, chosen: object = None) -> list[str]:
    """Return the choices that have a parameter: those of the chosen domain, or else the first few."""
    found = {choice: None for _, choice, entry in registered_parts(section) if name in parameters_of(entry)}
    domain = str(chosen.get("name")).partition("/")[0] if isinstance(chosen, dict) else ""
    return [each for each in found if each.startswith(f"{domain}/")] or list(found)[:_MAX_NAMED]


def _listed(kind: str, names: Sequence[object]) -> UserError:
    """Return the error for a list where one choice is expected."""
    stack = f"heuristic.stack={override_text(names)} for a stack, or " if kind == "heuristic" else ""
    return UserError(
        f"{kind}: expected one name, got a list; write {stack}-m {kind}={','.join(map(str, names))} for a sweep"
    )


def _folders(override: Override) -> list[Path]:
    """Return the folders that ``hydra.searchpath`` names."""
    value = override.value()
    paths = [Path(str(each).removeprefix("file://")) for each in (value if isinstance(value, list) else [value])]
    for path in paths:
        with suppress(OSError):
            if path.is_dir():
                continue
        raise UserError(f"{_SEARCHPATH}: there is no folder '{path}'")
    return [path.resolve() for path in paths]


def _overlap(one: str, other: str) -> bool:
    return f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.")


def _missing(plain: Any, path: Sequence[str], value: Any) -> str | None:
    """Return the first key on a path that does not exist, or None if all exist.

    The result is empty if only Hydra can tell: the path leads through a list or an interpolation, or the value
    replaces a mapping by a list or a list by a mapping.
    """
    for depth, key in enumerate(path):
        if isinstance(plain, list) or (isinstance(plain, str) and "${" in plain):
            return ""
        if not isinstance(plain, dict) or key not in plain:
            return ".".join(path[: depth + 1])
        plain = plain[key]
    if isinstance(value, (dict, list)) and isinstance(plain, (dict, list)) and type(value) is not type(plain):
        return ""
    inner = value.items() if isinstance(value, dict) and isinstance(plain, dict) else ()
    within = (_missing(plain, [str(key)], item) for key, item in inner)
    found = next((each for each in within if each is not None), None)
    return f"{'.'.join(path)}.{found}" if found else found
