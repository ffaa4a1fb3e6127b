"""Tab completion, in this process and as shells call the command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from runner.cli.arguments import COMMANDS
from runner.cli.complete import overrides
from tests.runner_cli import environment


def completions(line: str) -> set[str]:
    """Return the completions of the last word of a line."""
    *given, prefix = line.split(" ")
    return set(overrides(prefix, given))


@pytest.mark.parametrize(
    ("line", "some"),
    [
        ("alg", {"algorithm=", "algorithm.ties="}),
        ("algorithm=weigh", {"algorithm=weighted_astar"}),
        ("algorithm=weighted_astar algorithm.w", {"algorithm.weight="}),
        ("algorithm.ties=", {"algorithm.ties=low_h", "algorithm.ties=fifo"}),
        ("-m algorithm=astar,uc", {"algorithm=astar,ucs"}),
        ("-m heuristic=glob(*) world.size=range(4,9) world=wumpus/random world.cou", {"world.count="}),
        ("heuristic=flood_fill heuristic.as_published=t", {"heuristic.as_published=true"}),
        ("+exp", {"+experiment="}),
        ("+experiment=korf", {"+experiment=korf1985"}),
        ("~heur", {"~heuristic"}),
        ("workers=", {"workers=0", "workers=1", "workers=all"}),
        ("retry=l", {"retry=limits"}),
        ("hydra.run", {"hydra.run.dir="}),
        ("algorithm=nothing world=sna", {"world=snake/random"}),
    ],
)
def test_overrides_are_completed(line: str, some: set[str]) -> None:
    found = completions(line)
    assert some <= found
    assert all(each.startswith(line.split(" ")[-1]) for each in found)


def test_free_values_have_no_completions() -> None:
    assert completions("world=wumpus/random world.count=") == set()
    assert completions("nonsense") == set()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("search-runner ", set(COMMANDS)),
        ("search-runner --vers", {"--version "}),
        ("search-runner audit world=snake/al", {"snake/all "}),
        ("search-runner submit --parall", {"--parallel "}),
        ("search-runner submit algorithm=bf", {"bfs "}),
        ("search-runner resume fol", {"folder/"}),
        ("search-runner report la", {"latest "}),
    ],
)
def test_shells_receive_completions(tmp_path: Path, line: str, expected: set[str]) -> None:
    (tmp_path / "folder").mkdir()
    variables = {
        "COMP_LINE": line, "COMP_POINT": str(len(line)), "COMP_TYPE": "9", "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n", "_ARGCOMPLETE_STDOUT_FILENAME": str(tmp_path / "found"),
        "_ARGCOMPLETE_COMP_WORDBREAKS": " \t\n\"'><=;|&(:",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "runner"], cwd=tmp_path, env={**os.environ, **environment(), **variables},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert expected <= set((tmp_path / "found").read_text().split("\n"))
    assert not (tmp_path / "outputs").exists()
