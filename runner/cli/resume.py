"""``runner resume FOLDER``: repeat the command of a sweep, to run the instances that have no finished row."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from runner.base.errors import UserError
from runner.base.messages import reason
from runner.cli import run
from runner.cli.arguments import ArgumentParser, RunArguments, refuse_words
from runner.config.compose import config_dirs_of
from runner.config.grammar import text
from runner.records.folder import SweepFolder
from runner.records.latest import SWEEP
from runner.records.reader import CORRUPT, read_yaml

_NOT_REPEATED = ("hydra.sweep.dir=", "hydra.run.dir=", "hydra.mode=", "retry=", "dry_run=", "hydra.searchpath=")


def parser() -> ArgumentParser:
    """Return the parser of the command."""
    result = ArgumentParser(
        prog="python -m runner resume",
        description="Continue a sweep: run the instances that have no finished row. The same as repeating its command "
        "with hydra.sweep.dir=FOLDER. Runs the code of the plug-ins that the sweep names.",
    )
    result.add_argument("folder", metavar="FOLDER", help="folder of the sweep; latest is the newest in outputs")
    result.add_argument(
        "overrides",
        nargs="*",
        default=[],
        metavar="KEY=VALUE",
        help="added to the overrides of the sweep, for example retry=limits or workers=all",
    )
    return result


def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code of the sweep."""
    options = parser().parse_args(arguments)
    return run.sweep(recorded_arguments(SweepFolder.at(options.folder).path, options.overrides))


def recorded_arguments(folder: Path, overrides: Sequence[str] = ()) -> RunArguments:
    """Return the arguments that continue a sweep, and change to the working directory in which it was started.

    Parameters
    ----------
    folder : Path
        Absolute path of the folder of the sweep.
    overrides : sequence of str
        Overrides that follow those of the sweep; the last override of a key counts.
    """
    refuse_words(overrides, ())
    given = recorded_command(folder / SWEEP)
    return replace(given, overrides=(*given.overrides, *overrides, f"hydra.sweep.dir={text(str(folder))}"))


def recorded_command(file: Path) -> RunArguments:
    """Return the arguments of a run or sweep without its folder, and change to its working directory.

    Parameters
    ----------
    file : Path
        Record of Hydra: multirun.yaml of a sweep, or .hydra/hydra.yaml of a run.
    """
    is_sweep = file.name == SWEEP
    what = f"the record of a {'sweep' if is_sweep else 'run'}"
    content = read_yaml(file, what)
    try:
        recorded = content["hydra"]
        given = [*recorded["overrides"]["task"], *recorded["overrides"]["hydra"]]
        folders = config_dirs_of(recorded["runtime"])
        directory, name = str(recorded["runtime"]["cwd"]), str(recorded["job"]["config_name"])
    except CORRUPT as error:
        raise UserError(f"{file}: is not {what} ({error})") from None
    try:
        os.chdir(directory)
    except OSError as error:
        raise UserError(f"{reason(error, directory)} (the working directory in which it was started)") from None
    except ValueError as error:
        raise UserError(f"{file}: is not {what} ({error})") from None
    kept = [str(each) for each in given if not str(each).startswith(_NOT_REPEATED)]
    return RunArguments(tuple(kept), is_sweep, tuple(folders), name)
