"""Rows of tables, for comparisons between runs."""

from __future__ import annotations

from pathlib import Path

from tests.runner_cli import MEASURED, rows


def without_times(file: Path) -> list[dict[str, str]]:
    """Return the rows without the columns of times, which differ from run to run."""
    return [{name: value for name, value in row.items() if name not in MEASURED} for row in rows(file)]


def run_ids(file: Path) -> list[str]:
    return [row["run_id"] for row in rows(file)]


def keep_rows(file: Path, count: int) -> None:
    """Remove all but the first rows of a table."""
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join(lines[: count + 1]), encoding="utf-8")
