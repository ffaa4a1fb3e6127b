"""Rows of a report: each search once, with names for configurations and instances."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from runner.base import ENDED_BY, INTERRUPTED, NAMES, Declared, Metric, Status, UserError, formula, one_line, plural
from runner.features.reports.columns import (
    CONFIGURATION,
    FOLDER,
    GROUP,
    PATH,
    REVISION,
    Codes,
    Mask,
    by_cause,
    differs,
    distinct,
    group_codes,
    select,
    without_seeds,
)
from runner.features.reports.expressions import derived, meets
from runner.features.reports.instance_names import groups_of, name_instances
from runner.features.reports.naming import (
    folder_names,
    name_configurations,
    name_plugins,
    name_revisions,
    plugin_codes,
    renames,
    swept_limits,
    with_revisions,
)
from runner.features.reports.reading import RecordedTable, join, read_tables
from runner.features.reports.refuted import problems_of, refute
from runner.features.reports.selection import Selection
from runner.features.reports.statistics import level
from runner.features.reports.tables import listed
from runner.features.reports.unfinished import missing_rows

_MAX_REASONS = 5
"""Maximum number of reasons of unsupported rows in a note."""
_DIFFERENT_CODES = (
    "rows were made by different versions of the code (column `code`), so their values may not be comparable"
)


OF_PLANS = ("cost", "length", "bound")
"""Metrics of plans. All others with less as the better direction measure effort."""


class NothingToReport(UserError):
    """No row was found."""


class Common(NamedTuple):
    """Values of a metric on the instances that all configurations have in common.

    `values` has instances x configurations, without NaN. Configurations without any value are left out. If no instance
    is common (`is_shared`), it has all instances with a value, with NaN for the others.
    """

    values: pd.DataFrame
    is_shared: bool


class Expressions(NamedTuple):
    """Conditions or derived columns. `file` is where they were recorded; empty if the user has typed them."""

    texts: Sequence[str] = ()
    file: str = ""


NO_EXPRESSIONS = Expressions()


@dataclass(frozen=True)
class Runs:
    """All rows of a report.

    Attributes
    ----------
    table : DataFrame
        One row for each search, so several for the same configuration and instance if seeds differ. It has the columns
        of the tables that were read, with unique names in `instance`, and the same cost where costs are equal.
        Added columns are `configuration`, `revision`, `folder`, `path` and `instance_group`. Metrics are float64, all
        other columns categories of texts.
    configurations : list of str
        Names of the configurations in the order of the rows, with the revisions of a configuration side by side.
    meanings : dict of str
        Full description of each configuration.
    constants : dict of str
        Columns that have the same value in all rows, with this value.
    notes : list of str
        Problems with the input.
    declared : Declared
        Metrics and statuses of the rows.
    variants : dict
        For each configuration with several revisions: the names of its revisions, with the configuration of each.
    cells : DataFrame
        Overrides of the cells, with one row for each pair of a cell and a search in it. The index is the row of the
        search in `table`.
    selection : Selection
        What the report shows of the rows.
    unfinished : str
        How many searches of unfinished sweeps are missing; empty for none.
    """

    table: pd.DataFrame
    configurations: list[str]
    meanings: dict[str, str]
    constants: dict[str, str]
    notes: list[str]
    declared: Declared
    variants: dict[str, dict[str, str]]
    cells: pd.DataFrame
    selection: Selection = field(default_factory=Selection)
    unfinished: str = ""

    def has_status(self, condition: Callable[[Status], bool]) -> Mask:
        """Return, for each row, whether its status meets a condition."""
        column = self.table["status"].cat
        found = np.array([condition(self.declared.status(str(name))) for name in column.categories], dtype=bool)
        return found[column.codes.to_numpy()]

    def for_groups(self, columns: Sequence[str]) -> Runs:
        """Return the rows for grouping by some columns. A search has one row in each group with a cell that has it."""
        keys = [name for name in dict.fromkeys(columns) if name in self.cells]
        if not keys or len(self.cells) == len(self.table):
            return self
        cells = self.cells[keys].assign(row=self.cells.index)
        cells = cells.iloc[np.unique(group_codes(cells, ["row", *keys]), return_index=True)[1]]
        table = self.table.iloc[cells["row"]].reset_index(drop=True)
        return replace(self, table=table.assign(**{key: cells[key].array for key in keys}))

    def by(self, column: str) -> dict[str, Runs]:
        """Return the rows of each text in a column, with the same configurations."""
        texts = self.table[column]
        if texts.nunique(dropna=False) == 1:
            return {str(texts.iloc[0]): self}
        chosen = {str(text): (texts == text).to_numpy() for text in texts.dropna().unique()}
        parts = {text: _chosen(self.table, self.cells, rows) for text, rows in chosen.items()}
        return {text: replace(self, table=table, cells=cells) for text, (table, cells) in parts.items()}

    @cached_property
    def is_tried_by_all(self) -> Mask:
        """For each row, whether all configurations have a row of its instance."""
        instances = self.table["instance"].cat.codes
        counts = pd.Series(self.codes).groupby(instances.to_numpy()).transform("nunique")
        return np.asarray(counts == len(self.configurations))

    @property
    def shares_instances(self) -> bool:
        """Whether all configurations have tried some instance."""
        return bool(self.is_tried_by_all.any())

    @cached_property
    def of_shared(self) -> Runs:
        """Rows of the instances that all configurations have tried; all rows if there is none.

        In an unfinished sweep, an instance that was not tried is no failure.
        """
        if self.is_tried_by_all.all() or not self.shares_instances:
            return self
        table, cells = _chosen(self.table, self.cells, self.is_tried_by_all)
        return replace(self, table=table, cells=cells)

    @cached_property
    def worlds_apart(self) -> dict[str, Runs]:
        """Rows of each world with the configurations that it has, if no instance was tried by all; otherwise empty."""
        worlds = {} if self.shares_instances else self.by("world")
        return {world: rows._own() for world, rows in worlds.items()} if len(worlds) > 1 else {}

    def _own(self) -> Runs:
        """Return the rows without the configurations that have none."""
        labels = self.table[CONFIGURATION].cat.remove_unused_categories()
        table, names = self.table.assign(**{CONFIGURATION: labels}), set(labels.cat.categories)
        return replace(self, table=table, configurations=[name for name in self.configurations if name in names])

    def renamed(self, texts: Sequence[str]) -> Runs:
        """Return the rows with new names of configurations, as for `runner.features.reports.naming.renames`."""
        new = renames(texts, self.configurations, self.variants)
        labels = self.table[CONFIGURATION].cat.rename_categories([new[name] for name in self.configurations])
        return replace(
            self,
            table=self.table.assign(**{CONFIGURATION: labels}),
            configurations=[new[name] for name in self.configurations],
            meanings={new[name]: text for name, text in self.meanings.items()},
            variants={new[n]: {r: new[label] for r, label in each.items()} for n, each in self.variants.items()},
        )

    @cached_property
    def codes(self) -> NDArray[np.integer[Any]]:
        """Number of the configuration of each row."""
        return self.table[CONFIGURATION].cat.codes.to_numpy()

    @cached_property
    def is_invalid(self) -> Mask:
        """For each row, whether the rules do not accept its plan."""
        return np.asarray(self.table["valid"].astype(str) == "False")

    @cached_property
    def is_wrong(self) -> Mask:
        """For each row, whether the rules do not accept its plan, or the plan of another row refutes its claim."""
        return self.is_invalid | self.table["refuted"].notna().to_numpy()

    @cached_property
    def is_answer(self) -> Mask:
        """For each row, whether it answers its instance. A row that is wrong is no answer."""
        return self.has_status(lambda status: status.is_answer) & ~self.is_wrong

    @cached_property
    def is_success(self) -> Mask:
        """For each row, whether it is an answer and a success."""
        return self.has_status(lambda status: status.is_answer and status.is_success) & ~self.is_wrong

    @cached_property
    def has_plan(self) -> Mask:
        """For each row, whether it is a success with a plan."""
        return self.is_success & self.table["cost"].notna().to_numpy()

    @cached_property
    def successes(self) -> tuple[Codes, Codes]:
        """Number of successes and number of rows of each configuration."""
        size = len(self.configurations)
        return np.bincount(self.codes[self.is_success], minlength=size), np.bincount(self.codes, minlength=size)

    @cached_property
    def is_limited(self) -> Mask:
        """For each row, whether it is the plan of an anytime search that a limit has ended."""
        column = self.table["reason"].cat
        is_limit = np.array([*(str(text).startswith(ENDED_BY) for text in column.categories), False], bool)
        return np.asarray(self.is_success & is_limit[column.codes.to_numpy()])

    @property
    def is_of_games(self) -> bool:
        """True if the table has games of agents."""
        return bool(self.table["actions"].notna().any())

    @property
    def measured(self) -> dict[str, Metric]:
        """Metrics that have values."""
        return {name: each for name, each in self.declared.all_metrics.items() if self.table[name].notna().any()}

    def is_comparable(self, metric: Metric) -> Mask:
        """Return, for each row, whether its value counts in comparisons.

        If less is better, only successes count: an agent that gives up early has a low cost. The effort of an anytime
        search that a limit has ended is that limit, so only its plan is compared.
        """
        if metric.better != "less":
            return self.is_answer
        return self.is_success if metric.name in OF_PLANS else self.is_success & ~self.is_limited

    def applies_to_all(self, metric: Metric) -> bool:
        """Return whether all configurations with rows that count in comparisons have a value in one of them.

        Some metrics do not apply to some algorithms. Then no value is marked as the best.
        """
        counts = self.is_comparable(metric)
        has_value = counts & self.table[metric.name].notna().to_numpy()
        return len(np.unique(self.codes[counts])) == len(np.unique(self.codes[has_value]))

    def pivot(self, metric: str) -> pd.DataFrame:
        """Return a metric as a table of instances x configurations. NaN stands for no value, or no answer.

        If there are replications, the values are their means.
        """
        return self._wide(metric, self.table[metric].to_numpy())

    def comparable(self, metric: Metric) -> pd.DataFrame:
        """Return `pivot` with NaN for the values that do not count in comparisons.

        The mean of replications counts if each of them does: without those that failed, it would be too good.
        """
        counts = self.of_all_replications(self.is_comparable(metric))
        return self._wide(metric.name, np.where(counts, self.table[metric.name].to_numpy(), np.nan))

    def common(self, metric: Metric) -> Common:
        """Return the values that count in comparisons on the instances that all configurations have in common."""
        wide = self.comparable(metric)
        wide = wide[wide.columns[wide.notna().any()]]
        shared = wide.dropna()
        return Common(shared, True) if shared.size else Common(wide, False)

    def means(self, values: NDArray[np.float64], rows: Mask | slice = slice(None)) -> pd.DataFrame:
        """Return the means of a value of rows as a table of instances x configurations. NaN stands for no value."""
        instances, names = pd.factorize(self.table["instance"][rows])
        shape = len(names), len(self.configurations)
        places = instances * shape[1] + self.codes[rows]
        sums, counts = (np.bincount(places, each, math.prod(shape)) for each in (values[rows], np.ones(len(places))))
        found = np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0)
        return pd.DataFrame(found.reshape(shape), pd.Index(names.astype(str)), self.configurations)

    @cached_property
    def searches(self) -> Codes:
        """Number of the configuration and instance of each row. Rows with the same number differ in their seeds."""
        return self.codes + len(self.configurations) * self.table["instance"].cat.codes.to_numpy().astype(np.int64)

    @cached_property
    def replications(self) -> Codes:
        """Number of rows, for the configuration and instance of each row."""
        _, searches, counts = np.unique(self.searches, return_inverse=True, return_counts=True)
        return np.asarray(counts[searches], np.int64)

    @cached_property
    def is_replicated(self) -> bool:
        """Whether a configuration has searched an instance with several seeds."""
        return bool((self.replications > 1).any())

    def of_all_replications(self, condition: Mask) -> Mask:
        """Return, for each row, whether a condition holds for it and its replications."""
        return ~np.isin(self.searches, self.searches[~condition]) if self.is_replicated else condition

    def _wide(self, metric: str, column: NDArray[np.float64]) -> pd.DataFrame:
        """Return the means of a column over the replications with an answer; NaN if it has no value in one of them."""
        wide = self.means(column, self.is_answer)
        if metric == "cost" and wide.size:
            places = np.repeat(np.arange(wide.shape[0]), wide.shape[1])
            wide[:] = level(wide.to_numpy().ravel(), places).reshape(wide.shape)
        return wide


def load(
    folders: Sequence[Path],
    where: Sequence[str] = (),
    rename: Sequence[str] = (),
    derive: Expressions = NO_EXPRESSIONS,
    filters: Expressions = NO_EXPRESSIONS,
) -> Runs:
    """Read the rows below folders.

    Parameters
    ----------
    where : sequence of str
        Conditions on the rows, as for `runner.features.reports.columns.select`.
    rename : sequence of str
        New names of configurations, as for `runner.features.reports.naming.renames`.
    derive : Expressions
        New columns, as for `runner.features.reports.expressions.derived`. They become metrics.
    filters : Expressions
        Conditions on the rows and derived columns, as for `runner.features.reports.expressions.meets`.
    """
    notes: list[str] = []
    given = list({folder.resolve(): folder for folder in folders}.values())
    recorded, declared = read_tables(given, notes)
    if not recorded:
        reasons = f" ({'; '.join(notes)})" if notes else ""
        raise NothingToReport(f"nothing to report: no rows in {', '.join(map(str, folders))}{reasons}")
    unfinished = _unfinished(recorded, given)
    table = join(recorded, declared, folder_names(given))
    refute(table)
    modified = np.repeat([each.modified for each in recorded], [len(each.table) for each in recorded])
    if where:
        chosen = select(table, where)
        table, modified = table[chosen].reset_index(drop=True), modified[chosen]
    table, cells = _without_repetitions(table, modified, declared, notes)
    table, cells = _without_left_out(table, cells, declared, notes)
    declared = _derive(table, declared, derive, notes)
    table, cells = _filter(table, cells, declared, filters, notes)
    searches = group_codes(table, [FOLDER, "label", "run_id", *swept_limits(table)])
    limits = table["limits"].cat.codes.to_numpy().astype(np.int64)
    seedless, seeds = without_seeds(table)
    named = name_configurations(seedless, bool(swept_limits(table)) or bool(differs(limits, searches).any()))
    named, _ = with_revisions(named, name_plugins(table, searches, named.labels, given, notes), "plugin")
    table[REVISION] = name_revisions(table)
    named, variants = with_revisions(named, table[REVISION])
    table[CONFIGURATION] = named.labels
    groups = groups_of(table)
    table["instance"] = name_instances(table, seeds, notes)
    table[GROUP] = groups
    table["cost"] = level(table["cost"].to_numpy(), table["instance"].cat.codes.to_numpy())
    notes += [*_undeclared(table, declared), *_several_codes(table)]
    names = list(named.labels.cat.categories)
    runs = Runs(table, names, named.meanings, named.constants, notes, declared, variants, cells, unfinished=unfinished)
    return runs.renamed(rename) if rename else runs


def _unfinished(recorded: Sequence[RecordedTable], given: Sequence[Path]) -> str:
    """Return what is missing of unfinished sweeps; empty if nothing is."""
    finished = {
        given[each.folder] / each.path: int((each.table["status"] != INTERRUPTED.name).sum())
        for each in recorded
        if given[each.folder].is_dir()
    }
    return missing_rows(finished)


def _derive(table: pd.DataFrame, declared: Declared, given: Expressions, notes: list[str]) -> Declared:
    """Add derived columns to the rows, and return the declarations with their metrics."""
    for text in given.texts:
        try:
            where = f"{given.file}.derive" if given.file else "--derive"
            name, values = derived(table, text, where, partial(_best, table, declared))
        except UserError as error:
            if not given.file:
                raise
            notes.append(f"{error}; left out")
            continue
        table[name] = values
        expression = text.partition("=")[2].strip()
        meaning = f"{name} = {expression}"
        metric = Metric(name, better="neither", aggregate="mean", meaning=meaning, derived=_arithmetic(expression))
        declared = replace(declared, metrics=(*declared.metrics, metric))
    return declared


def _best(table: pd.DataFrame, declared: Declared, name: str) -> NDArray[np.float64] | None:
    """Return the best value of a metric on the problem of each row, of all rows that count in comparisons.

    None for a column that is no metric, or has no better direction.
    """
    metric = declared.all_metrics.get(name)
    if metric is None or metric.better == "neither":
        return None
    counts = Runs(table, [], {}, {}, [], declared, {}, table[[]]).is_comparable(metric)
    values = table[name].where(counts).groupby(problems_of(table))
    return values.transform("min" if metric.better == "less" else "max").to_numpy(np.float64)


def _arithmetic(expression: str) -> str:
    """Return an expression if it is a formula of numbers; otherwise, as for a condition, an empty text."""
    try:
        formula(expression)
    except ValueError:
        return ""
    return expression


def _filter(
    table: pd.DataFrame, cells: pd.DataFrame, declared: Declared, given: Expressions, notes: list[str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows that meet all conditions, and their cells."""
    chosen = np.ones(len(table), bool)
    for text in given.texts:
        where = f"{given.file}.filter" if given.file else "--filter"
        try:
            each = chosen & meets(table, text, where, partial(_best, table, declared))
            if not each.any():
                raise UserError(f"{where}: no row meets all of {'; '.join(given.texts)}")
            notes.append(f"{each.sum():,} of {plural(int(chosen.sum()), 'row')} meet the condition {one_line(text)}")
            chosen = each
        except UserError as error:
            if not given.file:
                raise
            notes.append(f"{error}; left out")
    return (table, cells) if chosen.all() else _chosen(table, cells, chosen)


