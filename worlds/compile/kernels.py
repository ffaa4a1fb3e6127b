"""Kernels: plain Python functions that numba compiles for the search engine.

A kernel is an ordinary function over flat arrays and integer offsets, marked with its numba signature. Nothing is
compiled at import: `Kernel.compiled` compiles on first use and keeps the machine code on disk (`worlds.compile.cache`).
So a run compiles only what it uses, and `--help` never imports numba.
"""

from __future__ import annotations

import gc
import hashlib
import importlib
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from types import FunctionType
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import numpy as np

from runner.base import check_callable, end_with, interrupts_deferred
from worlds.compile.cache import is_missing, load_or_compile
from worlds.compile.clock import Identity, announce_ahead, compiling, watch_compiling
from worlds.compile.digest import HELPER_OPTIONS, OwnContent, Unknown, kernel_digest
from worlds.compile.errors import COST_TOO_LARGE, MAX_COST, NEGATIVE_COST, TOO_MANY_SUCCESSORS, CompileError, Part

# Signatures are strings, so that naming one does not import numba.
EXPAND = "int64(int64[::1], uint64[::1], int64, uint64[::1], int64, int32[::1], int16[::1], int64)"
"""``expand(constants, states, at, out, out_at, cost, action, slot)`` writes every successor of the state at word offset
`at` of `states`: its words to `out` from `out_at` on, its step cost and action code to `cost` and `action` from index
`slot` on. It returns the number of successors, or a negative number on an error."""

IS_GOAL = "boolean(int64[::1], uint64[::1], int64)"
"""``is_goal(constants, states, at)`` returns whether the state at word offset `at` of `states` is a goal."""

ADDRESS = "int64"
"""Address of a kernel (`Kernel.address`) that another one takes as an argument, to `call` it."""

ADDRESSES = f"{ADDRESS}[::1]"
"""Addresses of kernels of one signature."""

Function = TypeVar("Function", bound=Callable[..., Any])
_contents: dict[Identity, object] = {}
_alive: WeakValueDictionary[Identity, Kernel] = WeakValueDictionary()
_helpers: list[Callable[..., Any]] = []
_registered = 0


