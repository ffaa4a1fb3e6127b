"""Rows of published tables that come with the package: ``atlas:NAME``."""

from __future__ import annotations

from pathlib import Path

from runner.base.errors import UserError, suggest
from runner.plugin import RESULTS_FORMATS, RecordFile, ResultsFormat

ATLAS_FOLDER = Path(__file__).parent
"""Folder with a folder for each entry."""


def rows_of(name: str) -> Path:
    """Return the folder with the rows of an entry."""
    names = sorted({file.parents[1].name for file in ATLAS_FOLDER.glob(f"*/*/{RecordFile.METRICS}")})
    if name not in names:
        raise UserError(f"atlas:{name}: there are no such rows{suggest(name, names)}")
    return ATLAS_FOLDER / name


ATLAS = ResultsFormat(find=rows_of)
RESULTS_FORMATS.add("atlas", ATLAS)
