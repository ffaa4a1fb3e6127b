"""Half of the published suite of online caves, if its files are in `shared/data` beside the repository's folder."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from worlds.wumpus import formats
from worlds.wumpus.rules import Cave

_SHARED = Path(__file__).parents[4] / "shared" / "data"
SCORES = _SHARED / "wumpus_suite_scores.csv"


@cache
def _caves() -> dict[str, Cave]:
    return {file.name: formats.load(file)[1] for file in (_SHARED / "wumpus_suite").glob("*.txt")}


def suite() -> dict[str, Cave]:
    """Return the 235 caves by file name. Skip the test if they are missing."""
    caves = _caves() if SCORES.exists() else {}
    if not caves:
        pytest.skip("the suite of online caves is not beside the repository")
    assert len(caves) == 235
    return caves
