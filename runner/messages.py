"""Messages of one line, errors of plug-ins, and exit codes. Imports nothing of ours but the registry."""

from __future__ import annotations

import os
import sys
import traceback
from contextlib import suppress
from pathlib import Path

from runner.registry import UserError, one_line

SUCCESS, FAILED, REFUSED = 0, 1, 2
"""Exit codes; 128 + N after signal N."""

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("algorithms", "heuristics", "worlds")
"""The packages beside `runner` that register worlds, algorithms, heuristics and weightings."""


class PluginError(UserError):
    """A plug-in failed. The message is a line and the plug-in's own traceback."""

    def __init__(self, problem: str, cause: BaseException) -> None:
        super().__init__(f"{one_line(problem)}\n{own_traceback(cause)}")

    def __str__(self) -> str:
        return Exception.__str__(self)


def message(text: str) -> None:
    """Write one line to standard error, if that is open."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(text.encode(errors="backslashreplace").decode() + "\n")
        sys.stderr.flush()


def reason(error: OSError, where: object) -> str:
    """Return what the operating system says, and about which file."""
    return one_line(f"{error.filename or where}: {error.strerror or error}")


def shown(path: Path) -> str:
    """Return a path relative to the working directory where that is shorter."""
    with suppress(ValueError, OSError):
        return path.resolve().relative_to(Path.cwd()).as_posix()
    return str(path)


def text_of(error: BaseException) -> str:
    """Return the type and the message of an exception, also of one that cannot say what it is."""
    name = type(error).__name__
    try:
        return f"{name}: {error}"
    except BaseException:  # of its __str__
        return f"{name} (its message cannot be shown)"


def own_traceback(error: BaseException) -> str:
    """Return the traceback of an error in a plug-in, from the plug-in's own code on."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = (*(f"{ROOT / package}{os.sep}" for package in ("runner", *PACKAGES)), "<frozen")
    while frames and (frames[0].filename.startswith(ours) or "importlib" in frames[0].filename):
        del frames[0]
    lines = ["Traceback (most recent call last):\n", *frames.format()] if frames else []
    return "".join([*lines, *traceback.format_exception_only(error)]).rstrip()
