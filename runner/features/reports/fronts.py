"""Fronts of several costs, from plans.jsonl: a chart of those of an instance, and which are incomplete."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from algorithms.plan_sets import HYPERVOLUME, SOLUTIONS
from runner.base import SOLVED, UserError, files_below, plural, scalar_text
from runner.features.reports.charts import Chart, colour, labelled, marker, short
from runner.features.reports.columns import CONFIGURATION
from runner.features.reports.refuted import problems_of
from runner.features.reports.runs import Runs
from runner.features.reports.statistics import Numbers
from runner.records import RecordFile, plan_lines
from worlds.drawing import tip

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Fronts = Mapping[str, Numbers]
"""Costs of the plans of each run_id, as an array of shape (plans, costs)."""
_MAX_CHARTS = 3
_MAX_FRONTS = 12
"""Maximum number of configurations in a chart."""
_EPSILON = re.compile(r"\bepsilon=(\d+\.?\d*(?:e-?\d+)?)")


def recorded_fronts(runs: Runs, folders: Sequence[Path]) -> Fronts:
    """Read the fronts of the rows with at least two costs. If a search was repeated, its last one counts."""
    table = runs.table
    if SOLUTIONS.name not in table:
        return {}
    run_ids = table.loc[(table[SOLUTIONS.name] > 0).to_numpy() & ~runs.is_invalid, "run_id"].astype(str)
    repeated = set(run_ids[run_ids.duplicated()])  # of other limits or versions; plans have no more than it
    wanted = {*run_ids} - repeated
    if repeated and HYPERVOLUME.name in table:
        runs.notes.append(f"no fronts of {plural(len(repeated), 'run_id')} with several rows: give folders one by one")
    found: dict[str, list[list[float]]] = {}
    for file in (file for folder in folders if wanted for file in files_below(folder, RecordFile.PLANS)):
        try:
            for _, _, plan in plan_lines(file):
                if plan is None or plan.run_id not in wanted or len(plan.costs) < 2:
                    continue  # of one plan, or incomplete after a crash
                front = found.setdefault(plan.run_id, [])
                if plan.solution == 1:
                    front.clear()
                if not front or len(front[0]) == len(plan.costs):
                    front.append(plan.costs)
        except UserError as error:
            runs.notes.append(str(error))
    return {run_id: np.array(costs) for run_id, costs in found.items()}


def charts(runs: Runs) -> Iterator[Chart]:
    """Draw the fronts of the first instances with one of several vectors."""
    found = runs.selection.fronts
    has_front = runs.table["run_id"].map(lambda run_id: len(found.get(run_id, ())) > 1).astype(bool)
    for name in runs.table.loc[has_front, "instance"].unique()[:_MAX_CHARTS]:
        rows = runs.table[(runs.table["instance"] == name).to_numpy() & runs.table["run_id"].isin(found).to_numpy()]
        rows = rows.drop_duplicates(CONFIGURATION)[:_MAX_FRONTS]
        searches = list(rows[["run_id", CONFIGURATION, "status"]].astype(str).itertuples(index=False, name=None))
        yield _chart(str(name), [(found[run_id], *others) for run_id, *others in searches], runs.configurations)


def _chart(instance: str, drawn: Sequence[tuple[Numbers, Any, Any]], configurations: Sequence[str]) -> Chart:
    """Draw the fronts of one instance. Rings of equal vectors lie within each other."""
    objectives = drawn[0][0].shape[1]

    def draw(axes: Axes) -> None:
        for place, (front, name, status) in enumerate(drawn):
            index = configurations.index(name)
            points = front[np.lexsort(front.T[::-1])]
            part = "" if status == SOLVED.name else f", {status}"
            if front.shape[1] == 2:
                axes.step(*points.T, where="post", color=colour(index), linewidth=0.8, alpha=0.5)
            size = 4 + 10 * (len(drawn) - 1 - place) / max(4, len(drawn))
            style: Any = {"markersize": size, "markerfacecolor": "none", "linestyle": "none", "color": colour(index)}
            text = f"{short(name)} ({len(front):,}{part})"
            (line,) = axes.plot(*points.T[:2], marker(index), label=text, **style)
            tip(line, f"{name}: {plural(len(front), 'vector')}{part}")
        labelled(axes, "cost 1", "cost 2")

    first = f", the first two of {objectives} costs" if objectives > 2 else ""
    return Chart("fronts", f"Which fronts do the configurations find on {instance}{first}?", draw, (6.4, 3.8))


def incomplete(runs: Runs) -> Iterator[str]:
    """Yield, for each configuration, that fronts lack vectors although no limit has ended their searches."""
    recorded = runs.selection.fronts
    table = runs.table.assign(problem=problems_of(runs.table))
    table = table[table["run_id"].isin(recorded) & (table["valid"].astype(str) == "True")]
    lacks: dict[str, list[str]] = {}
    for _, rows in table.groupby("problem"):
        named = list(zip(rows[CONFIGURATION].astype(str), (recorded[each] for each in rows["run_id"]), strict=True))
        for (name, front), (_, row) in zip(named, rows.iterrows(), strict=True):
            if row["status"] != SOLVED.name:
                continue
            stated = _EPSILON.search(str(row["parameters"]))
            found = _first_lacking(front, named, 1 + float(stated[1]) if stated else 1.0)
            if found is not None:
                lacks.setdefault(name, []).append(f"on {row['instance']}, no vector is as good as {found}")
    for name, texts in lacks.items():
        yield f"{name}: {plural(len(texts), 'incomplete front')}: {texts[0]}"


def _first_lacking(front: Numbers, others: Sequence[tuple[str, Numbers]], factor: float) -> str | None:
    """Return a vector that no one of a front is as good as, up to a factor, with the configuration that has it."""
    for name, other in others:
        if other.shape[1] != front.shape[1] or np.array_equal(other, front):
            continue
        for vector in other:
            if not (front <= factor * vector).all(axis=1).any():
                return f"({', '.join(map(scalar_text, vector.tolist()))}) of {name}"
    return None
