"""Send SIGTERM to the process of a sweep when it begins to collect the rows of its cells."""

from __future__ import annotations

import os
import signal
from typing import Any

from runner.execution import sweep

collect = vars(sweep)["collect"]


def interrupted(*arguments: Any) -> Any:
    os.kill(os.getpid(), signal.SIGTERM)
    return collect(*arguments)


vars(sweep)["collect"] = interrupted
