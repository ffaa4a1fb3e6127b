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
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import yaml

from runner.base import DATA, PACKAGES, ROOT, SHARED_FOLDERS, BoundedLoader, UserError, observed_files, walked
from runner.config import Request
from runner.execution import cells_of
from runner.features.archive.members import Members, pieces_of, unused
from runner.features.cluster import LOGS, PARTS, SCRIPT
from runner.records import RecordFile, code_of, plugin_sources, program_files, read_json, recorded_request

README = "README.txt"
MAX_BYTES = 64 * 2**20
"""Largest size of all world files of a bundle, of all its configuration files, and of all its programs."""
_LEFT_OUT = {RecordFile.LOCK, RecordFile.TASK_LOCKS, LOGS, PARTS, SCRIPT, "report", "__pycache__"}
_OWN = (*(ROOT / package for package in (*PACKAGES, "runner")), DATA / "conf")
_PATH = re.compile(r"(?<![^\s=,:'\"\[({])(?:~|\.\.)?/[^\s,'\"\[\]{}()]*")
"""A path in an override that leads out of the working directory."""


class _Names:
    """Names of files and folders in a bundle.

    Parameters
    ----------
    outside : iterable of Path
        Folders that may be outside of the working directory. Each gets a name, unless it is inside of another one.
    """

    def __init__(self, outside: Iterable[Path]) -> None:
        self._folders = {Path.cwd(): ""}
        taken = self._folders.values()
        for folder in sorted(set(outside), key=lambda each: (len(each.parts), each)):
            if self._folders.keys().isdisjoint((folder, *folder.parents)):
                own = f"elsewhere/{folder.name or 'root'}"
                self._folders[folder] = unused(own, lambda name: name in taken or Path(name).exists())

    def of(self, path: Path) -> str:
        """Return the name of a file or folder."""
        folder = next(each for each in (path, *path.parents) if each in self._folders)
        return (Path(self._folders[folder]) / path.relative_to(folder)).as_posix()

    def of_override(self, override: str, known: Collection[Path]) -> str:
        """Return an override with the names of the paths in it that lead to known files."""
        return _PATH.sub(lambda match: self._of_text(match[0], known), override)

    def in_yaml(self, file: Path, known: Collection[Path]) -> str:
        """Return the text of a YAML file with the names of the paths in it that lead to known files."""
        text, parts = _text(file), list[str]()
        written = 0
        for start, node in sorted(_values(text).items()):
            value, end = node.value, node.end_mark.index
            if _PATH.match(value):
                name = self._of_text(value, known)
                name = name if name != value else self.of_override(value, known)
                parts += [text[written:start], text[start:end].replace(value, name)]
                written = end
        return "".join([*parts, text[written:]])

    def _of_text(self, text: str, known: Collection[Path]) -> str:
        """Return the name of a path if it leads to known files; otherwise the path."""
        path, fixed = _named(text)
        is_here = path.is_relative_to(Path.cwd()) or any(file.is_relative_to(fixed) for file in known)
        return self.of(path) if is_here else text


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
    if not any((folder / each).is_file() for each in (RecordFile.SWEEP, RecordFile.METRICS)):
        raise UserError(f"{folder}: there is no run or sweep ({RecordFile.METRICS} and {RecordFile.SWEEP} are missing)")
    given = recorded_request(folder)
    with observed_files() as observed:
        cells = cells_of(given)
        for cell in cells:
            cell.source.check()
    worlds = [file for file in map(_absolute, observed) if _is_of_user(file, folder)]
    experiments = [_absolute(file) for file in given.experiment_files]
    config_dirs = [_absolute(each) for each in given.config_dirs]
    parts = [part for cell in cells for part in cell.parts]
    plugins = [_absolute(file) for file in plugin_sources(parts, given.composer.groups.plugins)]
    configuration = [*_configuration(config_dirs), *experiments]
    values = [*given.overrides, *(node.value for file in configuration for node in _values(_text(file)).values())]
    named = {_named(path)[1] for each in values for path in (*_PATH.findall(each), *filter(_PATH.match, [each]))}
    left_out: list[str] = []
    programs = _programs(parts, left_out)
    names = _Names([
        *(each for each in named if each.is_dir() and any(file.is_relative_to(each) for file in worlds)),
        *(file.parent for file in (*worlds, *experiments, *plugins, *programs)), *config_dirs, folder,
    ])  # fmt: skip
    inputs = {
        "Sources of plug-ins": _plugins(names, plugins, left_out),
        "Programs": _bounded(names, "programs", programs, left_out),
        "Configuration": _bounded(names, "configuration", configuration, left_out),
        "World files": _bounded(names, "world files", worlds, left_out),
    }
    codes = {code_of(cell.parts) for cell in cells}
    former = {_code(file) for file in walked(folder) if file.match("environment*.json")} - codes
    if former:
        left_out.append(f"the code that made some rows ({', '.join(sorted(former))}): it has changed since")
    files = {names.of(file): file for file in _rows(folder)}
    for each in inputs.values():
        files |= each
    if README in files:
        raise UserError(f"{files[README]}: a bundle has a file of its own with this name; rename this one")
    files = dict(sorted(files.items()))
    known = [file for title in ("Programs", "Configuration", "World files") for file in inputs[title].values()]
    overrides = tuple(names.of_override(each, known) for each in given.overrides)
    moved = replace(given, overrides=overrides, config_dirs=tuple(Path(names.of(each)) for each in config_dirs))
    executables = [name for name, file in inputs["Programs"].items() if os.access(file, os.X_OK)]
    readme = _readme(moved, names.of(folder), codes, executables, {**inputs, "Not in this bundle": left_out})
    pieces = {name: pieces_of(file) for name, file in files.items()}
    for name, file in inputs["Configuration"].items():
        pieces[name] = iter([names.in_yaml(file, known).encode(errors="surrogateescape")])
    return {README: [readme.encode()], **pieces}, left_out


