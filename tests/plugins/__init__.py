"""Plug-ins for tests. `install` copies one into a folder, as a user would write it there."""

from __future__ import annotations

import shutil
from pathlib import Path


def install(folder: Path, name: str, module: str | None = None) -> None:
    """Copy a plug-in into a folder, under another name of its module if one is given."""
    shutil.copy(Path(__file__).parent / f"{name}.py", folder / f"{module or name}.py")
