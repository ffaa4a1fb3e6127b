"""Read tables of any size and shape: a part that cannot be read is noted, and the rest is used."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from runner.base.files import MAX_LINE
from runner.base.metric import Metric
from runner.features.reports.content import of_runs
from runner.features.reports.reading import MAX_COLUMNS
from runner.features.reports.runs import NothingToReport, load
from tests.runner.features.reports.rows import declare, row, write


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return write(tmp_path / "good" / "metrics.csv", [row("a", expanded=1)])


def bad_file(tmp_path: Path) -> Path:
    file = tmp_path / "bad" / "results.csv"
    file.parent.mkdir()
    return file


def assert_left_out(tmp_path: Path, problem: str) -> None:
    runs = load([tmp_path])
    assert runs.table["instance"].tolist() == ["a"]
    assert len(runs.notes) == 1
    assert runs.notes[0].startswith(f"{tmp_path / 'bad' / 'results.csv'}: ")
    assert problem in runs.notes[0]


def test_a_file_of_40_gib_is_left_out(good: Path, tmp_path: Path) -> None:
    with open(bad_file(tmp_path), "wb") as file:
        file.truncate(40 * 2**30)
    assert_left_out(tmp_path, "too large (more than 2048 MiB)")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("x" * (MAX_LINE + 1) + "\n", "line 1 is longer than"),
        ('run_id\n"' + "x" * 200_000 + '"\n', "field larger than field limit"),
        ('run_id\n"' + 50_000 * "a,b\n", "field larger than field limit"),
        ("," * MAX_COLUMNS + "\n", "more than 1,000 columns"),
        (
            "world,instance,algorithm,status\nw,a,x,solved\n",
            "no column run_id; needed are run_id, world, instance, algorithm, status",
        ),
        ("run_id;world;instance;algorithm;status\n1;w;a;x;solved\n", "separate columns by commas, not by ;"),
    ],
)
def test_files_without_usable_lines_or_columns_are_left_out(
    good: Path, tmp_path: Path, content: str, problem: str
) -> None:
    bad_file(tmp_path).write_text(content)
    assert_left_out(tmp_path, problem)


def test_a_pipe_is_no_table(good: Path, tmp_path: Path) -> None:
    os.mkfifo(bad_file(tmp_path))
    with pytest.raises(NothingToReport, match="nothing to report: no rows in"):
        load([tmp_path / "bad"])
    assert load([good.parent]).notes == []


def test_a_link_to_a_device_is_left_out(good: Path, tmp_path: Path) -> None:
    bad_file(tmp_path).symlink_to("/dev/zero")
    assert_left_out(tmp_path, "not a regular file")


@pytest.mark.parametrize("content", ["{", "[" * 100_000, '{"metrics": [{"name": "run_id"}]}', '{"metrics": 1}'])
def test_corrupt_declarations_are_noted(good: Path, content: str) -> None:
    (good.parent / "columns.json").write_text(content)
    runs = load([good])
    assert runs.table["expanded"].tolist() == [1]
    assert len(runs.notes) == 1


def test_declarations_with_reserved_names_or_extreme_values_are_not_used(tmp_path: Path) -> None:
    """Names that reports use are left out. A file with too many digits or a long name is noted."""
    declare(tmp_path, [Metric("precise", digits=12), Metric("folder"), Metric("absent")])
    write(tmp_path / "metrics.csv", [{**row("a"), "precise": 0.5, "folder": 3}])
    runs = load([tmp_path])
    assert [metric.name for metric in runs.declared.metrics] == ["precise"]
    assert runs.declared.metrics[0].format(0.5) == "0.500000000000"
    assert runs.table["folder"].tolist() == [tmp_path.name]
    file = tmp_path / "columns.json"
    for old, new, problem in (
        ('"digits": 12', '"digits": 1000000000', "0 to 15 digits"),
        ("precise", "p" * 200, "100"),
    ):
        file.write_text(file.read_text().replace(old, new))
        (note,) = load([tmp_path]).notes
        assert "columns.json" in note
        assert problem in note


def test_undeclared_columns_are_text(tmp_path: Path) -> None:
    write(tmp_path / "metrics.csv", [{**row("a", seed=3), "world.size": "007", "configuration": "x"}])
    table = load([tmp_path]).table
    assert (table["world.size"].tolist(), table["seed"].tolist()) == (["007"], ["3"])
    assert table["configuration"].tolist() == ["astar"]


def test_the_first_of_several_columns_with_one_name_is_used(tmp_path: Path) -> None:
    file = write(tmp_path / "metrics.csv", [row("a", expanded=1)])
    header, line = file.read_text().splitlines()
    file.write_text(f"{header},algorithm,expanded,\n{line},ucs,7,x\n")
    runs = load([tmp_path])
    assert (runs.configurations, runs.table["expanded"].tolist(), runs.notes) == (["astar"], [1], [])


def test_a_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    file = write(tmp_path / "metrics.csv", [row("a")])
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert load([tmp_path]).notes == []


def test_overrides_of_a_cell_are_columns_of_its_rows(tmp_path: Path) -> None:
    file = write(tmp_path / "0" / "metrics.csv", [row("a")])
    (file.parent / ".hydra").mkdir()
    overrides = "- hydra.x=1\n- ~y\n- heuristic=pivots\n- world.size=5\n- +folder=x\n- limits\n"
    (file.parent / ".hydra" / "overrides.yaml").write_text(overrides)
    write(tmp_path / "1" / "metrics.csv", [row("b")])
    table = load([tmp_path]).table
    assert table["world.size"].astype("object").where(table["world.size"].notna(), None).tolist() == ["5", None]
    assert table["heuristic"].tolist() == ["none", "none"]
    assert not {"hydra.x", "y"} & set(table)


def test_the_report_of_a_file_reads_nothing_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder may be large, such as a home directory, and change meanwhile."""
    file = write(tmp_path / "rows.csv", [row("a", expanded=1)])
    write(tmp_path / "other" / "metrics.csv", [row("b", expanded=1)])
    listed: list[object] = []
    scandir = os.scandir

    def listing(path: str = ".") -> object:
        listed.append(path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", listing)
    of_runs(load([file]), [file])
    assert str(tmp_path) not in map(str, listed)
