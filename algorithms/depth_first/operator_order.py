"""Order in which depth-first searches visit the children of a node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from algorithms.interface import Algorithm, SearchAlgorithm
from heuristics.interface import Weighting
from runner.base import Incompatible, UserError, suggest
from worlds.interface import Instance, Problem, Seed, World, generator_of

_MAX_NAMES = 40
"""Largest number of actions in a message."""


@dataclass(frozen=True)
class OrderedChildren(SearchAlgorithm):
    """Base of depth-first searches: the order in which they visit the children of a node.

    Attributes
    ----------
    operator_order : list of str, "random" or None
        Names of actions in the order in which the children of a node are visited, such as [right, left]; all others
        follow in the order of the world. "random": an order that is drawn once, the same at every node (in worlds in
        plain Python, an order of the places in the list of successors). None: the order of the world.
    seed : int
        Seed of the random order.
    """

    operator_order: str | list[str | int] | None = field(default=None, kw_only=True)
    seed: Seed = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        if isinstance(self.operator_order, str) and self.operator_order != "random":
            raise UserError(
                "algorithm.operator_order: expected random, or a list of actions in brackets, got "
                f"'{self.operator_order[:40]}'"
            )

    def effective(self, weighting: Weighting | None) -> tuple[Algorithm, Weighting | None]:
        """Return the algorithm without a seed if nothing is random, and with each action named once."""
        order = self.operator_order
        if isinstance(order, list):
            order = [*dict.fromkeys(map(str, order))]
        return replace(self, operator_order=order or None, seed=self.seed if order == "random" else 0), weighting

    def check(self, instance: Instance) -> None:
        """Refuse an order of names that the world does not have."""
        super().check(instance)
        if isinstance(self.operator_order, list):
            list(_codes(instance.world, self.operator_order))

    def ranks(self, problem: Problem) -> tuple[int, ...]:
        """Return the rank of each action code in the order; none without an order."""
        actions, order = problem.action_lengths.size, self.operator_order
        if not order:
            return ()
        if isinstance(order, list):
            codes = [*dict.fromkeys([*_codes(problem.world, order), *range(actions)])]
        else:
            codes = np.argsort(generator_of(self.seed).random(actions), kind="stable").tolist()
        return tuple(np.argsort(codes).tolist())


def _codes(world: World, order: Sequence[str | int]) -> Iterator[int]:
    """Yield the action codes of some names."""
    kernels = world.kernels
    if kernels is None:
        raise Incompatible(
            f"algorithm.operator_order: actions in {world.domain} are not known before the search; expected random"
        )
    names = [name if isinstance(name, str) else " ".join(name) for name in kernels.action_names()]
    for name in map(str, order):
        if name not in names:
            raise UserError(f"algorithm.operator_order: '{name[:40]}' is no action{suggest(name, names[:_MAX_NAMES])}")
        yield names.index(name)
