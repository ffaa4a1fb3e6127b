"""Output of an audit: audit.csv, audit.md, audit.json, files of the counterexamples, and a table on the terminal."""

from __future__ import annotations

import csv
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import asdict
from rich.table import Table
from rich.text import Text

from runner.base import UserError, assignments, atomic_write, console
from runner.features.audits import AUDIT, RECORD, TEXT
from runner.features.audits.finding import STYLES, Audit, Counterexample, Finding, RecordedCounterexample
from worlds.drawing import drawn
from worlds.interface import Instance

COUNTEREXAMPLES = "counterexamples"
_MAX_NAME = 80
_INCHES = 3.2, 3.7
ByHand = Callable[[Instance, Path], str | None]
COLUMNS = (
    "world", "subject", "check", "declared", "verdict", "violations", "violating", "broken", "instances",
    "states", "steps", "value", "counterexample",
)  # fmt: skip


def recorded(audit: Audit[Counterexample], shown: str, by_hand: ByHand | None) -> Audit[RecordedCounterexample]:
    """Return an audit as audit.json has it, with the files of its counterexamples.

    Parameters
    ----------
    shown : str
        Path of the folder of the audit, relative to the working directory.
    by_hand : callable or None
        Returns the line for a shell that starts the audited program, and writes the files that it names into a folder.
    """
    findings = []
    for each in audit.findings:
        found = None if each.counterexample is None else _recorded(each.counterexample, shown, by_hand)
        findings.append(Finding(**{**asdict(each), "counterexample": found}))
    return Audit(**{**asdict(audit), "findings": findings})


def _recorded(found: Counterexample, shown: str, by_hand: ByHand | None) -> RecordedCounterexample:
    document, stem = found.document, f"{COUNTEREXAMPLES}/{_stem(found.check)}"
    picture = None if found.draw is None else f"{stem}.svg"
    command = None if by_hand is None else _command(found.instance, Path(shown) / stem, by_hand)
    if document is None:
        return RecordedCounterexample(found.check, found.text, picture, command=command)
    file = f"{stem}{document.suffix}"
    parameters = {"world.path": f"{shown}/{file}", **{f"world.{key}": v for key, v in document.parameters.items()}}
    overrides = f"world={document.source} {assignments(parameters, ' ')}"
    return RecordedCounterexample(found.check, found.text, picture, file, overrides, command)


def _command(instance: Instance, folder: Path, by_hand: ByHand) -> str | None:
    """Return the line that starts a program by hand. The folder remains only if the line needs files."""
    folder.mkdir(parents=True, exist_ok=True)
    command = by_hand(instance, folder)
    with suppress(OSError):  # it holds files
        folder.rmdir()
    return command


def rows(audit: Audit[RecordedCounterexample]) -> Iterator[dict[str, Any]]:
    """Yield the rows of audit.csv: one for each check, then one for each statistic."""
    common = {**dict.fromkeys(COLUMNS), "world": audit.world, "subject": audit.subject}
    for each in audit.findings:
        values = {name: value for name, value in asdict(each).items() if name in COLUMNS}
        file = None if each.counterexample is None else each.counterexample.instance
        yield {**common, **values, "verdict": each.text, "counterexample": file}
    for statistic in audit.statistics:
        counts = {"instances": statistic.instances, "states": statistic.states}
        yield {**common, **counts, "check": statistic.name, "value": f"{statistic.value:.6g}"}


def write(
    audit: Audit[Counterexample], directory: Path, shown: str, by_hand: ByHand | None
) -> Audit[RecordedCounterexample]:
    """Write all files, and return what audit.json has. It is the last one: if it exists, the audit is complete.

    Parameters
    ----------
    shown : str
        Path of the directory, relative to the working directory.
    by_hand : callable or None
        As in `recorded`.

    Raises
    ------
    OSError
    """
    directory.mkdir(parents=True, exist_ok=True)
    written = recorded(audit, shown, by_hand)
    for found, files in zip(audit.counterexamples, written.counterexamples, strict=True):
        if found.draw is not None and files.picture is not None:
            _write(directory / files.picture, drawn(found.draw, _INCHES))
        if found.document is not None and files.instance is not None:
            _write(directory / files.instance, found.document.text)
    _write(directory / TEXT, text(written))
    with atomic_write(directory / AUDIT) as out:
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows(written))
    with atomic_write(directory / RECORD, "wb") as out:
        out.write(msgspec.json.format(msgspec.json.encode(written), indent=1) + b"\n")
    return written


