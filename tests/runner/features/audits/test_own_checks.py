"""Checks of plug-ins run beside ours in ``audit``, ``check``, `runner.audit` and `runner.check_world`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import runner
from runner.base.errors import NameTaken, PluginError
from runner.config.cell.sections import source_of
from runner.features.audits.checker import run_checks
from runner.features.audits.checks import Check, Violation, check, checks_of
from runner.features.audits.checks.registration import CheckError, CheckKind, Counted, Found
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
        with pytest.raises(NameTaken, match="check of heuristics 'admissible' is registered already, by runner"):
            check("heuristic", "admissible")(lambda _: None)
        for name in ("", "two words"):
            with pytest.raises(ValueError, match=f"check of worlds '{name}': expected a name of letters, digits and _"):
                check("world", name)
        for kind, counted, units in (("algorithm", "banana", "states, steps, ins"), ("world", "steps", "states, ins")):
            with pytest.raises(ValueError, match=f"check of {kind}s 'mine': counted must be one of {units}"):
                check(kind, "mine", counted=counted)  # type: ignore[arg-type]
        check("world", "mine")(lambda _: None)
    assert "mine" not in [each.name for each in checks_of("world")]


class _Subject(NamedTuple):
    """Subject of a check with 5 states and 8 steps."""

    start: int = 2

    def size(self, counted: str) -> int:
        return 8 if counted == "steps" else 5


def _look(returned: Any, kind: CheckKind = "heuristic", counted: Counted = "states") -> Found:
    return Check("mine", "", counted, lambda _: returned, lambda _: None, kind=kind).look(_Subject())


def test_a_check_of_steps_names_each_step_once() -> None:
    found = _look([3, Violation("down", 1), 3, Violation("again", 1)], counted="steps")
    assert (found.places.tolist(), found.messages) == ([1, 3], {1: "down"})
    with pytest.raises(CheckError, match=r"check of heuristics 'mine' is of steps: give Violation\(message, step\)"):
        _look([Violation("somewhere")], counted="steps")


@pytest.mark.parametrize(
    ("returned", "places"),
    [
        (None, []),
        (Violation("bad"), [2]),
        (np.arange(5) > 2, [3, 4]),
        (np.array([]), []),
        (np.array([4, 4, 1], np.uint8), [1, 4]),
        ((number for number in (np.int32(3), 0)), [0, 3]),
    ],
)
def test_a_check_returns_violations_numbers_or_a_mask(returned: Any, places: list[int]) -> None:
    assert _look(returned).places.tolist() == places


@pytest.mark.parametrize(
    ("returned", "problem"),
    [
        ("bad", "gives 'bad'; it may give None, Violation(message), numbers of states, or a mask of all states"),
        (5, "gives 5; it may give None"),
        (True, "gives True; it may give None"),
        (Violation, "gives <class 'runne...on.Violation'>; it may give"),
        (["bad"], "gives 'bad'; it may give"),
        ([True, False], "gives True; it may give"),
        ([Violation("bad", "first")], "gives 'first'; it may give"),  # type: ignore[arg-type]
        (np.array([0.0, 1.0]), "gives an array of float64 of the shape (2,); it may give"),
        (np.array([True]), "gives an array of bool of the shape (1,); it may give"),
        ([10**30], f"gives the number {10**30} of a state, but there are only 0 to 4"),
        ([-1], "gives the number -1 of a state, but there are only 0 to 4"),
        (np.array([2, 5]), "gives the number 5 of a state, but there are only 0 to 4"),
    ],
)
def test_what_a_check_may_not_return_is_refused_by_the_name_of_the_check(returned: Any, problem: str) -> None:
    with pytest.raises(CheckError) as refused:
        _look(returned)
    assert str(refused.value).startswith(f"check of heuristics 'mine' {problem}")


def test_only_checks_of_worlds_return_a_text() -> None:
    assert _look("3 walks", "world").looked == "3 walks"
    with pytest.raises(CheckError, match="check of algorithms 'mine' gives '3 walks'"):
        _look("3 walks", "algorithm")


def _fail(_: object) -> Any:
    raise LookupError("of the check")


@pytest.mark.parametrize(
    ("functions", "problem"),
    [
        ({"function": _fail}, "of a plug-in failed\nTraceback"),
        ({"declared": _fail}, "of a plug-in failed in declared=\nTraceback"),
        ({"declared": lambda _: "yes"}, ": declared= returns 'yes', but must return True, False or None"),
        ({"applies": _fail}, "of a plug-in failed in applies=\nTraceback"),
    ],
)
def test_an_audit_names_the_check_that_fails(functions: dict[str, Any], problem: str) -> None:
    defaults: dict[str, Any] = {"function": lambda _: None, "declared": lambda _: True, "applies": lambda _: True}
    chosen = {**defaults, **functions}
    with isolated(("worlds", "heuristics", "algorithms")):
        check("heuristic", "mine", declared=chosen["declared"], applies=chosen["applies"])(chosen["function"])
        with pytest.raises(PluginError) as refused:
            runner.audit("npuzzle/random", "manhattan", size="2x2", count=1, workers=0)
    text = str(refused.value)
    assert text.startswith(f"check of heuristics 'mine'{problem if problem.startswith(':') else f' {problem}'}")
    assert ("LookupError: of the check" in text) == ("Traceback" in text)


def test_a_check_of_instances_counts_each_instance_once() -> None:
    with isolated(("worlds", "heuristics", "algorithms")):
        check("heuristic", "mine")(lambda analysis: analysis.h > 1)
        made = runner.audit("npuzzle/random", "manhattan", size="2x2", count=2, workers=0)
    (mine,) = (each for each in made.findings if each.check == "mine")
    assert mine.verdict == "VIOLATED in 2 of 2 instances"


def test_a_property_that_is_declared_for_one_instance_names_how_many_there_are() -> None:
    instances = runner.load("npuzzle/random", size="2x2", count=2)
    with isolated(("worlds", "heuristics", "algorithms")):
        check("heuristic", "mine", declared=lambda analysis: analysis.instance == instances[0])(lambda _: None)
        made = runner.audit(instances, "manhattan", workers=0)
    (mine,) = (each for each in made.findings if each.check == "mine")
    assert mine.declared == "for the 1 instance of 2 where its premises hold"


def test_a_wrong_check_of_a_world_fails_alone() -> None:
    with isolated(("worlds", "heuristics", "algorithms")):
        check("world", "mine")(lambda _: [99_999])
        check("world", "leaving")(lambda _: sys.exit("bye"))
        check("world", "undeclared", declared=_fail)(lambda _: None)
        found = run_checks(source_of({"name": "npuzzle/random", "size": "2x2", "count": 1}).instances())
    failed = {each.check: each.verdict.partition(": ")[2] for each in found if each.outcome == "failed"}
    assert failed == {
        "mine": "check of worlds 'mine' gives the number 99999 of a state, but there are only 0 to 11",
        "leaving": "SystemExit: bye",
        "undeclared": "LookupError: of the check",
    }
