"""The plans of finished runs, and the instances that they solve, from the configuration that was recorded."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from algorithms.agents.interface import Agent
from runner.config import plugins
from runner.config.compose import config_dirs_of
from runner.config.schema import settings_of
from runner.config.sections import algorithm_of, source_of
from runner.messages import message
from runner.records.reader import CORRUPT
from runner.records.writer import PLANS
from runner.registry import UserError
from worlds.files import natural_order, read_text
from worlds.interface import Instance


@dataclass(frozen=True)
class Plan:
    """One plan of a run: the last that was found for its row.

    Attributes
    ----------
    job : Path
        The folder with the rows.
    """

    job: Path
    run_id: str
    instance: str
    actions: list[str]


def read_plans(directory: Path) -> Iterator[Plan]:
    """Yield the plans below a folder, in the order of the cells and their rows."""
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
    """Return the instance of a plan, from the recorded configuration; as agents play it if one did.

    Imports the plug-ins that the configuration names, from where the run found them.
    """
    file = plan.job / ".hydra" / "config.yaml"
    try:
        configuration: Any = yaml.safe_load(read_text(file))
        composed = OmegaConf.create(configuration)
        world: Any = OmegaConf.to_container(composed.world, resolve=True)
        algorithm: Any = OmegaConf.to_container(composed.algorithm, resolve=True)
    except (yaml.YAMLError, OmegaConfBaseException, AttributeError, TypeError, ValueError, RecursionError):
        raise UserError(f"{file}: not the configuration of a run") from None
    directory, folders = _where(plan.job)
    before = Path.cwd()
    try:
        if directory.is_dir():  # files are named relative to it
            os.chdir(directory)
        plugins.load(settings_of(configuration).plugins, plugins.search_path(folders))
        source = source_of(world)
        source.check()
        found = next((instance for instance in source.instances() if instance.id == plan.instance), None)
    finally:
        os.chdir(before)
    if found is None:
        raise UserError(f"{file}: its world has no instance '{plan.instance}' any more")
    return found.online() if isinstance(algorithm_of(algorithm), Agent) else found


def _where(job: Path) -> tuple[Path, list[Path]]:
    """Return the working directory of a run, and the folders of its ``--config-dir``."""
    try:
        runtime = yaml.safe_load(read_text(job / ".hydra" / "hydra.yaml"))["hydra"]["runtime"]
        return Path(str(runtime["cwd"])), config_dirs_of(runtime)
    except (UserError, yaml.YAMLError, *CORRUPT):
        return Path.cwd(), []
