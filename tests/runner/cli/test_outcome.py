"""The table at the end of a sweep: cells, or sums over cells."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest

from runner.cli.outcome import show_sweep
from runner.records.totals import Totals

STATUSES = ("solved", "unsolvable", "node_limit", "error")


def table(capsys: pytest.CaptureFixture[str], *axes: Sequence[str]) -> tuple[list[list[str]], str]:
    """Return the lines of the table of a sweep with a row of each status in every cell, and the last line.

    Above the table are the overrides of all cells, and in a summary what was swept.
    """
    overrides = {str(number): ["seed=1", *texts] for number, texts in enumerate(itertools.product(*axes))}
    cells = [Totals(Path("a sweep", name)) for name in overrides]
    for cell in cells:
        for status in STATUSES:
            cell.add({"status": status, "expanded": "5", "error": "bad" if status == "error" else ""})
    show_sweep(cells, overrides, Path("a sweep"))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "in all cells: seed=1"
    is_summary = lines[1].startswith("swept: ")
    found = lines[2 + is_summary : -3]
    return [[field.strip() for field in line.strip("┃│").split("┃│"[line[0] == "│"])] for line in found], lines[-1]


SIZES = [f"world.size={size}" for size in range(4, 11)]
HEURISTICS = [f"heuristic={name}" for name in ("none", "manhattan", "pivots")]
ALGORITHMS = [f"algorithm={name}" for name in ("astar", "greedy", "ees", "focal", "ara")]
WEIGHTS = [f"weighting.weight={weight}" for weight in range(9)]


def test_a_small_sweep_has_a_line_for_each_cell(capsys: pytest.CaptureFixture[str]) -> None:
    (header, _, *lines), last = table(capsys, SIZES[:4], HEURISTICS[:2])
    assert header == ["cell", "rows", "errors", "solved", "unsolvable", "node_limit", "expanded"]
    assert lines[3] == ["3 world.size=5 heuristic=manhattan", "4", "1", "1", "1", "1", "20"]
    assert len(lines) == 8
    assert last == "for tables and charts: python -m runner report 'a sweep'"


@pytest.mark.parametrize(("of_second", "is_shown"), [("11", False), ("12", True), ("", False)])
def test_simulated_actions_are_shown_where_a_cell_has_macro_actions(
    capsys: pytest.CaptureFixture[str], of_second: str, is_shown: bool
) -> None:
    cells = [Totals(Path("a sweep", name)) for name in "01"]
    for cell, simulated in zip(cells, ("11", of_second), strict=True):
        cell.add({"status": "solved", "generated": "10", "simulated_actions": simulated})
    show_sweep(cells, {"0": ["seed=0"], "1": ["seed=1"]}, Path("a sweep"))
    assert ("simulated actions" in capsys.readouterr().out) is is_shown


@pytest.mark.parametrize(
    ("axes", "labels", "cells"),
    [
        ((SIZES, HEURISTICS), HEURISTICS, 7),
        ((SIZES[:3], HEURISTICS), HEURISTICS, 3),
        ((SIZES, ["algorithm=ucs", "algorithm=astar"], HEURISTICS[:2]), [
            "algorithm=ucs heuristic=none", "algorithm=ucs heuristic=manhattan", "algorithm=astar heuristic=none",
            "algorithm=astar heuristic=manhattan",
        ], 7),
        ((HEURISTICS, WEIGHTS), HEURISTICS, 9),
        (([f"world.seed={seed}" for seed in range(30)], SIZES), SIZES, 30),
        ((ALGORITHMS, HEURISTICS, WEIGHTS[:4]), [f"{a} {h}" for a in ALGORITHMS for h in HEURISTICS], 4),
        ((ALGORITHMS, WEIGHTS), ALGORITHMS, 9),
        (([f"algorithm.seed={seed}" for seed in range(4)], HEURISTICS), HEURISTICS, 4),
    ],
)  # fmt: skip
def test_many_cells_are_summed_up(
    capsys: pytest.CaptureFixture[str], axes: tuple[list[str], ...], labels: list[str], cells: int
) -> None:
    (header, _, *lines), _ = table(capsys, *axes)
    assert header[:3] == ["summary", "cells", "rows"]
    counts = [str(cells), str(4 * cells), *[str(cells)] * 4, str(20 * cells)]
    assert lines == [[label, *counts] for label in labels]


@pytest.mark.parametrize(
    ("folders", "labels"),
    [
        (["a/4", "b/4"], ["a/4 algorithm=a", "b/4 algorithm=b"]),
        (["algorithm=a,world=npuzzle/file", "algorithm=b,world=npuzzle/file"], ["algorithm=a", "algorithm=b"]),
    ],
)
def test_cells_are_told_apart_by_their_whole_folders(
    capsys: pytest.CaptureFixture[str], folders: list[str], labels: list[str]
) -> None:
    """hydra.sweep.subdir may have a slash, and so may a value in hydra.job.override_dirname."""
    sweep = Path("a sweep")
    cells = [Totals(sweep / folder) for folder in folders]
    for cell in cells:
        cell.add({"status": "solved"})
    show_sweep(cells, {folder: [f"algorithm={name}"] for folder, name in zip(folders, "ab", strict=True)}, sweep)
    lines = [line.strip("│").split("│") for line in capsys.readouterr().out.splitlines() if line.startswith("│")]
    assert [(line[0].strip(), line[1].strip()) for line in lines] == [(label, "1") for label in labels]


def test_a_summary_begins_with_what_was_swept(capsys: pytest.CaptureFixture[str]) -> None:
    weights = [f"weighting.weight={weight}" for weight in range(14)]
    overrides = {
        str(number): list(texts)
        for number, texts in enumerate(itertools.product(["+experiment=/lab/e.yaml"], ALGORITHMS[:2], SIZES, weights))
    }
    cells = [Totals(Path("a sweep", name)) for name in overrides]
    overrides["0"][0] = f"+experiment={Path.cwd() / 'mine' / 'e.yaml'}"
    show_sweep(cells, overrides, Path("a sweep"))
    assert capsys.readouterr().out.splitlines()[0] == (
        "swept: +experiment=mine/e.yaml,/lab/e.yaml algorithm=astar,greedy world.size=4,5,6,7,8,9,10 "
        "weighting.weight=0,1,2,3,4,5,6,7,8,9,10,11,... (14 values)"
    )


def test_many_values_of_one_key_have_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    (header, _, *lines), _ = table(capsys, [f"world.size={size}" for size in range(120)])
    assert header[0] == "cell"
    assert [line[0] for line in lines[-2:]] == ["99 world.size=99", "... 20 more"]


def test_cells_of_different_searches_have_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    algorithms = [f"algorithm={name}" for name in ("astar", "greedy", "idastar", "lazy")]
    (header, _, *lines), _ = table(capsys, algorithms, HEURISTICS)
    assert (header[0], len(lines), lines[-1][0]) == ("cell", 12, "11 algorithm=lazy heuristic=pivots")


def test_each_cause_of_errors_has_one_line_with_the_log_of_its_cell(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    overrides = {str(number): [*texts] for number, texts in enumerate(itertools.product(HEURISTICS[1:], SIZES * 2))}
    cells = [Totals(tmp_path / name) for name in overrides]
    errors = {
        3: ["KeyError: 'car1'", "KeyError: (2, 3)"],
        5: [f"ValueError: heuristic 'h1' gave {-k} for the state {{(at {k}) (on {k})}}; expected 0" for k in (1, 20)],
        9: ["ValueError: heuristic 'h2' gave -1 for the state (3, 4); expected 0", "OSError: <file at 0x7f2a>"],
        12: ["OSError: <file at 0x7f2b>", "KeyError: 7"],
    }
    for number, cell in enumerate(cells):
        cell.directory.mkdir()
        (cell.directory / "runner.log").touch()
        for error in errors.get(number, ()):
            cell.add({"status": "error", "error": error})
    show_sweep(cells, overrides, tmp_path)
    assert capsys.readouterr().err.splitlines() == [
        f"{count} with error: {errors[cell][place]} (see {tmp_path / str(cell) / 'runner.log'})"
        for count, cell, place in (("3 rows", 3, 0), ("2 rows", 5, 0), ("1 row", 9, 0), ("2 rows", 9, 1))
    ]


def test_a_narrow_summary_has_one_line_per_search_as_it_ran(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runner.base.standard_output._PLAIN_WIDTH", 80)
    algorithms = ["algorithm=ucs", "algorithm=weighted_astar"]
    overrides = {
        str(number): list(texts)
        for number, texts in enumerate(itertools.product(algorithms, HEURISTICS[1:], SIZES[:5]))
    }
    cells = [Totals(Path("a sweep", name)) for name in overrides if name not in "56789"]
    for cell in cells:
        heuristic = "none" if "algorithm=ucs" in overrides[cell.directory.name] else "any"
        row = dict.fromkeys(("cost", "reward", "generated", "expanded"), "5000")
        cell.add({"status": "solved", "heuristic": heuristic, "search_seconds": "5", **row})
    show_sweep(cells, overrides, Path("a sweep"))
    lines = capsys.readouterr().out.splitlines()[:-2]
    assert max(map(len, lines)) <= 80
    summary = lines.index(next(line for line in lines if line.startswith(" summary")))
    counts = ["5", "5", "5", "25,000", "25,000", "25,000", "25,000", "25.00", "s"]
    assert [line.split() for line in lines[summary + 2 : -1]] == [
        ["algorithm=ucs", *counts], ["heuristic=none"],
        ["algorithm=weighted_", *counts], ["astar"], ["heuristic=manhattan"],
        ["algorithm=weighted_", *counts], ["astar"], ["heuristic=pivots"],
    ]  # fmt: skip
