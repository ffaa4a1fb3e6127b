"""Every number of three reports is the one in data/golden.json.

``python -m tests.runner.features.reports.test_golden`` writes the file again, after an intended change of the numbers.
"""

from __future__ import annotations

import csv
import html
import json
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.runner_cli import run

DATA = Path(__file__).with_name("data")
REPORTS = {
    "caves": ("caves", "--by", "world.size", "--x", "world.size"),
    "caves by algorithm": (
        "caves", "--rows", "algorithm", "--columns", "heuristic", "--compare", "ucs", "greedy manhattan",
        "--only", "by_successes,by_expanded,by_search_seconds,pairs_expanded,scatter_expanded,ratios_expanded",
    ),
    "games": ("games", "--by", "world.size"),
    "anytime": ("before", "--only", "summary,best_expanded,quality"),
    "revisions": ("before", "after"),
}  # fmt: skip


def numbers(arguments: tuple[str, ...]) -> dict[str, Any]:
    """Return the tables of a report by name, as rows of values by column, its charts' tooltips, and its texts."""
    with tempfile.TemporaryDirectory() as out:
        done = run(DATA, "report", *arguments, "--out", out, "--format", "csv,markdown")
        assert done.returncode == 0, done.stderr
        tables = {file.stem: _rows(file) for file in sorted(Path(out).glob("*.csv"))}
        charts = {file.stem: _tips(file) for file in sorted(Path(out).glob("*.svg"))}
        lines = (Path(out) / "report.md").read_text(encoding="utf-8").splitlines()
    texts = [re.sub(" *([|]) *", r"\1", line) for line in lines if line and not re.match(r"!|\|\s*:?--", line)]
    return {"tables": tables, "charts": charts, "texts": texts}


def _rows(file: Path) -> list[dict[str, float | str]]:
    with open(file, encoding="utf-8", newline="") as source:
        return [{name: _value(text) for name, text in row.items()} for row in csv.DictReader(source)]


def _value(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _tips(file: Path) -> list[str]:
    return [html.unescape(text) for text in re.findall("<title>(.*?)</title>", file.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("name", REPORTS)
def test_the_numbers_of_a_report(name: str) -> None:
    expected, found = json.loads((DATA / "golden.json").read_text(encoding="utf-8"))[name], numbers(REPORTS[name])
    assert found["charts"] == expected["charts"]
    assert found["texts"] == expected["texts"]
    assert list(found["tables"]) == list(expected["tables"])
    for table, rows in expected["tables"].items():
        assert [list(row) for row in found["tables"][table]] == [list(row) for row in rows], table
        for place, row in enumerate(rows):
            for column, value in row.items():
                value = value if isinstance(value, str) else pytest.approx(value, rel=1e-9)
                assert found["tables"][table][place][column] == value, (table, place, column)


if __name__ == "__main__":
    golden = {name: numbers(arguments) for name, arguments in REPORTS.items()}
    (DATA / "golden.json").write_text(json.dumps(golden, indent=0) + "\n", encoding="utf-8")
