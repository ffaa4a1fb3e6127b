"""Check worlds: run all checks on some instances, and collect their findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from runner.base.errors import UserError, error_text, own_traceback
from runner.base.messages import plural
from runner.config import sections
from runner.features.audits.finding import Counterexample, Finding, Findings
from runner.features.audits.world_checks import CHECKS, NotApplicable, Sample, Violation
from runner.plugin import load_plugins
from worlds.interface import Instance
from worlds.sources import Source

PACKING = "packing and expanding"
"""Check that an instance can be packed and its states can be expanded. The other checks need it."""

INSTANCES, STATES, EXPANSIONS = 3, 500, 50_000
"""Maximum number of checked instances, of checked states per instance, and of expansions to find a goal."""


class WorldError(UserError):
    """Violation of a check by a world. The message names the check, the instance and a state."""


def check_world(
    world: str | Source | Instance,
    *,
    instances: int = INSTANCES,
    states: int = STATES,
    expansions: int = EXPANSIONS,
    **parameters: Any,
) -> Findings:
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
    Findings
        What each check has looked at, or why it does not apply. As text it is a table.

    Raises
    ------
    WorldError
        For the first check that fails.
    """
    load_plugins()
    if isinstance(world, Instance):
        name, chosen = world.id, iter([world])
    else:
        source = sections.source_of({"name": world, **parameters}) if isinstance(world, str) else world
        source = source.refusing()
        source.check()
        name, chosen = source.registered_name, source.instances()
    tallies = _tallies(islice(chosen, instances), states, expansions)
    for tally in tallies:
        for violation, cause in tally.violations:
            raise WorldError(f"check_world: {tally.check}: {violation}") from cause
    found = Findings(name, [tally.finding() for tally in tallies])
    if all(each.outcome == "not checked" for each in found):
        raise WorldError(f"check_world: nothing to check: {found.all[0].verdict}; choose other instances")
    return found


def run_checks(instances: Iterable[Instance], states: int, expansions: int) -> list[Finding[Counterexample]]:
    """Run all checks on instances. The checks after a failure run, too.

    Parameters
    ----------
    states, expansions : int
        Maximum number of checked states per instance, and of expansions to find a goal.
    """
    return [tally.finding() for tally in _tallies(instances, states, expansions)]


@dataclass
class _Tally:
    """Results of one check in several instances: texts, reasons, and violations with their exceptions."""

    check: str
    looked: list[str] = field(default_factory=list)
    states: int = 0
    passed: int = 0
    reasons: list[str] = field(default_factory=list)
    violations: list[tuple[str, Exception | None]] = field(default_factory=list)

    @contextmanager
    def recording(self, instance: Instance) -> Iterator[None]:
        """Note whether the code of a check ends without an exception."""
        try:
            yield
        except NotApplicable as reason:
            self.reasons.append(str(reason))
        except Violation as violation:
            self.violations.append((f"{instance.id}: {violation}", None))
        except Exception as error:  # of the user's world
            self.violations.append((f"{instance.id}: {error_text(error)}", error))
        else:
            self.passed += 1

    def finding(self) -> Finding[Counterexample]:
        """Return the finding. One violation makes the check fail."""
        if self.violations:
            violation, cause = self.violations[0]
            return Finding(self.check, "failed", violation, traceback=own_traceback(cause) if cause else "")
        if not self.passed:
            return Finding(self.check, "not checked", "; ".join(dict.fromkeys(self.reasons)))
        instances = plural(self.passed, "instance")
        looked = ", ".join(dict.fromkeys(self.looked))
        each = "each of " if self.passed > 1 else ""
        detail = f"{looked} of {each}{instances}" if looked else f"{plural(self.states, 'state')} of {instances}"
        rest = f"; not in {len(self.reasons):,}: {', '.join(dict.fromkeys(self.reasons))}" if self.reasons else ""
        return Finding(self.check, "passed", detail + rest, instances=self.passed)


def _tallies(instances: Iterable[Instance], states: int, expansions: int) -> list[_Tally]:
    packing, tallies = _Tally(PACKING), [_Tally(check.__name__) for check in CHECKS]
    for instance in instances:
        sample: Sample | None = None
        with packing.recording(instance):
            sample = Sample.of(instance, states, expansions)
            packing.states += len(sample.states)
        for check, tally in zip(CHECKS, tallies, strict=True):
            with tally.recording(instance):
                if sample is None:
                    raise NotApplicable(packing.reasons[-1] if packing.reasons else f"{PACKING} failed")
                looked = check(sample)
                tally.states += len(sample.states) if looked is None else 0
                tally.looked += [] if looked is None else [looked]
    return [packing, *tallies]
