"""Charts: their data, tooltips, colours and files."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from runner.base.columns import Declared
from runner.features.reports import charts as figures
from runner.features.reports.charts import Chart
from runner.features.reports.rates import rate
from runner.features.reports.runs import Runs, load
from tests.runner.features.reports.rows import row, write
from tests.runner_cli import run
from worlds.drawing import INK, save_figure

EXPANDED = Declared().all_metrics["expanded"]
NAME = "a_b$c%<d>&"


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    """Return rows of two sizes. The second configuration needs twice as much."""
    rows = [
        {**row(f"{size}-{n}", h, expanded=factor * size * n, cost=size), "world.size": size}
        for size in (3, 10)
        for h, factor in ((NAME, 1), ("h", 2))
        for n in range(1, 6)
    ]
    write(tmp_path / "in" / "results.csv", rows)
    return load([tmp_path / "in"])


def tips(svg: str) -> list[str]:
    root = ElementTree.fromstring(svg)
    return [each.text or "" for each in root.iter("{http://www.w3.org/2000/svg}title")]


def test_medians_and_quartiles_have_tooltips(runs: Runs) -> None:
    chart = figures.spread(runs, EXPANDED)
    assert chart is not None
    assert tips(chart.svg) == [
        f"{NAME}: median 13.50, quartiles 9.25 and 27.50",
        "h: median 27.00, quartiles 18.50 and 55.00",
    ]


def test_a_parameter_has_a_median_for_each_value(runs: Runs) -> None:
    chart = figures.scaling(runs, EXPANDED, "world.size")
    assert chart is not None
    assert tips(chart.svg) == [
        f"{NAME}, world.size=3: median 9.00 of 5",
        f"{NAME}, world.size=10: median 30.00 of 5",
        "h, world.size=3: median 18.00 of 5",
        "h, world.size=10: median 60.00 of 5",
    ]
    assert figures.scaling(runs, EXPANDED, "cost") is not None
    assert figures.scaling(runs, EXPANDED, "initial_h") is None


def test_instances_without_a_plan_are_left_out_of_medians(tmp_path: Path) -> None:
    """A proof that there is no plan may need no expansion: zeros would hide how the effort grows."""
    rows = [
        {**row(f"{size}-{n}", h, expanded=size * factor, cost=1), "world.size": size}
        for size in (3, 10) for h, factor in (("h", 1), ("none", 2)) for n in (1, 2)
    ]  # fmt: skip
    more = [
        {**row(f"{size}-u{n}", h, expanded=0, status="unsolvable"), "world.size": size}
        for size in (3, 10) for h in ("h", "none") for n in range(9)
    ]  # fmt: skip
    write(tmp_path / "results.csv", [*rows, *more])
    runs = load([tmp_path])
    chart, spread = figures.scaling(runs, EXPANDED, "world.size"), figures.spread(runs, EXPANDED)
    assert chart is not None
    assert spread is not None
    assert tips(chart.svg)[0] == "h, world.size=3: median 3.00 of 2"
    assert chart.title.endswith("Medians and quartiles of instances with a plan")
    assert spread.title == "Expanded by configuration, over 4 common instances with a plan"
    write(tmp_path / "results.csv", more)
    assert figures.scaling(load([tmp_path]), EXPANDED, "world.size") is not None


def test_rates_are_by_the_number_of_agents_unless_a_column_is_chosen(tmp_path: Path) -> None:
    """Plans that the rules do not accept are no success, and a configuration may miss values."""
    rows = [
        {**row(f"{k}-{n}", "h", status="solved" if n * k < 12 else "time_limit"), "agents": k, "side": k * k % 7}
        for k in (3, 10, 20) for n in (1, 2)
    ]  # fmt: skip
    rows += [{**row(f"3-{n}", NAME, valid=n > 1, limits="time=60"), "agents": 3, "side": 2} for n in (1, 2)]
    write(tmp_path / "in" / "results.csv", rows)
    runs = load([tmp_path / "in"])
    chart = rate(runs)
    assert chart is not None
    assert chart.title == "Which share of the instances is a success, by agents?"
    ours, theirs = [f"h, agents={k}: {n} of 2" for k, n in ((3, 2), (10, 1), (20, 0))], f"{NAME}, agents=3: 1 of 2"
    assert tips(chart.svg) == [*ours, theirs]
    by_side = rate(replace(runs, selection=replace(runs.selection, x="side")))
    assert by_side is not None
    assert tips(by_side.svg)[:2] == ["h, side=1: 0 of 2", "h, side=2: 3 of 4"]


@pytest.mark.parametrize(("sizes", "statuses"), [((5, 5), ("solved", "time_limit")), ((5, 6), ("solved", "solved"))])
def test_rates_need_two_values_and_a_failure(sizes: tuple[int, int], statuses: tuple[str, str], tmp_path: Path) -> None:
    rows = [{**row(f"i{n}", status=s), "agents": k} for n, (k, s) in enumerate(zip(sizes, statuses, strict=True))]
    write(tmp_path / "in" / "results.csv", rows)
    assert rate(load([tmp_path / "in"])) is None


def test_results_that_failures_do_not_have_make_no_rates(tmp_path: Path) -> None:
    rows = [{**row(f"i{n}", status="solved", cost=n), "agents": n} for n in (1, 2)]
    write(tmp_path / "in" / "results.csv", [*rows, {**row("i3", status="time_limit", cost=None), "agents": 3}])
    runs = load([tmp_path / "in"])
    assert rate(runs) is not None
    assert rate(replace(runs, selection=replace(runs.selection, x="cost"))) is None


def test_the_limit_is_in_the_title_of_rates(tmp_path: Path) -> None:
    rows = [{**row(f"i{n}", status=s, limits="time=60"), "agents": n} for n, s in enumerate(("solved", "time_limit"))]
    write(tmp_path / "in" / "results.csv", rows)
    chart = rate(load([tmp_path / "in"]))
    assert chart is not None
    assert chart.title == "Which share of the instances is a success within time=60, by agents?"


def test_points_have_the_colour_of_their_domain(tmp_path: Path) -> None:
    names = ["a#1", "b#1", "a#2", "b#2", "c"]
    write(tmp_path / "in" / "results.csv", [row(i, h, expanded=n + 1) for n, i in enumerate(names) for h in ("h", "g")])
    found = load([tmp_path / "in"])
    chart = figures.scatter(found, EXPANDED, "h", "g")
    assert chart is not None
    axes = Figure().add_subplot()
    chart.draw(axes)
    points = {each.get_label(): len(np.asarray(each.get_offsets())) for each in axes.collections}
    assert points == {"others": 1, "a": 2, "b": 2}
    assert len({tuple(np.asarray(each.get_facecolor())[0]) for each in axes.collections}) == 3
    one = replace(found, table=found.table[found.table["instance_group"] != "b"].reset_index(drop=True))
    axes = Figure().add_subplot()
    alone = figures.scatter(replace(one, table=one.table.assign(instance_group=None)), EXPANDED, "h", "g")
    assert alone is not None
    alone.draw(axes)
    assert len(axes.collections) == 1


def test_the_ink_of_charts_is_the_colour_of_the_page(runs: Runs) -> None:
    chart = figures.cactus(runs, EXPANDED)
    assert chart is not None
    assert INK not in chart.svg
    assert "currentColor" in chart.svg
    assert not re.search(r'd="[^"]*\.\d{3}', chart.svg)


def test_figures_of_papers_are_as_wide_as_a_column_or_a_page(runs: Runs) -> None:
    chart = figures.spread(runs, EXPANDED)
    assert chart is not None
    for each, width in ((chart, 3.15), (replace(chart, size=(9.0, 4.0)), 6.5)):
        found = re.search(rb"/MediaBox \[\s*0 0 ([\d.]+)", each.figure("pdf"))
        assert found is not None
        assert float(found[1]) == pytest.approx(width * 72)


def axes_of(chart: Chart) -> Axes:
    """Draw a chart as a figure of a paper, and return its axes."""
    made: list[Axes] = []

    def draw(axes: Axes) -> None:
        made.append(axes)
        chart.draw(axes)

    save_figure(draw, chart.paper_size, BytesIO(), "pdf")
    return made[0]


def test_names_in_figures_of_papers_are_whole(tmp_path: Path) -> None:
    """Nine names of 35 characters: the figure grows by its legend, and long labels have several lines."""
    names = [f"weighted_astar octile constant(1.2){n}" for n in range(9)]
    rows = [{**row(f"i{n}", h, expanded=n + 7, cost=1), "x": n} for h in names for n in range(1, 12)]
    write(tmp_path / "in" / "results.csv", rows)
    plan = {"run_id": rows[0]["run_id"], "instance": "i", "seconds": 0.5, "cost": 1, "actions": []}
    (tmp_path / "in" / "plans.jsonl").write_text(json.dumps(plan) + "\n")
    runs = load([tmp_path / "in"])
    charts = [figures.spread(runs, EXPANDED), figures.scaling(runs, EXPANDED, "x"), figures.cactus(runs, EXPANDED)]
    charts += [each(runs, EXPANDED, *names[:2]) for each in (figures.scatter, figures.quotients)]
    charts.append(figures.quality(runs, [tmp_path / "in"]))
    for chart in charts:
        assert chart is not None
        axes = axes_of(chart)
        figure = axes.get_figure(root=True)
        assert figure is not None
        figure.draw_without_rendering()
        of_ticks = [each for each in axes.get_yticklabels() if each.get_text() in names]
        labels = [each for each in (axes.xaxis.label, axes.yaxis.label) if each.get_text()] + of_ticks
        for each in (*figure.legends, *labels):
            box = each.get_window_extent()
            assert box.x0 >= 0, (chart.name, each)
            assert box.x1 <= figure.bbox.x1, (chart.name, each)
            assert box.y0 >= 0, (chart.name, each)
            assert box.y1 <= figure.bbox.y1, (chart.name, each)
        assert axes.get_window_extent().height > figure.dpi, chart.name


def test_several_worlds_have_charts_of_their_own(tmp_path: Path) -> None:
    """Configurations of other worlds are left out, and each has its colour in all charts."""
    searches = [("n/random", "h"), ("n/random", "none"), ("p/random", "gap"), ("p/random", "none")]
    rows = [row(f"i{n}", h, world=w, run_id=f"{w}{h}{n}", expanded=n, cost=1) for w, h in searches for n in (3, 4, 5)]
    write(tmp_path / "in" / "results.csv", rows)
    done = run(tmp_path, "report", "in", "--format", "markdown", "--charts", "cactus_expanded,bars_expanded_p_random")
    assert done.returncode == 0, done.stderr
    files = {file.stem: tips(file.read_text(encoding="utf-8")) for file in (tmp_path / "in" / "report").glob("*.svg")}
    assert {name: len(found) for name, found in files.items()} == {
        "cactus_expanded_n_random": 2, "cactus_expanded_p_random": 2, "bars_expanded_p_random": 6,
    }  # fmt: skip
    assert files["cactus_expanded_p_random"][1] == "gap: 3 solved, half of them within 4"
    content = (tmp_path / "in" / "report" / "report.md").read_text(encoding="utf-8")
    assert "![p/random: How many instances does each" in content
    drawing = (tmp_path / "in" / "report" / "bars_expanded_p_random.svg").read_text(encoding="utf-8")
    assert [colour in drawing for colour in figures.COLOURS[:3]] == [False, True, True]


def test_the_experiment_with_several_agents_has_rates(tmp_path: Path) -> None:
    words = ("world=mapf/static", "world.suite=benchmark", "world.agents=[8,32]", "limits.time=null", "limits.nodes=20")
    done = run(tmp_path, "-m", "+experiment=mapf_benchmark", *words, "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    only = ("--charts", "rate", "--tables", "by", "--format", "markdown,csv")
    done = run(tmp_path, "report", "out", "--by", "agents", *only)
    assert done.returncode == 0, done.stderr
    assert "cbs,1 of 1,0 of 1" in (tmp_path / "out" / "report" / "by_successes.csv").read_text(encoding="utf-8")
    found = tips((tmp_path / "out" / "report" / "rate.svg").read_text(encoding="utf-8"))
    assert {"cbs, agents=8: 1 of 1", "cbs, agents=32: 0 of 1"} <= {*found}


def test_expansions_are_drawn_against_the_time_of_a_value(tmp_path: Path) -> None:
    """The instances are those that all configurations with a time solve; compiled heuristics have none."""
    costs = {"blind": (1000, 1.0), "good": (10, 3.0), "compiled": (10, None)}
    rows = [
        row(f"i{n}", name, cost=n, expanded=n * expanded, evaluated=100, heuristic_seconds=seconds)
        for name, (expanded, seconds) in costs.items()
        for n in (1, 3, 100)
        if (name, n) != ("good", 100)
    ]
    write(tmp_path / "in" / "results.csv", rows)
    chart = figures.informedness(load([tmp_path / "in"]))
    assert chart is not None
    assert "on 2 instances" in chart.title
    assert tips(chart.svg) == ["blind: 2,000 expansions, 10.00 ms a value", "good: 20 expansions, 30.00 ms a value"]
    write(tmp_path / "other" / "results.csv", [each for each in rows if each["heuristic"] == "compiled"])
    assert figures.informedness(load([tmp_path / "other"])) is None
