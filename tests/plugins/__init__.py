"""Plug-ins that tests use, as files: each could lie in a folder of a user."""

from __future__ import annotations

import shutil
from pathlib import Path


def install(folder: Path, name: str, module: str | None = None) -> None:
    """Copy a plug-in into a folder, under another name of its module if one is given."""
    shutil.copy(Path(__file__).parent / f"{name}.py", folder / f"{module or name}.py")
