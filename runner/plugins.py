"""Code of the user's that registers worlds, algorithms, heuristics or weightings by being imported."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Iterable
from importlib.metadata import entry_points
from pathlib import Path

from runner.registry import UserError

ENTRY_POINTS = "search_runner.plugins"
PACKAGES = ("worlds", "heuristics", "algorithms")


class PluginError(UserError):
    """A plugin was found but failed while it was imported; the message is its own traceback."""

    def __str__(self) -> str:
        return Exception.__str__(self)


def load_built_in() -> None:
    """Import everything that comes with the package, so that it is registered.

    Our own folder goes first on the path for that moment: a folder of the user's, named `heuristics` say, must not be
    taken for ours.
    """
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    try:
        for package in PACKAGES:
            importlib.import_module(package)
    finally:
        sys.path.pop(0)


def load_installed() -> None:
    """Import the plugins of installed distributions, found by the entry-point group ``search_runner.plugins``."""
    for entry_point in entry_points(group=ENTRY_POINTS):
        _guarded(entry_point.name, entry_point.load)


def load(modules: Iterable[str]) -> None:
    """Import plugin modules by name; the working directory is searched too.

    Raises
    ------
    UserError
        If there is no such module.
    PluginError
        If the module raises; its traceback is the message.
    """
    if "" not in sys.path:
        sys.path.insert(0, "")
    for module in modules:
        if not all(module.split(".")):
            raise UserError(f"plugins: '{module}' cannot be the name of a module")
        _guarded(module, lambda module=module: importlib.import_module(module))


def _guarded(name: str, action: object) -> None:
    try:
        action()  # type: ignore[operator]
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            raise UserError(
                f"plugins: there is no module '{name}' (searched the working directory and sys.path)"
            ) from None
        raise PluginError(f"error: plugins: importing '{name}' failed\n{own_traceback(error)}") from None
    except Exception as error:
        raise PluginError(f"error: plugins: importing '{name}' failed\n{own_traceback(error)}") from None


def own_traceback(error: BaseException) -> str:
    """The traceback of an error in a plugin, from the plugin's own code on."""
    frames = traceback.extract_tb(error.__traceback__)
    root = Path(__file__).resolve().parents[1]
    ours = (*(f"{root / package}{os.sep}" for package in ("runner", *PACKAGES)), "<frozen")
    while frames and (frames[0].filename.startswith(ours) or "importlib" in frames[0].filename):
        del frames[0]
    lines = ["Traceback (most recent call last):\n", *frames.format()] if frames else []
    return "".join([*lines, *traceback.format_exception_only(error)]).rstrip()
