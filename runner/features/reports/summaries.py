"""Tables with a row for each configuration or instance: summary, measures, scores, statuses, best, values."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pandas as pd

from runner.base import SOLVED, Metric, plural
from runner.features.reports.columns import CONFIGURATION, by_cause
from runner.features.reports.penalties import LIMITED, PENALTIES, limits_of, penalised
from runner.features.reports.rankings import comparable_values, eligible
from runner.features.reports.runs import Common, Runs
from runner.features.reports.statistics import (
    AGGREGATES,
    MIN_INSTANCES,
    Numbers,
    aggregate,
    geometric_mean,
    shifted_geometric_mean,
)
from runner.features.reports.tables import NamedCells, Scale, Table, TableCell, counts, extreme, scale_of, texts

MAX_ROWS = 500
"""Maximum number of instances in a table."""
AGILE_LIMIT = 300.0
"""Seconds after which a plan has no agile score."""
SHIFTS = {"s": 1.0, "": 100.0}
"""Shift of geometric means by unit: 1 s for times, 100 for counts of nodes."""
REPLICATED = "Values of an instance are means over its seeds; it counts in comparisons if the runs of all seeds do."
"""Note on rows of several seeds."""
SEED_IN_NAME = r"-\d+(?=(?:-[A-Z])?(?: \[.*\]| \(\d+ of \d+\))?$)"
"""Number at the end of the name of an instance, or before a last capital letter."""


def summary(runs: Runs, metrics: Sequence[Metric], world: str = "") -> Table:
    """Return the coverage and the sum or mean of each metric, by configuration.

    A value is marked as the best if the instances show that it is better than the others.

    Parameters
    ----------
    world : str
        World of the rows, for the heading, if there is a table for each.
    """
    solved, rows = runs.successes
    shares = solved / rows
    is_fair = runs.of_shared is runs and runs.shares_instances and rows.min() >= MIN_INSTANCES
    most = extreme(shares, "more") if is_fair else math.nan
    columns: list[NamedCells] = [
        ("configuration", texts(runs.configurations)),
        ("rows", counts(rows)),
        ("successes", counts(solved)),
        ("coverage", [TableCell(f"{share:.1%}", share, share == most) for share in shares.tolist()]),
    ]
    bases: dict[str, list[str]] = {}
    undecided: list[str] = []
    for metric in metrics:
        common = runs.common(metric)
        values = _by_column(runs, common.values, partial(aggregate, how=metric.aggregate))
        scale = scale_of(metric, values, are_means=runs.is_replicated or metric.aggregate != "sum", has_sums=True)
        known = values[~np.isnan(values)]
        marked = _markable(runs, metric, values)
        if marked is None and common.is_shared and metric.better != "neither" and len(set(known)) > 1:
            undecided.append(metric.title)
        columns.append((scale.heading, scale.cells(values, marked)))
        bases.setdefault(_basis(runs, metric, common), []).append(metric.title)
    present = [runs.declared.status(str(name)) for name in runs.table["status"].unique()]
    ends = [status.name for status in present if status.is_success]
    notes = [f"Unfinished: {runs.unfinished}."] if runs.unfinished else []
    notes += [f"Successes: {', '.join(ends)}."] if len(ends) > 1 else []
    notes += [f"{basis}: {', '.join(names)}." for basis, names in bases.items()]
    notes += [f"No best value is marked where no difference is shown: {', '.join(undecided)}."] if undecided else []
    notes += [REPLICATED] if runs.is_replicated else []
    place = re.sub(r"\W+", "_", world)
    name, title = (f"summary_{place}", f"Configurations: {world}") if world else ("summary", "Configurations")
    return Table.of(name, title, columns, notes)


def _markable(runs: Runs, metric: Metric, values: Numbers) -> Numbers | None:
    """Return the sums or means of a metric if the best of them may be marked."""
    wide = comparable_values(runs, metric)
    if wide is None or runs.variants or not runs.applies_to_all(metric):
        return None
    return eligible(wide, metric.better, pd.Series(values, runs.configurations))


def definitions(metrics: Sequence[Metric]) -> dict[str, str]:
    """Return the definition of each metric, by its title: its meaning as plain text, its unit, how it is summed up."""
    found = {}
    for metric in metrics:
        title = f"{metric.title} ({metric.name})" if metric.label else metric.title
        meaning = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", metric.meaning).replace("`", "") or "no definition is recorded"
        details = [f"unit: {metric.unit}"] if metric.unit else []
        details += [] if metric.better == "neither" else [f"{metric.better} is better"]
        found[title] = f"{meaning} ({'; '.join([*details, f'over instances: {AGGREGATES[metric.aggregate]}'])})."
    return found


def _by_column(runs: Runs, wide: pd.DataFrame, how: Callable[[Numbers], float]) -> Numbers:
    """Return a number for each configuration, of its values in a table; NaN if it has no column."""
    found = {name: how(column.dropna().to_numpy()) for name, column in wide.items()}
    return np.array([found.get(name, np.nan) for name in runs.configurations])


def _basis(runs: Runs, metric: Metric, common: Common) -> str:
    kind = AGGREGATES[metric.aggregate].capitalize()
    if not common.is_shared:
        return f"{kind} over all values of each configuration, because no instance has a value under all of them"
    total = runs.table["instance"].cat.codes.nunique()
    missing = len(runs.configurations) - common.values.shape[1]
    without = f" ({plural(missing, 'configuration')} without values)" if missing else ""
    shared = f"{len(common.values):,} of {total:,} instances with a comparable value of every configuration"
    return f"{kind} over the {shared}{without}"


def satisficing(runs: Runs) -> Numbers:
    """Return ``best known cost / cost`` of each row, 0 without a plan.

    The satisficing track of the International Planning Competition has used this measure since 2008. The best known
    cost is the least of all rows of the report.
    """
    costs = pd.Series(np.where(runs.is_success, runs.table["cost"].to_numpy(), np.nan))
    best = costs.groupby(runs.table["instance"].cat.codes.to_numpy()).transform("min").to_numpy()
    with np.errstate(invalid="ignore", divide="ignore"):
        quality = np.where(costs.to_numpy() == best, 1.0, best / costs.to_numpy())
    return np.where(costs.isna(), 0.0, quality)


def agile_of_rows(runs: Runs) -> Numbers:
    """Return the agile score of each row.

    A plan found in T seconds scores ``1 - log(T) / log(300)``: 1 up to one second, 0 from 300 s. The agile track of the
    International Planning Competition has used this measure since 2014, with this formula since 2018. NaN if a limit
    ended a search that had a plan: the time of its first plan is not in the row.
    """
    scores = agile(runs.table["search_seconds"].to_numpy())
    scores = np.where(runs.has_plan & ~np.isnan(scores), scores, 0.0)
    return np.where(runs.is_limited, np.nan, scores)


def agile(seconds: Numbers) -> Numbers:
    """Return the agile score of plans found in some seconds."""
    return 1 - np.log(np.clip(seconds, 1.0, AGILE_LIMIT)) / math.log(AGILE_LIMIT)


def measures(runs: Runs, metrics: Sequence[Metric]) -> Table | None:
    """Return the measures of each configuration: PAR, IPC scores and geometric means; None if none applies.

    They are over the instances that all configurations have tried, if there are any.

    Parameters
    ----------
    metrics : sequence of Metric
        Metrics for geometric means: the effort and the time.
    """
    declared, columns, notes = runs.declared.all_metrics, list[NamedCells](), list[str]()
    if runs.of_shared is not runs:
        runs = runs.of_shared
        total = plural(runs.table["instance"].cat.codes.nunique(), "instance")
        notes.append(f"Over the {total} that all configurations have tried.")

    def add(heading: str, scale: Scale, values: Numbers, of_rows: Numbers) -> None:
        """Add a measure with its values, given those of the rows."""
        wide = runs.means(of_rows)
        is_known = not wide.isna().to_numpy().any()
        found = pd.Series(values, runs.configurations)
        marked = eligible(wide, scale.metric.better, found, by_mean=True) if is_known else None
        columns.append((heading, scale.cells(values, marked)))

    for limit, name in LIMITED.items():
        metric = declared[name]
        if np.isnan(limits_of(runs, limit)).all():
            continue
        for penalty in PENALTIES:
            of_rows = penalised(runs, limit, penalty)
            values = by_configuration(runs, of_rows, np.mean)
            scale = scale_of(metric, values, are_means=True)
            add(f"PAR{penalty} {scale.heading}", scale, values, of_rows)
        notes.append(
            f"PAR2, PAR10 {metric.title}: mean over all instances; an instance without success counts as "
            f"2 or 10 times limits.{limit}."
        )
    if not runs.is_of_games and runs.table.loc[runs.is_success, "cost"].notna().any():
        score = Scale(Metric("score", better="more"), 1.0, "", 1)
        of_rows = satisficing(runs)
        add("IPC satisficing", score, by_configuration(runs, of_rows / runs.replications, np.sum), of_rows)
        notes.append("IPC satisficing: sum of best known cost / cost, 0 without a plan.")
        if runs.table["search_seconds"].notna().any():
            of_rows = agile_of_rows(runs)
            add("IPC agile", score, by_configuration(runs, of_rows / runs.replications, np.sum), of_rows)
            notes.append("IPC agile: sum of 1 - log(T) / log(300) for plans found in T seconds; 1 up to 1 s.")
    shifted = []
    for metric in metrics:
        common, shift = runs.common(metric), SHIFTS.get(metric.unit)
        if not (common.is_shared and metric.log_scale and shift):
            continue
        for prefix, mean in (
            ("geo. mean", geometric_mean),
            ("shifted geo. mean", partial(shifted_geometric_mean, shift=shift)),
        ):
            values = _by_column(runs, common.values, mean)
            if not np.isnan(values).all():
                scale = scale_of(metric, values, are_means=True)
                columns.append((f"{prefix} {scale.heading}", scale.cells(values, _markable(runs, metric, values))))
        shifted.append(f"{metric.title} {shift:g} {metric.unit}".strip())
    if runs.is_limited.any():
        notes.append("PAR and IPC agile are empty for configurations with a plan of an anytime search at a limit.")
    if shifted:
        notes.append(
            "Geometric means are over the instances with a comparable value of every configuration; "
            "the shifted ones are exp(mean(log(x + s))) - s, which small values influence less. "
            f"Shifts s: {', '.join(shifted)}."
        )
    names = ("configuration", texts(runs.configurations))
    return Table.of("measures", "Measures", [names, *columns], notes) if columns else None


def by_configuration(runs: Runs, values: Numbers, how: Callable[[Numbers], float]) -> Numbers:
    """Return a number for each configuration, of the values of its rows."""
    return np.array([how(values[runs.codes == place]) for place in range(len(runs.configurations))])


def scores(runs: Runs) -> Table | None:
    """Return the scores by family of instances and configuration; None without games.

    The families are the names of the instances without their seeds. Each row has the mean score, its standard error,
    and the share of each status that is an answer.
    """
    if not runs.is_of_games:
        return None
    table = runs.table[runs.table["reward"].notna()]
    names = table["instance"].cat.remove_unused_categories()
    families = pd.Series(names.cat.categories.astype(str)).str.replace(SEED_IN_NAME, "", regex=True).to_numpy()
    family = pd.Series(families[names.cat.codes], index=table.index)
    is_played = family.isin(family[table["actions"].notna()].unique())
    table, family = table[is_played], family[is_played]
    if family.nunique() > MAX_ROWS:
        family = pd.Series("all", index=table.index)
    order = {kind: place for place, kind in enumerate(family.drop_duplicates())}
    groups = [family.rename("family"), table[CONFIGURATION]]
    found = table["reward"].groupby(groups, observed=True, sort=False).agg(["mean", "sem", "count"])
    found = found.sort_index(level=0, key=lambda kinds: kinds.map(order), kind="stable", sort_remaining=False)
    present = set(table["status"])
    answers = [name for name, each in runs.declared.all_statuses.items() if each.is_answer and name in present]
    has_ended = pd.DataFrame({name: table["status"] == name for name in answers}, index=table.index)
    shares = has_ended.groupby(groups, observed=True, sort=False).mean().loc[found.index]
    one_digit = Scale(runs.declared.all_metrics["reward"], 1.0, "", 1)
    columns: list[NamedCells] = [
        ("instances", texts(found.index.get_level_values(0).astype(str))),
        ("configuration", texts(found.index.get_level_values(1).astype(str))),
        ("games", counts(found["count"])),
        (f"mean {one_digit.heading}", one_digit.cells(found["mean"].to_numpy(np.float64))),
        ("standard error", one_digit.cells(found["sem"].to_numpy(np.float64))),
        *((name.replace("_", " "), [TableCell(f"{s:.1%}", s) for s in shares[name].tolist()]) for name in answers),
    ]
    return Table.of("scores", "Scores", columns)


def statuses(runs: Runs) -> Table | None:
    """Return the number of rows with each status under each configuration, with invalid plans and errors first.

    None if all searches have solved their instances before any limit, and all plans are valid.
    """
    table, declared = runs.table, runs.declared
    invalid = table["valid"].astype(str) == "False"
    if (table["status"] == SOLVED.name).all() and not (invalid.any() or runs.is_limited.any()):
        return None
    found = pd.crosstab(table[CONFIGURATION], table["status"]).reindex(runs.configurations)

    def rank(name: str) -> tuple[bool, bool, int]:
        status = declared.status(name)
        return not status.is_failure, status.is_answer, -int(found[name].sum())

    wrong = table[invalid].groupby(CONFIGURATION, observed=False).size().reindex(runs.configurations)
    reasons = texts("; ".join(_reasons(table[table[CONFIGURATION] == name])) for name in runs.configurations)
    columns: list[NamedCells] = [
        ("configuration", texts(runs.configurations)),
        ("rows", counts(found.sum(axis=1))),
        *([("INVALID plans", counts(wrong))] if invalid.any() else []),
        *((name.replace("_", " "), counts(found[name])) for name in sorted(map(str, found), key=rank)),
        ("reasons", reasons),
    ]
    return Table.of("statuses", "Statuses", [*columns[:2], *(c for c in columns[2:] if any(x.text for x in c[1]))])


def _reasons(rows: pd.DataFrame) -> list[str]:
    """Return the three most common errors and reasons of one configuration, with their counts."""
    found = pd.concat([rows["error"], rows["reason"]])
    return [f"{count:,} x {reason}" for reason, count in by_cause(found, 3)]


def best(runs: Runs, metric: Metric) -> Table:
    """Return on how many of the instances that all have tried each configuration is the best, alone or with others."""
    wide = runs.of_shared.comparable(metric).dropna(how="all")
    values = wide.to_numpy()
    top = np.nanmax(values, axis=1) if metric.better == "more" else np.nanmin(values, axis=1)
    is_best = values == top[:, None]
    alone = is_best & (is_best.sum(axis=1) == 1)[:, None]
    columns: list[NamedCells] = [
        ("configuration", texts(runs.configurations)),
        ("best", counts(is_best.sum(axis=0))),
        ("alone", counts(alone.sum(axis=0))),
    ]
    tried = " that all configurations have tried" * (runs.of_shared is not runs)
    notes = [f"Of {plural(len(wide), 'instance')}{tried}."]
    notes += [] if runs.applies_to_all(metric) else ["Some configurations have no values at all."]
    return Table.of(f"best_{metric.name}", f"Best: {metric.heading}", columns, notes)


def by_instance(runs: Runs, metric: Metric) -> Table:
    """Return the values of a metric by instance and configuration, with sums and means.

    Only values that count in comparisons can be marked as the best, and none if there are too few instances. With many
    instances, there are no rows.
    """
    wide, comparable = runs.pivot(metric.name), runs.comparable(metric).to_numpy()
    if not runs.applies_to_all(metric) or len(wide) < MIN_INSTANCES:
        comparable = np.full_like(comparable, np.nan)
    scale = scale_of(metric, wide.to_numpy(), are_means=runs.is_replicated, has_sums=True)
    lines = zip(wide.index, wide.to_numpy(), comparable, strict=True) if len(wide) <= MAX_ROWS else ()
    rows = [(TableCell(str(name)), *scale.cells(values, eligible)) for name, values, eligible in lines]
    is_common = wide.notna().all(axis=1).to_numpy()
    values = wide.to_numpy()[is_common]
    found: dict[str, Numbers] = {}
    if len(values):
        found = {"SUM": values.sum(axis=0)} if metric.aggregate == "sum" else {}
        found["MEAN"] = values.mean(axis=0)
        if (metric.log_scale or metric.aggregate == "geometric_mean") and (values > 0).all():
            found["GEOMETRIC MEAN"] = np.array([geometric_mean(column) for column in values.T])
    is_fair = not np.isnan(comparable[is_common]).any()
    totals = [
        (
            TableCell(name),
            *(scale if name == "SUM" else scale.for_means(each)).cells(
                each, _markable(runs, metric, each) if is_fair else None
            ),
        )
        for name, each in found.items()
    ]
    notes = []
    if not len(values):
        notes.append("No instance has a value under every configuration, so there are no sums and means.")
    elif len(values) < len(wide):
        notes.append(
            f"Sums and means are over the {len(values):,} of {len(wide):,} instances "
            "for which every configuration has a value."
        )
    if not rows:
        notes.append(f"The values of {len(wide):,} instances are in the CSV files of the runs.")
    return Table(metric.name, scale.heading, ["instance", *runs.configurations], rows, totals, notes, True)
