"""The wheel, and the commands and code blocks of the documentation."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from tests.runner_cli import ROOT, only, rows

PARTS = ("pyproject.toml", "README.md", "LICENSE", "runner", "worlds", "heuristics", "algorithms", "conf", "examples")

COMMANDS = """
from runner.cli.main import main

for words in (
    ["algorithm=asp_agent", "world=wumpus/random", "world.size=4", "world.count=2", "hydra.run.dir=out"],
    ["plugins=[examples.sokoban]", "world=sokoban", "dry_run=true"],  # reads its levels
    ["report", "atlas:korf1985", "--format", "csv", "--tables", "summary"],
):
    assert main(words) == 0, words
import conf, runner
print(runner.__file__, conf.__file__)
"""


def test_a_wheel_works_outside_the_checkout(tmp_path: Path) -> None:
    source, site = tmp_path / "source", tmp_path / "site"
    source.mkdir()
    for part in PARTS:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, source / part)
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(tmp_path), str(source)]
    subprocess.run(build, check=True, capture_output=True, timeout=300)
    wheel = only(tmp_path, "search_runner-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    work = tmp_path / "work"
    (work / "conf").mkdir(parents=True)  # must not hide the package `conf` of the project
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS], cwd=work, env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout.splitlines()[-1].count(str(site))) == (0, 2), done.stderr
    assert len(rows(work / "out" / "metrics.csv")) == 2
    assert [row["rows"] for row in rows(work / "report" / "summary.csv")] == ["100", "100"]


def test_the_console_script_is_declared() -> None:
    from importlib.metadata import distribution

    scripts = {entry.name: entry.value for entry in distribution("search-runner").entry_points}
    assert scripts["search-runner"] == "runner.__main__:main"


def test_ci_runs_the_two_set_up_commands_of_the_readme() -> None:
    commands = re.findall(r"^python3 -m venv .*$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(commands) == 2
    assert commands[0].endswith("python -m runner algorithm=astar heuristic=flood_fill")
    assert commands[1].endswith("python -m pytest -n 2")
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "readme_command 'python -m runner'" in ci
    assert "readme_command pytest" in ci
    assert "TESTS_BUDGET=check" in ci


def test_ci_fails_without_a_browser(tmp_path: Path) -> None:
    """There is no apt-get on the path, either. A copy of the script could not reach this environment."""
    (tmp_path / ".ci").mkdir()
    ci = shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci" / "run")
    for name in ("bash", "dirname", "id"):
        (tmp_path / name).symlink_to(shutil.which(name) or name)
    paths = {"PATH": str(tmp_path)}
    done = subprocess.run(["bash", str(ci)], env=paths, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "CI needs Chromium for the tests of pages, and apt-get has not installed it\n"
