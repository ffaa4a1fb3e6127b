"""Instances of a world in plain Python: from seeds, from files of the user, or from a generator of the world."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterable, Iterator
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from types import FunctionType
from typing import Any, ClassVar, TypeAlias

from runner.base.columns import NAMES
from runner.base.errors import PACKAGES, PluginError, UserError
from runner.base.files import MAX_ID, file_error, find_files, is_id
from runner.base.parameters import yaml_name
from worlds.interface import Instance
from worlds.series import ListedSeries, NumberedSeries, Series, load_files, sample_of
from worlds.source_parameters import Count, Seed
from worlds.sources import Source
from worlds.world import PARTS, Family, Looks, World

NamedWorld: TypeAlias = "tuple[str, PythonSource]"
"""Name of an instance, and the world with the parameters of this instance."""

_OF_SOURCES = ("seed", "count", "path", "sample")
"""Parameters that tell which instances there are; no columns of results."""
_NOT_FOR_USERS = (
    "instances", "__len__", "check", "columns", "loads_files", "of_sample", "series", "samples", "reads_files",
    "refusing",
)  # fmt: skip
_ADDED = {"of_sample": True}
"""Metadata of the fields that are added to a world with `load`."""


class PythonSource(Source, Looks, Family):
    """Base of worlds in plain Python as sources: `worlds` yields the name and the world of each instance.

    Attributes
    ----------
    extensions : tuple of str
        Extensions of the files that are read from a folder, if the world loads files.
    """

    extensions: ClassVar[tuple[str, ...]] = (".txt",)

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Give a world with `load` the parameters `sample` and `seed`, unless it has its own.

        Raises
        ------
        TypeError
            If a class of the user defines a method of sources, or a field has the name of a method.
        """
        super().__init_subclass__(**keywords)
        hidden = [name for name in inspect.get_annotations(cls) if _is_hiding(name, cls)]
        if hidden:
            raise TypeError(f"{cls.__name__}: {hidden[0]} is a method of worlds; call the field {hidden[0]}_")
        taken = [name for name in _NOT_FOR_USERS if name in vars(cls) and name not in inspect.get_annotations(cls)]
        if taken and cls.__module__.partition(".")[0] not in PACKAGES:
            raise TypeError(
                f"{cls.__name__} must not define {taken[0]}, a method of the base class; its instances come from the "
                "method worlds, the method load, or the fields count and seed"
            )
        if cls.load is PythonSource.load:
            return
        annotations = dict(vars(cls).get("__annotations__", {}))
        known = {*annotations, *vars(cls), *getattr(cls, "__dataclass_fields__", ())}
        for name, hint, default in (("sample", Count | None, None), ("seed", Seed, 0)):
            if name not in known:  # the decorator `dataclass`, which comes after this, makes fields of them
                annotations[name] = hint
                setattr(cls, name, dataclasses.field(default=default, kw_only=True, metadata=_ADDED))
        cls.__annotations__ = annotations

    def load(self, path: Path) -> Iterable[NamedWorld]:
        """Read one file: yield the name and the world of each of its instances. Optional, with a field `path`.

        Each world is ``dataclasses.replace(self, ...)`` with the data of its instance. Mistakes in the file are
        reported by ``raise runner.file_error(path, message, line=number)``.
        """
        raise NotImplementedError

    def worlds(self) -> Iterable[NamedWorld]:
        """Yield the name and the world of each instance: ``dataclasses.replace(self, ...)`` with its data. Optional.

        By default these are the instances of all files if the world has `load`; one instance for each seed if it has
        the fields `count` and `seed`; else the world itself.
        """
        world: Any = self  # a subclass may declare the fields `path`, `count` and `seed`
        if self.loads_files:
            if not hasattr(self, "path"):
                raise UserError(f"world '{self.registered_name}': load needs a field path: str")
            return load_files(find_files(world.path, self.extensions, "instances"), self._load, itemgetter(0))
        if self._has_seeds:
            return map(self._seeded, range(world.seed, world.seed + world.count))
        return [(self.registered_name, world)]

    @property
    def loads_files(self) -> bool:
        """Whether the world has the method `load`."""
        return type(self).load is not PythonSource.load

    @property
    def of_sample(self) -> tuple[str, ...]:
        """Fields that only choose a sample: those that were added because the world has `load`."""
        return tuple(f.name for f in getattr(self, "__dataclass_fields__", {}).values() if f.metadata == _ADDED)

    @property
    def columns(self) -> tuple[str, ...]:
        """Fields that become columns of the results: numbers that `load` or `worlds` sets.

        ``field(metadata={"column": False})`` excludes a field.
        """
        return () if self._is_lazy else self._columns

    def check(self) -> None:
        """Make all instances, except those of seeds.

        Raises
        ------
        UserError
            If a file cannot be read, a name is not valid or used twice, or a column has the name of a built-in one.
        """
        _ = self.columns
        super().check()

    @cached_property
    def series(self) -> Series:
        """The instances: of seeds, or all that `worlds` yields."""
        world: Any = self
        if self._is_lazy:
            return NumberedSeries(self._of_seed, world.count)
        return ListedSeries(self._listed)

    def _listed(self) -> Iterator[Instance]:
        is_random = "seed" not in self.of_sample
        for name, rules in self._named:
            seed = getattr(rules, "seed", None) if is_random else None
            yield Instance(rules, name, seed, rules.registered_name, self.columns)

    def _of_seed(self, number: int) -> Instance:
        world: Any = self
        name, rules = self._seeded(world.seed + number)
        return Instance(rules, name, world.seed + number, rules.registered_name)

    def _load(self, path: Path) -> list[NamedWorld]:
        """Read one file; an exception that is no `UserError` shows its traceback."""
        try:
            found = [self._checked(pair, "load") for pair in self.load(path)]
        except UserError as error:
            raise error if str(path) in str(error) else file_error(path, str(error)) from None
        except Exception as error:
            raise PluginError(f"world '{self.registered_name}': load failed for {path}", error) from None
        if not found:
            raise file_error(path, "holds no instances")
        return found

    def _seeded(self, seed: int) -> NamedWorld:
        world: Any = self
        return f"{self.registered_name}_{seed}", dataclasses.replace(world, seed=seed, count=1)

    @property
    def _has_seeds(self) -> bool:
        return hasattr(self, "count") and hasattr(self, "seed")

    @property
    def _is_lazy(self) -> bool:
        """Whether instances are made from seeds when they are needed. All others are made once."""
        return type(self).worlds is PythonSource.worlds and not self.loads_files and self._has_seeds

    @cached_property
    def _named(self) -> list[NamedWorld]:
        owner = f"world '{self.registered_name}'"
        try:
            found = [self._checked(pair, "worlds") for pair in self.worlds()]
        except UserError:
            raise
        except Exception as error:
            raise PluginError(f"{owner}: worlds failed", error) from None
        world: Any = self
        if "sample" not in self.of_sample or (world.sample is None and "seed" not in self.of_sample):
            return found
        return sample_of(found, world.sample, world.seed)

    @cached_property
    def _columns(self) -> tuple[str, ...]:
        world: Any = self
        candidates = dataclasses.fields(world) if dataclasses.is_dataclass(world) else ()
        found = [
            each.name
            for each in candidates
            if each.name not in _OF_SOURCES and each.metadata.get("column", True) and self._is_column(each.name)
        ]
        for name in found:
            if yaml_name(name) in NAMES:
                raise UserError(
                    f"world '{self.registered_name}': the field '{name}' would be a column, but that is the name of a "
                    'built-in column; rename the field, or exclude it by field(metadata={"column": False})'
                )
        return tuple(found)

    def _is_column(self, name: str) -> bool:
        own = getattr(self, name)
        values = [getattr(world, name) for _, world in self._named]
        is_number = all(value is None or isinstance(value, (int, float)) for value in values)
        return is_number and any(value is not None and value != own for value in values)

    def _checked(self, pair: Any, method: str) -> NamedWorld:
        def fail(message: str) -> UserError:
            return UserError(f"world '{self.registered_name}': {method}: {message}")

        if not (isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str)):
            raise fail(f"expected pairs (name, world), got {pair!r}")
        name, world = pair
        if not isinstance(world, type(self)):
            raise fail(f"{name}: expected a world made by dataclasses.replace(self, ...), got {world!r}")
        if not is_id(name):
            raise fail(f"expected names of 1 to {MAX_ID} printable characters, got {name!r}")
        return name, world


def _is_hiding(field: str, cls: type[World]) -> bool:
    """Return whether a field of a class has the name of a method, or of a part, of worlds that the engine reads."""
    worlds = [base for base in cls.__mro__[1:] if issubclass(base, World) and not issubclass(base, Source)]
    is_method = any(isinstance(vars(base).get(field), FunctionType) for base in worlds)
    return field in PARTS or (is_method and field != "state")
