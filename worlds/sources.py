"""Sources of instances: functions that return worlds, and their parameters in YAML.

`source` makes a `Source` of a function. What the function takes tells how its instances are made: from a seed, from a
number, from a file, or all at once (`worlds.series`). Ids, samples, refusals and lazy instances are the same for all::

    @source("pancake/random", id="{size}-{seed}")
    def random_stacks(seed: int, size: Size = 10) -> Pancakes:
        return Pancakes(tuple(generator_of(seed).random(size).argsort(kind="stable").tolist()))
"""

from __future__ import annotations

import dataclasses
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar, get_type_hints

from runner.base.errors import PACKAGES, PluginError, UserError
from runner.base.files import checked_id, file_error, find_files, is_id
from runner.base.function_entry import Signature, check_name, register_function
from runner.base.registry import PartRegistry
from worlds.interface import Instance
from worlds.series import LazySeries, ListedSeries, LoadedSeries, NumberedSeries, Series, generator_of, sample_of
from worlds.source_parameters import Sampled, Seeded, Suite, UserFiles, suite_paths
from worlds.unsupported import Unreadable
from worlds.world import World

__all__ = ["generator_of", "sample_of"]

Item = World | tuple[str, World] | Instance
"""What a function of a source makes: a world, alone or with the name of its instance, or an instance."""
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


WORLDS: PartRegistry[Source] = PartRegistry("world")


@dataclass(frozen=True)
class Options:
    """What a function of a source does not tell by its parameters. See `source`."""

    id: str = ""
    content: str = "instances"
    files: tuple[str, ...] = ()
    suites: Path | None = None
    paths: Callable[[Any], Sequence[Path]] | None = None
    name_of_file: Callable[[Path], str] | None = None
    validate: Callable[[Any], object] | None = None
    check: Callable[[], object] | None = None
    sampled: bool = False
    each: str = ""
    count: Callable[[Any], int] | None = None
    exhaustive: Callable[[Any], str] | None = None
    samples: Callable[[Any, Iterator[Any]], Iterable[Instance]] | None = None


SPECIAL = ("seed", "number", "file", "unreadable")
"""Arguments of functions that are no parameters in YAML."""


def source(
    name: str,
    *,
    id: str = "",
    domain: str = "",
    files: str | tuple[str, ...] = (),
    content: str = "instances",
    suite: tuple[Path, str] | None = None,
    paths: Callable[[Any], Sequence[Path]] | None = None,
    name_of_file: Callable[[Path], str] | None = None,
    validate: Callable[[Any], object] | None = None,
    check: Callable[[], object] | None = None,
    sampled: bool = False,
    each: str = "",
    count: Callable[[Any], int] | None = None,
    exhaustive: Callable[[Any], str] | None = None,
    samples: Callable[[Any, Iterator[Any]], Iterable[Instance]] | None = None,
    small_space: Mapping[str, Any] | None = None,
) -> Callable[[Function], Function]:
    """Register a source of instances: a function that returns a world, or yields worlds.

    The first argument tells when the function is called:

    - ``seed``: for each of `count` seeds. The parameters `count` and `seed` are added.
    - ``number``: for each number from 0 below `count`, a function of the parameters.
    - ``file``: for each file. The parameters `path` and `unsupported`, or `suite`, and those of samples are added.
    - none of these: once. With `count`, the instances are made each time they are needed.

    An argument with the name ``number`` after ``seed`` is the number of the instance; ``unreadable`` after ``file`` is
    the treatment of files that cannot be read. An argument whose type is a frozen dataclass adds the fields of this
    class as parameters. All others have defaults, or are keywords, and are parameters in YAML; the docstring documents
    them under `Parameters`.

    The function makes worlds, pairs (name, world), or an `Instance` where a seed is to be told. The name None stands
    for the name of the file and a number.

    Parameters
    ----------
    name : str
        Name of the source, such as "pancake/random".
    id : str
        Name of an instance, made of parameters and `seed`: "{size}-{seed}". Default: the name of the source, and the
        seed or the number.
    domain : str
        Name of the domain of the worlds. Default: what is before the slash in the name.
    files : str or tuple of str
        Extensions of the files that are read from a folder: ".txt".
    content : str
        Plural noun for the instances, for messages.
    suite : (Path, str)
        Folder of the suites of the package, and the name of one: `files` are read from there.
    paths : callable
        ``paths(parameters)`` returns the files. Default: those of the path, or of the suite.
    name_of_file : callable
        Returns the name of the instance that stands for a file that cannot be read. Default: its name.
    validate : callable
        ``validate(parameters)`` raises `runner.UserError` if parameters do not fit together.
    check : callable
        Raises `runner.UserError` if instances cannot be made here.
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

    Raises
    ------
    TypeError
        If the function has an argument that is none of these.
    """
    check_name("runner.source", name)
    extensions = (files,) if isinstance(files, str) else files
    options = Options(
        id=id, content=content, files=extensions, suites=suite and suite[0], paths=paths, name_of_file=name_of_file,
        validate=validate, check=check, sampled=sampled, each=each, count=count, exhaustive=exhaustive, samples=samples,
    )  # fmt: skip

    def register(function: Function) -> Function:
        signature, groups = _signature(name, function)
        arguments = tuple(inspect.signature(function).parameters)
        special = [key for key in SPECIAL if key in arguments and key not in signature.defaults]
        bases = [*reversed(groups.values())]  # the parameters of the last base come first
        if special[:1] == ["seed"]:
            bases.insert(0, Seeded)
        elif special[:1] == ["file"]:
            bases.insert(0, UserFiles if suite is None else Suite)
        elif sampled:
            bases.insert(0, Sampled)
        if suite is not None:
            signature = Signature(0, {"suite": str, **signature.hints}, {"suite": suite[1], **signature.defaults})
        register_function(
            WORLDS, name, None, function, signature, (FunctionSource, *bases),
            domain=domain or name.partition("/")[0], small_space=small_space, _function=staticmethod(function),
            _options=options, _special=tuple(special), _arguments=arguments, _groups=groups,
        )  # fmt: skip
        return function

    return register


