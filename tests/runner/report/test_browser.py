"""Report page in a browser: it loads and sorts its tables without errors."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from runner.cli.report import main
from tests.runner.report.rows import row, write

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
)
CLICKS = """
<script>
const table = document.querySelector("#expanded table"), headings = table.tHead.rows[0].cells, seen = {};
const column = n => [...table.tBodies[0].rows].map(row => row.cells[n].textContent.trim());
seen.first = column(0);
headings[1].firstChild.click(); seen.ascending = column(1); seen.sorted = headings[1].getAttribute("aria-sort");
headings[1].firstChild.click(); seen.descending = column(1);
headings[0].firstChild.click(); seen.names = column(0);
seen.total = table.tFoot.rows[0].cells[0].textContent;
seen.charts = document.querySelectorAll("figure svg").length;
seen.widest = Math.max(...[...document.querySelectorAll("figure svg")].map(svg => svg.getBoundingClientRect().right));
seen.window = document.documentElement.clientWidth;
seen.page = document.documentElement.scrollWidth;
document.body.dataset.seen = JSON.stringify(seen);
</script>
"""


def opened(page: Path, profile: Path, extra: str = "") -> tuple[str, str]:
    """Return the document after its scripts have run, and the log of the browser."""
    assert BROWSER is not None
    with open(page, "a", encoding="utf-8") as file:
        file.write(extra)
    command = [BROWSER, *OPTIONS, f"--user-data-dir={profile}", "--window-size=1200,900", "--dump-dom", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return done.stdout, done.stderr


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
def test_the_page_sorts_its_tables_without_errors(tmp_path: Path) -> None:
    stacks = ["none", *("+".join(f"h{k}" for k in range(1, n)) for n in range(2, 21))]
    rows = [
        row(f"i{number}", stack, expanded=value + place, search_seconds=0.001 * value, cost=9)
        for number, value in ((10, 1200), (9, 30), (2, 400))
        for place, stack in enumerate(stacks)
    ]
    write(tmp_path / "metrics.csv", rows)
    assert main([str(tmp_path)]) == 0
    document, log = opened(tmp_path / "report" / "report.html", tmp_path / "profile", CLICKS)
    found = re.search(r'data-seen="([^"]*)"', document)
    assert found, log
    seen = json.loads(found[1].replace("&quot;", '"'))
    assert seen["first"] == ["i10", "i9", "i2"]
    assert (seen["ascending"], seen["sorted"]) == (["30", "400", "1,200"], "ascending")
    assert seen["descending"] == ["1,200", "400", "30"]
    assert seen["names"] == ["i2", "i9", "i10"]
    assert seen["total"] == "SUM"
    assert seen["charts"] >= 4
    assert seen["widest"] <= seen["window"]
    assert seen["page"] <= seen["window"]
    assert "CONSOLE" not in log, log


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
def test_the_log_of_the_browser_has_errors_of_scripts(tmp_path: Path) -> None:
    write(tmp_path / "metrics.csv", [row("a", expanded=1)])
    assert main([str(tmp_path)]) == 0
    page = tmp_path / "report" / "report.html"
    _, log = opened(page, tmp_path / "profile", "<script>nothing.there()</script>")
    assert "CONSOLE" in log
    assert "nothing is not defined" in log
