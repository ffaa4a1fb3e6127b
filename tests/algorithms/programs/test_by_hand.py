"""Lines that start programs by hand."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from algorithms.engine.search import Limits
from algorithms.programs.program import Program
from runner import load


@pytest.mark.parametrize(
    ("keys", "printed"),
    [
        ({"command": "echo {start} {goal} {time}"}, "{start} {goal} 60\n"),
        ({"command": "head -2 {map}"}, "type octile\nheight 4\n"),
        ({"command": "head -2", "stdin": "map"}, "type octile\nheight 4\n"),
        ({"command": "cat", "stdin": "goal"}, "{goal}\n"),
        ({"command": "cat", "stdin": ["start"], "serve": True, "arguments": {"w": 2}},
         '{{"w":2,"id":"obstacles-4x4-0","seed":0,"start":"{start}"}}\n'),
    ],
)  # fmt: skip
def test_a_line_does_what_the_runner_does(keys: dict[str, Any], printed: str, tmp_path: Path) -> None:
    (instance,) = load("gridmap/random", size=4, count=1)
    inputs = instance.world.inputs()
    expected = printed.format(start=inputs["start"], goal=inputs["goal"])
    line = Program(**keys).by_hand(instance, Limits(time=60), tmp_path)
    assert subprocess.run(line, shell=True, capture_output=True, text=True, check=True).stdout == expected
