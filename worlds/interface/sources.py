"""Sources of instances: functions that return worlds, and their parameters in YAML.

`source` makes a `Source` of a function. What the function takes tells how its instances are made: from a seed, from a
number, from a file, or all at once (`worlds.interface.series`). Ids, samples, refusals and lazy instances are the same
for all::

    @source("pancake/random", id="{size}-{seed}")
    def random_stacks(seed: int, size: Size = 10) -> Pancakes:
        return Pancakes(tuple(generator_of(seed).random(size).argsort(kind="stable").tolist()))
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from runner.base import (
    MAX_ID,
    PACKAGES,
    PartRegistry,
    PluginError,
    UserError,
    check_name,
    checked_id,
    error_text,
    file_error,
    find_files,
    is_id,
    plural,
    register_function,
)
from worlds.interface.instance import Instance
from worlds.interface.kernel_check import kernel_mistake
from worlds.interface.series import LazySeries, ListedSeries, LoadedSeries, NumberedSeries, Series
from worlds.interface.source_functions import Arguments, Options, arguments_of, check_options
from worlds.interface.source_parameters import Sampled, Seeded, UserFiles
from worlds.interface.unsupported import Unreadable
from worlds.interface.world import World

Item = World | tuple[str, World] | Instance
"""Result of a function of a source: a world, alone or with the name of its instance, or an instance."""
Function = TypeVar("Function", bound=Callable[..., Any])


class Source(ABC):
    """Source of instances. Subclasses are frozen dataclasses whose fields are the parameters in YAML."""

    registered_name: ClassVar[str]
    small_space: ClassVar[Mapping[str, Any] | None] = None
    """Parameters with which all states can be explored in seconds, for audits that name no world; None if unknown."""

    @property
    @abstractmethod
    def domain(self) -> str:
        """Name of the instances' domain; a class attribute in most subclasses."""

    @property
    @abstractmethod
    def series(self) -> Series:
        """The instances. A subclass makes them once."""

    def instances(self) -> Iterator[Instance]:
        """Yield the instances, in the same order every time."""
        return self.series.instances()

    def __len__(self) -> int:
        """Number of instances."""
        return len(self.series)

    def check(self) -> None:
        """Raise `runner.UserError` if an instance cannot be made. Called before anything runs."""
        self.series.check()

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user about the instances."""
        return self.series.file_notes

    @property
    def reads_files(self) -> bool:
        """Whether instances come from files of the user. Default: whether there is a parameter `path`."""
        return hasattr(self, "path")

    def refusing(self) -> Source:
        """Return the source for uses without rows: it refuses files that cannot be read, unless told otherwise."""
        return self

    @property
    def exhaustive(self) -> str | None:
        """Description of the set that the instances cover completely; None if they are no such set."""
        return None

    def samples(self) -> Iterator[Instance]:
        """Yield one instance of every kind that heuristics and algorithms may treat differently.

        Default: the first whose file can be read. A heuristic or algorithm that refuses one of the samples is refused
        before anything runs.
        """
        return islice(self.series.candidates(), 1)


SOURCES: PartRegistry[Source] = PartRegistry(
    "world", Source, "is a world without a source; derive it from PythonWorld, or return it from a function under "
    "@runner.source",
)  # fmt: skip


def domains_of_sources() -> dict[str, str]:
    """Return the domain of each source: the one that it declares, or else its name."""
    declared = {name: getattr(entry, "domain", None) for _, name, entry in SOURCES.entries()}
    return {name: domain if isinstance(domain, str) else name for name, domain in declared.items()}


def source(
    name: str = "",
    *,
    id: str | Callable[[Path], str] = "",
    domain: str = "",
    files: str | tuple[str, ...] | Callable[[Any], Sequence[Path]] = (),
    content: str = "instances",
    validate: Callable[[Any], object] | None = None,
    sampled: bool = False,
    each: str = "",
    count: Callable[[Any], int] | None = None,
    exhaustive: Callable[[Any], str] | None = None,
    samples: Callable[[Any, Iterator[Any]], Iterable[Instance]] | None = None,
    small_space: Mapping[str, Any] | None = None,
    notes: Callable[[Any], Iterable[str]] | None = None,
) -> Callable[[Function], Function]:
    """Register a source of instances: a function that returns a world, or yields worlds.

    The first argument tells when the function is called:

    - ``seed``: for each of `count` seeds. The parameters `count` and `seed` are added.
    - ``number``: for each number from 0 below `count`, a function of the parameters.
    - ``file``: for each file. The parameters `path` and `unsupported`, and those of samples are added.
    - none of these: once. With `count`, the instances are made each time they are needed.

    An argument with the name ``number`` after ``seed`` is the number of the instance; ``unreadable`` after ``file`` is
    the treatment of files that cannot be read. An argument whose type is a frozen dataclass adds the fields of this
    class as parameters. All others have defaults, or are keywords, and are parameters in YAML; the docstring documents
    them under `Parameters`.

    The function makes worlds, pairs (name, world), or an `Instance` where a seed is to be told; of a seed or a number,
    one. The name None stands for `id`; of a file, for its name and a number.

    Parameters
    ----------
    name : str
        Name of the source, such as "pancake/random".
    id : str or callable
        Name of an instance, made of parameters and `seed` or `number`: "{size}-{seed}". Default: the seed, the number,
        or the name of the source. Of a file, a function of its path; default: the name of the file.
    domain : str
        Name of the domain of the worlds. Default: what is before the slash in the name.
    files : str, tuple of str or callable
        Extensions of the files that are read from a folder: ".txt". Or ``files(parameters)`` returns the files.
    content : str
        Plural noun for the instances, for messages.
    validate : callable
        ``validate(parameters)`` raises `runner.UserError` if parameters do not fit together.
    sampled : bool
        Add the parameters of samples to a source whose function is called once.
    each : str
        Parameter that may be a list: there are `count` instances for each of its values.
    count : callable
        ``count(parameters)`` returns the number of instances.
    exhaustive : callable
        ``exhaustive(parameters)`` describes the set that the instances cover completely.
    samples : callable
        ``samples(parameters, instances)`` chooses one instance of every kind that heuristics and algorithms may treat
        differently. Default: the first.
    small_space : mapping
        Parameters with which all states can be explored in seconds, for audits that name no world.
    notes : callable
        ``notes(parameters)`` returns notes for the user about the instances, which are shown before anything runs.

    Raises
    ------
    TypeError
        If the function has an argument that is none of these, or an option does not fit to the arguments.
    """
    check_name("runner.source", name)
    options = Options(
        id=id, content=content, files=(files,) if isinstance(files, str) else files, validate=validate,
        sampled=sampled, each=each, count=count, exhaustive=exhaustive, samples=samples, notes=notes,
    )  # fmt: skip

    def register(function: Function) -> Function:
        arguments = arguments_of(name, function)
        check_options(name, arguments, options)
        bases = [*reversed(arguments.groups.values())]  # the parameters of the last base come first
        if "seed" in arguments.special:
            bases.insert(0, Seeded)
        elif "file" in arguments.special:
            bases.insert(0, UserFiles)
        elif sampled:
            bases.insert(0, Sampled)
        register_function(
            SOURCES, name, None, function, arguments.signature, (FunctionSource, *bases),
            domain=domain or name.partition("/")[0], small_space=small_space, _function=staticmethod(function),
            _options=options, _arguments=arguments,
        )  # fmt: skip
        return function

    return register


class FunctionSource(Source):
    """Source made of a function by `source`."""

    domain: ClassVar[str] = ""
    _function: ClassVar[Callable[..., Any]]
    _options: ClassVar[Options]
    _arguments: ClassVar[Arguments]

    def __post_init__(self) -> None:
        for group in self._arguments.groups.values():
            getattr(group, "__post_init__", lambda _: None)(self)
        if self._options.validate is not None:
            with self._errors_explained("validate"):
                self._options.validate(self)

    @cached_property
    def series(self) -> Series:
        """The instances, made as the arguments of the function tell."""
        options, special = self._options, self._arguments.special
        parameters: Any = self
        if "seed" in special:
            count = parameters.count * len(self._values)
            return NumberedSeries(self._of_seed, count, range(0, count, parameters.count))
        if "number" in special:
            return NumberedSeries(self._of_number, self._count)
        if "file" in special:
            return LoadedSeries(
                self.registered_name, self.domain, self._paths, self._of_file, self._unreadable, self._name_of_file,
                parameters.sample, parameters.seed,
            )  # fmt: skip
        if options.count is not None:
            return LazySeries(self._counted, self._count)
        sample, seed = (parameters.sample, parameters.seed) if options.sampled else (None, 0)
        return ListedSeries(self._all, sample, seed, type(self)._function.__name__)

    def check(self) -> None:
        """Raise `runner.UserError` if an instance cannot be made. Of those of plug-ins, look at the first two."""
        super().check()
        if self._is_ours:
            return
        first = list(islice(self.series.part(range(len(self))), 2))
        names = {instance.id for instance in first}
        if len(names) < len(first) and first[0].key() != first[1].key():  # equal instances may be yielded twice
            raise UserError(f"{self._owner}: two instances have the name '{first[0].id}'; names are unique")
        for instance in first:
            if (mistake := kernel_mistake(instance.world)) is not None:
                raise UserError(f"{self._owner}: {type(instance.world).__name__}: {mistake}")

    def refusing(self) -> Source:
        """Return the source with `refuse` as the default of `unsupported`."""
        source: Any = self
        return self if getattr(self, "unsupported", "refuse") else replace(source, unsupported="refuse")

    @property
    def exhaustive(self) -> str | None:
        """Description of the set that the instances cover completely; None if they are no such set."""
        describe = self._options.exhaustive
        if describe is None:
            return None
        with self._errors_explained("exhaustive"):
            return describe(self)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes about files that are left out, and those of the option `notes`."""
        if self._options.notes is None:
            return super().notes
        with self._errors_explained("notes"):
            return (*super().notes, *self._options.notes(self))

    def samples(self) -> Iterator[Instance]:
        """Yield the instances that the option `samples` chooses; by default the first."""
        choose, candidates = self._options.samples, self.series.candidates()
        if choose is None:
            return islice(candidates, 1)
        with self._errors_explained("samples"):
            return iter([self._instance(sample, "") for sample in choose(self, candidates)])

    @contextmanager
    def _errors_explained(self, what: str) -> Iterator[None]:
        """Raise an error of a function; of a plug-in, one that shows its traceback."""
        try:
            yield
        except Exception as error:
            if isinstance(error, UserError) or self._is_ours:
                raise
            raise PluginError(f"{self._owner}: {what} failed: {error_text(error)}", error) from None

    @property
    def _is_ours(self) -> bool:
        return type(self)._function.__module__.partition(".")[0] in PACKAGES

    @property
    def _owner(self) -> str:
        return f"world '{self.registered_name}'"

    @property
    def _count(self) -> int:
        """Number of instances that the option `count` gives."""
        assert self._options.count is not None
        with self._errors_explained("count"):
            count = self._options.count(self)
        if type(count) is not int or count < 0:
            raise UserError(f"{self._owner}: count gives {count!r}; expected a whole number of at least 0")
        return count

    def _name(self, special: Mapping[str, Any]) -> str:
        """Return the name of an instance by the option `id`."""
        pattern = str(self._options.id)
        try:
            return pattern.format_map({**self._parameters, **special})
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise UserError(f"{self._owner}: id: {error}, in {pattern!r}") from None

    def _name_of_file(self, file: Path) -> str:
        """Return the name of the only instance of a file, and of one that cannot be read."""
        if not callable(self._options.id):
            return file.stem
        with self._errors_explained("id"):
            return self._options.id(file)

    # How the instances are made.

    @cached_property
    def _values(self) -> list[Any]:
        """Values of the parameter that may be a list."""
        each = self._options.each
        value = getattr(self, each) if each else None
        return value if isinstance(value, list) else [value]

    def _of_seed(self, number: int) -> Instance:
        parameters: Any = self
        place, number_of_value = divmod(number, parameters.count)
        special: dict[str, Any] = {"seed": parameters.seed + number_of_value, "number": number_of_value}
        if self._options.each:
            special[self._options.each] = self._values[place]
        return self._made_once(special, "seed")

    def _of_number(self, number: int) -> Instance:
        return self._made_once({"number": number}, "number")

    def _made_once(self, special: dict[str, Any], kind: str) -> Instance:
        """Return the only instance that a call of the function makes."""
        value = special[kind]
        made = self._called(special, f" for {kind} {value}")
        if not isinstance(made, (tuple, World, Instance)):
            items = list(islice(self._items(made, f" for {kind} {value}"), 2))
            if len(items) != 1:
                count = "several worlds" if items else "no world"
                raise UserError(f"{self._owner}: expected one world for {kind} {value}, got {count}")
            made = items[0]
        of_value = f"{special[self._options.each]}-" if self._options.each else ""
        name = self._name(special) if self._options.id else f"{of_value}{value}"
        return self._instance(made, name, value if kind == "seed" else None)

    def _of_file(self, file: Path) -> Iterator[Instance]:
        special = {"file": file, "unreadable": self._unreadable}
        number = 0
        for number, item in enumerate(self._items(self._called(special, f" for {file}"), f" for {file}"), 1):
            name = self._name_of_file(file) if isinstance(item, World) else f"{file.stem}_{number}"
            yield self._instance(item, name, fail=lambda message: file_error(file, message))
        if number == 0:
            raise file_error(file, "holds no instances")

    def _all(self) -> Iterator[Instance]:
        name = self._name({}) if self._options.id else self.registered_name
        for item in self._items(self._called({})):
            yield self._instance(item, name)

    def _counted(self) -> Iterator[Instance]:
        """Yield all instances. Refuse another number of them than the option `count` gives."""
        count, number = self._count, 0
        for number, instance in enumerate(self._all(), 1):
            if number <= count:
                yield instance
        if number != count:
            raise PluginError(f"{self._owner}: {plural(number, 'world')} came, but count gives {count}")

    @cached_property
    def _fixed(self) -> dict[str, Any]:
        """Arguments of the function that are the same in all calls."""
        varying = {*self._arguments.special, self._options.each}
        names = (name for name in self._arguments.names if name not in varying)
        return {name: self if name in self._arguments.groups else getattr(self, name) for name in names}

    def _called(self, special: Mapping[str, Any], when: str = "") -> Any:
        """Return what the function returns."""
        varying = {name: value for name, value in special.items() if name in self._arguments.names}
        with self._errors_explained(f"{type(self)._function.__name__}{when}"):
            return type(self)._function(**self._fixed, **varying)

    def _items(self, made: Any, when: str = "") -> Iterator[Any]:
        """Yield what the function has returned, or yields."""
        if isinstance(made, (tuple, World, Instance)) or not isinstance(made, Iterable):
            yield made
            return
        with self._errors_explained(f"{type(self)._function.__name__}{when}"):
            yield from made

    def _instance(
        self, item: Any, name: str, seed: int | None = None, fail: Callable[[str], UserError] | None = None
    ) -> Instance:
        """Return the instance of what a function has made."""
        if isinstance(item, Instance):
            instance = replace(item, source=self.registered_name)
        elif isinstance(item, World):
            instance = Instance(item, name, seed, self.registered_name)
        elif _is_named(item):
            instance = Instance(item[1], item[0] or name, seed, self.registered_name)
        else:
            raise UserError(f"{self._owner}: expected a world or a pair (name, world), got {item!r}")
        if not isinstance(instance.id, str) or not is_id(instance.id):
            if fail is not None:
                checked_id(str(instance.id), fail)
            raise UserError(f"{self._owner}: expected names of 1 to {MAX_ID} printable characters, got {instance.id!r}")
        world = instance.world
        if world.domain != self.domain:
            raise UserError(
                f"{self._owner}: makes worlds of the domain {world.domain}; name it {world.domain}/..., or give "
                f'domain="{world.domain}"'
            )
        if type(world).identity is World.identity and not dataclasses.is_dataclass(world):
            raise UserError(
                f"{self._owner}: {type(world).__name__} must be a dataclass, or have a method identity: its instances "
                "are told apart by their fields"
            )
        return instance

    @cached_property
    def _parameters(self) -> dict[str, Any]:
        fields: Any = self
        return {each.name: getattr(self, each.name) for each in dataclasses.fields(fields)}

    def _paths(self) -> Sequence[Path]:
        options = self._options
        if not callable(options.files):
            return find_files(self._parameters["path"], options.files, options.content)
        with self._errors_explained("files"):
            return options.files(self)

    @property
    def _unreadable(self) -> Unreadable:
        """Treatment of files that cannot be read."""
        unsupported: Unreadable | None = self._parameters["unsupported"]
        return unsupported or ("refuse" if Path(self._parameters["path"]).expanduser().is_file() else "row")


def _is_named(item: Any) -> bool:
    """Return whether something is a pair (name, world), whose name may be None."""
    is_pair = isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], World)
    return is_pair and (item[0] is None or isinstance(item[0], str))
