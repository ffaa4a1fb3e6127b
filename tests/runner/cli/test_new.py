"""``python -m runner new``: packages of every kind pass their tests and run by the printed commands."""

from __future__ import annotations

import shlex
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Container, Iterable
from pathlib import Path
from typing import Any

import pytest

from runner.base.errors import UserError
from runner.cli.new import main
from tests.runner_cli import ROOT, environment, run

KINDS = {
    "world": ("world",),
    "heuristic of wumpus": ("heuristic",),
    "heuristic of npuzzle": ("heuristic", "--domain", "npuzzle"),
    "heuristic of snake": ("heuristic", "--domain", "snake"),
    "heuristic of gridmap": ("heuristic", "--domain", "gridmap"),
    "heuristic of pddl": ("heuristic", "--domain", "pddl"),
    "world --compiled": ("world", "--compiled"),
    "heuristic --compiled of wumpus": ("heuristic", "--compiled"),
    "heuristic --compiled of npuzzle": ("heuristic", "--compiled", "--domain", "npuzzle"),
    "heuristic --compiled of snake": ("heuristic", "--compiled", "--domain", "snake"),
    "heuristic --compiled of gridmap": ("heuristic", "--compiled", "--domain", "gridmap"),
    "heuristic --compiled of pddl": ("heuristic", "--compiled", "--domain", "pddl"),
    "algorithm": ("algorithm",),
    "algorithm --compiled": ("algorithm", "--compiled"),
    "agent": ("agent",),
}
OF_ANOTHER_DOMAIN = [kind for kind in KINDS if " of " in kind and not kind.endswith("of wumpus")]
NAME = "my_part"


def some_long(kinds: Iterable[str], long: Container[str]) -> list[Any]:
    """Return kinds as parameters of a test, some of them marked as long."""
    return [pytest.param(kind, marks=[pytest.mark.long] if kind in long else []) for kind in kinds]


def written(folder: Path, *arguments: str) -> tuple[Path, list[list[str]]]:
    """Write a package, and return its folder and the printed commands."""
    kind, *options = arguments
    done = run(folder, "new", kind, NAME, *options)
    assert (done.returncode, done.stderr) == (0, "")
    head, _, tail = done.stdout.partition("\nto run, check, test and install it:\n")
    files = {folder / line.strip() for line in head.splitlines()[1:]}
    assert files == {path for path in folder.rglob("*") if path.is_file()}
    commands = [shlex.split(line, comments=True) for line in tail.splitlines()]
    assert commands[0] == ["cd", NAME]
    return folder / NAME, [command for command in commands[1:] if command]


@pytest.mark.parametrize("kind", some_long(KINDS, OF_ANOTHER_DOMAIN))
def test_a_new_package_passes_its_tests_and_runs_by_the_printed_commands(tmp_path: Path, kind: str) -> None:
    if kind.endswith("of pddl"):
        pytest.importorskip("fast_downward")
    package, commands = written(tmp_path, *KINDS[kind])
    ran = 0
    for words in commands:
        if words[:3] == ["python", "-m", "runner"]:
            not_installed = ["plugins=[my_part]"] if words is commands[-1] else []
            done = run(package, *words[3:], *not_installed)
            assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
            ran += 1
    assert ran >= 2
    assert ["python", "-m", "pytest"] in commands
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"], cwd=package, env=environment(),
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert tested.returncode == 0, tested.stdout
    block = (package / "README.md").read_text(encoding="utf-8").partition("```sh\n")[2].partition("```")[0]
    assert [words for words in (shlex.split(line, comments=True) for line in block.splitlines()) if words] == commands


