"""Choice among many heuristics by their rows on training tasks, and what it loses on other tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from runner.base import SOLVED
from runner.features.reports import GROUP, Table, TableCell, agile, counts, texts

CANDIDATE = "heuristic.path"
"""Column with the file of a heuristic."""
_ORDER = {"solved": False, "agile": False, "expanded": True}
"""Columns by which candidates are compared, in order, and whether less is better."""


def scores(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the score of each candidate in each group of tasks, the best first; of equal ones in their order.

    Parameters
    ----------
    rows : DataFrame
        Rows of a sweep, with the columns `GROUP` and `CANDIDATE`.

    Returns
    -------
    DataFrame
        The columns are GROUP, CANDIDATE, `tasks`, `solved` (coverage), `agile` (sum of scores), `expanded` (in the
        tasks that are solved), and `error`, the first one.
    """
    is_solved = rows["status"] == SOLVED.name
    table = pd.DataFrame(
        {
            GROUP: rows[GROUP],
            CANDIDATE: rows[CANDIDATE],
            "tasks": 1,
            "solved": is_solved.astype(int),
            "agile": pd.Series(agile(rows["search_seconds"].to_numpy(float)), rows.index).where(is_solved, 0.0),
            "expanded": rows["expanded"].where(is_solved, 0),
        }
    )
    found = table.groupby([GROUP, CANDIDATE], sort=False, observed=True).sum()
    errors = rows.dropna(subset="error").groupby([GROUP, CANDIDATE], sort=False, observed=True)["error"].first()
    found["error"] = errors.reindex(found.index).fillna("")
    order = found.reset_index().sort_values([*_ORDER], ascending=[*_ORDER.values()], kind="stable")
    return order.sort_values(GROUP, kind="stable").reset_index(drop=True)


def best(ranked: pd.DataFrame) -> dict[str, str]:
    """Return the best candidate of each group, from `scores`."""
    first = ranked.drop_duplicates(GROUP)
    return dict(zip(first[GROUP], first[CANDIDATE], strict=True))


def selection(chosen: Mapping[str, str], tested: pd.DataFrame, others: pd.DataFrame) -> Table:
    """Return the table of the chosen candidates on the tasks for testing.

    Parameters
    ----------
    chosen : mapping
        Candidate of each group.
    tested : DataFrame
        `scores` of the candidates on these tasks.
    others : DataFrame
        Rows of other heuristics, by their name in the column `heuristic`.
    """
    groups, in_hindsight = list(chosen), best(tested)
    solved = tested.set_index([GROUP, CANDIDATE])["solved"]
    tasks = tested.groupby(GROUP)["tasks"].max()
    numbers = {
        "tasks": [int(tasks.get(group, 0)) for group in groups],
        "solved": [int(solved.get((group, chosen[group]), 0)) for group in groups],
        "best solved": [int(solved.get((group, in_hindsight.get(group)), 0)) for group in groups],
    }
    for name in dict.fromkeys(others["heuristic"]):
        own = others[(others["heuristic"] == name) & (others["status"] == SOLVED.name)]
        numbers[name] = [int((own[GROUP] == group).sum()) for group in groups]
    numbers["loss"] = [best - found for best, found in zip(numbers["best solved"], numbers["solved"], strict=True)]
    cells = {name: counts(values, "0") for name, values in numbers.items()}
    columns = [
        ("domain", texts(groups)),
        ("tasks", cells.pop("tasks")),
        ("chosen", texts(chosen.values())),
        ("solved", cells.pop("solved")),
        ("best in hindsight", texts(in_hindsight.get(group, "") for group in groups)),
        ("best solved", cells.pop("best solved")),
        *cells.items(),
    ]
    table = Table.of("selection", "Heuristics chosen on training tasks", columns, [_NOTE])
    sums = {name: counts([sum(values)], "0")[0] for name, values in numbers.items()}
    total = [TableCell("all"), *(sums.get(name, TableCell("")) for name, _ in columns[1:])]
    return Table(table.name, table.title, table.columns, table.rows, [total], table.notes)


_NOTE = (
    "Chosen by coverage on the training tasks, then by agile score, then by expansions. Best in hindsight: by the same "
    "order on the tasks for testing. Loss: tasks that this one solves more."
)


def candidates(trained: pd.DataFrame, tested: pd.DataFrame) -> Table:
    """Return the table of all candidates, from their `scores` on both kinds of tasks."""
    both = trained.merge(tested, how="left", on=[GROUP, CANDIDATE], suffixes=("", " test"))
    numbers = ("solved", "expanded", "solved test")
    columns: Sequence[tuple[str, list[TableCell]]] = [
        ("candidate", texts(both[CANDIDATE])),
        ("domain", texts(both[GROUP])),
        *((name, counts(both[name].fillna(0), "0")) for name in numbers),
        ("agile", [TableCell(f"{value:.2f}", value) for value in both["agile"]]),
        ("first error", texts(both["error"])),
    ]
    return Table.of("candidates", "All candidates, the best of each domain first", columns)
