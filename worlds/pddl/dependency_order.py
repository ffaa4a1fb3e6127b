"""Order in which definitions are evaluated that depend on each other."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Group(Generic[R]):
    """Rules of what depends on each other, or of one thing.

    Attributes
    ----------
    is_recursive : bool
        Whether the rules must be applied repeatedly, until nothing changes.
    """

    rules: tuple[R, ...]
    is_recursive: bool


def groups(rules: Mapping[T, Sequence[R]], needs: Mapping[T, Collection[T]]) -> list[Group[R]]:
    """Return rules in groups, each after those that it needs.

    Parameters
    ----------
    rules : mapping
        The rules of each thing that is defined.
    needs : mapping
        For each of these things, those that its rules need. Others are ignored.
    """
    return [
        Group(tuple(rule for node in group for rule in rules[node]), is_recursive(group, needs))
        for group in components(needs)
    ]


def components(needs: Mapping[T, Collection[T]]) -> list[list[T]]:
    """Return what depends on each other in groups, each after those that its members need.

    The groups are the strongly connected components. Source: Tarjan, "Depth-first search and linear graph algorithms",
    SIAM Journal on Computing 1, 1972.

    Parameters
    ----------
    needs : dict
        For each node, those that it needs. Nodes that are no key are ignored.

    Examples
    --------
    >>> components({"a": ["b"], "b": ["c"], "c": ["b", "d"], "d": []})
    [['d'], ['c', 'b'], ['a']]
    """
    found: list[list[T]] = []
    numbers: dict[T, int] = {}
    lowest: dict[T, int] = {}
    open_nodes: dict[T, None] = {}
    for root in needs:
        stack = [] if root in numbers else [_opened(root, needs, numbers, lowest, open_nodes)]
        while stack:
            node, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                stack.pop()
                if stack:
                    parent = stack[-1][0]
                    lowest[parent] = min(lowest[parent], lowest[node])
                if lowest[node] == numbers[node]:
                    found.append(_closed(node, open_nodes))
            elif following not in numbers:
                stack.append(_opened(following, needs, numbers, lowest, open_nodes))
            elif following in open_nodes:
                lowest[node] = min(lowest[node], numbers[following])
    return found


def _opened(
    node: T, needs: Mapping[T, Collection[T]], numbers: dict[T, int], lowest: dict[T, int], open_nodes: dict[T, None]
) -> tuple[T, Iterator[T]]:
    """Number a node, and return it with the nodes that it needs."""
    numbers[node] = lowest[node] = len(numbers)
    open_nodes[node] = None
    return node, iter([each for each in needs[node] if each in needs])


def _closed(root: T, open_nodes: dict[T, None]) -> list[T]:
    """Take a component from the open nodes: those from its root on."""
    members: list[T] = []
    while not members or members[-1] != root:
        members.append(open_nodes.popitem()[0])
    return members


def is_recursive(group: Collection[T], needs: Mapping[T, Collection[T]]) -> bool:
    """Return whether members of a component need each other, or themselves."""
    return len(group) > 1 or any(node in needs[node] for node in group)
