"""The table of scores of games."""

from __future__ import annotations

import math

import pandas as pd

from runner.report.reading import CONFIGURATION
from runner.report.runs import Runs
from runner.report.tables import MAX_ROWS, Cell, Table, count

SEED_IN_NAME = r"-\d+(?=(?:-[A-Z])?(?: \[.*\]| \(\d+ of \d+\))?$)"
"""A number at the end, or before one capital letter."""


def scores(runs: Runs) -> Table | None:
    """Return mean scores with standard errors, and shares of answers, by family of instances; None without games."""
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
    groups = table.assign(family=family).groupby(["family", CONFIGURATION], observed=True, sort=False)
    found = groups["reward"].agg(["mean", "std", "count"])
    present = set(table["status"])
    answers = [name for name, each in runs.declared.all_statuses.items() if each.is_answer and name in present]
    for number, name in enumerate(answers):
        found[f"share {number}"] = (
            (table["status"] == name).groupby([family, table[CONFIGURATION]], observed=True).mean()
        )
    rows = []
    for (kind, name), row in zip(found.index.tolist(), found.to_dict("records"), strict=True):
        error = row["std"] / math.sqrt(row["count"]) if row["count"] > 1 else float("nan")
        shares = [row[f"share {number}"] for number in range(len(answers))]
        rows.append(
            [
                Cell(str(kind)),
                Cell(str(name)),
                count(int(row["count"])),
                Cell(f"{row['mean']:,.1f}", row["mean"]),
                Cell("" if math.isnan(error) else f"{error:,.1f}", error),
                *(Cell(f"{share:.1%}", share) for share in shares),
            ]
        )
    order = {kind: place for place, kind in enumerate(family.drop_duplicates())}
    rows.sort(key=lambda row: order[row[0].text])
    title = runs.declared.all_metrics["reward"].title
    columns = ["instances", "configuration", "games", f"mean {title}", "standard error"]
    return Table("scores", "Scores", [*columns, *(name.replace("_", " ") for name in answers)], rows)
