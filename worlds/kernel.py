"""Compiled functions: how a plain Python function becomes a kernel of the search engine.

A kernel is written as an ordinary function over flat arrays and integer offsets, and marked with its numba
signature. Nothing is compiled at import: `Kernel.compiled` compiles on first use and keeps the machine code on
disk (`worlds.kernel_cache`), so that a run pays only for what it uses and `--help` never imports numba.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import numpy as np

from worlds import kernel_cache
from worlds.signals import interrupts_deferred

# Signatures are strings, so that naming one does not import numba.
EXPAND = "int64(int64[::1], uint64[::1], int64, uint64[::1], int64, int32[::1], int16[::1], int64)"
"""``expand(world, states, at, out, out_at, cost, action, slot)`` writes every successor of the state at word offset
`at` of `states`: its words to `out` from `out_at` on, its step cost and action code to `cost` and `action` from index
`slot` on. Returns the number of successors, or a negative number on an error."""

IS_GOAL = "boolean(int64[::1], uint64[::1], int64)"
"""``is_goal(world, states, at)`` tells whether the state at word offset `at` of `states` is a goal."""

NEGATIVE_COST, NEGATIVE_H, COST_TOO_LARGE, H_TOO_LARGE, CALLBACK_FAILED, SUCCESSORS_CHANGED = (
    -(1 << 30) - k for k in range(6)
)
MAX_COST = 1 << 30
MESSAGES = {
    NEGATIVE_COST: "a step has a negative cost",
    NEGATIVE_H: "a heuristic value is negative",
    COST_TOO_LARGE: f"a path costs more than {MAX_COST:,}",
    SUCCESSORS_CHANGED: "a state has other successors than before",
    H_TOO_LARGE: f"a heuristic value is larger than {1 << 27:,}; for a dead end give math.inf",
}
"""What the engine itself reports; other negative numbers come from kernels."""

Function = TypeVar("Function", bound=Callable[..., Any])
Identity = tuple[str, str, str]
"""Module and name of a kernel's function, and the signature."""

BEGINS, READY, FAILED = "begins", "ready", "failed"
Observer = Callable[[Identity, str], None]
"""Is told when a kernel begins to be compiled or loaded, and how that ends."""

_kernels: dict[Identity, Any] = {}
_alive: WeakValueDictionary[Identity, Kernel] = WeakValueDictionary()
_helpers: list[Callable[..., Any]] = []
_registered = 0
failed_callbacks: list[BaseException] = []
"""What callbacks have kept; as long as there is something, they are not to be called."""


class KernelError(Exception):
    """A kernel of a world or of a heuristic reported an error."""

    def __init__(self, status: int) -> None:
        super().__init__(MESSAGES.get(int(status), f"a kernel returned {int(status)}"))


def keep(exception: BaseException) -> int:
    """Keep what a callback raised, because it cannot pass through compiled code; returns the status to hand on."""
    failed_callbacks.append(exception)
    return CALLBACK_FAILED


def raise_on_error(status: int) -> None:
    """Raise what a callback kept, or else a `KernelError` if a kernel returned a negative status."""
    if failed_callbacks:
        exception = failed_callbacks[0]
        failed_callbacks.clear()
        raise exception
    if status == CALLBACK_FAILED:
        raise KeyboardInterrupt
    if status < 0:
        raise KernelError(status)


class _Clock:
    """Adds up the time spent inside `measure`, which does not nest."""

    wall = 0.0
    cpu = 0.0
    observer: Observer | None = None

    @contextmanager
    def measure(self, identity: Identity) -> Iterator[None]:
        wall, cpu = time.perf_counter(), time.process_time()
        observer, outcome = self.observer, FAILED
        if observer is not None:
            observer(identity, BEGINS)
        try:
            yield
            outcome = READY
        finally:
            if observer is not None:
                observer(identity, outcome)
            self.wall += time.perf_counter() - wall
            self.cpu += time.process_time() - cpu


_clock = _Clock()


class Kernel:
    """A function with an explicit numba signature, compiled when it is first needed.

    Parameters
    ----------
    function : callable
        Plain Python function in the subset of the language that numba compiles. It may call functions marked with
        `helper`.
    signature : str
        Numba signature, for example `EXPAND`.

    Raises
    ------
    ValueError
        If another kernel has the same qualified name and signature. Numba names machine code after them, and would
        run the one for the other when both come from the cache; functions made by a factory need names of their own.
    """

    def __init__(self, function: Callable[..., Any], signature: str) -> None:
        identity = self.identity = (function.__module__, function.__qualname__, signature)
        if _kernels.setdefault(identity, _substance(function)) != _substance(function):
            raise ValueError(f"there are two kernels named {function.__module__}.{function.__qualname__}")
        _alive[identity] = self
        self.function = function
        self.signature = signature
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__

    @cached_property
    def compiled(self) -> Callable[..., Any]:
        """The machine code: a numba dispatcher that is also a first-class function for other kernels."""
        with _clock.measure(self.identity), _without_warnings(), interrupts_deferred():
            numba, dispatcher = _numba(), None
            if Path(self.function.__code__.co_filename).is_file():  # not from standard input, say
                key = (self.identity, _substance(self.function)[1])
                dispatcher = kernel_cache.load_or_compile(self.function, key, self._cached_in)
            if dispatcher is None:
                dispatcher = numba.njit(self.signature)(self.function)
        return dispatcher  # type: ignore[no-any-return]

    def _cached_in(self, folder: Path) -> Any:
        """Return the dispatcher, which numba loads from a folder, or compiles and writes there."""
        config, njit = _numba().config, _numba().njit
        before, config.CACHE_DIR = config.CACHE_DIR, str(folder)
        try:
            return njit(self.signature, cache=True)(self.function)
        finally:
            config.CACHE_DIR = before


