"""Report page in a browser: it loads, sorts and filters its tables without errors. Its address has what is shown."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from runner.features.reports.report import main
from tests.browser import Browser, needs_browser
from tests.runner.features.reports.rows import row, write

ALL = ("--tables", "all", "--charts", "all")
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


def opened(browser: Browser, page: Path, script: str, width: int = 1200, address: str = "") -> dict[str, Any]:
    """Return what a script has seen on a page. No error may be logged."""
    with open(page, "a", encoding="utf-8") as file:
        file.write(script)
    seen, log = browser.opened(page, address, width=width)
    assert log == []
    assert seen
    return seen


@needs_browser
def test_the_page_sorts_its_tables_without_errors(browser: Browser, tmp_path: Path) -> None:
    stacks = ["none", *("+".join(f"h{k}" for k in range(1, n)) for n in (2, 11, 20))]
    rows = [
        row(f"i{number}", stack, expanded=value + place, search_seconds=0.001 * value, cost=9)
        for number, value in ((10, 1200), (9, 30), (2, 400))
        for place, stack in enumerate(stacks)
    ]
    write(tmp_path / "metrics.csv", rows)
    assert main([str(tmp_path), *ALL]) == 0
    seen = opened(browser, tmp_path / "report" / "report.html", CLICKS)
    assert seen["first"] == ["i10", "i9", "i2"]
    assert (seen["ascending"], seen["sorted"]) == (["30", "400", "1,200"], "ascending")
    assert seen["descending"] == ["1,200", "400", "30"]
    assert seen["names"] == ["i2", "i9", "i10"]
    assert seen["total"] == "SUM"
    assert seen["charts"] >= 4
    assert seen["widest"] <= seen["window"]
    assert seen["page"] <= seen["window"]


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
  named: [...document.querySelectorAll(".canvas")].every(
    each => document.getElementById(each.getAttribute("aria-labelledby")))};
document.body.dataset.seen = JSON.stringify(seen);
</script>
"""


@needs_browser
def test_a_narrow_page_scrolls_tables_in_frames_and_filters_rows(browser: Browser, tmp_path: Path) -> None:
    names = [f"a_long_name_of_a_heuristic_{n}" for n in range(6)]
    rows = [row(f"i{n}", h, expanded=n + len(h), cost=9) for n in range(1, 41) for h in names]
    write(tmp_path / "metrics.csv", rows)
    assert main([str(tmp_path), *ALL]) == 0
    seen = opened(browser, tmp_path / "report" / "report.html", FILTER, width=500)
    assert seen["visible"] == ["i1", *(f"i1{n}" for n in range(10))]
    assert seen["page"] <= seen["window"]
    assert abs(seen["column"]) < 2
    assert abs(seen["heading"]) < 2
    assert seen["named"]


FIRST = """
<script>
const visible = selector => [...document.querySelectorAll(selector)].filter(each => each.checkVisibility());
const frames = visible(".frame, .canvas");
const seen = {page: document.documentElement.scrollWidth, window: document.documentElement.clientWidth,
  cut: frames.filter(each => each.scrollWidth > each.clientWidth).map(each => each.outerHTML.slice(0, 99)),
  notes: visible(".notes").length,
  headings: visible("h2").map(each => each.textContent), charts: visible("figure").length,
  cells: visible("#summary td").map(each => getComputedStyle(each, "::before").content)};
document.body.dataset.seen = JSON.stringify(seen);
</script>
"""


@needs_browser
@pytest.mark.parametrize(
    ("options", "headings"),
    [
        ((), ["Configurations", "Pairs: expanded"]),
        pytest.param(
            ("--by", "world"),
            ["Configurations", "successes by world", "cost by world", "expanded by world", "Pairs: expanded"],
            marks=pytest.mark.long,
        ),
        pytest.param(("--tables", "statuses,pairs"), ["Statuses", "Pairs: expanded"], marks=pytest.mark.long),
    ],
    ids=["default", "by", "table"],
)
def test_the_page_has_what_a_course_needs_and_nothing_is_cut(
    browser: Browser, tmp_path: Path, options: tuple[str, ...], headings: list[str]
) -> None:
    """Answers, warnings, refuted claims, one chart for each world, configurations, and what was asked for."""
    names = [f"a_long_name_of_a_heuristic_{n}" for n in range(3)]
    made = [
        row(f"{world}-{n}", h, world=f"w/{world}", expanded=n + 9**k, cost=9, bound=1)
        for k, h in enumerate(names)
        for world in (1, 2, 3)
        for n in range(8)
    ]
    made[0]["cost"] = 12
    made.append(row("i9", names[0], status="error", error="ValueError: x" * 20))
    write(tmp_path / "metrics.csv", made)
    assert main([str(tmp_path), *options]) == 1
    seen = opened(browser, tmp_path / "report" / "report.html", FIRST, width=500)
    assert seen["page"] <= seen["window"]
    assert (seen["cut"], seen["notes"], seen["charts"]) == ([], 2, 3)
    assert seen["headings"] == headings
    assert set(seen["cells"]) <= {f'"{name}"' for name in ("rows", "successes", "coverage", "cost", "expanded")}


