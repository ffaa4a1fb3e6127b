"""Keeps configurations small: a few lines of YAML, or of interpolations, can stand for more than a computer holds."""

from __future__ import annotations

import argparse
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import omegaconf._utils
import yaml
from hydra._internal.config_repository import ConfigRepository
from hydra.core.object_type import ObjectType
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import RangeSweep
from hydra.errors import HydraException
from omegaconf import Container, Node
from omegaconf.errors import InterpolationResolutionError

from runner.registry import UserError, one_line
from runner.sweep.space import MOST_JOBS
from runner.terminal import message
from worlds.bounded_yaml import DEEPEST, BoundedLoader
from worlds.files import read_text

LONGEST_OVERRIDE = 5_000
"""Characters; the time to parse a list is quadratic."""
MOST_RESOLVED = 500_000
"""Characters and values that the interpolations of a configuration may come to, each counted as `PARSING` more."""
PARSING = 100

_resolved = 0


def install() -> None:
    """Bound overrides, files and interpolations wherever Hydra and OmegaConf read them. There are no public hooks."""
    _bound_overrides()
    _bound_sweeps()
    _bound_files()
    _bound_interpolations()
    _shorten_usage()
    _shorten_warnings()


def begin_configuration() -> None:
    """From here on interpolations belong to another configuration."""
    global _resolved
    _resolved = 0


def _bound_overrides() -> None:
    parse = OverridesParser.parse_rule

    def parse_rule(self: Any, text: str, rule: str) -> Any:
        if len(text) > LONGEST_OVERRIDE:
            raise HydraException(f"{len(text):,} characters; at most {LONGEST_OVERRIDE:,} are allowed")
        if _depth(text) > DEEPEST:
            raise HydraException(f"brackets are nested more than {DEEPEST} deep")
        try:
            return parse(self, text, rule)
        except HydraException:
            raise
        except Exception as error:  # of numbers with too many digits
            raise HydraException(f"{type(error).__name__}: {error}") from None

    OverridesParser.parse_rule = parse_rule


def _bound_sweeps() -> None:
    range_of = RangeSweep.range

    def values(self: Any) -> Any:
        if abs(self.stop - self.start) > MOST_JOBS * abs(self.step or 1):
            raise HydraException(f"a range of more than {MOST_JOBS:,} values")
        return range_of(self)

    RangeSweep.range = values


def _depth(text: str) -> int:
    """How deep brackets are nested at most."""
    depth = deepest = 0
    for character in text:
        depth = max(0, depth + (character in "([{") - (character in ")]}"))
        deepest = max(deepest, depth)
    return deepest


class _Loader(BoundedLoader):
    """A bounded loader of what OmegaConf can make a configuration of."""

    def get_single_data(self) -> Any:
        data = super().get_single_data()
        if data is not None and not isinstance(data, (dict, list, str)):
            raise yaml.MarkedYAMLError(problem=f"expected a mapping, got {data!r}", problem_mark=self.get_mark())
        return data


def _bound_files() -> None:
    loader_of_omegaconf = omegaconf._utils.get_yaml_loader
    find, load = ConfigRepository._find_object_source, ConfigRepository.load_config

    def find_object_source(self: Any, config_path: str, object_type: Any) -> Any:
        try:
            return find(self, config_path, object_type)
        except OSError as error:  # a name that is too long
            raise UserError(f"{config_path}: {error.strerror}") from None

    def load_config(self: Any, config_path: str) -> Any:
        source = self._find_object_source(config_path, ObjectType.CONFIG)
        if source is not None and source.scheme() == "file":
            read_text(Path(source.path, source._normalize_file_name(config_path)))  # raises what is wrong with it
        return load(self, config_path)

    omegaconf._utils.get_yaml_loader = lambda: type("Loader", (_Loader, loader_of_omegaconf()), {})
    ConfigRepository._find_object_source, ConfigRepository.load_config = find_object_source, load_config


def _bound_interpolations() -> None:
    resolve = Container.resolve_parse_tree

    def resolve_parse_tree(self: Any, *arguments: Any, **keywords: Any) -> Any:
        global _resolved
        value = resolve(self, *arguments, **keywords)
        _resolved += PARSING + _size(value, MOST_RESOLVED)
        if _resolved > MOST_RESOLVED:
            raise InterpolationResolutionError("interpolations (${...}) come to too much; do they repeat one another?")
        return value

    Container.resolve_parse_tree = resolve_parse_tree  # type: ignore[method-assign]


def _size(value: Any, most: int) -> int:
    """How many characters, or values, something has; counts up to `most`."""
    if isinstance(value, Container):
        value = value._content
    if isinstance(value, Node):
        value = value._value()
    if isinstance(value, str):
        return len(value)
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    size = 1
    for item in items:
        if size >= most:
            break
        size += _size(item, most - size)
    return size


def _shorten_warnings() -> None:
    def show(warning: Warning | str, *_: Any) -> None:
        message(f"note: {one_line(str(warning))}")

    warnings.showwarning = show  # type: ignore[assignment]


def _shorten_usage() -> None:
    main: Any = import_module("hydra.main")  # as an attribute of hydra that is a function
    parser_of_hydra = main.get_args_parser

    def refuse(problem: str) -> NoReturn:
        raise UserError(f"{problem}; python -m runner --hydra-help shows all options")

    def get_args_parser() -> argparse.ArgumentParser:
        parser: argparse.ArgumentParser = parser_of_hydra()
        parser.error = refuse  # type: ignore[method-assign, assignment]
        return parser

    main.get_args_parser = get_args_parser
