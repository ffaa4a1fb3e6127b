"""What an algorithm is: a registered dataclass that starts a resumable search."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from algorithms.engine.search import Search
from heuristics.stack import BoundStack, Stack
from heuristics.weighting import Weighting
from worlds.interface import Instance


class Algorithm(ABC):
    """Base of all algorithms. A subclass is a frozen dataclass whose fields are its parameters in YAML.

    Attributes
    ----------
    uses_heuristic : bool
        False: the algorithm ignores heuristics, and runs with an empty stack.
    uses_weighting : bool
        Whether a weighting has a meaning.
    """

    registered_name: ClassVar[str]
    uses_heuristic: ClassVar[bool] = True
    uses_weighting: ClassVar[bool] = False

    @abstractmethod
    def start(self, stack: BoundStack, weighting: Weighting | None) -> Search:
        """Begin a search on the stack's problem."""

    def effective_weighting(self, weighting: Weighting | None) -> Weighting | None:
        """The weighting to use when the configuration chooses this one (or none)."""
        return weighting

    def bound(self, stack: Stack, weighting: Weighting | None) -> float | None:
        """The suboptimality bound that a solution is proven to have (1 = optimal); None if there is none."""
        return None

    def check(self, instance: Instance) -> None:  # noqa: B027
        """Raise `runner.registry.Unsuitable` for an instance that the algorithm cannot search."""
