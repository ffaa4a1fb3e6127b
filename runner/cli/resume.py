"""``runner resume FOLDER``: repeat the command of a sweep, to run the instances that have no finished row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote

from runner.base.errors import UserError, one_line
from runner.base.messages import message
from runner.cli import run
from runner.config.arguments import refuse_words
from runner.config.commands import ArgumentParser, command
from runner.config.compose import config_dirs_of
from runner.config.experiments import GROUP
from runner.config.grammar import text
from runner.config.request import Request
from runner.records.folder import SweepFolder
from runner.records.reader import CORRUPT, RecordFile, read_yaml

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


@command("resume", "continue a sweep", parser=parser)
def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code of the sweep."""
    options = parser().parse_args(arguments)
    return run.sweep(resumed(SweepFolder.at(options.folder).path, options.overrides))


def resumed(folder: Path, overrides: Sequence[str] = ()) -> Request:
    """Return the request that continues a sweep.

    Parameters
    ----------
    folder : Path
        Absolute path of the folder of the sweep.
    overrides : sequence of str
        Overrides that follow those of the sweep; the last override of a key counts.
    """
    refuse_words(overrides)
    found = recorded(folder / RecordFile.SWEEP)
    return replace(found, overrides=(*found.overrides, *overrides, f"hydra.sweep.dir={text(str(folder))}"))


def recorded(file: Path) -> Request:
    """Return the request of a run or sweep, without its folder.

    Relative paths in overrides and configuration files belong to the directory in which it was started, so this must be
    the current one. If there is no such directory, the folder has been copied from another machine: then the current
    directory takes its place.

    Parameters
    ----------
    file : Path
        Record of Hydra: multirun.yaml of a sweep, or .hydra/hydra.yaml of a run.

    Raises
    ------
    UserError
        If the file is no such record, or the current directory is another one.
    """
    is_sweep = file.name == RecordFile.SWEEP
    noun = "sweep" if is_sweep else "run"
    what = f"the record of a {noun}"
    content = read_yaml(file, what)
    try:
        hydra = content["hydra"]
        given = [str(each) for each in (*hydra["overrides"]["task"], *hydra["overrides"]["hydra"])]
        folders = config_dirs_of(hydra["runtime"])
        start, name = Path(str(hydra["runtime"]["cwd"])), str(hydra["job"]["config_name"])
        is_here = start.is_dir()
        is_elsewhere = is_here and not start.samefile(Path.cwd())
    except (OSError, *CORRUPT) as error:
        raise UserError(f"{file}: is not {what} ({error})") from None
    shown = quote(one_line(str(start)))
    if is_elsewhere:
        raise UserError(f"the {noun} was started in another directory, to which its paths belong; first: cd {shown}")
    if not is_here:
        message(f"note: the {noun} was started in {shown}, which does not exist; the current directory takes its place")
        folders = [Path.cwd() / each.relative_to(start) if each.is_relative_to(start) else each for each in folders]
        given = [each.replace(f"{start}/", "") if each.startswith(f"+{GROUP}=") else each for each in given]
    kept = [each for each in given if not each.startswith(_NOT_REPEATED)]
    return Request(tuple(kept), is_sweep, tuple(folders), name)
