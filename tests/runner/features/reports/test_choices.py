"""Additions of users to reports, and their choices: filters, derived columns, tables, and the recorded section."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import runner
from runner.base.errors import UserError
from runner.features.reports.content import Choices, compose
from tests.runner.features.reports.rows import row, write
from tests.runner_cli import rows as rows_in
from tests.runner_cli import run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = [
        row(f"i{n}", h, expanded=10 * n * factor, search_seconds=n, cost=1)
        for h, factor in (("none", 2), ("h", 1))
        for n in (1, 2, 3)
    ]
    write(tmp_path / "in" / "metrics.csv", [*made, row("i4", "h", status="time_limit", expanded=5, search_seconds=1)])
    return tmp_path / "in"


def record(folder: Path, text: str) -> None:
    (folder / ".hydra").mkdir(exist_ok=True)
    (folder / ".hydra" / "config.yaml").write_text(text, encoding="utf-8")


def test_a_derived_column_is_a_metric_and_filters_hold_together(folder: Path) -> None:
    options = ("--derive", "rate = expanded / search_seconds", "--derive", "half=rate / 2", "--filter", "rate > 0")
    done = run(
        folder.parent, "report", "in", *options, "--filter", "search_seconds >= 2", "--tables", "all", "--format", "csv"
    )
    assert done.returncode == 0, done.stderr
    out = folder / "report"
    assert [line["instance"] for line in rows_in(out / "rate.csv")] == ["i2", "i3", "MEAN", "GEOMETRIC MEAN"]
    assert rows_in(out / "half.csv")[0] == {"instance": "i2", "none": "10", "h": "5"}
    assert rows_in(out / "summary.csv")[1]["rate"] == "10"
    assert "note: 4 of 7 rows meet the condition search_seconds >= 2" in done.stderr
    wrong = run(folder.parent, "report", "in", "--filter", "expanded > 10 and x > 1")
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("error: --filter: 'expanded > 10 and x > 1': position 19: 'x' is not a column")
    assert wrong.stderr.count("\n") == 1


def test_a_derived_column_can_be_grouped_and_compared(folder: Path) -> None:
    made = runner.report(folder, derive=["rate = expanded / search_seconds"], by=["instance"], metrics=["rate"])
    assert made.tables["by_rate"].loc["h", "instance=i1"] == 10
    assert made.tables["pairs_rate"].loc["h / none", "ratio"] == pytest.approx(0.5)


def test_tables_are_chosen_and_ordered_by_name_or_kind(folder: Path) -> None:
    done = run(folder.parent, "report", "in", "--tables", "expanded,pairs,summary", "--format", "csv")
    files = [Path(line).name for line in done.stdout.splitlines()]
    assert files == ["expanded.csv", "pairs_expanded.csv", "summary.csv"]
    wrong = run(folder.parent, "report", "in", "--tables", "pair")
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("error: --tables: this report has no table 'pair'; did you mean 'pairs'?")


def test_a_function_of_the_rows_is_a_table(folder: Path, tmp_path: Path) -> None:
    def hardest(rows: pd.DataFrame) -> pd.DataFrame:
        """Hardest instances.

        The columns are metrics, texts and others.
        """
        rows["expanded"] *= 1  # does not change the report
        rows["share"] = rows["expanded"] / 120
        found = rows.sort_values("expanded", ascending=False).head(2)
        return found[["instance", "configuration", "expanded", "search_seconds", "share"]]

    def by_label(rows: pd.DataFrame) -> pd.DataFrame:
        return rows.groupby("heuristic", observed=True)[["expanded"]].sum()

    made = runner.report(folder, tables=[hardest, by_label])
    assert list(made.tables["hardest"].loc["i3"])[:3] == ["none", 60, 3]
    made.save(tmp_path / "out", "markdown", "csv", "latex", "html")
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "### Hardest instances\n" in page
    assert "### by label\n" in page
    assert rows_in(tmp_path / "out" / "hardest.csv")[0] == {
        "instance": "i3", "configuration": "none", "expanded": "60", "search time (s)": "3", "share": "0.5",
    }  # fmt: skip
    assert rows_in(tmp_path / "out" / "by_label.csv")[0] == {"heuristic": "none", "expanded": "120"}
    with pytest.raises(UserError, match="tables: <lambda> returned int; expected a DataFrame"):
        runner.report(folder, tables=[lambda rows: 1])  # type: ignore[list-item,return-value]


SECTION = """
reports:
  filter: search_seconds >= 2
  derive: {rate: expanded / search_seconds}
  tables: [rate, "summary, nothing"]
