"""Worlds in plain Python as their own sources: which instances there are, and which of their fields are columns.

The instances are those of `count` seeds, those that `load` reads from files, those that `worlds` yields, or the world
itself.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from operator import itemgetter
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from runner.base import MAX_ID, NAMES, PACKAGES, PluginError, UserError, file_error, find_files, is_id, yaml_name
from worlds.interface.instance import Instance
from worlds.interface.series import ListedSeries, NumberedSeries, Series, load_files, sample_of
from worlds.interface.source_parameters import Count, Seed
from worlds.interface.sources import Source
from worlds.interface.world import Family, Looks

NamedWorld: TypeAlias = "tuple[str, PythonSource]"
"""Name of an instance, and the world with the parameters of this instance."""

_OF_SOURCES = ("seed", "count", "path", "sample")
"""Parameters that tell which instances there are; no columns of results."""
_NOT_FOR_USERS = (
    "instances", "__len__", "check", "columns", "of_sample", "series", "samples", "reads_files",
    "refusing",
)  # fmt: skip
_ADDED = {"of_sample": True}
"""Metadata of the fields that are added to a world with `load`."""


class PythonSource(Source, Looks, Family):
    """Base of worlds in plain Python as sources.

    Attributes
    ----------
    extensions : tuple of str
        Extensions of the files that are read from a folder, if the world loads files.
    load : callable or None
        ``load(path)`` reads one file: it yields the name and the world of each of its instances. Optional, with a
        field `path`; a subclass defines a method. Each world is ``dataclasses.replace(self, ...)`` with the data of its
        instance. Mistakes in the file are reported by ``raise runner.file_error(path, message, line=number)``.
    """

    extensions: ClassVar[tuple[str, ...]] = (".txt",)
    load: Callable[[Path], Iterable[NamedWorld]] | None = None

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Give a world with `load` the parameters `sample` and `seed`, unless it has its own.

        Raises
        ------
        TypeError
            If a class of the user defines a method of sources.
        """
        super().__init_subclass__(**keywords)
        annotations = dict(inspect.get_annotations(cls))
        taken = next((name for name in _NOT_FOR_USERS if name in vars(cls) and name not in annotations), None)
        if taken is not None and cls.__module__.partition(".")[0] not in PACKAGES:
            raise TypeError(
                f"{cls.__name__} must not define {taken}, a method of the base class; its instances come from the "
                "method worlds, the method load, or the fields count and seed"
            )
        if cls.load is None:
            return
        known = {*annotations, *vars(cls), *getattr(cls, "__dataclass_fields__", ())}
        for name, hint, default in (("sample", Count | None, None), ("seed", Seed, 0)):
            if name not in known:  # the decorator `dataclass`, which comes after this, makes fields of them
                annotations[name] = hint
                setattr(cls, name, dataclasses.field(default=default, kw_only=True, metadata=_ADDED))
        cls.__annotations__ = annotations

    def worlds(self) -> Iterable[NamedWorld]:
        """Yield the name and the world of each instance: ``dataclasses.replace(self, ...)`` with its data. Optional.

        By default these are the instances of all files if the world has `load`; one instance for each seed if it has
        the fields `count` and `seed`; else the world itself.
        """
        world: Any = self  # a subclass may declare the fields `path`, `count` and `seed`
        if self.load is not None:
            if not hasattr(self, "path"):
                raise UserError(f"world '{self.registered_name}': load needs a field path: str")
            files = find_files(world.path, self.extensions, "instances")
            return load_files(files, partial(self._loaded, self.load), itemgetter(0))
        if self._has_seeds:
            return map(self._seeded, range(world.seed, world.seed + world.count))
        return [(self.registered_name, world)]

    @property
    def of_sample(self) -> tuple[str, ...]:
        """Fields that only choose a sample: those that were added because the world has `load`."""
        fields = getattr(self, "__dataclass_fields__", {}).values()
        return tuple(field.name for field in fields if field.metadata == _ADDED)

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
        """The instances. Those of seeds are made when they are needed, all others once."""
        source: Any = self
        return NumberedSeries(self._of_seed, source.count) if self._is_lazy else ListedSeries(self._listed)

    @property
    def _has_seeds(self) -> bool:
        return hasattr(self, "count") and hasattr(self, "seed")

    @property
    def _is_lazy(self) -> bool:
        return type(self).worlds is PythonSource.worlds and self.load is None and self._has_seeds

    def _seeded(self, seed: int) -> NamedWorld:
        world: Any = self
        return f"{self.registered_name}_{seed}", dataclasses.replace(world, seed=seed, count=1)

    def _of_seed(self, number: int) -> Instance:
        source: Any = self
        name, world = self._seeded(source.seed + number)
        return Instance(world, name, source.seed + number, world.registered_name)

    def _listed(self) -> Iterator[Instance]:
        has_seed = "seed" not in self.of_sample
        for name, world in self._named:
            seed = getattr(world, "seed", None) if has_seed else None
            yield Instance(world, name, seed, world.registered_name, self.columns)

    @cached_property
    def _named(self) -> list[NamedWorld]:
        """Names and worlds of the instances, or of a sample of them."""
        try:
            named = [self._checked(pair, "worlds") for pair in self.worlds()]
        except UserError:
            raise
        except Exception as error:
            raise PluginError(f"world '{self.registered_name}': worlds failed", error) from None
        source: Any = self
        is_sampled = "sample" in self.of_sample and (source.sample is not None or "seed" in self.of_sample)
        return sample_of(named, source.sample, source.seed) if is_sampled else named

    def _loaded(self, load: Callable[[Path], Iterable[NamedWorld]], path: Path) -> list[NamedWorld]:
        """Read one file; an exception that is no `UserError` shows its traceback."""
        try:
            named = [self._checked(pair, "load") for pair in load(path)]
        except UserError as error:
            raise error if str(path) in str(error) else file_error(path, str(error)) from None
        except Exception as error:
            raise PluginError(f"world '{self.registered_name}': load failed for {path}", error) from None
        if not named:
            raise file_error(path, "holds no instances")
        return named

    def _checked(self, pair: Any, method: str) -> NamedWorld:
        where = f"world '{self.registered_name}': {method}"
        if not (isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str)):
            raise UserError(f"{where}: expected pairs (name, world), got {pair!r}")
        name, world = pair
        if not isinstance(world, type(self)):
            raise UserError(f"{where}: {name}: expected a world made by dataclasses.replace(self, ...), got {world!r}")
        if not is_id(name):
            raise UserError(f"{where}: expected names of 1 to {MAX_ID} printable characters, got {name!r}")
        return name, world

    @cached_property
    def _columns(self) -> tuple[str, ...]:
        source: Any = self
        fields = dataclasses.fields(source) if dataclasses.is_dataclass(source) else ()
        offered = (field.name for field in fields if field.metadata.get("column", True))
        columns = tuple(name for name in offered if name not in _OF_SOURCES and self._varies(name))
        for name in columns:
            if yaml_name(name) in NAMES:
                raise UserError(
                    f"world '{self.registered_name}': the field '{name}' would be a column, but that is the name of a "
                    'built-in column; rename the field, or exclude it by field(metadata={"column": False})'
                )
        return columns

    def _varies(self, name: str) -> bool:
        """Return whether a field is a number that instances set."""
        default = getattr(self, name)
        values = [getattr(world, name) for _, world in self._named]
        is_number = all(value is None or isinstance(value, (int, float)) for value in values)
        return is_number and any(value is not None and value != default for value in values)
