"""Import the packages beside `runner`, which register the built-in worlds, heuristics, weightings and algorithms.

Call `load` before anything else imports these packages.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from runner.base.errors import UserError
from runner.base.own_places import PACKAGES, ROOT


def load() -> None:
    """Import all built-in entries, so that they are registered."""
    sys.path.insert(0, str(ROOT))  # before the user's folders, which may contain a `heuristics` of their own
    try:
        for package in PACKAGES:
            _import_own(package)
    finally:
        sys.path.remove(str(ROOT))


def _import_own(package: str) -> None:
    own = ROOT / package / "__init__.py"
    failure: Exception | None = None
    try:
        module = importlib.import_module(package)
        if getattr(module, "DISTRIBUTION", "") == "search-runner" and Path(module.__file__ or "") == own:
            return
    except Exception as error:
        failure = error
    from importlib.metadata import packages_distributions

    others = sorted({*packages_distributions().get(package, [])} - {"search-runner"})
    if failure is not None and not others and own.is_file():
        raise failure
    found = getattr(sys.modules.get(package), "__file__", None) or str(own)
    owner = f"the package {others[0]}" if others else "another package"
    if found != str(own) and not others:
        raise UserError(f"{found}: has the name of a package of search-runner and hides it; rename it")
    what = "hides" if found != str(own) else "has overwritten" if own.is_file() else "has deleted"
    raise UserError(
        f"{found}: {owner} {what} files of search-runner; install search-runner in a new environment: "
        "pipx install search-runner, uvx search-runner, or python3 -m venv"
    )
