"""Record of a run: configuration, versions, machine and command line; and the request that repeats it."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from shlex import quote
from typing import Any, TypeVar

from runner.base import ROOT, UserError, atomic_write, message, one_line, refuse_words
from runner.config import EXPERIMENT, Composition, Request, config_dirs_of
from runner.machine import combined
from runner.records.bounded_files import CORRUPT, read_json, read_yaml
from runner.records.code import code_of, plugin_sources, plugins_of, program_files, program_versions
from runner.records.run_folder import RecordFile

T = TypeVar("T")

_VERSIONED = ("search-runner", "hydra-core", "omegaconf", "numpy", "numba", "llvmlite", "msgspec", "rich", "pandas")
_TOOL_SECONDS = 10
_NOT_REPEATED = ("hydra.sweep.dir=", "hydra.run.dir=", "retry=", "dry_run=", "hydra.searchpath=")


def recorded_request(folder: Path, overrides: Sequence[str] = ()) -> Request:
    """Return the request that made a run or a sweep, without its folder.

    Relative paths in overrides and configuration files belong to the directory in which it was started, so this must be
    the current one. If there is no such directory, the folder has been copied from another machine: then the current
    directory takes its place.

    Parameters
    ----------
    folder : Path
        Folder of the run or the sweep.
    overrides : sequence of str
        Overrides that follow the recorded ones; the last override of a key counts.

    Raises
    ------
    UserError
        If the folder has no record of Hydra, or the current directory is another one.
    """
    refuse_words(overrides)
    is_sweep = (folder / RecordFile.SWEEP).is_file()
    file = folder / (RecordFile.SWEEP if is_sweep else RecordFile.HYDRA)
    noun = "sweep" if is_sweep else "run"
    what = f"the record of a {noun}"
    content = read_yaml(file, what)
    try:
        hydra = content["hydra"]
        recorded = [str(override) for override in (*hydra["overrides"]["task"], *hydra["overrides"]["hydra"])]
        folders = config_dirs_of(hydra["runtime"])
        start = Path(str(hydra["runtime"]["cwd"]))
        name = str(hydra["job"]["config_name"])
        is_here = start.is_dir()
        is_elsewhere = is_here and not start.samefile(Path.cwd())
    except (OSError, *CORRUPT) as error:
        raise UserError(f"{file}: is not {what} ({error})") from None
    shown = quote(one_line(str(start)))
    if is_elsewhere:
        raise UserError(f"the {noun} was started in another directory, to which its paths belong; first: cd {shown}")
    if not is_here:
        message(f"note: the {noun} was started in {shown}, which does not exist; the current directory takes its place")
        folders = [Path.cwd() / path.relative_to(start) if path.is_relative_to(start) else path for path in folders]
        recorded = [text.replace(f"{start}/", "") if text.startswith(f"+{EXPERIMENT}=") else text for text in recorded]
    repeated = [text for text in recorded if not text.startswith(_NOT_REPEATED)]
    return Request((*repeated, *overrides), is_sweep, tuple(folders), name)


def record_provenance(
    directory: Path,
    composition: Composition,
    parts: Sequence[object],
    number: int | None = None,
    *,
    code: str | None = None,
    keeps_interference: bool = False,
    keeps_environment: bool = False,
) -> None:
    """Write the files beside rows: the configuration as Hydra does, to ``.hydra``, and environment.json.

    Parameters
    ----------
    parts : sequence of object
        Worlds, algorithms and heuristics. The commits of their plug-ins are written, too, and the paths and digests of
        the files of programs.
    number : int, optional
        Number of the cell in its sweep.
    code : str, optional
        Fingerprint of the rows. Default: that of the parts.
    keeps_interference : bool
        Whether rows of earlier commands count, and what may have changed their times.
    keeps_environment : bool
        Whether an earlier command has made all rows, so that its environment.json stays.
    """
    earlier = _recorded_interference(directory) if keeps_interference else None
    interference = {} if earlier is None else {"interference": earlier}
    for name, content in composition.record(number).items():
        file = directory / name
        file.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(file) as out:
            out.write(content)
    if keeps_environment:
        return
    with atomic_write(directory / RecordFile.ENVIRONMENT) as out:
        out.write(json.dumps({**_environment(parts, code), **interference}, indent=2) + "\n")


def record_interference(directory: Path, interference: Mapping[str, Any]) -> None:
    """Add to environment.json what may have changed the times of a cell. Without a readable file, do nothing."""
    file = directory / RecordFile.ENVIRONMENT
    earlier = _recorded_interference(directory)
    if earlier is not None:
        interference = combined(earlier, interference)
    with suppress(OSError, UserError):  # the rows are complete without it
        environment = read_json(file, dict[str, Any])
        with atomic_write(file) as out:
            out.write(json.dumps({**environment, "interference": interference}, indent=2) + "\n")


def _recorded_interference(directory: Path) -> dict[str, Any] | None:
    with suppress(OSError, UserError):
        interference = read_json(directory / RecordFile.ENVIRONMENT, dict[str, Any]).get("interference")
        return interference if isinstance(interference, dict) else None
    return None


def _environment(parts: Sequence[object], code: str | None) -> dict[str, Any]:
    """Return versions, commits, processor, platform and command line."""
    folders = dict.fromkeys(source.parent for source in plugin_sources(parts))
    contents = {str(file): _told(file.read_bytes) for file in program_files(parts)}
    programs = [
        {"path": file, "sha256": None if content is None else hashlib.sha256(content).hexdigest()}
        for file, content in contents.items()
    ]
    return {
        **machine(),
        "packages": {**machine()["packages"], **program_versions(parts)},
        "code": code or code_of(parts),
        **({"programs": programs} if programs else {}),
        "plugins": [{"folder": str(folder), "git": _git(folder)} for folder in folders],
        "plugin_files": [str(file) for file in plugins_of(parts)],
        "command": sys.argv,
        "working_directory": os.getcwd(),
    }


@cache
def machine() -> dict[str, Any]:
    """Return versions, our commit, processor and platform."""
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "packages": {name: _told(partial(version, name)) for name in _VERSIONED},
        "git": _git(ROOT) if (ROOT / ".git").exists() else None,
        "platform": platform.platform(),
        "machine": platform.machine(),
        "processor": _processor(),
        "cpu_count": os.cpu_count(),
        "memory_bytes": _told(lambda: os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")),
        "gpus": (_told(lambda: _output("nvidia-smi", "--query-gpu=name", "--format=csv,noheader")) or "").splitlines(),
    }


@cache
def _git(folder: Path) -> dict[str, Any] | None:
    """Return the commit of a folder in a checkout, and whether its files have changed; None outside of a checkout."""

    def ask(*arguments: str) -> str:
        return _output("git", "--no-optional-locks", "-C", str(folder), *arguments)  # a lock would outlive a kill

    def found() -> dict[str, Any]:
        status = ask("status", "--porcelain", "--untracked-files=no", "--", str(folder))
        return {"commit": ask("rev-parse", "HEAD"), "dirty": bool(status)}

    return _told(found)


def _told(find: Callable[[], T]) -> T | None:
    """Return what a function finds; None if the system or a tool does not tell."""
    with suppress(AttributeError, OSError, ValueError, PackageNotFoundError, subprocess.SubprocessError):
        return find()
    return None


def _output(*command: str) -> str:
    """Return what a tool prints. It has ten seconds, and receives the signals of a terminal itself."""
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        timeout=_TOOL_SECONDS, check=True,
    ).stdout.strip()  # fmt: skip


def _processor() -> str:
    lines = (_told(lambda: Path("/proc/cpuinfo").read_text(encoding="utf-8")) or "").splitlines()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.processor()
