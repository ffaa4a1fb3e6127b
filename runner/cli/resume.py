"""``runner resume FOLDER``: repeat the command of a sweep, to run the instances that have no finished row."""

from __future__ import annotations

from collections.abc import Sequence

from runner.cli import run
from runner.config import ArgumentParser, add_recorded_sweep, command
from runner.records import SweepFolder, recorded_request


def parser() -> ArgumentParser:
    """Return the parser of the command."""
    result = ArgumentParser(
        prog="python -m runner resume",
        description="Continue a sweep: run the instances that have no finished row. The same as repeating its command "
        "with hydra.sweep.dir=FOLDER. Runs the code of the plug-ins that the sweep names.",
    )
    add_recorded_sweep(result, example="retry=limits or workers=all")
    result.add_argument(
        "--reread",
        action="store_true",
        help="start nothing: read the kept outputs of programs (algorithm.keep=all) again, by another output, plan or "
        "exit_codes",
    )
    return result


@command("resume", "continue a sweep", parser=parser)
def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code of the sweep."""
    options = parser().parse_intermixed_args(arguments)
    folder = SweepFolder.at(options.folder).path
    return run.sweep(recorded_request(folder, options.overrides).in_folder(folder), rereads=options.reread)
