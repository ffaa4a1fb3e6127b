"""Files of irace and SMAC3 for a scenario, for those who stay with their tool."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from shlex import join
from typing import Any

from runner.base import UserError, atomic_write, override_text
from runner.features.tuning.scenario import COVERAGE, Parameter, Scenario


def write(tool: str, scenario: Scenario, folder: Path) -> list[Path]:
    """Write the scenario and the parameters for a tool, and return the files."""
    for name, each in scenario.parameters.items():
        if each.type == "subset" or each.when:
            problem = "a subset" if each.type == "subset" else "a condition"
            raise UserError(f"tune.parameters.{name}: {problem} is not exported to {tool}; leave it out")
    folder.mkdir(parents=True, exist_ok=True)
    texts = _irace(scenario) if tool == "irace" else _smac(scenario)
    for name, text in texts.items():
        with atomic_write(folder / name) as out:
            out.write(f"{text}\n")
        (folder / name).chmod(0o755 if text.startswith("#!") else 0o644)
    return [folder / name for name in texts]


def _irace(scenario: Scenario) -> dict[str, str]:
    """Return the files of The irace package: User Guide, sections 5 and 10; each seed of the world is an instance."""
    lines = []
    for name, each in scenario.parameters.items():
        values = ", ".join(map(json.dumps, each.range if each.is_number else map(str, each.values)))
        kind = each.type[0] + (",log" if each.log else "")
        lines.append(f'{name.replace(".", "_")} "--{name} " {kind} ({values})')
    budget, is_time = scenario.budget_value
    limit = "maxTime" if is_time else "maxExperiments"
    settings = [
        'targetRunner = "./target-runner"', 'parameterFile = "parameters.txt"', 'trainInstancesFile = "instances.txt"',
        'trainInstancesDir = ""', f"{limit} = {budget:g}", f"seed = {scenario.seed}",
    ]  # fmt: skip
    keys = {**scenario.fixed, **scenario.train}
    count, seed = keys.get("world.count"), keys.get("world.seed", 0)
    instances = [f"world={keys['world']}"]  # all of them in each run
    if isinstance(count, int):
        keys["world.count"] = 1
        instances = [f"world.seed={seed + number}" for number in range(count)]
    score = "unsolved" if scenario.objective == COVERAGE else scenario.objective
    words = join(["--score", score, *(f"{key}={override_text(value)}" for key, value in keys.items())])
    return {
        "parameters.txt": "\n".join(lines),
        "instances.txt": "\n".join(instances),
        "scenario.txt": "\n".join(settings),
        "target-runner": f'#!/bin/sh\nexec python -m runner evaluate --for irace {words} -- "$@"',
    }


def _smac(scenario: Scenario) -> dict[str, str]:
    """Return the parameters as JSON of ConfigSpace, and the arguments of smac.Scenario."""
    budget, is_time = scenario.budget_value
    space = space_of(scenario.parameters)
    arguments = {"walltime_limit" if is_time else "n_trials": budget, "seed": scenario.seed}
    return {"configspace.json": json.dumps(space, indent=1), "smac_scenario.json": json.dumps(arguments, indent=1)}


def space_of(parameters: Mapping[str, Parameter]) -> dict[str, Any]:
    """Return parameters as ConfigSpace serializes them."""
    found = [_of_configspace(*each) for each in parameters.items()]
    return {"name": "tune", "hyperparameters": found, "conditions": [], "forbiddens": []}


def _of_configspace(name: str, parameter: Parameter) -> dict[str, Any]:
    found: dict[str, Any] = {"name": name, "default_value": parameter.initial}
    if not parameter.is_number:
        return {**found, "type": "categorical", "choices": parameter.values, "weights": None}
    low, high = parameter.range
    kind = "uniform_float" if parameter.type == "real" else "uniform_int"
    return {**found, "type": kind, "lower": low, "upper": high, "log": parameter.log}
