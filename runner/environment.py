"""The record of where and with what a run was made."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from runner.results import DAMAGED
from worlds.files import whole_file

PACKAGES = ("search-runner", "hydra-core", "omegaconf", "numpy", "numba", "llvmlite", "msgspec", "rich", "pandas")


def record(file: Path, cell: str, instances: int) -> None:
    """Write down versions, git commit, processor, platform and command line, and of which cell how many instances."""
    _write(file, {**_machine(), "cell": cell, "instances": instances})


def recorded(file: Path) -> dict[str, Any]:
    """What a record says; nothing if there is none, or somebody has damaged it."""
    try:
        return {**json.loads(file.read_text(encoding="utf-8"))}
    except (OSError, *DAMAGED):
        return {}


def correct_instances(file: Path, cell: str, instances: int) -> None:
    """Let a record say how many instances of the cell are a matter of this job."""
    then = recorded(file) or {**_machine(), "cell": cell}
    if then.get("instances") != instances:
        _write(file, {**then, "instances": instances})


def instances_of(file: Path) -> int | None:
    """How many instances a job has, from its record; None if that does not say it."""
    instances = recorded(file).get("instances")
    return instances if isinstance(instances, int) else None


def change_since(file: Path) -> str | None:
    """What is another version of ours now than in a record, for a note; None if nothing is, or there is no record."""
    then = recorded(file)
    try:
        before = _of(then["packages"]["search-runner"], then["git"])
    except DAMAGED:
        return None
    machine = _machine()
    now = _of(machine["packages"]["search-runner"], machine["git"])
    return None if before == now else f"by {before}; this is {now}"


def _write(file: Path, content: dict[str, Any]) -> None:
    with whole_file(file) as out:
        out.write(json.dumps(content, indent=2) + "\n")


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
        "git": _git(Path(__file__).resolve().parent.parent),
        "platform": platform.platform(),
        "machine": platform.machine(),
        "processor": _processor(),
        "cpu_count": os.cpu_count(),
        "command": sys.argv,
        "working_directory": os.getcwd(),
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