def _absolute(path: Path) -> Path:
    """Return an absolute path without ``..``, and with the links that the user has named."""
    return Path(os.path.abspath(path))  # noqa: PTH100


def _named(text: str) -> tuple[Path, Path]:
    """Return the path that an override names, and the part of it before a pattern."""
    path = _absolute(Path(text).expanduser())
    return path, next((each for each in (path, *path.parents) if not glob.has_magic(str(each))), path)


def _text(file: Path) -> str:
    return file.read_bytes().decode(errors="surrogateescape")


def _values(text: str) -> dict[int, yaml.ScalarNode]:
    """Return the values in a YAML text, without labels, by where they begin; none if it cannot be read."""
    found, left = dict[int, yaml.ScalarNode](), list[object]()
    with suppress(yaml.YAMLError, ValueError):  # a file that no choice reads may be of another kind
        left.append(yaml.compose(text, BoundedLoader))
    while left:
        match left.pop():
            case yaml.ScalarNode() as node:
                found[node.start_mark.index] = node
            case yaml.MappingNode(value=pairs):
                left += [value for key, value in pairs if key.value != "label"]
            case yaml.SequenceNode(value=values):
                left += values
    return found


def _is_of_user(file: Path, rows: Path) -> bool:
    """Return whether a file that was read is neither part of search-runner nor a row."""
    return not any(file.is_relative_to(folder) for folder in (rows, *_OWN))


def _rows(folder: Path) -> Iterator[Path]:
    """Yield the files of a run or a sweep, without locks, tasks of a cluster and reports."""
    for file in walked(folder):
        is_left_out = file.suffix == ".tmp" or not _LEFT_OUT.isdisjoint(file.relative_to(folder).parts)
        if file.is_file() and not file.is_symlink() and not is_left_out:
            yield file