def _write(file: Path, content: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(file) as out:
        out.write(content)


def check_free(directory: Path) -> None:
    """Raise `UserError` if a directory contains an audit."""
    if any((directory / name).exists() for name in (AUDIT, RECORD)):
        raise UserError(f"{directory}: contains an audit, which is never overwritten; choose another hydra.run.dir=...")


def text(audit: Audit[RecordedCounterexample]) -> str:
    """Return an audit as Markdown."""
    parts = [f"# Audit of {audit.subject}", f"On {audit.world}.", *audit.notes]
    checks = [(each.check, each.claim, each.declared, each.text) for each in audit.findings]
    covers = [(each.instance, f"{each.cost:g}", each.vertex_cover, each.expanded) for each in audit.covers]
    statistics = [(each.name, f"{each.value:.6g}", f"{each.states:,}") for each in audit.statistics]
    for side, names, rows in (
        ("---", ("check", "claim", "declared", "verdict"), checks),
        ("---:", ("instance", "cost", "vertex cover", "expanded"), covers),
        ("---:", ("statistic", "value", "states"), statistics),
    ):
        lines = (names, ("---", *[side] * (len(names) - 1)), *rows)
        texts = (["" if value is None else str(value) for value in line] for line in lines)
        parts += ["\n".join(f"| {' | '.join(line)} |" for line in texts)] * bool(rows)
    for found in audit.counterexamples:
        parts.append(f"## {found.check}")
        parts += [f"![{found.check}]({found.picture})"] if found.picture else []
        parts.append(f"```\n{found.text}\n```")
        parts += [f"`{found.overrides}`"] if found.overrides else []
        parts += [f"```sh\n{found.command}\n```"] if found.command else []
    return "\n\n".join(parts) + "\n"


def show(audit: Audit[Counterexample], notes: Sequence[str]) -> None:
    """Print an audit on the terminal, with its notes apart from those that have been printed before it."""
    rows = [(each.check, each.claim, each.declared, _styled(each, each.text)) for each in audit.findings]
    statistics = [(each.name, "", "", f"{each.value:.6g}") for each in audit.statistics]
    others = [note for note in audit.notes if note not in notes]
    title = f"{audit.subject}, on {audit.world}"
    _print(title, ("check", "claim", "declared", "verdict"), [[*rows, *statistics]], others, audit.findings)
    console().print()


def show_outcomes(title: str, sections: Sequence[Sequence[Finding[Counterexample]]]) -> None:
    """Print findings on the terminal, with a line between their sections."""
    rows = [[(each.check, _styled(each, each.outcome), each.verdict.strip()) for each in found] for found in sections]
    findings = [each for found in sections for each in found]
    _print(title, ("check", "outcome", "what was checked, or why not"), rows, [], findings)


def _styled(finding: Finding[Counterexample], text: str) -> Text:
    return Text(text, style=STYLES[finding.outcome])


def _print(
    title: str, header: Sequence[str], sections: Sequence[Sequence[tuple[str | Text, ...]]], notes: Sequence[str],
    findings: Sequence[Finding[Counterexample]],
) -> None:  # fmt: skip
    """Print a table, notes, and the tracebacks and counterexamples of findings."""
    out = console()
    table = Table(*header, title=Text(title, style="table.title"))
    for rows in sections:
        for row in rows:
            table.add_row(*(cell if isinstance(cell, Text) else Text(cell) for cell in row))
        table.add_section()
    out.print(table)
    for note in notes:
        out.print(Text(note))
    shown = {""}
    for each in findings:
        if each.traceback not in shown:
            out.print(Text(f"\n{each.check}: {each.traceback}"), soft_wrap=True)
            shown.add(each.traceback)
        if each.counterexample is not None:
            out.print(Text(f"\n{each.check}: {each.counterexample.text}"))


def _stem(check: str) -> str:
    """Return the name of a check as a file name. It may contain the name of another stack."""
    stem = re.sub(r"[^\w+-]+", "_", check)
    return stem if len(stem) <= _MAX_NAME else f"{stem[:_MAX_NAME]}-{zlib.crc32(check.encode()):08x}"
