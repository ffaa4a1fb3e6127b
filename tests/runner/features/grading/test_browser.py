"""Overview of a class in a browser: headings sort the rows, and a narrow window scrolls the table only."""

from __future__ import annotations

from pathlib import Path

from runner.features.grading.course import overview
from runner.features.grading.marks import Marks, Verdict
from tests.browser import Browser, needs_browser

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


@needs_browser
def test_the_overview_sorts_its_rows_and_fits_a_narrow_window(browser: Browser, tmp_path: Path) -> None:
    page, marks = tmp_path / "index.html", []
    for name, each in (("Eve", 9), ("Ada " * 20, 10), ("Bob", 2.5)):
        verdicts = [Verdict("a", f"criterion {n}", each, 10, "") for n in range(9)]
        marks.append(Marks("title", name, "a.py", "mine", verdicts, warning="a long warning " * 9))
    page.write_text(overview(marks) + CLICKS, encoding="utf-8")
    seen, log = browser.opened(page, width=500)
    assert log == []
    assert [name[:3] for name in seen["most"]] == ["Ada", "Eve", "Bob"]
    assert [name[:3] for name in seen["least"]] == ["Bob", "Eve", "Ada"]
    assert [name[:3] for name in seen["names"]] == ["Ada", "Bob", "Eve"]
    assert seen["order"] == 1
    assert max(seen["heights"]) < 40  # one line
    assert seen["page"] <= seen["window"]
