"""Digests of the source files that a measured row depends on, which tell whether it is out of date."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from runner.base.code_digest import digest_of_files
from runner.base.errors import PACKAGES, ROOT

_DIGITS = 12


def digest_of(modules: Iterable[str], parameters: object) -> str:
    """Return a digest of parameters, and of the files of modules and of all that these import from our packages."""
    files = set[Path]()
    waiting = [file for module in modules if (file := _file(module))]
    while waiting:
        file = waiting.pop()
        if file not in files:
            files.add(file)
            waiting += _imported(file)
    text = f"{parameters!r} {digest_of_files(files)}"
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


@cache
def _imported(file: Path) -> tuple[Path, ...]:
    names = _names(ast.parse(file.read_bytes()))
    return tuple(found for name in names if name.split(".")[0] in PACKAGES and (found := _file(name)))


def _names(tree: ast.AST) -> Iterator[str]:
    """Yield the names of modules that a file imports; what it imports from a package may be a module, too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{each.name}" for each in node.names)


def _file(module: str) -> Path | None:
    """Return the file of a module; None for a package, whose own file imports all entries."""
    file = ROOT.joinpath(*module.split(".")).with_suffix(".py")
    return file if file.exists() else None
