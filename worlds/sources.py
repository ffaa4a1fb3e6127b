"""Sources of instances: their interface, and the parts that sources of several domains share."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Annotated, ClassVar, Generic, TypeVar

import numpy as np
from msgspec import Meta

from runner.base.errors import Incompatible, PluginError, UserError, suggest
from runner.base.messages import plural
from runner.base.registry import Registry
from runner.base.spelling import range_hint
from worlds.files import file_error, find_files, natural_order
from worlds.interface import Instance

Count = Annotated[int, Meta(ge=1, le=10**9)]
"""Type of the parameter `count` of random sources."""
Seed = Annotated[int, Meta(ge=0, lt=2**62)]
"""Type of the parameter `seed` of random sources, and of samples."""

_MAX_ERRORS = 5
"""Maximum number of bad files that a message names."""

T = TypeVar("T")
AnyInstance = TypeVar("AnyInstance", bound=Instance)


class Source(ABC):
    """Source of instances. Subclasses are frozen dataclasses whose fields are the parameters in YAML."""

    registered_name: ClassVar[str]

    @property
    @abstractmethod
    def domain(self) -> str:
        """Name of the instances' domain; a class attribute in most subclasses."""

    @abstractmethod
    def instances(self) -> Iterator[Instance]:
        """Yield the instances, in the same order every time."""

    @abstractmethod
    def __len__(self) -> int:
        """Number of instances."""

    def part(self, numbers: range) -> Iterator[Instance]:
        """Yield the instances with these numbers, from 0. Default: make all instances before them, too."""
        return islice(self.instances(), numbers.start, numbers.stop)

    def check(self) -> None:  # noqa: B027
        """Raise `runner.UserError` if an instance cannot be made. Called before anything runs."""

    @property
    def reads_files(self) -> bool:
        """Whether instances come from files of the user. Default: whether there is a parameter `path`."""
        return hasattr(self, "path")

    @property
    def exhaustive(self) -> str | None:
        """Description of the set that the instances cover completely; None if they are no such set."""
        return None

    def samples(self) -> Iterator[Instance]:
        """Yield one instance of every kind that heuristics and algorithms may treat differently. Default: the first.

        A heuristic or algorithm that refuses one of the samples is refused before anything runs.
        """
        yield from islice(self.instances(), 1)


WORLDS: Registry[Source] = Registry("world")


class IndependentSource(Source):
    """A source that can make any of its instances without those before it."""

    @abstractmethod
    def instance(self, number: int) -> Instance:
        """Return the instance with a number, from 0."""

    def instances(self) -> Iterator[Instance]:
        """Yield the instances by number."""
        return self.part(range(len(self)))

    def part(self, numbers: range) -> Iterator[Instance]:
        """Yield the instances with these numbers. No others are made."""
        return map(self.instance, numbers)


class SeededSource(IndependentSource):
    """A random source: its instance number i is made from the seed `seed` + i alone.

    A subclass declares the parameters `count`, of type `Count`, and `seed`, of type `Seed`.
    """

    count: int
    seed: int

    @abstractmethod
    def seeded(self, seed: int) -> Instance:
        """Make an instance from a seed."""

    def instance(self, number: int) -> Instance:
        """Return the instance with a number, from 0."""
        return self.seeded(self.seed + number)

    def __len__(self) -> int:
        return self.count


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


@dataclass(frozen=True)
class SampledSource(Source):
    """A source of given instances, such as those of files. A random sample of them can be taken.

    Attributes
    ----------
    sample : int, optional
        Number of instances, chosen at random. Unless given, or if there are fewer, all. Their order stays.
    seed : int
        Seed of the sample. With the same seed, a larger sample contains the smaller ones.
    """

    sample: Count | None = field(default=None, kw_only=True)
    seed: Seed = field(default=0, kw_only=True)

    def sampled(self, items: Sequence[T]) -> list[T]:
        """Return the chosen ones of all instances, or of what they are made of."""
        return sample_of(items, self.sample, self.seed)


