"""The atlas: every entry in its quick form, and the verdicts of an entry of one's own."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest

import runner
from runner.features.atlas.reproduction import entries, find, judge
from tests.runner_cli import ROOT, rows, run

SHORT = ("martelli1977",)
"""Entries whose quick form the short tests run. Figures that differ with a reason are those of `test_verdicts`, too."""
DIFFERING = ("aima2010_puzzle",)
"""Entries with figures that do not follow, each with the reason."""
OF_THE_USER = ("chen2024_goose",)
"""Entries whose rows are those of the user's own program. Their pages have the published figures alone."""
NEEDING = [name for name, entry in entries().items() if entry.needs]
"""Entries with files that do not come with the package."""
OWN = """
title: Caves
source: none
counting: expanded
instances: none
time: 1 second
quick_time: 1 second
experiments:
  - title: Expanded
    run: -m world=wumpus/static algorithm=astar,ucs heuristic=none
    quick: algorithm=astar
    published: expanded.csv
    by: {algorithm: algorithm}
    figures: {expanded: mean, status: status}
    rows: caves
"""


@pytest.mark.parametrize(
    "name",
    [
        name if name in SHORT else pytest.param(name, marks=pytest.mark.long)
        for name in entries()
        if name not in NEEDING
    ],
)
def test_quick_figures_agree(name: str, tmp_path: Path) -> None:
    done = run(tmp_path, "reproduce", name, "--quick", "--format", "markdown")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "outputs" / "reproduce" / f"{name}-quick" / "report.md").read_text(encoding="utf-8")
    assert "| equal" in page or "| within tolerance" in page
    assert ("| differs" in page) == (name in DIFFERING)


def test_every_entry_has_a_page_of_its_whole_run() -> None:
    for name in entries():
        page = (ROOT / "docs" / "atlas" / f"{name}.md").read_text(encoding="utf-8")
        assert page.startswith(f"# {name}: ")
        assert ("| equal" in page) == (name not in OF_THE_USER), name
        assert "| not run" not in page, name


@pytest.mark.long
@pytest.mark.parametrize(
    "name", [name for name, entry in entries().items() if entry.time.endswith("seconds") and not entry.needs]
)
def test_pages_are_what_whole_runs_write(name: str, tmp_path: Path) -> None:
    if name == "fast_downward" and find_spec("up_fast_downward") is None:
        pytest.skip("needs the package up-fast-downward")
    assert run(tmp_path, "reproduce", name, "--format", "markdown").returncode == 0
    page = (tmp_path / "outputs" / "reproduce" / name / "report.md").read_text(encoding="utf-8")
    assert page.replace(f"{ROOT}/", "") == (ROOT / "docs" / "atlas" / f"{name}.md").read_text(encoding="utf-8")


def test_coverage_of_a_program_of_the_user(tmp_path: Path) -> None:
    """The entry for GOOSE, with a program that knows the plan of one task of two, or of both."""
    pytest.importorskip("fast_downward")
    entry = ROOT / "runner" / "features" / "atlas" / OF_THE_USER[0] / "entry.yaml"
    text = entry.read_text().replace("90 *", "2 *")
    groups = next(word for word in text.split() if word.startswith("world.group="))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "entry.yaml").write_text(text.replace(groups, "world.group=one,both"))
    (tmp_path / "mine" / "coverage.csv").write_text("domain,tasks,solved\none,2,1\nboth,2,2\n")
    for group in ("one", "both"):
        tasks = tmp_path / "data" / "benchmarks" / "ipc23lt" / group / "testing"
        tasks.mkdir(parents=True)
        (tasks.parent / "domain.pddl").write_text(
            "(define (domain d) (:predicates (p)) (:action a :parameters () :precondition () :effect (p)))"
        )
        for number in (1, 2):
            (tasks / f"p0_0{number}.pddl").write_text(f"(define (problem p{number}) (:domain d) (:init) (:goal (p)))")
    plan = tmp_path / "data" / "plan"
    plan.write_text('#!/bin/sh\ncase "$4" in one*2) exit 12;; esac\necho "(a)" > "$3"\n')
    plan.chmod(0o755)
    done = run(tmp_path, "reproduce", "mine", "--format", "csv", "--data", "data")
    table = rows(tmp_path / "outputs" / "reproduce" / "mine" / "table_1.csv")
    assert [(row["world.group"], row["ours"], row["verdict"]) for row in table] == [
        ("one", "1", "equal"), ("both", "2", "equal"),
    ], done.stderr  # fmt: skip


@pytest.mark.parametrize("name", NEEDING)
def test_entries_that_need_files_say_which(name: str, tmp_path: Path) -> None:
    done = run(tmp_path, "reproduce", name)
    assert done.returncode == 2
    assert (
        done.stderr == f"error: {name}: needs {entries()[name].needs}; give the folder of these files by --data DIR\n"
    )


