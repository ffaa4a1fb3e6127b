"""Plug-ins for tests. `install` copies one into a folder, as a user would write it there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest


def install(folder: Path, name: str, module: str | None = None) -> None:
    """Copy a plug-in into a folder, under another name of its module if one is given."""
    shutil.copy(Path(__file__).parent / f"{name}.py", folder / f"{module or name}.py")


def installed(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch, entry_points: str | None = None) -> None:
    """Write the metadata of an installed package with a plug-in, or with other entry points."""
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(entry_points or f"[search_runner.plugins]\nmine = {name}\n")
    monkeypatch.syspath_prepend(str(folder))
