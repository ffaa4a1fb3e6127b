"""The command line of a run: overrides as Hydra has them, with flags anywhere among them."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from runner.messages import reason
from runner.registry import UserError, one_line, suggest

COMMANDS = {
    "resume": "go on with a sweep",
    "status": "how far a sweep has come",
    "submit": "hand a sweep to SLURM",
    "collect": "write results.csv of the rows that a sweep has so far",
    "report": "tables and charts of runs and sweeps",
    "audit": "is a heuristic admissible, does an algorithm keep its promises?",
    "replay": "play a plan of a finished run",
}
"""The commands beside a run, and what they do."""


FLAGS: tuple[tuple[tuple[str, ...], str, dict[str, Any]], ...] = (
    (("-h", "--help"), "what can be chosen; of one choice: --help world=NAME", {"action": "store_true"}),
    (("--version",), "the version", {"action": "store_true"}),
    (("-m", "--multirun"), "a sweep: all combinations of values", {"action": "store_true"}),
    (
        ("-c", "--cfg"),
        "job, hydra or all: show the configuration, and do not run",
        {"choices": ["job", "hydra", "all"]},
    ),
    (("-p", "--package"), "KEY: of --cfg, one section", {}),
    (("--resolve",), "of --cfg, with interpolations resolved", {"action": "store_true"}),
    (("-i", "--info"), "config: where the configuration comes from", {"choices": ["config"]}),
    (("-cd", "--config-dir"), "DIR: a folder with choices of your own", {"action": "append", "default": []}),
    (("-cn", "--config-name"), "NAME: another primary configuration", {"default": "config"}),
)
"""The flags of a run: names, explanation, and how argparse takes them."""


class ArgumentParser(argparse.ArgumentParser):
    """Python's parser of options; a mistake is one line."""

    def error(self, problem: str) -> NoReturn:
        """Raise `UserError`."""
        raise UserError(f"{one_line(problem)}; see {self.prog} --help")


@dataclass(frozen=True)
class RunArguments:
    """The command line of a run or a sweep."""

    overrides: tuple[str, ...]
    is_sweep: bool = False
    config_dirs: tuple[Path, ...] = ()
    config_name: str = "config"


def run_parser(prog: str) -> ArgumentParser:
    """Return the parser of the flags of a run; `--help` is a plain flag, because its page lists all choices."""
    parser = ArgumentParser(prog=prog, add_help=False, allow_abbrev=False)
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="what is chosen, and set")
    for names, explanation, how in FLAGS:
        parser.add_argument(*names, help=explanation, **how)
    return parser


def parse_run(parser: ArgumentParser, arguments: Sequence[str]) -> tuple[argparse.Namespace, RunArguments]:
    """Parse the command line of a run."""
    options = parser.parse_intermixed_args(list(arguments))
    folders = tuple(map(Path, options.config_dir))
    for folder in folders:
        try:
            is_folder = folder.is_dir()
        except OSError as error:
            raise UserError(f"--config-dir: {reason(error, folder)}") from None
        if not is_folder:
            raise UserError(f"--config-dir: there is no folder '{folder}'")
    for word in options.overrides:
        refuse_word(word)
    overrides = tuple(word for word in options.overrides if not word.startswith("hydra.mode="))
    is_sweep = options.multirun or any(re.fullmatch(r"hydra\.mode=['\"]?MULTIRUN['\"]?", w) for w in options.overrides)
    return options, RunArguments(overrides, is_sweep, folders, options.config_name)


def refuse_word(word: str, commands: Iterable[str] = COMMANDS) -> None:
    """Raise `UserError` for a bare word, which is no override."""
    if "=" in word or word.startswith("~"):
        return
    raise UserError(f"{word}: cannot be read as KEY=VALUE, and there is no such command{suggest(word, commands)}")
