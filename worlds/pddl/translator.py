"""Translation of PDDL to SAS+ by Fast Downward's translator, a program of its own (GPL-3), with a cache on disk."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory

from runner.registry import UserError, one_line
from worlds.files import atomic_write, cache_root, read_text
from worlds.interface import Unsolvable
from worlds.pddl import formats
from worlds.pddl.task import Task

PACKAGE = "fast-downward.translate"
MISSING = f"PDDL files need Fast Downward's translator: pip install {PACKAGE} (or the extra 'pddl' of search-runner)"
_OUT_OF_MEMORY = 20
_PROOF = "! Generating unsolvable task..."
_UNSOLVABLE = "unsolvable: "
"""Beginning of a cached proof."""


def check_installed() -> str:
    """Return the version of the translator; raise a `UserError` if it is missing."""
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        raise UserError(MISSING) from None


def translate(domain: str, problem: str, name: str) -> Task:
    """Return the SAS+ task of a problem.

    Translations are kept in the folder ``pddl`` of the user's cache directory, by the contents of both files and the
    version of the translator.

    Parameters
    ----------
    domain, problem : str
        Contents of the files.
    name : str
        Name of the problem, for messages.

    Raises
    ------
    UserError
        If the translator is missing or refuses the files, or the task has axioms.
    worlds.interface.Unsolvable
        If the translator proves that there is no solution.
    MemoryError
        If the translator runs out of memory.
    """
    digest = sha256("\0".join([check_installed(), domain, problem]).encode()).hexdigest()
    cached = cache_root() / "pddl" / f"{digest[:32]}.sas"
    try:
        with suppress(UserError):  # not there, or corrupt
            return _task(cached, read_text(cached, formats.MAX_BYTES))
        text = run_translator(domain, problem, name)
        task = _task(Path(name), text)
    except formats.HasAxioms:
        raise UserError(
            f"{name}: its translation needs axioms, which are not supported; avoid forall and (not (exists ...)) in "
            "conditions, and or, imply, exists and forall in goals"
        ) from None
    with suppress(OSError):
        cached.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(cached) as file:
            file.write(text)
    return task


def _task(path: Path, text: str) -> Task:
    if text.startswith(_UNSOLVABLE):
        raise Unsolvable(text.removeprefix(_UNSOLVABLE).strip())
    return formats.parse(path, text)


def run_translator(domain: str, problem: str, name: str) -> str:
    """Run the translator. Return the SAS+ file, or the text of a proof that there is no solution."""
    with TemporaryDirectory(prefix="search-runner-pddl-") as folder:
        files = [Path(folder) / each for each in ("domain.pddl", "problem.pddl", "output.sas")]
        for file, content in zip(files, (domain, problem), strict=False):
            file.write_text(content, encoding="utf-8")
        command = [sys.executable, "-m", "fast_downward.translate", *map(str, files[:2]), "--sas-file", str(files[2])]
        done = subprocess.run(
            command, cwd=folder, env={**os.environ, "PYTHONHASHSEED": "0"}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
        )  # fmt: skip
        if done.returncode == _OUT_OF_MEMORY or (done.returncode != 0 and "MemoryError" in done.stdout):
            raise MemoryError
        if done.returncode != 0 or not files[2].exists():
            raise UserError(f"{name}: the translator refused it: {_reason(done.stdout, done.returncode)}")
        proof = next((line for line in done.stdout.splitlines() if line.endswith(_PROOF)), None)
        if proof is not None:
            return f"{_UNSOLVABLE}{proof.removesuffix(_PROOF).lower()} (translator)\n"
        return read_text(files[2], formats.MAX_BYTES)


def _reason(output: str, code: int) -> str:
    """Return the message of the translator in one line."""
    lines = [line.strip(" \t->") for line in output.splitlines() if line.strip() and line.strip() != "Parsing..."]
    return one_line("; ".join(lines[-4:]))[:400] or f"it ended with code {code}"
