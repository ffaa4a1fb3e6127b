"""Choice among many heuristics by their rows on training tasks, and what it loses on other tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from runner.base import SOLVED, Declared
from runner.features.reports import (
    GROUP,
    Table,
    TableCell,
    agile,
    compare,
    counts,
    estimates,
    explanation,
    holm,
    p_values,
    sign_test,
    texts,
)

CANDIDATE = "candidate"
"""Column with the name of a candidate; empty for other heuristics."""
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
    columns = [("domain", texts(groups)), *((name, counts(values, "0")) for name, values in numbers.items())]
    columns.insert(2, ("chosen", texts(chosen.values())))
    columns.insert(4, ("best in hindsight", texts(in_hindsight.get(group, "") for group in groups)))
    table = Table.of("selection", "Heuristics chosen on training tasks", columns, [_NOTE])
    sums = {name: counts([sum(values)], "0")[0] for name, values in numbers.items()}
    total = [TableCell("all"), *(sums.get(name, TableCell("")) for name, _ in columns[1:])]
    return Table(table.name, table.title, table.columns, table.rows, [total], table.notes)


_NOTE = (
    "Chosen by coverage on the training tasks, then by agile score, then by expansions. Best in hindsight: by the same "
    "order on the tasks for testing. Loss: tasks that this one solves more."
)


def comparisons(chosen: Mapping[str, str], tested: pd.DataFrame, rows: pd.DataFrame) -> Table | None:
    """Return wins and losses of the chosen candidates on the tasks for testing, with sign tests and intervals.

    None if there is nothing to compare with: no other heuristic, and the choice is the best in hindsight.

    Parameters
    ----------
    chosen, tested
        As for `selection`.
    rows : DataFrame
        All rows of these tasks.
    """
    in_hindsight = best(tested)
    names = rows[CANDIDATE].where(rows[CANDIDATE] != "", rows["heuristic"])
    is_solved = rows["status"] == SOLVED.name
    pairs: list[tuple[str, str]] = []
    made = []
    only: list[tuple[int, int]] = []  # tasks that one of the pair solves
    for group, first in chosen.items():
        is_here = rows[GROUP] == group
        own = names[is_here]
        own_rows = rows[is_here].assign(name=own, expanded=rows["expanded"].where(is_solved).astype(float))
        wide = own_rows.pivot_table("expanded", "content", "name", "first", dropna=False)
        others = [name for name in dict.fromkeys(own) if rows[CANDIDATE][own.index[own == name][0]] == ""]
        for second in dict.fromkeys([in_hindsight.get(group, first), *others]):
            if second != first and {first, second} <= {*wide.columns}:
                pairs.append((f"{first} / {second}", group))
                made.append(compare(wide, Declared().all_metrics["expanded"], first, second))
                is_first, is_second = wide[first].notna(), wide[second].notna()
                only.append((int((is_first & ~is_second).sum()), int((is_second & ~is_first).sum())))
    if not pairs:
        return None
    columns = [
        ("pair", texts(pair for pair, _ in pairs)),
        ("domain", texts(group for _, group in pairs)),
        ("solved by the first only", counts((first for first, _ in only), "0")),
        ("by the second only", counts((second for _, second in only), "0")),
        ("p solved", p_values(holm([sign_test(*each) for each in only]))),
        ("solved by both", counts((len(each.first) for each in made), "0")),
        ("fewer expansions", counts((each.wins for each in made), "0")),
        ("more", counts((each.losses for each in made), "0")),
        *estimates("ratio", [each.ratio for each in made]),
        ("p expansions", p_values(holm([each.p for each in made]))),
    ]
    notes = ["Ratio: geometric mean of expansions of the first / of the second, over tasks that both solve."]
    return Table.of("comparisons", "The choice compared", columns, [*notes, explanation(len(made))])


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
