"""Rows that come with the package are those of today's searches, and stand beside them in reports."""

from __future__ import annotations

from pathlib import Path

import pytest

import runner
from docs.generate import atlas
from runner.records.run_folder import RecordFile
from tests.runner_cli import MEASURED, ROOT, rows, run

NEEDS_A_MACHINE = (*MEASURED, "code", "label", "number")
SOME = ("korf100_79", "korf100_55")


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run of the instances of Korf that take the fewest nodes."""
    folder = tmp_path_factory.mktemp("korf")
    done = run(folder, "+experiment=korf1985", "world.instances=[79,55]", "hydra.run.dir=mine")
    assert done.returncode == 0, done.stderr
    return folder / "mine"


def test_the_published_rows_are_those_of_the_table() -> None:
    for file, text in atlas.pages():
        assert file.read_text(encoding="utf-8") == text, "run python -m docs.generate"


def test_all_lengths_and_counts_agree_with_the_published_ones() -> None:
    table = runner.read("atlas:korf1985")
    assert [*table["folder"].unique()] == ["atlas:korf1985/published", "atlas:korf1985/search-runner"]
    published, ours = (rows.set_index("instance") for _, rows in table.groupby("folder"))
    assert len(published) == len(ours) == 100
    for column in ("run_id", "length", "generated", "initial_h"):
        assert published[column].equals(ours[column]), column
    assert ours["generated"].sum() + 100 == 36_302_808_031
    assert ours["search_seconds"].isna().all()


def test_rows_of_today_are_those_of_the_atlas(mine: Path) -> None:
    recorded = {
        row["instance"]: row
        for row in rows(ROOT / "runner" / "features" / "atlas" / "korf1985" / atlas.OURS / RecordFile.METRICS)
    }
    for row in rows(mine / RecordFile.METRICS):
        before = recorded[row["instance"]]  # without the columns that came later
        now = {name: row[name] for name in before}
        assert {**before, **{name: now[name] for name in now.keys() & {*NEEDS_A_MACHINE}}} == now


def test_a_report_compares_a_run_with_the_atlas(mine: Path) -> None:
    options = ("--format", "csv", "--tables", "revisions_generated,generated")
    done = run(mine.parent, "report", "atlas:korf1985", "mine", *options)
    assert done.returncode == 0, done.stderr
    lines = (mine / "report" / "revisions_generated.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3
    assert all(line.endswith("same values") for line in lines[1:])
    values = (mine / "report" / "generated.csv").read_text(encoding="utf-8").splitlines()
    for instance in SOME:
        (line,) = (line for line in values if line.startswith(f"{instance},"))
        assert len({*line.split(",")[1:4]}) == 1, line


def test_a_report_on_the_atlas_alone_is_written_in_the_working_directory(tmp_path: Path) -> None:
    done = run(tmp_path, "report", "atlas:korf1985", "--format", "csv", "--tables", "summary")
    assert (done.returncode, done.stdout) == (0, "report/summary.csv\n"), done.stderr


@pytest.mark.parametrize(
    ("name", "hint"),
    [("korf1986", "; did you mean 'korf1985'? choose from: korf1985"), ("..", "choose from: korf1985")],
)
def test_unknown_rows_are_refused_with_those_that_exist(tmp_path: Path, name: str, hint: str) -> None:
    done = run(tmp_path, "report", f"atlas:{name}")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith(f"error: atlas:{name}: there are no such rows")
    assert hint in done.stderr
