"""Tab completion, in this process and as shells call the command."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from runner.cli import complete
from runner.cli.complete import overrides
from runner.cli.main import main
from runner.config.doors.commands import COMMANDS
from tests.runner_cli import Forked


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


def completed_by_shell(folder: Path, line: str) -> None:
    """Complete a line as a shell does: it sets variables and calls the command, which writes the file `found`."""
    variables = {
        "COMP_LINE": line, "COMP_POINT": str(len(line)), "COMP_TYPE": "9", "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n", "_ARGCOMPLETE_STDOUT_FILENAME": str(folder / "found"),
        "_ARGCOMPLETE_COMP_WORDBREAKS": " \t\n\"'><=;|&(:",
    }  # fmt: skip
    process = os.fork()
    if process == 0:
        os.environ.update(variables)
        os.chdir(folder)
        try:
            complete.main()
        finally:
            os._exit(1)
    assert os.waitpid(process, 0)[1] == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork processes")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("search-runner ", set(COMMANDS.names())),
        ("search-runner --vers", {"--version "}),
        ("search-runner submit --parall", {"--parallel "}),
        ("search-runner submit algorithm=bfw", {"bfws "}),
        ("search-runner audit algorithm=nothing audit.dom", {"audit.dominates="}),
        ("search-runner resume fol", {"folder/"}),
        ("search-runner report la", {"latest "}),
    ],
)
def test_shells_receive_completions(tmp_path: Path, line: str, expected: set[str]) -> None:
    (tmp_path / "folder").mkdir()
    completed_by_shell(tmp_path, line)
    assert expected <= set((tmp_path / "found").read_text().split("\n"))
    assert not (tmp_path / "outputs").exists()


def test_a_command_with_the_variables_of_a_shell_completes_and_prints_nothing(tmp_path: Path) -> None:
    variables = {
        "COMP_LINE": "search-runner --vers", "COMP_POINT": "20", "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(tmp_path / "found"),
    }  # fmt: skip
    process = Forked(tmp_path, program=main, **variables)
    assert (process.communicate(), process.returncode) == (("", ""), 0)
    assert "--version" in (tmp_path / "found").read_text()
