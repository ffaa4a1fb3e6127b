"""Errors of users and of plug-ins, modules of extras, messages of one line, nearest spellings, and exit codes."""

from __future__ import annotations

import difflib
import os
import re
import sys
import traceback
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from runner.base.own_places import DATA, PACKAGES, ROOT

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
    examples = f"{DATA / 'examples'}{os.sep}"  # in a wheel, inside of `runner`

    def is_built_in(frame: traceback.FrameSummary, *further: str) -> bool:
        return frame.filename.startswith((*ours, "<frozen", *further)) and not frame.filename.startswith(examples)

    while frames and (is_built_in(frames[0]) or "importlib" in frames[0].filename):
        del frames[0]
    if frames and frames[-1].filename.startswith(ours):
        while frames and is_built_in(frames[-1], _STANDARD_LIBRARY):
            del frames[-1]
    lines = ["Traceback (most recent call last):\n", *frames.format()] if frames else []
    return "".join([*lines, *traceback.format_exception_only(error)]).rstrip()


SUCCESS, FAILED, REFUSED = 0, 1, 2
"""Exit codes. After signal N the exit code is 128 + N."""
INTERRUPTED_LINE = "interrupted; rows that were finished are kept"


def message(text: str) -> None:
    """Write one line to standard error. Do nothing if it is closed."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(text.encode(errors="backslashreplace").decode() + "\n")
        sys.stderr.flush()


def optional_module(name: str, needed_by: str, extra: str) -> Any:
    """Return a module that an extra of search-runner installs; raise `UserError` if it cannot be imported."""
    try:
        return import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        raise UserError(f"{needed_by} needs {package}; install it with: pip install 'search-runner[{extra}]'") from None


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


ALIASES = {
    "a": "astar",
    "ida": "idastar",
    "dijkstra": "ucs",
    "uniform_cost": "ucs",
    "breadth_first": "bfs",
    "depth_first": "dfs",
    "iterative_deepening": "ids",
    "iddfs": "ids",
    "branch_and_bound": "dfbnb",
    "budgeted_tree": "bts",
    "best_first": "greedy",
    "greedy_best_first": "greedy",
    "gbfs": "greedy",
    "wastar": "weighted_astar",
    "arastar": "ara",
    "anastar": "ana",
    "dynamic_potential": "dps",
    "explicit_estimation": "ees",
    "astar_epsilon": "focal",
    "jump_point": "jps",
    "iterated_width": "iw",
    "best_first_width": "bfws",
    "lrta": "lss_lrta",
    "lrtastar": "lss_lrta",
    "lss_lrtastar": "lss_lrta",
    "rtaastar": "rtaa",
    "pdb": "pattern_database",
    "timeout": "time",
    "time_limit": "time",
    "node_limit": "nodes",
    "memory_limit": "memory",
}
"""Names that the registry and the limits have under another name. A star is written out, and ``_search`` left out."""

_PREFERRED = ("/static", "/random")
"""Ends of the names of worlds that need no file."""
_RANGE = re.compile(r"(\d{1,9}) ?(?:\.\.\.?|-|:|–) ?(\d{1,9})")


def nearest(name: str, allowed: Iterable[str]) -> list[str]:
    """Return the valid names that a wrong one may stand for: mostly one, for a domain several worlds, or none.

    Examples
    --------
    >>> nearest("IDA*", ["idastar", "ids"]), nearest("wumpus", ["wumpus/file", "wumpus/static", "wumpus/random"])
    (['idastar'], ['wumpus/static', 'wumpus/random'])
    """
    names = {_plain(each): each for each in reversed(list(allowed))}
    plain = _plain(name)
    alias = ALIASES.get(plain.removesuffix("_search"))
    if alias in names:
        return [names[alias]]
    below = [names[each] for each in reversed(names) if plain and each.startswith(f"{plain}/")]
    if below:
        preferred = [each for end in _PREFERRED for each in below if each.endswith(end)]
        return preferred or below
    return [names[each] for each in difflib.get_close_matches(plain, names, n=1, cutoff=0.51)]


def did_you_mean(name: str, allowed: Iterable[str]) -> str:
    """Return the end of a message that names the nearest valid names; empty if there are none."""
    near = " or ".join(f"'{each}'" for each in nearest(name, allowed))
    return f"; did you mean {near}?" if near else ""


def range_hint(where: str, value: object) -> str:
    """Return the end of a message for a text such as ``4..20`` as the value of a key; empty for any other value."""
    found = _RANGE.fullmatch(value) if isinstance(value, str) else None
    return f"; for a range, write '{where}=range({found[1]},{int(found[2]) + 1})' with -m" if found else ""


def _plain(name: str) -> str:
    return name.lower().replace("*", "star").replace("-", "_").replace(" ", "_")
