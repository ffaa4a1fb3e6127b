"""The file of a tuning: what it means, and what is refused in one line."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from runner.base import UserError
from runner.features.tuning import exports
from runner.features.tuning.configurations import Configuration
from runner.features.tuning.scenario import Scenario
from tests import runner_cli

WEIGHT = {"type": "real", "range": [1, 5], "log": True, "default": 1}
TIES = {"type": "categorical", "values": ["low_h", "fifo"]}
FILE: dict[str, Any] = {
    "parameters": {"weighting.weight": WEIGHT, "algorithm.ties": TIES},
    "train": {"world": "npuzzle/random", "world.seed": 1},
    "test": {"world": "npuzzle/random", "world.seed": 900},
}


def written(folder: Path, **changes: Any) -> Path:
    file = folder / "tuning.yaml"
    file.write_text(yaml.safe_dump({"tune": {**FILE, **changes}}, sort_keys=False))
    return file


def parameters(**given: Any) -> dict[str, Any]:
    return {"parameters": {"algorithm.ties": {**TIES, **given}}}


MISTAKES: dict[str, dict[str, Any]] = {
    "budgett: unknown parameter; did you mean 'budget'?": {"budgett": 5},
    "tune.parameters.a.rnge: unknown key; did you mean 'range'?": {
        "parameters": {"a": {"type": "real", "rnge": [1, 2]}}
    },
    "tune.parameters.a.range: expected [LEAST, LARGEST]": {"parameters": {"a": {"type": "integer", "range": [3, 3]}}},
    "a logarithmic scale needs numbers above 0": {"parameters": {"a": {"type": "real", "range": [0, 1], "log": True}}},
    "tune.parameters.a.values: a parameter of the type real has none": {
        "parameters": {"a": {"type": "real", "range": [0, 1], "values": [1, 2]}}
    },
    "tune.parameters.a.default: expected a number from 1 to 5, got 9": {"parameters": {"a": {**WEIGHT, "default": 9}}},
    "default: expected one of low_h, fifo, got fif; did you mean 'fifo'?": parameters(default="fif"),
    "default: expected a list of at least 2 of low_h, fifo": parameters(type="subset", default=["fifo"], at_least=2),
    "algorithm.ties.when: 'algoritm == 'astar'': position 1: 'algoritm' is not a column; did you mean": {
        **parameters(when="algoritm == 'astar'"),
        "fixed": {"algorithm": "astar"},
    },
    "tune.budget: expected a number of searches, or a time such as 2h": {"budget": "2 weeks"},
    "tune.capping: expected a factor above 1": {"capping": 0.9},
    "tune.train.algorithm.ties: is a parameter, too": {"train": {"world": "hanoi/random", "algorithm.ties": "fifo"}},
    "tune.test: expected world and its keys": {"test": {}},
    "tune.by: expected one of": {"by": "rase"},
}


@pytest.mark.parametrize("problem", MISTAKES)
def test_mistakes_are_one_line_with_the_file(tmp_path: Path, problem: str) -> None:
    file = written(tmp_path, **MISTAKES[problem])
    with pytest.raises(UserError) as caught:
        Scenario.read(file)
    assert str(caught.value).startswith(f"{file}: ")
    assert "\n" not in str(caught.value)
    assert problem in str(caught.value)


def test_a_parameter_is_set_under_its_condition_only(tmp_path: Path) -> None:
    given: dict[str, Any] = {
        "algorithm": {"type": "categorical", "values": ["astar", "greedy"]},
        "weighting.weight": WEIGHT,
    }
    given["weighting.weight"] = {**WEIGHT, "when": "algorithm == 'astar'"}
    scenario = Scenario.read(written(tmp_path, parameters=given, budget="2h"))
    amount, is_time = scenario.budget_value
    assert is_time
    assert amount == 7200
    assert scenario.active(scenario.defaults) == {"algorithm": "astar", "weighting.weight": 1.0}
    greedy = Configuration.of(scenario, {"algorithm": "greedy", "weighting.weight": 3.0})
    assert str(greedy) == "algorithm=greedy"


def test_numbers_repeat_and_subsets_have_the_order_of_the_file(tmp_path: Path) -> None:
    given = {"a": WEIGHT, "b": {"type": "subset", "values": ["x", "y", "z"], "default": ["z", "x"]}}
    scenario = Scenario.read(written(tmp_path, parameters=given))
    assert scenario.parameters["a"].number(1.234567) == 1.235
    assert scenario.parameters["b"].initial == ("x", "z")


def test_files_of_other_tools(tmp_path: Path) -> None:
    scenario = Scenario.read(written(tmp_path, budget=300))
    texts = {
        file.name: file.read_text() for tool in ("irace", "smac") for file in exports.write(tool, scenario, tmp_path)
    }
    assert texts["parameters.txt"].splitlines() == [
        'weighting_weight "--weighting.weight " r,log (1.0, 5.0)',
        'algorithm_ties "--algorithm.ties " c ("low_h", "fifo")',
    ]
    assert "maxExperiments = 300" in texts["scenario.txt"]
    assert '"uniform_float"' in texts["configspace.json"]
    assert '"n_trials": 300' in texts["smac_scenario.json"]


def test_the_target_runner_of_irace_searches_an_instance(tmp_path: Path) -> None:
    fixed = {"algorithm": "astar", "weighting": "constant", "heuristic": "manhattan"}
    train = {"world": "npuzzle/random", "world.size": 2, "world.count": 3, "world.seed": 4}
    exports.write("irace", Scenario.read(written(tmp_path, fixed=fixed, train=train)), tmp_path)
    assert (tmp_path / "instances.txt").read_text().split() == ["world.seed=4", "world.seed=5", "world.seed=6"]
    assert os.access(tmp_path / "target-runner", os.X_OK)
    first, command = (tmp_path / "target-runner").read_text().splitlines()
    assert first == "#!/bin/sh"
    program, words, last = command.partition("evaluate")[0], command.partition("evaluate")[2], '"$@"'
    assert program.split() == ["exec", "python", "-m", "runner"]
    assert words.endswith(last)
    given = ["1", "1", "17", "world.seed=5", "--weighting.weight", "2.5", "--algorithm.ties", "fifo"]  # as irace does
    done = runner_cli.run(tmp_path, "evaluate", *shlex.split(words.removesuffix(last)), *given)
    assert done.returncode == 0, done.stderr
    cost, seconds = map(float, done.stdout.split())
    assert cost > 0 < seconds
