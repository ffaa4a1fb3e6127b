"""Vertex covers: how many expansions below the optimal cost any front-to-end search of each instance needs."""

from __future__ import annotations

from contextlib import ExitStack, suppress

from algorithms.bidirectional.must_expand import vertex_cover
from algorithms.engine import Limiter
from runner.base import SOLVED, plural
from runner.execution import Solver, Stopped
from runner.features.audits.audit_progress import Watcher, plugin_errors
from runner.features.audits.finding import Audit, Counterexample, RecordedCover, Statistic
from runner.features.audits.request import AuditRequest
from worlds.interface import Unsolvable


def vertex_covers(request: AuditRequest, watcher: Watcher) -> Audit[Counterexample]:
    """Return the minimum vertex cover of each instance, and how many nodes the algorithm expands."""
    found: list[RecordedCover] = []
    left_out = 0
    solver = None
    if request.algorithm is not None:
        solver = Solver(request.algorithm, request.stack, request.weighting, request.limits, request.declared)
    with ExitStack() as sessions, suppress(Stopped):
        if solver is not None:
            sessions.callback(solver.close)
        for instance in request.instances:
            watcher.start(instance.id)
            watcher.limit()
            with plugin_errors(instance):
                cover = None
                with suppress(Unsolvable):
                    stack = request.stack.prepare(instance.problem())
                    cover = vertex_cover(
                        stack, Limiter(request.limits, lambda counts: watcher.explored(counts.peak_nodes))
                    )
            if cover is None:
                left_out += 1
            else:
                result = None if solver is None else solver.attempt(instance).result()
                expanded = result.expanded if result is not None and result.status == SOLVED.name else None
                found.append(
                    RecordedCover(instance.id, float(instance.world.user_cost(cover.cost)), cover.size, expanded)
                )
            watcher.finish()
    sizes, both = [each.vertex_cover for each in found], [each for each in found if each.expanded is not None]
    statistics = [Statistic("mean vertex cover", sum(sizes) / max(1, len(sizes)), sum(sizes), len(sizes))]
    expanded, least = sum(each.expanded or 0 for each in both), sum(each.vertex_cover for each in both)
    if least:
        statistics.append(Statistic("expanded / vertex cover", expanded / least, expanded, len(both)))
    notes = (
        [f"without a vertex cover, because A* found no solution: {plural(left_out, 'instance')}"] if left_out else []
    )
    return Audit(
        request.world, request.subject, request.exhaustive, [], statistics, [*request.notes, *notes], covers=found
    )
