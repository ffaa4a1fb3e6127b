"""Overview of a class in a browser: headings sort the rows, and a narrow window scrolls the table only."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from runner.features.grading.course import overview
from runner.features.grading.marks import Marks, Verdict
from tests.runner.features.reports.test_browser import BROWSER, opened

CLICKS = """
<script>
const seen = {}, shown = () => [...document.querySelectorAll("tbody th")].map(each => each.textContent);
const buttons = document.querySelectorAll("thead button");
for (const name of ["most", "least"]) { buttons[1].click(); seen[name] = shown(); }
seen.order = document.querySelectorAll("th[aria-sort]").length;
buttons[0].click(); seen.names = shown();
seen.heights = [...document.querySelectorAll("tbody tr")].map(each => each.getBoundingClientRect().height);
seen.page = document.documentElement.scrollWidth; seen.window = document.documentElement.clientWidth;
document.body.dataset.seen = JSON.stringify(seen);
</script>
"""


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
def test_the_overview_sorts_its_rows_and_fits_a_narrow_window(tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    page.write_text(
        overview(
            [
                Marks(
                    "title",
                    name,
                    "a.py",
                    "mine",
                    [Verdict("a", f"criterion {n}", each, 10, "") for n in range(9)],
                    warning="a long warning " * 9,
                )
                for name, each in (("Eve", 9), ("Ada " * 20, 10), ("Bob", 2.5))
            ]
        )
    )
    document, log = opened(page, tmp_path / "profile", CLICKS, width=500)
    found = re.search(r'data-seen="([^"]*)"', document)
    assert found, log
    seen = json.loads(found[1].replace("&quot;", '"'))
    assert [name[:3] for name in seen["most"]] == ["Ada", "Eve", "Bob"]
    assert [name[:3] for name in seen["least"]] == ["Bob", "Eve", "Ada"]
    assert [name[:3] for name in seen["names"]] == ["Ada", "Bob", "Eve"]
    assert seen["order"] == 1
    assert max(seen["heights"]) < 40  # one line
    assert seen["page"] <= seen["window"]
    assert "CONSOLE" not in log, log
