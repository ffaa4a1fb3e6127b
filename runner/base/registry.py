"""Registries: what a configuration or a command line can choose by name.

A `Registry` has the entries of one door: commands, formats of reports, tables, checks. Those that `own_entries` or, by
entry points, installed packages offer are imported when they are used. A `PartRegistry` has dataclasses whose fields
are the parameters that YAML may set. A configuration selects names that code has registered; only `plugins` names
modules to import. `worlds`, `heuristics`, `algorithms` and the features own their registries.
"""

from __future__ import annotations

import dataclasses
import difflib
import importlib
import inspect
import reprlib
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar, get_args

from runner.base.errors import ForeignDomain, NameTaken, PluginError, UserError, message, suggest
from runner.base.files import directory_kept
from runner.base.metric import Metric
from runner.base.own_places import PACKAGES, ROOT, is_own_module
from runner.base.parameters import convert, fields_of

Kind = Literal["world", "algorithm", "heuristic", "weighting"]
KINDS: tuple[str, ...] = get_args(Kind)
_OWN_DISTRIBUTION = "search-runner"
"""Distribution whose entry points are not read: those of an old installation may name what is gone."""


class Registered(Protocol):
    """Class that can be registered; `PartRegistry.register` sets its name."""

    registered_name: ClassVar[str]


T = TypeVar("T")
P = TypeVar("P", bound=Registered)
Added = TypeVar("Added")


