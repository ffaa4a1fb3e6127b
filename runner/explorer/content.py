"""Content of the explorer's page: recorded searches as arrays and texts, compressed into one block."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.engine.distances import INFINITY
from runner.explorer.history import Integers, history_of
from runner.explorer.recorder import Recorder, Recording
from runner.explorer.sampling import sample
from runner.explorer.scene import Scene, positions_of, scene_of
from runner.explorer.values import Values, priority_of, values_of
from worlds.interface import Instance, Words

MAX_TEXT_BYTES = 1_200_000
"""Maximum number of bytes of all texts of states, compressed. States beyond have no text."""
DEAD_END = -2
"""Code of an infinite h or h_star on the page. An unknown h_star is `runner.explorer.values.UNKNOWN`."""
GOAL, BACKWARD, INCONSISTENT, OVERESTIMATED = 1, 2, 4, 8
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
    texts, arrays = Texts(), _Arrays()
    runs = [_run(recording, max_states, texts, arrays, watch) for recording in recordings]
    scene = _scene(instance, runs, arrays)
    content = {
        "world": instance.world,
        "instance": instance.id,
        "scale": instance.cost_scale,
        "scene": None if scene is None else vars(scene),
        "texts": texts.list,
        "runs": runs,
        "arrays": arrays.index,
    }
    header = json.dumps(content).encode()
    data = len(header).to_bytes(4, "little") + header + b"".join(arrays.blocks)
    return base64.b64encode(zlib.compress(data, 9)).decode()


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


def _run(
    recording: Recording, max_states: int, texts: Texts, arrays: _Arrays, watch: Callable[[int], None] | None
) -> dict[str, Any]:
    """Return one search as JSON-compatible values, and add its arrays."""
    record, found = recording.recorder, recording.found
    values = values_of(recording, max_states, watch)
    history = history_of(record, reopens=bool(found.get("reopened")))
    plan = recording.plan_nodes()
    shown = sample(history, plan)
    changes = shown.history
    number = {int(node): index for index, node in enumerate(shown.nodes)}
    priority = priority_of(recording.algorithm, recording.weighting)
    reopened = np.zeros(len(record.states), np.int64)
    np.add.at(reopened, history.expanded[history.is_reopened], 1)
    return {
        "name": recording.name,
        "status": recording.status,
        "reason": found.get("reason"),
        "cost": found.get("cost"),
        "length": found.get("length"),
        "counts": {name: found[name] for name in COUNTS if found.get(name) is not None},
        "states": len(record.states),
        "expansions": len(record.expanded),
        "reachable": values.reachable,
        "neverGenerated": None if values.reachable is None else len(values.unseen) // _words(record),
        "neverExpanded": int(len(record.states) - len(np.unique(history.expanded))),
        "overestimates": None if values.h_star is None else int(values.overestimates.sum()),
        "inconsistent": int(values.inconsistent.sum()),
        "reopenedNodes": int((reopened > 0).sum()),
        "hasHeuristic": bool(recording.stack.heuristics),
        "priority": str(priority) if recording.stack.heuristics else "f = g, without a heuristic",
        "ofG": priority.of_g,
        "weights": priority.weights,
        "excess": priority.excess,
        "horizon": priority.horizon,
        "depthFirst": record.depth_first,
        "plan": [number.get(node, -1) for node in plan],
        "steps": arrays.add(shown.steps),
        "expanded": arrays.add(changes.expanded),
        "first": arrays.add(changes.first),
        "node": arrays.add(changes.node),
        "parent": arrays.add(changes.parent),
        "g": arrays.add(changes.g),
        "starts": arrays.add(changes.starts),
        "isOpen": arrays.add(changes.is_open),
        "isClosed": arrays.add(changes.is_closed),
        "isSeen": arrays.add(changes.is_seen),
        "isReopened": arrays.add(changes.is_reopened),
        "firstParent": arrays.add(changes.first_parent),
        "h": arrays.add(_coded(values.h[shown.nodes])),
        "hStar": None if values.h_star is None else arrays.add(_coded(values.h_star[shown.nodes])),
        "flags": arrays.add(_flags(record, values)[shown.nodes]),
        "text": arrays.add([texts.number(recording.instance.show(state)) for state in _unpacked(record, shown.nodes)]),
        "_positions": positions_of(recording.instance, _unpacked(record, shown.nodes)),
        "_unseen": _unseen_positions(recording, values.unseen),
    }


def _words(record: Recorder) -> int:
    return 1 if record.problem is None else record.problem.initial.size


def _unpacked(record: Recorder, nodes: Integers) -> Iterator[Any]:
    """Yield the states of nodes as the world describes them."""
    if record.problem is not None:
        for node in nodes:
            yield record.problem.unpack(np.frombuffer(record.states[node], np.uint64))


def _unseen_positions(recording: Recording, unseen: Words) -> NDArray[np.float64] | None:
    """Return the positions of the reachable states that the search never generated."""
    problem = recording.recorder.problem
    if problem is None:
        return None
    return positions_of(recording.instance, map(problem.unpack, unseen.reshape(-1, problem.initial.size)))


def _coded(values: Integers) -> Integers:
    return np.where(values >= INFINITY, DEAD_END, values)


def _flags(record: Recorder, values: Values) -> Integers:
    flags = np.zeros(len(record.states), np.int64)
    flags[list(record.goals)] |= GOAL
    flags |= BACKWARD * np.frombuffer(record.backward, np.int8)
    return flags | INCONSISTENT * values.inconsistent | OVERESTIMATED * values.overestimates


def _scene(instance: Instance, runs: Sequence[dict[str, Any]], arrays: _Arrays) -> Scene | None:
    """Return the scene if all states have positions, and add the places of the nodes to the runs.

    Each position that occurs is a place. `places` has the coordinates of all places, `place` the place of each node,
    and `unseenPlaces` those places where the search has generated no state.
    """
    positions = [run.pop("_positions") for run in runs]
    unseen = [run.pop("_unseen") for run in runs]
    if any(each is None for each in positions) or not any(len(each) for each in positions):
        return None
    extra = [np.empty((0, 2)) if each is None else each for each in unseen]
    everything = np.concatenate([*positions, *extra])
    places, place = np.unique(everything, axis=0, return_inverse=True)
    parts = np.split(place.reshape(-1), np.cumsum([len(each) for each in (*positions, *extra)])[:-1])
    numbers = arrays.add(places[:, 0], "float32"), arrays.add(places[:, 1], "float32")
    for index, run in enumerate(runs):
        own, never = parts[index], parts[len(runs) + index]
        run["places"] = numbers
        run["place"] = arrays.add(own)
        run["unseenPlaces"] = arrays.add(np.setdiff1d(never, own))
    return scene_of(instance, places)
