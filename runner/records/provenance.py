"""The record of where, when and with what a run was made."""

from __future__ import annotations

import itertools
import json
import os
import platform
import subprocess
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from runner.config.composition import Composition
from runner.messages import ROOT
from runner.records.reader import CORRUPT
from runner.records.writer import ENVIRONMENT
from worlds.files import whole_file

PACKAGES = ("search-runner", "hydra-core", "omegaconf", "numpy", "numba", "llvmlite", "msgspec", "rich", "pandas")


def record_configuration(directory: Path, composition: Composition, number: int | None) -> None:
    """Write what was composed, as Hydra's users know it: ``.hydra/config.yaml`` and the files beside it."""
    for name, content in composition.record(number).items():
        file = directory / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")


def record(directory: Path) -> None:
    """Write down versions, git commit, processor, platform and command line in a new file of a folder.

    Parameters
    ----------
    directory : Path
        environment.json is written, or the first of environment-1.json, ... that there is not.
    """
    numbered = (directory / f"environment-{number}.json" for number in itertools.count(1))
    file = next(path for path in itertools.chain([directory / ENVIRONMENT], numbered) if not path.exists())
    content = {**_machine(), "command": sys.argv, "working_directory": os.getcwd()}
    with whole_file(file) as out:
        out.write(json.dumps(content, indent=2) + "\n")


def change_since(directory: Path) -> str | None:
    """Return how our version differs from the one that made the rows in a folder; None if it does not."""
    try:
        then = json.loads((directory / ENVIRONMENT).read_text(encoding="utf-8"))
        before = _of(then["packages"]["search-runner"], then["git"])
    except (OSError, *CORRUPT):
        return None
    machine = _machine()
    now = _of(machine["packages"]["search-runner"], machine["git"])
    return None if before == now else f"by {before}; this is {now}"


def _of(version_: str, git: dict[str, Any] | None) -> str:
    if git is None:
        return f"version {version_}"
    return f"version {version_} at {git['commit'][:12]}{' with changes' if git['dirty'] else ''}"


@cache
def _machine() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "packages": {name: _version(name) for name in PACKAGES},
        "git": _git(ROOT),
        "platform": platform.platform(),
        "machine": platform.machine(),
        "processor": _processor(),
        "cpu_count": os.cpu_count(),
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _git(root: Path) -> dict[str, Any] | None:
    """Commit and dirtiness of the checkout that the package runs from; None outside of one."""
    if not (root / ".git").exists():
        return None

    def ask(*arguments: str) -> str:
        command = ["git", "-C", str(root), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()

    try:
        return {"commit": ask("rev-parse", "HEAD"), "dirty": bool(ask("status", "--porcelain"))}
    except (OSError, subprocess.SubprocessError):
        return None


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor()