class Registry(Generic[T]):
    """Entries of one kind, by domain and name.

    Parameters
    ----------
    kind : str
        Word for an entry in messages. For a `Kind`, also the section of a configuration that chooses it.
    group : str, optional
        Group of the entry points by which installed packages offer entries: ``NAME = "MODULE:OBJECT"``. The import of
        the module registers the object, a function or a class, under this name.
    own : mapping of str to str, optional
        Modules of search-runner that register entries, by the names of these (`own_entries`).
    """

    def __init__(self, kind: str, group: str = "", own: Mapping[str, str] | None = None) -> None:
        self.kind, self.group, self.own = kind, group, own or {}
        self._entries: dict[tuple[str | None, str], T] = {}

    def register(self, name: str, *, domain: str | None = None) -> Callable[[Added], Added]:
        """Register a function or a class under a name.

        Parameters
        ----------
        name : str
            Name in configurations and on the command line.
        domain : str, optional
            Domain of a heuristic. Heuristics of several domains may have the same name. One without is of all domains.

        Raises
        ------
        NameTaken
            If another entry has the name.
        TypeError
            If the name is no text, or the entry is no function or class.
        """
        if not isinstance(name, str):
            raise TypeError(f"{self.kind}: expected its name as a text, got {reprlib.repr(name)}")

        def register_as(entry: Added) -> Added:
            self.add(name, entry, domain=domain)
            return entry

        return register_as

    def add(self, name: str, entry: Any, *, domain: str | None = None) -> None:
        """Add an entry. A module that is imported again replaces its own.

        Raises
        ------
        NameTaken
            If another entry has the name.
        TypeError
            If the entry is no function or class.
        """
        check_callable(f"{self.kind} '{name}'", entry)
        known = self._entries.get((domain, name))
        if known is not None and _place(known) != _place(entry):
            raise NameTaken(f"{self.kind} '{name}' is registered already, by {'.'.join(_place(known))}")
        module = self.own.get(name)
        if module is not None and module not in sys.modules:
            raise NameTaken(f"{self.kind} '{name}' is registered already, by {module}")
        self._entries[domain, name] = entry

    def names(self, *, domain: str | None = None, missing: bool = False) -> list[str]:
        """Return the names of a domain, in the order of registration; after them those whose modules are not imported.

        Parameters
        ----------
        domain : str, optional
            Domain of heuristics.
        missing : bool
            Include names of search-runner whose modules this copy lacks.
        """
        found = [name for owner, name in self._entries if owner == domain]
        own = (name for name, module in self.own.items() if missing or _exists(module))
        offered = sorted([*own, *(each.name for each in self._offered())]) if domain is None else ()
        return [*dict.fromkeys([*found, *offered])]

    def is_offered(self, name: str) -> bool:
        """Return whether a name is found before its module is imported: one of ours, or of an installed package."""
        return name in self.own or any(each.name == name for each in self._offered())

    def domains(self, name: str) -> list[str]:
        """Return the domains that have an entry of this name."""
        return [owner for owner, each in self._entries if each == name and owner is not None]

    def entries(self) -> list[tuple[str | None, str, T]]:
        """Return the domain, name and entry of each registration, in their order. Nothing is imported."""
        return [(domain, name, entry) for (domain, name), entry in self._entries.items()]

    def find(self, name: str, *, domain: str | None = None, where: str = "") -> T:
        """Return the entry of a name. Import its module if an installed package offers it.

        Parameters
        ----------
        domain : str, optional
            Domain of a heuristic.
        where : str
            Key of the name in the configuration, for error messages.

        Raises
        ------
        ForeignDomain
            If only entries of other domains have the name.
        UserError
            If no entry has the name, several packages offer it, or its module is missing in this copy of search-runner.
        PluginError
            If the module of an installed package raises an exception.
        """
        if domain is None and (None, name) not in self._entries:
            self._load(name)
        entry = self._entries.get((domain, name), self._entries.get((None, name)))
        if entry is not None:
            return entry
        if several := of_several(name, self.names(domain=domain)):
            raise UserError(f"{where or self.kind}: {several}")
        elsewhere = self.domains(name)
        owner = f"{domain} has no {self.kind}" if domain else f"there is no {self.kind}"
        problem = f"{where or self.kind}: {owner} '{name}'"
        if elsewhere:
            problem += f" (it belongs to {', '.join(elsewhere)})"
        problem += suggest(name, dict.fromkeys([*self.names(domain=domain), *self.names()]))
        raise (ForeignDomain if elsewhere else UserError)(problem)

    def _offered(self) -> list[EntryPoint]:
        return installed(self.group) if self.group else []

    def _load(self, name: str) -> None:
        """Import the module that registers a name, if there is one. A name of ours is not replaced."""
        offers = [each for each in self._offered() if each.name == name]
        owners = " and ".join(map(_owner, offers))
        if name in self.own:
            if owners:
                message(f"note: {self.kind} '{name}' is that of search-runner, and not that of {owners}")
            if not _exists(self.own[name]):
                raise _lacking(f"{self.kind} '{name}'", self.own[name])
            importlib.import_module(self.own[name])
            return
        if not offers:
            return
        offer = offers[-1]
        owner = _owner(offer)
        if len(offers) > 1:
            raise UserError(f"{self.kind} '{name}': the packages {owners} have one; keep one: pip uninstall {owner}")
        where = f"{self.kind} '{name}' of the installed package {owner}"
        remedy = f"repair it, or remove it: pip uninstall {owner}"
        try:
            with directory_kept():
                offer.load()
        except (Exception, SystemExit) as error:
            raise PluginError(f"{where} cannot be imported; {remedy}", error) from None
        if (None, name) not in self._entries:
            raise UserError(f"{where}: {offer.value} does not register it; {remedy}")


def of_several(name: str, names: Iterable[str]) -> str:
    """Return how to choose a name that several plug-ins have registered; empty for another name."""
    found = [each for each in names if each.endswith(f".{name}")]
    owners = " and ".join(each.removesuffix(f".{name}") for each in found)
    return f"'{name}' is registered by {owners}: choose {' or '.join(found)}" if len(found) > 1 else ""


def check_callable(owner: str, entry: object) -> None:
    """Raise `TypeError` unless an entry is a function, a class, or an object that wraps one."""
    inner = inspect.unwrap(entry)  # type: ignore[arg-type]  # anything has no `__wrapped__`
    if not callable(inner):
        raise TypeError(f"{owner}: expected a function or a class, got {reprlib.repr(inner)}")


