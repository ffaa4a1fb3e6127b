"""``python -m runner new``: packages of every kind are whole; two pass their tests and run, others in long tests.

`tests/test_stranger.py` installs a package in an environment of its own.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import sysconfig
import venv
import zipfile
from functools import partial
from pathlib import Path

import pytest
import yaml

from runner.base.errors import UserError
from runner.features.scaffold.new import main
from tests.runner_cli import ROOT, Forked, run

KINDS = {"world": ("world",), "heuristic --compiled": ("heuristic", "--compiled")}
"""Packages that the short tests run: all that a package can have, and a compiled module."""
VARIANTS = {
    "source": ("source",),
    "heuristic": ("heuristic",),
    "algorithm": ("algorithm",),
    "world --compiled": ("world", "--compiled"),
    "algorithm --compiled": ("algorithm", "--compiled"),
    **{
        f"heuristic{compiled} of {domain}": ("heuristic", "--domain", domain, *compiled.split())
        for domain in ("npuzzle", "snake", "gridmap", "pacman", "pddl")
        for compiled in ("", " --compiled")
    },
}
"""Packages that only the long tests run."""
NAME = "my_part"


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


@pytest.mark.parametrize("kind", [*KINDS, *VARIANTS])
def test_the_files_of_a_package_can_be_read_and_name_its_commands(tmp_path: Path, kind: str) -> None:
    package, commands = written(tmp_path, *{**KINDS, **VARIANTS}[kind])
    for file in package.rglob("*.py"):
        compile(file.read_text(encoding="utf-8"), file, "exec")
    module = (package / f"{NAME}.py").read_text(encoding="utf-8")
    assert f'"{NAME}"' in module
    assert ("@kernel" in module or "compiled_" in module) == ("--compiled" in kind)
    assert f"import {NAME}\n" in (package / "tests" / f"test_{NAME}.py").read_text(encoding="utf-8")
    assert yaml.safe_load((package / "conf" / "experiment" / f"{NAME}.yaml").read_text())["plugins"] == [NAME]
    project = (package / "pyproject.toml").read_text(encoding="utf-8")
    assert '\nname = "my-part"\n' in project
    assert f'\n[project.entry-points."search_runner.plugins"]\n{NAME} = "{NAME}"\n' in project
    assert {("-m", "pytest"), ("-m", "pip", "install", "-e", ".")} <= {tuple(words[1:]) for words in commands}
    block = (package / "README.md").read_text(encoding="utf-8").partition("```sh\n")[2].partition("```")[0]
    assert [words for words in (shlex.split(line, comments=True) for line in block.splitlines()) if words] == commands


@pytest.mark.parametrize("kind", [*KINDS, *(pytest.param(each, marks=pytest.mark.long) for each in VARIANTS)])
def test_a_new_package_passes_its_tests_and_runs_by_the_printed_commands(tmp_path: Path, kind: str) -> None:
    if kind.endswith("of pddl"):
        pytest.importorskip("fast_downward")
    package, commands = written(tmp_path, *{**KINDS, **VARIANTS}[kind])
    of_runner = [words[3:] for words in commands if words[:3] == ["python", "-m", "runner"]]
    assert len(of_runner) >= 2
    of_runner[-1].append(f"plugins=[{NAME}]")  # it is not installed
    for words in of_runner:
        done = run(package, *words)
        assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    tested = Forked(package, "-q", program=partial(run_pytest, package))
    output, _ = tested.communicate()
    assert tested.returncode == 0, output
    assert re.search(r"\d passed", output)


@pytest.mark.long
def test_the_package_of_a_new_command_passes_its_tests(tmp_path: Path) -> None:
    package, commands = written(tmp_path, "command")
    assert not (package / "conf").exists()
    project = (package / "pyproject.toml").read_text()
    assert f'\n[project.entry-points."search_runner.commands"]\n{NAME} = "{NAME}' in project
    assert ["python", "-m", "pip", "install", "-e", "."] in commands
    before = commands[: commands.index(["python", "-m", "pytest"])]
    of_runner = [words[3:] for words in before if words[:3] == ["python", "-m", "runner"]]
    for words in of_runner:  # before it is installed
        done = run(package, *words)
        assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    tested = Forked(package, "-q", program=partial(run_pytest, package))
    output, _ = tested.communicate()
    assert tested.returncode == 0, output


@pytest.mark.long
def test_a_new_exercise_passes_its_tests(tmp_path: Path) -> None:
    """Its files are those of examples/exercises/puzzle."""
    done = run(tmp_path, "new", "exercise", NAME)
    assert (done.returncode, done.stderr) == (0, "")
    package, files = (
        tmp_path / NAME,
        ["exercise.yaml", "reference.py", "sheet.md", "skeleton.py", f"tests/test_{NAME}.py"],
    )
    assert files == sorted(path.relative_to(package).as_posix() for path in package.rglob("*") if path.is_file())
    assert f"  {NAME}/exercise.yaml\n" in done.stdout
    tested = Forked(package, "-q", program=partial(run_pytest, package))
    output, _ = tested.communicate()
    assert tested.returncode == 0, output


def test_a_finished_exercise_is_copied_and_its_solutions_go_elsewhere(tmp_path: Path) -> None:
    """Seeds that are secret are drawn. The example has them, too, so it has others."""
    done = run(tmp_path, "new", "exercise", "pacman", "--private", "solutions.zip")
    assert (done.returncode, done.stderr) == (0, "")
    copied, original = tmp_path / "pacman", ROOT / "examples" / "exercises" / "pacman"
    ours = {path.relative_to(original).as_posix() for path in original.rglob("*") if path.is_file()}
    theirs = {path.relative_to(copied).as_posix() for path in copied.rglob("*") if path.is_file()}
    assert {path for path in ours if "__pycache__" not in path} - theirs == {"solutions.xz"}
    texts = [(folder / "competition.yaml").read_text(encoding="utf-8") for folder in (copied, original)]
    assert texts[0] != texts[1]
    assert len(re.findall(r"seed: \d+.*# secret", texts[0])) == 2
    with zipfile.ZipFile(tmp_path / "solutions.zip") as solutions:
        assert len(solutions.namelist()) == 40
        assert b"L\xf6sung" in solutions.read("right_python2/searchAgents.py")  # Latin-1
    again = run(tmp_path, "new", "exercise", "pacman", "--to", "again", "--private", "solutions.zip")
    assert (again.returncode, again.stderr) == (2, "error: --private: solutions.zip: File exists\n")
    refused = run(tmp_path, "new", "exercise", "snake", "--private", "other.zip")
    assert refused.stderr == "error: --private: there are no solutions of exercise snake for a file of their own\n"


def run_pytest(package: Path, arguments: list[str]) -> int:
    """Run the tests of a package, as ``python -m pytest`` does in its folder."""
    sys.path.insert(0, str(package))
    return pytest.main([*arguments, "-p", "no:cacheprovider", "-p", "no:faulthandler"])  # which would wait in a fork


@pytest.mark.long
@pytest.mark.parametrize("kind", ["world", "heuristic", "algorithm"])
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
    import runner.examples.pancake  # noqa: F401

    monkeypatch.chdir(tmp_path)
    assert main(["heuristic", NAME, "--domain", "plain_pancake"]) == 0
    assert "return 0\n" in (tmp_path / NAME / f"{NAME}.py").read_text(encoding="utf-8")
    assert "override /world: [pancake]" in (tmp_path / NAME / "conf" / "experiment" / f"{NAME}.yaml").read_text()


@pytest.mark.parametrize("domain", ["gridmap", "pddl"])
def test_a_heuristic_is_tested_on_instances_that_need_no_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, domain: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["heuristic", NAME, "--domain", domain]) == 0
    assert f'runner.audit("{domain}/static", ' in (tmp_path / NAME / "tests" / f"test_{NAME}.py").read_text()
    experiment = (tmp_path / NAME / "conf" / "experiment" / f"{NAME}.yaml").read_text()
    assert f"override /world: [{domain}/static]" in experiment  # Hydra 1.4 needs the brackets


def test_compiled_heuristics_of_worlds_in_plain_python_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import runner.examples.pancake
    import runner.examples.topspin  # noqa: F401

    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        UserError, match="--compiled: plain_pancake is a world in plain Python; its heuristics are in plain"
    ):
        main(["heuristic", NAME, "--compiled", "--domain", "plain_pancake"])
    assert main(["heuristic", NAME, "--compiled", "--domain", "ring"]) == 0


def test_another_folder(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert run(tmp_path, "new", "command", "part_of_mine", "--to", "empty").returncode == 0
    assert (tmp_path / "empty" / "part_of_mine.py").is_file()
    assert run(tmp_path, "new", "command", "part_of_mine", "--to", "a/b").returncode == 0
    assert (tmp_path / "a" / "b" / "part_of_mine.py").is_file()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("wolrd", "x"), "KIND: there is no kind 'wolrd'; did you mean 'world'?"),
        (("world", "Sliding-Blocks"), "did you mean 'sliding_blocks'?"),
        (("world", "1x"), "NAME: '1x' must consist of words of lower-case letters"),
        (("world", "wumpus"), "'wumpus' is the name of a domain; choose another name, such as 'my_wumpus'"),
        (("heuristic", "pivots"), "'pivots' is the name of a registered heuristic"),
        (("algorithm", "astar"), "'astar' is the name of a registered algorithm"),
        (("source", "snake"), "'snake' is the name of a domain"),
        (("domain", "snake"), "'snake' is the name of a domain"),
        (("table", "x"), "there is no kind 'table'"),
        (("agent", "x"), "; docs/plugins/doors.md has a short example of what else a plug-in can add"),
        (("command", "audit"), "'audit' is the name of a registered command"),
        (("command", "limits"), "'limits' is a key of the configuration; choose another name, such as 'my_limits'"),
        (("world", "heuristics"), "'heuristics' is the name of a package of search-runner"),
        (("world", "json"), "'json' is a module of Python's standard library"),
        (("world", "class"), "'class' is a keyword of Python; choose another name, such as 'my_class'"),
        (("world", "numpy"), "'numpy' is an installed package"),
        (("world", "korf1985"), "'korf1985' is the name of an experiment"),
        (("heuristic", "x", "--domain", "wumpsu"), "--domain: there is no domain 'wumpsu'; did you mean 'wumpus'?"),
        (("world", "x", "--domain", "wumpus"), "--domain: only a heuristic has a domain"),
        (("command", "x", "--compiled"), "KIND: there is no template for command --compiled; choose from: algorithm"),
        (("world", "x", "--to", "full"), "full: is not empty; choose another folder with --to FOLDER"),
        (("world", "x", "--to", "full/file"), "full/file: is a file"),
        (("world", "x", "--to", "full/file/x"), "full/file/x: Not a directory"),
        (("world",), "the following arguments are required: NAME"),
    ],
)
def test_wrong_requests_are_refused_and_write_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], problem: str
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError) as caught:
        main(arguments)
    assert problem in str(caught.value)
    assert sorted(tmp_path.rglob("*")) == [tmp_path / "full", tmp_path / "full" / "file"]
