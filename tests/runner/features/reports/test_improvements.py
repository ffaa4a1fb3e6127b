"""Quality of anytime searches over time. Expected values are computed by hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from runner.features.reports.charts import quality
from runner.features.reports.improvements import curves
from runner.features.reports.runs import load
from tests.runner.features.reports.rows import row, write


def test_quality_is_the_mean_of_best_cost_divided_by_cost(tmp_path: Path) -> None:
    rows = [
        row(name, stack, run_id=f"{name}{stack}", cost=cost)
        for name, stack, cost in (("a", "none", 10), ("b", "none", 20), ("a", "h", 12))
    ]
    rows.append(row("b", "h", run_id="bh", status="time_limit"))
    write(tmp_path / "metrics.csv", rows)
    assert quality(load([tmp_path]), [tmp_path]) is None
    improvements = [("anone", 1.0, 20), ("bnone", 2.0, 20), ("anone", 3.0, 10), ("ah", 5.0, 12), ("other", 1.0, 1)]
    lines = [
        json.dumps({"run_id": r, "instance": "i", "seconds": s, "cost": c, "actions": []}) for r, s, c in improvements
    ]
    (tmp_path / "plans.jsonl").write_text("\n".join([*lines, '{"run_id": "anone", "seconds": 9']) + "\n")
    found = curves(load([tmp_path]), [tmp_path])
    assert list(found) == ["none", "h"]
    np.testing.assert_allclose(found["none"][0], [1, 2, 3, 5])
    np.testing.assert_allclose(found["none"][1], [0.25, 0.75, 1, 1])
    np.testing.assert_allclose(found["h"][1][-1:], [5 / 12])
    with open(tmp_path / "plans.jsonl", "a") as file:  # the same search, repeated after an interruption
        file.writelines(
            json.dumps({"run_id": "anone", "instance": "i", "seconds": seconds, "cost": cost, "actions": []}) + "\n"
            for seconds, cost in ((0.5, 20), (1.5, 10))
        )
    again = curves(load([tmp_path]), [tmp_path])
    np.testing.assert_allclose(again["none"][0], [0.5, 1.5, 2, 5])
    np.testing.assert_allclose(again["none"][1], [0.25, 0.5, 1, 1])
    figure = quality(load([tmp_path]), [tmp_path])
    assert figure is not None
    assert figure.name == "quality"
