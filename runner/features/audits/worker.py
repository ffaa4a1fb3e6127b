"""Audits in a worker process, which the limit of time and signals end even if a heuristic never returns."""

from __future__ import annotations

from functools import partial

from algorithms.engine import Limits
from runner.base import PluginError, UserError, message
from runner.cli import TerminalProgress
from runner.execution import Stop, Supervision, WorkerLost, supervised
from runner.features.audits.audit_progress import SIMPLIFYING, Watcher
from runner.features.audits.auditor import run
from runner.features.audits.finding import Audit, Counterexample
from runner.features.audits.request import AuditRequest
from runner.features.audits.vertex_cover import vertex_covers


def supervise(
    request: AuditRequest, workers: int, stop: Stop, progress: TerminalProgress | None = None
) -> Audit[Counterexample] | None:
    """Audit in a worker process.

    Parameters
    ----------
    workers : int
        0 audits in this process.
    stop : Stop
        Signals, to which this function listens. A signal ends the audit, which then has what has been found so far.

    Returns
    -------
    Audit or None
        None if the worker did not stop within five seconds after a signal, and was killed.

    Raises
    ------
    UserError, PluginError
        As `runner.features.audits.auditor.run`, and if the worker exceeds the limit of time, or dies.
    """
    limits = Limits(time=request.limits.time)
    try:
        return supervised(partial(_audit, request), limits, stop, message, progress, workers=workers)
    except WorkerLost as lost:
        raise _explained(lost, request) from None


def _explained(lost: WorkerLost, request: AuditRequest) -> UserError:
    try:
        title = str(lost.state.columns["instance"])
    except ValueError:  # it died while it wrote them
        title = request.world
    if lost.ended_at is None:
        return UserError(f"{title}: the worker process of the audit ended ({lost.reason})")
    took = f"more than {request.limits.time:g} s (limits.time), without a return from the heuristic or the world"
    remedy = "audit.shrink=false" if title.startswith(SIMPLIFYING) else "smaller instances"
    return UserError(f"{title}: {took}; choose {remedy}")


def _audit(request: AuditRequest, supervision: Supervision) -> Audit[Counterexample]:
    try:
        audit = vertex_covers if request.vertex_cover else run
        return audit(request, Watcher(supervision))
    except (UserError, KeyboardInterrupt):
        raise
    except BaseException as error:  # of the source of the instances, which may be the user's
        raise PluginError(f"{request.world}: cannot be audited", error) from None
