"""What was solved: a picture of each instance with its cheapest plan, where there are few of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import yaml

from runner.drawing import drawn
from runner.records.plans import Plan, instance_of, read_plans
from runner.records.writer import PLANS
from runner.registry import UserError
from runner.report.figures import Figure
from runner.report.runs import Runs

MOST_PICTURES = 20


def pictures(runs: Runs, folders: Sequence[Path]) -> list[Figure]:
    """Pictures of the instances, made anew from what was recorded; without those that cannot be.

    A configuration that names plug-ins is left alone: to look at somebody's results must not run their code.
    """
    table = runs.table[runs.table["status"] == "solved"]
    if not 0 < table["instance"].nunique() <= MOST_PICTURES:
        return []
    try:
        plans = {plan.run_id: plan for folder in folders if any(folder.rglob(PLANS)) for plan in read_plans(folder)}
    except (UserError, OSError) as error:
        runs.notes.append(f"no pictures: {error}")
        return []
    made: list[Figure] = []
    for name in table["instance"].drop_duplicates():
        rows = table[table["instance"] == name].sort_values("cost", kind="stable")
        plan = next((plans[run_id] for run_id in rows["run_id"] if run_id in plans), None)
        if plan is None or _names_plugins(plan):
            continue
        try:
            draw = instance_of(plan).picture(plan.actions)
            picture = None if draw is None else drawn(draw, (3.2, 3.2))
        except (UserError, ValueError, IndexError, NotImplementedError):  # the world has changed since
            continue
        if picture is not None:
            caption = f"{name}: a plan of {len(plan.actions)} actions, cost {rows['cost'].iloc[0]:,.0f}"
            made.append(Figure(f"plan_{len(made)}", caption, picture))
    return made


def _names_plugins(plan: Plan) -> bool:
    try:
        recorded = yaml.safe_load((plan.job / ".hydra" / "config.yaml").read_text(encoding="utf-8"))
        return bool(recorded.get("plugins"))
    except (OSError, ValueError, AttributeError, yaml.YAMLError, RecursionError):
        return True
