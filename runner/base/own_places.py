"""Places of our packages and data, and the modules that are ours."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""Folder of the project's packages."""
_IN_WHEEL = ROOT / "runner" / "_data"
DATA = _IN_WHEEL if _IN_WHEEL.is_dir() else ROOT
"""Folder of `conf` and `examples`: in a checkout that of the packages, in an installed wheel one inside of `runner`."""
PACKAGES = ("algorithms", "heuristics", "worlds")
"""The packages beside `runner`, which register worlds, algorithms, heuristics and weightings."""
SHARED_FOLDERS = ("site-packages", "dist-packages")
"""Names of the folders of installed packages."""
EXAMPLES = "runner.examples."
"""Beginning of the names of examples. They are plug-ins like those of others."""


def is_own_module(name: str) -> bool:
    """Return whether a module is ours, and no plug-in."""
    return name.partition(".")[0] in (*PACKAGES, "runner") and not name.startswith(EXAMPLES)
