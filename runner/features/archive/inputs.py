"""Members of a bundle: a run or a sweep, and all that is needed to run it again.

A bundle is the part of the working directory that the run needs, with the same relative paths: the folder of the
rows, the sources of its plug-ins, its configuration files and the world files that it read. Folders from outside of
the working directory are in the folder ``elsewhere``, by their own names only.
"""

from __future__ import annotations

import glob
import os
import re
import shlex
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path

from runner.base.code_digest import SHARED_FOLDERS
from runner.base.errors import PACKAGES, ROOT, UserError
from runner.base.files import observed_files
from runner.features.archive.members import Members, pieces_of, unused
from runner.features.cluster import LOGS, SUBMITTED
from runner.plugin import (
    RecordFile,
    Request,
    cells_of,
    code_of,
    plugin_sources,
    read_json,
    recorded_request,
)

README = "README.txt"
MAX_BYTES = 64 * 2**20
"""Largest size of all world files of a bundle, and of all its configuration files."""
_LEFT_OUT = (RecordFile.LOCK, RecordFile.TASK_LOCKS, LOGS, SUBMITTED, "report", "__pycache__")
_OWN = (*PACKAGES, "conf", "runner")
_PATH = re.compile(r"(?<![^\s=,:'\"\[({])(?:~|\.\.)?/[^\s,'\"\[\]{}()]*")
"""A path in an override that leads out of the working directory."""


@dataclass
class _Bundle:
    """Files of a bundle, by their names in it, and lines on what is left out.

    Attributes
    ----------
    outside : dict of Path to str
        Folders outside of the working directory, and their names in the bundle.
    """

    records: Path
    cwd: Path
    plugins: dict[str, Path] = field(default_factory=dict)
    configuration: dict[str, Path] = field(default_factory=dict)
    worlds: dict[str, Path] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    outside: dict[Path, str] = field(default_factory=dict)

    def move(self, folders: Iterable[Path]) -> None:
        """Name the folders outside of the working directory; those inside of another one stay there."""
        for folder in sorted(set(folders), key=lambda each: (len(each.parts), each)):
            if any(folder.is_relative_to(each) for each in (self.cwd, *self.outside)):
                continue
            self.outside[folder] = unused(
                f"elsewhere/{folder.name or 'root'}",
                lambda name: name in self.outside.values() or (self.cwd / name).exists(),
            )

    def name_of(self, path: Path) -> str:
        """Return the name of a file or folder in the bundle."""
        if path.is_relative_to(self.cwd):
            return path.relative_to(self.cwd).as_posix()
        folder = next(each for each in (path, *path.parents) if each in self.outside)
        return (Path(self.outside[folder]) / path.relative_to(folder)).as_posix()

    def is_of_user(self, file: Path) -> bool:
        """Return whether a file that was read is neither part of search-runner nor a row."""
        return not any(file.is_relative_to(folder) for folder in (self.records, *(ROOT / name for name in _OWN)))

    def moved(self, override: str) -> str:
        """Return an override with the paths that it has in the bundle."""
        known = [*self.worlds.values(), *self.configuration.values()]

        def name(match: re.Match[str]) -> str:
            path, fixed = _named(match[0])
            is_here = path.is_relative_to(self.cwd) or any(file.is_relative_to(fixed) for file in known)
            return self.name_of(path) if is_here else match[0]

        return _PATH.sub(name, override)

    def files(self) -> dict[str, Path]:
        """Return all files but the README, by their names, in order."""
        rows = [
            path
            for path in self.records.rglob("*")
            if not path.is_symlink() and path.is_file() and path.suffix != ".tmp"
            and not {*path.relative_to(self.records).parts}.intersection(_LEFT_OUT)
        ]  # fmt: skip
        found = {self.name_of(path): path for path in rows}
        found |= self.worlds | self.configuration | self.plugins
        if README in found:
            raise UserError(f"{found[README]}: a bundle has a file of its own with this name; rename this one")
        return dict(sorted(found.items()))


def with_inputs(folder: Path) -> tuple[Members, list[str]]:
    """Return the members of a run or a sweep and of what it needs, and lines on what is left out.

    Parameters
    ----------
    folder : Path
        Folder of the run or the sweep, without links.

    Raises
    ------
    UserError
        If there is no run or sweep, or it cannot run again.
    """
    is_sweep = (folder / RecordFile.SWEEP).is_file()
    if not is_sweep and not (folder / RecordFile.METRICS).is_file():
        raise UserError(f"{folder}: there is no run or sweep ({RecordFile.METRICS} and {RecordFile.SWEEP} are missing)")
    given = recorded_request(folder)
    bundle = _Bundle(folder, Path.cwd())
    with observed_files() as observed:
        cells = cells_of(given)
        for cell in cells:
            cell.source.check()
    plugins = plugin_sources([part for cell in cells for part in cell.parts], given.settings.plugins)
    experiments = list(map(_absolute, given.experiment_files))
    configuration = [*_configuration(given.config_dirs), *experiments]
    worlds = list(filter(bundle.is_of_user, map(_absolute, observed)))
    named = {_named(path)[1] for each in given.overrides for path in _PATH.findall(each)}
    bundle.move([
        *(folder for folder in named if folder.is_dir() and any(file.is_relative_to(folder) for file in worlds)),
        *(file.parent for file in (*worlds, *experiments, *map(_absolute, plugins))),
        *map(_absolute, given.config_dirs), folder,
    ])  # fmt: skip
    _add_plugins(bundle, plugins)
    bundle.configuration = _bounded(bundle, "configuration", configuration)
    bundle.worlds = _bounded(bundle, "world files", worlds)
    codes = {code_of(cell.parts) for cell in cells}
    former = {_code(file) for file in folder.rglob("environment*.json")} - codes
    if former:
        bundle.left_out.append(f"the code that made some rows ({', '.join(sorted(former))}): it has changed since")
    files = {name: pieces_of(file) for name, file in bundle.files().items()}
    return {README: [_readme(bundle, given, codes).encode()], **files}, bundle.left_out


