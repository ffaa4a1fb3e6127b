"""Section ``reports`` of a configuration: defaults of the options of reports on its rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from runner.base import UserError, files_below, suggest
from runner.config import SECTIONS
from runner.records import RecordFile, RunFolder

SECTION = "reports"
MAX_EXPRESSIONS = 50
"""Maximum number of expressions, and of names of tables, in a recorded section."""


@SECTIONS.register(SECTION)
@dataclass(frozen=True)
class ReportSection:
    """Conditions on rows, derived columns, and names of tables, as for the options of the command."""

    filter: str | list[str] | None = None
    derive: str | list[str] | dict[str, str] | None = None
    tables: str | list[str] | None = None


def recorded_section(folders: Iterable[Path], notes: list[str]) -> tuple[str, dict[str, list[str]]]:
    """Return the texts in the section of the first recorded configuration that has one, and where they stand.

    The file may be of another person: only texts are taken from it.
    """
    for file in (file for folder in folders for file in files_below(folder, RecordFile.CONFIGURATION)[:1]):
        try:
            given = RunFolder(file.parents[1]).configuration().get(SECTION)
            if found := {key: texts for key, texts in _checked(given or {}).items() if texts}:
                return f"{file}: {SECTION}", found
        except UserError as error:
            notes.append(f"{error}; the section {SECTION} is not used")
    return "", {}


def _checked(section: Any) -> dict[str, list[str]]:
    keys = [each.name for each in fields(ReportSection)]
    if not isinstance(section, dict):
        raise UserError(f"{SECTION}: expected a mapping with the keys {', '.join(keys)}")
    for key in section:
        if key not in keys:
            raise UserError(f"{SECTION}: unknown key '{key}'{suggest(str(key), keys)}")
    return {key: _texts(key, value) for key, value in section.items()}


def _texts(key: str, value: Any) -> list[str]:
    """Return the texts of an entry: one text, a list, or for derived columns a mapping of names to formulas."""
    if key == "derive" and isinstance(value, dict):
        value = [f"{name} = {formula}" for name, formula in value.items()]
    given = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(given, list) or len(given) > MAX_EXPRESSIONS or not all(isinstance(each, str) for each in given):
        raise UserError(f"{SECTION}.{key}: expected a text, or a list of at most {MAX_EXPRESSIONS} texts")
    return [name.strip() for each in given for name in each.split(",")] if key == "tables" else given
