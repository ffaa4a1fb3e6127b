"""Every number of some reports is the one in data/golden, in a file for each table and chart.

``python -m tests.runner.features.reports.test_golden`` writes the files again, after an intended change of the numbers
or with a new table.
"""

from __future__ import annotations

import csv
import html
import json
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest

from runner.features.reports.content import Choices, compose
from tests.runner_cli import run

DATA = Path(__file__).with_name("data")
ALL = ("--tables", "all", "--charts", "all")
REPORTS = {
    "caves": ("caves", "--by", "world.size", "--x", "world.size", *ALL),
    "caves by algorithm": (
        "caves", "--rows", "algorithm", "--columns", "heuristic", "--compare", "ucs", "greedy manhattan",
        "--tables", "by_successes,by_expanded,by_search_seconds,pairs_expanded", "--charts", "scatter,ratios",
    ),
    "games": ("games", "--by", "world.size", *ALL),
    "anytime": ("before", "--tables", "summary,best_expanded", "--charts", "quality"),
    "revisions": ("before", "after", *ALL),
}  # fmt: skip


def parts(arguments: tuple[str, ...]) -> dict[str, Any]:
    """Return the parts of a report: rows and texts of each table, tooltips of each chart, and the texts before them."""
    with tempfile.TemporaryDirectory() as out:
        done = run(DATA, "report", *arguments, "--out", out, "--format", "csv,markdown")
        assert done.returncode == 0, done.stderr
        files = [Path(line) for line in done.stdout.splitlines()]
        lines = (Path(out) / "report.md").read_text(encoding="utf-8").splitlines()
        head, *sections = "\n".join(filter(None, map(_text, lines))).split("\n### ")
        tables = {
            f"table_{file.stem}": {"rows": _rows(file), "texts": section.splitlines()}
            for file, section in zip((file for file in files if file.suffix == ".csv"), sections, strict=True)
        }
        charts = {f"chart_{file.stem}": _tips(file) for file in files if file.suffix == ".svg"}
    return {"head": head.splitlines(), **tables, **charts}


def _text(line: str) -> str:
    """Return a line of Markdown without the widths of columns and the links to charts."""
    return "" if re.match(r"!|\|\s*:?--", line) else re.sub(" *([|]) *", r"\1", line)


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
    found = parts(REPORTS[name])
    expected = {
        file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted((DATA / "golden" / name).iterdir())
    }
    assert sorted(found) == sorted(expected)
    for part, golden in expected.items():
        if not part.startswith("table_"):
            assert found[part] == golden, part
            continue
        assert found[part]["texts"] == golden["texts"], part
        assert [list(row) for row in found[part]["rows"]] == [list(row) for row in golden["rows"]], part
        for place, row in enumerate(golden["rows"]):
            for column, value in row.items():
                value = value if isinstance(value, str) else pytest.approx(value, rel=1e-9)
                assert found[part]["rows"][place][column] == value, (part, place, column)


def test_the_page_has_these_parts_unless_others_are_chosen() -> None:
    report = compose([DATA / "caves"], Choices(has_pictures=False))
    assert [table.name for table in report.tables] == ["summary", "pairs_expanded"]
    assert [chart.name for chart in report.charts] == ["spread_expanded"]


if __name__ == "__main__":
    shutil.rmtree(DATA / "golden")
    for name, arguments in REPORTS.items():
        (DATA / "golden" / name).mkdir(parents=True)
        for part, golden in parts(arguments).items():
            text = json.dumps(golden, indent=0) + "\n"
            (DATA / "golden" / name / f"{part}.json").write_text(text, encoding="utf-8")