def _absolute(path: Path) -> Path:
    """Return an absolute path without ``..``, and with the links that the user has named."""
    return Path(os.path.abspath(path))  # noqa: PTH100


def _named(text: str) -> tuple[Path, Path]:
    """Return the path that an override names, and the part of it before a pattern."""
    path = _absolute(Path(text).expanduser())
    return path, next((each for each in (path, *path.parents) if not glob.has_magic(str(each))), path)


def _add_plugins(bundle: _Bundle, sources: Iterable[Path]) -> None:
    """Add the sources of plug-ins where Python finds them: below the working directory of who runs the bundle."""
    installed = set[str]()
    folders = [_absolute(Path(folder)) for folder in sys.path if folder]
    for file in dict.fromkeys(map(_absolute, sources)):
        shared = next((folder for folder in file.parents if folder.name in SHARED_FOLDERS), None)
        roots = [folder for folder in folders if file.is_relative_to(folder)]
        if shared is not None:
            installed.add(file.relative_to(shared).parts[0])
        elif file.is_relative_to(bundle.cwd) or not roots:
            bundle.plugins[bundle.name_of(file)] = file
        else:
            bundle.plugins[file.relative_to(max(roots, key=lambda root: len(root.parts))).as_posix()] = file
    bundle.left_out += [f"the installed plug-in {name}" for name in sorted(installed)]


def _configuration(folders: Iterable[Path]) -> Iterator[Path]:
    """Yield the YAML files of folders with choices, without the records of runs in them."""
    for folder in map(_absolute, folders):
        for file in folder.rglob("*.yaml"):
            is_hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
            if file.name != RecordFile.SWEEP and not is_hidden:
                yield file


def _bounded(bundle: _Bundle, what: str, files: Iterable[Path]) -> dict[str, Path]:
    """Return files by their names in the bundle, up to the bound of their size in all."""
    found: dict[str, Path] = {}
    left = MAX_BYTES
    for file in sorted(set(files)):
        size = file.stat().st_size
        if size > left:
            bundle.left_out.append(f"{file}: {what} of more than {MAX_BYTES // 2**20} MiB in all")
        else:
            left -= size
            found[bundle.name_of(file)] = file
    return found


def _code(environment: Path) -> str:
    code = read_json(environment, dict).get("code")
    return code if isinstance(code, str) else "unknown"


def _readme(bundle: _Bundle, given: Request, codes: Iterable[str]) -> str:
    """Return the text of the bundle's README."""
    rows, mode = bundle.name_of(bundle.records), "sweep" if given.is_sweep else "run"
    words = ["-m"] * given.is_sweep
    words += [word for each in given.config_dirs for word in ("--config-dir", bundle.name_of(_absolute(each)))]
    words += ["--config-name", given.config_name] if given.config_name != "config" else []
    moved = replace(given, overrides=tuple(map(bundle.moved, given.overrides)))
    again, resumed = (
        shlex.join(["python", "-m", "runner", *words, *moved.in_folder(folder).overrides]) for folder in ("again", rows)
    )
    missing = f"\nMake the rows that are missing:\n\n    {resumed}\n"
    names = (
        ("Sources of plug-ins", bundle.plugins),
        ("Configuration", bundle.configuration),
        ("World files", bundle.worlds),
        ("Not in this bundle", bundle.left_out),
    )
    lists = "".join(f"\n{title}:\n" + "".join(f"    {each}\n" for each in found) for title, found in names if found)
    return f"""\
The rows of a {mode}, made by search-runner {version("search-runner")} (code {", ".join(sorted(codes))}), and what is
needed to run it again. The versions and the machine are in the files environment.json beside the rows.

Install search-runner, and give these commands in the folder of this file.

Report on the rows; this only reads data:

    python -m runner report {shlex.quote(rows)}

Run it again, and compare; this executes the plug-ins, so read them first:

    {again}
    python -m runner report {shlex.quote(rows)} again
{missing if given.is_sweep else ""}{lists}
Paths in YAML files are those of the first run. Files that plug-ins open without runner.read_text are not here.
"""
