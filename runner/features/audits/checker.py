"""Check worlds: run all checks on some instances, and collect their findings."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

from runner.base import UserError
from runner.config import load_plugins, source_of
from runner.features.audits.checks.registration import checks_of
from runner.features.audits.checks.world import PACKING, PACKS, Sample
from runner.features.audits.finding import Counterexample, Finding, Findings
from runner.features.audits.tally import WorldTally
from worlds.interface import Instance, Source, World, checked_instance

INSTANCES, STATES, EXPANSIONS = 3, 500, 50_000
"""Maximum number of checked instances, of checked states per instance, and of expansions to find a goal."""


class WorldError(UserError):
    """Violation of a check by a world. The message names the check, the instance and a state."""


def check_world(
    world: str | Source | World | Instance,
    *,
    instances: int = INSTANCES,
    states: int = STATES,
    expansions: int = EXPANSIONS,
    **parameters: Any,
) -> Findings:
    """Check that a world keeps its promises to the engine.

    Parameters
    ----------
    world : str, Source, World or Instance
        Name of a registered source, a source (a `PythonWorld` is one), one world, or one instance.
    instances, states, expansions : int
        Maximum number of checked instances, of checked states per instance, and of expansions to find a goal.
    **parameters
        Parameters of the source if `world` is a name.

    Returns
    -------
    Findings
        Objects that each check has looked at, or why it does not apply. As text it is a table.

    Raises
    ------
    WorldError
        For the first check that fails.
    """
    load_plugins()
    if isinstance(world, str):
        world = source_of({"name": world, **parameters})
    elif isinstance(world, World) and not isinstance(world, Source):
        world = Instance(world, world.domain)
    if not isinstance(world, Source):
        name, chosen = checked_instance(world).id, iter([world])
    else:
        source = world.refusing()
        source.check()
        name, chosen = source.registered_name, source.instances()
    tallies = _tallies(islice(chosen, instances), states, expansions)
    for tally in tallies:
        if tally.failure:
            raise WorldError(f"check_world: {tally.check.name}: {tally.failure}") from tally.cause
    found = Findings(name, [tally.finding() for tally in tallies])
    if all(each.outcome == "not checked" for each in found):
        raise WorldError(f"check_world: nothing to check: {found.all[0].verdict}; choose other instances")
    return found


def run_checks(
    instances: Iterable[Instance], states: int = STATES, expansions: int = EXPANSIONS
) -> list[Finding[Counterexample]]:
    """Run all checks on instances. The checks after a failure run, too.

    Parameters
    ----------
    states, expansions : int
        Maximum number of checked states per instance, and of expansions to find a goal.
    """
    return [tally.finding() for tally in _tallies(instances, states, expansions)]


def _tallies(instances: Iterable[Instance], states: int, expansions: int) -> list[WorldTally]:
    packing, tallies = WorldTally(PACKS), [WorldTally(check) for check in checks_of("world")]
    for instance in instances:
        sample = Sample(instance, states, expansions)
        packing.add(sample)
        for tally in tallies:
            if sample.is_complete:
                tally.add(sample)
            else:
                tally.reasons.append(packing.reasons[-1] if packing.reasons else f"{PACKING} failed")
    return [packing, *tallies]
