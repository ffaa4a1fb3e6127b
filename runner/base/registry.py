"""Registry of what a configuration can choose by name.

An entry is a frozen dataclass whose fields are the parameters that YAML may set. A configuration selects names that
code has registered; only `plugins` names modules to import. `worlds`, `heuristics` and `algorithms` own
their registries.
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar, get_args

from runner.base.errors import PACKAGES, ForeignDomain, UserError, suggest
from runner.base.metric import Metric
from runner.base.parameters import convert, fields_of

Kind = Literal["world", "algorithm", "heuristic", "weighting"]
KINDS: tuple[str, ...] = get_args(Kind)


class Registered(Protocol):
    """Class that can be registered; `Registry.register` sets its name."""

    registered_name: ClassVar[str]


T = TypeVar("T", bound=Registered)
Entry = TypeVar("Entry", bound=type[Registered])


class Registry(Generic[T]):
    """Entries of one kind, by domain and name.

    Parameters
    ----------
    kind : str
        Word for an entry in messages. For a `Kind`, also the section of a configuration that chooses it.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._entries: dict[tuple[str | None, str], type[T]] = {}

    def register(self, name: str, *, domain: str | None = None) -> Callable[[Entry], Entry]:
        """Register a dataclass under a name.

        Parameters
        ----------
        name : str
            Name in configurations.
        domain : str, optional
            Domain of a heuristic. Heuristics of several domains may have the same name.

        Raises
        ------
        ValueError
            If the class is not a dataclass, another class has the name, YAML does not read the name as text, or a
            parameter has a name that its base class or YAML uses.
        TypeError
            If the class lacks a required method, or `metrics` is no tuple of `Metric`.
        """

        def add(entry: Entry) -> Entry:
            owner = f"{self.kind} '{name}'"
            has_fields = dataclasses.is_dataclass(entry)
            if not has_fields:
                raise ValueError(f"{owner}: {entry.__name__} must be a dataclass")
            if not _is_text(name):
                raise ValueError(
                    f"{owner}: YAML reads '{name}' as a number, a truth value or null; choose another name"
                )
            _check_parameters(owner, self.kind, entry)
            _check_metrics(owner, entry)
            _check_methods(owner, entry)
            known = self._entries.get((domain, name))
            if known is not None and (known.__module__, known.__qualname__) != (entry.__module__, entry.__qualname__):
                raise ValueError(f"{owner} is registered already, by {known.__module__}.{known.__qualname__}")
            added: Any = entry
            self._entries[domain, name] = added
            entry.registered_name = name
            return entry

        return add

    def names(self, *, domain: str | None = None) -> list[str]:
        """Return the names of a domain, in the order of registration."""
        return [name for owner, name in self._entries if owner == domain]

    def domains(self, name: str) -> list[str]:
        """Return the domains that have an entry of this name."""
        return [owner for owner, each in self._entries if each == name and owner is not None]

    def entries(self) -> list[tuple[str | None, str, type[T]]]:
        """Return the domain, name and class of each entry, in the order of registration."""
        return [(domain, name, entry) for (domain, name), entry in self._entries.items()]

    def find(self, name: str, *, domain: str | None = None, where: str = "") -> type[T]:
        """Return the class that is registered under a name.

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
            If no entry has the name.
        """
        entry = self._entries.get((domain, name))
        if entry is not None:
            return entry
        elsewhere = self.domains(name)
        owner = f"{domain} has no {self.kind}" if domain else f"there is no {self.kind}"
        message = f"{where or self.kind}: {owner} '{name}'"
        if elsewhere:
            message += f" (it belongs to {', '.join(elsewhere)})"
        message += suggest(name, self.names(domain=domain))
        raise (ForeignDomain if elsewhere else UserError)(message)

    def build(self, name: str, parameters: Mapping[str, Any], *, domain: str | None = None, where: str = "") -> T:
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
