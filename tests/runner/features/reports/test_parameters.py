"""Tables of hyper-parameters, definitions of metrics, and the checklist, from the records of a sweep."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from runner.base.metric import Metric
from runner.features.reports.summaries import definitions
from tests.runner.features.reports.rows import row, write
from tests.runner_cli import rows, run


@pytest.fixture(scope="module")
def everything(sweep: Path) -> tuple[list[dict[str, str]], dict[str, str]]:
    return parameters(sweep, "sweep")


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("parameters")
    space = ("world=wumpus/random", "world.count=3", "world.size=3,4", "algorithm=astar,weighted_astar")
    done = run(folder, "-m", *space, "heuristic=pivots", "limits.nodes=9000", "hydra.sweep.dir=sweep")
    assert done.returncode == 0, done.stderr
    return folder


def parameters(folder: Path, *arguments: str) -> tuple[list[dict[str, str]], dict[str, str]]:
    """Return the rows of the table of parameters that differ, and the parameters that do not."""
    done = run(folder, "report", *arguments, "--out", "out", "--tables", "parameters", "--format", "csv")
    assert done.returncode == 0, done.stderr
    fixed = {line["parameter"]: line["value"] for line in rows(folder / "out" / "parameters_fixed.csv")}
    differing = rows(folder / "out" / "parameters.csv") if "parameters.csv" in done.stdout else []
    shutil.rmtree(folder / "out")
    return differing, fixed


def test_parameters_that_differ_have_a_row_for_each_configuration(everything: Any) -> None:
    differing, fixed = everything
    assert differing == [
        {"configuration": "astar", "algorithm": "astar", "algorithm.weight": ""},
        {"configuration": "weighted_astar", "algorithm": "weighted_astar", "algorithm.weight": "1.5"},
    ]
    assert fixed["heuristic"] == "[manhattan, pivots]"
    assert (fixed["world.size"], fixed["world.count"]) == ("3, 4", "3")
    assert (fixed["limits.nodes"], fixed["limits.time"]) == ("9000", "none")


def test_parameters_are_found_by_name_in_archives_and_for_some_rows(sweep: Path, everything: Any) -> None:
    assert run(sweep, "archive", "sweep", "--out", "all.zip").returncode == 0
    assert parameters(sweep, "all.zip") == everything
    renamed = parameters(sweep, "sweep", "--rename", "astar=A*")[0]
    assert [line["configuration"] for line in renamed] == ["A*", "weighted_astar"]
    some, fixed = parameters(sweep, "sweep", "--filter", "number == 2 and algorithm == 'astar'")
    assert (some, fixed["algorithm"], fixed["world.size"]) == ([], "astar", "3, 4")


def test_configurations_that_cannot_be_read_are_notes(sweep: Path, tmp_path: Path) -> None:
    shutil.copytree(sweep / "sweep", tmp_path / "sweep")
    cells = sorted((tmp_path / "sweep").glob("*/.hydra/config.yaml"))
    cells[0].write_text("world: {size: &a [*a]}\nlimits:\n  - 1\n")
    cells[1].write_text("algorithm: 3\nworld:\n  size: !!python/object:os.system {}\n")
    shutil.rmtree(cells[2].parent)
    cells[3].write_text("world: [\n")
    done = run(tmp_path, "report", "sweep", "--out", "out", "--format", "csv,markdown")
    assert done.returncode == 0
    assert done.stderr.count("cannot read the hyper-parameters") == 3
    assert "parameters" not in done.stdout


def test_definitions_have_the_meaning_the_unit_and_the_aggregate() -> None:
    made = definitions(
        [
            Metric("turns", "s", aggregate="mean", meaning="turns of `a`, see [agents](agents.md)"),
            Metric("x", better="neither", label="the x"),
        ]
    )
    assert made == {
        "turns": "turns of a, see agents (unit: s; less is better; over instances: mean).",
        "the x (x)": "no definition is recorded (over instances: sum).",
    }


def test_definitions_are_in_the_page_and_the_documents(sweep: Path) -> None:
    done = run(
        sweep,
        "report",
        "sweep",
        "--out",
        "out",
        "--tables",
        "metrics",
        "--format",
        "html,markdown,latex",
        "--metric",
        "expanded",
    )
    assert done.returncode == 0, done.stderr
    for name, text in {
        "report.html": '<th scope="row">expanded<td data-of="definition" class="t long">number of expanded nodes',
        "report.md": "number of expanded nodes, re-expansions included",
        "report.tex": r"\emph{expanded}: number of expanded nodes",
        "definitions.tex": r"\emph{expanded}: number of expanded nodes",
    }.items():
        assert text in (sweep / "out" / name).read_text(encoding="utf-8"), name


def checklist(folder: Path, *arguments: str) -> str:
    done = run(folder, "report", *arguments, "--out", "out", "--format", "checklist")
    assert (done.returncode, done.stdout) == (0, str(Path("out", "checklist.md")) + "\n"), done.stderr
    return (folder / "out" / "checklist.md").read_text(encoding="utf-8")


def test_the_checklist_has_what_was_recorded(sweep: Path) -> None:
    made = checklist(sweep, "sweep")
    recorded = json.loads((sweep / "sweep" / "0" / "environment.json").read_text(encoding="utf-8"))
    for text in (
        "- algorithm: astar; weighted_astar\n",
        "- table: --tables parameters\n",
        "- world.seed: 0\n",
        f"- number of processors: {recorded['cpu_count']}\n",
        f"- memory: {recorded['memory_bytes'] / 2**30:.1f} GiB\n",
        f"numpy {recorded['packages']['numpy']}",
        "- 6 instances for each of 2 configurations, one run of each\n",
        "Wilcoxon's signed-rank test, Holm's correction, level 0.05: pairs_expanded\n",
    ):
        assert text in made, text
    assert made.count("\n## ") == 9
    assert "**Not recorded**: memory" not in made


def test_the_checklist_counts_seeds_and_repeated_runs(tmp_path: Path) -> None:
    rows = [
        row(name, run_id=f"{name}{seed}", expanded=1, parameters=f"seed={seed}", repetitions=3)
        for name in "ab"
        for seed in range(4)
    ]
    write(tmp_path / "in" / "metrics.csv", rows)
    made = checklist(tmp_path, "in")
    assert (
        "- 2 instances for each of 1 configuration, up to 4 seeds for each instance, "
        "3 runs of each search in 8 of 8 rows: times are their medians" in made
    )
    assert "one run of each" not in made
    assert "**Not recorded**: repeated runs" not in made


def test_the_checklist_says_how_times_were_measured(tmp_path: Path) -> None:
    methods = ("process", "process", "proc")
    rows = [
        row(f"i{n}", measured_by=method, peak_bytes=2**20, limits="memory=1000 time=5", search_seconds=1)
        for n, method in enumerate(methods)
    ]
    write(tmp_path / "in" / "metrics.csv", rows)
    (tmp_path / "in" / ".hydra").mkdir()
    settings = "workers: 2\npin: true\nmeasure: auto\norder: random\norder_seed: 7\n"
    (tmp_path / "in" / ".hydra" / "config.yaml").write_text(settings)
    section = {"waiting_share": 0.015, "steal_share": 0.0, "load_before": 0.25, "governor": "performance"}
    frequencies = {"frequency_mhz_lowest": 1800, "frequency_mhz_highest": 2596.4, "pinned": True}
    (tmp_path / "in" / "environment.json").write_text(json.dumps({"interference": {**section, **frequencies}}))
    made = checklist(tmp_path, "in")
    for text in (
        "measured by the operating system, for the worker process: 2 of 3 rows\n",
        "measured by the operating system, for each process of the program: 1 of 3 rows\n",
        "- the column peak_bytes has values in 3 of 3 rows\n",
        "- each worker on a physical core of its own (pin): true\n",
        "- order of the searches (order): random\n- seed of a random order (order_seed): 7\n",
        "- limits of a search: memory=1000 time=5\n",
        "- limits.memory bounds the arrays of a search, and the resident memory that it and its processes take\n",
        "- limits.time bounds the wall time of a search\n",
        "- searches waited for a processor during at most 1.5 % of the time\n",
        "- workers were pinned to processors in 1 of 1 cell\n",
        "- load average before a cell: at most 0.25\n",
        "- frequency of the processors: 1,800 to 2,596 MHz\n",
        "- governor of the frequency: performance\n",
    ):
        assert text in made, text
    assert "limits.cpu" not in made
    assert "**Not recorded**: other programs" not in made


def test_the_checklist_leaves_gaps_without_records(tmp_path: Path) -> None:
    write(tmp_path / "in" / "metrics.csv", [row("a", expanded=1)])
    (tmp_path / "in" / "environment.json").write_text('{"memory_bytes": null, "gpus": {}}')
    made = checklist(tmp_path, "in")
    for gap in ("processor", "memory", "GPUs", "operating system", "those of astar", "seeds: the rows have none"):
        assert f"- **Not recorded**: {gap}\n" in made, gap
    assert "commands, versions and commits" in made
    assert "**Not recorded**: other programs that ran while times were measured" in made
    assert "**Not recorded**: how memory and processor time were measured" in made
    assert made.count("the report has no pairs of configurations") == 2


def test_values_of_x_that_cannot_be_drawn_are_noted(tmp_path: Path) -> None:
    sizes = ("3", "2x3", "3x4")
    write(tmp_path / "sizes" / "metrics.csv", [row(f"i{size}", expanded=1, **{"world.size": size}) for size in sizes])
    done = run(tmp_path, "report", "sizes", "--x", "world.size")
    assert "note: --x: world.size: values that are no numbers are not drawn: 2x3, 3x4\n" in done.stderr
    assert "note: --x: no charts against world.size: expected at least two numbers, got 3\n" in done.stderr
