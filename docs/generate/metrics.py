"""Tables of docs/metrics.md, from the declarations of columns and statuses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from algorithms.programs.interface import ExternalPlanner
from algorithms.programs.program import Program
from runner.base import COLUMNS, DERIVED, ROOT, STATUSES, Column, Declared, Metric, Status, UserError
from runner.config import entries, source_of
from worlds.interface import Instance

PAGE = ROOT / "docs" / "metrics.md"
_SECTION = r"(?<=<!-- {} -->\n\n).*?(?=\n<!-- end -->)"


def pages() -> Iterator[tuple[Path, str]]:
    """Yield the path of the page, and its content with the tables rewritten."""
    text = PAGE.read_text(encoding="utf-8")
    declared = _declared()
    tables = {
        "columns": _table(("column", "meaning"), map(_line, COLUMNS)),
        "derived columns": _table(("metric", "formula", "meaning"), map(_formula, DERIVED.values())),
        "statuses": _table(("status", "answer", "success", "failure", "made again", "meaning"), map(_row, STATUSES)),
        "declared columns": _table(("column", "meaning"), map(_line, declared.metrics)),
        "declared statuses": _table(
            ("status", "answer", "success", "failure", "made again", "meaning"), map(_row, declared.statuses)
        ),
    }
    for name, table in tables.items():
        literal = table.replace("\\", r"\\")
        text = re.sub(_SECTION.format(name), literal, text, flags=re.DOTALL)
    yield PAGE, text


def _declared() -> Declared:
    """Return the metrics and statuses that the registered worlds, heuristics and algorithms declare."""
    metrics: list[Metric] = []
    statuses: list[Status] = []
    for kind, _, name, entry in entries():
        if kind == "world":
            for instance in _samples(name):
                metrics += instance.world.metrics
                game = instance.world.playable
                statuses += () if game is None else game.statuses
        elif kind in ("algorithm", "heuristic"):
            metrics += _metrics_of(entry)
    return Declared.of(metrics, statuses)


def _metrics_of(entry: Any) -> tuple[Metric, ...]:
    """Return the metrics of an entry: of a program, those that all programs have."""
    if issubclass(entry, ExternalPlanner):
        planner = Program("program") if entry is Program else entry()
        return planner.metrics
    return tuple(entry.metrics)


def _samples(world: str) -> Iterator[Instance]:
    try:
        yield from source_of({"name": world}).samples()
    except UserError:  # it has required parameters; other worlds of its domain have not
        return


def _line(column: Column | Metric) -> tuple[str, str]:
    unit = f" ({column.unit})" if isinstance(column, Metric) and column.unit else ""
    return f"`{column.name}`{unit}", column.meaning


def _formula(metric: Metric) -> tuple[str, str, str]:
    return f"`{metric.name}`", f"`{metric.derived}`", metric.meaning


def _row(status: Status) -> tuple[str, ...]:
    marks = ("yes" if each else "" for each in (status.is_answer, status.is_success, status.is_failure))
    return f"`{status.name}`", *marks, f"`retry={status.retry}`" if status.retry else "", status.meaning


def _table(header: tuple[str, ...], lines: Iterable[tuple[str, ...]]) -> str:
    rows = [header, ("---",) * len(header), *lines]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)
