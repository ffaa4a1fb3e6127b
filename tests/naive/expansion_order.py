"""Cells of a map in the order in which breadth-first search expands them."""

from __future__ import annotations

from collections import deque

from worlds.gridmap import rules
from worlds.gridmap.instance import GridInstance
from worlds.gridmap.rules import Cell


def expansion_order(instance: GridInstance) -> list[Cell]:
    found, waiting, order = {instance.start}, deque([instance.start]), list[Cell]()
    while waiting and (cell := waiting.popleft()) != instance.goal:
        order.append(cell)
        for _, to, _ in rules.successors(instance.grid, cell):
            if to not in found:
                found.add(to)
                waiting.append(to)
    return order
