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

PARTS = ("pyproject.toml", "README.md", "LICENSE", "runner", "worlds", "heuristics", "algorithms", "conf")


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
    variables = {**os.environ, "PYTHONPATH": str(site)}
    where = [sys.executable, "-c", "import runner, conf; print(runner.__file__, conf.__file__)"]
    found = subprocess.run(where, cwd=tmp_path, env=variables, capture_output=True, text=True, check=True).stdout
    assert found.count(str(site)) == 2
    for arguments in (("algorithm=asp_agent", "hydra.run.dir=out"), ("heuristic=flood_fill", "dry_run=true")):
        done = subprocess.run(
            [sys.executable, "-m", "runner", *arguments], cwd=work, env=variables, capture_output=True, text=True,
            timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    assert len(rows(work / "out" / "metrics.csv")) == 7


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


def test_code_blocks_of_readme_and_plugin_docs_run(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)[0]
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    snippet = "\n".join(line for line in code.splitlines() if "runner.read" not in line)
    done = subprocess.run(
        [sys.executable, "-c", snippet], cwd=tmp_path, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("29 ")
    world, agent, _, plugin = re.findall(
        r"```python\n(.*?)```", (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8"), re.DOTALL
    )
    example = (ROOT / "examples" / "pancake.py").read_text(encoding="utf-8")
    assert world.splitlines()[-1] in example
    assert set(world.splitlines()) <= set(example.splitlines())
    assert "Timid" in agent  # tests/runner/cli/test_agents_cli.py plays it
    (tmp_path / "my_heuristics.py").write_text(plugin)
    command = [
        sys.executable, "-m", "runner",
        "plugins=[my_heuristics]", "heuristic.stack=[last_actions]", "hydra.run.dir=out",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert {row["bound"] for row in rows(tmp_path / "out" / "metrics.csv")} == {"1", ""}
