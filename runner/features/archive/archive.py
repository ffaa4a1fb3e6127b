"""``runner archive FOLDER``: write the records of runs and sweeps into one compressed file, which ``report`` reads.

`bundle` has in addition what is needed to run them again, and imports their plug-ins to find it. An archive is made of
the records alone: nothing is imported, and nothing in it is meant to be executed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from runner.base.errors import UserError
from runner.base.files import natural_order
from runner.base.messages import SUCCESS
from runner.features.archive.anonymous import Anonymizer
from runner.features.archive.zip_files import MAX_BYTES, MAX_MEMBERS, SUFFIX, is_record, pieces_of, write_zip
from runner.plugin import ArgumentParser, RecordFile, SweepFolder, command, given_folder, homes_below


def parser() -> ArgumentParser:
    """Return the parser of the options."""
    result = ArgumentParser(
        prog="python -m runner archive",
        description="Write the rows of runs and sweeps, with their plans, configurations and environments, into one "
        "compressed file. report and runner.read read it like a folder.",
    )
    result.add_argument("folder", metavar="FOLDER", help="folder of runs or sweeps; latest is the newest in outputs")
    result.add_argument("--out", metavar="FILE", help="file to write (default: the name of the folder, with .zip)")
    result.add_argument(
        "--anonymous", action="store_true", help="leave out the names of users, hosts, folders and repositories"
    )
    return result


@command(
    "archive", "write the rows and records of runs and sweeps into one zip file, which report reads", parser=parser
)
def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    options = parser().parse_args(arguments)
    folder = Path(os.path.abspath(given_folder(options.folder)))  # noqa: PTH100
    homes = homes_below(folder)
    if not homes:
        raise UserError(
            f"{folder}: there is no {RecordFile.RESULTS} or {RecordFile.METRICS}; give the folder of a run or a sweep"
        )
    unused = {home: RecordFile.METRICS if SweepFolder(home).is_collected() else RecordFile.RESULTS for home in homes}
    files = [file for file in _records(folder) if all(unused.get(each) != file.name for each in file.parents)]
    if len(files) > MAX_MEMBERS or sum(file.stat().st_size for file in files) > MAX_BYTES:
        raise UserError(
            f"{folder}: an archive has at most {MAX_MEMBERS:,} files and {MAX_BYTES // 2**30} GiB of records"
        )
    anonymizer = Anonymizer(files, (folder, folder.resolve())) if options.anonymous else None
    name = options.out or f"{anonymizer.text(folder.name) if anonymizer else folder.name}{SUFFIX}"
    out = Path(name)
    if out.suffix.lower() != SUFFIX or out.is_dir() or not out.absolute().parent.is_dir():
        raise UserError(f"--out: expected a name with {SUFFIX} in an existing folder, got '{name}'")
    contents = anonymizer.contents if anonymizer else pieces_of
    write_zip(out, ((_name(file.relative_to(folder), anonymizer), contents(file)) for file in files))
    print(f"archive: {name} ({out.stat().st_size / 1000:,.0f} kB)")
    return SUCCESS


def _records(folder: Path) -> list[Path]:
    """Return the files that belong into an archive, in natural order."""
    found = (file for file in folder.rglob("*") if is_record(file.relative_to(folder).as_posix()))
    return sorted((file for file in found if file.is_file() and not file.is_symlink()), key=natural_order)


def _name(path: Path, anonymizer: Anonymizer | None) -> str:
    above = path.parent.as_posix()
    return (Path(anonymizer.text(above) if anonymizer else above) / path.name).as_posix()
