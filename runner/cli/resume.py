"""``runner resume FOLDER``: go on with the sweep in a folder where it ended, as it was asked for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from runner.cli import run
from runner.cli.arguments import ArgumentParser, RunArguments, refuse_word
from runner.config.compose import config_dirs_of
from runner.config.grammar import text
from runner.messages import reason
from runner.records.folder import SWEEP, SweepFolder
from runner.records.reader import CORRUPT, read_yaml
from runner.registry import UserError

_NOT_REPEATED = ("hydra.sweep.dir=", "hydra.mode=", "retry=", "dry_run=")


def parser() -> ArgumentParser:
    """Return the parser of the options."""
    result = ArgumentParser(
        prog="python -m runner resume",
        description="Go on with a sweep: only what has no finished row is run. The same as repeating its command with "
        "hydra.sweep.dir=FOLDER. Runs what the sweep runs, plug-ins included.",
    )
    result.add_argument("folder", metavar="FOLDER", help="of the sweep")
    result.add_argument(
        "overrides",
        nargs="*",
        default=[],
        metavar="KEY=VALUE",
        help="beside those of the sweep, for example retry=limits or workers=all",
    )
    return result


def main(arguments: Sequence[str]) -> int:
    """Run the command; returns the exit code, that of the sweep."""
    options = parser().parse_args(arguments)
    return run.sweep(recorded_arguments(SweepFolder.at(options.folder).path, options.overrides))


def recorded_arguments(folder: Path, overrides: Sequence[str] = ()) -> RunArguments:
    """Return the command line that goes on with a sweep, and change to the working directory where it was started.

    Parameters
    ----------
    folder : Path
        Of the sweep, as an absolute path.
    overrides : sequence of str
        Beside those of the sweep, whose keys they replace.
    """
    for override in overrides:
        refuse_word(override, ())
    what = "the record of a sweep"
    content = read_yaml(folder / SWEEP, what)
    try:
        recorded = content["hydra"]
        given = [*recorded["overrides"]["task"], *recorded["overrides"]["hydra"]]
        folders = config_dirs_of(recorded["runtime"])
        directory, name = str(recorded["runtime"]["cwd"]), str(recorded["job"]["config_name"])
    except CORRUPT as error:
        raise UserError(f"{folder / SWEEP}: not {what} ({error})") from None
    try:
        os.chdir(directory)
    except OSError as error:
        raise UserError(f"{reason(error, directory)} (there the sweep was started)") from None
    except ValueError as error:
        raise UserError(f"{folder / SWEEP}: not {what} ({error})") from None
    dropped = (*_NOT_REPEATED, "hydra.searchpath=")
    kept = [str(each) for each in given if not str(each).startswith(dropped)]
    target = f"hydra.sweep.dir={text(str(folder))}"
    return RunArguments((*kept, *overrides, target), True, tuple(folders), name)
