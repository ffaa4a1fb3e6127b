"""Table of the scores of games."""

from __future__ import annotations

import math

import pandas as pd

from runner.reports.reading import CONFIGURATION
from runner.reports.runs import Runs
from runner.reports.tables import MAX_ROWS, Table, TableCell, count

SEED_IN_NAME = r"-\d+(?=(?:-[A-Z])?(?: \[.*\]| \(\d+ of \d+\))?$)"
"""Number at the end of the name of an instance, or before a last capital letter."""


def scores(runs: Runs) -> Table | None:
    """Return the scores by family of instances and configuration; None without games.

    The families are the names of the instances without their seeds. Each row has the mean score, its standard error,
    and the share of each status that is an answer.
    """
    if not runs.is_of_games:
        return None
    has_score = runs.table["reward"].notna()
    table = runs.table[has_score]
    names = table["instance"].cat.remove_unused_categories()
    families = pd.Series(names.cat.categories.astype(str)).str.replace(SEED_IN_NAME, "", regex=True).to_numpy()
    family = pd.Series(families[names.cat.codes], index=table.index)
    is_played = family.isin(family[table["actions"].notna()].unique())
    table, family = table[is_played], family[is_played]
    if family.nunique() > MAX_ROWS:
        family = pd.Series("all", index=table.index)
    groups = [family.rename("family"), table[CONFIGURATION]]
    found = table["reward"].groupby(groups, observed=True, sort=False).agg(["mean", "sem", "count"])
    present = set(table["status"])
    answers = [name for name, each in runs.declared.all_statuses.items() if each.is_answer and name in present]
    has_ended = pd.DataFrame({name: table["status"] == name for name in answers}, index=table.index)
    shares = has_ended.groupby(groups, observed=True, sort=False).mean()
    rows = [
        [
            TableCell(str(kind)),
            TableCell(str(name)),
            count(int(number)),
            TableCell(f"{mean:,.1f}", mean),
            TableCell("" if math.isnan(error) else f"{error:,.1f}", error),
            *(TableCell(f"{share:.1%}", share) for share in shares_of_row),
        ]
        for (kind, name), (mean, error, number), shares_of_row in zip(
            found.index.tolist(), found.to_numpy().tolist(), shares.to_numpy().tolist(), strict=True
        )
    ]
    order = {kind: place for place, kind in enumerate(family.drop_duplicates())}
    rows.sort(key=lambda row: order[row[0].text])
    title = runs.declared.all_metrics["reward"].title
    columns = ["instances", "configuration", "games", f"mean {title}", "standard error"]
    return Table("scores", "Scores", [*columns, *(name.replace("_", " ") for name in answers)], rows)
