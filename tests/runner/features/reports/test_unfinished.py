"""Reports of sweeps that were interrupted: what is missing comes first, and has not failed."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest

from runner.features.reports.content import Choices, compose
from runner.features.reports.formats import write_report
from runner.records.folder import Job, SweepFolder
from tests.runner.features.reports.rows import row, write
from tests.runner_cli import run

SWEEP = ("-m", "world=pancake/random", "world.size=5", "world.count=10", "heuristic=gap,none", "algorithm=astar")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a finished sweep of two cells."""
    folder = tmp_path_factory.mktemp("unfinished")
    done = run(folder, *SWEEP, "hydra.sweep.dir=cut")
    assert done.returncode == 0, done.stderr
    return folder / "cut"


def cut(made: Path, folder: Path, kept: int) -> None:
    """Copy the sweep, and remove rows of the second cell, as if it had been interrupted."""
    shutil.copytree(made, folder / "cut")
    (folder / "cut" / "results.csv").unlink()
    log = folder / "cut" / "1" / "metrics.csv"
    lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
    status = lines[0].split(",").index("status")
    log.write_text("".join(lines[: 1 + kept]), encoding="utf-8")
    if kept:
        interrupted = lines[1 + kept].split(",")
        interrupted[status] = "interrupted"
        with log.open("a", encoding="utf-8") as out:
            out.write(",".join(interrupted))


def test_the_first_line_says_what_is_missing(made: Path, tmp_path: Path) -> None:
    cut(made, tmp_path, 7)
    chosen = Choices(tables=["summary", "measures", "best_expanded"], charts=["cactus_expanded"])
    report = compose([tmp_path / "cut"], chosen)
    missing = "3 of 20 planned rows are missing (heuristic=none: 3 of 10)"
    assert report.notes[:2] == [
        f"unfinished: {missing}; python -m runner resume makes them",
        "1 row of interrupted searches, not counted",
    ]
    assert report.answers[0] == ("Most successes", "all 2 alike", "7 of 7 instances that all have tried.")
    tables = {table.name: table for table in report.tables}
    assert f"Unfinished: {missing}." in tables["summary"].notes
    assert [[cell.text for cell in line[:4]] for line in tables["summary"].rows] == [
        ["gap", "10", "10", "100.0%"],
        ["none", "7", "7", "100.0%"],
    ]
    assert tables["measures"].notes[0] == "Over the 7 instances that all configurations have tried."
    assert [float(line[1].text) for line in tables["measures"].rows] == [7, 7]
    assert tables["best_expanded"].notes == ["Of 7 instances that all configurations have tried."]
    assert "How many instances that all have tried does each configuration solve" in next(
        chart.title for chart in report.charts if chart.name == "cactus_expanded"
    )
    (file,) = write_report(replace(report, charts=[]), tmp_path / "out", ["markdown"])
    assert file.read_text(encoding="utf-8").splitlines()[2].startswith(f"> unfinished: {missing}")
    run(made.parent, "resume", str(tmp_path / "cut"))
    assert not [note for note in compose([tmp_path / "cut"]).notes if "unfinished" in note]


def test_a_cell_that_has_not_begun_is_missing_and_so_is_one_in_an_archive(made: Path, tmp_path: Path) -> None:
    cut(made, tmp_path, 0)
    assert "10 of 20 planned rows are missing (heuristic=none: 10 of 10);" in compose([tmp_path / "cut"]).notes[0]
    run(tmp_path, "collect", "cut")
    run(tmp_path, "archive", "cut")
    (archive,) = tmp_path.glob("*.zip")
    with ZipFile(archive) as file:
        file.extractall(tmp_path / "out")
    assert not [*(tmp_path / "out").rglob("metrics.csv")]
    assert compose([tmp_path / "out"]).notes[0].startswith("unfinished: 10 of 20 planned rows are missing; ")


def test_cells_of_earlier_commands_are_not_missing(tmp_path: Path) -> None:
    """Nor is anything in a folder whose record cannot be read."""
    write(tmp_path / "results.csv", [row(f"i{n}", "a", expanded=n + 1) for n in range(4)])
    jobs = [
        Job("0", [], "x", "x", 4),
        Job("1", [], "y", "y", 9, is_current=False),
    ]
    SweepFolder(tmp_path).record(jobs)
    assert not [note for note in compose([tmp_path]).notes if "unfinished" in note]
    (tmp_path / "jobs.json").write_text(json.dumps(7), encoding="utf-8")
    assert not [note for note in compose([tmp_path]).notes if "unfinished" in note]


def test_successes_are_compared_on_the_instances_that_all_have_tried(tmp_path: Path) -> None:
    """Of 170 rows of 200, one fails: not 31."""
    made = [row(f"i{n}", "manhattan", expanded=9) for n in range(100)]
    made += [row(f"i{n}", "friend", expanded=9, status="solved" if n else "error") for n in range(70)]
    write(tmp_path / "results.csv", made)
    detail = "70 of 70 instances that all have tried. Fewest: friend, 69."
    assert compose([tmp_path]).answers[0] == ("Most successes", "manhattan", detail)
    write(tmp_path / "results.csv", made[:50] + made[-10:])
    answers = compose([tmp_path]).answers
    assert answers[0].name == "0 of 60 instances: too few to compare"
    assert answers[0].detail.startswith("None has values of every configuration in expanded.")
    assert answers[1] == (
        "Successes",
        "60 of 60 rows",
        "No instance was tried by all configurations.",
    )
