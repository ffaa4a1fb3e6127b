"""Check worlds: run all checks on some instances, and collect their outcomes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from runner.audits.outcome import NotApplicable, Outcome, Outcomes
from runner.audits.sample import Sample, WorldError
from runner.audits.world_checks import CHECKS
from runner.base.errors import error_text
from runner.base.messages import plural
from runner.config import plugins, sections
from worlds.interface import Instance, Unsolvable
from worlds.sources import Source

PACKING = "packing and expanding"
"""Check that an instance can be packed and its states can be expanded. The other checks need it."""


def check_world(
    world: str | Source | Instance,
    *,
    instances: int = 3,
    states: int = 500,
    expansions: int = 50_000,
    **parameters: Any,
) -> Outcomes:
    """Check that a world keeps its promises to the engine.

    Parameters
    ----------
    world : str, Source or Instance
        Name of a registered source, a source (a world in plain Python is one), or one instance.
    instances, states, expansions : int
        Maximum number of checked instances, of checked states per instance, and of expansions to find a goal.
    **parameters
        Parameters of the source if `world` is a name.

    Returns
    -------
    Outcomes
        What each check has looked at, or why it does not apply. As text it is a table.

    Raises
    ------
    WorldError
        For the first check that fails.
    """
    plugins.load_installed()
    if isinstance(world, Instance):
        name, chosen = world.id, iter([world])
    else:
        source = sections.source_of({"name": world, **parameters}) if isinstance(world, str) else world
        source.check()
        name, chosen = source.registered_name, source.instances()
    found = run_checks(name, islice(chosen, instances), states, expansions)
    for failed in found.failed:
        assert failed.error is not None
        raise failed.error from failed.error.__cause__
    if all(each.verdict == "not checked" for each in found):
        raise WorldError("nothing to check", f"{found.all[0].detail}; choose other instances")
    return found


@dataclass
class _Tally:
    """Outcomes of one check on several instances."""

    looked: list[str] = field(default_factory=list)
    states: int = 0
    passed: int = 0
    reasons: list[str] = field(default_factory=list)
    errors: list[WorldError] = field(default_factory=list)

    def outcome(self, check: str) -> Outcome:
        """Return the outcome. One failure makes the check fail."""
        if self.errors:
            return Outcome(check, "failed", self.errors[0].violation, self.errors[0])
        if not self.passed:
            return Outcome(check, "not checked", "; ".join(dict.fromkeys(self.reasons)))
        instances = plural(self.passed, "instance")
        looked = ", ".join(dict.fromkeys(self.looked))
        each = "each of " if self.passed > 1 else ""
        detail = f"{looked} of {each}{instances}" if looked else f"{plural(self.states, 'state')} of {instances}"
        rest = f"; not in {len(self.reasons):,}: {', '.join(dict.fromkeys(self.reasons))}" if self.reasons else ""
        return Outcome(check, "passed", detail + rest)


def run_checks(subject: str, instances: Iterable[Instance], states: int, expansions: int) -> Outcomes:
    """Run all checks on instances. The checks after a failure run, too.

    Parameters
    ----------
    subject : str
        Name of the instances.
    states, expansions : int
        Maximum number of checked states per instance, and of expansions to find a goal.
    """
    tallies = {PACKING: _Tally(), **{check.__name__: _Tally() for check in CHECKS}}
    for instance in instances:
        sample = _sample(instance, states, expansions, tallies[PACKING])
        for check in CHECKS:
            tally = tallies[check.__name__]
            if sample is None:
                tally.reasons += tallies[PACKING].reasons or [f"{PACKING} failed"]
                continue
            try:
                looked = check(sample)
            except NotApplicable as reason:
                tally.reasons.append(str(reason))
            except Exception as error:
                tally.errors.append(_world_error(check.__name__, instance, error))
            else:
                tally.passed += 1
                tally.states += len(sample.states) if looked is None else 0
                tally.looked += [] if looked is None else [looked]
    return Outcomes(subject, tuple(tally.outcome(name) for name, tally in tallies.items()))


def _sample(instance: Instance, states: int, expansions: int, tally: _Tally) -> Sample | None:
    try:
        sample = Sample.of(instance, states, expansions)
    except Unsolvable:
        tally.reasons.append("the world proves every instance unsolvable")
        return None
    except Exception as error:
        tally.errors.append(_world_error(PACKING, instance, error))
        return None
    tally.passed += 1
    tally.states += len(sample.states)
    return sample


def _world_error(check: str, instance: Instance, error: Exception) -> WorldError:
    """Return the error of a check. An exception of the world becomes its cause."""
    if isinstance(error, WorldError):
        return error
    made = WorldError(check, f"{instance.id}: {error_text(error)}")
    made.__cause__ = error
    return made
