"""Series of instances: made from seeds or numbers, listed, or loaded from files. Every source has one.

A series decides which instances there are, in which order, and which of them have to be made for a part of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import ClassVar, TypeVar

import numpy as np

from runner.base import (
    ERROR,
    MAX_ID,
    UNSUPPORTED,
    Incompatible,
    PluginError,
    Status,
    UserError,
    file_error,
    is_id,
    plural,
)
from worlds.interface.instance import Instance
from worlds.interface.unsupported import Refusal, Unreadable, UnsupportedWorld, summary

T = TypeVar("T")


def generator_of(seed: int) -> np.random.Generator:
    """Return numpy's PCG64 generator. Draw only uniform doubles from it: numpy keeps their stream stable."""
    return np.random.Generator(np.random.PCG64(seed))


def sample_of(items: Sequence[T], sample: int | None, seed: int) -> list[T]:
    """Return a random sample of some items, without repetition, in their order.

    With the same seed, a larger sample contains the smaller ones.

    Parameters
    ----------
    sample : int or None
        Number of items. None, or a number that is not smaller than that of the items, stands for all of them.

    Raises
    ------
    Incompatible
        If there is a seed but no sample.
    """
    if sample is None and seed != 0:
        raise Incompatible("world.seed: has an effect only with world.sample=N, because these instances are given")
    if sample is None or sample >= len(items):
        return list(items)
    order = generator_of(seed).random(len(items)).argsort(kind="stable")
    return [items[index] for index in sorted(order[:sample].tolist())]


class Series(ABC):
    """Instances in an order.

    Attributes
    ----------
    is_independent : bool
        Whether an instance can be made without those before it.
    """

    is_independent: ClassVar[bool] = False

    @abstractmethod
    def instances(self) -> Iterator[Instance]:
        """Yield the instances, in the same order every time."""

    @abstractmethod
    def __len__(self) -> int:
        """Number of instances."""

    def part(self, numbers: range) -> Iterator[Instance]:
        """Yield the instances with these numbers, from 0. Default: make all instances before them, too."""
        return islice(self.instances(), numbers.start, numbers.stop)

    def candidates(self) -> Iterator[Instance]:
        """Yield the instances from which samples are chosen. Default: those whose files can be read."""
        return (each for each in self.instances() if not isinstance(each.world, UnsupportedWorld))

    def check(self) -> None:  # noqa: B027
        """Raise `runner.UserError` if an instance cannot be made. Called before anything runs."""

    @property
    def unsupported_status(self) -> Status:
        """Status of the row of an instance whose search raises `Unsupported`."""
        return ERROR

    @property
    def file_notes(self) -> tuple[str, ...]:
        """Notes for the user about files that are left out."""
        return ()


class NumberedSeries(Series):
    """Instances that are made from their numbers.

    Parameters
    ----------
    make : callable
        Makes the instance with a number, from 0.
    count : int
        Number of instances.
    kinds : sequence of int
        Numbers of instances of all kinds.
    """

    is_independent = True

    def __init__(self, make: Callable[[int], Instance], count: int, kinds: Sequence[int] = (0,)) -> None:
        self._make, self._count, self._kinds = make, count, kinds

    def instances(self) -> Iterator[Instance]:
        """Yield the instances by number."""
        return self.part(range(self._count))

    def __len__(self) -> int:
        return self._count

    def part(self, numbers: range) -> Iterator[Instance]:
        """Yield the instances with these numbers. No others are made."""
        return map(self._make, numbers)

    def candidates(self) -> Iterator[Instance]:
        """Yield one instance of each kind."""
        return (self._make(number) for number in self._kinds if number < self._count)


class LazySeries(Series):
    """Instances that are made one after the other each time, and whose number is known.

    Parameters
    ----------
    make : callable
        Yields the instances.
    count : int
        Number of instances.
    """

    def __init__(self, make: Callable[[], Iterator[Instance]], count: int) -> None:
        self._make, self._count = make, count

    def instances(self) -> Iterator[Instance]:
        """Make the instances."""
        return self._make()

    def __len__(self) -> int:
        return self._count

    def check(self) -> None:
        """Make the first instance."""
        next(self._make(), None)


