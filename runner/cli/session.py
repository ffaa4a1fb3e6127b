"""Preparation of the commands that compose a configuration: resolvers, plug-ins and the composer."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from omegaconf import OmegaConf

from runner.base.errors import PluginError, UserError
from runner.cli.arguments import RunArguments
from runner.config import experiments, plugins
from runner.config.compose import Composer
from runner.config.composition import Composition
from runner.config.grammar import parse
from runner.config.schema import Settings, settings_of


def composer_of(arguments: RunArguments) -> Composer:
    """Import the installed plug-ins and those that a command names, and return its composer."""
    OmegaConf.register_new_resolver("unique", lambda: secrets.token_hex(3), use_cache=True, replace=True)
    OmegaConf.register_new_resolver("power_of_ten", _power_of_ten, replace=True)
    overrides = parse(arguments.overrides)
    composer = Composer(arguments.config_name, arguments.config_dirs, overrides)
    given = [each.value() for each in overrides if each.key_or_group == "plugins" and not each.is_delete()]
    named = [name for value in given for name in plugins.checked(value)]
    named += plugins.named_in_files(overrides, arguments.config_name, composer.folders)
    plugins.load_installed()
    of_files = [path.parent for path in experiments.given_by_path(overrides)]
    plugins.load(named, plugins.search_path([*arguments.config_dirs, *of_files]))
    plugins.offer(composer.folders)
    return composer


@contextmanager
def locating(arguments: RunArguments) -> Iterator[None]:
    """Add the file and the line of an experiment to an error about one of its keys."""
    try:
        yield
    except PluginError:
        raise
    except UserError as error:
        composer = Composer(arguments.config_name, arguments.config_dirs, parse(arguments.overrides))
        raise UserError(composer.located(str(error))) from None


def _power_of_ten(exponent: int) -> int:
    if not 0 <= int(exponent) <= 18:
        raise ValueError(f"power_of_ten: expected an exponent from 0 to 18, got {exponent}")
    return int(10 ** int(exponent))


def composed(arguments: RunArguments) -> Composition:
    """Compose a single configuration."""
    for each in parse(arguments.overrides):
        if each.is_sweep_override():
            raise UserError(f"'{each.input_line}': several values make a sweep; add -m")
    return composer_of(arguments).compose(arguments.overrides)


def settings(composition: Composition) -> Settings:
    """Return the settings of a configuration that apply to the whole command."""
    names = [name for name in Settings.__dataclass_fields__ if name in composition.unresolved]
    return settings_of({name: composition.select(name) for name in names})
