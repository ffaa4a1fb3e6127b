"""Results for tests, and how they are written."""

from __future__ import annotations

from typing import Any

from runner.columns import Declared
from runner.records.result import Result
from runner.records.row import RowFormat
from runner.records.writer import Writer

FORMAT = RowFormat(Declared())


def result(run_id: str, **fields: Any) -> Result:
    base: dict[str, Any] = {
        "world": "w",
        "instance": f"i{run_id}",
        "seed": None,
        "algorithm": "a",
        "heuristic": "none",
        "weighting": None,
    }
    return Result(run_id=run_id, **{**base, "status": "solved", **fields})


def write(writer: Writer, *results: Result, number: int = 0) -> None:
    """Write results of instances with rising numbers."""
    writer.write([FORMAT.encode(number + index, each) for index, each in enumerate(results)])
