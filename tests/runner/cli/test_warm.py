"""``runner warm`` compiles kernels and writes no results."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner_cli import run


def test_the_kernels_of_a_sweep_are_compiled(tmp_path: Path) -> None:
    done = run(tmp_path, "warm", "world=npuzzle/random", "world.size=3", "algorithm=astar,ucs", "heuristic=manhattan")
    assert done.returncode == 0, done.stderr
    assert "kernels of 2 cells compiled or loaded in " in done.stderr
    assert ", kept in " in done.stderr
    assert not list(tmp_path.iterdir())


def test_the_help_tells_what_it_does(tmp_path: Path) -> None:
    done = run(tmp_path, "warm", "--help")
    assert done.returncode == 0
    assert done.stdout.startswith("usage: python -m runner warm [KEY=VALUE1,VALUE2 ...]")


@pytest.mark.long
def test_all_kernels_are_compiled(tmp_path: Path) -> None:
    done = run(tmp_path, "warm")
    assert done.returncode == 0, done.stderr
    assert "cells compiled or loaded in " in done.stderr
