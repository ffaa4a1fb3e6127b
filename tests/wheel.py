"""Build the distributions, and try them as a stranger would: ``python -m tests.wheel``.

The wheel is built from the source distribution and installed into a fresh environment, which runs commands in an empty
folder, and all of the tutorial in another. Then another package of the name `algorithms` is installed and removed. At
last the unpacked source distribution runs a part of its tests. Exit code 1 after the first that fails.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

from runner.base.own_places import PACKAGES
from tests.runner_cli import ROOT
from tests.test_documentation import BLOCK, FILE, commands

IN_SOURCES = ("CHANGELOG.md", "CITATION.cff", "LICENSE", "README.md", "benchmarks", "docs", "tests")
COMMANDS = (
    "--help",
    "algorithm=astar heuristic=flood_fill",
    "-m algorithm=ucs,astar heuristic=manhattan,pivots world=wumpus/random world.count=3",
    "report latest",
    "reproduce unibz2022",
    "plugins=[runner.examples.sokoban] world=sokoban",
    "grade {examples}/exercises/astar/exercise.yaml {examples}/exercises/astar/reference.py",
    "new world lamps",
)
SOURCE_TESTS = ("tests/runner/base", "tests/test_architecture.py", "tests/worlds/pancake")
SHADOW = {
    "algorithms/__init__.py": '"""Sorting and searching."""\n',
    "algorithms-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: algorithms\nVersion: 1.0\n",
    "algorithms-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "algorithms-1.0.dist-info/RECORD": "algorithms/__init__.py,,\nalgorithms-1.0.dist-info/RECORD,,\n",
}
"""Wheel of another package that has a name of ours."""


def run(*words: object, cwd: Path, exit_code: int = 0) -> str:
    """Run a command, and return what it prints. End if it ends otherwise."""
    print("+", *words, flush=True)
    done = subprocess.run([*map(str, words)], cwd=cwd, capture_output=True, text=True, timeout=900, check=False)
    if done.returncode != exit_code:
        sys.exit(f"{done.stdout}{done.stderr}exit code {done.returncode} instead of {exit_code}")
    return done.stdout + done.stderr


def expect(condition: bool, problem: str) -> None:
    if not condition:
        sys.exit(problem)


def build(folder: Path) -> tuple[Path, Path]:
    """Return the source distribution, and the wheel that is built from it."""
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT, cwd=folder)
    run(sys.executable, "-m", "twine", "check", "--strict", *folder.iterdir(), cwd=folder)
    (sources,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return sources, wheel


def try_wheel(wheel: Path, folder: Path) -> None:
    """Install the wheel into a fresh environment, and run commands in an empty folder."""
    with zipfile.ZipFile(wheel) as archive:
        own = {name.partition("/")[0] for name in archive.namelist()}
    expect(
        {each for each in own if not each.endswith(".dist-info")} == {*PACKAGES, "runner"},
        f"the wheel has {sorted(own)}",
    )
    venv.create(folder / "env", with_pip=True)
    python = folder / "env" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", wheel, "pytest", cwd=folder)
    work = folder / "work"
    work.mkdir()
    examples = run(python, "-c", "import runner.examples as e; print(*e.__path__)", cwd=work).strip()
    for words in COMMANDS:
        run(python, "-m", "runner", *words.format(examples=examples).split(), cwd=work)
    try_tutorial(python, folder / "tutorial")
    run(python, "-m", "pip", "install", "--quiet", "--no-deps", "-e", work / "lamps", cwd=work)
    run(python, "-m", "pytest", "-q", cwd=work / "lamps")
    try_another_package(python, folder)


def try_tutorial(python: Path, work: Path) -> None:
    """Run the blocks of the tutorial in an empty folder, as a reader who writes the files that it shows."""
    work.mkdir()
    for is_left_out, language, block in BLOCK.findall((ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")):
        if language == "python" and (name := FILE.match(block)):
            (work / name[1]).write_text(block, encoding="utf-8")
        elif language == "python":
            run(python, "-c", block, cwd=work)
        elif language == "sh" and not is_left_out:
            for words in commands(block):
                run(python, "-m", "runner", *words, cwd=work)
    expect((work / "figure.png").exists(), "the tutorial has drawn no figure")


def try_another_package(python: Path, folder: Path) -> None:
    """Install and remove a package that has a name of ours: one line says so."""
    other = folder / "algorithms-1.0-py3-none-any.whl"
    with zipfile.ZipFile(other, "w") as archive:
        for name, text in SHADOW.items():
            archive.writestr(name, text)
    for words, line in (
        (("install", "--no-deps"), "the package algorithms has overwritten files of search-runner"),
        (("uninstall", "--yes"), "another package has deleted files of search-runner"),
    ):
        run(python, "-m", "pip", *words, other if words[0] == "install" else "algorithms", cwd=folder)
        said = run(python, "-m", "runner", cwd=folder, exit_code=2)
        expect(said.count("\n") == 1 and line in said, said)


def try_sources(sources: Path, folder: Path) -> None:
    """Unpack the source distribution, and run a part of its tests."""
    with tarfile.open(sources) as archive:
        archive.extractall(folder, filter="data")
    (root,) = (each for each in folder.iterdir() if each.name.startswith("search_runner-") and each.is_dir())
    expect(all((root / name).exists() for name in IN_SOURCES), f"the source distribution lacks some of {IN_SOURCES}")
    run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *SOURCE_TESTS, cwd=root)


def main(arguments: Sequence[str] = ()) -> int:
    if arguments:
        sys.exit(str(__doc__))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "dist").mkdir()
        sources, wheel = build(folder / "dist")
        try_wheel(wheel, folder)
        try_sources(sources, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
