"""What an audit leaves behind: audit.csv, audit.md, and the counterexamples as files that load again."""

from __future__ import annotations

import csv
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from runner.audit import AUDIT, TEXT
from runner.audit.auditor import Audit
from runner.audit.counterexample import Counterexample
from runner.console import console
from runner.drawing import drawn
from runner.registry import UserError, assignments
from worlds.files import atomic_write

COUNTEREXAMPLES = "counterexamples"
_MAX_NAME = 80
COLUMNS = (
    "world", "subject", "check", "declared", "verdict", "violations", "violating", "broken", "instances",
    "states", "steps", "value", "counterexample",
)  # fmt: skip


def rows(audit: Audit) -> Iterator[dict[str, Any]]:
    """A row for each check, then for each statistic, with the columns of audit.csv."""
    files = {found.check: _file_of(found) for found in audit.counterexamples}
    for tally in audit.tallies:
        counted = tally.check.counted
        yield {
            "world": _family(audit),
            "subject": audit.subject,
            "check": tally.check.name,
            "declared": tally.declared,
            "verdict": tally.verdict(audit.is_exhaustive),
            "violations": tally.violations,
            "violating": tally.violating,
            "broken": tally.broken,
            "instances": tally.instances,
            "states": tally.states if counted != "instances" else None,
            "steps": tally.steps if counted == "steps" else None,
            "value": None,
            "counterexample": files.get(tally.check.name),
        }
    for each in audit.errors.statistics():
        yield {
            **dict.fromkeys(COLUMNS),
            "world": _family(audit),
            "subject": audit.subject,
            "check": each.name,
            "instances": each.instances,
            "states": each.states,
            "value": f"{each.value:.6g}",
        }


def write(audit: Audit, directory: Path, shown: str) -> None:
    """Write all files; audit.csv last, so that it is there if everything is.

    Parameters
    ----------
    shown : str
        What the directory is called from where the command was given.

    Raises
    ------
    OSError
    """
    directory.mkdir(parents=True, exist_ok=True)
    for found in audit.counterexamples:
        files = {picture_of(found.check): drawn(found.draw, (3.2, 3.2))} if found.draw is not None else {}
        name, document = _file_of(found), found.document
        if name is not None and document is not None:
            files[name] = document.text
        for name, content in files.items():
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(directory / name) as out:
                out.write(content)
    with atomic_write(directory / TEXT) as out:
        out.write(text(audit, shown))
    with atomic_write(directory / AUDIT) as out:
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows(audit))


def check_free(directory: Path) -> None:
    """Raise `UserError` if a directory holds an audit already."""
    if (directory / AUDIT).exists():
        raise UserError(f"{directory}: holds an audit already, which is never overwritten; choose another directory")


def text(audit: Audit, directory: str) -> str:
    """The audit as Markdown."""
    parts = [f"# Audit of {audit.subject}", f"On {_family(audit)}.{_proven(audit)}"]
    table = ["| check | claim | declared | verdict |", "| --- | --- | --- | --- |"]
    table += [
        f"| {tally.check.name} | {tally.check.claim} | {tally.declared} | {tally.verdict(audit.is_exhaustive)} |"
        for tally in audit.tallies
    ]
    parts.append("\n".join(table))
    if statistics := audit.errors.statistics():
        lines = [f"| {each.name} | {each.value:.6g} | {each.states:,} |" for each in statistics]
        parts.append("\n".join(["| statistic | value | states |", "| --- | ---: | ---: |", *lines]))
    for found in audit.counterexamples:
        parts.append(f"## {found.check}")
        parts.append(f"![{found.check}]({picture_of(found.check)})" if found.draw is not None else "")
        parts.append("```\n" + "\n".join(explanation(found)) + "\n```")
        parts.append(_how_to_load(found, directory))
    return "\n\n".join(part for part in parts if part) + "\n"


def explanation(found: Counterexample) -> list[str]:
    """A counterexample as lines of text, the picture first."""
    shrunk = "" if found.instance.id == found.origin else f", made of {found.origin}"
    return [f"{found.instance.id}{shrunk}", "", *found.picture.splitlines(), "", *found.lines]


def show(audit: Audit) -> None:
    """The audit in the terminal."""
    out = console()
    table = Table("check", "claim", "declared", "verdict", title=f"{audit.subject}, on {_family(audit)}")
    for tally in audit.tallies:
        style = "bold red" if tally.broken else "yellow" if tally.violations else "green" if tally.instances else ""
        verdict = Text(tally.verdict(audit.is_exhaustive), style=style)
        table.add_row(Text(tally.check.name), Text(tally.check.claim), tally.declared, verdict)
    for each in audit.errors.statistics():
        table.add_row(Text(each.name), "", "", f"{each.value:.6g}")
    out.print(table)
    if audit.proven:
        out.print(Text(_proven(audit).strip()))
    for found in audit.counterexamples:
        out.print(Text(f"\n{found.check}: " + "\n".join(explanation(found))))
    out.print()


def _family(audit: Audit) -> str:
    if audit.is_interrupted:
        return f"{audit.world}, interrupted"
    return audit.world if audit.exhaustive is None else f"{audit.world}: all {audit.exhaustive}"


def _proven(audit: Audit) -> str:
    if not audit.proven:
        return ""
    return f" Instances that the world itself proves unsolvable, and that were left out: {audit.proven:,}."


def picture_of(check: str) -> str:
    """The file with the picture of a counterexample."""
    return f"{COUNTEREXAMPLES}/{_stem(check)}.svg"


def _file_of(found: Counterexample) -> str | None:
    document = found.document
    return None if document is None else f"{COUNTEREXAMPLES}/{_stem(found.check)}{document.suffix}"


def _stem(check: str) -> str:
    """The name of a check (which may hold that of another heuristic) as that of a file."""
    stem = re.sub(r"[^\w+-]+", "_", check)
    return stem if len(stem) <= _MAX_NAME else f"{stem[:_MAX_NAME]}-{zlib.crc32(check.encode()):08x}"


def _how_to_load(found: Counterexample, directory: str) -> str:
    document = found.document
    if document is None:
        return ""
    parameters = {"path": f"{directory}/{_file_of(found)}", **document.parameters}
    return f"`world={document.source} {assignments({f'world.{k}': v for k, v in parameters.items()}, ' ')}`"
