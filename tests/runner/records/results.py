"""Make results and write their rows."""

from __future__ import annotations

from typing import Any

from runner.base.columns import Declared
from runner.base.result import Result
from runner.records.log import LogWriter
from runner.records.row import RowFormat

FORMAT = RowFormat(Declared())


def result(run_id: str, **fields: Any) -> Result:
    """Make a result, by default of a solved instance."""
    search: dict[str, Any] = {"seed": None, "algorithm": "a", "heuristic": "none", "weighting": None}
    default = {"world": "w", "instance": f"i{run_id}", **search, "status": "solved"}
    return Result(run_id=run_id, **{**default, **fields})


def write(writer: LogWriter, *results: Result, number: int = 0) -> None:
    """Write the rows of results, whose instances have the numbers `number`, `number` + 1, ..."""
    writer.append([FORMAT.encode(number + index, each) for index, each in enumerate(results)])