"""


def test_the_recorded_section_is_the_default(folder: Path) -> None:
    record(folder, SECTION)
    made = runner.report(folder)
    assert list(made.tables) == ["rate", "summary"]
    assert made.tables["rate"].index.tolist() == ["i2", "i3"]
    assert list(runner.report(folder, tables=["best"]).tables) == ["best_expanded"]
    assert len(runner.report(folder, filter=["True"]).tables["rate"]) == 3
    assert "rate" not in runner.report(folder, derive=["x = 1"], tables=["expanded"]).tables


@pytest.mark.parametrize(
    ("section", "note"),
    [
        ("filter: __import__('os').remove('x')", "reports.filter: '__import__('os').remove('x')': position 1: a call"),
        ("derive: ['x = expanded.values']", "reports.derive: 'expanded.values': position 1: 'expanded.values' is not"),
        ("filter: expanded > 1000", "reports.filter: no row meets all of expanded > 1000; left out"),
        ("filter: !!python/object/apply:os.system [x]", "could not determine a constructor"),
        ("filter: [1]", "reports.filter: expected a text, or a list of at most 50 texts"),
        ("filters: x", "reports: unknown key 'filters'; did you mean 'filter'?"),
        ("[1]", "reports: expected a mapping with the keys filter, derive, tables"),
    ],
)
def test_what_is_wrong_in_a_recorded_section_becomes_a_note(folder: Path, section: str, note: str) -> None:
    """The folder may come from another person."""
    record(folder, f"reports:\n  {section}\n")
    report = compose([folder], Choices(tables=["search_seconds"]))
    assert any(note in each for each in report.notes)
    assert len(report.tables[0].rows) == 3


def test_an_experiment_may_have_the_section(tmp_path: Path) -> None:
    experiment = tmp_path / "conf" / "experiment" / "mine.yaml"
    experiment.parent.mkdir(parents=True)
    experiment.write_text(
        "# @package _global_\ndefaults:\n  - override /world: [wumpus/static]\n"
        "sweep:\n  product: {algorithm: [ucs, astar]}\n"
        "reports:\n  derive: {rate: generated / expanded}\n  tables: rate\n",
        encoding="utf-8",
    )
    done = run(tmp_path, "-m", "+experiment=mine", "--config-dir", "conf", "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    done = run(tmp_path, "report", "out", "--format", "csv")
    assert done.stdout.splitlines() == ["out/report/rate.csv"], done.stderr


def test_measured_columns_are_metrics_that_tables_have_on_demand(tmp_path: Path) -> None:
    """A column that was not measured is empty and appears nowhere."""
    measured = {"peak_bytes": 2**20, "user_seconds": 1.5, "system_seconds": 0.25, "page_faults": 7}
    made = [row(n, h, expanded=1, core=3, measured_by="process", **measured) for h in ("none", "h") for n in "ab"]
    write(tmp_path / "metrics.csv", made)
    report = runner.report(tmp_path)
    assert [*report.tables["summary"]] == ["rows", "successes", "coverage", "expanded"]
    report = runner.report(tmp_path, metrics=[*measured])
    found = report.tables["summary"].loc["h"].to_dict()
    assert found == {
        "rows": 2,
        "successes": 2,
        "coverage": 1,
        "peak memory (MiB)": 1,
        "user time (s)": 3,
        "system time (ms)": 500,
        "page faults": 14,
    }
    assert "pairs_peak_bytes" in report.tables
    for name, why in (
        ("reopened", "has no values here"),
        ("core", "is no metric"),
        ("measured_by", "is no metric"),
    ):
        with pytest.raises(UserError, match=f"'{name}' {why}"):
            runner.report(tmp_path, metrics=[name])
    assert [*runner.report(tmp_path, by=["core"]).tables["by_expanded"]] == ["core=3 (2 of 2)"]
