"""Request for an audit, checked before anything is explored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

from algorithms.bidirectional.must_expand import BACKWARD
from algorithms.engine import Limits
from algorithms.interface import PlanningAlgorithm
from algorithms.programs.interface import ExternalPlanner
from heuristics.interface import Stack, Weighting, stack_of_entries
from runner.base import Declared, Incompatible, UserError, assignments, changed_parameters
from runner.config import SearchParts
from worlds.interface import Instance, Source, document_of

ANY_SIZE: Final = "any_size"
Shrink = bool | Literal["any_size"]


@dataclass(frozen=True)
class AuditRequest:
    """Request for an audit.

    Attributes
    ----------
    instances : iterable of Instance
    count : int
        Number of instances.
    world : str
        Name of the instances for tables and messages.
    exhaustive : str or None
        Description of the family, if these are all its instances; None if they are a sample.
    stack : Stack
        Stack of heuristics to audit.
    algorithm : PlanningAlgorithm or None
        Algorithm to audit with the stack; None to audit the stack only.
    weighting : Weighting or None
    others : sequence of Stack
        Stacks with which to compare: the audited stack should be nowhere below them.
    limits : Limits
        `nodes` limits the states of an instance and the expansions of a search, `memory` the bytes and `time` the
        seconds of each exploration and of each search. A program is limited as in a run.
    shrink : bool or "any_size"
        Whether to simplify counterexamples: to instances of the same sizes (`World.dimensions`), or of any size.
    vertex_cover : bool
        Whether to compute vertex covers (`runner.features.audits.vertex_cover`) instead of the checks.
    skip_large : bool
        Whether to leave out instances that exceed a limit, instead of ending the audit with an error.
    declared : Declared
        Metrics and statuses that results of the algorithm may have in addition to the common ones.
    notes : tuple of str
        Notes for the user on settings that have no effect.
    """

    instances: Iterable[Instance]
    count: int
    world: str
    exhaustive: str | None
    stack: Stack
    algorithm: PlanningAlgorithm | None = None
    weighting: Weighting | None = None
    others: Sequence[Stack] = ()
    limits: Limits = field(default_factory=Limits)
    shrink: Shrink = True
    vertex_cover: bool = False
    skip_large: bool = False
    declared: Declared = field(default_factory=Declared)
    notes: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        """Audited stack and algorithm as text."""
        if self.algorithm is None:
            return str(self.stack)
        weight = "" if self.weighting is None else f", {self.weighting}"
        if isinstance(self.algorithm, ExternalPlanner):
            return self.algorithm.title
        return f"{self.algorithm.title} with {self.stack}{weight}"

    def by_hand(self, instance: Instance, folder: Path) -> str | None:
        """Return the command line that starts the audited program for an instance; None without a program.

        Parameters
        ----------
        folder : Path
            Existing folder for the files that the program reads.
        """
        if not isinstance(self.algorithm, ExternalPlanner):
            return None
        return self.algorithm.by_hand(instance, self.limits, folder)


@dataclass(frozen=True)
class AuditOptions:
    """Section `audit` of a configuration."""

    dominates: list[str] = field(default_factory=list)
    shrink: Shrink = True
    vertex_cover: bool = False


def parse(configuration: Mapping[str, Any], options: AuditOptions) -> AuditRequest:
    """Return the request that a configuration and the section of the command describe.

    Raises
    ------
    UserError
        If a value is not valid; the message names the key.
    """
    source, search, limits = SearchParts.configured(configuration)
    others = [stack_of_entries(source.domain, name) for name in dict.fromkeys(options.dominates)]
    return make(source, search, others=others, limits=limits, shrink=options.shrink, vertex_cover=options.vertex_cover)


def make(
    world: Source | Sequence[Instance],
    search: SearchParts,
    *,
    others: Sequence[Stack],
    limits: Limits,
    shrink: Shrink,
    vertex_cover: bool = False,
) -> AuditRequest:
    """Check that the parts are compatible, build the tables of the heuristics, and return the request.

    Raises
    ------
    UserError
        If the parts are not compatible.
    """
    if isinstance(world, Source):
        changed = changed_parameters(world)
        label = world.registered_name + (f"({assignments(changed, ',')})" if changed else "")
        world = world.refusing()
        world.check()
        instances, count, samples = world.instances(), len(world), list(world.samples())
        exhaustive = world.exhaustive
    else:
        instances, count, samples = iter(world), len(world), list(world[:1])
        label, exhaustive = f"{len(world)} instances", None
        if len({instance.world.domain for instance in world}) > 1:
            raise UserError("audit: the instances are of several domains; audit each domain separately")
    if not samples:
        raise UserError("world: there are no instances")
    if search.algorithm is not None and not isinstance(search.algorithm, PlanningAlgorithm):
        raise Incompatible(f"algorithm: {search.algorithm.registered_name} is an agent; only searches are audited")
    if vertex_cover:
        _check_backward_search(search.stack, samples[0])
    search = search.fitted(samples)
    algorithm = search.algorithm
    assert algorithm is None or isinstance(algorithm, PlanningAlgorithm)
    if isinstance(algorithm, ExternalPlanner):
        algorithm.check_limits(replace(limits, nodes=None))  # which limits the states that are explored
    for sample in samples:
        document_of(sample)  # refuses one that no counterexample can have
        for heuristic in (*search.stack.heuristics, *(part for other in others for part in other.heuristics)):
            heuristic.check(sample)
            heuristic.build(sample, lambda *_: None)
    return AuditRequest(
        instances,
        count,
        label,
        exhaustive,
        search.stack,
        algorithm,
        search.weighting,
        others,
        limits,
        shrink,
        vertex_cover,
        declared=search.declared,
        notes=search.notes,
    )


def _check_backward_search(stack: Stack, instance: Instance) -> None:
    """Refuse worlds that cannot be searched from the goals, and heuristics that are not consistent in both directions.

    Raises
    ------
    Incompatible
    """
    SearchParts(BACKWARD, stack, None).fitted([instance])
    if not stack.consistent:
        raise Incompatible(f"audit.vertex_cover: needs a consistent heuristic, and {stack} is not declared consistent")
    stack.check_backward("audit.vertex_cover:")
