"""Commands that compose one configuration and never sweep: audit, check and explore."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace

from runner.base.errors import UserError
from runner.base.messages import message
from runner.cli import help_page, show_config
from runner.cli.arguments import ArgumentParser, parse_run
from runner.config.composition import Composition
from runner.config.request import Request, settings_in
from runner.config.schema import Settings
from runner.config.space import swept_keys


def run_single(
    parser: ArgumentParser, arguments: Sequence[str], action: Callable[[argparse.Namespace, Request], int]
) -> int:
    """Parse the arguments of a command, and print its help or its configuration, or call an action with them.

    Parameters
    ----------
    parser : ArgumentParser
        Parser whose program ends with the name of the command. The primary configuration has this name, too.
    action : callable
        Function of the flags and the request, which returns the exit code.
    """
    options, request = parse_run(parser, arguments)
    command = parser.prog.split()[-1]
    if request.config_name == "config":
        request = replace(request, config_name=command)
    if options.help:
        return help_page.show(request)
    _refuse_sweep(command, request)
    return show_config.show(request.single, options) if options.cfg or options.info else action(options, request)


def composed_single(command: str, request: Request) -> tuple[Composition, Settings]:
    """Return the configuration that a command requests, and its settings.

    Raises
    ------
    UserError
        If several configurations are requested, or a dry run.
    """
    _refuse_sweep(command, request)
    with request.locating():
        composition = request.single
    chosen = settings_in(composition)
    if chosen.dry_run:
        raise UserError(f"dry_run: is for runs and sweeps; {_noun(command)} has no dry run")
    swept = swept_keys(composition)
    if swept:
        message(
            f"note: this configuration is a sweep over {', '.join(swept)}; the {command} takes one value for each key"
        )
    return composition, chosen


def _refuse_sweep(command: str, request: Request) -> None:
    """Raise `UserError` if several configurations are requested."""
    noun, swept = _noun(command), request.first_sweep()
    if swept is not None:
        is_heuristic = swept.key_or_group == "heuristic"
        stack = ", or one stack of several heuristics: heuristic.stack=[...]" if is_heuristic else ""
        second = " (--against 'KEY=VALUE' shows a second search)" if command == "explore" else ""
        raise UserError(
            f"'{swept.input_line}': {noun} takes one value for each key; {command} each separately{second}{stack}"
        )
    if request.is_sweep:
        raise UserError(f"-m: {noun} takes one value for each key and is never a sweep; leave out -m (or hydra.mode)")


def _noun(command: str) -> str:
    return {"explore": "an exploration", "audit": "an audit"}.get(command, f"a {command}")
