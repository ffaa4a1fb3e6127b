"""Arguments of a run: overrides in Hydra's syntax, with flags anywhere among them."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from runner.base import KINDS, UserError, override_text, reason, refuse_words, with_quoted_calls
from runner.config.compose.experiments import EXPERIMENT, is_path
from runner.config.doors.commands import COMMANDS, ArgumentParser
from runner.config.request.request import Request

FLAGS: tuple[tuple[tuple[str, ...], str, dict[str, Any]], ...] = (
    (("-h", "--help"), "list all choices; --help world=NAME describes one", {"action": "store_true"}),
    (("--version",), "print the version", {"action": "store_true"}),
    (("-m", "--multirun"), "run a sweep: all combinations of the values", {"action": "store_true"}),
    (
        ("-c", "--cfg"),
        "job, hydra or all: print this part of the configuration, and run nothing",
        {"choices": ["job", "hydra", "all"]},
    ),
    (("-p", "--package"), "KEY: with --cfg, print this section only", {}),
    (("--resolve",), "with --cfg, resolve interpolations", {"action": "store_true"}),
    (("-i", "--info"), "config: as --cfg job, after the folders and choices it is made of", {"choices": ["config"]}),
    (("-cd", "--config-dir"), "DIR: search this folder too; may be repeated", {"action": "append", "default": []}),
    (("-cn", "--config-name"), "NAME: use another primary configuration", {"default": "config"}),
)
"""Flags of a run: names, description, and keyword arguments for argparse."""


def run_parser(prog: str, description: str = "") -> ArgumentParser:
    """Return the parser of a run. `--help` is an ordinary flag, because its page lists all choices."""
    parser = ArgumentParser(prog=prog, description=description, add_help=False, allow_abbrev=False)
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="choice or value")
    for names, description, options in FLAGS:
        parser.add_argument(*names, help=description, **options)
    return parser


def parse_run(parser: ArgumentParser, arguments: Sequence[str]) -> tuple[argparse.Namespace, Request]:
    """Return the flags of a run, and what it requests."""
    options, unknown = parser.parse_known_intermixed_args(list(arguments))
    if unknown:
        key, sign, value = unknown[0].lstrip("-").partition("=")
        is_override = sign or key.partition(".")[0] in (*KINDS, "limits")
        hint = f"; no dashes before an override: {key}={value or '...'}" if is_override else ""
        parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
    for flag in ("package", "resolve"):
        if getattr(options, flag) and not (options.cfg or options.info):
            raise UserError(f"--{flag}: expected with --cfg or --info, which print a configuration")
    folders = tuple(map(Path, options.config_dir))
    for folder in folders:
        try:
            is_folder = folder.is_dir()
        except OSError as error:
            raise UserError(f"--config-dir: {reason(error, folder)}") from None
        if not is_folder:
            raise UserError(f"--config-dir: there is no folder '{folder}'")
    files = [word for word in options.overrides if is_path(word) and "=" not in word]
    if len(files) > 1:
        raise UserError(f"{files[0]}, {files[1]}: one experiment file at a time")
    words = [_experiment(word) if word in files else with_quoted_calls(word) for word in options.overrides]
    around = [Path(word).parent.resolve() for word in files]
    folders += tuple(folder.parent for folder in around if folder.name == EXPERIMENT)
    refuse_words(words, COMMANDS.names)
    return options, Request(tuple(words), options.multirun, folders, options.config_name)


def add_recorded_sweep(parser: ArgumentParser, *, example: str) -> None:
    """Add the arguments `folder` and `overrides` of a command that continues a sweep. `example` is for the help."""
    parser.add_argument("folder", metavar="FOLDER", help="folder of the sweep; latest is the newest in outputs")
    parser.add_argument(
        "overrides",
        nargs="*",
        default=[],
        metavar="KEY=VALUE",
        help=f"added to the overrides of the sweep, for example {example}",
    )


def _experiment(path: str) -> str:
    """Return the override for an experiment file. Its path is absolute: it is recorded, and used from elsewhere."""
    file = Path(path)
    return f"+{EXPERIMENT}={override_text(str(file.parent.resolve() / file.name))}"


def refuse_carriage_returns(words: Iterable[str]) -> None:
    """Raise `UserError` for a word that ends with a carriage return, as the last ones of lines in files of Windows."""
    word = next((word for word in words if word.endswith("\r")), None)
    if word is not None:
        raise UserError(
            f"{word.rstrip()}: ends with a carriage return: the script has the line ends of Windows; "
            "remove them: sed -i 's/\\r$//' SCRIPT"
        )
