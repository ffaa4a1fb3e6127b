"""Rows that differ in the seed of a search are replications. Expected values are computed by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from runner.base.columns import Declared
from runner.features.reports.answers import answers
from runner.features.reports.charts import cactus
from runner.features.reports.replications import distribution, summary
from runner.features.reports.runs import load
from runner.features.reports.summaries import by_configuration, satisficing
from tests.runner.features.reports.rows import row, write
from tests.runner_cli import rows as rows_in
from tests.runner_cli import run

EXPANDED = Declared().all_metrics["expanded"]
VALUES = {"a": (10, 20, 60), "b": (1, 3, 2)}
"""Expansions of three seeds on two instances."""


def seeded(**columns: str) -> list[dict[str, object]]:
    """Return the rows of `VALUES`. In the columns, ``SEED`` stands for the seed; seed 0 is the default."""
    return [
        row(name, run_id=f"{name}{seed}", expanded=value, cost=value, **{"algorithm.seed": seed})
        | {key: text.replace("SEED", f"seed={seed}") if seed else _default(text) for key, text in columns.items()}
        for name, values in VALUES.items()
        for seed, value in enumerate(values)
    ]


def _default(text: str) -> str:
    return text.replace("(SEED)", "").replace(",SEED", "").replace("SEED", "seed=0" if "(" in text else "").strip()


@pytest.mark.parametrize(
    "columns",
    [
        {"parameters": "SEED"},
        {"parameters": "formulation=primitive SEED"},
        {"heuristic": "h", "stack": "h(SEED)"},
        {"heuristic": "max(h+g)", "stack": "max(h(x=1,SEED)+g)"},
        {"weighting": "random(SEED,top=3)"},
    ],
)
def test_seeds_of_any_section_are_replications(tmp_path: Path, columns: dict[str, str]) -> None:
    others = [row(name, "none", algorithm="other", expanded=5, cost=5) for name in VALUES]
    write(tmp_path / "results.csv", [*seeded(**columns), *others])
    runs = load([tmp_path])
    assert len(runs.configurations) == 2
    means = runs.comparable(EXPANDED)
    assert list(means.index) == ["a", "b"]
    assert means.to_numpy().tolist() == [[30, 5], [2, 5]]
    assert runs.notes == []
    table = summary(runs, EXPANDED)
    assert table is not None
    (values,) = table.values.itertuples(index=False)
    sums = ["sum of mean expanded", "variation", "sum of best of seeds", "sum of worst of seeds"]
    assert table.columns[3:] == sums
    assert list(values) == pytest.approx([2, 3, 32, (700**0.5 / 30 + 0.5) / 2, 11, 63])
    scores = by_configuration(runs, satisficing(runs) / runs.replications, np.sum)
    assert scores.tolist() == pytest.approx([(5 / 6 + 11 / 6) / 3, 1.2])


def test_a_seed_that_all_rows_share_is_a_parameter(tmp_path: Path) -> None:
    """So is one in which algorithms differ, and the seed of a world makes other instances."""
    rows = [row("a", expanded=1, parameters="seed=5"), row("a", algorithm="greedy", expanded=2)]
    rows += [{**row(f"b{seed}", expanded=1, parameters="seed=5"), "world.seed": seed} for seed in (1, 2)]
    write(tmp_path / "results.csv", rows)
    runs = load([tmp_path])
    assert runs.meanings["astar"] == "algorithm=astar heuristic=none parameters=seed=5 ties=low_h"
    assert not runs.is_replicated
    assert summary(runs, EXPANDED) is None
    assert distribution(runs, EXPANDED) is None


def test_other_worlds_with_other_seeds_are_no_replications(tmp_path: Path) -> None:
    """Instances of two sizes have the same name; both sizes are searched with two seeds, and none with both."""
    rows = [
        {**row("a", run_id=str(seed), expanded=seed, parameters=f"seed={seed}"), "world.size": size}
        for size, seed in ((3, 1), (3, 2), (4, 3), (4, 4))
    ]
    write(tmp_path / "results.csv", rows)
    means = load([tmp_path]).comparable(EXPANDED)["astar"]
    assert means.to_dict() == {"a [world.size=3]": 1.5, "a [world.size=4]": 3.5}


def test_an_instance_counts_if_the_runs_of_all_seeds_do(tmp_path: Path) -> None:
    """Coverage is that of the runs; a distribution ends at the share that has succeeded."""
    made = seeded(parameters="SEED")
    made[0] |= {"status": "time_limit", "cost": ""}
    write(tmp_path / "results.csv", made)
    runs = load([tmp_path])
    assert runs.comparable(EXPANDED)["astar"].dropna().to_dict() == {"b": 2}
    assert [count.tolist() for count in runs.successes] == [[5], [6]]
    chart, solved = distribution(runs, EXPANDED), cactus(runs, EXPANDED)
    assert chart is not None
    assert "astar: 5 of 6 runs, half of them within 3" in chart.svg
    assert solved is not None
    assert "astar: 1.67 solved" in solved.svg


def test_coverage_is_compared_if_numbers_of_runs_differ(tmp_path: Path) -> None:
    rows = seeded(parameters="SEED")
    rows[0]["status"] = "time_limit"
    write(tmp_path / "results.csv", [*rows, *(row(name, algorithm="other", expanded=5) for name in VALUES)])
    most = answers(load([tmp_path]), [EXPANDED])[0]
    assert most == ("Successes", "2 of 2 runs (other) to 5 of 6 (astar): too few to compare", "")


def test_seeds_are_compared_if_tables_are_grouped_by_them(tmp_path: Path) -> None:
    write(tmp_path / "in" / "results.csv", seeded(parameters="SEED"))
    options = ("--by", "algorithm.seed", "--metric", "expanded", "--format", "csv")
    done = run(tmp_path, "report", "in", *options)
    assert done.returncode == 0, done.stderr
    out = tmp_path / "in" / "report"
    assert rows_in(out / "by_expanded.csv") == [
        {"configuration": "astar (2 of 2)", "seed=0": "11", "seed=1": "23", "seed=2": "62"}
    ]
    assert rows_in(out / "summary.csv")[0]["expanded"] == "32"
    done = run(tmp_path, "report", "in", "--by", "world", *options[2:])
    assert rows_in(out / "by_expanded.csv")[0]["world=w/static (2 of 2)"] == "32"