@needs_browser
def test_the_log_of_the_browser_has_errors_of_scripts(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<script>nothing.there()</script>", encoding="utf-8")
    _, (line,) = browser.opened(page)
    assert "nothing is not defined" in line


SHOWN = """
<script>
const table = document.querySelector("#expanded table"), controls = document.querySelector("#expanded .controls");
const texts = cells => [...cells].filter(cell => !cell.hidden).map(cell => cell.textContent.trim());
const look = () => ({headings: texts(table.tHead.rows[0].cells), sorted: table.querySelectorAll("[aria-sort]").length,
  rows: [...table.tBodies[0].rows].filter(row => !row.hidden).map(row => texts(row.cells)),
  totals: texts(table.tFoot.rows[0].cells), count: controls.querySelector("output").textContent,
  fields: !table.tHead.rows[1].hidden, reset: !controls.querySelector("button:disabled"), scrolled: scrollY > 0});
const type = (input, value) => { input.value = value; input.dispatchEvent(new Event("input")); };
%s
setTimeout(() => { document.body.dataset.seen = JSON.stringify({...look(), address: location.hash}); }, 2000);
</script>
"""
ACT = """
type(controls.querySelector("input"), "I1");
type(table.tHead.rows[1].querySelectorAll("input")[2], ">=1,013");
const box = controls.querySelectorAll("[type=checkbox]")[0];
box.checked = false; box.dispatchEvent(new Event("input"));
table.tHead.rows[0].cells[2].firstChild.click(); table.tHead.rows[0].cells[2].firstChild.click();
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a page whose table `expanded` has 20 rows."""
    folder = tmp_path_factory.mktemp("browser")
    rows = [row(f"i{n}", h, expanded=n + start) for n in range(20) for h, start in (("a=b&c", 5), ("<b>x</b>", 1000))]
    write(folder / "metrics.csv", rows)
    assert main([str(folder), *ALL]) == 0
    return folder / "report" / "report.html"


def shown(browser: Browser, page: Path, address: str = "", script: str = "") -> dict[str, Any]:
    """Return what the table `expanded` shows at an address, after a script."""
    copy = page.with_name("copy.html")
    shutil.copy(page, copy)
    return opened(browser, copy, SHOWN % script, address=address)


@needs_browser
def test_the_address_of_a_filtered_view_shows_the_same_view(browser: Browser, page: Path) -> None:
    everything = shown(browser, page)
    assert (len(everything["rows"]), everything["count"], everything["address"]) == (20, "20 rows", "")
    assert (everything["totals"], everything["reset"]) == (["SUM", "290", "20,190"], False)

    made = shown(browser, page, script=ACT)
    assert made["headings"] == ["instance", "<b>x</b>"]
    assert made["rows"] == [[f"i{n}", f"{1000 + n:,}"] for n in range(19, 12, -1)]
    assert made["totals"] == ["SUM (all rows)", "20,190"]
    assert made["count"] == "7 of 20 rows · any column: I1 · <b>x</b>: >=1,013 · 1 hidden column"
    assert made["address"].startswith("#expanded?")

    linked = shown(browser, page, made["address"])
    assert {**linked, "fields": True, "scrolled": True} == linked
    assert {**made, "fields": True, "scrolled": True} == linked

    reset = "[...controls.querySelectorAll('button')].at(-1).click();"
    assert shown(browser, page, made["address"], reset)["rows"] == everything["rows"]
    moved = shown(browser, page, made["address"], "location.hash = 'summary';")
    assert moved["rows"] == made["rows"]
    assert moved["address"] == made["address"].replace("#expanded?", "#summary?")


@needs_browser
@pytest.mark.parametrize(
    "address",
    [
        "#<img src=x onerror=nothing.there()>?expanded.where.nothing=1&expanded.hide=instance&expanded.up=nothing",
        "#%E0%A4%A?%E0%A4%A=%&__proto__.text=i1&expanded.__proto__=1&expanded.where.__proto__=1&expanded.down=constructor",
        "#expanded?expanded.text=i1&" + "x" * 30_000,
        "#expanded?expanded.text=" + "i1" * 200,
        "#?expanded.where.instance=%3E%3D",
    ],
    ids=["unknown", "malformed", "long", "long text", "incomplete"],
)
def test_a_wrong_address_filters_nothing(browser: Browser, page: Path, address: str) -> None:
    seen = shown(browser, page, address)
    assert len(seen["rows"]) == 20
    assert len(seen["headings"]) == 3
    assert seen["sorted"] == 0


@needs_browser
def test_an_address_adds_no_elements(browser: Browser, page: Path) -> None:
    script = "<img src=x onerror=nothing.there()>"
    seen = shown(browser, page, f"#expanded?expanded.text={script}")
    assert seen["count"] == f"0 of 20 rows · any column: {script}"


def test_without_scripts_a_page_has_no_controls(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    text = re.sub("<(script|template)>.*?</\\1>", "", text, flags=re.DOTALL)
    assert not re.search("<(button|input)", text)
