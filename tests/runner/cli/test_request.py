"""Preparation of every command: plug-ins, folders of choices, imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from runner import __main__ as program
from runner.config.grammar.parse_overrides import parse
from runner.config.request.request import Request
from tests.plugins import install
from tests.runner_cli import environment, run, run_process


def test_choices_in_a_folder_of_the_user_are_found(tmp_path: Path) -> None:
    (tmp_path / "algorithm").mkdir()
    (tmp_path / "algorithm" / "mine.yaml").write_text("name: astar\nties: fifo\n")
    found = Request((), config_dirs=(tmp_path,)).composer
    assert "mine" in found.groups.names("algorithm")
    chosen = found.compose(parse(["algorithm=mine", "algorithm.ties=lifo"])).resolved["algorithm"]
    assert chosen == {"name": "astar", "ties": "lifo"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("import sys\nsys.exit(3)\n", "SystemExit: 3"),
        ("raise KeyError('odd')\n", "KeyError: 'odd'"),
        ("class Odd(BaseException): ...\nraise Odd('x')\n", "Odd: x"),
        ("import nowhere_to_be_found\n", "No module named 'nowhere_to_be_found'"),
    ],
)
def test_an_error_in_a_plugin_shows_its_own_traceback(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "odd_plugin.py").write_text(content)
    done = run(tmp_path, "plugins=[odd_plugin]")
    assert done.returncode == 2
    assert done.stderr.startswith("error: plugins: importing 'odd_plugin' failed\n")
    assert message in done.stderr.splitlines()[-1]
    assert 'odd_plugin.py", line' in done.stderr


def test_a_default_value_that_yaml_cannot_represent_is_one_line(tmp_path: Path) -> None:
    install(tmp_path, "frozenset_default")
    done = run(tmp_path, "plugins=[frozenset_default]", "world=odd")
    expected = "error: plugins: world 'odd': parameter some: the default cannot stand in YAML: frozenset({3})\n"
    assert (done.returncode, done.stderr) == (2, expected)


def test_a_package_that_hides_one_of_the_project_is_reported(tmp_path: Path) -> None:
    """As after `pip install algorithms`, if that package is found first."""
    (tmp_path / "algorithms").mkdir()
    (tmp_path / "algorithms" / "__init__.py").write_text("SORTS = []\n")
    (tmp_path / "early.py").write_text("import algorithms\n")
    code = "import sys; sys.path.insert(0, '.'); import early; from runner.cli.main import main; sys.exit(main([]))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "has the name of a package of search-runner" in done.stderr
    assert done.stderr.count("\n") == 1


def test_files_in_the_working_directory_are_not_modules_of_python(tmp_path: Path) -> None:
    """`resource` is imported by workers, after plug-ins; `html` and `numpy` at the start."""
    (tmp_path / "mine.py").write_text("import csv\n")
    for name in ("csv", "html", "numpy", "queue", "random", "resource", "worlds"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported')\n")
    done = run_process(tmp_path, "plugins=[mine]", "world.sample=1")
    assert (done.returncode, done.stderr) == (0, "")


IMPORTS = """
import sys
from runner.cli.main import main

for words in (["--help"], ["algorithm=nothing"], ["algorithm.ties=wrong"], ["dry_run=true"]):
    main(words)
print({"numba", "pandas"} & set(sys.modules))
"""


def test_help_mistakes_and_dry_runs_import_neither_numba_nor_pandas(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True
    )
    assert done.stderr.count("error: algorithm") == 2
    assert done.stdout.endswith("set()\n")


def test_a_python_without_the_dependencies_is_refused_with_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-S", "-m", "runner", "algorithm=astar"]  # -S: without site-packages
    done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: search-runner is not installed in this Python (")
    assert done.stderr.endswith("; use .venv/bin/python -m runner ..., or install it: pip install -e .\n")
    assert done.stderr.count("\n") == 1


def test_an_older_python_is_named_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 18))
    with pytest.raises(SystemExit) as ended:
        program.main()
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"error: search-runner needs Python 3.10 or newer; {sys.executable} is 3.9\n"