def test_the_folder_of_needed_files_stands_in_the_command(tmp_path: Path) -> None:
    needing = OWN.replace("world=wumpus/static", "world=wumpus/file world.path={data}/cave.json")
    own_entry(tmp_path, "astar,1,10,solved,\nucs,1,10,solved,\n", needing + "needs: cave.json\n")
    (tmp_path / "files").mkdir()
    cave = ROOT / "worlds" / "wumpus" / "suites" / "unibz"
    (tmp_path / "files" / "cave.json").write_bytes(next(iter(sorted(cave.glob("*.json")))).read_bytes())
    done = run(tmp_path, "reproduce", "mine", "--format", "csv", "--data", "files")
    assert "world.path=files/cave.json" in done.stderr
    table = rows(tmp_path / "outputs" / "reproduce" / "mine" / "table_1.csv")
    assert "not run" not in {row["verdict"] for row in table}
    for folder, message in (
        ("none", "there is no folder none"),
        ("my files", "expected a path of letters, digits and"),
    ):
        (tmp_path / "my files").mkdir(exist_ok=True)
        refused = run(tmp_path, "reproduce", "mine", "--data", folder)
        assert (refused.returncode, refused.stderr.startswith(f"error: --data: {message}")) == (2, True)
    assert "korf1985 needs no files" in run(tmp_path, "reproduce", "korf1985", "--data", "files").stderr


def own_entry(folder: Path, published: str, text: str = OWN) -> None:
    (folder / "mine").mkdir()
    (folder / "mine" / "entry.yaml").write_text(text)
    (folder / "mine" / "expanded.csv").write_text(f"algorithm,caves,mean,status,note\n{published}")


def test_verdicts(tmp_path: Path) -> None:
    """Figures agree in the digits that are printed; one that differs fails unless the entry says why."""
    own_entry(tmp_path, "astar,7,832.857,solved,\nucs,7,833,solved,\nucs,8,1,solved,\nucs,7,1,,ties\n")
    done = run(tmp_path, "reproduce", "mine", "--format", "csv")
    table = rows(tmp_path / "outputs" / "reproduce" / "mine" / "table_1.csv")
    assert [row["verdict"] for row in table] == ["equal", "equal", "equal", "equal", "not run", "not run", "differs"]
    assert "ucs expanded: published 1, ours 833 (ties)" in done.stdout
    assert done.returncode == 0, done.stderr
    (tmp_path / "mine" / "expanded.csv").write_text("algorithm,caves,mean,status,note\nucs,7,1,solved,\n")
    failed = run(tmp_path, "reproduce", "mine", "--format", "csv")
    assert (failed.returncode, failed.stderr.splitlines()[-1]) == (
        1, "failed: ucs expanded: published 1, ours 833"
    )  # fmt: skip


@pytest.fixture(scope="module")
def caves(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """Return the rows of A* in the seven caves."""
    return runner.sweep("world=wumpus/static", "heuristic=none", folder=tmp_path_factory.mktemp("caves") / "out")


@pytest.mark.parametrize(
    ("options", "figure", "verdict"),
    [
        ("tolerance: 0.1", "900", "within tolerance"),
        ("tolerance: 0.01", "900", "differs"),
        ("standard_errors: 0.5", "900", "within tolerance"),
        ("standard_errors: 0.2", "900", "differs"),
        ("standard_errors: 0.2\n    sample: 1", "900", "within tolerance"),
        ("standard_errors: 0.2\n    sample: status", "900", "within tolerance"),
        ("is_bound: true", "900", "within the bound"),
        ("is_bound: true", "800", "differs"),
    ],
)
def test_figures_may_have_tolerances_and_be_bounds(
    caves: pd.DataFrame, tmp_path: Path, options: str, figure: str, verdict: str
) -> None:
    """The mean of A* over the seven caves is 832.857, with a standard deviation of 376 and thus an error of 142."""
    text = OWN.replace("    rows: caves\n", f"    rows: caves\n    {options}\n").replace(", status: status", "")
    own_entry(tmp_path, f"astar,7,{figure},1,\n", text)
    (experiment,) = find(str(tmp_path / "mine")).experiments
    (found,) = judge(experiment, ["algorithm=astar"], caves)
    assert found.verdict == verdict


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("title: Caves", "title: ["), "entry.yaml: "),
        (("    rows: caves", "    rws: caves"), "experiments[0].rws: unknown key; did you mean 'rows'?"),
        (("quick_time: 1 second\n", ""), "quick_time: missing"),
        (("expanded: mean", "expandet: mean"), "the rows have no column 'expandet'; did you mean 'expanded'?"),
        (("expanded: mean", "expanded: maen"), "there is no column 'maen'; did you mean 'mean'?"),
        (("expanded.csv", "figures.csv"), "published: there is no figures.csv"),
    ],
)
def test_mistakes_in_an_entry_are_named(
    caves: pd.DataFrame, tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    own_entry(tmp_path, "dfs,7,1,solved,\n", OWN.replace(*change))
    with pytest.raises(runner.UserError) as refused:
        judge(find(str(tmp_path / "mine")).experiments[0], [], caves)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("", ""), "none of the published figures has rows"),
        (("title: Caves", "titel: Caves"), "titel: unknown key; did you mean 'title'?"),
        (("algorithm=astar,ucs", "algorithm=astra"), "astra"),
    ],
)
def test_mistakes_in_an_entry_are_one_line(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    own_entry(tmp_path, "dfs,7,1,solved,\n", OWN.replace(*change))
    done = run(tmp_path, "reproduce", "mine")
    assert done.returncode in (1, 2)
    assert message in done.stderr.splitlines()[-1]


def test_an_unknown_entry_is_refused(tmp_path: Path) -> None:
    done = run(tmp_path, "reproduce", "korf1986")
    assert done.returncode == 2
    assert done.stderr.startswith("error: korf1986: there is no such entry")
    assert "did you mean 'korf1985'?" in done.stderr
