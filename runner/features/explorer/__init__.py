"""Explorer: one page that plays a search, and its trace in other formats.

A search whose `record` is set runs one expansion at a time, and tells each (`Expansion` in
`algorithms.engine.search`): the state, its parent and g from its own nodes, and the successors. Kernels only note which
node they have expanded (`EXPANDED_NODE`). For an algorithm in plain Python, `RecordedProblem` tells what it expands.

`recorder` searches as `runner.execution` does, and numbers the nodes. From the record follow the `history`
(changes of g and parents, open and closed nodes), the `values` (h, h_star), the `scene` (the picture, and where states
are on it), the layout of the tree and the `content` of the page, compressed. On the page, ``player.js`` computes the
nodes at a step, ``views.js`` draws them, and ``controls.js`` reacts to the user. `frames` draws the same with
matplotlib, for animations. A world offers `locate`, `torus_size` and `show`; the labels of its artists are the legend
of the map, and artists with a zorder of 2 or more are drawn above the search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runner.base import lazy_names

if TYPE_CHECKING:
    from runner.features.explorer.plans import RecordedPlan as RecordedPlan

__getattr__ = lazy_names(__name__, {"plans": ("RecordedPlan",)})
