"""Output of an audit: audit.csv, audit.md, audit.json, files of the counterexamples, and a table on the terminal."""

from __future__ import annotations

import csv
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from rich.table import Table
from rich.text import Text

from runner.audits import AUDIT, RECORD, TEXT
from runner.audits.auditor import Audit
from runner.audits.counterexample import Counterexample
from runner.audits.record import AuditRecord, CheckRecord, CounterexampleRecord, StatisticRecord
from runner.base.console import console
from runner.base.drawing import drawn
from runner.base.errors import UserError
from runner.base.parameters import assignments
from worlds.files import atomic_write

COUNTEREXAMPLES = "counterexamples"
_MAX_NAME = 80
_INCHES = 3.2, 3.7
COLUMNS = (
    "world", "subject", "check", "declared", "verdict", "violations", "violating", "broken", "instances",
    "states", "steps", "value", "counterexample",
)  # fmt: skip


def record(audit: Audit, shown: str) -> AuditRecord:
    """Return the record of an audit.

    Parameters
    ----------
    shown : str
        Path of the folder of the audit, relative to the working directory.
    """
    checks = [
        CheckRecord(
            name=tally.check.name,
            claim=tally.check.claim,
            declared=tally.declared,
            verdict=tally.verdict(audit.is_exhaustive),
            violations=tally.violations,
            violating=tally.violating,
            broken=tally.broken,
            instances=tally.instances,
            states=tally.states if tally.check.counted != "instances" else None,
            steps=tally.steps if tally.check.counted == "steps" else None,
        )
        for tally in audit.tallies
    ]
    statistics = [
        StatisticRecord(each.name, each.value, each.instances, each.states) for each in audit.accuracy.statistics()
    ]
    counterexamples = [
        CounterexampleRecord(
            check=found.check,
            text="\n".join(explanation(found)),
            instance=_file_of(found),
            picture=_picture_of(found),
            overrides=_overrides_of(found, shown),
        )
        for found in audit.counterexamples
    ]
    return AuditRecord(audit.family, audit.subject, checks, statistics, counterexamples, audit.notes)


def rows(made: AuditRecord) -> Iterator[dict[str, Any]]:
    """Yield the rows of audit.csv: one for each check, then one for each statistic."""
    files = {found.check: found.instance for found in made.counterexamples}
    common = {**dict.fromkeys(COLUMNS), "world": made.world, "subject": made.subject}
    for check in made.checks:
        values = {name: value for name, value in msgspec.structs.asdict(check).items() if name in COLUMNS}
        yield {**common, **values, "check": check.name, "counterexample": files.get(check.name)}
    for each in made.statistics:
        counts = {"instances": each.instances, "states": each.states}
        yield {**common, **counts, "check": each.name, "value": f"{each.value:.6g}"}


def write(audit: Audit, directory: Path, shown: str) -> None:
    """Write all files. audit.json is the last one: if it exists, the audit is complete.

    Parameters
    ----------
    shown : str
        Path of the directory, relative to the working directory.

    Raises
    ------
    OSError
    """
    directory.mkdir(parents=True, exist_ok=True)
    for found in audit.counterexamples:
        picture, name, document = _picture_of(found), _file_of(found), found.document
        if picture is not None and found.draw is not None:
            _write(directory / picture, drawn(found.draw, _INCHES))
        if name is not None and document is not None:
            _write(directory / name, document.text)
    made = record(audit, shown)
    _write(directory / TEXT, text(made))
    with atomic_write(directory / AUDIT) as out:
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows(made))
    with atomic_write(directory / RECORD, "wb") as out:
        out.write(msgspec.json.format(msgspec.json.encode(made), indent=1) + b"\n")


def _write(file: Path, content: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(file) as out:
        out.write(content)


def check_free(directory: Path) -> None:
    """Raise `UserError` if a directory contains an audit."""
    if any((directory / name).exists() for name in (AUDIT, RECORD)):
        raise UserError(f"{directory}: contains an audit, which is never overwritten; choose another hydra.run.dir=...")


def text(made: AuditRecord) -> str:
    """Return an audit as Markdown."""
    parts = [f"# Audit of {made.subject}", f"On {made.world}.", *made.notes]
    table = ["| check | claim | declared | verdict |", "| --- | --- | --- | --- |"]
    table += [f"| {each.name} | {each.claim} | {each.declared} | {each.verdict} |" for each in made.checks]
    parts.append("\n".join(table))
    if made.statistics:
        lines = [f"| {each.name} | {each.value:.6g} | {each.states:,} |" for each in made.statistics]
        parts.append("\n".join(["| statistic | value | states |", "| --- | ---: | ---: |", *lines]))
    for found in made.counterexamples:
        parts.append(f"## {found.check}")
        parts += [f"![{found.check}]({found.picture})"] if found.picture else []
        parts.append(f"```\n{found.text}\n```")
        parts += [f"`{found.overrides}`"] if found.overrides else []
    return "\n\n".join(parts) + "\n"


def explanation(found: Counterexample) -> list[str]:
    """Return a counterexample as lines of text, the picture first."""
    return [found.instance.id, "", *found.picture.splitlines(), "", *found.lines]


def show(audit: Audit) -> None:
    """Print an audit on the terminal."""
    out = console()
    table = Table("check", "claim", "declared", "verdict", title=f"{audit.subject}, on {audit.family}")
    for tally in audit.tallies:
        style = "bold red" if tally.broken else "yellow" if tally.violations else "green" if tally.instances else ""
        verdict = Text(tally.verdict(audit.is_exhaustive), style=style)
        table.add_row(Text(tally.check.name), Text(tally.check.claim), tally.declared, verdict)
    for each in audit.accuracy.statistics():
        table.add_row(Text(each.name), "", "", f"{each.value:.6g}")
    out.print(table)
    for note in audit.notes[len(audit.request_notes) :]:  # notes on the request were printed before the audit
        out.print(Text(note))
    for found in audit.counterexamples:
        out.print(Text(f"\n{found.check}: " + "\n".join(explanation(found))))
    out.print()


def _picture_of(found: Counterexample) -> str | None:
    return None if found.draw is None else f"{COUNTEREXAMPLES}/{_stem(found.check)}.svg"


def _file_of(found: Counterexample) -> str | None:
    document = found.document
    return None if document is None else f"{COUNTEREXAMPLES}/{_stem(found.check)}{document.suffix}"


def _stem(check: str) -> str:
    """Return the name of a check as a file name. It may contain the name of another stack."""
    stem = re.sub(r"[^\w+-]+", "_", check)
    return stem if len(stem) <= _MAX_NAME else f"{stem[:_MAX_NAME]}-{zlib.crc32(check.encode()):08x}"


def _overrides_of(found: Counterexample, directory: str) -> str | None:
    document = found.document
    if document is None:
        return None
    parameters = {"path": f"{directory}/{_file_of(found)}", **document.parameters}
    return f"world={document.source} {assignments({f'world.{k}': v for k, v in parameters.items()}, ' ')}"
