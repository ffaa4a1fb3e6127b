"""Notes where the noise of times is larger than a difference that the report names."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from runner.features.reports.comparisons import Condition
from runner.features.reports.content import Choices, compose
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
    cell(folder / "0", "a", [1.0, 2.0, 3.0], **values)
    cell(folder / "1", "b", [factor, 2 * factor, 3 * factor], **values)


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


@pytest.mark.parametrize(("share", "is_noted"), [(0.3, False), (0.34, True), (1.0, True)])
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
    interfere(tmp_path / "1", waiting_share=0.9, throttled_share=0.5)  # which a program cannot do itself
    assert "the quota of a control group stopped searches during 50 % of the time" in notes(tmp_path)[0]


def test_the_part_of_a_cell_on_a_cluster_has_its_own_interference(tmp_path: Path) -> None:
    two_cells(tmp_path)
    interfere(tmp_path / "1" / "part-3", waiting_share=0.5)
    assert "interference in cell 1/part-3 (" in notes(tmp_path)[0]


@pytest.mark.parametrize("content", ["[1]", '{"interference": {"waiting_share": "x"}}', '{"interference": 3}', "{"])
def test_an_environment_that_cannot_be_read_is_left_out(tmp_path: Path, content: str) -> None:
    two_cells(tmp_path)
    (tmp_path / "1" / "environment.json").write_text(content)
    assert notes(tmp_path) == []


def test_shares_that_are_none_do_not_count(tmp_path: Path) -> None:
    two_cells(tmp_path / "in")
    interfere(tmp_path / "in" / "1", waiting_share=-1, steal_share=1e300, throttled_share=None)
    assert notes(tmp_path / "in") == []
    done = run(tmp_path, "report", "in", "--out", "out", "--format", "checklist")
    assert done.returncode == 0, done.stderr
    assert "of the time\n" not in (tmp_path / "out" / "checklist.md").read_text()


def test_several_pairs_are_one_note(tmp_path: Path) -> None:
    for number, factor in enumerate((1, 1.01, 1.02)):
        cell(tmp_path / str(number), f"h{number}", [factor, 2 * factor])
        interfere(tmp_path / str(number), waiting_share=0.1)
    found = notes(tmp_path, metrics=["search_seconds"])
    assert len(found) == 1
    assert "h1 and h0 differ by 1 %, which interference in cells 0, 1, 2 (" in found[0]
    assert " may explain, as for 1 other pair; measure" in found[0]


def test_a_spread_that_is_larger_than_the_difference_is_noted(tmp_path: Path) -> None:
    two_cells(tmp_path, 1.021, repetitions=5, spread=0.063, seconds_low=0.9, seconds_high=1.1)
    assert notes(tmp_path) == [
        "the search times of b and a differ by 2.1 %, less than the spread of their repetitions (6.3 %); intervals of "
        "the times: table repetitions"
    ]
    two_cells(tmp_path, 1.1, repetitions=5, spread=0.063)
    assert notes(tmp_path) == []


def test_changes_of_revisions_and_conditions_on_them_are_differences(tmp_path: Path) -> None:
    for name, factor in (("before", 1.0), ("after", 1.03)):
        cell(tmp_path / name, "a", [factor, 2 * factor], repetitions=3, spread=0.05)
    folders = [tmp_path / "before", tmp_path / "after"]
    assert "the search times of astar [after] and astar [before] differ by 3 %" in compose(folders).notes[0]
    for name, seconds in (("before", [1.0, 2.0]), ("after", [0.5, 4.4])):  # no difference is shown
        cell(tmp_path / name, "a", seconds, repetitions=3, spread=0.5)
    assert compose(folders).notes == []
    condition = Condition.parse("search_seconds > 1.04")
    assert "differ by 4.88 %, less than the spread" in compose(folders, Choices(conditions=[condition])).notes[0]


def test_every_format_has_the_notes_and_the_table(tmp_path: Path) -> None:
    two_cells(tmp_path / "in", 1.021, repetitions=5, spread=0.063, seconds_low=0.9, seconds_high=4)
    interfere(tmp_path / "in" / "1", waiting_share=0.065)
    done = run(tmp_path, "report", "in", "--out", "out", "--format", "html,markdown,latex")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("\n") == 2
    for text in (done.stderr, *((tmp_path / "out" / name).read_text() for name in ("report.html", "report.md"))):
        assert "which interference in cell 1" in text
        assert "less than the spread of their repetitions" in text
    assert "Repeated searches" in (tmp_path / "out" / "report.tex").read_text()