def _configuration(folders: Iterable[Path]) -> Iterator[Path]:
    """Yield the YAML files of folders with choices, without the records of runs in them."""
    for folder in folders:
        for file in (file for file in walked(folder) if file.suffix == ".yaml"):
            is_hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
            if file.name != RecordFile.SWEEP and not is_hidden:
                yield file


def _plugins(names: _Names, sources: Iterable[Path], left_out: list[str]) -> dict[str, Path]:
    """Return sources by names with which Python finds them, if a command runs in the folder of the bundle."""
    found: dict[str, Path] = {}
    installed = set[str]()
    folders = [_absolute(Path(folder)) for folder in sys.path if folder]
    for file in sources:
        shared = next((folder for folder in file.parents if folder.name in SHARED_FOLDERS), None)
        roots = [folder for folder in folders if file.is_relative_to(folder)]
        if shared is not None:
            installed.add(file.relative_to(shared).parts[0])
        elif file.is_relative_to(Path.cwd()) or not roots:
            found[names.of(file)] = file
        else:
            found[file.relative_to(max(roots, key=lambda root: len(root.parts))).as_posix()] = file
    left_out += [f"the installed plug-in {name}" for name in sorted(installed)]
    return found


def _programs(parts: Iterable[object], left_out: list[str]) -> list[Path]:
    """Return the files of programs that are not installed, and those that make their rows stale."""
    commands = {_absolute(Path(folder)) for folder in os.get_exec_path()}
    found: list[Path] = []
    for file in map(_absolute, program_files(parts)):
        if file.parent in commands or not _is_of_user(file, Path(sys.prefix)):
            left_out.append(f"the program {file.name}, which is installed")
        else:
            found.append(file)
    return found


def _bounded(names: _Names, what: str, files: Iterable[Path], left_out: list[str]) -> dict[str, Path]:
    """Return files by their names, up to the bound of their size in all."""
    found: dict[str, Path] = {}
    left = MAX_BYTES
    for file in sorted(set(files)):
        size = file.stat().st_size
        if size > left:
            left_out.append(f"{file}: {what} of more than {MAX_BYTES // 2**20} MiB in all")
        else:
            left -= size
            found[names.of(file)] = file
    return found


def _code(environment: Path) -> str:
    code = read_json(environment, dict).get("code")
    return code if isinstance(code, str) else "unknown"


def _readme(
    request: Request, rows: str, codes: Iterable[str], executables: Sequence[str], lists: Mapping[str, Iterable[str]]
) -> str:
    """Return the text of a bundle's README. The request and the lists have the names in the bundle."""
    noun, words = ("sweep", ["-m"]) if request.is_sweep else ("run", [])
    words += [word for each in request.config_dirs for word in ("--config-dir", str(each))]
    words += ["--config-name", request.config_name] if request.config_name != "config" else []
    again, resumed = (
        shlex.join(["python", "-m", "runner", *words, *request.in_folder(folder).overrides])
        for folder in ("again", rows)
    )
    missing = f"\nMake the rows that are missing:\n\n    {resumed}\n" if request.is_sweep else ""
    made_executable = f"    chmod +x {shlex.join(executables)}\n" if executables else ""
    executed = "plug-ins and the programs" if executables else "plug-ins"
    listed = "".join(
        f"\n{title}:\n" + "".join(f"    {each}\n" for each in names) for title, names in lists.items() if names
    )
    return f"""\
The rows of a {noun}, made by search-runner {version("search-runner")} (code {", ".join(sorted(codes))}), and what is
needed to run it again. The versions and the machine are in the files environment.json beside the rows.

Install search-runner, and give these commands in the folder of this file.

Report on the rows; this only reads data:

    python -m runner report {shlex.quote(rows)}

Run it again, and compare; this executes the {executed}, so read them first:

{made_executable}    {again}
    python -m runner report {shlex.quote(rows)} again
{missing}{listed}
Paths in YAML files lead to the files of this bundle. Files that plug-ins open without runner.read_text are not here.
"""
