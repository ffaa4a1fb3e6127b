"""Traces of searches as text: JSON lines, and search traces of the visualiser Posthoc.

Source of the second format: Posthoc, https://posthoc.pathfinding.ai/docs/search-trace, version 1.4.0.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from algorithms.spaces import INFINITY
from runner.features.explorer.history import CLOSED, OPEN, History, history_of
from runner.features.explorer.recorder import Recording
from runner.features.explorer.scene import scene_of
from runner.features.explorer.values import Integers, Values, values_of

Watch = Callable[[int], None]
POSTHOC_VERSION = "1.4.0"


def trace_lines(recording: Recording, max_states: int, watch: Watch | None = None) -> Iterator[str]:
    """Yield the lines of a trace: a header, a line for each node, a line for each expansion, and the end.

    Parameters
    ----------
    max_states : int
        Number of states up to which h_star is computed.
    watch : callable, optional
        Called with the number of states during the exploration.
    """
    record, instance, found = recording.recorder, recording.instance, recording.found
    values, history = values_of(recording, max_states, watch), history_of(recording)
    order = recording.order
    cost = instance.world.user_cost

    def h_of(table: Any, node: int) -> float | str | None:
        value = int(table[node])
        return "infinity" if value >= INFINITY else None if value < 0 else cost(value)

    yield _line(
        type="search",
        world=instance.source,
        instance=instance.id,
        algorithm=recording.algorithm.registered_name,
        heuristic=str(recording.stack),
        weighting=None if recording.weighting is None else str(recording.weighting),
        priority=str(order),
    )
    looks = instance.world.looks
    locate = None if looks is None or record.space is not None else looks.locate
    for node, text in enumerate(recording.details(len(record.states))):
        position = None if locate is None else locate(next(record.unpacked([node])))
        line: dict[str, Any] = {"type": "node", "node": node, "state": text}
        if values.has_h:
            line["h"] = h_of(values.h, node)
        if values.h_star is not None:
            line["h_star"] = h_of(values.h_star, node)
        if position is not None:
            line.update(x=position[0], y=position[1])
        flags = {
            "goal": bool(values.goal[node]),
            "backward": bool(record.backward[node]),
            "inconsistent": bool(values.inconsistent[node]),
        }
        yield _line(**line, **{name: True for name, is_true in flags.items() if is_true})
    starts = set(history.starts.tolist())
    iteration, h = 0, values.h.copy()
    for step, node in enumerate(record.expanded):
        iteration += step in starts
        steps = range(record.first[step], record.first[step + 1])
        parent = int(history.expanded_parent[step])
        costs = _costs(recording, values, h, node, int(history.expanded_g[step]))
        learned = values.learned.update(h, step)
        yield _line(
            type="expansion",
            number=step + 1,
            node=node,
            parent=None if parent < 0 else parent,
            **costs,
            **({"costs": record.costs[step]} if record.costs[step] else {}),
            iteration=iteration,
            reopened=bool(history.is_reopened[step]),
            successors=[[record.successor[each], cost(record.cost[each])] for each in steps],
            open=int(history.is_open[step]),
            closed=int(history.is_closed[step]),
            **({"learned": [[each, h_of(h, each)] for each in learned]} if learned else {}),
        )
    counts = {name: found[name] for name in ("expanded", "generated", "evaluated", "reopened") if name in found}
    plan = [None if node < 0 else node for node in recording.plan_nodes()]
    yield _line(type="end", status=recording.status, cost=found.get("cost"), plan=plan, **counts)


def posthoc_lines(recording: Recording, max_states: int, watch: Watch | None = None) -> Iterator[str]:
    """Yield the lines of a search trace of Posthoc: YAML, one event on each line.

    States with positions are drawn as cells of a map, whose y points down. Others have no picture; Posthoc then shows
    the search as a tree.
    """
    record, instance = recording.recorder, recording.instance
    values, history = values_of(recording, max_states, watch), history_of(recording)
    texts = list(recording.details(len(record.states)))
    positions = recording.positions(len(record.states))
    is_map = positions is not None and len(positions) > 0
    if positions is not None and is_map and scene_of(instance, positions).scale[1] < 0:
        positions = positions * (1, -1)
    yield f"version: {POSTHOC_VERSION}"
    if is_map:
        fields = {"$": "rect", "width": 1, "height": 1, "x": "${{ $.x }}", "y": "${{ $.y }}"}
        yield f"views: {json.dumps({'main': [{**fields, 'fill': '${{ color[$.type] }}'}]})}"
        yield f"pivot: {json.dumps({'x': '${{ $.x + 0.5 }}', 'y': '${{ $.y + 0.5 }}', 'scale': 1})}"
    else:
        yield 'views: {"main": []}'
    yield "events:"
    h, step = values.h.copy(), 0
    for kind, node, parent, g in _events(recording, history):
        event = {"type": kind, "id": node, "pId": parent, **_costs(recording, values, h, node, g)}
        if positions is not None and is_map:
            event.update(x=float(positions[node, 0]) - 0.5, y=float(positions[node, 1]) - 0.5)
        if kind in ("source", "generating"):
            event["state"] = texts[node]
        yield f"  - {json.dumps(event)}"
        if kind == "closing":
            values.learned.update(h, step)
            step += 1


def _costs(recording: Recording, values: Values, current_h: Integers, node: int, g: int) -> dict[str, float]:
    """Return g, h and f of a node; no h and f at a dead end, and no f without a formula or if the weight changes."""
    cost, h, formula = recording.instance.world.user_cost, int(current_h[node]), recording.order.formula
    if h >= INFINITY or not values.has_h:
        return {"g": cost(g)}
    f = None if formula is None else formula.f(cost(g), cost(h))
    return {"g": cost(g), "h": cost(h), **({} if f is None else {"f": f})}


def _events(recording: Recording, history: History) -> Iterator[tuple[str, int, int | None, int]]:
    """Yield events (type, node, parent, g)."""
    record = recording.recorder
    if not record.states:
        return
    status = [0] * len(record.states)
    starts = set(history.starts.tolist())
    yield "source", 0, None, 0
    for step, node in enumerate(record.expanded):
        if step in starts:
            status = [0] * len(record.states)
        parent, g = int(history.expanded_parent[step]), int(history.expanded_g[step])
        own = None if parent < 0 else parent
        yield "expanding", node, own, g
        for change in range(history.first[step], history.first[step + 1]):
            child = int(history.node[change])
            if child == node:
                continue
            yield (
                "updating" if status[child] else "generating",
                child,
                int(history.parent[change]),
                int(history.g[change]),
            )
            status[child] = OPEN
        yield "closing", node, own, g
        status[node] = CLOSED
    plan = [node for node in recording.plan_nodes() if node >= 0]
    if plan:
        yield "destination", plan[-1], plan[-2] if len(plan) > 1 else None, 0


def _line(**values: Any) -> str:
    return json.dumps(values, ensure_ascii=False)
