"""``python -m runner report``: files, messages and exit codes."""

from __future__ import annotations

import re
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.runner.features.reports.rows import row, write
from tests.runner_cli import ROOT, rows, run, run_process

ALL = ("--tables", "all", "--charts", "all")


def report(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(directory, "report", *arguments)


def test_a_report_has_the_published_values_of_unibz(tmp_path: Path) -> None:
    done = run(tmp_path, "-m", "+experiment=wumpus_offline", "hydra.sweep.dir=sweep")
    assert done.returncode == 0, done.stderr
    shown = ("--tables", "simulated_actions,reward", "--charts", "bars_simulated_actions,cactus_search_seconds")
    done = report(tmp_path, "sweep", *shown, "--format", "html,csv,markdown")
    notes = [line for line in done.stderr.splitlines() if "interference" not in line]  # other tests may interfere
    assert (done.returncode, notes) == (0, [])
    out = tmp_path / "sweep" / "report"
    found = {line["instance"]: line for line in rows(out / "simulated_actions.csv")}
    published = rows(ROOT / "worlds" / "wumpus" / "suites" / "unibz" / "unibz_table.csv")
    assert {(line["cave"], line["heuristic"]): line["explored"] for line in published} == {
        (cave, name): value
        for cave, line in found.items()
        if cave.startswith("unibz")
        for name, value in line.items()
        if name != "instance"
    }
    assert [found["SUM"][name] for name in ("none", "flood_fill", "area_pruning")] == ["15387", "1541", "845"]
    rewards = {line["instance"]: line for line in rows(out / "reward.csv")}
    assert rewards["SUM"]["area_pruning"] == "5812"
    made = rows(tmp_path / "sweep" / "results.csv")
    names = [line["heuristic"].split("+")[-1].split("(")[0] for line in made]
    assert {(line["instance"], name): line["reward"] for line, name in zip(made, names, strict=True)} == {
        (line["cave"], line["heuristic"]): line["reward"] for line in published
    }
    assert len(made) == 49
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "15,387" in page
    assert all(f'id="chart_{name}"' in page for name in ("bars_simulated_actions", "cactus_search_seconds"))
    assert page.count(": a plan of ") == 6
    assert not re.search(r"(src|href)=[\"'](https?:)?//", page)
    svg = ElementTree.parse(out / "bars_simulated_actions.svg")
    words = {part.text for part in svg.iter("{http://www.w3.org/2000/svg}text")}
    assert {"unibz_w1", "area_pruning", "shortest plan", "simulated actions"} <= words
    assert str(Path("sweep", "report", "report.md")) in done.stdout


def test_a_mistake_is_one_line(tmp_path: Path) -> None:
    write(tmp_path / "in" / "metrics.csv", [row("a", expanded=1), row("a", "h", expanded=2)])
    for arguments, message in {
        ("nowhere",): "error: nothing to report: no rows in nowhere (nowhere: there is no such folder)",
        ("in", "--metric", "expnded"): "error: --metric: 'expnded' is no metric; did you mean 'expanded'?",
        ("in", "--metric", "actions"): "error: --metric: 'actions' has no values here",
        ("in", "--compare", "h", "hh"): "error: --compare: there is no configuration 'hh'; did you mean 'h'?",
        ("in", "--format", "latx"): "error: --format: there is no format 'latx'; did you mean 'latex'?",
        ("in", "--out", "in/metrics.csv"): "error: in/metrics.csv: File exists",
    }.items():
        done = report(tmp_path, *arguments)
        assert done.returncode == (1 if "--out" in arguments else 2)
        assert done.stderr.startswith(message), done.stderr
        assert done.stderr.count("\n") == 1
    assert not (tmp_path / "in" / "report").exists()


def test_configurations_without_common_instances_are_not_compared(tmp_path: Path) -> None:
    """As in the experiment npuzzle_ci2024."""
    write(tmp_path / "in" / "metrics.csv", [row("a", "h", expanded=1, cost=3), row("b", "g", expanded=2, cost=4)])
    done = report(tmp_path, "in", "--tables", "all", "--format", "csv")
    assert done.returncode == 0, done.stderr
    names = sorted(file.name for file in (tmp_path / "in" / "report").iterdir())
    assert names == [
        f"{name}.csv" for name in ("cost", "expanded", "measures", "metrics", "names", "origin", "summary")
    ]


def test_special_characters_and_a_corrupt_plan_are_accepted(tmp_path: Path) -> None:
    made = [
        row(name, h, expanded=n + 1) for n, name in enumerate(("$\\frac$", "$x$", "a|b&c")) for h in ("none", "$h$")
    ]
    write(tmp_path / "in" / "metrics.csv", made)
    (tmp_path / "in" / "plans.jsonl").write_bytes(b'{"run_id": "\xff"}\n')
    done = report(tmp_path, "--charts", "all", "--format", "html,markdown,latex,csv", "in")
    assert done.returncode == 0, done.stderr
    assert done.stderr == "note: in/plans.jsonl: line 1 is not a plan, skipped\n"
    assert done.stderr.count("\n") == 1
    assert "$x$" in (tmp_path / "in" / "report" / "bars_expanded.svg").read_text(encoding="utf-8")
    assert report(tmp_path, "a" * 300).returncode in (1, 2)


@pytest.mark.long
def test_a_report_of_6000_rows_has_less_than_a_megabyte(tmp_path: Path) -> None:
    made = [
        row(f"uniform-4x4-{n}", h, algorithm=a, expanded=997 * n % 99_991 + 1, generated=3 * n + 10_000, cost=50,
            search_seconds=0.001 * n)
        for n in range(1, 501) for a in ("astar", "idastar", "greedy") for h in ("none", "h1", "h2", "h3")
    ]  # fmt: skip
    write(tmp_path / "in" / "metrics.csv", made)
    assert report(tmp_path, "in", *ALL).returncode == 0
    page = tmp_path / "in" / "report" / "report.html"
    assert page.stat().st_size < 1_000_000
    assert page.read_text(encoding="utf-8").count('<th scope="row">uniform-4x4-500<td>') == 4


def test_a_report_is_reproducible(tmp_path: Path) -> None:
    made = [row(f"i{n}", h, expanded=n + len(h), search_seconds=0.001 * n) for n in range(1, 12) for h in ("none", "h")]
    write(tmp_path / "in" / "metrics.csv", made)
    pages = []
    for out in ("one", "two"):
        assert report(tmp_path, "in", "--out", out).returncode == 0
        pages.append((tmp_path / out / "report.html").read_bytes())
    assert pages[0] == pages[1]


def test_without_a_home_folder_matplotlib_prints_nothing(tmp_path: Path) -> None:
    write(tmp_path / "in" / "metrics.csv", [row(name, expanded=9) for name in "ab"])
    words = ("report", "in", "--charts", "bars")
    done = run_process(tmp_path, *words, HOME="/dev/null/home", MPLCONFIGDIR="/dev/null/home")
    assert (done.returncode, done.stderr) == (0, "")
    assert 'id="chart_bars_expanded"' in (tmp_path / "in" / "report" / "report.html").read_text(encoding="utf-8")


def test_a_new_name_is_used_everywhere(tmp_path: Path) -> None:
    rows = [row(f"i{n}", h, expanded=n + len(h), cost=1, seed=n) for n in range(1, 12) for h in ("old_name", "none")]
    write(tmp_path / "in" / "metrics.csv", rows)
    formats = ("--format", "html,markdown,latex,csv")
    done = report(tmp_path, "in", "--rename", "old_name=A* 1.2", "--by", "seed", "--x", "seed", *formats, *ALL)
    assert done.returncode == 0, done.stderr
    for file in (tmp_path / "in" / "report").iterdir():
        content = file.read_text(encoding="utf-8")
        meanings = content.count("heuristic=old_name") + content.count("heuristic=old\\_name")
        assert content.count("old_name") + content.count("old\\_name") == meanings, file.name
    assert "| A\\* 1.2 " in (tmp_path / "in" / "report" / "report.md").read_text(encoding="utf-8")
    wrong = report(tmp_path, "in", "--rename", "old_nam=x")
    assert wrong.returncode == 2
    assert "there is no configuration 'old_nam'; did you mean 'old_name'?" in wrong.stderr
