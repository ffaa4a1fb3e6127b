"""Errors of users and of plug-ins, and their messages of one line."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterable
from pathlib import Path

from runner.base.spelling import did_you_mean

ROOT = Path(__file__).resolve().parents[2]
"""Folder of the project's packages."""
PACKAGES = ("algorithms", "heuristics", "worlds")
"""The packages beside `runner`, which register worlds, algorithms, heuristics and weightings."""
MAX_MESSAGE = 1500
"""Maximum number of characters of a message."""
_STANDARD_LIBRARY = f"{Path(os.__file__).parent}{os.sep}"


class UserError(Exception):
    """Mistake that the user can correct. The message is one line: what is wrong, where, and what is allowed."""

    def __str__(self) -> str:
        return one_line(super().__str__())


class Incompatible(UserError):
    """Combination of valid parts that do not fit together. A sweep skips the cell; a single run refuses it."""


class Unsupported(UserError):
    """Instance that cannot be searched because its file cannot be read. A folder has a row for it, and goes on."""


class NameTaken(UserError, ValueError):
    """A registry has another entry of this name."""


class ForeignDomain(Incompatible):
    """Heuristic that belongs to other domains than the world."""


class PluginError(UserError):
    """Failure of a plug-in. The message is one line, followed by the plug-in's own traceback.

    Without a cause, as from a worker, the message has the traceback already.
    """

    def __init__(self, problem: str, cause: BaseException | None = None) -> None:
        super().__init__(problem if cause is None else f"{one_line(problem)}\n{own_traceback(cause)}")

    def __str__(self) -> str:
        return Exception.__str__(self)


def one_line(text: str) -> str:
    """Return text as one line: escape characters that cannot be printed, and shorten a long text in its middle."""
    text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in " ".join(text.split()))
    return text if len(text) <= MAX_MESSAGE else f"{text[: MAX_MESSAGE - 500]} ... {text[-490:]}"


def suggest(name: str, allowed: Iterable[str]) -> str:
    """Return the end of an error message: the nearest valid name, and all valid names."""
    allowed = list(allowed)
    return f"{did_you_mean(name, allowed) or ';'} choose from: {', '.join(allowed)}" if allowed else ""


def error_text(error: BaseException) -> str:
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
