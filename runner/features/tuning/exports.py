"""Files of irace and SMAC3 for a scenario, for those who stay with their tool."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from runner.base import UserError, atomic_write
from runner.features.tuning.scenario import Parameter, Scenario


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
    return [folder / name for name in texts]


def _irace(scenario: Scenario) -> dict[str, str]:
    """Return parameters.txt and scenario.txt (The irace package: User Guide, sections 5.1 and 10)."""
    lines = []
    for name, each in scenario.parameters.items():
        values = ", ".join(map(json.dumps, each.range if each.is_number else map(str, each.values)))
        kind = each.type[0] + (",log" if each.log else "")
        lines.append(f'{name.replace(".", "_")} "{name}=" {kind} ({values})')
    budget, is_time = scenario.budget_value
    settings = {
        "parameterFile": '"parameters.txt"',
        "maxTime" if is_time else "maxExperiments": f"{budget:g}",
        "seed": scenario.seed,
    }
    found = "\n".join(f"{key} = {value}" for key, value in settings.items())
    return {"parameters.txt": "\n".join(lines), "scenario.txt": found}


def _smac(scenario: Scenario) -> dict[str, str]:
    """Return the parameters as JSON of ConfigSpace, and the arguments of smac.Scenario."""
    budget, is_time = scenario.budget_value
    space = {
        "name": "tune",
        "hyperparameters": [_of_configspace(*each) for each in scenario.parameters.items()],
        "conditions": [],
        "forbiddens": [],
    }
    arguments = {"walltime_limit" if is_time else "n_trials": budget, "seed": scenario.seed}
    return {"configspace.json": json.dumps(space, indent=1), "smac_scenario.json": json.dumps(arguments, indent=1)}


def _of_configspace(name: str, parameter: Parameter) -> dict[str, Any]:
    found: dict[str, Any] = {"name": name, "default_value": parameter.initial}
    if not parameter.is_number:
        return {**found, "type": "categorical", "choices": parameter.values, "weights": None}
    low, high = parameter.range
    kind = "uniform_float" if parameter.type == "real" else "uniform_int"
    return {**found, "type": kind, "lower": low, "upper": high, "log": parameter.log}
