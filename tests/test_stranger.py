"""A stranger's package, installed in an environment of its own, enters by every door; it uses the public API alone."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sysconfig
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.runner_cli import ROOT, rows

PACKAGE = ROOT / "tests" / "plugins" / "stranger"
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Install the package, and return a function that runs a command in a folder of this environment."""
    folder = tmp_path_factory.mktemp("stranger")
    shutil.copytree(PACKAGE, folder / "package", ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
    venv.create(folder / "env", with_pip=False, symlinks=True)
    python = folder / "env" / "bin" / "python"
    script = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = subprocess.run([python, "-c", script], capture_output=True, text=True, check=True).stdout.strip()
    # search-runner and its dependencies as if they were installed there
    (Path(site) / "search_runner_of_tests.pth").write_text(f"{sysconfig.get_path('purelib')}\n{ROOT}\n")
    install = [python, "-m", "pip", "install", "--quiet", "--no-deps", str(folder / "package")]
    subprocess.run(install, check=True, capture_output=True, timeout=300)
    work = folder / "work"
    work.mkdir()

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [python, "-m", "runner", *words]
        return subprocess.run(command, cwd=work, capture_output=True, text=True, timeout=300, check=False)

    run.work = work  # type: ignore[attr-defined]
    return run


def test_it_uses_the_public_api_alone() -> None:
    for file in PACKAGE.rglob("*.py"):
        nodes = [*ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
        used = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
        used |= {each.name for node in nodes if isinstance(node, ast.Import) for each in node.names}
        ours = {each for each in used if each.partition(".")[0] in ("runner", "worlds", "heuristics", "algorithms")}
        assert ours <= {"runner", "runner.plugin"}, file


def test_its_world_heuristics_and_algorithm_are_swept(runner: Run) -> None:
    words = ("-m", "world=lights", "algorithm=layers,astar", "heuristic=lit", "hydra.sweep.dir=out")
    assert runner(*words).returncode == 0
    found = rows(runner.work / "out" / "results.csv")
    assert [(row["algorithm"], row["cost"]) for row in found] == [("layers", "2"), ("astar", "2")]


def test_its_command_has_a_section_and_is_found(runner: Run) -> None:
    assert runner("reach", "world=lights", "reach.depth=2", "--bare").stdout == "13\n"
    assert runner("reach", "world=lights", "reach.dpeth=2").stderr == (
        "error: reach.dpeth: unknown key; did you mean 'depth'? choose from: depth\n"
    )
    assert "  reach     count the states within a distance from the start\n" in runner("--help").stdout
    assert "did you mean 'reach'?" in runner("raech").stderr


def test_an_experiment_may_have_its_section_and_no_unknown_one(runner: Run) -> None:
    (runner.work / "mine.yaml").write_text("# @package _global_\nworld: lights\nreach: {depth: 1}\n")
    assert runner("reach", "mine.yaml", "--bare").stdout == "6\n"
    (runner.work / "other.yaml").write_text("# @package _global_\nworld: lights\nraech: {depth: 1}\n")
    refused = runner("other.yaml")
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert "raech: unknown key; did you mean 'reach'?" in refused.stderr
