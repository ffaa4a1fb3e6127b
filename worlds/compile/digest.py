"""Digest of everything that the machine code of a kernel depends on, and of nothing else.

The digest covers the bytecode and the constants of the function and of all functions that it can call, their closures
and defaults, the constants that they read from their modules or through other modules (``c.NODES``), and the
implementation of `worlds.compile.intrinsics`. Comments, docstrings, type hints, line numbers and names of files do not
count.
"""

from __future__ import annotations

import enum
import hashlib
import sys
import sysconfig
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

_FOREIGN = ("llvmlite", "numba", "numpy")
"""Packages that are not followed, as Python's own: their versions are part of the digest."""
SCALARS: tuple[type, ...] = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))

HELPER_OPTIONS: Any = {"forceinline": True, "no_cfunc_wrapper": True, "no_cpython_wrapper": True}
"""Options of helpers and operations. Only kernels call them, so numba need not make functions for C and Python."""

implementations: dict[Callable[..., Any], object] = {}
"""Functions that numba compiles in place of the operations of kernels, by the operation."""


class Unknown(Exception):
    """A kernel reads a value whose content cannot be determined."""


def kernel_digest(function: Callable[..., Any], *extra: object) -> str:
    """Return a digest of all that the machine code of a function depends on, as 32 hexadecimal digits.

    Parameters
    ----------
    function : callable
        Plain Python function of a kernel.
    *extra : object
        Further values with the same `repr` in every process, such as the signature.

    Raises
    ------
    Unknown
        If the function reads a value that numba can compile, but whose content is not known here, such as a list.
    """
    import llvmlite
    import numba
    from llvmlite.binding import get_host_cpu_name

    config: Any = numba.config  # its attributes are set on import
    processor = config.CPU_NAME or get_host_cpu_name()
    versions = (sys.version_info[:2], numba.__version__, llvmlite.__version__, np.__version__)
    options = (processor, config.CPU_FEATURES, config.OPT, config.BOUNDSCHECK, HELPER_OPTIONS)
    parts = (versions, options, extra, ContentWalk().value(function))
    return hashlib.sha256(repr(parts).encode(errors="surrogateescape")).hexdigest()[:32]


class ContentWalk:
    """Description of values as nested tuples, whose `repr` is the same in every process."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._functions: list[object] = []  # kept alive, so that no id is used twice
        self._modules: set[str] = set()

    def value(self, value: Any) -> object:
        """Describe a value: a function with all that it can reach, any other value by its content."""
        if isinstance(value, enum.Enum):
            return "member", type(value).__qualname__, value.name, self.value(value.value)
        if type(value) in SCALARS:
            return value
        if isinstance(value, np.generic):
            return "scalar", str(value.dtype), value.tobytes()
        if isinstance(value, np.ndarray) and not value.dtype.hasobject:
            return "array", str(value.dtype.descr), value.shape, value.strides, value.tobytes()
        if isinstance(value, tuple):
            return type(value).__qualname__, tuple(map(self.value, value))
        if isinstance(value, frozenset):
            return "set", sorted(repr(self.value(each)) for each in value)
        if isinstance(value, CodeType):
            return self._code(value)
        if isinstance(value, type):
            return self._class(value)
        return self._once(value, self._function(value))

    def is_library(self, module: str | None) -> bool:
        """Return whether a module counts by its name alone."""
        return _is_library(module)

    def _function(self, value: Any) -> Callable[..., Any] | None:
        """Return the plain function that a value stands for: that of a kernel, of numba.njit or of `intrinsic`."""
        for attribute in ("function", "py_func", "__wrapped__"):
            inner = None if isinstance(value, (FunctionType, ModuleType)) else getattr(value, attribute, None)
            if isinstance(inner, FunctionType):
                return inner
        return value if isinstance(value, FunctionType) else None

    def _once(self, value: Any, function: Callable[..., Any] | None) -> object:
        """Describe a function where it is met first; after that its number is enough."""
        if function is None:
            return self._other(value)
        if self.is_library(function.__module__):
            return function.__module__, function.__qualname__
        number = self._numbers.setdefault(id(function), len(self._functions))
        if number < len(self._functions):
            return "function", number
        self._functions.append(function)
        options = sorted(map(repr, getattr(value, "targetoptions", {}).items()))  # of numba.njit
        return "function", number, options, self._reach(function)

    def _reach(self, function: Any) -> object:
        replaced = implementations.get(function)
        if replaced is not None:
            return self.value(replaced)
        names = sorted({name for code in codes_in(function.__code__) for name in code.co_names})
        read = [
            (name, self._global(function.__globals__[name], names)) for name in names if name in function.__globals__
        ]
        cells = [self.value(cell.cell_contents) for cell in function.__closure__ or ()]
        defaults = (self.value(function.__defaults__), self.value(tuple((function.__kwdefaults__ or {}).items())))
        return function.__module__, function.__qualname__, self._code(function.__code__), read, cells, defaults

    def _global(self, value: Any, names: Iterable[str]) -> object:
        """Describe a value of a module; of another module, its attributes that the code may name."""
        if not isinstance(value, ModuleType):
            return self.value(value)
        name = value.__name__
        if self.is_library(name) or name in self._modules:
            return name
        self._modules.add(name)
        read = [(each, self._global(getattr(value, each), names)) for each in names if hasattr(value, each)]
        self._modules.remove(name)
        return name, read

    def _code(self, code: CodeType) -> object:
        constants = code.co_consts
        if constants and isinstance(constants[0], str) and not code.co_name.startswith("<"):
            constants = (None, *constants[1:])  # the docstring: `def` always has a place for it
        shape = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        return code.co_code, getattr(code, "co_exceptiontable", b""), shape, names, tuple(map(self.value, constants))

    def _class(self, value: type) -> object:
        if issubclass(value, enum.Enum):
            return value.__qualname__, [(each.name, self.value(each.value)) for each in value]
        if hasattr(value, "class_type"):
            raise Unknown(f"numba's class {value.__qualname__}")
        return value.__module__, value.__qualname__, getattr(value, "_fields", ())

    def _other(self, value: Any) -> object:
        """Describe a value that numba cannot compile, or an object of a library."""
        import numba

        if isinstance(value, numba.types.Type):
            return str(value)
        name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
        if name is not None and self.is_library(getattr(value, "__module__", None) or type(value).__module__):
            return name  # functions of math, ufuncs of numpy
        try:
            numba.typeof(value)
        except (ValueError, TypeError):
            return type(value).__module__, type(value).__qualname__
        raise Unknown(f"a value of type {type(value).__qualname__}")


class OwnContent(ContentWalk):
    """Description of a function and its closure without what they read from modules, which may be imported again."""

    def _global(self, value: Any, names: Iterable[str]) -> object:
        return None

    def _other(self, value: Any) -> object:
        return repr(value) if isinstance(value, list) else getattr(value, "__qualname__", type(value).__qualname__)


def codes_in(code: CodeType) -> Iterable[CodeType]:
    """Yield the code of a function and of the functions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_in(constant)


@cache
def _is_library(module: str | None) -> bool:
    """Return whether a module belongs to Python, numba or numpy, and is no file of the user with such a name."""
    package = (module or "").partition(".")[0]
    if package not in sys.stdlib_module_names:
        return package in _FOREIGN
    file = getattr(sys.modules.get(package), "__file__", None)
    return file is None or Path(file).is_relative_to(sysconfig.get_path("stdlib"))
