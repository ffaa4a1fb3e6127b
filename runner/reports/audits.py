"""Audits in the folders of a report: a table of the checks, and the counterexamples."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.audits import RECORD
from runner.audits.record import AuditRecord, audit_folders
from runner.base.errors import UserError
from runner.records.reader import read_json
from runner.reports.tables import Table, TableCell
from worlds.files import MAX_BYTES, read_bytes

COLUMNS = ("check", "declared", "verdict", "value")


@dataclass(frozen=True)
class RecordedCounterexample:
    """Counterexample to a check, as a report shows it.

    Attributes
    ----------
    check : str
    text : str
    picture : str
        SVG picture as a data URI; empty if there is none. As an image, it cannot execute anything.
    """

    check: str
    text: str
    picture: str = ""


@dataclass(frozen=True)
class AuditReport:
    """Audit in a report.

    Attributes
    ----------
    table : Table
    counterexamples : list of RecordedCounterexample
    """

    table: Table
    counterexamples: list[RecordedCounterexample]


def audits(folders: Sequence[Path], notes: list[str]) -> list[AuditReport]:
    """Read all audits below some folders. Add a note for each audit that cannot be read."""
    found: list[AuditReport] = []
    for folder in dict.fromkeys(each for given in folders if given.is_dir() for each in audit_folders(given)):
        try:
            found.append(_report(_read(folder), len(found) + 1, folder, notes))
        except (UserError, OSError) as error:
            notes.append(str(error))
    return found


def _read(folder: Path) -> AuditRecord:
    file = folder / RECORD
    if not file.exists():
        raise UserError(f"{folder}: the audit has no {RECORD}, because it is old or incomplete. Run the audit again.")
    try:
        return read_json(file, AuditRecord, MAX_BYTES)
    except UserError as error:
        raise UserError(f"{error}. Run the audit again, or move the file elsewhere.") from None


def _report(record: AuditRecord, number: int, folder: Path, notes: list[str]) -> AuditReport:
    notes += [
        f"{record.subject}: {check.name} is declared, but {check.verdict}" for check in record.checks if check.broken
    ]
    notes += [f"{record.subject}: {note}" for note in record.notes]
    title = f"Audit: {record.subject}, on {record.world}"
    counterexamples = [
        RecordedCounterexample(each.check, each.text, _picture(folder, each.picture, notes))
        for each in record.counterexamples
    ]
    return AuditReport(Table(f"audit_{number}", title, list(COLUMNS), list(_rows(record))), counterexamples)


def _rows(record: AuditRecord) -> Iterator[list[TableCell]]:
    for check in record.checks:
        yield [TableCell(check.name), TableCell(check.declared), TableCell(check.verdict), TableCell("")]
    for each in record.statistics:
        yield [TableCell(each.name), TableCell(""), TableCell(""), TableCell(f"{each.value:.6g}", each.value)]


def _picture(folder: Path, name: str | None, notes: list[str]) -> str:
    """Return a picture as a data URI; empty if it is missing, outside of the folder, or not readable."""
    if not name:
        return ""
    file = folder / name
    try:
        if folder.resolve() not in file.resolve().parents or not file.exists():
            return ""
        return f"data:image/svg+xml;base64,{base64.b64encode(read_bytes(file)).decode()}"
    except (UserError, OSError, RuntimeError, ValueError) as error:  # a loop of links, a name with a null byte
        notes.append(f"{folder / RECORD}: cannot read a picture ({' '.join(str(error).split())})")
        return ""
