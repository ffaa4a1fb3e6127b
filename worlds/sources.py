"""Sources of instances: their interface, and the parts that sources of several domains share."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, ClassVar, Generic, TypeVar, cast

import numpy as np
from msgspec import Meta

from runner.base.errors import Incompatible, PluginError, UserError, suggest
from runner.base.files import MAX_ID, file_error, find_files, is_id, natural_order
from runner.base.messages import plural
from runner.base.registry import PartRegistry
from runner.base.spelling import range_hint
from runner.base.status import ERROR, UNSUPPORTED, Status
from worlds.interface import Instance
from worlds.unsupported import Refusal, Unreadable, UnsupportedWorld, summary

Count = Annotated[int, Meta(ge=1, le=10**9)]
"""Type of the parameter `count` of random sources."""
Seed = Annotated[int, Meta(ge=0, lt=2**62)]
"""Type of the parameter `seed` of random sources, and of samples."""

T = TypeVar("T")
AnyInstance = TypeVar("AnyInstance", bound=Instance)


class Source(ABC):
    """Source of instances. Subclasses are frozen dataclasses whose fields are the parameters in YAML."""

    registered_name: ClassVar[str]
    small_space: ClassVar[Mapping[str, Any] | None] = None
    """Parameters with which all states can be explored in seconds, for audits that name no world; None if unknown."""

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

    def refusing(self) -> Source:
        """Return the source for uses without rows: it refuses files that cannot be read, unless told otherwise."""
        return self

    @property
    def unsupported_status(self) -> Status:
        """Status of the row of an instance whose search raises `Unsupported`."""
        return ERROR

    @property
    def file_notes(self) -> tuple[str, ...]:
        """Notes for the user about files that are left out."""
        return ()

    @property
    def exhaustive(self) -> str | None:
        """Description of the set that the instances cover completely; None if they are no such set."""
        return None

    def samples(self) -> Iterator[Instance]:
        """Yield one instance of every kind that heuristics and algorithms may treat differently.

        Default: the first whose file can be read. A heuristic or algorithm that refuses one of the samples is refused
        before anything runs.
        """
        readable = (each for each in self.instances() if not isinstance(each.world, UnsupportedWorld))
        yield from islice(readable, 1)


WORLDS: PartRegistry[Source] = PartRegistry("world")


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


def read_files(
    paths: Iterable[Path], load: Callable[[Path], Iterable[T]], name_of: Callable[[T], str]
) -> list[T | Refusal]:
    """Return what a function loads from all files, in their order. Of a file that cannot be read, return the reason.

    Parameters
    ----------
    load : callable
        Function that reads one file.
    name_of : callable
        Function that returns the name of what was loaded. Names are unique.
    """
    found: list[T | Refusal] = []
    files: dict[str, Path] = {}
    for path in paths:
        try:
            loaded = list(load(path))
            names: dict[str, Path] = {}
            for name in map(name_of, loaded):
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


def load_files(paths: Iterable[Path], load: Callable[[Path], Iterable[T]], name_of: Callable[[T], str]) -> list[T]:
    """Return what a function loads from all files, as `read_files`.

    Raises
    ------
    UserError
        If files cannot be read, or names are used twice. The message names the first files.
    """
    found = read_files(paths, load, name_of)
    refusals = [each for each in found if isinstance(each, Refusal)]
    if refusals:
        raise UserError(summary(refusals))
    return [each for each in found if not isinstance(each, Refusal)]


@dataclass(frozen=True)
class FileSource(SampledSource, Generic[AnyInstance]):
    """A source that reads its instances from files."""

    @abstractmethod
    def paths(self) -> list[Path]:
        """Return the files, in order."""

    @abstractmethod
    def load(self, path: Path) -> Iterable[AnyInstance]:
        """Read the instances of one file."""

    @property
    def unreadable(self) -> Unreadable:
        """Treatment of files that cannot be read."""
        return "refuse"

    def name_of_file(self, path: Path) -> str:
        """Return the name of the instance that stands for a file that cannot be read."""
        return path.stem

    @cached_property
    def loaded(self) -> list[AnyInstance]:
        """Instances of the files that can be read, or those in the sample, in the order of the files.

        Raises
        ------
        UserError
            If files cannot be read and `unreadable` is "refuse". The message names the first files.
        """
        return [each for each in self._chosen_items if not isinstance(each, Refusal)]

    @cached_property
    def _items(self) -> list[AnyInstance | Refusal]:
        return read_files(self.paths(), self.load, lambda instance: instance.id)

    @cached_property
    def _refusals(self) -> list[Refusal]:
        return [each for each in self._items if isinstance(each, Refusal)]

    @cached_property
    def _chosen_items(self) -> list[AnyInstance | Refusal]:
        if self.unreadable == "refuse" and self._refusals:
            raise UserError(summary(self._refusals))
        with_row = self.unreadable == "row"
        return self.sampled([each for each in self._items if with_row or not isinstance(each, Refusal)])

    @property
    def unsupported_status(self) -> Status:
        """Status `error` if files that cannot be read are refused, else `unsupported`."""
        return ERROR if self.unreadable == "refuse" else UNSUPPORTED

    @property
    def file_notes(self) -> tuple[str, ...]:
        """Note about the files that are left out."""
        if self.unreadable != "skip" or not self._refusals:
            return ()
        return (f"world.unsupported: skip leaves out {plural(len(self._refusals), 'file')}: {summary(self._refusals)}",)

    def check(self) -> None:
        """Read all files.

        Raises
        ------
        UserError
            As `loaded`.
        Incompatible
            If no file can be read.
        """
        if not self.loaded and self._refusals:
            raise Incompatible(f"no file can be read: {summary(self._refusals)}")

    def instances(self) -> Iterator[AnyInstance]:
        """Yield the instances in the order of the files, with one for each file that has only a row."""
        names = {each.id for each in self.loaded}
        for each in self._chosen_items:
            if isinstance(each, Refusal):
                name = self.name_of_file(each.path)
                name = each.path.as_posix()[-MAX_ID:] if name in names or not is_id(name) else name
                names.add(name)
                world: Any = UnsupportedWorld(self.domain, each)
                yield cast(AnyInstance, Instance(world, name, source=self.registered_name))
            else:
                yield each

    def __len__(self) -> int:
        return len(self._chosen_items)


@dataclass(frozen=True)
class UserFiles(FileSource[AnyInstance]):
    """A source that reads files of the user.

    Attributes
    ----------
    path : str
        File, folder or glob pattern, relative to the working directory.
    unsupported : {"row", "skip", "refuse"}, optional
        Files that cannot be read: a row `unsupported` for each (`row`), left out with a note (`skip`), or nothing runs
        (`refuse`). Unless given, `refuse` for one file, `row` for folders and patterns.
    """

    extensions: ClassVar[tuple[str, ...]]
    """Extensions of the files that are read from a folder."""
    content: ClassVar[str]
    """Plural noun for the instances, for messages."""

    path: str = field(kw_only=True)
    unsupported: Unreadable | None = field(default=None, kw_only=True)

    @property
    def unreadable(self) -> Unreadable:
        """Treatment of files that cannot be read."""
        return self.unsupported or ("refuse" if Path(self.path).expanduser().is_file() else "row")

    def refusing(self) -> Source:
        """Return the source with `refuse` as the default of `unsupported`."""
        return self if self.unsupported else replace(self, unsupported="refuse")

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