class Kernel:
    """A function with an explicit numba signature, compiled when it is first needed.

    Parameters
    ----------
    function : callable
        Plain Python function in the subset of Python that numba compiles. It may call functions marked with `helper`.
    signature : str
        Numba signature, for example `EXPAND`.
    without_lock : bool
        Release the lock of Python's interpreter while it runs. It must not call Python then.
    parts : sequence of Part
        Functions of users that it calls, so that errors of the compiler name their lines.

    Raises
    ------
    ValueError
        If another kernel has the same qualified name and signature. Numba names machine code after them and would
        confuse the two kernels when both come from the cache. Functions made by a factory need names of their own.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        signature: str,
        *,
        without_lock: bool = False,
        parts: Sequence[Part] = (),
    ) -> None:
        identity = self.identity = (function.__module__, function.__qualname__, signature)
        content = OwnContent().value(function)
        if _contents.setdefault(identity, content) != content:
            raise ValueError(
                f"there are two kernels named {function.__module__}.{function.__qualname__}; "
                "to change a kernel in a notebook, restart it or give the kernel another name"
            )
        _alive[identity] = self
        self.function = function
        self.signature = signature
        self._options, self._parts = {"nogil": True} if without_lock else {}, parts
        self._ahead: int | None = None
        self._was_looked_up = False
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__

    def __reduce__(self) -> tuple[Callable[..., Kernel], tuple[str, str]]:
        """Pickle the kernel by its name in its module, as functions are."""
        module, name, _ = self.identity
        return _kernel_named, (module, name)

    @cached_property
    def compiled(self) -> Callable[..., Any]:
        """Machine code: a numba dispatcher.

        Raises
        ------
        worlds.compile.errors.CompileError
            If numba cannot compile the function.
        """
        with compiling(self.identity), without_collection(), interrupts_deferred():
            numba = _numba()
            if self._ahead is not None:
                with suppress(ChildProcessError):  # it is a child of the process that has forked this one
                    os.waitpid(self._ahead, 0)
            compiled: Callable[..., Any] | None = None
            if self.digest is not None:
                compiled = load_or_compile(self._entry, self.digest, self._compile_beside)
            if compiled is not None:
                return compiled
            try:
                compiled = numba.njit(self.signature, **self._options)(self._entry)
            except (numba.core.errors.NumbaError, numba.core.errors.UnsupportedBytecodeError) as error:
                raise CompileError(self.function, self._parts, error) from error.with_traceback(None)
            return compiled

    def address(self, signature: str) -> int:
        """Return the address of the machine code, by which other kernels `call` this one.

        The kernel must live as long as the address is used.

        Raises
        ------
        TypeError
            If the kernel has another signature.
        """
        if self.signature.replace(" ", "") != signature.replace(" ", ""):
            raise TypeError(f"kernel {self.__name__}: expected the signature {signature}, got {self.signature}")
        return self._address

    @cached_property
    def _address(self) -> int:
        compiled: Any = self.compiled
        (result,) = compiled.overloads.values()
        address: int = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
        return address

    @cached_property
    def _entry(self) -> Callable[..., Any]:
        """Function without a closure that numba compiles. It calls the function of the kernel, which numba inlines.

        The function of the kernel gets its arrays without reference counts; the caller keeps them alive. Numba would
        count whenever an array is passed to another kernel or looked up in a tuple. Counting is atomic, and took up to
        four fifths of the time of a kernel.

        Numba takes a cached function for another one when its closure changes, which it compares by its pickle. That
        contains the lines and files of functions that other functions have made.
        """
        function = self.function
        inlined = _numba().njit(inline="always")(function)
        from worlds.compile.intrinsics import borrowed

        names = function.__code__.co_varnames[: function.__code__.co_argcount]
        arguments = ", ".join(f"borrowed({name})" for name in names)
        known = {"inlined": inlined, "borrowed": borrowed}
        entry: Callable[..., Any] = eval(f"lambda {', '.join(names)}: inlined({arguments})", known)
        entry.__module__, entry.__name__ = function.__module__, function.__name__
        entry.__qualname__ = function.__qualname__
        return entry

    @cached_property
    def digest(self) -> str | None:
        """Digest of all that the machine code depends on; None if it reads something whose content is not known.

        Computed once: it takes longer than a short search.
        """
        return self._digest()

    def _digest(self) -> str | None:
        try:
            return kernel_digest(self._entry, (self.signature, self._options))
        except Unknown:
            return None

    def compile_ahead(self) -> None:
        """Compile in another process if the machine code is not on disk, so that this one can compile other kernels.

        `compiled` waits for that process. Nothing is done with one processor, or beside other threads, where processes
        cannot be forked safely.
        """
        if self._was_looked_up or "compiled" in vars(self) or not _can_compile_ahead():
            return
        self._was_looked_up = True
        if self.digest is None or not is_missing(self.digest):
            return
        announce_ahead(self.identity)
        self._ahead = os.fork()
        if self._ahead == 0:
            with suppress(BaseException):  # the parent compiles again, and reports the error
                self._compile_for_parent()
            os._exit(0)

    def _compile_for_parent(self) -> None:
        # the parent decides what a signal to both of them means; its wakeup file is among those that are closed
        signal.set_wakeup_fd(-1)
        end_with(os.getppid(), signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # pipes and locks that others wait for
        watch_compiling(None)
        self._ahead = None
        _ = self.compiled

    @cached_property
    def inlined(self) -> Callable[..., Any]:
        """The function as a helper, for kernels that are compiled together with it."""
        return helper(self.function)

    def _compile_beside(self, function: Callable[..., Any]) -> Any:
        """Return the dispatcher of a copy of the function. Numba keeps its machine code in the folder of its file."""
        config, njit = _numba().config, _numba().njit
        before, config.CACHE_DIR = config.CACHE_DIR, ""
        try:
            return njit(self.signature, cache=True, **self._options)(function)
        finally:
            config.CACHE_DIR = before


def _kernel_named(module: str, name: str) -> Kernel:
    """Return the kernel with a name in a module.

    Raises
    ------
    pickle.UnpicklingError
        If the module has no such kernel: it was made inside a function.
    """
    found = getattr(importlib.import_module(module), name, None)
    if not isinstance(found, Kernel):
        raise pickle.UnpicklingError(f"{module} has no kernel {name}")
    return found


def kernel(signature: str) -> Callable[[Callable[..., Any]], Kernel]:
    """Mark a function as a kernel with the given numba signature.

    Raises
    ------
    TypeError
        If there is no signature.
    """
    if not isinstance(signature, str):
        raise TypeError("kernel takes a signature: write @kernel(EXPAND), for example, above the function")

    def mark(function: Callable[..., Any]) -> Kernel:
        check_callable("kernel", function)
        return Kernel(function, signature)

    return mark


def helper(function: Function) -> Function:
    """Mark a function as callable from kernels. It stays an ordinary Python function."""
    check_callable("helper", function)
    _helpers.append(function)
    return function


def named(function: Function, name: str, *parts: object) -> Function:
    """Name a function that a factory makes after the functions and values in its closure (see `Kernel`).

    Functions of one name differ by their code. The length is fixed, because files of the cache have this name.
    """
    contents = (OwnContent().value(part) if isinstance(part, FunctionType) else part for part in parts)
    text = ", ".join(map(repr, contents)).encode(errors="surrogateescape")
    function.__qualname__ = f"{name}.{hashlib.sha256(text).hexdigest()[:16]}"
    return function


@helper
def as_index(number):
    """Return an index from 0 to 2^31 - 1. It tells the compiler that the index is not negative.

    Other numbers are changed without an error: check for -1 first, and pass no offsets that may be larger. Numba checks
    all other indices from arrays, because negative ones count from the end. This took a third of the time of `lmcut`.
    """
    return number & 0x7FFFFFFF


@helper
def cost_error(step, total):
    """Return the error code of an invalid step cost, or of a path that costs too much in total; 0 if both are valid."""
    if step < 0:
        return NEGATIVE_COST
    return COST_TOO_LARGE if total > MAX_COST else 0


@helper
def successor_count(written, most):
    """Return the number of successors that a kernel has written, at most `most`, or an error code: its own, if any."""
    return np.int64(TOO_MANY_SUCCESSORS) if written > most else np.int64(written)


def room_for(successors: int) -> int:
    """Return for how many successors buffers have room: a kernel that writes too many damages no other memory."""
    return 2 * successors + 8


@contextmanager
def without_collection() -> Iterator[None]:
    """Do not collect garbage: the compiler makes millions of objects, and an eighth of its time went there."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def outdated(functions: Iterable[object]) -> list[str]:
    """Return the names of functions that were compiled in this process before something changed that they name."""
    wanted = set(map(id, functions))
    found = set()
    for kernel in [*_alive.values()]:
        functions_in = (kernel.function, *(cell.cell_contents for cell in kernel.function.__closure__ or ()))
        names = [each.__qualname__ for each in functions_in if id(each) in wanted and isinstance(each, FunctionType)]
        if names and vars(kernel).get("digest") not in (None, kernel._digest()):
            found.update(names)
    return sorted(found)


def load(identities: Iterable[Identity]) -> None:
    """Compile or load the kernels that another process has reported, if this process has defined them.

    Forked processes then share these kernels, and the type of arrays, which numba looks up in 25 ms.
    """
    for identity in identities:
        kernel = _alive.get(identity)
        if kernel is not None:
            _ = kernel.compiled
    if "numba" in sys.modules:
        with interrupts_deferred():
            sys.modules["numba"].typeof(np.zeros(1, np.uint64))


def _can_compile_ahead() -> bool:
    return hasattr(os, "fork") and (os.cpu_count() or 1) > 1 and threading.active_count() == 1


def _numba() -> Any:
    """Import numba and register all helpers with it."""
    global _registered
    import numba
    from numba.extending import register_jitable

    from worlds.compile import intrinsics  # noqa: F401

    while _registered < len(_helpers):
        register_jitable(**HELPER_OPTIONS)(_helpers[_registered])
        _registered += 1
    return numba
