"""Running the command as a user does, in a process of its own."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

from runner.progress import COMPILING

ROOT = Path(__file__).parent.parent


def environment() -> dict[str, str]:
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "runner", *arguments]


def run(directory: Path, *arguments: str, module: str = "runner", **variables: str) -> subprocess.CompletedProcess[str]:
    """Run one of the commands. That kernels are compiled, which only the first to need them says, is left out."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments], cwd=directory, env={**environment(), **variables},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    done.stderr = done.stderr.replace(f"{COMPILING}\n", "")
    return done


def rows(file: Path) -> list[dict[str, str]]:
    with open(file, encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def only(directory: Path, pattern: str) -> Path:
    """The single path that matches a pattern."""
    found = list(directory.glob(pattern))
    assert len(found) == 1, found
    return found[0]