def _signature(name: str, function: Callable[..., Any]) -> tuple[Signature, dict[str, type]]:
    """Return the parameters in YAML of a function, and its arguments that are dataclasses of parameters."""
    hints = get_type_hints(function, include_extras=True)
    taken, defaults = dict[str, Any](), dict[str, Any]()
    groups: dict[str, type] = {}
    for argument in inspect.signature(function).parameters.values():
        kind = hints.get(argument.name, Any)
        has_default = argument.default is not inspect.Parameter.empty
        if isinstance(kind, type) and dataclasses.is_dataclass(kind):
            groups[argument.name] = kind
        elif has_default or argument.kind is inspect.Parameter.KEYWORD_ONLY:
            taken[argument.name] = kind
            defaults[argument.name] = argument.default if has_default else dataclasses.MISSING
        elif argument.name not in SPECIAL:
            raise TypeError(
                f"world '{name}': the argument {argument.name} needs a default; only {', '.join(SPECIAL)} and "
                "dataclasses of parameters have none"
            )
    return Signature(0, taken, defaults), groups


class FunctionSource(Source):
    """Source made of a function by `source`."""

    domain: ClassVar[str] = ""
    _function: ClassVar[Callable[..., Any]]
    _options: ClassVar[Options]
    _special: ClassVar[tuple[str, ...]]
    _arguments: ClassVar[tuple[str, ...]]
    _groups: ClassVar[Mapping[str, type]]

    def __post_init__(self) -> None:
        for group in self._groups.values():
            getattr(group, "__post_init__", lambda _: None)(self)
        if self._options.validate is not None:
            self._options.validate(self)

    @cached_property
    def series(self) -> Series:
        options, kind = self._options, self._special[:1]
        parameters: Any = self
        if kind == ("seed",):
            count = parameters.count
            numbers = range(0, count * len(self._values), count)
            return NumberedSeries(self._of_seed, count * len(self._values), numbers)
        if kind == ("number",):
            assert options.count is not None
            return NumberedSeries(self._of_number, options.count(self))
        if kind == ("file",):
            return LoadedSeries(
                self.registered_name, self.domain, self._paths, self._of_file, self._unreadable,
                options.name_of_file or (lambda path: path.stem), parameters.sample, parameters.seed,
            )  # fmt: skip
        if options.count is not None:
            return LazySeries(self._all, options.count(self))
        if options.sampled:
            return ListedSeries(self._all, parameters.sample, parameters.seed)
        return ListedSeries(self._all)

    def check(self) -> None:
        """Raise `runner.UserError` if an instance cannot be made."""
        if self._options.check is not None:
            self._options.check()
        with self._errors_explained():
            super().check()

    def refusing(self) -> Source:
        """Return the source with `refuse` as the default of `unsupported`."""
        source: Any = self
        return self if getattr(self, "unsupported", "refuse") else replace(source, unsupported="refuse")

    @property
    def exhaustive(self) -> str | None:
        describe = self._options.exhaustive
        return None if describe is None else describe(self)

    def samples(self) -> Iterator[Instance]:
        choose, candidates = self._options.samples, self.series.candidates()
        with self._errors_explained():
            if choose is None:
                return iter(list(islice(candidates, 1)))
            return iter([self._instance(sample, "") for sample in choose(self, candidates)])

    @contextmanager
    def _errors_explained(self) -> Iterator[None]:
        """Raise an error of a function of the user with its traceback."""
        function = type(self)._function
        try:
            yield
        except Exception as error:
            if isinstance(error, UserError) or function.__module__.partition(".")[0] in PACKAGES:
                raise
            raise PluginError(f"world '{self.registered_name}': {function.__name__} failed", error) from None

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
        seed = parameters.seed + number_of_value
        special = {"seed": seed, "number": number_of_value}
        if self._options.each:
            special[self._options.each] = self._values[place]
        return self._instance(self._called(special), str(seed), seed)

    def _of_number(self, number: int) -> Instance:
        return self._instance(self._called({"number": number}), str(number))

    def _of_file(self, file: Path) -> Iterator[Instance]:
        made = self._called({"file": file, "unreadable": self._unreadable})
        for number, item in enumerate(_items(made), 1):
            name = file.stem if isinstance(item, World) else f"{file.stem}_{number}"
            yield self._instance(item, name, fail=lambda message: file_error(file, message))

    def _all(self) -> Iterator[Instance]:
        for item in _items(self._called({})):
            yield self._instance(item, "")

    def _called(self, special: Mapping[str, Any]) -> Any:
        """Return what the function returns."""
        arguments = {
            name: special[name] if name in special else self if name in self._groups else getattr(self, name)
            for name in self._arguments
        }
        return type(self)._function(**arguments)

    def _instance(
        self, item: Any, name: str, seed: int | None = None, fail: Callable[[str], UserError] | None = None
    ) -> Instance:
        """Return the instance of what a function has made."""
        owner = f"world '{self.registered_name}'"
        if isinstance(item, Instance):
            instance = replace(item, source=self.registered_name)
        elif isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], World):
            instance = Instance(item[1], item[0] or name, seed, self.registered_name)
        elif isinstance(item, World):
            own = self._options.id.format_map({**self._parameters, "seed": seed}) if self._options.id else name
            instance = Instance(item, own or self.registered_name, seed, self.registered_name)
        else:
            raise UserError(f"{owner}: expected a world or a pair (name, world), got {item!r}")
        if not isinstance(instance.id, str) or not is_id(instance.id):
            checked_id(str(instance.id), fail or (lambda message: UserError(f"{owner}: {message}")))
        if instance.world.domain != self.domain:
            raise UserError(
                f"{owner}: makes worlds of the domain {instance.world.domain}; name it {instance.world.domain}/..."
            )
        return instance

    @property
    def _parameters(self) -> dict[str, Any]:
        fields: Any = self
        return {each.name: getattr(self, each.name) for each in dataclasses.fields(fields)}

    def _paths(self) -> Sequence[Path]:
        options, parameters = self._options, self
        if options.paths is not None:
            return options.paths(parameters)
        if options.suites is not None:
            found = [suite_paths(options.suites, self._parameters["suite"], f"*{end}") for end in options.files]
            return [path for paths in found for path in paths]
        return find_files(self._parameters["path"], options.files, options.content)

    @property
    def _unreadable(self) -> Unreadable:
        """Treatment of files that cannot be read."""
        path = self._parameters.get("path")
        if path is None:
            return "refuse"
        unsupported: Literal["row", "skip", "refuse"] | None = self._parameters["unsupported"]
        return unsupported or ("refuse" if Path(path).expanduser().is_file() else "row")


def _items(made: Any) -> Iterator[Any]:
    """Return what a function has returned, or yields."""
    return iter([made] if isinstance(made, (World, tuple, Instance)) else made)
