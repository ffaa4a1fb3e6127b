"""Report page in a browser: it loads and sorts its tables without errors."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from runner.cli.report import main
from tests.runner.reports.rows import row, write

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


def opened(page: Path, profile: Path, extra: str = "", width: int = 1200) -> tuple[str, str]:
    """Return the document after its scripts have run, and the log of the browser."""
    assert BROWSER is not None
    with open(page, "a", encoding="utf-8") as file:
        file.write(extra)
    command = [BROWSER, *OPTIONS, f"--user-data-dir={profile}", f"--window-size={width},900"]
    command += ["--dump-dom", page.as_uri()]
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


FILTER = """
<script>
const table = document.querySelector("#expanded table"), filter = document.querySelector("#expanded input");
filter.value = "I1"; filter.dispatchEvent(new Event("input"));
const visible = [...table.tBodies[0].rows].filter(row => !row.hidden).map(row => row.cells[0].textContent.trim());
const frame = document.querySelector("#expanded .frame");
frame.scrollTo(500, 500);
const place = element => element.getBoundingClientRect();
const seen = {visible, page: document.documentElement.scrollWidth, window: document.documentElement.clientWidth,
  column: place(table.tBodies[0].rows[0].cells[0]).left - place(frame).left,
  heading: place(table.tHead.rows[0].cells[1]).top - place(frame).top,
  links: [...document.querySelectorAll("nav a")].every(link => document.querySelector(link.getAttribute("href"))),
  named: [...document.querySelectorAll(".canvas")].every(
    each => document.getElementById(each.getAttribute("aria-labelledby")))};
document.body.dataset.seen = JSON.stringify(seen);
</script>
"""


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
def test_a_narrow_page_scrolls_tables_in_frames_and_filters_rows(tmp_path: Path) -> None:
    names = [f"a_long_name_of_a_heuristic_{n}" for n in range(12)]
    rows = [row(f"i{n}", h, expanded=n + len(h), cost=9) for n in range(1, 41) for h in names]
    write(tmp_path / "metrics.csv", rows)
    assert main([str(tmp_path)]) == 0
    document, log = opened(tmp_path / "report" / "report.html", tmp_path / "profile", FILTER, width=500)
    found = re.search(r'data-seen="([^"]*)"', document)
    assert found, log
    seen = json.loads(found[1].replace("&quot;", '"'))
    assert seen["visible"] == ["i1", *(f"i1{n}" for n in range(10))]
    assert seen["page"] <= seen["window"]
    assert abs(seen["column"]) < 2
    assert abs(seen["heading"]) < 2
    assert seen["links"]
    assert seen["named"]
    assert "CONSOLE" not in log, log


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
def test_the_log_of_the_browser_has_errors_of_scripts(tmp_path: Path) -> None:
    write(tmp_path / "metrics.csv", [row("a", expanded=1)])
    assert main([str(tmp_path)]) == 0
    page = tmp_path / "report" / "report.html"
    _, log = opened(page, tmp_path / "profile", "<script>nothing.there()</script>")
    assert "CONSOLE" in log
    assert "nothing is not defined" in log
