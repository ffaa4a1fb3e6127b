"""``python -m runner.resume DIR``: go on with the sweep in a folder where it ended, as it was asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from runner.command import Parser, guarded, reason
from runner.registry import UserError
from runner.sweep.folder import SWEEP, sweep_at
from runner.sweep.space import text
from worlds.files import read_text

_NOT_REPEATED = ("hydra.sweep.dir=", "hydra.mode=", "hydra.sweeper.only=", "retry=", "dry_run=")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code, that of the sweep."""
    parser = Parser(
        prog="python -m runner.resume",
        description="Go on with a sweep: only what has no finished row is run. The same as repeating its command with "
        "hydra.sweep.dir=FOLDER.",
    )
    parser.add_argument("folder", metavar="FOLDER", help="of the sweep")
    parser.add_argument(
        "overrides",
        nargs="*",
        default=[],
        metavar="KEY=VALUE",
        help="beside those of the sweep, for example retry=limits",
    )
    options = parser.parse_args(arguments)
    return guarded(lambda: _resume(options.folder, options.overrides), options.folder)


def _resume(folder: str, overrides: Sequence[str]) -> int:
    sys.argv[1:] = command_for(sweep_at(folder), overrides)
    from runner import app

    return app.main()


def command_for(folder: Path, overrides: Sequence[str] = ()) -> list[str]:
    """The arguments of a command that goes on with a sweep; the working directory is then that where it was started.

    Parameters
    ----------
    folder : Path
        Of the sweep, as an absolute path.
    overrides : sequence of str
        Beside those of the sweep.

    Raises
    ------
    UserError
        If its record cannot be read.
    """
    try:
        recorded: Any = yaml.safe_load(read_text(folder / SWEEP))["hydra"]
        given = [*recorded["overrides"]["task"], *recorded["overrides"]["hydra"]]
        sources = recorded["runtime"]["config_sources"]
        folders = [str(source["path"]) for source in sources if source["provider"] == "command-line"]
        directory, name = str(recorded["runtime"]["cwd"]), str(recorded["job"]["config_name"])
    except (yaml.YAMLError, KeyError, TypeError, RecursionError) as error:
        raise UserError(f"{folder / SWEEP}: not the record of a sweep ({' '.join(str(error).split())})") from None
    dropped: tuple[str, ...] = _NOT_REPEATED
    if any(override.startswith("hydra/launcher=") for override in overrides):
        dropped = (*dropped, "hydra/launcher=", "hydra.launcher.")
    kept = [str(each) for each in given if not str(each).startswith(dropped)]
    options = [argument for path in folders for argument in ("--config-dir", path)]
    options += ["--config-name", name] if name != "config" else []
    try:
        os.chdir(directory)
    except OSError as error:
        raise UserError(f"{reason(error, directory)} (there the sweep was started)") from None
    return ["-m", *options, *kept, *overrides, f"hydra.sweep.dir={text(str(folder))}"]


if __name__ == "__main__":
    sys.exit(main())