def load_files(paths: Iterable[Path], load: Callable[[Path], Iterable[T]], name_of: Callable[[T], str]) -> list[T]:
    """Return what a function loads from all files, in their order.

    Parameters
    ----------
    load : callable
        Function that reads one file.
    name_of : callable
        Function that returns the name of what was loaded. Names are unique.

    Raises
    ------
    UserError
        If files cannot be read, or names are used twice. The message names the first files.
    """
    found: list[T] = []
    files: dict[str, Path] = {}
    errors: dict[str, None] = {}  # without repetition: instances may share a file, such as a domain of planning tasks
    for path in paths:
        try:
            for each in load(path):
                name = name_of(each)
                if name in files:
                    raise file_error(path, f"the name '{name}' is already used in {files[name]}; choose another one")
                files[name] = path
                found.append(each)
        except PluginError:
            raise
        except UserError as error:
            errors[str(error)] = None
    if errors:
        more = len(errors) - _MAX_ERRORS
        named = "; ".join(islice(errors, _MAX_ERRORS))
        raise UserError(named if more <= 0 else f"{named}; and {plural(more, 'more file')}")
    return found


@dataclass(frozen=True)
class FileSource(SampledSource, Generic[AnyInstance]):
    """A source that reads its instances from files."""

    @abstractmethod
    def paths(self) -> list[Path]:
        """Return the files, in order."""

    @abstractmethod
    def load(self, path: Path) -> Iterable[AnyInstance]:
        """Read the instances of one file."""

    @cached_property
    def loaded(self) -> list[AnyInstance]:
        """All instances, or those of the sample, in the order of the files.

        Raises
        ------
        UserError
            As `load_files`.
        """
        return self.sampled(load_files(self.paths(), self.load, lambda instance: instance.id))

    def check(self) -> None:
        """Read all files."""
        _ = self.loaded

    def instances(self) -> Iterator[AnyInstance]:
        """Yield the instances in the order of the files."""
        yield from self.loaded

    def __len__(self) -> int:
        return len(self.loaded)


@dataclass(frozen=True)
class UserFiles(FileSource[AnyInstance]):
    """A source that reads files of the user.

    Attributes
    ----------
    path : str
        File, folder or glob pattern, relative to the working directory.
    """

    extensions: ClassVar[tuple[str, ...]]
    """Extensions of the files that are read from a folder."""
    content: ClassVar[str]
    """Plural noun for the instances, for messages."""

    path: str = field(kw_only=True)

    def paths(self) -> list[Path]:
        """Return the files that `path` stands for, in natural order."""
        return find_files(self.path, self.extensions, self.content)


def suite_paths(suites: Path, suite: str, pattern: str) -> list[Path]:
    """Return the files of a suite, which is a folder in `suites`, in natural order.

    Raises
    ------
    UserError
        If there is no such suite.
    """
    names = sorted(folder.name for folder in suites.iterdir() if folder.is_dir())
    if suite not in names:
        raise UserError(f"world.suite: there is no suite '{suite}'{suggest(suite, names)}")
    return sorted((suites / suite).glob(pattern), key=natural_order)


def sides_of(size: int | str | list[int]) -> tuple[int, int] | None:
    """Return the two sides that a parameter such as 4, "3x5" or [3, 5] gives; None if it has another form.

    Raises
    ------
    UserError
        If it is a range of sizes, which only a sweep takes.
    """
    if hint := range_hint("world.size", size):
        raise UserError(f"world.size: expected one size, got {size!r}{hint}")
    text = "x".join(map(str, size)) if isinstance(size, list) else str(size)
    match = re.fullmatch(r"(\d{1,9})(?:x(\d{1,9}))?", text)
    return (int(match[1]), int(match[2] or match[1])) if match else None


def chosen_numbers(items: Iterable[int | str], first: int, last: int, where: str) -> list[int]:
    """Return the numbers that a list of numbers and of ranges such as "3-7" gives, each once, in their order.

    Parameters
    ----------
    first, last : int
        The numbers that are allowed.
    where : str
        Key of the list, for messages.
    """
    numbers: dict[int, None] = {}
    for item in items:
        match = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", str(item))
        low, high = (int(match[1]), int(match[2] or match[1])) if match else (0, -1)
        if not first <= low <= high <= last:
            raise UserError(f"{where}: expected numbers of {first} to {last} or ranges such as 3-7, got {item!r}")
        numbers.update(dict.fromkeys(range(low, high + 1)))
    if not numbers:
        raise UserError(f"{where}: the list is empty; leave it out for all")
    return list(numbers)


def sizes_up_to(first: int, second: int) -> list[tuple[int, int]]:
    """Return all sizes of at least two cells with sides of at most `first` and `second`, the smallest first."""
    sizes = [(a, b) for a in range(1, first + 1) for b in range(1, second + 1) if a * b > 1]
    return sorted(sizes, key=lambda size: (size[0] * size[1], size))
