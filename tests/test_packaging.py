"""The metadata of the distribution, and the commands of CI. `python -m tests.wheel` tries the wheel."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import runner
from tests.runner_cli import ROOT


def test_the_console_script_is_declared() -> None:
    from importlib.metadata import distribution

    scripts = {entry.name: entry.value for entry in distribution("search-runner").entry_points}
    assert scripts["search-runner"] == "runner.__main__:main"


def test_the_version_to_cite_is_that_of_the_distribution() -> None:
    cited = re.findall(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    changes = re.findall(r"^## (\S+) \(", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert cited == changes[:1] == [runner.__version__]


def test_ci_runs_the_two_set_up_commands_of_the_readme() -> None:
    commands = re.findall(r"^python3 -m venv .*$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(commands) == 2
    assert commands[0].endswith("python -m runner algorithm=astar heuristic=flood_fill")
    assert commands[1].endswith("python -m pytest -n 2")
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "readme_command 'python -m runner'" in ci
    assert "readme_command pytest" in ci


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