@pytest.mark.parametrize(
    "kind", some_long(["world", "heuristic", "algorithm", "agent"], ["heuristic", "algorithm", "agent"])
)
def test_a_new_package_works_in_a_clean_environment(tmp_path: Path, kind: str) -> None:
    package, commands = written(tmp_path, kind)
    venv.create(tmp_path / "env", with_pip=False, symlinks=True)
    python = tmp_path / "env" / "bin" / "python"
    script = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = subprocess.run([python, "-c", script], capture_output=True, text=True, check=True).stdout.strip()
    # search-runner and its dependencies as if they were installed there
    (Path(site) / "search_runner_of_tests.pth").write_text(f"{sysconfig.get_path('purelib')}\n{ROOT}\n")
    assert ["python", "-m", "pip", "install", "-e", "."] in commands
    for words in (["pip", "install", "--quiet", "--no-deps", "-e", "."], ["pytest", "-q"]):
        done = subprocess.run(
            [python, "-m", *words], cwd=package, capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = subprocess.run(
        [python, *commands[-1][1:]], cwd=elsewhere, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_heuristic_of_an_installed_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import examples.pancake  # noqa: F401

    monkeypatch.chdir(tmp_path)
    assert main(["heuristic", NAME, "--domain", "pancake"]) == 0
    assert "return 0\n" in (tmp_path / NAME / f"{NAME}.py").read_text(encoding="utf-8")
    assert "override /world: pancake" in (tmp_path / NAME / "conf" / "experiment" / f"{NAME}.yaml").read_text()


@pytest.mark.parametrize("domain", ["gridmap", "pddl"])
def test_a_heuristic_is_tested_on_instances_that_need_no_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, domain: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["heuristic", NAME, "--domain", domain]) == 0
    assert f'runner.audit("{domain}/static", ' in (tmp_path / NAME / "tests" / f"test_{NAME}.py").read_text()


def test_compiled_heuristics_of_worlds_in_plain_python_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import examples.pancake
    import examples.topspin  # noqa: F401

    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match="--compiled: pancake is a world in plain Python; its heuristics are in plain"):
        main(["heuristic", NAME, "--compiled", "--domain", "pancake"])
    assert main(["heuristic", NAME, "--compiled", "--domain", "topspin"]) == 0


def test_the_package_declares_its_entry_point(tmp_path: Path) -> None:
    package, _ = written(tmp_path, "world")
    project = (package / "pyproject.toml").read_text(encoding="utf-8")
    assert '\nname = "my-part"\n' in project
    assert '\n[project.entry-points."search_runner.plugins"]\nmy_part = "my_part"\n' in project


def test_another_folder(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert run(tmp_path, "new", "agent", "part", "--to", "empty").returncode == 0
    assert (tmp_path / "empty" / "part.py").is_file()
    assert run(tmp_path, "new", "agent", "part", "--to", "a/b").returncode == 0
    assert (tmp_path / "a" / "b" / "part.py").is_file()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("wolrd", "x"), "KIND: there is no kind 'wolrd'; did you mean 'world'?"),
        (("world", "Sliding-Blocks"), "did you mean 'sliding_blocks'?"),
        (("world", "1x"), "NAME: '1x' must consist of words of lower-case letters"),
        (("world", "wumpus"), "'wumpus' is the name of a domain; choose another name, such as 'my_wumpus'"),
        (("heuristic", "pivots"), "'pivots' is the name of a registered heuristic"),
        (("agent", "astar"), "'astar' is the name of a registered algorithm"),
        (("world", "heuristics"), "'heuristics' is the name of a package of search-runner"),
        (("world", "json"), "'json' is a module of Python's standard library"),
        (("world", "class"), "'class' is a keyword of Python; choose another name, such as 'my_class'"),
        (("world", "numpy"), "'numpy' is an installed package"),
        (("world", "korf1985"), "'korf1985' is the name of an experiment"),
        (("heuristic", "x", "--domain", "wumpsu"), "--domain: there is no domain 'wumpsu'; did you mean 'wumpus'?"),
        (("world", "x", "--domain", "wumpus"), "--domain: only a heuristic has a domain"),
        (("agent", "x", "--compiled"), "KIND: there is no template for agent --compiled; choose from: agent, "),
        (("world", "x", "--to", "full"), "full: is not empty; choose another folder with --to FOLDER"),
        (("world", "x", "--to", "full/file"), "full/file: is a file"),
        (("world", "x", "--to", "full/file/x"), "full/file/x: Not a directory"),
        (("world",), "the following arguments are required: NAME"),
    ],
)
def test_wrong_requests_are_refused_and_write_nothing(tmp_path: Path, arguments: tuple[str, ...], problem: str) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    done = run(tmp_path, "new", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert problem in done.stderr
    assert done.stderr.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == [tmp_path / "full", tmp_path / "full" / "file"]
