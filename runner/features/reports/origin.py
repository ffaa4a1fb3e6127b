"""Origin of the rows: the recorded configuration, environment and command of each run and cell."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any, NamedTuple

import msgspec
import yaml

from runner.base import UserError, bounded_yaml, files_below, message, text_if_any
from runner.records import CORRUPT, RecordBound, RecordFile

_MAX_CELLS = 100
"""Maximum number of cells whose records are read."""
_MAX_LISTED = 3
_EXPERIMENT = re.compile(r"^(\+{0,2}experiment=)(?:.*[\\/](?=[^\\/]+\.ya?ml$))?(.+)", re.DOTALL)
"""Override that chooses an experiment. One that is given by its path is called by the name of its file."""
_PACKAGES = ("search-runner", "numba", "numpy")


class RecordedCell(NamedTuple):
    """Cell of a sweep, or a run: contents of recorded files ("" if missing)."""

    configuration: str
    environment: str

    def read(self) -> dict[str, Any]:
        """Return the configuration; nothing if it is corrupt or missing."""
        with suppress(yaml.YAMLError):
            found = bounded_yaml.load(self.configuration)
            return found if isinstance(found, dict) else {}
        return {}


@dataclass(frozen=True)
class Origin:
    """Commands, versions and machines of the first cells.

    Attributes
    ----------
    commands : list of str
        Commands that repeat the rows.
    experiment : str
        Name of the experiment, if all commands run the same one; otherwise empty.
    facts : dict of str
        Versions and machines, by what they describe. Several values are separated by semicolons.
    """

    commands: list[str] = field(default_factory=list)
    experiment: str = ""
    facts: dict[str, str] = field(default_factory=dict)


class _Environment(msgspec.Struct):
    """Fields of environment.json."""

    python: str = ""
    packages: dict[str, str | None] = {}
    git: dict[str, Any] | None = None
    platform: str = ""
    processor: str | None = ""
    cpu_count: int | None = None
    code: str = ""
    plugin_files: list[str] = []
    command: list[str] = []


_DECODER = msgspec.json.Decoder(_Environment)


def cells_of(folders: Sequence[Path]) -> list[RecordedCell]:
    """Return the first runs and cells below folders, from their recorded files."""
    files = [file for folder in folders for file in files_below(folder, RecordFile.ENVIRONMENT)][:_MAX_CELLS]
    return [RecordedCell(_text(file.parent / RecordFile.CONFIGURATION), _text(file)) for file in files]


def origin_of(cells: Sequence[RecordedCell]) -> Origin:
    """Return the origin of cells. Environments that cannot be read are left out."""
    found = []
    for cell in cells:
        try:
            found.append(_DECODER.decode(cell.environment))
        except CORRUPT:
            continue
    commands = list(dict.fromkeys(_command(each.command) for each in found if each.command))
    experiments = {_experiment(each.command) for each in found if each.command}
    facts = {
        "versions": [_versions(each) for each in found],
        "code": [_code(each) for each in found],
        "machine": [_machine(each) for each in found],
    }
    shown = {name: _listed(texts) for name, texts in facts.items()}
    return Origin(
        commands[:_MAX_LISTED],
        experiments.pop() if len(experiments) == 1 else "",
        {name: text for name, text in shown.items() if text},
    )


def plugin_files(folders: Sequence[Path]) -> dict[str, list[str]]:
    """Return the files of the plug-ins that made the rows below folders, by the column `code` of these rows."""
    found: dict[str, list[str]] = {}
    for file in (file for folder in folders for file in files_below(folder, RecordFile.ENVIRONMENT)):
        with suppress(*CORRUPT):
            environment = _DECODER.decode(_text(file))
            found.setdefault(environment.code, environment.plugin_files)
    return found


def _text(file: Path) -> str:
    """Read a file, or write a note if that fails: a report continues without the file."""
    try:
        return text_if_any(file, RecordBound.SHOWN) or ""
    except (UserError, OSError) as error:
        message(f"note: {error}")
        return ""


def _command(words: Sequence[str]) -> str:
    """Return a command as typed. The file of the module stands for ``python -m runner``."""
    program = ["python", "-m", "runner"] if PurePath(words[0]).name == "__main__.py" else [PurePath(words[0]).name]
    return shlex.join([*program, *words[1:]])


def _experiment(words: Sequence[str]) -> str:
    """Return the experiment that a command runs; "" if it runs none."""
    return next((match[2] for word in words if (match := _EXPERIMENT.fullmatch(word))), "")


def _versions(environment: _Environment) -> str:
    packages = (f"{name} {environment.packages.get(name)}" for name in _PACKAGES if environment.packages.get(name))
    return ", ".join([*packages, *([f"Python {environment.python}"] if environment.python else [])])


def _code(environment: _Environment) -> str:
    """Return the commit; without one the fingerprint, which differs by plug-in and is a column of the rows."""
    commit = str((environment.git or {}).get("commit") or "")[:10]
    changed = " with changes" if (environment.git or {}).get("dirty") else ""
    return f"commit {commit}{changed}" if commit else environment.code


def _machine(environment: _Environment) -> str:
    cores = f"{environment.cpu_count} cores" if environment.cpu_count else ""
    return ", ".join(part for part in (environment.processor, cores, environment.platform) if part)


def _listed(texts: Sequence[str]) -> str:
    different = list(dict.fromkeys(text for text in texts if text))
    more = f"; and {len(different) - _MAX_LISTED} more" if len(different) > _MAX_LISTED else ""
    return "; ".join(different[:_MAX_LISTED]) + more
