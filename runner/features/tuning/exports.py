"""Files of irace and SMAC3 for a scenario, for those who stay with their tool."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import join, quote
from typing import Any

from runner.base import UserError, atomic_write
from runner.features.tuning.scenario import Parameter, Scenario


def write(tool: str, scenario: Scenario, folder: Path, words: Sequence[str]) -> list[Path]:
    """Write the scenario and the parameters for a tool, and return the files.

    Parameters
    ----------
    words : sequence of str
        Words of the command that searches an instance.
    """
    for name, each in scenario.parameters.items():
        if each.type == "subset" or each.when:
            problem = "a subset" if each.type == "subset" else "a condition"
            raise UserError(
                f"tune.parameters.{name}: {problem} has no counterpart in the files for {tool}; leave it out"
            )
    folder.mkdir(parents=True, exist_ok=True)
    return _irace(scenario, folder, words) if tool == "irace" else _smac(scenario, folder)


def _irace(scenario: Scenario, folder: Path, words: Sequence[str]) -> list[Path]:
    """Write parameters.txt and scenario.txt (the irace package: User Guide, sections 5.1 and 10)."""
    lines = [f"{_name(name)} {json.dumps(f'{name}=')} {_domain(each)}" for name, each in scenario.parameters.items()]
    value, is_time = scenario.budget_value
    settings = {
        "parameterFile": '"parameters.txt"',
        "trainInstancesDir": '""',
        "trainInstancesFile": '"instances.txt"',
        "targetRunner": '"./target-runner"',
        "maxTime" if is_time else "maxExperiments": f"{value:g}",
        "seed": str(scenario.seed),
    }
    runner = f"{join([sys.executable, '-m', 'runner', *words])} --evaluate"
    target = _file(
        folder / "target-runner",
        "#!/bin/sh\n# irace gives: configuration, instance, seed, number of the instance, parameters\nshift 3\n"
        f'cd {quote(str(Path.cwd()))} && exec {runner} "$@"',
    )
    target.chmod(0o755)
    count = scenario.train.get("world.count", 1)
    return [
        target,
        _file(folder / "instances.txt", "\n".join(map(str, range(count)))),
        _file(folder / "parameters.txt", "\n".join(lines)),
        _file(folder / "scenario.txt", "\n".join(f"{key} = {text}" for key, text in settings.items())),
    ]


def _name(key: str) -> str:
    return key.replace(".", "_").replace("/", "_")


def _domain(parameter: Parameter) -> str:
    if parameter.is_number:
        kind = ("r" if parameter.type == "real" else "i") + (",log" if parameter.log else "")
        return f"{kind} ({parameter.range[0]:g}, {parameter.range[1]:g})"
    return f"c ({', '.join(json.dumps(_plain(each)) for each in parameter.values)})"


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _smac(scenario: Scenario, folder: Path) -> list[Path]:
    """Write the parameters as JSON of ConfigSpace, and the arguments of smac.Scenario."""
    space = {"name": "tune", "hyperparameters": [_of_configspace(*each) for each in scenario.parameters.items()]}
    value, is_time = scenario.budget_value
    budget = {"walltime_limit": value} if is_time else {"n_trials": int(value)}
    arguments = {**budget, "seed": scenario.seed, "deterministic": True}
    return [
        _file(folder / "configspace.json", json.dumps({**space, "conditions": [], "forbiddens": []}, indent=1)),
        _file(folder / "smac_scenario.json", json.dumps(arguments, indent=1)),
    ]


def _of_configspace(name: str, parameter: Parameter) -> Mapping[str, Any]:
    found: dict[str, Any]
    if not parameter.is_number:
        found = {"type": "categorical", "choices": parameter.values, "weights": None}
    else:
        kind = "float" if parameter.type == "real" else "int"
        found = {"type": f"uniform_{kind}", "lower": parameter.range[0], "upper": parameter.range[1]}
        found["log"] = parameter.log
    return {**found, "name": name, "default_value": parameter.initial}


def _file(path: Path, text: str) -> Path:
    with atomic_write(path) as out:
        out.write(f"{text}\n")
    return path
