"""Errors of kernels, which are negative numbers, and errors of the compiler: function, reason, file, line."""

from __future__ import annotations

import linecache
import re
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

NEGATIVE_COST, NEGATIVE_H, COST_TOO_LARGE, CALLBACK_FAILED, SUCCESSORS_CHANGED, TOO_MANY_SUCCESSORS = (
    -(1 << 30) - k for k in range(6)
)
MAX_COST = 1 << 30
"""Largest cost of a path in the engine. With a `cost_scale`, the user's limit is this divided by it."""
_FIRST_OWN_CODE = -(1 << 40)
MESSAGES = {
    NEGATIVE_COST: "a step has a negative cost",
    NEGATIVE_H: "a heuristic value is negative",
    COST_TOO_LARGE: f"a path costs more than 2^30 = {MAX_COST:,}, the limit of the engine (divided by cost_scale)",
    SUCCESSORS_CHANGED: "a state has other successors than before",
    TOO_MANY_SUCCESSORS: "a state has more successors than max_successors of its world",
}
"""Messages of the engine's own errors. Other negative numbers come from kernels."""
failed_callbacks: list[BaseException] = []
"""Exceptions that callbacks kept. While there are any, no callback may be called."""

_PLACE = re.compile(r"^\s*During: .* at (.+) \((\d+)\)$", re.MULTILINE)
_FAILED = "Failed in nopython mode pipeline"
_UNMARKED = "Cannot determine Numba type of <class 'function'>"


class KernelError(Exception):
    """A kernel of a world or of a heuristic reported an error."""

    def __init__(self, status: int) -> None:
        super().__init__(MESSAGES.get(int(status), f"a kernel returned {int(status)}"))


def error_code(message: str) -> int:
    """Return the negative number with which a kernel reports an error. `raise_on_error` then raises a `KernelError`.

    The number depends on the message only, so machine code in the cache on disk stays valid.
    """
    code = _FIRST_OWN_CODE - zlib.crc32(message.encode())
    MESSAGES[code] = message
    return code


def keep(exception: BaseException) -> int:
    """Keep an exception of a callback, because it cannot pass through compiled code. Return the status to return."""
    failed_callbacks.append(exception)
    return CALLBACK_FAILED


def raise_on_error(status: int) -> None:
    """Raise the exception that a callback kept; else raise a `KernelError` if the status of a kernel is negative."""
    if failed_callbacks:
        exception = failed_callbacks[0]
        failed_callbacks.clear()
        raise exception
    if status == CALLBACK_FAILED:  # without an exception that was kept: Ctrl-C came before the callback could keep it
        raise KeyboardInterrupt
    if status < 0:
        raise KernelError(status)


class Part(NamedTuple):
    """Function of a user that a kernel calls.

    Attributes
    ----------
    function : callable
    arguments : str
        Numba types of its arguments, such as ``"(int64[::1], uint64)"``.
    """

    function: Callable[..., Any]
    arguments: str


class CompileError(Exception):
    """A kernel cannot be compiled.

    Parameters
    ----------
    function : callable
        Function of the kernel.
    parts : sequence of Part
        Functions of users that it calls. They are compiled alone, because numba knows lines only of the function that
        it compiles.
    error : Exception
        Error that numba raised.
    """

    def __init__(self, function: Callable[..., Any], parts: Sequence[Part], error: Exception) -> None:
        for part in parts:
            own = _error_alone(part)
            if own is not None:
                function, error = part.function, own
                break
        file, line = _place(function, error)
        source = linecache.getline(file, line).strip()
        where = f"{Path(file).name}, line {line}" + (f": {source}" if source else "")
        super().__init__(f"{function.__qualname__} cannot be compiled: {_reason(error)} ({where})")


def _error_alone(part: Part) -> Exception | None:
    """Return the error of a function that is compiled alone; None if there is none."""
    import numba

    try:
        compiled = numba.njit(part.arguments)(part.function)
    except Exception as error:
        return error
    returned = compiled.nopython_signatures[0].return_type
    if isinstance(returned, (numba.types.Integer, numba.types.Float, numba.types.Boolean)):
        return None
    return TypeError(f"it must return a number on every path, not {returned}")


def _place(function: Callable[..., Any], error: Exception) -> tuple[str, int]:
    """Return the file and the line of an error: of the innermost function that is not numba's."""
    import numba

    places = [(file, int(line)) for file, line in _PLACE.findall(str(error))]
    location = getattr(error, "loc", None)
    if location is not None:
        places.append((location.filename, location.line))
    outside = [place for place in places if not place[0].startswith(str(Path(numba.__file__).parent))]
    return outside[0] if outside else (function.__code__.co_filename, function.__code__.co_firstlineno)


def _reason(error: Exception) -> str:
    """Return the innermost reason in the text of an error, in one line."""
    text = str(error)
    lines = (
        [line.strip() for line in text[text.rfind(_FAILED) :].splitlines() if line.strip()] if _FAILED in text else []
    )
    lines = [line for line in lines if not line.startswith(_FAILED)] or text.splitlines()
    reason = " ".join(lines[:2]) if lines[0].endswith(":") else lines[0]
    return f"{reason}; mark functions that kernels call with @helper" if _UNMARKED in reason else reason
