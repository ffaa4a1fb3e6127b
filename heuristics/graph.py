"""Heuristic value of each node as its graph gives it."""

from __future__ import annotations

import numpy as np

from heuristics.interface import UNREACHABLE, compiled_heuristic
from worlds.graph import H


@compiled_heuristic("table", domain="graph")
def table(constants, state):
    """Heuristic value that the graph gives for the node, 0 if it gives none.

    It may be inadmissible or inconsistent. An audit tells.
    """
    value = constants[constants[H] + np.int64(state)]
    return value if value >= 0 else UNREACHABLE
