"""Audits below the folders of a report: a table of each, and its counterexamples as text."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.audit import AUDIT, TEXT
from runner.records.reader import CORRUPT, read_rows
from runner.registry import UserError
from runner.report.tables import Cell, Table
from worlds.files import natural_order, read_bytes, read_text

_BLOCK = r"^## ([^\n]+)\n\n(?:!\[[^\n\]]*\]\(([^\n)]+)\)\n\n)?```\n(.*?)\n```$"
_SHOWN = ("check", "declared", "verdict", "value")


@dataclass(frozen=True)
class Counterexample:
    """What violates a claim.

    Attributes
    ----------
    check : str
    text : str
    picture : str
        An SVG picture as a data URI; empty if there is none. As an image, it cannot run anything.
    """

    check: str
    text: str
    picture: str = ""


@dataclass(frozen=True)
class AuditReport:
    """One audit.

    Attributes
    ----------
    table : Table
    counterexamples : list of Counterexample
    """

    table: Table
    counterexamples: list[Counterexample]


def audits(folders: Sequence[Path], notes: list[str]) -> list[AuditReport]:
    """Read all audits below folders; what is wrong with a file is noted."""
    files = [file for folder in folders if folder.is_dir() for file in sorted(folder.rglob(AUDIT), key=natural_order)]
    found = []
    for number, file in enumerate(dict.fromkeys(files), 1):
        try:
            found.append(_read(file, number, notes))
        except UserError as error:
            notes.append(str(error))
        except (OSError, RuntimeError, *CORRUPT) as error:
            notes.append(f"{file}: not an audit ({' '.join(str(error).split())})")
    return found


def _read(file: Path, number: int, notes: list[str]) -> AuditReport:
    rows = list(read_rows(file, is_strict=True))
    if not rows:
        raise ValueError("no rows")
    cells = [[_cell(row, name) for name in _SHOWN] for row in rows]
    notes += [
        f"{row['subject']}: {row['check']} is declared, but {row['verdict']}" for row in rows if int(row["broken"] or 0)
    ]
    title = f"Audit: {rows[0]['subject']}, on {rows[0]['world']}"
    blocks = re.findall(_BLOCK, read_text(file.with_name(TEXT)), re.MULTILINE | re.DOTALL)
    found = [Counterexample(check, block, _picture(file.parent, link)) for check, link, block in blocks]
    return AuditReport(Table(f"audit_{number}", title, list(_SHOWN), cells), found)


def _picture(folder: Path, link: str) -> str:
    file = folder / link
    if not link or folder.resolve() not in file.resolve().parents or not file.exists():
        return ""
    return f"data:image/svg+xml;base64,{base64.b64encode(read_bytes(file)).decode()}"


def _cell(row: dict[str, str], name: str) -> Cell:
    return Cell(row[name], float(row[name]) if name == "value" and row[name] else None)
