"""The fingerprint of the program that makes rows: our sources, and those of the plug-ins in use."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

from runner.messages import PACKAGES
from worlds.sources_digest import ROOT, digest_of_files

_PARTS = (*PACKAGES, "runner/config", "runner/execution", "runner/records")
"""Folders whose sources have a say in what a row says."""
_DIGITS = 8
_SUFFIXES = (".py", ".lp")
_NOT_PLUGINS = {*PACKAGES, "runner", "conf", *sys.stdlib_module_names}
_SHARED_FOLDERS = ("site-packages", "dist-packages")


def code_of(plugins: Sequence[Path]) -> str:
    """Return the fingerprint of our version and sources, and behind a ``+`` that of the sources of plug-ins, if any."""
    return f"{_own()}+{digest_of_files(plugins)[:_DIGITS]}" if plugins else _own()


def plugin_sources(parts: Iterable[object]) -> tuple[Path, ...]:
    """Return the source files of the plug-ins that worlds, algorithms, heuristics and weightings come from.

    These are all modules that were imported so far from the plug-in's package, or from its folder if it is a single
    file.
    """
    modules = {cls.__module__.partition(".")[0] for part in parts for cls in type(part).__mro__}
    files: dict[Path, None] = {}
    for name in sorted(modules - _NOT_PLUGINS):
        files.update(dict.fromkeys(_sources_of(name)))
    return tuple(files)


def _sources_of(name: str) -> Iterator[Path]:
    """Yield the source files that were imported from the package of a module, or from its folder."""
    module = sys.modules.get(name)
    file = _file(module)
    if file is None:
        return
    folder = file.parent
    is_package = hasattr(module, "__path__")
    for other in sorted(sys.modules):
        top = other.partition(".")[0]
        if is_package or folder.name in _SHARED_FOLDERS:
            is_ours = top == name
        else:
            is_ours = top not in _NOT_PLUGINS and _folder(sys.modules.get(top)) == folder
        source = _file(sys.modules[other]) if is_ours else None
        if source is not None:
            yield source


def _file(module: ModuleType | None) -> Path | None:
    name = getattr(module, "__file__", None)
    return Path(name) if isinstance(name, str) and name.endswith(".py") else None


def _folder(module: ModuleType | None) -> Path | None:
    """Return the folder in which a module or a package lies."""
    file = _file(module)
    if file is None:
        return None
    return file.parent.parent if hasattr(module, "__path__") else file.parent


@cache
def _own() -> str:
    files = (file for part in _PARTS for file in (ROOT / part).rglob("*") if file.suffix in _SUFFIXES)
    return hashlib.sha256((version("search-runner") + digest_of_files(files)).encode()).hexdigest()[:_DIGITS]
