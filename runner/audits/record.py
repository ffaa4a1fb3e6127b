"""Record of an audit: the contents of audit.json, which reports read."""

from __future__ import annotations

from pathlib import Path

import msgspec

from runner.audits import AUDIT, RECORD
from worlds.files import natural_order


class CheckRecord(msgspec.Struct, frozen=True):
    """Result of a check, as in audit.csv.

    Attributes
    ----------
    name, claim, declared, verdict : str
    violations : int
        Number of states, steps or instances that violate the check.
    violating : int
        Number of instances with a violation.
    broken : int
        Number of instances that violate the check although the property is declared.
    instances : int
    states : int or None
        Number of checked states; None if instances are checked.
    steps : int or None
        Number of checked steps; None if states or instances are checked.
    """

    name: str
    claim: str
    declared: str
    verdict: str
    violations: int
    violating: int
    broken: int
    instances: int
    states: int | None = None
    steps: int | None = None


class StatisticRecord(msgspec.Struct, frozen=True):
    """Statistic of a heuristic over states.

    Attributes
    ----------
    name : str
    value : float
    instances, states : int
        Number of instances and states that the value summarises.
    """

    name: str
    value: float
    instances: int
    states: int


class CounterexampleRecord(msgspec.Struct, frozen=True):
    """Counterexample to a check.

    Attributes
    ----------
    check : str
    text : str
        Instance, picture as text, and explanation.
    instance : str or None
        File of the instance, relative to the folder of the audit; None for worlds without files.
    picture : str or None
        SVG file, relative to the folder of the audit; None if the domain has no drawings.
    overrides : str or None
        Overrides that load the instance.
    """

    check: str
    text: str
    instance: str | None = None
    picture: str | None = None
    overrides: str | None = None


class AuditRecord(msgspec.Struct, frozen=True):
    """Audit.

    Attributes
    ----------
    world, subject : str
        Name of the instances, and of the audited stack and algorithm.
    checks : list of CheckRecord
    statistics : list of StatisticRecord
    counterexamples : list of CounterexampleRecord
    notes : list of str
    """

    world: str
    subject: str
    checks: list[CheckRecord]
    statistics: list[StatisticRecord]
    counterexamples: list[CounterexampleRecord]
    notes: list[str]


def audit_folders(folder: Path) -> list[Path]:
    """Return the folders with an audit at or below a folder, in natural order. Old audits have no audit.json."""
    files = [file for name in (RECORD, AUDIT) for file in folder.rglob(name)]
    return sorted({file.parent for file in files}, key=natural_order)
