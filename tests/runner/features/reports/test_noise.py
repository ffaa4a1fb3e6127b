"""Notes where the noise of times is larger than a difference that the report names."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runner.execution.repetitions import outside_of_interval
from runner.features.reports.comparisons import Condition
from runner.features.reports.content import Choices, compose
from runner.features.reports.noise import Difference, _on_medians
from runner.features.reports.runs import load
from tests.runner.features.reports.rows import row, write
from tests.runner_cli import run

REMEDY = "measure again on an idle machine, with pin=true (docs/measuring.md)"


def cell(folder: Path, heuristic: str, seconds: Sequence[float], **values: object) -> None:
    """Write a cell with one row for each search time."""
    made = [
        row(f"i{n}", heuristic, search_seconds=each, expanded=5, **{"measured_by": "process", **values})
        for n, each in enumerate(seconds)
    ]
    write(folder / "metrics.csv", made)


def interfere(folder: Path, **section: Any) -> None:
    """Write the environment of a cell with this interference."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "environment.json").write_text(json.dumps({"interference": {"processors": 2, **section}}))


def notes(folder: Path, **choices: Any) -> list[str]:
    return compose([folder], Choices(has_pictures=False, **choices)).notes


def two_cells(folder: Path, factor: float = 1.02, **values: object) -> None:
    cell(folder / "0", "a", range(1, 7), **values)
    cell(folder / "1", "b", [n * factor for n in range(1, 7)], **values)


def test_interference_that_is_larger_than_the_difference_is_noted(tmp_path: Path) -> None:
    two_cells(tmp_path)
    interfere(tmp_path / "0", waiting_share=0.01)
    interfere(tmp_path / "1", waiting_share=0.065)
    assert notes(tmp_path) == [
        "the search times of b and a differ by 2 %, which interference in cell 1 (searches waited for a processor "
        f"during 6.5 % of the time) may explain; {REMEDY}"
    ]
    assert notes(tmp_path, metrics=["expanded"]) == []  # no times are shown


def test_a_metric_that_follows_from_times_is_noisy_too(tmp_path: Path) -> None:
    two_cells(tmp_path)
    interfere(tmp_path / "1", waiting_share=0.065)
    choices = Choices(derive=["rate = expanded / search_seconds", "double = expanded * 2"], has_pictures=False)
    found = [compose([tmp_path], replace(choices, metrics=[name])).notes for name in ("rate", "double")]
    assert found[0][0].startswith("the values of rate of b and a differ by 2 %, which interference in cell 1 (")
    assert found[1] == []


@pytest.mark.parametrize(
    ("share", "is_noted"), [(0.3, False), (0.34, True), pytest.param(1.0, True, marks=pytest.mark.long)]
)
def test_a_wait_of_a_third_makes_times_longer_by_half(tmp_path: Path, share: float, is_noted: bool) -> None:
    two_cells(tmp_path, 1.5)
    interfere(tmp_path / "1", waiting_share=share)
    assert bool(notes(tmp_path)) == is_noted


def test_a_large_interference_is_noted_where_no_difference_is_named(tmp_path: Path) -> None:
    cell(tmp_path / "0", "a", [1.0, 2.0])
    for share, seconds, shown in ((0.05, 9, False), (0.12, 0.09, False), (0.12, 9, True)):
        interfere(tmp_path / "0", steal_share=share, wall_seconds=seconds)
        assert bool(notes(tmp_path)) == shown
    assert notes(tmp_path) == [
        "search times: interference in cell 0 (the host of the virtual machine withheld its processors during 12 % of "
        f"the time); {REMEDY}"
    ]


@pytest.mark.parametrize(("loads", "is_noted"), [((0.5, 1.5), False), ((0.5, 3.0), True), ((None, None), False)])
def test_a_program_may_wait_for_its_input(
    tmp_path: Path, loads: tuple[float | None, float | None], is_noted: bool
) -> None:
    """Unless more processes wanted to run than there are processors."""
    two_cells(tmp_path, measured_by="proc")
    interfere(tmp_path / "1", waiting_share=0.9, load_before=loads[0], load_after=loads[1])
    assert bool(notes(tmp_path)) == is_noted


def test_a_program_cannot_throttle_itself(tmp_path: Path) -> None:
    two_cells(tmp_path, measured_by="proc")
    interfere(tmp_path / "1", waiting_share=0.9, throttled_share=0.5)
    assert "the quota of a control group stopped searches during 50 % of the time" in notes(tmp_path)[0]


def test_the_part_of_a_cell_on_a_cluster_has_its_own_interference(tmp_path: Path) -> None:
    two_cells(tmp_path)
    interfere(tmp_path / "1" / "part-3", waiting_share=0.5)
    assert "interference in cell 1/part-3 (" in notes(tmp_path)[0]


def test_an_environment_that_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    for n, content in enumerate(("[1]", '{"interference": {"waiting_share": "x"}}', '{"interference": 3}', "{")):
        cell(tmp_path / str(n), f"h{n}", [1.02**n * each for each in range(1, 7)])
        (tmp_path / str(n) / "environment.json").write_text(content)
    assert notes(tmp_path) == []


def test_shares_that_are_none_do_not_count(tmp_path: Path) -> None:
    two_cells(tmp_path / "in")
    interfere(tmp_path / "in" / "1", waiting_share=-1, steal_share=1e300, throttled_share=None)
    report = compose([tmp_path / "in"], Choices(has_pictures=False))
    assert report.notes == []
    assert not any("of the time" in str(each) for each in report.checklist)


