"""``python -m runner check``: its table, exit codes and messages."""

from __future__ import annotations

import re
from pathlib import Path

from algorithms.best_first.best_first import AStar
from heuristics.interface.stack import Stack
from runner.base.own_places import PACKAGES
from runner.config.cell.sections import source_of
from runner.config.doors.plugins import load_plugins
from runner.features.audits.checker import run_checks
from runner.features.audits.checks import checks_of
from runner.features.audits.checks.world import PACKING
from tests.isolated import isolated
from tests.plugins import install
from tests.runner_cli import ROOT, run

OF_WORLD = [PACKING, *(check.name for check in checks_of("world"))]
OF_HEURISTIC = [check.name for check in checks_of("heuristic") if check.is_for(Stack())]
OF_ALGORITHM = [check.name for check in checks_of("algorithm") if check.is_for(AStar())]
LINE = re.compile(r"^│ (\S.*?) +│ (\S.*?) +│ (.*?) *│$", re.MULTILINE)

_NOT_BROKEN = {
    "costs_are_valid", "plans_replay", "random_walks_replay", "packing_is_inverse", "kernels_follow_the_rules",
}  # fmt: skip
"""Checks for which the page has no broken world in plain Python."""


def check(folder: Path, *arguments: str, code: int = 0) -> dict[str, tuple[str, str]]:
    """Run the command, and return the outcome and the detail of each check."""
    install(folder, "wrong_world", "mine")
    done = run(folder, "check", "plugins=[mine]", *arguments)
    assert done.returncode == code, done.stdout + done.stderr
    assert {path.name for path in folder.iterdir()} - {"__pycache__"} == {"mine.py"}
    return {name: (outcome, detail) for name, outcome, detail in LINE.findall(done.stdout)}


def test_a_world_a_heuristic_and_an_algorithm_pass(tmp_path: Path) -> None:
    done = run(tmp_path, "check", "plugins=[runner.examples.pancake]", "world=pancake", "world.size=5", "heuristic=gap",
               "algorithm=astar")  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    found = {name: (outcome, detail) for name, outcome, detail in LINE.findall(done.stdout)}
    assert list(found) == [*OF_WORLD, *OF_HEURISTIC, *OF_ALGORITHM]
    assert found["costs_are_valid"] == ("passed", "360 states of 3 instances")
    assert found["goals_are_recognised"] == ("passed", "1 goal of each of 3 instances")
    assert found["consistent"] == ("passed", "no violation in 1,428 steps of 3 instances")
    assert found["proofs"] == ("not checked", "no search has reported an unsolvable instance")
    assert "failed" not in done.stdout


def test_what_does_not_apply_is_not_listed_as_passed(tmp_path: Path) -> None:
    found = check(tmp_path, "world=wrong")
    assert found["inverse_moves_are_inverse"] == ("not checked", "the world has no predecessors, goals")
    assert found["goals_are_recognised"] == ("not checked", "the world has no predecessors, goals")
    assert found["heuristic"] == ("not checked", "none is chosen; add heuristic=NAME")
    assert found["algorithm"] == ("not checked", "none is chosen; add algorithm=NAME")


def test_an_exception_of_the_world_is_shown_with_its_own_traceback(tmp_path: Path) -> None:
    install(tmp_path, "wrong_world", "mine")
    done = run(tmp_path, "check", "plugins=[mine]", "world=wrong", "world.mistake=raises", "heuristic=declared")
    assert done.returncode == 1
    found = {name: (outcome, detail) for name, outcome, detail in LINE.findall(done.stdout)}
    assert found[PACKING] == ("failed", "wrong: LookupError: of the world")
    assert found["audit"] == ("not checked", f"{PACKING} failed")
    assert all(found[name] == ("not checked", f"{PACKING} failed") for name in OF_WORLD[1:])
    assert done.stdout.count("Traceback") == 1
    assert 'raise LookupError("of the world")' in done.stdout
    assert "checker.py" not in done.stdout + done.stderr


def test_an_exception_of_a_heuristic_is_shown_after_the_checks_of_the_world(tmp_path: Path) -> None:
    install(tmp_path, "wrong_world", "mine")
    done = run(tmp_path, "check", "plugins=[mine]", "world=wrong", "heuristic=raising")
    assert done.returncode == 1
    found = {name: (outcome, detail) for name, outcome, detail in LINE.findall(done.stdout)}
    assert found["random_walks_replay"][0] == "passed"
    assert found["audit"] == ("failed", "wrong: cannot be audited")
    assert 'raise LookupError("of the heuristic")' in done.stdout


def test_a_violation_fails_only_if_the_property_is_declared(tmp_path: Path) -> None:
    found = check(tmp_path, "world=wrong", "heuristic=declared", code=1)
    assert found["admissible"] == ("failed", "VIOLATED in 9 of 11 states (1 of 1 instance)")
    assert check(tmp_path, "world=wrong", "heuristic=undeclared")["admissible"][0] == "not declared"


def test_instances_that_are_too_large_are_not_audited(tmp_path: Path) -> None:
    found = check(tmp_path, "world=wrong", "world.mistake=infinite", "heuristic=declared", "limits.nodes=100")
    assert found["costs_are_valid"] == ("passed", "500 states of 1 instance")
    assert found["admissible"] == ("not checked", "1 instance with more than 100 states (limits.nodes)")


def test_an_ignored_heuristic_is_not_checked(tmp_path: Path) -> None:
    found = check(tmp_path, "world=wrong", "heuristic=declared", "algorithm=ucs")
    assert found["heuristic"] == ("not checked", "ucs ignores heuristics: it runs as heuristic=none")
    assert found["optimal"] == ("passed", "no violation in 1 instance")


def test_an_invalid_plan_is_explained(tmp_path: Path) -> None:
    install(tmp_path, "faulty", "mine")
    done = run(tmp_path, "check", "plugins=[mine]", "algorithm=liar", "check.instances=1")
    assert done.returncode == 1
    assert (
        "invalid plan: the rules allow every action, but the plan does not reach a goal; the last state is ("
        in done.stdout
    )


def test_help_describes_the_command(tmp_path: Path) -> None:
    done = run(tmp_path, "check", "--help")
    assert done.returncode == 0
    assert "python -m runner check world=NAME" in done.stdout
    assert "check.instances=N" in done.stdout


def test_the_page_of_the_checks_shows_the_messages_of_its_broken_worlds(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "plugins" / "checks.md").read_text(encoding="utf-8")
    (tmp_path / "broken_on_the_page.py").write_text(
        page.partition("# broken.py\n")[2].partition("```")[0], encoding="utf-8"
    )
    table = re.findall(r"^\| `(\w+)` \| `([\w ]+)` \| (\1: .*) \|$", page, re.MULTILINE)
    assert {name for _, name, _ in table} >= {PACKING, *OF_WORLD} - _NOT_BROKEN
    with isolated(PACKAGES):
        load_plugins([tmp_path / "broken_on_the_page.py"])
        for world, name, message in table:
            found = run_checks(source_of({"name": world}).instances())
            failed = next(each for each in found if each.outcome == "failed")
            assert (failed.check, failed.verdict) == (name, message)
