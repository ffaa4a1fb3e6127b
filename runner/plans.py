"""The plans of finished runs, and the instances that they solve, made anew from the configuration that was recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from runner import plugins
from runner.registry import UserError
from runner.results import PLANS
from runner.terminal import message
from worlds.files import natural_order, read_text
from worlds.interface import Instance


@dataclass(frozen=True)
class Plan:
    """One plan of a run: the last that was found for its row.

    Attributes
    ----------
    job : Path
        The folder with the rows.
    run_id, instance : str
    actions : list of str
    """

    job: Path
    run_id: str
    instance: str
    actions: list[str]


def read_plans(directory: Path) -> Iterator[Plan]:
    """The plans below a folder, in the order of the jobs and their rows."""
    if not directory.is_dir():
        raise UserError(f"{directory}: there is no such folder; give the folder of a run or a sweep")
    files = sorted(directory.rglob(PLANS), key=natural_order)
    if not files:
        raise UserError(f"{directory}: no {PLANS} there; give the folder of a run or a sweep")
    for file in files:
        found: dict[str, Plan] = {}
        for number, line in enumerate(read_text(file).splitlines(), 1):
            try:
                plan = json.loads(line)
                if not isinstance(plan["actions"], list):
                    raise TypeError
                entry = Plan(file.parent, str(plan["run_id"]), str(plan["instance"]), [*map(str, plan["actions"])])
            except (ValueError, KeyError, TypeError, RecursionError):
                message(f"note: {file}: line {number} is not a plan, left out")
                continue
            found.pop(entry.run_id, None)
            found[entry.run_id] = entry
        yield from found.values()


def instance_of(plan: Plan) -> Instance:
    """The instance of a plan, from the configuration of its job; as agents play it if one did."""
    from algorithms.agents.interface import Agent
    from runner import schema

    file = plan.job / ".hydra" / "config.yaml"
    try:
        configuration: Any = yaml.safe_load(read_text(file))
        composed = OmegaConf.create(configuration)
        world: Any = OmegaConf.to_container(composed.world, resolve=True)
        algorithm: Any = OmegaConf.to_container(composed.algorithm, resolve=True)
    except (yaml.YAMLError, OmegaConfBaseException, AttributeError, TypeError, ValueError, RecursionError):
        raise UserError(f"{file}: not the configuration of a run") from None
    plugins.load(schema.plugins_of(configuration))
    source = schema.source_of(world)
    source.check()
    found = next((instance for instance in source.instances() if instance.id == plan.instance), None)
    if found is None:
        raise UserError(f"{file}: its world has no instance '{plan.instance}' any more")
    return found.online() if isinstance(schema.algorithm_of(algorithm), Agent) else found