class ListedSeries(Series):
    """Instances that are made once, all together. A random sample of them can be taken.

    Parameters
    ----------
    make : callable
        Yields the instances.
    sample : int or None
        Number of instances in the sample; None for all.
    seed : int
        Seed of the sample.
    maker : str
        Name of the function that makes the instances, for messages.
    """

    def __init__(self, make: Callable[[], Iterable[Instance]], sample: int | None, seed: int, maker: str) -> None:
        self._make, self._maker = make, maker
        self._sample, self._seed = sample, seed

    def instances(self) -> Iterator[Instance]:
        """Yield the instances in their order."""
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)

    def check(self) -> None:
        """Make all instances.

        Raises
        ------
        UserError
            If two have the same name.
        """
        _ = self._listed

    @cached_property
    def _listed(self) -> list[Instance]:
        instances = list(self._make())
        names = set[str]()
        for instance in instances:
            if instance.id in names:
                raise UserError(
                    f"world '{instance.source}': {self._maker} yields the name '{instance.id}' twice; names are unique"
                )
            names.add(instance.id)
        return sample_of(instances, self._sample, self._seed)


class LoadedSeries(ListedSeries):
    """Instances of files. A random sample of them can be taken.

    Parameters
    ----------
    source, domain : str
        Names of the source and of the domain.
    paths : callable
        Returns the files, in order.
    load : callable
        Reads the instances of one file.
    unreadable : {"row", "skip", "refuse"}
        Treatment of files that cannot be read.
    name_of_file : callable
        Returns the name of the instance that stands for a file that cannot be read.
    sample : int or None
        Number of instances in the sample; None for all.
    seed : int
        Seed of the sample.
    """

    def __init__(
        self,
        source: str,
        domain: str,
        paths: Callable[[], Iterable[Path]],
        load: Callable[[Path], Iterable[Instance]],
        unreadable: Unreadable,
        name_of_file: Callable[[Path], str],
        sample: int | None,
        seed: int,
    ) -> None:
        self._source, self._domain = source, domain
        self._paths, self._load, self._name_of_file = paths, load, name_of_file
        self._unreadable = unreadable
        self._sample, self._seed = sample, seed

    @cached_property
    def _items(self) -> list[Instance | Refusal]:
        """Contents of all files, in their order; of a file that cannot be read, the reason."""
        found: list[Instance | Refusal] = []
        files: dict[str, Path] = {}
        for path in self._paths():
            try:
                loaded = list(self._load(path))
                names: dict[str, Path] = {}
                for name in (instance.id for instance in loaded):
                    if name in files or name in names:
                        used = files.get(name, path)
                        raise file_error(path, f"the name '{name}' is already used in {used}; choose another one")
                    names[name] = path
            except PluginError:
                raise
            except UserError as error:
                found.append(Refusal(path, str(error)))
            else:
                files |= names
                found += loaded
        return found

    @property
    def _refusals(self) -> list[Refusal]:
        return [item for item in self._items if isinstance(item, Refusal)]

    @cached_property
    def _listed(self) -> list[Instance]:
        """Chosen instances in the order of the files, with one for each file that has only a row."""
        if self._unreadable == "refuse" and self._refusals:
            raise UserError(summary(self._refusals))
        has_rows = self._unreadable == "row"
        items = [item for item in self._items if has_rows or not isinstance(item, Refusal)]
        chosen = sample_of(items, self._sample, self._seed)
        names = {item.id for item in chosen if not isinstance(item, Refusal)}
        return [self._without_states(item, names) if isinstance(item, Refusal) else item for item in chosen]

    def _without_states(self, refusal: Refusal, names: set[str]) -> Instance:
        """Return the instance of a file that cannot be read. `names` are taken."""
        name = self._name_of_file(refusal.path)
        name = refusal.path.as_posix()[-MAX_ID:] if name in names or not is_id(name) else name
        names.add(name)
        return Instance(UnsupportedWorld(self._domain, refusal), name, source=self._source)

    def check(self) -> None:
        """Read all files.

        Raises
        ------
        UserError
            If files cannot be read and are refused. The message names the first files.
        Incompatible
            If no file can be read.
        """
        if next(self.candidates(), None) is None and self._refusals:
            raise Incompatible(f"no file can be read: {summary(self._refusals)}")

    @property
    def unsupported_status(self) -> Status:
        """Status `error` if files that cannot be read are refused, else `unsupported`."""
        return ERROR if self._unreadable == "refuse" else UNSUPPORTED

    @property
    def file_notes(self) -> tuple[str, ...]:
        """Note about the files that are left out."""
        if self._unreadable != "skip" or not self._refusals:
            return ()
        return (f"world.unsupported: skip leaves out {plural(len(self._refusals), 'file')}: {summary(self._refusals)}",)