def _chosen(table: pd.DataFrame, cells: pd.DataFrame, chosen: Mask) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return some of the rows, and their cells."""
    place, rows = np.cumsum(chosen) - 1, cells.index.to_numpy()
    kept = chosen[rows]
    return table[chosen].reset_index(drop=True), cells[kept].set_axis(place[rows[kept]], axis=0)


def _without_repetitions(
    table: pd.DataFrame, modified: NDArray[np.int64], declared: Declared, notes: list[str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return one row for each search of a folder: the newest finished one, by the time of its sweep, then by its line.

    Finished rows under other limits, and rows of other plug-ins, count as other searches.

    Returns
    -------
    rows : DataFrame
    cells : DataFrame
        Overrides of the cells, as in `Runs`.
    """
    identity = [FOLDER, "label", "run_id", *swept_limits(table)]
    keys = [str(name) for name in table if name not in (*NAMES, *declared.all_metrics, *declared.texts, FOLDER, PATH)]
    searches = group_codes(table.assign(plugins=plugin_codes(table)), [*identity, "plugins"])
    if searches.max() + 1 == len(table):
        return table, table[keys]
    finished = ~table["status"].map(lambda name: declared.status(name).is_made_again("failed")).to_numpy(bool)
    order = np.lexsort((np.arange(len(table)), modified, finished))
    newest = np.empty(len(table), np.int64)
    newest[searches[order]] = order
    newest = newest[searches]
    limits = table["limits"].cat.codes.to_numpy()
    limits = np.where(finished, limits, limits[newest])  # a failed row is replaced by a finished one of any limits
    searches = group_codes(table.assign(search=searches, limits=limits), ["search", "limits"])
    cells = group_codes(table.assign(search=searches), ["search", *keys])

    def last_of(codes: Codes) -> Codes:
        return np.sort(order[pd.Series(codes[order]).drop_duplicates(keep="last").index])

    rows, of_cells = last_of(searches), last_of(cells)
    if len(of_cells) < len(table):
        rows_left_out = plural(len(table) - len(of_cells), "row")
        notes.append(f"{rows_left_out} left out: a newer or finished row of the same search (run_id) is used instead")
    place = np.empty(len(rows), np.int64)
    place[searches[rows]] = np.arange(len(rows))
    own = table[keys].iloc[of_cells].set_axis(place[searches[of_cells]], axis=0)
    return table.iloc[rows].reset_index(drop=True), own


