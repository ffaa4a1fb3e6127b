"""The page in a browser: keyboard, slider, hover, both themes, narrow screens, and a silent console."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import runner.examples.sokoban

import runner
from algorithms.engine import Limits
from heuristics.interface import Stack
from runner.features.explorer.exploration import Exploration
from runner.features.explorer.planned import record
from runner.features.explorer.values import values_of
from tests.browser import Browser, needs_browser
from tests.runner.features.explorer.test_labels import recording as labelled
from tests.runner.features.explorer.test_spaces import Branching, lanes

assert runner.examples.sokoban
pytestmark = needs_browser

STEPS = """
<script>
window.requestAnimationFrame = draw => setTimeout(draw, 16);  // frames are rare in the browser's virtual time
addEventListener("load", () => setTimeout(async () => {
  const seen = {}, frame = async () => {
    await new Promise(done => setTimeout(done, 60));
    if (isQueued) draw();
  };
  const press = async (key, options) => {
    document.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true, ...options}));
    await frame();
  };
  const counts = () => [...document.querySelectorAll(".counts")].map(each => each.textContent);
  const moment = () => document.getElementById("moment").textContent;
  const canvas = document.querySelector("canvas");
  const copy = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const pixels = () => {
    copy.canvas.width = canvas.width;
    copy.canvas.height = canvas.height;
    copy.drawImage(canvas, 0, 0);
    const {data} = copy.getImageData(0, 0, canvas.width, canvas.height);
    let sum = 0;
    for (let i = 0; i < data.length; i += 7) sum += data[i];
    return sum;
  };
  const has = colours => {
    const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const isNear = (at, colour) => colour.every((part, i) => Math.abs(data[at + i] - part) < 12);
    return colours.map(colour => {
      let count = 0;
      for (let at = 0; at < data.length; at += 4) count += isNear(at, colour);
      return count;
    });
  };
  seen.opened = moment();
  seen.colours = has([[230, 184, 0], [176, 48, 96], [64, 64, 64]]);
  seen.box = views[0].box;
  const startOf = player => player.place && player.placeFirst[player.place[0]];
  seen.shadesOfStart = views.map(view => view.shade(startOf(view.player), "order"));
  await press("Home");
  seen.atStart = [moment(), ...counts()];
  const before = pixels();
  await press("ArrowRight");
  await press("ArrowRight");
  seen.afterTwo = [moment(), ...counts()];
  seen.hasChanged = pixels() !== before;
  await press("ArrowLeft");
  seen.back = moment();
  await press("End");
  seen.atEnd = [moment(), ...counts()];
  await press("Home");
  seen.home = moment();
  seen.isSame = pixels() === before;
  const slider = document.getElementById("slider");
  slider.value = 3;
  slider.dispatchEvent(new Event("input"));
  await frame();
  seen.bySlider = [moment(), ...counts()];
  seen.spoken = slider.getAttribute("aria-valuetext");
  const speed = document.getElementById("rate").textContent;
  await press("+");
  seen.isFaster = parseFloat(document.getElementById("rate").textContent) > parseFloat(speed);
  await press("Home");
  document.getElementById("speed").value = 60;
  await press(" ");
  seen.isPlaying = document.getElementById("play").textContent;
  for (let i = 0; i < 400 && document.getElementById("play").textContent.includes("Pause"); i++) await frame();
  seen.played = moment();
  await press("End");
  const box = canvas.getBoundingClientRect(), {x, y} = POINT;
  const at = {clientX: box.left + x(box), clientY: box.top + y(box), bubbles: true};
  canvas.dispatchEvent(new PointerEvent("pointermove", at));
  await frame();
  const tooltip = document.getElementById("tooltip");
  seen.tooltip = tooltip.hidden ? null : tooltip.innerText;
  seen.tooltipRight = tooltip.getBoundingClientRect().right;
  canvas.dispatchEvent(new PointerEvent("pointerdown", at));
  canvas.dispatchEvent(new PointerEvent("pointerup", at));
  await frame();
  seen.selected = document.querySelector(".selected summary").textContent;
  canvas.dispatchEvent(new PointerEvent("pointerleave", at));
  for (const option of document.getElementById("colour").options) {
    if (option.disabled) continue;
    document.getElementById("colour").value = option.value;
    document.getElementById("colour").dispatchEvent(new Event("change"));
    await frame();
  }
  document.getElementById("never").click();
  const view = document.getElementById("view");
  if (!document.getElementById("view-label").hidden) {
    view.value = "tree";
    view.dispatchEvent(new Event("change"));
    await frame();
  }
  const each = selector => [...document.querySelectorAll(selector)];
  seen.lists = each(".open-list, .closed-list").map(list => list.querySelectorAll("tbody tr").length);
  seen.facts = each(".facts").map(facts => facts.textContent);
  seen.label = canvas.getAttribute("aria-label");
  const boxes = each("h1, h2, p, .controls, .stage, canvas, button, label, input, select");
  const right = box => box.getBoundingClientRect().right;
  boxes.sort((a, b) => right(b) - right(a));
  [seen.widest, seen.widestIs] = [right(boxes[0]), boxes[0].outerHTML];
  seen.window = document.documentElement.clientWidth;
  seen.background = getComputedStyle(document.body).backgroundColor;
  seen.message = document.getElementById("message").textContent;
  document.body.dataset.seen = JSON.stringify(seen);
}, 600));
</script>
"""
CORNER = "{x: box => 20, y: box => 20}"


def opened(
    browser: Browser,
    exploration: Exploration,
    folder: Path,
    point: str = CORNER,
    script: str = STEPS,
    *,
    width: int = 1200,
    dark: bool = False,
) -> dict[str, Any]:
    """Return what the script has seen on the page. Nothing may be logged."""
    page = folder / "page.html"
    exploration.save(page)
    with open(page, "a", encoding="utf-8") as file:
        file.write(script.replace("POINT", point))
    seen, log = browser.opened(page, width=width, dark=dark, budget=30_000)
    assert log == []
    assert seen
    return seen


CAVE, PITS = (runner.load("wumpus/static")[number] for number in (0, 4))


def test_two_searches_on_a_map_are_played(browser: Browser, tmp_path: Path) -> None:
    exploration = runner.explore(CAVE, "astar", "pivots", against={"heuristic": ()})
    # The hunter starts in the lower left square.
    seen = opened(browser, exploration, tmp_path, "{x: box => box.width * 0.11, y: box => box.height * 0.82}")
    assert seen["opened"] == "971 of 971"
    assert seen["shadesOfStart"] == [0, 0]  # although the square was expanded last with the gold
    assert seen["atStart"] == ["0 of 971", *2 * ["expanded 0 · open 1 · closed 0 · nodes 1"]]
    first = "expanded 2 · open 6 · closed 2 · nodes 8"
    assert seen["afterTwo"][:2] == ["2 of 971", first]
    assert seen["hasChanged"]
    assert seen["back"] == "1 of 971"
    assert seen["atEnd"][0] == "971 of 971"
    assert "expanded 20 · open 55 · closed 20 · nodes 75 — solved, cost 25, 25 actions" in seen["atEnd"][1]
    assert "In all: expanded 971, generated 3,686" in seen["atEnd"][2]
    assert seen["home"] == "0 of 971"
    assert seen["isSame"]
    assert seen["bySlider"][0] == "3 of 971"
    assert seen["spoken"] == "3 of 971 expansions"
    assert seen["isFaster"]
    assert "Pause" in seen["isPlaying"]
    assert seen["played"] == "971 of 971"
    assert re.search(r"\(0, 0\) N\s+closed\s+0\s+25\s+25\s+25\s+1\b", seen["tooltip"]), seen["tooltip"]
    assert seen["tooltipRight"] <= seen["window"]
    assert seen["selected"].startswith("Selected")
    assert all(0 < rows <= 10 for rows in seen["lists"])
    assert "0 states where h overestimates" in seen["facts"][0]
    assert "1,342 of 1,417 reachable states never generated" in seen["facts"][0]
    assert seen["facts"][1].startswith("f = g, without a heuristic. 0 nodes reopened")
    assert seen["label"].startswith("astar with manhattan+pivots: expanded 20")
    assert seen["message"] == ""
    assert seen["widest"] <= seen["window"], seen["widestIs"]


LIGHT_OR_WIDE = [pytest.param(*each, marks=pytest.mark.long) for each in ((500, False), (1300, True))]


@pytest.mark.parametrize(("width", "dark"), [(500, True), *LIGHT_OR_WIDE])
def test_narrow_screens_and_the_dark_theme(browser: Browser, tmp_path: Path, width: int, dark: bool) -> None:
    exploration = runner.explore(PITS, "astar", "pivots")
    seen = opened(
        browser,
        exploration,
        tmp_path,
        "{x: box => box.width * 0.11, y: box => box.height * 0.82}",
        width=width,
        dark=dark,
    )
    assert seen["widest"] <= seen["window"], seen["widestIs"]
    assert seen["tooltipRight"] <= seen["window"]
    gold, wumpus, pit = seen["colours"]  # on the map, below the search, and in the legend
    assert gold > 100
    assert wumpus > 60
    assert pit > 2_000
    assert seen["background"] == ("rgb(22, 24, 28)" if dark else "rgb(255, 255, 255)")


@pytest.mark.parametrize("algorithm", ["idastar", pytest.param("bidirectional", marks=pytest.mark.long)])
def test_puzzles_are_trees(browser: Browser, tmp_path: Path, algorithm: str) -> None:
    puzzle = runner.load("npuzzle/random", size=[3, 3], count=1)[0]
    exploration = runner.explore(puzzle, algorithm, "manhattan", limits={"nodes": 100})
    # The root of a tree is in its first row.
    point = "{x: box => views[0].nodeX(0, false), y: box => views[0].nodeY(0, false)}"
    seen = opened(browser, exploration, tmp_path, point)
    assert seen["atEnd"][0] == "100 of 100"
    assert ("iteration" in seen["atEnd"][1]) == (algorithm == "idastar")
    start = puzzle.world.show(puzzle.world.initial()).split("\n")
    assert start[0] in seen["tooltip"]
    assert seen["box"] is None


PREDICTED = """
<script>
addEventListener("load", () => setTimeout(() => {
  const player = players[0], starts = new Set(player.starts), wrong = [];
  for (let step = 1; step < player.expanded.length; step++) {
    player.seek(step);
    if (!starts.has(step) && player.best(1)[0] !== player.expanded[step]) wrong.push(step);
  }
  const text = selector => document.querySelector(selector).textContent;
  const heads = [...document.querySelectorAll(".open-list th")].map(each => each.textContent);
  const hasF = !document.querySelector("#colour [value=f]").disabled;
  const seen = {wrong, facts: text(".facts"), title: text(".open-list summary"), heads, hasF};
  document.body.dataset.seen = JSON.stringify(seen);
}, 600));
</script>
"""
FAMILIES = {
    "bfs": ("layer by layer: first in, first out", "the oldest first"),
    "dfs": ("last in, first out", "the newest first"),
    "ids": ("last in, first out, down to a depth that rises by 1 with each iteration", "the newest first"),
    "beam": (
        "layer by layer, at most 20 nodes of each, the smallest f = g + h first",
        "by layers, in each the first",
    ),
    "astar": ("f = g + h", "the first by f, then h"),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] if name in ("dfs", "beam") else []) for name in FAMILIES]
)
def test_each_family_tells_its_order_and_lists_open_nodes_by_it(browser: Browser, name: str, tmp_path: Path) -> None:
    """The first open node is expanded next, but A* chooses among equals, and `ids` expands none at its limit."""
    puzzle = runner.load("npuzzle/random", size="2x3", count=1, seed=2)[0]
    algorithm = {"name": name, **({"width": 20} if name == "beam" else {})}
    exploration = runner.explore(puzzle, algorithm, "manhattan", limits={"nodes": 150})
    seen = opened(browser, exploration, tmp_path, script=PREDICTED)
    order, title = FAMILIES[name]
    assert seen["facts"].startswith(f"{order}. ")
    assert title in seen["title"]
    assert ("depth" in seen["heads"], "f" in seen["heads"]) == (name != "astar", name in ("beam", "astar"))
    assert seen["hasF"] == (name in ("beam", "astar"))
    assert not seen["wrong"] or name in ("astar", "ids")


def test_learned_values_are_shown_beside_h(browser: Browser, tmp_path: Path) -> None:
    world = runner.load("gridmap/random", count=1, size="9x7", kind="rooms", seed=18)[0]
    exploration = runner.explore(world, {"name": "lss_lrta", "lookahead": 3}, "octile")
    start = "{x: box => views[0].nodeX(0, true), y: box => views[0].nodeY(0, true)}"
    seen = opened(browser, exploration, tmp_path, start)
    assert "iteration 22" in seen["atEnd"][1]
    assert seen["facts"][0].startswith("f = g + h, with the learned h. 0 states where h overestimates")
    values = values_of(exploration.recordings[0], 1_000)
    h, learned = (
        world.world.user_cost(int(each)) for each in (values.h[0], values.learned.h[values.learned.node == 0][-1])
    )
    assert h < learned
    columns = r"state\s+g\s+h\s+learned h\s+h\*\s+f\s+expanded"
    assert re.search(rf"{columns}.*\s{h:.4g}\s+{learned:.4g}\s", seen["tooltip"], re.DOTALL), seen["tooltip"]


BOX = """
<script>
addEventListener("load", () => setTimeout(() => {
  document.body.dataset.seen = JSON.stringify({box: views[0].box});
}, 600));
</script>
"""


def test_a_small_tree_shows_the_boards(browser: Browser, tmp_path: Path) -> None:
    puzzle = runner.load("npuzzle/random", size=[3, 3], shuffle="walk", steps=14, count=1)[0]
    seen = opened(browser, runner.explore(puzzle, "astar", "manhattan"), tmp_path, script=BOX)
    assert seen["box"]["font"] >= 7
    assert seen["box"]["height"] * 9 < 560  # levels


def test_a_world_in_plain_python_with_positions(browser: Browser, tmp_path: Path) -> None:
    level = runner.load("sokoban")[-1]
    seen = opened(browser, runner.explore(level, "astar", limits={"nodes": 50}), tmp_path, "{x: box => 5, y: box => 5}")
    assert seen["atEnd"][0] == "50 of 50"


def test_a_search_that_expands_nothing_says_so(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "odd.txt").write_text("1 2 3 4 5 6 8 7 0\n", encoding="utf-8")
    puzzle = runner.load("npuzzle/file", path=str(tmp_path / "odd.txt"), size=[3, 3])[0]
    seen = opened(browser, runner.explore(puzzle, "astar", "manhattan"), tmp_path)
    assert seen["message"] == "Nothing was expanded: unsolvable (odd parity)."


LONGEST_LINE = """
<script>
let pen, longest = 0;
const {moveTo, lineTo} = CanvasRenderingContext2D.prototype;
CanvasRenderingContext2D.prototype.moveTo = function (x, y) { pen = [x, y]; moveTo.call(this, x, y); };
CanvasRenderingContext2D.prototype.lineTo = function (x, y) {
  longest = Math.max(longest, Math.abs(x - pen[0]), Math.abs(y - pen[1]));
  pen = [x, y];
  lineTo.call(this, x, y);
};
addEventListener("load", () => setTimeout(() => {
  document.dispatchEvent(new KeyboardEvent("keydown", {key: "End", bubbles: true}));
  draw();
  document.body.dataset.seen = JSON.stringify({longest, width: document.querySelector("canvas").clientWidth});
}, 600));
</script>
"""


def test_a_line_on_a_torus_leaves_at_one_edge_and_enters_at_the_other(browser: Browser, tmp_path: Path) -> None:
    board = runner.load("snake/random", rows=4, columns=5, candies=2, seed=3, count=1)[0]
    made = runner.explore(board, "astar", "remaining")
    seen = opened(browser, made, tmp_path, script=LONGEST_LINE)
    assert 0.15 < seen["longest"] / seen["width"] < 0.21, "a step is a fifth of the width"


TABLES = """
<script>
addEventListener("load", () => setTimeout(() => {
  const texts = [...document.querySelectorAll(".facts, .counts")].map(each => each.textContent);
  const last = row => row.lastElementChild.textContent;
  const labels = player => [...table(player, [0, 2, 4]).tBodies[0].rows].map(last);
  const atEnd = labels(players[0]);
  players[0].seek(3);
  document.body.dataset.seen = JSON.stringify({texts, atEnd, before: labels(players[0])});
}, 600));
</script>
"""


def test_the_tables_of_the_page_have_the_labels_so_far_and_the_plans_at_the_end(
    browser: Browser, tmp_path: Path
) -> None:
    seen = opened(browser, Exploration([labelled()], max_states=10), tmp_path, script=TABLES)
    assert "solved, cost 4, 3 actions, the first of 2 plans" in seen["texts"][0]
    assert "5 labels expanded, at most 2 at a state" in seen["texts"][1]
    assert seen["atEnd"] == ["1: (0, 0)", "1: (3, 2)", "2: (4, 8), (6, 5)"]
    assert seen["before"] == ["1: (0, 0)", "", ""]


def test_the_page_has_the_texts_of_nodes_of_an_own_space(browser: Browser, tmp_path: Path) -> None:
    exploration = Exploration([record(lanes(tmp_path, 2), Branching(), Stack(), None, Limits())])
    root = "{x: box => views[0].nodeX(0, false), y: box => views[0].nodeY(0, false)}"
    seen = opened(browser, exploration, tmp_path, root)
    assert re.match(r"node\s+cost\s+expanded\s+branch 0\s+with its paths\s+closed\s+5\s+1", seen["tooltip"])
