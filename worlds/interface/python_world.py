"""The doors for worlds of users: plain Python, and plain Python with kernels. Both are worlds and their own sources."""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

from runner.base import Metric, UserError
from worlds.interface.instance import Instance
from worlds.interface.kernel_check import kernel_mistake
from worlds.interface.real_costs import CostScale
from worlds.interface.series import NumberedSeries, Series
from worlds.interface.sources import Source
from worlds.interface.world import ActionName, Family, Kernels, Looks

_OF_SOURCES = ("instances", "__len__", "check", "series", "samples", "reads_files", "refusing")
"""Methods that a class of the user must not define."""


class PythonWorld(Source, Looks, Family):
    """Base class of worlds in plain Python. A subclass is a frozen dataclass whose fields are its parameters in YAML.

    Three methods are required: `initial`, `successors` and `is_goal`. Everything else is optional (see
    `worlds.interface.world.World`). With the fields `count` and `seed` it has `count` instances, with the seeds `seed`,
    `seed` + 1, ...; else it is one instance. Functions make other instances (`worlds.interface.sources.source`).

    Attributes
    ----------
    max_successors : int
        Upper bound of the number of successors and of predecessors of a state, at most 32,767.
    unit_costs : bool
        Whether every step costs 1.
    cost_scale : int or "auto"
        For costs that are no integers: the number of units of the engine in a cost of 1. The engine rounds costs up to
        its units. "auto" takes the least power of ten that suffices for the costs near the start.
    metrics : tuple of Metric
        Metrics whose values `measured` returns.
    """

    metrics: ClassVar[tuple[Metric, ...]] = ()
    max_successors: ClassVar[int] = 1024
    unit_costs: ClassVar[bool] = False
    cost_scale: ClassVar[CostScale] = 1

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Refuse a class that defines a method of sources, or the field `count` without `seed`.

        Raises
        ------
        TypeError
        """
        super().__init_subclass__(**keywords)
        cls.registered_name = cls.__name__  # until it is registered under another name
        fields = {name for base in cls.__mro__ for name in inspect.get_annotations(base)}
        if "count" in fields and "seed" not in fields:
            raise TypeError(f"{cls.__name__}: count needs the field seed, too; give another parameter another name")
        own = vars(cls).keys() - inspect.get_annotations(cls).keys()
        taken = next((name for name in _OF_SOURCES if name in own), None)
        if taken is not None:
            raise TypeError(
                f"{cls.__name__} must not define {taken}, a method of the base class; its instances come from the "
                "fields count and seed, or from functions (runner.source)"
            )

    @property
    def domain(self) -> str:
        """Name of the world: each one is a domain of its own."""
        return self.registered_name

    @cached_property
    def series(self) -> Series:
        """The instances, made when they are needed."""
        source: Any = self
        return NumberedSeries(self._instance, source.count if self._has_seeds else 1)

    def check(self) -> None:
        """Check that the kernels of a compiled world are kernels.

        Raises
        ------
        UserError
            If a kernel is missing or has another signature, `predecessors_kernel` has no rules, or `cost_scale` is
            no number.
        """
        if (mistake := kernel_mistake(self)) is not None:
            raise UserError(f"world '{self.registered_name}': {mistake}")

    @property
    def _has_seeds(self) -> bool:
        return hasattr(self, "count") and hasattr(self, "seed")

    def _instance(self, number: int) -> Instance:
        world: Any = self
        name = self.registered_name
        if not self._has_seeds:
            return Instance(world, name, getattr(world, "seed", None), name)
        seed = world.seed + number
        return Instance(replace(world, seed=seed, count=1), f"{name}_{seed}", seed, name)


class CompiledWorld(Kernels, PythonWorld):
    """Base class of compiled worlds. A subclass is a frozen dataclass whose fields are its parameters in YAML.

    The rules validate plans, show states and check the kernels. Searches use the kernels only.

    Required are the rules (`initial`, `successors` and `is_goal`), the kernels `expand_kernel` and `goal_kernel`,
    `pack`, `unpack` and `action_names`. All else is optional, as in `PythonWorld`; `predecessors_kernel` needs the
    rules `predecessors` and `goals`. `cost_scale` is the number of units of the kernels' costs in a cost of 1 of the
    rules.

    Attributes
    ----------
    max_successors : int
        Upper bound of the number of successors and of predecessors of a state. 0: the number of actions.
    """

    max_successors: ClassVar[int] = 0

    @abstractmethod
    def action_names(self) -> Sequence[ActionName]: ...
