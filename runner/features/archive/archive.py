"""``runner archive FOLDER``: write the records of runs and sweeps into one file, which ``report`` reads.

The members of an archive are the records below some folders, which may become anonymous, or a run or a sweep with what
is needed to run it again. The container is a zip file with all members, or a table with their rows, such as Parquet.

``archive --inputs`` imports plug-ins to find what they need. Any other archive is made of the records alone: nothing is
imported, and nothing in it is meant to be executed.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from runner.base import SUCCESS, UserError, message
from runner.config import ArgumentParser, command
from runner.features.archive import parquet_files
from runner.features.archive.anonymous import Anonymizer
from runner.features.archive.inputs import with_inputs
from runner.features.archive.members import folders_of, pieces_of, records_of, write_table
from runner.features.archive.zip_files import write_zip
from runner.records import RecordFile, given_folder

_ZIP = "zip"


def parser() -> ArgumentParser:
    """Return the parser of the options."""
    result = ArgumentParser(
        prog="python -m runner archive",
        description="Write the rows of runs and sweeps, with their plans, configurations and environments, into one "
        "compressed file. report and runner.read read it like a folder.",
    )
    result.add_argument(
        "folder", nargs="+", metavar="FOLDER", help="folder of runs or sweeps; latest is the newest in outputs"
    )
    result.add_argument("--out", metavar="FILE", help="file to write (default: the name of the folder, with .FORMAT)")
    result.add_argument(
        "--anonymous", action="store_true", help="leave out the names of users, hosts, folders and repositories"
    )
    result.add_argument(
        "--inputs", action="store_true",
        help="add the configuration, plug-ins and world files of one run or sweep, with which others can run it "
        "again; imports the plug-ins",
    )  # fmt: skip
    result.add_argument(
        "--format", choices=[_ZIP, "parquet"], default=_ZIP, metavar="FORMAT",
        help="parquet: write the rows alone, as one table; needs pyarrow (default: zip)",
    )  # fmt: skip
    return result


@command(
    "archive", "write the rows and records of runs and sweeps into one zip file, which report reads", parser=parser
)
def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    options = parser().parse_args(arguments)
    if options.inputs:
        _refuse_with_inputs(options)
    left_out: list[str] = []
    write = write_zip if options.format == _ZIP else partial(write_table, parquet_files.writer())
    if options.inputs:
        folder = given_folder(options.folder[0], (RecordFile.METRICS, RecordFile.SWEEP)).resolve()
        out = _output(options, folder.name)
        members, left_out = with_inputs(folder)
    else:
        folders = folders_of(options.folder)
        files = records_of(folders)
        anonymizer = Anonymizer(files.values(), folders) if options.anonymous else None
        name = anonymizer.text(folders[0].name) if anonymizer else folders[0].name
        if len(folders) > 1 and not options.out:
            raise UserError("--out: several folders need the name of a file")
        out = _output(options, name)
        members = anonymizer.members(files) if anonymizer else {each: pieces_of(file) for each, file in files.items()}
    write(out, members)
    for line in left_out:
        message(f"note: left out: {line}")
    print(f"archive: {options.out or out} ({out.stat().st_size / 1000:,.0f} kB)")
    return SUCCESS


def _refuse_with_inputs(options: Namespace) -> None:
    """Raise `UserError` if an option does not go with ``--inputs``."""
    if len(options.folder) > 1:
        raise UserError("--inputs: takes the folder of one run or sweep, whose command the archive repeats")
    if options.anonymous:
        raise UserError(
            "--inputs: cannot be anonymous, because plug-ins and world files may contain any names; docs/reports.md "
            "shows how to pack a supplement (Archives)"
        )
    if options.format != _ZIP:
        raise UserError(f"--inputs: needs --format {_ZIP}; {options.format} has rows only")


def _output(options: Namespace, name: str) -> Path:
    """Return the file to write, after checking its name. `report` knows the format of a file by its suffix."""
    suffix = f".{options.format}"
    out = Path(options.out or f"{name}{suffix}")
    if out.suffix.lower() != suffix or out.is_dir() or not out.absolute().parent.is_dir():
        raise UserError(f"--out: expected a name with {suffix} in an existing folder, got '{out}'")
    return out
