"""Imports the packages beside `runner`, which register what comes with it. Must come before anything imports them."""

from __future__ import annotations

import importlib
import sys

from runner import registry
from runner.messages import PACKAGES, ROOT
from runner.registry import UserError

_KIND_OF = {"worlds": "world", "heuristics": "weighting", "algorithms": "algorithm"}
"""Each package registers entries of at least this kind."""


def load() -> None:
    """Import everything that comes with the package, so that it is registered."""
    sys.path.insert(0, str(ROOT))  # a folder of the user's, named `heuristics` say, is not taken for ours
    try:
        for package in PACKAGES:
            _import_own(package)
    finally:
        sys.path.remove(str(ROOT))


def _import_own(package: str) -> None:
    failure: Exception | None = None
    try:
        importlib.import_module(package)
        if registry.names(_KIND_OF[package]):
            return
    except Exception as error:
        failure = error
    from importlib.metadata import packages_distributions

    others = sorted({*packages_distributions().get(package, [])} - {"search-runner"})
    if failure is not None and not others:
        raise failure
    what = f"pip uninstall {others[0]}, then install search-runner again" if others else "rename it"
    found = getattr(sys.modules.get(package), "__file__", None) or package
    raise UserError(f"{found}: has the name of a package of search-runner, and is found instead of it; {what}")
