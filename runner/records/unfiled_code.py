"""Digest of code that is in no file: cells of a notebook, lines of ``python -i``, texts of `exec`, pickled functions.

The digest covers the classes and functions that make rows, and by their content all values that these name: globals,
closures, defaults, attributes. What is in a file counts by its file (`runner.records.code`).
"""

from __future__ import annotations

import copyreg
import dis
import functools
import hashlib
import sys
import warnings
import weakref
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from runner.base import SHARED_FOLDERS, is_own_module
from worlds.compile import SCALARS, ContentWalk, Kernel, codes_in

_IN_CLASSES = {
    "__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__annotations__", "__annotations_cache__",
    "__annotate__", "__annotate_func__", "__firstlineno__", "__static_attributes__", "__dataclass_fields__",
    "__dataclass_params__", "__msgspec_cache__", "_abc_impl",
}  # fmt: skip
"""Attributes of classes that are no content, or are described by other attributes."""
_WEAK = (weakref.ReferenceType, weakref.WeakKeyDictionary, weakref.WeakValueDictionary, weakref.WeakSet)
_WRAPPERS: dict[type, str] = {
    Kernel: "function",
    property: "fget",
    functools.cached_property: "func",
    staticmethod: "__func__",
    classmethod: "__func__",
    type(functools.cache(id)): "__wrapped__",
}
"""Types of objects that stand for a function, with the attribute that it is."""


class UnfiledCode(NamedTuple):
    """Code that is in no file.

    Attributes
    ----------
    digest : str
    objects : list
        All that it reaches.
    modules : set of str
        Modules with files that it uses.
    unknown : dict of str to str
        Names of values whose content cannot be told, with their types.
    """

    digest: str
    objects: list[Any]
    modules: set[str]
    unknown: dict[str, str]


def unfiled_code(classes: Iterable[type]) -> UnfiledCode | None:
    """Return the code in no file of some classes; None if all is in files."""
    walk = _UnfiledWalk()
    text = ""
    try:
        text = repr(walk.described(classes))
    except RecursionError:
        walk.unknown["a value"] = "deeply nested"
    if not walk.is_found:
        return None
    digest = hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()
    return UnfiledCode(digest, walk.objects, walk.modules, walk.unknown)


