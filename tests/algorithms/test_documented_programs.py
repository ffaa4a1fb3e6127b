"""Configurations of docs/programs.md for planners of others, with programs that print what these print."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

import pytest

import runner
from algorithms.programs.sessions import ProcessSession
from tests.programs import write_program
from tests.runner_cli import ROOT, rows, run
from tests.worlds.test_programs import cbsh2, lacam

DOCUMENTED = dict(
    re.findall(
        r"```yaml\n(?=# my_conf/algorithm/(their_\w+)\.yaml)(.*?)```",
        (ROOT / "docs" / "programs.md").read_text(),
        re.DOTALL,
    )
)
READ = """\
    #!/usr/bin/env python3
    import signal, sys, time
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    arguments = dict(word.lstrip("-").split("=") if "=" in word else (word, after)
                     for word, after in zip(sys.argv[1:], [*sys.argv[2:], ""]))
    plan = {plan!r}
"""
LACAM3 = """
    time.sleep(int(arguments["-t"]))
    time.sleep(0.2)
    print(f"elapsed:  {arguments['-t']}000ms  solved\\tmakespan: 5 (lb=5, ub=1)\\tsum_of_costs: COST (lb=5, ub=1)")
    open(arguments["-o"], "w").write(plan)
"""
CBSH2 = """
    print("WDG+GR+GC+T+BP with AStar          : Optimal,COST,0.0021,12,345,8,8,8,")
    open(arguments["outputPaths"], "w").write(plan)
"""


@pytest.mark.parametrize(
    ("name", "code", "write", "filled"),
    [("their_lacam3", LACAM3, lacam, ()), ("their_cbsh2", CBSH2, cbsh2, ("expanded", "low_level_expanded"))],
)
def test_documented_patterns_match_what_a_planner_prints(
    name: str, code: str, write: object, filled: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ProcessSession, "warming_seconds", 0.0)
    instance = runner.load("mapf/static", agents=2, sample=1)[0]
    result = runner.solve(instance, "cbs")
    assert callable(write)
    assert result.plan is not None
    (file,) = re.findall(r"command: \[(\S+),", DOCUMENTED[name])
    program = dedent(READ).format(plan=write(instance.world, result.plan)) + dedent(code)
    write_program(tmp_path / file, program.replace("COST", str(result.cost)))
    write_program(tmp_path / "my_conf" / "algorithm" / f"{name}.yaml", DOCUMENTED[name])
    world = ("world=mapf/static", "world.agents=2", "world.sample=1", "limits.time=3")
    done = run(tmp_path, "--config-dir", "my_conf", f"algorithm={name}", *world, "hydra.run.dir=out")
    (row,) = rows(tmp_path / "out" / "metrics.csv")
    assert "has given no value" not in done.stderr
    assert (row["status"], row["valid"], row["reason"], row["claimed_cost"]) == ("solved", "True", "", row["cost"])
    assert [row[column] for column in filled] == ["12", "345"][: len(filled)]


def test_a_cost_is_not_expected_without_a_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ProcessSession, "warming_seconds", 0.0)
    (file,) = re.findall(r"command: \[(\S+),", DOCUMENTED["their_cbsh2"])
    write_program(tmp_path / file, "#!/bin/sh\necho 'WDG+GR+GC+T+BP with AStar          : Timeout,-1,3.01,12,345,0'\n")
    write_program(tmp_path / "my_conf" / "algorithm" / "their_cbsh2.yaml", DOCUMENTED["their_cbsh2"])
    world = ("world=mapf/static", "world.agents=2", "world.sample=1", "limits.time=3")
    done = run(tmp_path, "--config-dir", "my_conf", "algorithm=their_cbsh2", *world, "hydra.run.dir=out")
    (row,) = rows(tmp_path / "out" / "metrics.csv")
    assert (row["status"], row["expanded"], row["low_level_expanded"]) == ("cutoff", "12", "345")
    assert "has given no value" not in done.stderr
