"""Base of combinations: what computes one value of several heuristics, other than their sum and their maximum."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from heuristics.interface.heuristic import Term
from runner.base import NameTaken, PartRegistry
from worlds.interface import Problem


class Combination(ABC):
    """Base of all combinations of a domain. A subclass is a frozen dataclass whose fields are its parameters in YAML.

    Attributes
    ----------
    admissible, consistent : bool or None
        Properties of the combined value; None if unknown.
    """

    registered_name: ClassVar[str]
    admissible: ClassVar[bool | None] = None
    consistent: ClassVar[bool | None] = None

    @abstractmethod
    def term(self, problem: Problem, abstractions: Sequence[Any]) -> Term:
        """Bind to a prepared problem. `abstractions` are those of all heuristics (`Heuristic.abstractions`)."""


SIMPLE = ("sum", "max")
"""Combinations for heuristics of all domains."""


class _Combinations(PartRegistry[Combination]):
    """Combinations by their domain and name. Those for heuristics of all domains are none of them."""

    def add(self, name: str, entry: Any, *, domain: str | None = None) -> None:
        """Register a dataclass under a name that no combination for all domains has."""
        if name in SIMPLE:
            raise NameTaken(f"combination '{name}' is one for heuristics of all domains; choose another name")
        if domain is None:
            raise ValueError(f"combination '{name}': name the domain of its heuristics, domain=...")
        super().add(name, entry, domain=domain)


COMBINATIONS: PartRegistry[Combination] = _Combinations("combination", Combination)