def check_class(owner: str, entry: object) -> None:
    """Raise `TypeError` unless an entry is a class."""
    if not isinstance(entry, type):
        raise TypeError(f"{owner}: expected a class, got {reprlib.repr(entry)}")


def lazy_names(owner: str, modules: Mapping[str, Collection[str]], package: str = "") -> Callable[[str], Any]:
    """Return the function `__getattr__` of a package or module, which imports names of ours at their first use.

    Parameters
    ----------
    owner : str
        Name of the package or module.
    modules : mapping of str to collection of str
        Names by their modules.
    package : str, optional
        Package of the modules. Default: the owner.
    """

    def find(name: str) -> Any:
        module = next((module for module, names in modules.items() if name in names), None)
        if module is None:
            raise AttributeError(f"module {owner!r} has no attribute {name!r}")
        return import_own(f"{package or owner}.{module}", name)

    return find


def import_own(module: str, name: str) -> Any:
    """Return an object of a module of search-runner; raise `UserError` if this copy lacks the module."""
    try:
        return getattr(importlib.import_module(module), name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        raise _lacking(name, module) from None


def _lacking(what: str, module: str) -> UserError:
    return UserError(f"{what}: this copy of search-runner has no {module}; install it again")


def installed(group: str) -> list[EntryPoint]:
    """Return the entry points of a group that other packages have, by their names."""
    return _installed(group, tuple(sys.path))


@lru_cache
def _installed(group: str, _: tuple[str, ...]) -> list[EntryPoint]:
    """Look the entry points up, which takes milliseconds, once for each `sys.path`."""
    others = (each for each in entry_points(group=group) if _owner(each) != _OWN_DISTRIBUTION)
    return sorted(others, key=lambda each: each.name)


def _exists(module: str) -> bool:
    """Return whether a module of ours is in this copy of search-runner."""
    place = ROOT.joinpath(*module.split("."))
    return place.with_suffix(".py").is_file() or (place / "__init__.py").is_file()


def _owner(offer: EntryPoint) -> str:
    return offer.dist.name if offer.dist is not None else offer.module


def _place(entry: Any) -> tuple[str, str]:
    """Return the module and the name of a function, a class or an instance of one, which may wrap a function."""
    entry = inspect.unwrap(entry)
    defined = entry if hasattr(entry, "__qualname__") else type(entry)
    return defined.__module__, defined.__qualname__


class PartRegistry(Registry[type[P]], Generic[P]):
    """Dataclasses that a configuration chooses by name, and builds from the parameters in its section.

    Parameters
    ----------
    kind : str
        As for `Registry`.
    base : type, optional
        Class from which all of them derive.
    without : str, optional
        End of the message about a class that does not.
    """

    def __init__(self, kind: str, base: type | None = None, without: str = "") -> None:
        super().__init__(kind)
        self._base, self._without = base, without or f"must derive from {getattr(base, '__name__', '')}"

    def add(self, name: str, entry: Any, *, domain: str | None = None) -> None:
        """Register a dataclass under a name. If several plug-ins register it, each has its module before the name.

        Raises
        ------
        ValueError
            If the class is not a dataclass, another class of this module or of search-runner has the name, the name is
            "none", YAML does not read it as text, or a parameter has a name that its base class or YAML uses.
        TypeError
            If it is no class, does not derive from the base of its kind or lacks a required method, or `metrics` is no
            tuple of `Metric`.
        """
        owner = f"{self.kind} '{name}'"
        check_class(owner, entry)
        has_fields = dataclasses.is_dataclass(entry)
        if not has_fields:
            raise ValueError(f"{owner}: {entry.__name__} must be a dataclass")
        if self._base is not None and not issubclass(entry, self._base):
            raise TypeError(f"{owner}: {entry.__name__} {self._without}")
        if name == "none":
            raise ValueError(f"{owner}: 'none' chooses no {self.kind}; choose another name")
        if not _is_text(name):
            raise ValueError(f"{owner}: YAML reads '{name}' as a number, a truth value or null; choose another name")
        _check_parameters(owner, self.kind, entry)
        _check_metrics(owner, entry)
        _check_methods(owner, entry)
        known = self._entries.get((domain, name))
        if known is not None and known.__module__ != entry.__module__ and not (is_own(known) or is_own(entry)):
            self._enter(f"{known.__module__}.{name}", self._entries.pop((domain, name)), domain)
        is_shared = any((domain, f"{each.__module__}.{name}") == key for key, each in self._entries.items())
        self._enter(f"{entry.__module__}.{name}" if is_shared else name, entry, domain)

    def _enter(self, name: str, entry: Any, domain: str | None) -> None:
        super().add(name, entry, domain=domain)
        entry.registered_name = name
        others: list[Any] = [] if is_own(entry) else [each for (of, _), each in self._entries.items() if of == domain]
        for each in others:  # they build on what their own module registers
            own = {below: f"{each.__module__}.{below}" for below in getattr(each, "builds_on", ())}
            if any((domain, key) in self._entries for key in own.values()):
                each.builds_on = tuple(key if (domain, key) in self._entries else below for below, key in own.items())

    def build(self, name: str, parameters: Mapping[str, Any], *, domain: str | None = None, where: str = "") -> P:
        """Make an entry from its name and parameters.

        Parameters
        ----------
        where : str
            Key of the parameters in the configuration, for error messages; default: the kind.

        Raises
        ------
        UserError
            For an unknown name, an unknown parameter, or a value of the wrong type or range.
        """
        cls = self.find(name, domain=domain, where=where)
        return convert(cls, parameters, where=where or self.kind, owner=f"{self.kind} '{name}'")


def is_own(entry: type) -> bool:
    """Return whether a class is ours."""
    return is_own_module(entry.__module__)


def _is_text(name: str) -> bool:
    """Return whether a configuration can choose a name: YAML and Hydra read it as text."""
    with suppress(ValueError):
        float(name)  # also nan and inf
        return False
    return name.lower() not in ("null", "true", "false")


def _check_methods(owner: str, entry: type) -> None:
    """Raise `TypeError` if the class lacks a required method."""
    own = [each for base in entry.__mro__ if base.__module__.partition(".")[0] not in PACKAGES for each in vars(base)]
    for missing in sorted(getattr(entry, "__abstractmethods__", ())):
        hint = "".join(f"; is '{near}' misspelt?" for near in difflib.get_close_matches(missing, own, n=1))
        raise TypeError(f"{owner}: {entry.__name__} needs the method {missing}{hint}")


def _check_parameters(owner: str, kind: str, entry: type) -> None:
    """Raise `ValueError` if a parameter has a name that another use would overwrite."""
    keys = ("name", "stack", "combine") if kind == "heuristic" else ("name",)
    bases = [base for base in entry.__mro__[1:] if base.__module__.partition(".")[0] in PACKAGES]
    for yaml, each in fields_of(entry).items():
        if yaml in keys:
            raise ValueError(f"{owner}: the parameter '{each.name}' is a key of every {kind}; choose another")
        if any(_takes(base, each.name) for base in bases):
            raise ValueError(
                f"{owner}: the parameter '{each.name}' is a name of {bases[0].__name__}; choose another, or "
                f"write '{each.name}_', which is '{each.name}' in YAML"
            )


def _takes(base: type, name: str) -> bool:
    """Return whether a base class has an attribute or method that a field must not replace.

    A field may replace an attribute that the base class annotates as one of its instances.
    """
    is_of_instances = not str(inspect.get_annotations(base).get(name, "ClassVar")).startswith("ClassVar")
    return name in vars(base) and not is_of_instances


def _check_metrics(owner: str, entry: type) -> None:
    metrics = getattr(entry, "metrics", ())
    is_list = isinstance(metrics, (tuple, list)) and all(isinstance(each, Metric) for each in metrics)
    if not is_list and not isinstance(metrics, property):
        comma = "; is a comma missing, as in (Metric(...),)?" if isinstance(metrics, Metric) else f", got {metrics!r}"
        raise TypeError(f"{owner}: metrics: expected a tuple of Metric{comma}")
