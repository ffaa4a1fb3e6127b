"""Run the tests with each version of Python that is on the machine: ``python -m tests.versions [VERSION ...]``.

Each version gets an environment of its own with the extra `test`, in a temporary folder. Words after a ``--`` are for
pytest, such as ``-x tests/worlds``. Prints a table; exit code 1 if a version fails. ``uv`` finds versions if it is
installed.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.runner_cli import ROOT

VERSIONS = tuple(re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text(encoding="utf-8")))


def python_of(version: str) -> str | None:
    """Return the program of a version; None if it is not on the machine."""
    uv = shutil.which("uv")
    found = [[uv, "python", "find", "--system", version]] if uv else []
    for words in [*found, [f"python{version}", "-c", "import sys; print(sys.executable)"]]:
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
        except OSError:
            continue
        if done.returncode == 0:
            return done.stdout.strip()
    return None


def outcome(version: str, words: Sequence[str]) -> str:
    """Return the last line of pytest, or what went wrong before it."""
    python = python_of(version)
    if python is None:
        return "not on this machine"
    with tempfile.TemporaryDirectory() as name:
        own = Path(name) / "env" / "bin" / "python"
        for step in (
            [python, "-m", "venv", str(Path(name) / "env")],
            [str(own), "-m", "pip", "install", "--quiet", "-e", f"{ROOT}[test]"],
            [str(own), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", *words],
        ):
            done = subprocess.run(step, cwd=ROOT, capture_output=True, text=True, check=False)
            print(done.stdout[-20_000:], done.stderr[-20_000:], sep="\n", file=sys.stderr)
            if done.returncode:
                break
    lines = (done.stdout + done.stderr).strip().splitlines()
    return ("" if done.returncode == 0 else "FAILED: ") + (lines[-1] if lines else "")


def main(arguments: Sequence[str]) -> int:
    at = list(arguments).index("--") if "--" in arguments else len(arguments)
    outcomes = []
    for version in arguments[:at] or VERSIONS:
        start = time.monotonic()
        outcomes.append(outcome(version, arguments[at + 1 :]))
        print(f"Python {version:5} {time.monotonic() - start:6.0f} s  {outcomes[-1]}", flush=True)
    return int(any(each.startswith("FAILED") for each in outcomes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
