"""Fast Downward and pyperplan: their columns and exit codes in real logs, their commands, and their plans."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import runner
from algorithms.programs import planners
from algorithms.programs.execution import Finished
from algorithms.programs.outcome import outcome_of
from algorithms.programs.output import OutputReader
from algorithms.programs.planners import FastDownward, PlanningPreset, Pyperplan
from runner.base.errors import Incompatible, UserError
from runner.machine.usage import Usage
from tests.runner_cli import ROOT, rows, run

LOGS = ROOT / "tests" / "data" / "programs"
EXPECTED: dict[str, dict[str, Any]] = json.loads((LOGS / "expected.json").read_text())
SMALL = ROOT / "worlds" / "pddl" / "suites" / "small"

FAKE_DRIVER = """
import pathlib, sys
words = sys.argv[1:]
print("WORDS", *words)
pathlib.Path(words[words.index("--plan-file") + 1]).write_text(
    "(TAKE red kitchen left)\\n(take blue kitchen right)\\n(walk kitchen hall)\\n"
    "(put red hall left)\\n(put blue hall right)\\n; cost = 5 (unit cost)\\n"
)
print("[t=0.1s, 1 KB] Plan cost: 5")
"""


def needs(package: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(find_spec(package) is None, reason=f"needs the package {package}")


@pytest.mark.parametrize("name", EXPECTED)
def test_columns_and_statuses_are_those_of_real_logs(name: str) -> None:
    of_fast_downward = name.startswith("fast_downward")
    log = (LOGS / f"{name}.log").read_text()
    columns = planners.FAST_DOWNWARD_OUTPUT if of_fast_downward else planners.PYPERPLAN_OUTPUT
    codes = planners.FAST_DOWNWARD_EXIT_CODES if of_fast_downward else planners.PYPERPLAN_EXIT_CODES
    expected = EXPECTED[name]
    values = OutputReader(columns).read(log)
    cost = {} if values.cost is None else {"cost": values.cost}
    assert {**values.counts, **values.measured, **cost} == expected["columns"]
    if expected["status"] != "solved":
        finished = Finished(expected["exit_code"], None, None, 0.1, 0.1, 0, Usage(), log, "", None, log)
        assert outcome_of(finished, codes).status == expected["status"]


def two_balls(tmp_path: Path, *words: str, **variables: str) -> dict[str, str]:
    """Return the row of a run on gripper#two_balls."""
    problem = f"world.path={SMALL / 'gripper' / 'two_balls.pddl'}"
    done = run(tmp_path, "world=pddl/file", problem, "hydra.run.dir=out", *words, **variables)
    assert done.returncode == 0, done.stderr
    (row,) = rows(tmp_path / "out" / "metrics.csv")
    return row


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ([], "{files} --search astar(lmcut())"),
        (['algorithm.search="lazy([ff()], random_seed={seed})"'], "{files} --search lazy([ff()], random_seed=0)"),
        (['algorithm.driver=[--alias,seq-opt-fdss-1,--search-time-limit,"{time}s"]', "limits.time=9"],
         "--alias seq-opt-fdss-1 --search-time-limit 9s {files}"),
    ],
)  # fmt: skip
def test_a_driver_that_the_environment_names_gets_files_and_search(
    tmp_path: Path, words: list[str], options: str
) -> None:
    driver = tmp_path / "{my} builds" / "fast-downward.py"
    driver.parent.mkdir()
    driver.write_text(FAKE_DRIVER)
    row = two_balls(tmp_path, "algorithm=fast_downward", "algorithm.keep=all", *words, FAST_DOWNWARD=str(driver.parent))
    assert (row["algorithm"], row["valid"], row["cost"], row["claimed_cost"]) == ("fast_downward", "True", "5", "5")
    printed = (tmp_path / "out" / "logs" / f"{row['run_id']}.txt").read_text()
    (line,) = [line for line in printed.splitlines() if line.startswith("WORDS")]
    before, _, after = options.partition("{files}")
    assert line.startswith(f"WORDS {before}--plan-file ")
    assert line.endswith(f"/plan {SMALL}/gripper/domain.pddl {SMALL}/gripper/two_balls.pddl{after}")


