"""Translation of PDDL to SAS+ by Fast Downward's translator, a program of its own (GPL-3), with a cache on disk."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import ExitStack, suppress
from functools import partial
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryFile

from runner.base import Unsupported, UserError, atomic_write, cache_root, end_with, one_line, read_text
from worlds.interface import OutOfTime, Unsolvable
from worlds.pddl import formats
from worlds.pddl.task import Task

PACKAGE = "fast-downward.translate"
MISSING = f"PDDL files need Fast Downward's translator: pip install {PACKAGE} (or the extra 'pddl' of search-runner)"
KEEP_ALL = "--keep-unimportant-variables"
"""Option: keep the variables that do not matter for the goal."""
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


def translate(domain: str, problem: str, name: str, seconds: float | None = None, *options: str) -> Task:
    """Return the SAS+ task of a problem.

    The parameters are those of `translation`.

    Raises
    ------
    UserError
        If the translator is missing or fails.
    Unsupported
        If the translator refuses the files.
    worlds.interface.Unsolvable, worlds.interface.OutOfTime, MemoryError
        As `translation`.
    """
    return formats.parse(Path(f"{name} (translated)"), translation(domain, problem, name, seconds, *options))


def translation(domain: str, problem: str, name: str, seconds: float | None = None, *options: str) -> str:
    """Return the SAS+ file of a problem.

    Translations are kept in the folder ``pddl`` of the user's cache directory, by the contents of both files, the
    version of the translator and its options. The first line of a file there is a digest of the rest.

    Parameters
    ----------
    domain, problem : str
        Contents of the files.
    name : str
        Name of the problem, for messages.
    seconds : float, optional
        Limit of the time of the translator.
    *options : str
        Options of the translator.

    Raises
    ------
    UserError
        If the translator is missing or fails.
    Unsupported
        If the translator refuses the files.
    worlds.interface.Unsolvable
        If the translator proves that there is no solution.
    worlds.interface.OutOfTime
        If the translator is ended at its limit.
    MemoryError
        If the translator runs out of memory.
    """
    digest = _digest("\0".join([check_installed(), domain, problem, *options]))
    cached = cache_root() / "pddl" / f"{digest[:32]}.sas"
    text = _read(cached)
    if text is None:
        text = run_translator(domain, problem, name, seconds, *options)
        with suppress(OSError):
            cached.parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(cached) as file:
                file.write(f"{_digest(text)}\n{text}")
    if text.startswith(_UNSOLVABLE):
        raise Unsolvable(text.removeprefix(_UNSOLVABLE).strip())
    return text


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _read(cached: Path) -> str | None:
    """Return a cached translation; None if there is none. A corrupt one is removed."""
    with suppress(UserError, OSError):
        digest, _, text = read_text(cached, formats.MAX_BYTES).partition("\n")
        if digest == _digest(text):
            return text
        cached.unlink()
    return None


def run_translator(domain: str, problem: str, name: str, seconds: float | None = None, *options: str) -> str:
    """Run the translator. Return the SAS+ file, or the text of a proof that there is no solution.

    Its files have no names, so nothing is left of them when this process is killed. The translator ends with it
    (on Linux), and does not receive the Ctrl-C of a terminal.
    """
    with ExitStack() as stack:
        files = [stack.enter_context(TemporaryFile()) for _ in range(3)]
        for file, content in zip(files, (domain, problem), strict=False):
            file.write(content.encode())
            file.seek(0)
        paths = [f"/dev/fd/{file.fileno()}" for file in files]
        try:
            done = subprocess.run(
                [sys.executable, "-m", "fast_downward.translate", *paths[:2], "--sas-file", paths[2], *options],
                cwd=os.sep, env={**os.environ, "PYTHONHASHSEED": "0"}, stdin=subprocess.DEVNULL,
                pass_fds=[file.fileno() for file in files], preexec_fn=partial(end_with, os.getpid(), signal.SIGINT),
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
                timeout=seconds,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise OutOfTime("the task was still being translated") from None
        code, output = done.returncode, done.stdout
        if code in (_OUT_OF_MEMORY, -signal.SIGKILL) or (code != 0 and "MemoryError" in output):
            raise MemoryError
        if "Traceback (most recent call last)" in output:
            raise UserError(f"{name}: the translator failed with {_last_lines(output, 1) or f'code {code}'}")
        if code != 0:
            raise Unsupported(f"{name}: the translator refused it: {_last_lines(output, 4) or f'code {code}'}")
        proof = next((line for line in output.splitlines() if line.endswith(_PROOF)), None)
        if proof is not None:
            return f"{_UNSOLVABLE}{proof.removesuffix(_PROOF).lower()} (translator)\n"
        if files[2].seek(0, os.SEEK_END) > formats.MAX_BYTES:
            raise UserError(f"{name}: its translation is larger than {formats.MAX_BYTES // 2**20} MiB")
        files[2].seek(0)
        return files[2].read().decode()


def _last_lines(output: str, count: int) -> str:
    """Return the end of the message of the translator in one line."""
    lines = [line.strip(" \t->") for line in output.splitlines() if line.strip() and line.strip() != "Parsing..."]
    return one_line("; ".join(lines[-count:]))[:400]
