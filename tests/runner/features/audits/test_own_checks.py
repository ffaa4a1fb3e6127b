"""Checks of plug-ins run beside ours in ``audit``, ``check``, `runner.audit` and `runner.check_world`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runner.features.audits.checks import Check, Violation, check, checks_of
from tests.isolated import isolated
from tests.plugins import install, installed
from tests.runner.features.audits.test_check import LINE, OF_WORLD
from tests.runner_cli import rows, run, run_script

BOARDS = ("world=npuzzle/random", "world.size=2x3", "world.count=2", "heuristic=manhattan", "algorithm=astar")


def test_checks_of_a_plugin_stand_after_ours_in_the_table_of_check(tmp_path: Path) -> None:
    install(tmp_path, "own_checks", "mine")
    done = run(tmp_path, "check", "plugins=[mine]", *BOARDS)
    assert (done.returncode, done.stderr) == (1, "")
    found = {name: (outcome, detail) for name, outcome, detail in LINE.findall(done.stdout)}
    assert list(found)[: len(OF_WORLD) + 3] == [*OF_WORLD, "has_two_steps", "is_hexagonal", "has_states"]
    outcome, detail = found["has_two_steps"]
    assert outcome == "failed"
    assert "3 steps lead from (" in detail
    assert found["is_hexagonal"] == ("not checked", "the world has no hexagons")
    assert found["has_states"] == ("passed", "360 states in all of each of 2 instances")
    assert found["at_most_4"][1].startswith("VIOLATED in ")
    assert found["start_is_even"][0] in ("passed", "not declared")
    assert found["expands_nothing"] == ("failed", "VIOLATED in 2 of 2 instances")


def test_an_audit_records_the_violations_of_a_check_of_a_plugin(tmp_path: Path) -> None:
    install(tmp_path, "own_checks", "mine")
    done = run(tmp_path, "audit", "plugins=[mine]", *BOARDS, "audit.shrink=false", "hydra.run.dir=out")
    assert done.returncode == 1, done.stderr
    assert "no state is expanded: violated\nit expands " in done.stdout
    table = {line["check"]: line for line in rows(tmp_path / "out" / "audit.csv")}
    assert (table["at_most_4"]["states"], table["at_most_4"]["declared"]) == ("360", "yes")
    assert table["start_is_even"]["declared"] == "unknown"
    record = json.loads((tmp_path / "out" / "audit.json").read_text(encoding="utf-8"))
    claims = {each["check"]: each["claim"] for each in record["findings"]}
    assert claims["start_is_even"] == "The start has an even h"


def test_an_installed_plugin_adds_checks_to_the_functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "own_checks", "installed_checks")
    installed(tmp_path, "installed_checks", monkeypatch)
    run_script(
        tmp_path,
        "import runner\n"
        "made = runner.audit('npuzzle/random', 'manhattan', size='2x3', count=1)\n"
        "assert made.broken == ['at_most_4'], made\n"
        "try:\n"
        "    runner.check_world('npuzzle/random', size='2x3', count=1)\n"
        "except runner.WorldError as error:\n"
        "    assert 'check_world: has_two_steps: ' in str(error), error\n"
        "else:\n"
        "    raise AssertionError\n",
    )


def test_a_check_needs_a_kind_and_a_name_of_its_own() -> None:
    with isolated(("worlds", "heuristics", "algorithms")):
        with pytest.raises(ValueError, match="kind must be one of heuristic, algorithm, world, not 'worlds'"):
            check("worlds", "mine")  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="check of heuristics 'admissible' is registered already, by runner"):
            check("heuristic", "admissible")(lambda _: None)
        check("world", "mine")(lambda _: None)
    assert "mine" not in [each.name for each in checks_of("world")]


def test_a_check_of_steps_names_each_step_once() -> None:
    found = Check("mine", "", "steps", lambda _: [3, Violation("down", 1), 3, Violation("again", 1)], lambda _: None)
    assert (found.look(None).places.tolist(), found.look(None).messages) == ([1, 3], {1: "down"})
    nowhere = Check("mine", "", "steps", lambda _: [Violation("somewhere")], lambda _: None)
    with pytest.raises(ValueError, match=r"the check mine is of steps: give Violation\(message, step\)"):
        nowhere.look(None)