def test_a_driver_that_is_named_but_missing_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FAST_DOWNWARD", str(tmp_path))
    with pytest.raises(UserError, match=r"FAST_DOWNWARD: there is no file '.*/fast-downward\.py'"):
        FastDownward().check(runner.load("pddl/static")[0])


def test_a_rebuilt_planner_makes_rows_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAST_DOWNWARD", str(tmp_path))
    binary = tmp_path / "builds" / "release" / "bin" / "downward"
    binary.parent.mkdir(parents=True)
    for file in (binary, tmp_path / "fast-downward.py"):
        file.write_text("")
    parts = list(FastDownward().code_parts())
    assert {tmp_path / "fast-downward.py", binary} <= {*parts}
    assert [*FastDownward().reading_parts()] != [*FastDownward(optimal_="never").reading_parts()]


@pytest.mark.parametrize(
    ("planner", "says"),
    [
        (FastDownward(), "Fast Downward is not installed: pip install up-fast-downward"),
        (Pyperplan(), "pyperplan is not installed: pip install pyperplan"),
    ],
)
def test_a_planner_that_is_missing_is_one_line(
    planner: PlanningPreset, says: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(planners, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("FAST_DOWNWARD", raising=False)
    with pytest.raises(UserError, match=says):
        planner.check(runner.load("pddl/static")[0])


def test_a_planner_refuses_what_it_would_get_wrong() -> None:
    with pytest.raises(Incompatible, match="needs planning tasks"):
        FastDownward().check(runner.load("gridmap/static")[0])
    with pytest.raises(Incompatible, match=r"needs world\.cost=normal"):
        FastDownward().check(runner.load("pddl/static", cost="one")[0])
    (translated,) = runner.load("pddl/sas", path=str(ROOT / "tests" / "data" / "pddl" / "two_balls.sas"))
    with pytest.raises(Incompatible, match=r"set algorithm\.input=sas"):
        FastDownward().check(translated)
    with pytest.raises(UserError, match="give one of both"):
        FastDownward(search="astar(blind())", driver=["--alias=lama"])


@pytest.mark.parametrize(
    ("planner", "bound", "complete"),
    [
        (FastDownward(), 1, True),
        (FastDownward(search="astar( hmax() , bound=9)"), 1, False),
        (FastDownward(search="astar(ff())"), None, False),
        (FastDownward(search="astar(lmcut(transform=adapt_costs(one)), cost_type=one)"), None, False),
        (FastDownward(search="astar(ff())", optimal_="unit_costs"), None, False),
        (FastDownward(driver=["--alias", "lama-first"]), None, False),
        (FastDownward(driver=["--alias=seq-opt-lmcut"]), 1, True),
        (Pyperplan(), 1, True),
        (Pyperplan(search="bfs", heuristic_="hff"), 1, True),
        (Pyperplan(heuristic_="hff"), None, False),
    ],
)
def test_searches_that_are_known_as_optimal_promise_it(
    planner: PlanningPreset, bound: float | None, complete: bool
) -> None:
    promised = planner.promised_bound(None, admissible=True, consistent=True, unit_costs=False)
    assert (promised, planner.complete) == (bound, complete)


@needs("up_fast_downward")
@pytest.mark.parametrize(
    ("heuristic", "sample"),
    [("hmax", 2), *(pytest.param(name, "null", marks=pytest.mark.long) for name in ("hmax", "blind"))],
)
def test_fast_downward_has_our_costs_and_our_expansions_before_the_last_layer(
    tmp_path: Path, heuristic: str, sample: object
) -> None:
    for out, words in (
        ("ours", [f"heuristic={heuristic}"]),
        ("theirs", ["algorithm=fast_downward", f'algorithm.search="astar({heuristic}())"']),
        ("translated", ["algorithm=fast_downward", f'algorithm.search="astar({heuristic}())"', "algorithm.input=sas"]),
    ):
        assert (
            run(tmp_path, "world=pddl/static", f"world.sample={sample}", *words, f"hydra.run.dir={out}").returncode == 0
        )
    names = ("instance", "status", "cost", "valid", "expanded_before_last_layer")
    ours, theirs, translated = (
        [tuple(row[name] for name in names) for row in rows(tmp_path / out / "metrics.csv")]
        for out in ("ours", "theirs", "translated")
    )
    assert ours == theirs == translated


@needs("up_fast_downward")
def test_fast_downward_leaves_out_what_it_does_not_support(tmp_path: Path) -> None:
    task = SMALL / "kitchen" / "dinner.pddl"
    run(tmp_path, "world=pddl/file", f"world.path={task}", "algorithm=fast_downward", "hydra.run.dir=out")
    (row,) = rows(tmp_path / "out" / "metrics.csv")
    assert row["status"] == "unsupported"
    assert "does not support conditional effects (operator heat large)" in row["reason"]


@needs("pyperplan")
def test_plans_of_pyperplan_are_valid_and_its_files_stay_as_they_are(tmp_path: Path) -> None:
    before = sorted(SMALL.rglob("*"))
    row = two_balls(tmp_path, "algorithm=pyperplan", "algorithm.heuristic=hmax")
    assert (row["status"], row["valid"], row["cost"], row["initial_h"]) == ("solved", "True", "5", "2")
    assert sorted(SMALL.rglob("*")) == before


@needs("pyperplan")
def test_pyperplan_leaves_out_what_it_cannot_read(tmp_path: Path) -> None:
    task = SMALL / "kitchen" / "dinner.pddl"
    run(tmp_path, "world=pddl/file", f"world.path={task}", "algorithm=pyperplan", "hydra.run.dir=out")
    (row,) = rows(tmp_path / "out" / "metrics.csv")
    unread = "exit code 13; ValueError: Found unknown keyword in domain definition: functions"
    assert (row["status"], row["reason"]) == ("unsupported", unread)


@needs("pyperplan")
@pytest.mark.parametrize(("search", "status"), [("gbf", "unsolvable"), ("ehs", "cutoff")])
def test_pyperplan_claims_that_there_is_no_plan_only_with_proof(tmp_path: Path, search: str, status: str) -> None:
    (tmp_path / "domain.pddl").write_text((SMALL / "gripper" / "domain.pddl").read_text())
    (tmp_path / "island.pddl").write_text(
        "(define (problem island) (:domain gripper) (:objects kitchen hall - room red - ball left - hand)"
        "(:init (robot-in kitchen) (ball-in red kitchen)) (:goal (ball-in red hall)))"
    )
    words = ["algorithm=pyperplan", f"algorithm.search={search}", "hydra.run.dir=out"]
    run(tmp_path, "world=pddl/file", "world.path=island.pddl", *words)
    assert [row["status"] for row in rows(tmp_path / "out" / "metrics.csv")] == [status]


def test_the_checklist_names_the_version_of_a_planner(tmp_path: Path) -> None:
    (tmp_path / "downward" / "driver").mkdir(parents=True)
    (tmp_path / "downward" / "fast-downward.py").write_text(FAKE_DRIVER)
    (tmp_path / "downward" / "driver" / "version.py").write_text('"""Version."""\n\n__version__ = "24.06+"\n')
    two_balls(tmp_path, "algorithm=fast_downward", FAST_DOWNWARD=str(tmp_path / "downward"))
    done = run(tmp_path, "report", "out", "--format", "checklist")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "out" / "report" / "checklist.md").read_text(encoding="utf-8")
    assert re.search(r"^- packages: search-runner .*, Fast Downward 24\.06\+$", text, re.MULTILINE)
