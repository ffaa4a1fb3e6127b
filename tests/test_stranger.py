"""A stranger's package, installed in an environment of its own, enters by every door; it uses the public API alone.

The short tests sweep its world and run its command; the blocks of docs/plugins/doors.md enter by the other doors
without an installation (`test_documentation`).
"""

from __future__ import annotations

import ast
import shutil
import subprocess
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import runner_cli
from tests.runner_cli import ROOT, rows

PACKAGE = ROOT / "tests" / "plugins" / "stranger"


@dataclass(frozen=True)
class Environment:
    """Python in which the package is installed, its folder of packages, and a folder to work in."""

    python: Path
    packages: Path
    work: Path

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the folder, in this process, which finds what is installed in the environment."""
        return runner_cli.run(self.work, *words, PYTHONPATH=str(self.packages))

    def run_process(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the folder, by the Python of the environment."""
        command = [str(self.python), "-m", "runner", *words]
        return subprocess.run(command, cwd=self.work, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Install the package in an environment of its own."""
    folder = tmp_path_factory.mktemp("stranger")
    shutil.copytree(PACKAGE, folder / "package", ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
    venv.create(folder / "env", with_pip=False, symlinks=True)
    python = folder / "env" / "bin" / "python"
    script = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = subprocess.run([python, "-c", script], capture_output=True, text=True, check=True).stdout.strip()
    # search-runner and its dependencies as if they were installed there
    (Path(site) / "search_runner_of_tests.pth").write_text(f"{sysconfig.get_path('purelib')}\n{ROOT}\n")
    install = [str(python), "-m", "pip", "install", "--quiet", "--no-deps", str(folder / "package")]
    subprocess.run(install, check=True, capture_output=True, timeout=300)
    work = folder / "work"
    work.mkdir()
    return Environment(python, Path(site), work)


def test_it_uses_the_public_api_alone() -> None:
    for file in PACKAGE.rglob("*.py"):
        nodes = [*ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
        used = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
        used |= {each.name for node in nodes if isinstance(node, ast.Import) for each in node.names}
        ours = {each for each in used if each.partition(".")[0] in ("runner", "worlds", "heuristics", "algorithms")}
        assert ours <= {"runner", "runner.plugin"}, file


def test_its_world_heuristics_and_algorithm_are_swept(lab: Environment) -> None:
    words = ("-m", "world=lights", "algorithm=layers,astar", "heuristic=lit", "hydra.sweep.dir=out")
    assert lab.run_process(*words).returncode == 0
    found = rows(lab.work / "out" / "results.csv")
    assert [(row["algorithm"], row["cost"]) for row in found] == [("layers", "2"), ("astar", "2")]


@pytest.mark.long
def test_its_priority_orders_searches_and_promises_its_bound(lab: Environment) -> None:
    words = ("world=lights", "heuristic=lit", "algorithm=astar", "weighting=pwxd", "weighting.weight=2")
    assert lab.run("-m", *words, "hydra.sweep.dir=ordered").returncode == 0
    (row,) = rows(lab.work / "ordered" / "results.csv")
    assert (row["weighting"], row["cost"], row["bound"]) == ("pwxd(weight=2.0)", "2", "2")
    assert lab.run("audit", *words, "hydra.run.dir=ordered_audit").returncode == 0
    assert "bounded,yes,no violation in 1 instance" in (lab.work / "ordered_audit" / "audit.csv").read_text()


@pytest.mark.long
def test_its_sources_make_worlds_of_parts(lab: Environment) -> None:
    done = lab.run("-m", "world=rings/random", "world.lamps=4,7", "world.count=2", "hydra.sweep.dir=rings")
    assert done.returncode == 0, done.stderr
    found = rows(lab.work / "rings" / "results.csv")
    assert [(row["instance"], row["seed"], row["cost"]) for row in found] == [
        ("4-0", "0", "2"), ("4-1", "1", "2"), ("7-0", "0", "3"), ("7-1", "1", "4"),
    ]  # fmt: skip
    shown = lab.run("replay", "rings", "--instance", "4-1", "--delay", "0")
    assert "....\n" in shown.stdout, shown.stderr
    checked = lab.run("check", "world=rings/random", "world.lamps=5")
    assert checked.returncode == 0, checked.stdout
    assert "kernels_follow_the_rules     │ passed" in checked.stdout
    (lab.work / "rings.txt").write_text("*.*\n*x\n")
    refused = lab.run("world=rings/file", "world.path=rings.txt")
    assert (refused.returncode, refused.stderr) == (2, "error: rings.txt: line 2: expected * and ., got '*x'\n")
    assert "world.lamps: whole number from 3 to 30 (default 7)" in lab.run("--help", "world=rings/random").stdout


@pytest.mark.long
def test_its_combination_makes_one_value_of_its_heuristics(lab: Environment) -> None:
    stack = "heuristic.stack=[{name: part, first: 0, last: 3}, part]"
    words = ("world=rings/file", "world.path=lit.txt", "heuristic.combine=most", stack)
    (lab.work / "lit.txt").write_text("*****..\n")
    assert lab.run("-m", *words, "hydra.sweep.dir=combined").returncode == 0
    (row,) = rows(lab.work / "combined" / "results.csv")
    assert (row["heuristic"], row["initial_h"]) == ("most(part+part)", "2")
    assert "+" in row["code"]
    refused = lab.run(*(word.replace("most", "least") for word in words))
    assert refused.stderr == "error: heuristic.combine: expected one of sum, max, most, got 'least'\n"
    assert lab.run("audit", *words, "hydra.run.dir=combined_audit").returncode == 0
    assert "admissible,yes,no violation" in (lab.work / "combined_audit" / "audit.csv").read_text()


@pytest.mark.long
def test_its_table_chart_and_format_are_part_of_reports(lab: Environment) -> None:
    assert lab.run("world=lights", "algorithm=layers", "hydra.run.dir=reported").returncode == 0
    words = ("report", "reported", "--format", "titles,csv,html", "--out", "report")
    done = lab.run(*words, "--tables", "effort", "--charts", "all")
    assert done.returncode == 0, done.stderr
    assert "Expansions for each step of the plans\n" in (lab.work / "report" / "titles.txt").read_text()
    assert (lab.work / "report" / "effort.csv").read_text() == "configuration,expansions per step\nlayers,4\n"
    assert "Expansions" in (lab.work / "report" / "report.html").read_text()
    refused = lab.run(*words, "--tables", "efort")
    assert (
        "there is no table 'efort'; did you mean 'effort'?" in refused.stderr
        or "did you mean 'effort'" in refused.stderr
    )


def test_its_command_has_a_section_and_is_found(lab: Environment) -> None:
    assert lab.run("reach", "world=lights", "reach.depth=2", "--bare").stdout == "13\n"
    assert lab.run("reach", "world=lights", "reach.dpeth=2").stderr == (
        "error: reach.dpeth: unknown key; did you mean 'depth'? choose from: depth\n"
    )
    assert "  reach     count the states within a distance from the start\n" in lab.run("--help").stdout
    assert "did you mean 'reach'?" in lab.run("raech").stderr


@pytest.mark.long
def test_an_experiment_may_have_its_section_and_no_unknown_one(lab: Environment) -> None:
    (lab.work / "mine.yaml").write_text("# @package _global_\nworld: lights\nreach: {depth: 1}\n")
    assert lab.run("reach", "mine.yaml", "--bare").stdout == "6\n"
    (lab.work / "other.yaml").write_text("# @package _global_\nworld: lights\nraech: {depth: 1}\n")
    refused = lab.run("other.yaml")
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert "raech: unknown key; did you mean 'reach'?" in refused.stderr


@pytest.mark.long
def test_its_checks_are_part_of_audits(lab: Environment) -> None:
    words = ("world=lights", "heuristic=eager", "algorithm=astar")
    checked = lab.run("check", *words)
    assert checked.returncode == 1
    outcomes = {
        line.split("│")[1].strip(): line.split("│")[2].strip()
        for line in checked.stdout.splitlines()
        if line.count("│") > 3
    }
    assert [outcomes[name] for name in ("few_steps", "small", "short_plans")] == ["passed", "failed", "passed"]
    assert "h is 5" in lab.run("audit", *words, "hydra.run.dir=audit").stdout
    assert "small,yes,VIOLATED in 1 of 16 states" in (lab.work / "audit" / "audit.csv").read_text()


@pytest.mark.long
def test_its_criterion_and_platform_mark_submissions(lab: Environment) -> None:
    (lab.work / "exercise.yaml").write_text(
        "title: Lights\nhand_in: heuristic\nworld: {name: lights}\n"
        "criteria: [{name: short, points: 2}, {name: short, points: 1, steps: 1}]\n"
    )
    source = 'import runner\n\n@runner.python_heuristic("mine", domain="lights")\ndef mine(state): return 0\n'
    (lab.work / "ada.py").write_text(source)
    marked = lab.run("grade", "exercise.yaml", "ada.py", "--format", "log")
    assert marked.stdout == "short 2: every plan is short\nshort 0: a plan of 2 steps\n", marked.stderr
    assert "html, log" in " ".join(lab.run("grade", "--help").stdout.split())
