"""Published tables: what reproduces them, and rows that come with the package.

A folder with entry.yaml is an entry. ``python -m runner reproduce`` runs one and compares the rows with the published
ones; ``atlas:NAME`` names its rows in reports. ``python -m docs.generate atlas`` writes the pages in docs/atlas.
"""

from __future__ import annotations

from pathlib import Path

from runner.base import UserError, suggest
from runner.records import RecordFile

ATLAS_FOLDER = Path(__file__).parent
"""Folder with a folder for each entry."""


def rows_of(name: str) -> Path:
    """Return the folder with the rows of an entry."""
    names = sorted({file.parents[1].name for file in ATLAS_FOLDER.glob(f"*/*/{RecordFile.METRICS}")})
    if name not in names:
        raise UserError(f"atlas:{name}: there are no such rows{suggest(name, names)}")
    return ATLAS_FOLDER / name
