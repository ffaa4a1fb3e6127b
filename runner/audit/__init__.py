"""Audits: check that a heuristic is admissible and consistent, and that an algorithm keeps its promises.

On the command line: ``python -m runner audit world=... heuristic=...``. From Python, call this module:
``runner.audit("wumpus/all", heuristic="flood_fill")``.
"""

from __future__ import annotations

import sys
import types
from typing import Any

AUDIT, TEXT, RECORD = "audit.csv", "audit.md", "audit.json"
"""Files of an audit: the table of checks, the audit as text, and the record that reports read."""


class _CallableModule(types.ModuleType):
    """Module that can be called, because the function `audit` has the same name."""

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Call `runner.audit.api.audit`."""
        from runner.audit.api import audit

        return audit(*arguments, **keywords)


sys.modules[__name__].__class__ = _CallableModule
