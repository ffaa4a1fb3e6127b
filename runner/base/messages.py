"""Messages on standard error, words for them, and exit codes."""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from pathlib import Path

from runner.base.errors import one_line

SUCCESS, FAILED, REFUSED = 0, 1, 2
"""Exit codes. After signal N the exit code is 128 + N."""
INTERRUPTED_LINE = "interrupted; rows that were finished are kept"
_VALUE = re.compile(
    r"""
    ^\S+\.\w+(?=:\ ) | (?<!\S)[^\s/]*/\S+                   # a file; it begins a word, or long ones take forever
    | (?<=KeyError:\ ).*                                      # a missing key
    | (?<=the\ state\ )[^;]*                                # a state
    | 0x[0-9a-f]+                                           # an address
    | (?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?!\w)  # a number, but no part of a name
    """,
    re.VERBOSE,
)


def message(text: str) -> None:
    """Write one line to standard error. Do nothing if it is closed."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(text.encode(errors="backslashreplace").decode() + "\n")
        sys.stderr.flush()


def reason(error: OSError, where: object) -> str:
    """Return the file of an error and the message of the operating system."""
    return one_line(f"{error.filename or where}: {error.strerror or error}")


def cause_of(error: str) -> str:
    """Return the message of an error without what differs from row to row: files, states, numbers, missing keys."""
    return _VALUE.sub("...", error)


def plural(count: int, noun: str) -> str:
    """Return a number with its noun, such as "1 row" and "2,000 rows"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def shown(path: Path) -> str:
    """Return a path inside the working directory relative to it, and any other path unchanged."""
    with suppress(ValueError, OSError):
        return path.resolve().relative_to(Path.cwd()).as_posix()
    return str(path)
