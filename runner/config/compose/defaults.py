"""Defaults lists: which files a configuration is made of, and what they contain."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from runner.base import BoundedLoader, line_error


def contents(paths: Iterable[str], read: Callable[[str], Iterable[tuple[Path, Any]]]) -> Iterator[tuple[Path, Any]]:
    """Yield some files with their contents, and all files that their defaults lists choose.

    Parameters
    ----------
    paths : iterable of str
        Files without folder and ending, such as ``config`` and ``algorithm/astar``.
    read : callable
        Returns all files of a path with their contents, one for each folder that has it.
    """
    waiting = list(dict.fromkeys(paths))
    for path in waiting:  # the loop appends to it
        for file, content in read(path):
            yield file, content
            entries = content.get("defaults") if isinstance(content, Mapping) else None
            for entry in entries if isinstance(entries, list) else []:
                waiting += [chosen for chosen in _chosen(entry, path) if chosen not in waiting]


def _chosen(entry: Any, path: str) -> Iterator[str]:
    """Yield the files that an entry of the defaults list of a file chooses."""
    group = path.rpartition("/")[0]
    for key, value in entry.items() if isinstance(entry, dict) else [("", entry)]:
        name = str(key).removeprefix("optional ").removeprefix("override ").partition("@")[0].strip()
        for choice in value if isinstance(value, list) else [value]:
            below = f"{name}/{choice}" if name else str(choice)
            yield below.lstrip("/") if below.startswith("/") or not group else f"{group}/{below}"


def content_of(file: Path) -> Any:
    """Return the content of a file; None if it cannot be read, which Hydra reports.

    Raises
    ------
    UserError
        If it begins with a byte order mark, behind which Hydra finds no header.
    """
    try:
        text = file.read_text(encoding="utf-8")
        content = yaml.load(text, BoundedLoader)
    except (OSError, ValueError, yaml.YAMLError):
        return None
    if re.match("\ufeff *# *@", text):
        raise line_error(
            file, 1, "Hydra reads no '# @package' after a byte order mark; save the file as UTF-8 without it"
        )
    return content
