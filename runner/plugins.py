"""Code of the user's that registers worlds, algorithms, heuristics or weightings by being imported."""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Iterable
from importlib.metadata import entry_points

from runner.registry import UserError

ENTRY_POINTS = "search_runner.plugins"


class PluginError(UserError):
    """A plugin was found but failed while it was imported; the message is its own traceback."""


def load_built_in() -> None:
    """Import everything that comes with the package, so that it is registered."""
    importlib.import_module("worlds")
    importlib.import_module("heuristics")
    importlib.import_module("algorithms")


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
        _guarded(module, lambda module=module: importlib.import_module(module))


def _guarded(name: str, action: object) -> None:
    try:
        action()  # type: ignore[operator]
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            raise UserError(
                f"plugins: there is no module '{name}' (searched the working directory and sys.path)"
            ) from None
        raise PluginError(f"plugins: importing '{name}' failed\n{traceback.format_exc()}") from None
    except Exception:
        raise PluginError(f"plugins: importing '{name}' failed\n{traceback.format_exc()}") from None
