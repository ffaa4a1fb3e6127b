"""Commands that compose one configuration and never sweep: audit, check and explore."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from runner.base.errors import UserError
from runner.base.messages import message
from runner.cli.arguments import RunArguments, parse_run, run_parser
from runner.cli.session import composed, locating, settings
from runner.config.composition import Composition
from runner.config.grammar import parse
from runner.config.schema import Settings
from runner.config.space import section_of, swept_keys


def parse_single(command: str, arguments: Sequence[str]) -> tuple[argparse.Namespace, RunArguments]:
    """Return the flags and the arguments of a command whose primary configuration has its name."""
    options, given = parse_run(run_parser(f"python -m runner {command}"), arguments)
    return options, replace(given, config_name=command if given.config_name == "config" else given.config_name)


def composed_single(command: str, given: RunArguments) -> tuple[Composition, Settings]:
    """Compose the configuration of a command, and return it with its settings.

    Raises
    ------
    UserError
        If several configurations are requested, or a dry run.
    """
    refuse_sweep(command, given)
    with locating(given):
        composition = composed(given)
    chosen = settings(composition)
    noun = _noun(command)
    if chosen.dry_run:
        raise UserError(f"dry_run: is for runs and sweeps; {noun} has no dry run")
    swept = swept_keys(section_of(composition))
    if swept:
        message(
            f"note: this configuration is a sweep over {', '.join(swept)}; the {command} takes one value for each key"
        )
    return composition, chosen


def refuse_sweep(command: str, given: RunArguments) -> None:
    """Raise `UserError` if several configurations are requested."""
    noun = _noun(command)
    swept = next((each for each in parse(given.overrides) if each.is_sweep_override()), None)
    if swept is not None:
        is_heuristic = swept.key_or_group == "heuristic"
        stack = ", or one stack of several heuristics: heuristic.stack=[...]" if is_heuristic else ""
        second = " (--against 'KEY=VALUE' shows a second search)" if command == "explore" else ""
        raise UserError(
            f"'{swept.input_line}': {noun} takes one value for each key; {command} each separately{second}{stack}"
        )
    if given.is_sweep:
        raise UserError(f"-m: {noun} takes one value for each key and is never a sweep; leave out -m (or hydra.mode)")


def _noun(command: str) -> str:
    if command == "explore":
        return "an exploration"
    return f"an {command}" if command[0] in "aeiou" else f"a {command}"
