"""Space of a search whose nodes are no states of the world, such as a tree of constraints, for those who watch it."""

from __future__ import annotations

from abc import ABC, abstractmethod

from worlds.interface import Words


class NodeSpace(ABC):
    """Nodes of a search, each with words of its own, such as its number. `Expansion` then has these words.

    Attributes
    ----------
    initial : ndarray of uint64
        The node with which the search begins.
    """

    initial: Words

    @property
    @abstractmethod
    def solution(self) -> Words | None:
        """The node that has the solution; None without one."""

    @abstractmethod
    def is_goal(self, node: Words) -> bool:
        """Return whether a node has a solution."""

    @abstractmethod
    def show(self, node: Words) -> str:
        """Return a node as a short text for the picture of the tree."""

    def details(self, node: Words) -> str:
        """Return a node as a text for tables, of any length. Default: the short one."""
        return self.show(node)