def _without_left_out(
    table: pd.DataFrame, cells: pd.DataFrame, declared: Declared, notes: list[str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows of instances that were searched, and their cells. Note how many others there are, and why.

    A search that was interrupted has tried nothing.
    """
    cut_short = (table["status"] == INTERRUPTED.name).to_numpy(bool)
    if cut_short.any():
        note = f"{plural(int(cut_short.sum()), 'row')} of interrupted searches, not counted"
        if cut_short.all():
            raise NothingToReport(f"nothing to report: {note}")
        notes.append(note)
        table, cells = _chosen(table, cells, ~cut_short)
    left_out = table["status"].map(lambda name: declared.status(str(name)).is_left_out).to_numpy(bool)
    if not left_out.any():
        return table, cells
    total, reasons = int(left_out.sum()), by_cause(table["reason"][left_out], _MAX_REASONS)
    others = total - sum(count for _, count in reasons)
    listed_reasons = [f"{count:,} x {reason}" for reason, count in [*reasons, ("other reasons", others)] if count]
    note = f"{plural(total, 'row')} unsupported, not counted: {'; '.join(listed_reasons)}"
    if left_out.all():
        raise NothingToReport(f"nothing to report: {note}")
    notes.append(note)
    return _chosen(table, cells, ~left_out)


def _undeclared(table: pd.DataFrame, declared: Declared) -> list[str]:
    names = [str(name) for name in table["status"].unique() if name not in declared.all_statuses]
    why = "no columns.json declares these statuses, so their rows do not count as answers"
    return [f"{why}: {listed(names)}"] if names else []


def _several_codes(table: pd.DataFrame) -> list[str]:
    """Note the revisions whose rows were made by several versions of the code of the runner or of a search."""
    texts, _ = distinct(table[table["code"].notna()], [REVISION, "world", CONFIGURATION, "code"])
    notes = []
    for revision, rows in texts.groupby(REVISION):
        codes = rows.groupby(["world", CONFIGURATION])["code"].nunique()
        if rows["code"].str.split("+").str[0].nunique() > 1 or (codes > 1).any():
            where = f"revision {revision!s}: " if revision else ""
            notes.append(f"{where}{_DIFFERENT_CODES}")
    return notes
