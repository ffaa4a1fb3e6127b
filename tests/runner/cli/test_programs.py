"""Builds of a program of others, side by side in a report."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from textwrap import dedent

from tests.programs import CLOSED_LIST, REOPENING, write_program
from tests.runner_cli import rows, run

SOLVER = CLOSED_LIST.replace('print("path"', 'print("rate 5"); print("path"')
WORLD = ("world=graph/file", "world.path=graphs")


def install(folder: Path) -> None:
    write_program(folder / "closed_list", SOLVER)
    (folder / "graphs").mkdir()
    for name in ("a", "b"):
        (folder / "graphs" / f"{name}.txt").write_text(dedent(REOPENING), encoding="utf-8")
    config = folder / "my_conf" / "algorithm"
    config.mkdir(parents=True)
    (config / "mine.yaml").write_text(
        dedent(r"""
        defaults: [program]
        command: ./closed_list {instance}
        plan: {pattern: 'path (.*)', format: nodes}
        output: {cost: 'cost (\S+)', rate: {pattern: 'rate (\S+)', better: more, meaning: nodes per second}}
        """),
        encoding="utf-8",
    )


def test_two_builds_are_beside_each_other_in_a_report_with_the_columns_of_the_program(tmp_path: Path) -> None:
    install(tmp_path)
    for label in ("v1", "v2"):
        write_program(tmp_path / "closed_list", f"{SOLVER}    # {label}\n")
        words = ("--config-dir", "my_conf", "algorithm=mine", *WORLD, f"label={label}", f"hydra.run.dir={label}")
        assert run(tmp_path, *words).returncode == 0
    first, second = (rows(tmp_path / label / "metrics.csv") for label in ("v1", "v2"))
    assert [row["run_id"] for row in first] == [row["run_id"] for row in second]
    assert first[0]["code"] != second[0]["code"]
    options = ("--format", "csv", "--tables", "summary", "--out", "report", "--fail-if", "rate < 0.9")
    done = run(tmp_path, "report", "v1", "v2", *options)
    assert done.returncode == 0, done.stderr
    table = (tmp_path / "report" / "summary.csv").read_text(encoding="utf-8")
    found = {row["configuration"]: row["rate"] for row in csv.DictReader(io.StringIO(table))}
    assert found == {"closed_list [v1]": "10", "closed_list [v2]": "10"}
