"""Pictures of instances with their cheapest plans, if there are few instances.

The recorded configuration may come from another person, so nothing in it is executed: instances that need plug-ins
that are not imported already, interpolations or other files than a world's own, or that take long to make, get no
picture. ``replay`` shows these.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from runner.base import SOLVED, UserError, changed_parameters, error_text, files_below, parameters_of
from runner.config import source_of
from runner.features.explorer import RecordedPlan
from runner.features.reports.runs import Runs
from runner.records import CORRUPT, RecordFile, RunFolder
from worlds.drawing import draw_text, drawn
from worlds.interface import Instance, Source, looks_of

MAX_PICTURES = 20
MAX_SECONDS = 20.0
MAX_ACTIONS = 10_000
"""Maximum length of a plan in a picture."""
MAX_INSTANCES = 1000
"""Maximum number of instances of a source that is searched for an instance."""
MAX_PARAMETER = 1_000_000
"""Maximum value of a parameter of a source, such as the steps of a random walk. The seed may be larger."""
MAX_VALUES = 20_000
"""Maximum number of values in a configuration."""


class Picture(NamedTuple):
    """Picture of an instance with a plan, as SVG, and its caption."""

    title: str
    svg: str


def pictures(runs: Runs, folders: Sequence[Path]) -> list[Picture]:
    """Return a picture of each instance that can be made from the recorded configuration."""
    is_solved = runs.table["status"] == SOLVED.name
    if not 0 < runs.table.loc[is_solved, "instance"].nunique() <= MAX_PICTURES:
        return []
    table = runs.table[is_solved]
    wanted = set(table["run_id"])
    plans = {plan.run_id: plan for plan in _plans(folders, runs.notes) if plan.run_id in wanted}
    configuration_of = cache(lambda job: _configuration(job, runs.notes))
    deadline = time.monotonic() + MAX_SECONDS
    made: list[Picture] = []
    for name in table["instance"].drop_duplicates():
        rows = table[table["instance"] == name].sort_values("cost", kind="stable")
        plan = next((plans[run_id] for run_id in rows["run_id"] if run_id in plans), None)
        if plan is None or plan.length > MAX_ACTIONS:
            continue
        if time.monotonic() > deadline:
            runs.notes.append(f"some instances have no picture: drawing stopped after {MAX_SECONDS:.0f} s")
            break
        picture = _picture(plan, configuration_of(plan.job), runs.notes)
        if picture is not None:
            caption = f"{name}: a plan of {plan.length} actions, cost {rows['cost'].iloc[0]:,.0f}"
            made.append(Picture(caption, picture))
    return made


def _plans(folders: Sequence[Path], notes: list[str]) -> Iterator[RecordedPlan]:
    for file in (file for folder in folders for file in files_below(folder, RecordFile.PLANS)):
        try:
            yield from RecordedPlan.of_file(file)
        except UserError as error:
            notes.append(f"some instances have no picture: {error}")


def _configuration(job: Path, notes: list[str]) -> dict[str, Any]:
    try:
        return RunFolder(job).configuration(MAX_VALUES)
    except UserError as error:
        notes.append(f"some instances have no picture: {error}")
        return {}


def _picture(plan: RecordedPlan, configuration: dict[str, Any], notes: list[str]) -> str | None:
    try:
        instance = _instance(plan, configuration)
        actions = plan.actions()
    except (UserError, *CORRUPT):  # the world may have changed since the run
        return None
    if instance is None:
        return None
    try:
        looks = looks_of(instance.world)
        return drawn(looks.picture(actions) or partial(draw_text, looks.render()), (3.2, 3.2))
    except Exception as error:  # the code of users may raise anything
        notes.append(f"{plan.instance} has no picture: {error_text(error)}")
        return None


def _instance(plan: RecordedPlan, configuration: dict[str, Any]) -> Instance | None:
    """Return the instance of a plan; None if making it would need a plug-in or a file, or could take long."""
    if "world" not in configuration:
        return None
    source = source_of(configuration["world"])
    return plan.instance_from(source, configuration["algorithm"]) if _is_harmless(source) else None


def _is_harmless(source: Source) -> bool:
    numbers = (value for name, value in parameters_of(source).items() if name != "seed")
    is_small = all(value <= MAX_PARAMETER for value in numbers if isinstance(value, (int, float)))
    reads_others = source.reads_files and "path" in changed_parameters(source)
    return is_small and not reads_others and len(source) <= MAX_INSTANCES
