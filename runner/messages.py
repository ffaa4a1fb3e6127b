"""Messages of one line, errors of plug-ins, and exit codes."""

from __future__ import annotations

import os
import sys
import traceback
from contextlib import suppress
from pathlib import Path

from runner.registry import UserError, one_line

SUCCESS, FAILED, REFUSED = 0, 1, 2
"""Exit codes. After signal N the exit code is 128 + N."""

ROOT = Path(__file__).resolve().parents[1]
_STANDARD_LIBRARY = f"{Path(os.__file__).parent}{os.sep}"
PACKAGES = ("algorithms", "heuristics", "worlds")
"""The packages beside `runner` that register worlds, algorithms, heuristics and weightings."""


class PluginError(UserError):
    """Failure of a plug-in. The message is one line, followed by the plug-in's own traceback.

    Without a cause, as from a worker, the message has the traceback already.
    """

    def __init__(self, problem: str, cause: BaseException | None = None) -> None:
        super().__init__(problem if cause is None else f"{one_line(problem)}\n{own_traceback(cause)}")

    def __str__(self) -> str:
        return Exception.__str__(self)


def message(text: str) -> None:
    """Write one line to standard error. Do nothing if it is closed."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(text.encode(errors="backslashreplace").decode() + "\n")
        sys.stderr.flush()


def reason(error: OSError, where: object) -> str:
    """Return the file of an error and the message of the operating system."""
    return one_line(f"{error.filename or where}: {error.strerror or error}")


def plural(count: int, noun: str) -> str:
    """Return a number with its noun, such as "1 row" and "2,000 rows"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def shown(path: Path) -> str:
    """Return a path inside the working directory relative to it, and any other path unchanged."""
    with suppress(ValueError, OSError):
        return path.resolve().relative_to(Path.cwd()).as_posix()
    return str(path)


def text_of(error: BaseException) -> str:
    """Return the type and the message of an exception. Works even if its `__str__` raises."""
    name = type(error).__name__
    try:
        return f"{name}: {error}"
    except BaseException:
        return f"{name} (its message cannot be shown)"


def own_traceback(error: BaseException) -> str:
    """Return the traceback of an error in a plug-in, without the frames before the plug-in's own code.

    If search-runner has raised the error, the plug-in's call is the last frame.
    """
    frames = traceback.extract_tb(error.__traceback__)
    ours = tuple(f"{ROOT / package}{os.sep}" for package in ("runner", *PACKAGES))
    built_in = (*ours, "<frozen")
    while frames and (frames[0].filename.startswith(built_in) or "importlib" in frames[0].filename):
        del frames[0]
    if frames and frames[-1].filename.startswith(ours):
        while frames and frames[-1].filename.startswith((*built_in, _STANDARD_LIBRARY)):
            del frames[-1]
    lines = ["Traceback (most recent call last):\n", *frames.format()] if frames else []
    return "".join([*lines, *traceback.format_exception_only(error)]).rstrip()
