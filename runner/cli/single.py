"""Commands with a section that compose one configuration, and never sweep."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from runner.base.errors import UserError
from runner.base.messages import message
from runner.base.parameters import convert
from runner.cli.information import show_configuration, show_help
from runner.config.arguments import parse_run
from runner.config.commands import COMMANDS, Command
from runner.config.composition import Composition
from runner.config.request import Request, settings_in
from runner.config.schema import Cell, Parser, Settings
from runner.config.space import swept_keys


class Single(NamedTuple):
    """What a command with a section has composed.

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
        """Return the cell of the configuration, checked."""
        return Parser().parse(self.composition.resolved)


def run_single(name: str, arguments: Sequence[str], action: Callable[[argparse.Namespace, Request], int]) -> int:
    """Parse the words of a command with a section, and print its help or its configuration, or call an action.

    Parameters
    ----------
    name : str
        Name of the command.
    action : callable
        Function of the flags and the request, which returns the exit code.
    """
    command = COMMANDS.find(name)
    options, request = parse_run(command.parser(), arguments)
    request = request.of_command(command)
    if options.help:
        return show_help(request, command)
    _refuse_sweep(command, request)
    if options.cfg or options.info:
        return show_configuration(request.single, options)
    return action(options, request)


def composed_single(name: str, request: Request) -> Single:
    """Return the configuration that a command with a section requests.

    Raises
    ------
    UserError
        If several configurations are requested, or a dry run, or a value of the section is wrong.
    """
    command = COMMANDS.find(name)
    _refuse_sweep(command, request)
    with request.locating():
        composition = request.single
    chosen = settings_in(composition)
    if chosen.dry_run:
        raise UserError(f"dry_run: is for runs and sweeps; {command.noun} has no dry run")
    swept = swept_keys(composition)
    if swept:
        message(f"note: this configuration is a sweep over {', '.join(swept)}; the {name} takes one value for each key")
    section: Any = command.section
    return Single(composition, chosen, convert(section, composition.resolved.get(name) or {}, where=name))


def _refuse_sweep(command: Command, request: Request) -> None:
    """Raise `UserError` if several configurations are requested."""
    swept = request.first_sweep()
    if swept is not None:
        is_heuristic = swept.key_or_group == "heuristic"
        stack = ", or one stack of several heuristics: heuristic.stack=[...]" if is_heuristic else ""
        raise UserError(
            f"'{swept.input_line}': {command.noun} takes one value for each key; {command.name} each separately"
            f"{command.instead_of_sweep}{stack}"
        )
    if request.is_sweep:
        raise UserError(
            f"-m: {command.noun} takes one value for each key and is never a sweep; leave out -m (or hydra.mode)"
        )