def kernel(signature: str) -> Callable[[Callable[..., Any]], Kernel]:
    """Mark a function as a kernel with the given numba signature."""

    def mark(function: Callable[..., Any]) -> Kernel:
        return Kernel(function, signature)

    return mark


def helper(function: Function) -> Function:
    """Mark a function as callable from kernels. It stays an ordinary Python function."""
    _helpers.append(function)
    kernel_cache.depend_on(function)
    return function


def borrowed(arrays):
    """The same array, or tuple of arrays, without reference counts; for arrays that the caller keeps alive anyway.

    Numba counts references whenever an array is passed to a first-class function or looked up in a tuple. The counts
    are atomic, and took a third of the time of a search.
    """
    return arrays


def call_python(address, argument):
    """Call the Python function at an address (its `id`) with an integer. Only inside kernels.

    The function must keep its exceptions (`keep`); what escapes nevertheless, because Ctrl-C came before it could catch
    anything, is `CALLBACK_FAILED` too. Calling through Python's own interface takes a third of the time of ctypes.
    """
    raise NotImplementedError("only inside kernels")


def count_ones(word):
    """Number of bits that are set in a uint64."""
    return int(word).bit_count()


def trailing_zeros(word):
    """Number of zeros below the lowest bit that is set in a uint64; 64 for 0."""
    return (int(word) & -int(word)).bit_length() - 1 if word else 64


def bits_of(number):
    """The bits of a float64 as a uint64. Only inside kernels."""
    raise NotImplementedError("only inside kernels")


def prefetch(array, index):
    """Begin to bring an element of an array into the cache. Does nothing else, and nothing outside kernels."""


def byte_at(address, index):
    """The byte (0 to 255) at an address plus an index. Only inside kernels; the caller keeps the memory alive."""
    raise NotImplementedError("only inside kernels")


def int32_at(address, index):
    """Element number `index` of an array of int32 at an address. Only inside kernels, as `byte_at`."""
    raise NotImplementedError("only inside kernels")


@helper
def cost_error(step, total):
    """What is wrong with the cost of a step, or with that of the path that ends with it; 0 if nothing."""
    if step < 0:
        return NEGATIVE_COST
    return COST_TOO_LARGE if total > MAX_COST else 0


@cache
def first_class(kernels: tuple[Kernel, ...]) -> Any:
    """Pack kernels of one signature into a typed list that other kernels take as an argument.

    Numba looks a function's address up anew whenever it is passed from Python, which takes about 0.1 ms; a typed list
    of functions passes in 1 us and is made once.

    Returns
    -------
    numba.typed.List
        Of type ``ListType(FunctionType(signature))``, see `list_of`.
    """
    signature = kernels[0].signature
    packer = _packer(f"{list_of(signature)}(UniTuple(FunctionType({signature}), {len(kernels)}))")
    pack, functions = packer.compiled, tuple(kernel.compiled for kernel in kernels)
    with _clock.measure(packer.identity), _without_warnings(), interrupts_deferred():
        return pack(functions)


def list_of(signature: str) -> str:
    """The numba type of a `first_class` list of kernels, for use in another kernel's signature."""
    return f"ListType(FunctionType({signature}))"


@cache
def _packer(signature: str) -> Kernel:
    from numba.typed import List

    def pack(functions):
        packed = List()
        for function in functions:
            packed.append(function)
        return packed

    return Kernel(pack, signature)


def _substance(function: Callable[..., Any]) -> Any:
    """What makes two functions the same, even if their module is imported anew."""
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    return function.__code__, [getattr(value, "__qualname__", repr(value)) for value in cells]


def compile_seconds() -> tuple[float, float]:
    """Wall and processor seconds this process has spent on compiling kernels or loading them from the cache."""
    return _clock.wall, _clock.cpu


def watch_compiling(observer: Observer | None) -> None:
    """Tell an observer, or nobody, when a kernel begins to be compiled or loaded, and how that ends."""
    _clock.observer = observer


def load(identities: Iterable[Identity]) -> None:
    """Compile or load kernels, such as another process has reported; those that there are not here are left out.

    A process that is forked afterwards has them, and what numba looks up in front of the first array (25 ms).
    """
    for identity in identities:
        module, name, signature = identity
        is_packer = (module, name) == (__name__, f"{_packer.__name__}.<locals>.pack")
        kernel = _packer(signature) if is_packer else _alive.get(identity)
        if kernel is not None:
            _ = kernel.compiled
    if "numba" in sys.modules:
        with interrupts_deferred():
            sys.modules["numba"].typeof(np.zeros(1, np.uint64))


@contextmanager
def _without_warnings() -> Iterator[None]:
    """First-class functions are flagged experimental; the versions that pyproject.toml admits are tested."""
    from numba.core.errors import NumbaExperimentalFeatureWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)
        yield


def _numba() -> Any:
    """Import numba and make all helpers known to it."""
    global _registered
    import numba
    from numba.extending import register_jitable

    if _registered == 0:
        import_module("worlds.intrinsics")
    while _registered < len(_helpers):
        register_jitable(forceinline=True)(_helpers[_registered])
        _registered += 1
    return numba
