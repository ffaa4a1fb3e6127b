"""``python -m runner.resume DIR``: go on with the sweep in a folder where it ended, as it was asked for."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from runner.registry import UserError
from runner.results import METRICS
from runner.sweep.folder import SWEEP
from runner.sweep.space import text
from runner.terminal import message
from worlds.files import read_text

REFUSED = 2
_NOT_REPEATED = ("hydra.sweep.dir=", "hydra.mode=", "retry=", "dry_run=")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code, that of the sweep."""
    parser = argparse.ArgumentParser(
        prog="python -m runner.resume",
        description="Go on with a sweep: only what has no finished row is run. The same as repeating its command with "
        "hydra.sweep.dir=FOLDER.",
    )
    parser.add_argument("folder", metavar="FOLDER", help="of the sweep")
    parser.add_argument(
        "overrides", nargs="*", metavar="KEY=VALUE", help="beside those of the sweep, for example retry=limits"
    )
    options = parser.parse_args(arguments)
    try:
        folder = Path(options.folder).resolve()
        command, directory = command_of(folder)
        os.chdir(directory)
    except UserError as error:
        message(f"error: {error}")
        return REFUSED
    except OSError as error:
        message(f"error: {error.filename or options.folder}: {error.strerror or error}")
        return REFUSED
    sys.argv[1:] = [*command, *options.overrides, f"hydra.sweep.dir={text(str(folder))}"]
    from runner import app

    return app.main()


def command_of(folder: Path) -> tuple[list[str], str]:
    """The arguments of the sweep that was run in a folder, without the folder, and the directory where it was started.

    Raises
    ------
    UserError
        If no sweep was run there, or its record cannot be read.
    """
    if not (folder / SWEEP).is_file():
        hint = "; a single run cannot go on, start it anew" if (folder / METRICS).exists() else ""
        raise UserError(f"{folder}: there is no sweep ({SWEEP} is missing){hint}")
    try:
        recorded: Any = yaml.safe_load(read_text(folder / SWEEP))["hydra"]
        overrides = [*recorded["overrides"]["task"], *recorded["overrides"]["hydra"]]
        sources = recorded["runtime"]["config_sources"]
        folders = [str(source["path"]) for source in sources if source["provider"] == "command-line"]
        directory, name = str(recorded["runtime"]["cwd"]), str(recorded["job"]["config_name"])
    except (yaml.YAMLError, KeyError, TypeError, RecursionError) as error:
        raise UserError(f"{folder / SWEEP}: not the record of a sweep ({' '.join(str(error).split())})") from None
    kept = [str(each) for each in overrides if not str(each).startswith(_NOT_REPEATED)]
    options = [argument for path in folders for argument in ("--config-dir", path)]
    options += ["--config-name", name] if name != "config" else []
    return ["-m", *options, *kept], directory


if __name__ == "__main__":
    sys.exit(main())
