"""Traces as JSON lines and for Posthoc, pages in notebooks, and errors."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import pytest
import yaml

import runner
from runner.base.errors import UserError
from runner.features.explorer import content
from worlds.interface.python_world import PythonWorld

CAVE = runner.load("wumpus/static")[0]


def test_a_trace_has_a_line_for_every_node_and_expansion(tmp_path: Path) -> None:
    runner.explore(CAVE, "astar", "pivots").save(tmp_path / "trace.jsonl", "trace")
    lines = [json.loads(line) for line in (tmp_path / "trace.jsonl").read_text(encoding="utf-8").splitlines()]
    result = runner.solve(CAVE, "astar", "pivots")
    assert lines[0] == {
        "type": "search", "world": "wumpus/static", "instance": "unibz_w1", "algorithm": "astar",
        "heuristic": "manhattan+pivots", "weighting": None, "priority": "f = g + h",
    }  # fmt: skip
    nodes = [line for line in lines if line["type"] == "node"]
    assert [node["node"] for node in nodes] == list(range(len(nodes)))
    assert (nodes[0]["state"], nodes[0]["x"], nodes[0]["y"], nodes[0]["h_star"]) == ("(0, 0) N", 0, 0, result.cost)
    expansions = [line for line in lines if line["type"] == "expansion"]
    assert len(expansions) == result.expanded
    assert sum(len(line["successors"]) for line in expansions) == result.generated
    assert all(line["f"] == line["g"] + nodes[line["node"]]["h"] for line in expansions)
    cost = {(line["node"], child): c for line in expansions for child, c in line["successors"]}
    end = lines[-1]
    assert (end["type"], end["status"], end["cost"], end["expanded"]) == ("end", "solved", 25, result.expanded)
    assert sum(cost[step] for step in zip(end["plan"], end["plan"][1:], strict=False)) == result.cost


def test_a_trace_has_learned_values_and_searches_by_them(tmp_path: Path) -> None:
    algorithm = {"name": "rtaa", "lookahead": 3}
    runner.explore(CAVE, algorithm, "manhattan").save(tmp_path / "trace.jsonl", "trace")
    lines = [json.loads(line) for line in (tmp_path / "trace.jsonl").read_text(encoding="utf-8").splitlines()]
    h = {line["node"]: line["h"] for line in lines if line["type"] == "node"}
    raised = 0
    for line in lines:
        if line["type"] == "expansion":
            assert (line["h"], line["f"]) == (h[line["node"]], line["g"] + h[line["node"]])
            for node, value in line.get("learned", []):
                assert value > h[node]
                h[node] = value
                raised += 1
    assert raised > 0
    iterations = [line["iteration"] for line in lines if line["type"] == "expansion"]
    assert iterations[-1] == runner.solve(CAVE, algorithm, "manhattan").iterations


def loaded(file: Path) -> Any:
    """Return the content of a YAML file, read by libyaml if it is there: in Python it takes a second."""
    return yaml.load(file.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))


@pytest.mark.parametrize("algorithm", ["astar", "idastar"])
def test_a_trace_for_posthoc_has_its_events(tmp_path: Path, algorithm: str) -> None:
    runner.explore(CAVE, algorithm, "pivots").save(tmp_path / "x.trace.yaml", "posthoc")
    trace = loaded(tmp_path / "x.trace.yaml")
    assert set(trace) == {"version", "views", "pivot", "events"}
    assert trace["version"] == "1.4.0"
    assert trace["views"]["main"][0]["$"] == "rect"
    events = trace["events"]
    kinds = [event["type"] for event in events]
    assert (kinds[0], kinds[1], kinds[-1]) == ("source", "expanding", "destination")
    assert set(kinds) <= {"source", "destination", "generating", "updating", "expanding", "closing"}
    assert kinds.count("expanding") == runner.solve(CAVE, algorithm, "pivots").expanded
    known = set()
    for event in events:
        assert event["pId"] is None or event["pId"] in known
        assert {"id", "x", "y", "g", "f"} <= set(event)
        known.add(event["id"])


def test_puzzles_have_no_map_in_posthoc(tmp_path: Path) -> None:
    puzzle = runner.load("npuzzle/random", size=[2, 3], count=1)[0]
    runner.explore(puzzle, "astar", "manhattan").save(tmp_path / "x.yaml", "posthoc")
    trace = loaded(tmp_path / "x.yaml")
    assert trace["views"] == {"main": []}
    assert "x" not in trace["events"][0]


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    both = runner.explore(CAVE, "astar", "pivots", against={"heuristic": ()})
    assert [recording.name for recording in both.recordings] == ["astar with manhattan+pivots", "astar"]
    for call, message in (
        (lambda: both.save(tmp_path / "x", "trace"), "a trace has one search"),
        (lambda: both.save(tmp_path / "x.gif"), "an animation has one search"),
        (lambda: both.save(tmp_path / "x.bmp"), r"x.bmp: expected the extension of a page .* choose from: .html, .gif"),
        (lambda: both.save(tmp_path / "x", "svg"), "format: expected page, trace, posthoc, got 'svg'"),
        (lambda: runner.explore(CAVE, against={"heuristics": ()}), "did you mean 'heuristic'"),
    ):
        with pytest.raises(UserError, match=message):
            call()
    assert list(tmp_path.iterdir()) == []


def test_a_notebook_shows_the_page() -> None:
    shown = runner.explore(CAVE, "astar", "pivots")._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert "&lt;!doctype html&gt;" in shown
    assert "http://" not in shown
    assert "https://" not in shown


class Line(PythonWorld):
    """World with a position for each state."""

    def initial(self) -> int:
        return 0

    def successors(self, state: int) -> list[tuple[str, int, int]]:
        return [("on", state + 1, 1)] if state < 4 else []

    def is_goal(self, state: int) -> bool:
        return state == 3

    def locate(self, state: int) -> Any:
        return (state, 0)


class Nowhere(Line):
    """World whose positions are wrong."""

    def locate(self, state: int) -> Any:
        return "here"


class Unshown(Line):
    """World that cannot show its states."""

    def show(self, state: int) -> str:
        raise ZeroDivisionError("no text")


def test_positions_and_texts_of_plain_worlds() -> None:
    html = runner.explore(next(iter(Line().instances()))).html
    assert len(html) < 100_000
    with pytest.raises(UserError, match=r"cannot be shown(?s:.*)locate: expected a position \(x, y\), got 'here'"):
        _ = runner.explore(next(iter(Nowhere().instances()))).html
    with pytest.raises(UserError, match=r"cannot be shown(?s:.*)in show(?s:.*)ZeroDivisionError: no text"):
        _ = runner.explore(next(iter(Unshown().instances()))).html


def test_a_page_that_is_too_large_has_the_beginning_of_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = runner.load("npuzzle/korf100", instances=[12])[0]
    exploration = runner.explore(puzzle, "astar", "manhattan", limits={"nodes": 2_000})
    monkeypatch.setattr(content, "MAX_BYTES", 60_000)
    monkeypatch.setattr(content, "MAX_STEPS", 2_000)
    monkeypatch.setattr(content, "MAX_NODES", 4_000)
    smaller = content.page_data(puzzle, exploration.recordings, 10)
    assert len(smaller) <= 60_000 < len(content._encoded(puzzle, searches(exploration)))
    data = zlib.decompress(base64.b64decode(smaller))
    header = json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])
    (run,), arrays = header["runs"], header["arrays"]
    assert arrays[run["expanded"]][1] in (1_000, 500)
    assert (run["expansions"], run["counts"]["expanded"], run["plan"]) == (2_000, 2_000, [])


def searches(exploration: Any) -> list[Any]:
    return [content._Search.of(each, 10, None) for each in exploration.recordings]


def test_texts_end_at_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "MAX_TEXT_BYTES", 0)
    texts = content.Texts()
    long = [str(number) * 60_000 for number in range(9)]
    numbers = [texts.number(each) for each in long]
    assert numbers[0] == 0
    assert numbers[-1] == -1
    assert texts.number(long[0]) == 0
