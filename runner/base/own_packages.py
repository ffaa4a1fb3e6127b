"""Import the packages beside `runner`, which register the built-in worlds, heuristics, weightings and algorithms.

Call `load` before anything else imports these packages.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from runner.base.errors import PACKAGES, ROOT, UserError


def load() -> None:
    """Import all built-in entries, so that they are registered."""
    sys.path.insert(0, str(ROOT))  # before the user's folders, which may contain a `heuristics` of their own
    try:
        for package in PACKAGES:
            _import_own(package)
    finally:
        sys.path.remove(str(ROOT))


def _import_own(package: str) -> None:
    failure: Exception | None = None
    try:
        module = importlib.import_module(package)
        if Path(module.__file__ or "").parent == ROOT / package:
            return
    except Exception as error:
        failure = error
    from importlib.metadata import packages_distributions

    others = sorted({*packages_distributions().get(package, [])} - {"search-runner"})
    if failure is not None and not others:
        raise failure
    remedy = f"pip uninstall {others[0]}, then install search-runner again" if others else "rename it"
    found = getattr(sys.modules.get(package), "__file__", None) or package
    raise UserError(f"{found}: has the name of a package of search-runner and hides it; {remedy}")
