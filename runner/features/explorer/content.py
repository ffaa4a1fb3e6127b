"""Content of the explorer's page: recorded searches as arrays and texts, compressed into one block."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.spaces import INFINITY
from runner.base import scalar_text
from runner.features.explorer.history import History, Integers, history_of
from runner.features.explorer.recorder import LABELS, Recording, SearchRecorder
from runner.features.explorer.scene import RAMP, Scene, positions_of, scene_of, tree_of
from runner.features.explorer.values import Values, values_of
from worlds.interface import Instance

MAX_STEPS, MAX_NODES = 100_000, 200_000
"""Number of expansions and of nodes up to which a page shows a search. Of a longer one it shows the beginning."""
MAX_BYTES = 4_900_000
"""Maximum number of bytes of the content of a page. Both numbers are halved until it fits."""
MAX_TEXT_BYTES = 1_200_000
"""Maximum number of bytes of all texts of states, compressed. States beyond have no text."""
DEAD_END = -2
"""Code of an infinite h or h_star on the page. An unknown h_star is `runner.features.explorer.values.UNKNOWN`."""
GOAL, BACKWARD, INCONSISTENT, OVERESTIMATED = 1, 2, 4, 8
_LEAST_STEPS = 1_000
COUNTS = ("expanded", "generated", "evaluated", "reopened", "iterations", "peak_nodes")


class Texts:
    """Texts of states, each once, up to a total size after compression."""

    def __init__(self) -> None:
        self.list: list[str] = []
        self._numbers: dict[str, int] = {}
        self._compressor, self._size = zlib.compressobj(6), 0

    def number(self, text: str) -> int:
        """Return the number of a text; -1 if there is no room for it."""
        found = self._numbers.get(text)
        if found is not None:
            return found
        if self._size > MAX_TEXT_BYTES:
            return -1
        self._size += len(self._compressor.compress(text.encode()))
        self._numbers[text] = len(self.list)
        self.list.append(text)
        return self._numbers[text]


def page_data(
    instance: Instance, recordings: Sequence[Recording], max_states: int, watch: Callable[[int], None] | None = None
) -> str:
    """Return everything that the page shows, as text in base 64.

    It decodes to zlib data: a 32-bit length, so many bytes of JSON, and the arrays that the JSON lists.

    Parameters
    ----------
    max_states : int
        Number of states up to which h_star is computed.
    watch : callable, optional
        Called during long computations with the number of states so far.
    """
    searches = [_Search.of(recording, max_states, watch) for recording in recordings]
    max_steps, max_nodes = MAX_STEPS, MAX_NODES
    while True:
        data = _encoded(instance, [search.within(max_steps, max_nodes) for search in searches])
        if len(data) <= MAX_BYTES or max_steps <= _LEAST_STEPS:
            return data
        max_steps, max_nodes = max_steps // 2, max_nodes // 2


def _encoded(instance: Instance, searches: Sequence[_Search]) -> str:
    texts, arrays = Texts(), _Arrays()
    runs = [_run(search, texts, arrays) for search in searches]
    scene = _scene(instance, searches, runs, arrays)
    content = {
        "world": instance.source,
        "instance": instance.id,
        "scale": instance.world.engine_scale,
        "scene": None if scene is None else vars(scene),
        "ramp": RAMP,
        "texts": texts.list,
        "runs": runs,
        "arrays": arrays.index,
    }
    header = json.dumps(content).encode()
    data = len(header).to_bytes(4, "little") + header + b"".join(arrays.blocks)
    return base64.b64encode(zlib.compress(data, 9)).decode()


@dataclass(frozen=True)
class _Search:
    """A recording with everything that follows from it, and the beginning that the page shows."""

    recording: Recording
    values: Values
    history: History
    plan: list[int]
    shown: History

    @classmethod
    def of(cls, recording: Recording, max_states: int, watch: Callable[[int], None] | None) -> _Search:
        """Compute everything."""
        values, history = values_of(recording, max_states, watch), history_of(recording)
        return cls(recording, values, history, recording.plan_nodes(), history)

    def within(self, max_steps: int, max_nodes: int) -> _Search:
        """Return the part of the search that the page shows. Only a whole search has a plan."""
        shown = self.history.beginning(max_steps, max_nodes)
        return replace(self, shown=shown, plan=self.plan if shown is self.history else [])

    def positions(self) -> NDArray[np.float64] | None:
        """Return the positions of the states that the page shows; None unless all have one."""
        return self.recording.positions(len(self.shown.first_parent))

    def unseen_positions(self) -> NDArray[np.float64]:
        """Return the positions of the reachable states that the search never generated; empty without positions."""
        problem = self.recording.recorder.problem
        if problem is None:
            return np.empty((0, 2))
        states = map(problem.unpack, self.values.unseen.reshape(-1, problem.initial.size))
        found = positions_of(self.recording.instance, states)
        return np.empty((0, 2)) if found is None else found


class _Arrays:
    """Arrays of 32-bit numbers. The bytes of equal significance stand together, which compresses well."""

    def __init__(self) -> None:
        self.index: list[tuple[str, int]] = []
        self.blocks: list[bytes] = []

    def add(self, values: Any, kind: str = "int32") -> int:
        """Add an array and return its number."""
        array = np.ascontiguousarray(values, np.dtype(kind).newbyteorder("<"))
        self.index.append((kind, len(array)))
        self.blocks.append(array.view(np.uint8).reshape(-1, 4).T.tobytes())
        return len(self.index) - 1


def _run(search: _Search, texts: Texts, arrays: _Arrays) -> dict[str, Any]:
    """Return one search as JSON-compatible values, and add its arrays."""
    recording, values, history, shown = search.recording, search.values, search.history, search.shown
    record, found, nodes = recording.recorder, recording.found, slice(len(shown.first_parent))
    tree = tree_of(shown.first_parent)
    text = arrays.add(list(map(texts.number, recording.texts(nodes.stop))))
    order = recording.order
    learned, changes = values.learned, values.learned.first[len(shown.expanded)]
    reopened = np.zeros(len(record.states), np.int64)
    np.add.at(reopened, history.expanded[history.is_reopened], 1)
    return {
        **_labels(search, texts, arrays),
        "name": recording.name,
        "status": recording.status,
        "reason": found.get("reason") or found.get("error"),
        "cost": found.get("cost"),
        "length": found.get("length"),
        "counts": {name: found[name] for name in COUNTS if found.get(name) is not None},
        "states": len(record.states),
        "expansions": len(record.expanded),
        "reachable": values.reachable,
        "neverGenerated": None if values.reachable is None else len(values.unseen) // record.words().shape[1],
        "neverExpanded": int(len(record.states) - len(np.unique(history.expanded))),
        "overestimates": None if values.h_star is None else int(values.overestimates.sum()),
        "inconsistent": int(values.inconsistent.sum()),
        "reopenedNodes": int((reopened > 0).sum()),
        "watchesSearch": recording.watches_search,
        "hasHeuristic": bool(recording.stack.heuristics),
        "order": str(order),
        "openOrder": order.first,
        "formula": None if order.formula is None else vars(order.formula),
        "depthFirst": record.keeps == "last",
        "plan": search.plan,
        "expanded": arrays.add(shown.expanded),
        "first": arrays.add(shown.first),
        "node": arrays.add(shown.node),
        "parent": arrays.add(shown.parent),
        "g": arrays.add(shown.g),
        "starts": arrays.add(shown.starts),
        "isOpen": arrays.add(shown.is_open),
        "isClosed": arrays.add(shown.is_closed),
        "isSeen": arrays.add(shown.is_seen),
        "isReopened": arrays.add(shown.is_reopened),
        "firstParent": arrays.add(shown.first_parent),
        "treeX": arrays.add(tree.x, "float32"),
        "level": arrays.add(tree.level),
        "leaves": tree.leaves,
        "levels": tree.levels,
        "h": arrays.add(_coded(values.h[nodes])),
        "hasLearned": bool(len(learned.node)),
        "learnedFirst": arrays.add(learned.first[: len(shown.expanded) + 1]),
        "learnedNode": arrays.add(learned.node[:changes]),
        "learnedH": arrays.add(_coded(learned.h[:changes])),
        "hStar": None if values.h_star is None else arrays.add(_coded(values.h_star[nodes])),
        "flags": arrays.add(_flags(record, values)[nodes]),
        "hasH": values.has_h,
        "text": text,
        "details": text if values.has_h else arrays.add(list(map(texts.number, recording.details(nodes.stop)))),
    }


def _labels(search: _Search, texts: Texts, arrays: _Arrays) -> dict[str, Any]:
    """Return the labels of a search for a set of plans: their costs, with each expansion and those of the plans."""
    record, plans = search.recording.recorder, search.recording.found.get("plans", ())
    cost = search.recording.instance.world.user_cost
    if record.keeps != LABELS:
        return {}
    of_paths = [costs or (cost(g),) for costs, g in zip(record.costs, record.g, strict=True)]
    of_steps = [texts.number(_costs_text(costs)) for costs in of_paths[: len(search.shown.expanded)]]
    return {
        "labels": arrays.add(of_steps),
        "labelName": "labels" if any(record.costs) else "paths",
        "mostLabels": int(np.bincount(search.history.expanded, minlength=1).max()),
        "solutions": [_costs_text(plan.costs) for plan in plans],
    }


def _costs_text(costs: Sequence[float]) -> str:
    text = ", ".join(map(scalar_text, costs))
    return text if len(costs) == 1 else f"({text})"


def _coded(values: Integers) -> Integers:
    return np.where(values >= INFINITY, DEAD_END, values)


def _flags(record: SearchRecorder, values: Values) -> Integers:
    flags = GOAL * values.goal | BACKWARD * np.array(record.backward, np.int64)
    return flags | INCONSISTENT * values.inconsistent | OVERESTIMATED * values.overestimates


def _scene(
    instance: Instance, searches: Sequence[_Search], runs: Sequence[dict[str, Any]], arrays: _Arrays
) -> Scene | None:
    """Return the scene if all states have positions, and add the places of the nodes to the runs.

    Each position that occurs is a place. `places` has the coordinates of all places, `place` the place of each node,
    and `unseenPlaces` those places where the search has generated no state.
    """
    positions = [found for search in searches if (found := search.positions()) is not None]
    if len(positions) < len(searches) or not any(map(len, positions)):
        return None
    everything = [*positions, *(search.unseen_positions() for search in searches)]
    places, place = np.unique(np.concatenate(everything), axis=0, return_inverse=True)
    parts = np.split(place.reshape(-1), np.cumsum(list(map(len, everything)))[:-1])
    numbers = arrays.add(places[:, 0], "float32"), arrays.add(places[:, 1], "float32")
    for run, own, never in zip(runs, parts, parts[len(runs) :], strict=False):
        run["places"] = numbers
        run["place"] = arrays.add(own)
        run["unseenPlaces"] = arrays.add(np.setdiff1d(never, own))
    return scene_of(instance, places)
