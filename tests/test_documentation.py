"""Every code block of the documentation runs, in order, in one folder per page.

A block whose first line is a comment with the name of a file (``# stairs.py``) is written to that file. If it is a file
of the examples (``# examples/pancake.py``), the rest of the block must be its content. Other blocks of Python run as
scripts, those of two pages in processes of their own. Of the blocks marked ``sh``, the commands of the runner and of
compilers run. Other programs are left out, and so are blocks below a comment with a reason
(``<!-- not run by the tests: needs SLURM -->``). In paths, ``...`` stands for the newest folder.

The pages on plug-ins run in full, except for animations and what trains networks, with smaller samples and in this
process. Commands of the README and the tutorial run with ``dry_run=true``. The long tests run everything of all pages
as it is written.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

import runner
from runner.config.doors.commands import COMMANDS
from tests.loaded import family_of
from tests.runner_cli import ROOT, environment, run, run_script

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TRAINING = ("models.md",)
"""Pages that train networks, for 20 s."""
PLUGIN_PAGES = [page for page in PAGES if "plugins" in (page.parent.name, page.stem) and page.name not in TRAINING]
READ_FIRST = [page for page in PAGES if page.name in ("README.md", "tutorial.md")]
IN_A_PROCESS = ("audit.md",)
"""Pages whose blocks of Python run in new processes, as those of users do, which proves that they can start workers."""
MAKING_FILES = (["dataset"],)
"""Commands that run always, because later blocks need their files."""
FEWER = {
    "world=gridmap/static": "world.problems=[1]",
    "world=gridmap/random": "world.count=2",
    "world=pancake": "world.size=5",
    "world.pits=1": "world.size=2",
    "world.count=20": "world.count=4",
    "examples/conf/experiment/pancake.yaml": "world.count=1",
    "+experiment=pancake": "world.count=1",
    "world=pddl/static": "world.sample=2",
    "planners.yaml": "world.sample=2",
    "world.count=100": "world.count=9",
    "world.count=1000": "world.count=9",
    "plugins=[wrong_places]": "world.size=2x3",
    "world.heavy=true": "world.size=5",
    "heuristic=network": "world.count=1",
    "world=lamps/random": "world.count=2",
    "algorithm=ucs,astar": "world.count=2",
    "algorithm=astar,astar_epsilon": "world.count=1",
    "algorithm=astar_epsilon": "world.count=1",
    "heuristic=wrong_tiles": "world.count=1",
    "weighting=pwxu,xup,constant": "world.count=1",
    "world.tokens=9": "world.tokens=7",
    "hydra.sweep.dir=rows": "world.sample=1",
    "check": "check.instances=1",
}
"""Words to which the tests add a smaller sample, unless they run everything. `test_figures` runs them as they are."""
COMPILERS = ("g++", "javac")
"""Compilers that build programs of the examples."""
CAVE = family_of(runner.load("wumpus/static")[0].world).document("wumpus/static")
BLOCK = re.compile(r"^(<!-- not run by the tests: [^\n]+ -->\n)?```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"(?:#|<!--|;) ([\w./-]+\.\w+)")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize(
    "page",
    [
        page if page in READ_FIRST + PLUGIN_PAGES else pytest.param(page, marks=pytest.mark.long, id=name_of(page))
        for page in PAGES
    ],
    ids=name_of,
)
def test_code_blocks_run(page: Path, tmp_path: Path) -> None:
    run_blocks(page, tmp_path, in_full=page in PLUGIN_PAGES, animations=False)


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_code_blocks_run_in_full(page: Path, tmp_path: Path) -> None:
    run_blocks(page, tmp_path, in_full=True, animations=True)


def run_blocks(page: Path, folder: Path, in_full: bool, animations: bool) -> None:
    """Run the blocks of a page; if not in full, its commands only compose their configurations."""
    assert CAVE is not None
    (folder / "my_caves").mkdir()
    (folder / "my_caves" / f"cave{CAVE.suffix}").write_text(CAVE.text, encoding="utf-8")
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"^```\w+ ", text, re.MULTILINE), (
        "the site shows a fence with words after the language as text"
    )
    for reason, language, content in BLOCK.findall(text):
        if (name := FILE.match(content)) is not None:
            write_file(folder, name[1], content)
        elif language == "sh" and not reason:
            build(folder, content)
            for arguments in commands(content):
                if animations:
                    run_command(folder, arguments, in_full)
                elif not any(word.endswith(".gif") for word in arguments):
                    run_command(folder, [*arguments, *sooner(arguments)], in_full)
        elif reason or (".gif" in content and not animations):
            continue
        elif language == "python" and (in_full or "outputs/" not in content):
            if page.name in IN_A_PROCESS:
                done = subprocess.run(
                    [sys.executable, "-c", content], cwd=folder, env=environment(), capture_output=True, text=True,
                    timeout=300, check=False,
                )  # fmt: skip
                assert done.returncode == 0, f"{content}\n{done.stderr}"
            else:
                run_script(folder, content)


def sooner(arguments: list[str]) -> list[str]:
    """Return words that make a command faster: a smaller sample, and searches in this process."""
    fewer = [FEWER[word] for word in arguments if word in FEWER]
    has_threads = "heuristic=network" in arguments  # a worker has one of them
    if has_threads or (arguments and arguments[0] in {*COMMANDS.names()} - {"audit"}):
        return fewer
    return [*fewer, "workers=0"]


def write_file(folder: Path, name: str, content: str) -> None:
    """Write a block that begins with the name of a file, if it is no module of the examples, which is on the path."""
    if name.startswith("examples/"):
        content = content.split("\n", 1)[1]
        assert content == (ROOT / name).read_text(encoding="utf-8"), name
        if name.endswith(".py"):
            return
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")


def build(folder: Path, block: str) -> None:
    """Run the compilers of a block, or skip the test if one is missing. Sources are those of the examples."""
    for words in lines_of(block):
        if words and words[0] in COMPILERS:
            if shutil.which(words[0]) is None:
                pytest.skip(f"needs {words[0]}")
            located = [str(ROOT / word) if word.startswith("examples/") else word for word in words]
            subprocess.run(located, cwd=folder, timeout=300, check=True)


def commands(block: str) -> list[list[str]]:
    """Return the arguments of each command of the runner in a block."""
    return [words[3:] for words in lines_of(block) if words[:3] == ["python", "-m", "runner"]]


def lines_of(block: str) -> list[list[str]]:
    """Return the words of each line of a block, without comments."""
    return [shlex.split(re.sub(r"(^|\s)#.*", "", line)) for line in block.replace("\\\n", " ").splitlines()]


def run_command(folder: Path, arguments: list[str], in_full: bool) -> None:
    """Run one command."""
    is_run = not arguments or arguments[0] not in COMMANDS.names()
    if not in_full and arguments[:1] not in MAKING_FILES:
        if not is_run or "dry_run=true" in arguments or "--help" in arguments:
            return
        arguments = [*arguments, "dry_run=true"]
        if not any(path.stem in word for path in folder.iterdir() for word in arguments):
            succeeds_everywhere(tuple(arguments))
            return
    succeeds(folder, [found(folder, word) for word in arguments])


def succeeds(folder: Path, arguments: Sequence[str]) -> None:
    done = run(folder, *arguments)
    assert done.returncode == 0, f"{' '.join(arguments)}\n{done.stdout}\n{done.stderr}"


@cache
def succeeds_everywhere(arguments: tuple[str, ...]) -> None:
    """Run a command that reads no file of its page, once for all pages."""
    succeeds(ROOT, arguments)


def found(folder: Path, word: str) -> str:
    """Replace ``...`` at the end of a path by the newest folder there."""
    if not word.endswith("/..."):
        return word
    above = folder / word.removesuffix("/...")
    return str(max(above.iterdir(), key=lambda path: path.stat().st_mtime_ns).relative_to(folder))


def test_the_commands_of_a_block_are_found() -> None:
    block = "pip install x\npython -m runner -m 'a=b c' \\\n    d=e#f  # comment\n"
    assert commands(block) == [["-m", "a=b c", "d=e#f"]]
