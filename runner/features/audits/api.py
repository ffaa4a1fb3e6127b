"""Function `runner.audit`, for notebooks, scripts and the tests of plug-ins."""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from algorithms.engine import Limits
from heuristics.interface import Entries, Stack, stack_of_entries
from runner.base import UserError
from runner.config import SearchParts, load_plugins, source_of
from runner.execution import Stop, Supervision
from runner.features.audits.audit_progress import Watcher
from runner.features.audits.auditor import run
from runner.features.audits.finding import Audit, Counterexample
from runner.features.audits.request import Shrink, make
from runner.features.audits.worker import supervise
from worlds.interface import Instance, Source, checked_instance

DEFAULT_LIMITS = {"nodes": 10_000_000, "memory": "4GiB"}
"""The same limits as in features/audits/conf/audit.yaml."""


def audit(
    world: str | Source | Instance | Sequence[Instance],
    heuristic: Entries = (),
    algorithm: str | Mapping[str, Any] | None = None,
    weighting: float | str | Mapping[str, Any] | None = None,
    *,
    combine: str | Mapping[str, Any] = "sum",
    dominates: str | Sequence[str] = (),
    limits: Mapping[str, Any] | None = None,
    shrink: Shrink = True,
    vertex_cover: bool = False,
    workers: int = 1,
    **parameters: Any,
) -> Audit[Counterexample]:
    """Audit a heuristic, or an algorithm with it, in all states of some instances.

    Parameters
    ----------
    world : str, Source, Instance, or sequence of Instance
        Name of a registered source, a source (a world in plain Python is one), or instances of one domain.
    heuristic, algorithm, weighting, combine, limits
        As for `runner.solve`. `limits` apply to each instance: `nodes` to its states (default 10 million), `memory` to
        the bytes of its state space (default 4 GiB), `time` to its analysis and to its search (default none).
    dominates : str or sequence of str
        Names of other heuristics. The check: the audited heuristic is nowhere below them.
    shrink : bool or "any_size"
        Whether to simplify counterexamples: to sizes that the instances have, or to any size.
    vertex_cover : bool
        Compute, instead of the checks, the least number of expansions below the optimal cost that any front-to-end
        search needs under the consistent heuristic: `covers`, and with an algorithm `expanded / vertex cover`.
    workers : int
        0 audits in this process, for debuggers. Otherwise a worker process does, which the limit of time can end.
    **parameters
        Parameters of the source if `world` is a name.

    Returns
    -------
    Audit
        `findings` has the result of each check, `violated` the names of the violated checks, `broken` those whose
        property is declared, and `counterexamples` one for each violated check.

    Raises
    ------
    runner.UserError
        If the request is not valid, or if an instance exceeds a limit.
    """
    load_plugins()
    if parameters and not isinstance(world, str):
        raise UserError(f"audit: {', '.join(parameters)}: only a source given by name takes parameters")
    source = source_of({"name": world, **parameters}) if isinstance(world, str) else world
    if isinstance(source, Instance):
        source = [source]
    if not isinstance(source, (Source, list, tuple)):
        checked_instance(source)
    if isinstance(source, Source):
        source = source.refusing()
    sample = next(iter(source.samples() if isinstance(source, Source) else source), None)
    if sample is None:
        raise UserError("world: there are no instances")
    names = [dominates] if isinstance(dominates, str) else dominates
    request = make(
        source,
        SearchParts.of(sample.world.domain, algorithm, heuristic, weighting, combine, needs_algorithm=False),
        others=[stack_of_entries(sample.world.domain, name) for name in names],
        limits=Limits.of({**DEFAULT_LIMITS, **(limits or {})}),
        shrink=shrink,
        vertex_cover=vertex_cover,
    )
    stop = Stop(second=signal.default_int_handler)
    found = supervise(request, workers, stop)
    if found is None or stop.requested:
        raise KeyboardInterrupt
    return found


def audit_stack(
    instances: Sequence[Instance], stack: Stack, limits: Limits, supervision: Supervision
) -> Audit[Counterexample]:
    """Audit a stack in this process, which is supervised. Instances that exceed a limit are left out.

    Raises
    ------
    runner.UserError
        If the stack does not fit, or its code raises an exception.
    """
    request = make(instances, SearchParts(None, stack, None), others=(), limits=limits, shrink=False)
    return run(replace(request, skip_large=True), Watcher(supervision))
