"""Read the plans of finished runs, and make their instances from the recorded configurations."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from algorithms.agents.interface import Agent
from runner.base import UserError, file_error, files_below, message, open_regular
from runner.config import (
    REGISTRIES,
    Request,
    algorithm_of,
    config_dirs_of,
    load_plugins,
    settings_of,
    source_of,
)
from runner.records import CORRUPT, RecordBound, RecordFile, RunFolder, decode_plan, plan_lines, read_yaml
from worlds.interface import Instance, Source, as_played


@dataclass(frozen=True, slots=True)
class RecordedPlan:
    """Plan of a row. Its actions stay in the file until `actions` reads them.

    It is the last one of an anytime search, and the first one of a search for a set of plans.

    Attributes
    ----------
    job : Path
        Folder of the row.
    length : int
        Number of actions.
    offset : int
        Position of the plan's line in the file, in bytes.
    costs : tuple of float
        Its costs, if it is a plan of a set.
    others : tuple of RecordedPlan
        The other plans of the set, if it is the first one.
    """

    job: Path
    run_id: str
    instance: str
    length: int
    offset: int
    costs: tuple[float, ...] = ()
    others: tuple[RecordedPlan, ...] = ()

    @classmethod
    def of_file(cls, file: Path) -> Iterator[RecordedPlan]:
        """Yield the plans of one file, in the order of the rows. Files may be large: read line by line."""
        plans: dict[str, list[RecordedPlan]] = {}
        first_wrong = wrong = 0
        for number, (offset, _, plan) in enumerate(plan_lines(file), 1):
            if plan is None:
                first_wrong = first_wrong or number
                wrong += 1
                continue
            if plan.solution <= 1:  # the search was repeated, or has found a better plan
                plans.pop(plan.run_id, None)
            found = cls(file.parent, plan.run_id, plan.instance, len(plan.actions), offset, tuple(plan.costs))
            plans.setdefault(plan.run_id, []).append(found)
        if wrong:
            more = f", and {wrong - 1:,} more" if wrong > 1 else ""
            message(f"note: {file}: line {first_wrong} is not a plan, skipped{more}")
        yield from (replace(first, others=tuple(others)) for first, *others in plans.values())

    @classmethod
    def below(cls, directory: Path) -> Iterator[RecordedPlan]:
        """Yield the plans below a folder, in the order of the cells and their rows."""
        if not directory.is_dir():
            raise UserError(f"{directory}: there is no such folder; give the folder of a run or a sweep")
        files = files_below(directory, RecordFile.PLANS)
        if not files:
            raise UserError(
                f"{directory}: there is no {RecordFile.PLANS} below it; give the folder of a run or a sweep"
            )
        for file in files:
            yield from cls.of_file(file)

    def solution(self, number: int) -> RecordedPlan:
        """Return a plan of the set by its number, from 1."""
        most = 1 + len(self.others)
        if not 1 <= number <= most:
            raise UserError(f"--solution: expected 1{f' to {most:,}' if most > 1 else ''}, got {number:,}")
        return (self, *self.others)[number - 1]

    def actions(self) -> list[str]:
        """Read the actions."""
        file = self.job / RecordFile.PLANS
        with open_regular(file, max_bytes=None) as lines:
            lines.seek(self.offset)
            try:
                line = decode_plan(lines.readline(RecordBound.PLAN))
            except CORRUPT:
                line = None
        if line is None or line.run_id != self.run_id:
            raise file_error(file, "has changed while it was read; try again")
        return line.actions

    def instance_from(self, source: Source, algorithm: Mapping[str, Any]) -> Instance | None:
        """Return the instance from its source, for agents if the algorithm is one; None if it is not there."""
        return _instances_in(source, [self.instance], algorithm).get(self.instance)

    def recorded_instance(self, modules: Sequence[str] = ()) -> Instance:
        """Return the instance, for agents if an agent played it: see `recorded_instances`."""
        found = self.recorded_instances(self.job, [self.instance], modules)
        if self.instance not in found:
            file = self.job / RecordFile.CONFIGURATION
            raise UserError(f"{file}: the world has no instance '{self.instance}' any more")
        return found[self.instance]

    @staticmethod
    def recorded_instances(job: Path, ids: Collection[str], modules: Sequence[str] = ()) -> dict[str, Instance]:
        """Return instances of a run by their ids, without those that its world does not have any more.

        They are made as in the run: this method imports the plug-ins that the recorded configuration names, resolves
        interpolations, and makes instances until it has found all of them. They are for agents if an agent played them.

        Parameters
        ----------
        job : Path
            Folder of the run.
        ids : collection of str
        modules : sequence of str
            Further plug-ins to import: the run does not record those that were installed then.
        """
        file = job / RecordFile.CONFIGURATION
        configuration = RunFolder(job).configuration()
        try:
            composed = OmegaConf.create(configuration)
            world: Any = OmegaConf.to_container(composed.world, resolve=True)
            algorithm: Any = OmegaConf.to_container(composed.algorithm, resolve=True)
        except (OmegaConfBaseException, AttributeError, *CORRUPT):
            raise UserError(f"{file}: not the configuration of a run") from None
        directory, folders = _where(job)
        before = Path.cwd()
        load_plugins(modules, beside=folders)
        try:
            if directory.is_dir():  # files are named relative to it
                os.chdir(directory)
            load_plugins(settings_of(configuration).plugins, beside=folders)
            for kind, section in (("world", world), ("algorithm", algorithm)):
                name = section.get("name") if isinstance(section, dict) else None
                if isinstance(name, str) and name not in REGISTRIES[kind].names():
                    raise UserError(
                        f"{file}: there is no {kind} '{name}': a plug-in that is not installed any more registered it; "
                        "install it, or name its module with --plugins MODULE"
                    )
            source = source_of(world)
            source.check()
            return _instances_in(source, ids, algorithm)
        finally:
            os.chdir(before)


def _instances_in(source: Source, ids: Collection[str], algorithm: Mapping[str, Any]) -> dict[str, Instance]:
    """Return some instances of a source by their ids, for agents if the algorithm is one."""
    is_played = isinstance(algorithm_of(algorithm), Agent)
    missing, found = {*ids}, {}
    for instance in source.instances():
        if instance.id in missing:
            found[instance.id] = as_played(instance) if is_played else instance
            missing.remove(instance.id)
            if not missing:
                break
    return found


def _where(job: Path) -> tuple[Path, list[Path]]:
    """Return the working directory of a run, which old runs do not record, and the folders of its configuration."""
    file = job / RecordFile.HYDRA
    if not file.exists():
        return Path.cwd(), []
    recorded = read_yaml(file, "the record of a run")
    try:
        runtime = recorded["hydra"]["runtime"]
        task = tuple(str(override) for override in recorded["hydra"]["overrides"]["task"])
        return Path(str(runtime["cwd"])), Request(task, config_dirs=tuple(config_dirs_of(runtime))).plugin_folders
    except CORRUPT:
        raise UserError(f"{file}: not the record of a run") from None