class _UnfiledWalk(ContentWalk):
    """Description of classes as a list, in which an item names others by their numbers.

    Attributes
    ----------
    is_found : bool
        Whether there is code in no file.
    objects, modules, unknown
        See `UnfiledCode`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.is_found = False
        self.modules: set[str] = set()
        self.unknown: dict[str, str] = {}
        self.objects: list[Any] = []  # kept alive, so that no id is used twice
        self._labels: list[str] = []
        self._label = ""

    def described(self, values: Iterable[object]) -> list[object]:
        """Return the descriptions of some values, and of all that they reach."""
        result: list[object] = [self.value(value) for value in values]
        for each, label in zip(self.objects, self._labels, strict=False):  # both grow meanwhile
            self._label = label
            result.append(self._described(each))
        return result

    def value(self, value: Any) -> object:
        """Return a scalar, tuple or code by its content, anything else by its number."""
        if type(value) in (*SCALARS, tuple, CodeType) or isinstance(value, np.generic):
            return super().value(value)
        number = self._numbers.setdefault(id(value), len(self.objects))
        if number == len(self.objects):
            self.objects.append(value)
            self._labels.append(self._label)
        return "object", number

    def is_library(self, module: str | None) -> bool:
        """Return whether a module is part of Python, of search-runner or of an installed package."""
        name = module or ""
        if is_own_module(name) or super().is_library(module):
            return True
        if name == "__main__":  # it may be the notebook of a program that is installed
            return False
        file = file_of_module(name.partition(".")[0])
        return file is not None and not set(SHARED_FOLDERS).isdisjoint(Path(file).parts)

    def _described(self, value: Any) -> object:
        if isinstance(value, FunctionType):
            return self._of_function(value)
        if isinstance(value, type):
            return self._of_class(value)
        if isinstance(value, ModuleType):
            return self._of_module(value)
        if type(value) in (list, dict):
            items = value if isinstance(value, list) else [each for item in value.items() for each in item]
            return type(value).__name__, [self.value(each) for each in items]
        if type(value) in (set, frozenset):
            is_plain = all(map(_is_plain, value))
            return (type(value).__name__, sorted(map(repr, value))) if is_plain else self._of_unknown(value)
        if type(value) is np.ndarray and not value.dtype.hasobject:
            return "array", str(value.dtype), value.shape, hashlib.sha256(value.tobytes()).hexdigest()
        if isinstance(value, _WEAK):
            return "weak"  # a cache
        is_of_numba = type(value).__module__.startswith("numba.") and hasattr(value, "py_func")
        attribute = "py_func" if is_of_numba else _WRAPPERS.get(type(value))
        if attribute is not None:
            options = [getattr(value, each, None) for each in ("signature", "targetoptions")]
            return type(value).__qualname__, self.value(tuple(options)), self.value(getattr(value, attribute))
        return self._of_object(value)

    def _of_function(self, function: FunctionType) -> object:
        module = str(function.__globals__.get("__name__") or "")  # `exec` may get globals without a name
        if self._is_in_file(function, module):
            self._use(module)
            return module, function.__qualname__, self._bound(function)
        # the methods that dataclasses make are in no file either
        self.is_found |= not (function.__name__.startswith("__") and function.__code__.co_filename == "<string>")
        names: set[str] = set()
        attributes: set[str] = set()
        for code in codes_in(function.__code__):
            attributes.update(code.co_names)
            for each in dis.get_instructions(code):
                if each.opname == "IMPORT_NAME":
                    self._use(each.argval)
                elif "GLOBAL" in each.opname or "NAME" in each.opname:
                    names.add(each.argval)
        read = []
        for name in sorted(names & function.__globals__.keys()):
            self._label = name
            read.append((name, self._global(function.__globals__[name], sorted(attributes))))
        own = self.value(vars(function))
        return module, function.__qualname__, self._code(function.__code__), read, self._bound(function), own

    def _is_in_file(self, function: FunctionType, module: str) -> bool:
        if self.is_library(module):
            return True
        known = sys.modules.get(module)
        file = _file_of(module)
        is_its_own = known is not None and vars(known) is function.__globals__
        return is_its_own and file is not None and Path(function.__code__.co_filename).name == Path(file).name

    def _bound(self, function: FunctionType) -> object:
        """Describe the closure and the defaults of a function."""
        cells = []
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self._label = name
            try:
                cells.append(self.value(cell.cell_contents))
            except ValueError:  # it has no content yet
                cells.append("empty")
        return cells, self.value(function.__defaults__), self.value(tuple((function.__kwdefaults__ or {}).items()))

    def _of_class(self, cls: type) -> object:
        name = cls.__module__, cls.__qualname__
        if self.is_library(cls.__module__):
            return name
        self._use(cls.__module__)
        self.is_found |= _file_of(cls.__module__) is None
        attributes = [(key, self.value(each)) for key, each in sorted(vars(cls).items()) if key not in _IN_CLASSES]
        fields = vars(cls).get("__dataclass_fields__", {}).values()
        defaults = [(each.name, self.value(each.default), self.value(each.default_factory)) for each in fields]
        defaults.append(("", self.value(getattr(cls, "__struct_defaults__", ())), None))  # of msgspec
        return name, self.value(cls.__bases__), self.value(type(cls)), attributes, defaults

    def _of_module(self, module: ModuleType) -> object:
        name = module.__name__
        if self.is_library(name) or _file_of(name) is not None:
            self._use(name)
            return name
        return name, [(key, self.value(each)) for key, each in sorted(vars(module).items()) if key[:2] != "__"]

    def _global(self, value: Any, names: Iterable[str]) -> object:
        if isinstance(value, ModuleType):
            self._use(value.__name__)
        return super()._global(value, names)

    def _of_object(self, value: Any) -> object:
        """Describe an object as `pickle` does: its class, and what makes it again."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                reduce = copyreg.dispatch_table.get(type(value))
                reduced: Any = value.__reduce_ex__(4) if reduce is None else reduce(value)
                if isinstance(reduced, str):
                    module = getattr(value, "__module__", None)
                    is_known = self.is_library(module) or type(value).__module__ == "typing"
                    return (module, reduced) if is_known else self._of_unknown(value)
                make, arguments, state, *items = (*reduced, None, None, None)[:5]
                listed = [None if each is None else list(each) for each in items]
        except Exception:
            return self._of_unknown(value)
        if isinstance(state, Mapping):
            state = {key: each for key, each in state.items() if not _is_cached(value, key)}
        return [self.value(each) for each in (type(value), make, arguments, state, *listed)]

    def _of_unknown(self, value: object) -> str:
        self.unknown.setdefault(self._label or "a value", type(value).__qualname__)
        return "unknown"

    def _use(self, module: str | None) -> None:
        """Count the file of a module of the user."""
        if module is not None and not self.is_library(module):
            self.modules.add(module)


def file_of_module(name: str) -> str | None:
    """Return the file of a module, or of a package or module of the top level that is not imported yet."""
    if name in sys.modules or "." in name:
        return getattr(sys.modules.get(name), "__file__", None)
    with suppress(ImportError, ValueError):
        spec = find_spec(name)
        return None if spec is None else spec.origin
    return None


def _file_of(module: str) -> str | None:
    """Return the file of a module; None if it has none, or its code may come from a prompt."""
    if module == "__main__" and (hasattr(sys, "ps1") or sys.flags.interactive):
        return None
    file = file_of_module(module)
    return file if file is not None and file.endswith(".py") else None


def _is_plain(value: object) -> bool:
    """Return whether a value is a scalar, or a tuple of such."""
    return type(value) in SCALARS or (type(value) is tuple and all(map(_is_plain, value)))


def _is_cached(value: object, name: Any) -> bool:
    """Return whether an attribute keeps the result of a property."""
    classes = type(value).__mro__
    return any(isinstance(vars(cls).get(name), functools.cached_property) for cls in classes)
