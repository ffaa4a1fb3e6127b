"""Audits in the folders of a report: a table of the checks, and the counterexamples."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from runner.base import MAX_BYTES, UserError, read_bytes
from runner.features.audits import RECORD, Audit, RecordedCounterexample, audit_folders
from runner.features.reports.tables import Table, TableCell
from runner.records import read_json

COLUMNS = ("check", "declared", "verdict", "value")


@dataclass(frozen=True)
class AuditReport:
    """Audit in a report.

    Attributes
    ----------
    table : Table
    counterexamples : list of RecordedCounterexample
        Their pictures are data URIs. As images, they cannot execute anything.
    """

    table: Table
    counterexamples: list[RecordedCounterexample]


def audits(folders: Sequence[Path], notes: list[str]) -> list[AuditReport]:
    """Read all audits below some folders. Add a note for each audit that cannot be read."""
    found: list[AuditReport] = []
    for folder in dict.fromkeys(each for given in folders for each in audit_folders(given)):
        try:
            found.append(_report(_read(folder), len(found) + 1, folder, notes))
        except (UserError, OSError) as error:
            notes.append(str(error))
    return found


def _read(folder: Path) -> Audit[RecordedCounterexample]:
    file = folder / RECORD
    if not file.exists():
        raise UserError(f"{folder}: the audit has no {RECORD}, because it is old or incomplete. Run the audit again.")
    try:
        return read_json(file, Audit[RecordedCounterexample], MAX_BYTES)
    except UserError as error:
        raise UserError(f"{error}. Run the audit again, or move the file elsewhere.") from None


def _report(audit: Audit[RecordedCounterexample], number: int, folder: Path, notes: list[str]) -> AuditReport:
    notes += [
        f"{audit.subject}: {each.check} is declared, but {each.verdict}" for each in audit.findings if each.broken
    ]
    notes += [f"{audit.subject}: {note}" for note in audit.notes]
    rows = [[TableCell(text) for text in (each.check, each.declared, each.text, "")] for each in audit.findings]
    rows += [
        [TableCell(each.name), TableCell(""), TableCell(""), TableCell(f"{each.value:.6g}", each.value)]
        for each in audit.statistics
    ]
    title = f"Audit: {audit.subject}, on {audit.world}"
    examples = [
        replace(each, picture=_picture(folder, each.picture, notes), text=_with_command(each))
        for each in audit.counterexamples
    ]
    return AuditReport(Table(f"audit_{number}", title, list(COLUMNS), rows, family="audit"), examples)


def _with_command(example: RecordedCounterexample) -> str:
    """Return the text of a counterexample, and how to start the audited program for it."""
    return f"{example.text}\nby hand: {example.command}" if example.command else example.text


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
