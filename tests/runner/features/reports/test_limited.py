"""Anytime searches that a limit has ended: their plans are compared, their effort is not."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from runner.features.reports.content import Choices, compose
from tests.runner.features.reports.rows import row, write


def test_anytime_searches_that_a_limit_ended_are_compared_by_their_plans(tmp_path: Path) -> None:
    ended = {"reason": "the search was ended by time_limit", "search_seconds": 9.0, "expanded": 5, "limits": "time=9"}
    rows = [
        *(row(f"i{n}", algorithm="ara", run_id=f"a{n}", cost=10, bound=1.5, **ended) for n in range(7)),
        *(row(f"i{n}", algorithm="ana", run_id=f"b{n}", cost=9, bound=1.2, **ended) for n in range(7)),
        *(row(f"i{n}", run_id=f"c{n}", cost=8, bound=1, expanded=99, search_seconds=1.0) for n in range(7)),
    ]
    write(tmp_path / "in" / "results.csv", rows)
    report = compose([tmp_path / "in"], Choices(tables=["all"]))
    assert [(each.question, each.name) for each in report.answers] == [
        ("Most successes", "all 3 alike"),
        ("Least cost", "astar"),
        ("Least proven bound", "astar"),
        ("Search time", "1.000 s"),
    ]
    tables = {table.name: table for table in report.tables}
    assert [row[-2].text for row in tables["summary"].rows] == ["", "", "693"]
    assert np.isnan(tables["measures"].values["IPC agile"]).tolist() == [True, True, False]
    assert tables["statuses"].values.loc["ara", "reasons"] == "7 x the search was ended by time_limit"
    assert "pairs_cost" in tables
    assert "pairs_expanded" not in tables