def test_several_pairs_are_one_note(tmp_path: Path) -> None:
    for number, factor in enumerate((1, 1.01, 1.02)):
        cell(tmp_path / str(number), f"h{number}", [n * factor for n in range(1, 7)])
        interfere(tmp_path / str(number), waiting_share=0.1)
    found = notes(tmp_path, metrics=["search_seconds"])
    assert len(found) == 1
    assert "h1 and h0 differ by 1 %, which interference in cells 0, 1, 2 (" in found[0]
    assert " may explain, as for 1 other pair; measure" in found[0]


def repeated(folder: Path, ends: dict[str, tuple[float, float, float]], repetitions: int) -> None:
    """Write cells of seven instances whose median time and its interval are those of their heuristic."""
    for number, (heuristic, (low, median, high)) in enumerate(ends.items()):
        ranges = {"seconds_low": low, "seconds_high": high, "spread": 1.84}
        cell(folder / str(number), heuristic, [median] * 7, repetitions=repetitions, **ranges)


def test_intervals_of_medians_that_overlap_are_noted(tmp_path: Path) -> None:
    """Whatever the range of the repetitions: it grows with their number."""
    repeated(tmp_path, {"a": (4.44, 4.5, 4.58), "b": (4.92, 5, 5.09)}, 101)
    assert notes(tmp_path) == []
    repeated(tmp_path, {"a": (4.0, 4.5, 6.0), "b": (4.1, 5, 5.09)}, 6)
    assert notes(tmp_path) == [
        "the search times of b and a differ by 11.1 %, but the intervals of their median times overlap (4.304 to "
        "5.017 and 4.639 to 5.034 s, confidence at least 95 %); table repetitions"
    ]


@pytest.mark.parametrize(
    ("repetitions", "confidence"), [(2, "50 %"), (5, "93.8 %"), pytest.param(3, "75 %", marks=pytest.mark.long)]
)
def test_fewer_than_six_searches_have_no_interval_of_95_percent(
    tmp_path: Path, repetitions: int, confidence: str
) -> None:
    repeated(tmp_path, {"a": (4.44, 4.5, 4.58), "b": (4.92, 5, 5.09)}, repetitions)
    assert notes(tmp_path) == [
        f"the search times of b and a differ by 11.1 %, by medians of {repetitions} searches, whose intervals have a "
        f"confidence of {confidence}; repeat=6 gives at least 95 %"
    ]
    repeated(tmp_path, {"a": (4.0, 4.5, 6.0), "b": (4.1, 5, 5.09)}, repetitions)
    assert f"overlap (4.304 to 5.017 and 4.639 to 5.034 s, confidence {confidence})" in notes(tmp_path)[0]


def test_more_repetitions_make_the_note_rarer(tmp_path: Path) -> None:
    """Of times that differ by 5 %, with an error of 5 %: 5 sweeps of each number of repetitions."""
    source = np.random.Generator(np.random.PCG64(5))
    counts = []
    for repetitions in (5, 11, 41):
        noted = 0
        outside = outside_of_interval(repetitions)
        for _ in range(5):
            rows = []
            for heuristic, seconds in (("a", 1.0), ("b", 1.05)):
                times = np.sort(source.normal(seconds, 0.05, (6, repetitions)), axis=1)
                for n, each in enumerate(times):
                    ends = {"seconds_low": each[outside], "seconds_high": each[-1 - outside]}
                    seconds_of = {"search_seconds": np.median(each), "repetitions": repetitions}
                    rows.append(row(f"i{n}", heuristic, **ends, **seconds_of))
            write(tmp_path / "metrics.csv", rows)
            runs = load([tmp_path])
            difference = Difference(runs.declared.all_metrics["search_seconds"], "b", "a", 0.05)
            noted += len([*_on_medians(runs, [difference])])
        counts.append(noted)
    assert counts[0] == 5  # there is no interval
    assert counts[1] > counts[2]
    assert counts[2] == 0


def test_changes_of_revisions_and_conditions_on_them_are_differences(tmp_path: Path) -> None:
    for name, factor in (("before", 1.0), ("after", 1.03)):
        ends = {"seconds_low": factor - 0.5, "seconds_high": factor + 0.5}
        cell(tmp_path / name, "a", [factor] * 6, repetitions=7, **ends)
    folders = [tmp_path / "before", tmp_path / "after"]
    assert "the search times of astar [after] and astar [before] differ by 3 %" in compose(folders).notes[0]
    for name, seconds in (("before", [1.0, 2.0]), ("after", [0.5, 4.4])):  # no difference is shown
        cell(tmp_path / name, "a", seconds, repetitions=7, seconds_low=0.1, seconds_high=5)
    assert compose(folders).notes == []
    condition = Condition.parse("search_seconds > 1.04")
    assert "differ by 4.88 %, but the intervals" in compose(folders, Choices(conditions=[condition])).notes[0]


def test_every_format_has_the_notes_and_the_table(tmp_path: Path) -> None:
    two_cells(tmp_path / "in", 1.021, repetitions=5, spread=0.063, seconds_low=0.9, seconds_high=7)
    interfere(tmp_path / "in" / "1", waiting_share=0.065)
    done = run(tmp_path, "report", "in", "--out", "out", "--tables", "repetitions", "--format", "html,markdown,latex")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("\n") == 2
    for text in (done.stderr, *((tmp_path / "out" / name).read_text() for name in ("report.html", "report.md"))):
        assert "which interference in cell 1" in text
        assert "but the intervals of their median times overlap" in text
    assert "Repeated searches" in (tmp_path / "out" / "report.tex").read_text()
