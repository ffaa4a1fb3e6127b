"""Is this heuristic admissible and consistent, does this algorithm keep its promises?

``python -m runner audit world=... heuristic=...`` on the command line; from Python, call the module:
``runner.audit("wumpus/all", heuristic="flood_fill")``.
"""

from __future__ import annotations

import sys
import types
from typing import Any

AUDIT, TEXT = "audit.csv", "audit.md"
"""The files that an audit leaves behind."""


class _Callable(types.ModuleType):
    """A module that is a function, too: it has the same name as the command."""

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Call `runner.audit.api.audit`."""
        from runner.audit.api import audit

        return audit(*arguments, **keywords)


sys.modules[__name__].__class__ = _Callable
