"""Nearest valid names for what people type: other spellings of the field, other letters, ranges. Imports nothing."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

ALIASES = {
    "a": "astar",
    "ida": "idastar",
    "dijkstra": "ucs",
    "uniform_cost": "ucs",
    "breadth_first": "bfs",
    "depth_first": "dfs",
    "iterative_deepening": "ids",
    "iddfs": "ids",
    "branch_and_bound": "dfbnb",
    "budgeted_tree": "bts",
    "best_first": "greedy",
    "greedy_best_first": "greedy",
    "gbfs": "greedy",
    "wastar": "weighted_astar",
    "arastar": "ara",
    "anastar": "ana",
    "dynamic_potential": "dps",
    "explicit_estimation": "ees",
    "astar_epsilon": "focal",
    "jump_point": "jps",
    "iterated_width": "iw",
    "best_first_width": "bfws",
    "lrta": "lss_lrta",
    "lrtastar": "lss_lrta",
    "lss_lrtastar": "lss_lrta",
    "rtaastar": "rtaa",
    "pdb": "pattern_database",
    "timeout": "time",
    "time_limit": "time",
    "node_limit": "nodes",
    "memory_limit": "memory",
}
"""Names that the registry and the limits have under another name. A star is written out, and ``_search`` left out."""

_PREFERRED = ("/static", "/random")
"""Ends of the names of worlds that need no file."""
_RANGE = re.compile(r"(\d{1,9}) ?(?:\.\.\.?|-|:|–) ?(\d{1,9})")


def nearest(name: str, allowed: Iterable[str]) -> list[str]:
    """Return the valid names that a wrong one may stand for: mostly one, for a domain several worlds, or none.

    Examples
    --------
    >>> nearest("IDA*", ["idastar", "ids"]), nearest("wumpus", ["wumpus/file", "wumpus/static", "wumpus/random"])
    (['idastar'], ['wumpus/static', 'wumpus/random'])
    """
    names = {_plain(each): each for each in reversed(list(allowed))}
    plain = _plain(name)
    alias = ALIASES.get(plain.removesuffix("_search"))
    if alias in names:
        return [names[alias]]
    below = [names[each] for each in reversed(names) if plain and each.startswith(f"{plain}/")]
    if below:
        preferred = [each for end in _PREFERRED for each in below if each.endswith(end)]
        return preferred or below
    return [names[each] for each in difflib.get_close_matches(plain, names, n=1, cutoff=0.5)]


def did_you_mean(name: str, allowed: Iterable[str]) -> str:
    """Return the end of a message that names the nearest valid names; empty if there are none."""
    near = " or ".join(f"'{each}'" for each in nearest(name, allowed))
    return f"; did you mean {near}?" if near else ""


def range_hint(where: str, value: object) -> str:
    """Return the end of a message for a text such as ``4..20`` as the value of a key; empty for any other value."""
    found = _RANGE.fullmatch(value) if isinstance(value, str) else None
    return f"; for a range, write '{where}=range({found[1]},{int(found[2]) + 1})' with -m" if found else ""


def _plain(name: str) -> str:
    return name.lower().replace("*", "star").replace("-", "_").replace(" ", "_")
