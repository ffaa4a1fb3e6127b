"""Output of programs as columns: regular expressions, JSON, and functions of the user."""

import json
import os
import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from algorithms.programs.output import OutputColumn, OutputReader
from algorithms.programs.plans import NO_PLAN, GivenPlan, PlanFiles, PlanOutput
from runner import load
from runner.base.errors import UserError
from worlds.interface import plan_texts

LOG = "expanded 12\ncost 1,234.50\nrate 7\nexpanded 20\n"


def test_the_last_match_counts_and_a_total_adds_all() -> None:
    reader = OutputReader(
        {
            "expanded": r"expanded (\d+)",
            "sum": OutputColumn(pattern=r"expanded (\d+)", total=True),
            "kib": OutputColumn(pattern=r"^rate (\d+)", scale=1024),
            "missing": "nothing (x)",
        }
    )
    values = reader.read(LOG)
    assert values.counts == {"expanded": 20}
    assert values.measured == {"sum": 32, "kib": 7168}
    assert [metric.name for metric in reader.metrics] == ["sum", "kib", "missing"]


def test_a_cost_is_as_precise_as_it_is_printed() -> None:
    values = OutputReader({"cost": r"cost (\S+)"}).read(LOG)
    assert values.cost == 1234.5
    assert values.precision == pytest.approx(0.005, rel=1e-5)
    assert OutputReader({"cost": r"cost (\S+)"}).read("cost 1.2e1").precision == pytest.approx(12e-6)
    assert OutputReader({"cost": r"cost (\S+)"}).read("cost 2000004").precision == 0


def test_the_last_line_in_json_counts() -> None:
    text = (
        "{no json}\n10%\r" + json.dumps({"expanded": 3, "nodes/s": 5.5, "cost": 2}) + "\n" + '{\n{}x}\n{"a": }\n' * 1000
    )
    reader = OutputReader({"json": True, "rate": OutputColumn(key="nodes/s", better="more")})
    values = reader.read(text)
    assert (values.cost, values.counts, values.measured) == (2, {"expanded": 3}, {"rate": 5.5})
    assert reader.metrics[0].better == "more"


def test_a_function_of_the_user_reads_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "odd_logs.py").write_text("def read(text):\n    return {'expanded': text.count('x')}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    reader = OutputReader("odd_logs:read")
    assert reader.read("xxx").counts == {"expanded": 3}
    assert reader.file == tmp_path / "odd_logs.py"
    with pytest.raises(UserError, match="has no function 'reed'; did you mean 'read'"):
        OutputReader("odd_logs:reed")


def test_a_function_that_fails_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "failing_logs.py").write_text("def read(text):\n    return text[99]\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    problem = OutputReader("failing_logs:read").read("x").problem
    assert problem == "output: failing_logs:read: IndexError: string index out of range"


def test_a_numbered_plan_is_reported_as_soon_as_another_follows(tmp_path: Path) -> None:
    (world,) = (instance.world for instance in load("npuzzle/random", size=[2, 3], count=1))
    reported: list[tuple[str, ...]] = []

    def improved(plan: tuple[str, ...], _: float) -> None:
        reported.append(plan)

    files = PlanFiles(PlanOutput("file", format="moves"), tmp_path, world, improved)
    for number in range(1, 4):
        (tmp_path / f"plan.{number}").write_text("U" * number)
        files.look()
        assert [len(plan) for plan in reported] == list(range(1, number))
    assert files.standing(None).actions == ("U", "U", "U")
    assert len(reported) == 3


@pytest.mark.parametrize("names", [("plan.1", "plan.2"), ("plan",)])
def test_a_plan_written_after_the_limit_does_not_count(tmp_path: Path, names: tuple[str, ...]) -> None:
    (world,) = (instance.world for instance in load("npuzzle/random", size=[2, 3], count=1))
    reported: list[tuple[str, ...]] = []
    files = PlanFiles(PlanOutput("file", format="moves"), tmp_path, world, lambda plan, _: reported.append(plan))
    for number, name in enumerate(names, 1):
        (tmp_path / name).write_text("U\n" * number)
        os.utime(tmp_path / name, (1_000 * number, 1_000 * number))
    assert files.standing(999).actions is None
    assert reported == []
    if len(names) > 1:
        assert files.standing(1_999).actions == ("U",)
        assert reported == [("U",)]
    assert files.standing(1_000 * len(names)).actions == ("U",) * len(names)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (os.mkfifo, "not a regular file"),
        (lambda path: path.symlink_to("/dev/zero"), "not a regular file"),
        (lambda path: socket.socket(socket.AF_UNIX).bind(str(path)), "No such device"),
        (os.mkdir, "is a directory"),
    ],
    ids=["pipe", "device", "socket", "folder"],
)
def test_only_regular_files_are_read(tmp_path: Path, make: Callable[[Path], object], says: str) -> None:
    """A pipe would wait for a writer, and a device has no end."""
    (world,) = (instance.world for instance in load("npuzzle/random", size=[2, 3], count=1))
    make(tmp_path / "plan.1")
    (tmp_path / "plan.2").write_text("U\r\n")
    files = PlanFiles(PlanOutput("file", format="moves"), tmp_path, world, lambda *_: None)
    files.look()
    assert says in str(files._reported[tmp_path / "plan.1"].refusal)
    assert files.standing(None).actions == ("U",)


@pytest.mark.parametrize("text", ["nan", "1e999", "9" * 400, "-1e101", ""])
def test_numbers_are_finite_and_so_are_their_sums(text: str) -> None:
    printed = OutputReader({"cost": r"cost (.*)"}).read(f"cost {text}")
    answered = OutputReader({}).values({"expanded": int(text) if text.isdigit() else text})
    assert "output.cost: expected a number" in str(printed.problem)
    assert "output.expanded: expected a number" in str(answered.problem)
    assert (printed.cost, answered.counts) == (None, {})


@pytest.mark.parametrize(
    ("text", "number"),
    [("1,234,567", 1234567), ("-1,234.5", -1234.5), (" 12,345 ", 12345), ("12.5", 12.5)]
    + [(text, None) for text in ("12,5", "1,0", "3,14", "0,123", "1.234,5", "1.234.567", "1,23,456", ",5", "1,234,5")]
    + [(text, None) for text in ("1_000", "\u0663")],
)
def test_commas_separate_groups_of_three_digits_and_are_no_decimal_point(text: str, number: float | None) -> None:
    printed = OutputReader({"json": True, "cost": r"^cost (.*)"}).read(f'cost {text}\n{{"expanded": "{text}"}}\n')
    assert (printed.cost, printed.counts.get("expanded")) == (number, number)
    assert (printed.problem is None) == (number is not None)
    assert printed.problem is None or printed.problem.endswith(f"got '{text}'")


def test_large_numbers_do_not_become_integers_that_look_exact() -> None:
    values = OutputReader({}).values({"expanded": 10**30, "generated": 2**53})
    assert [str(value) for value in values.counts.values()] == ["1e+30", str(2**53)]


@pytest.mark.parametrize(
    ("described", "says"),
    [
        ({"run_id": "x"}, "the runner fills this column itself"),
        ({"rate": "(x"}, "is no regular expression"),
        ({"rate": True}, "expected a regular expression"),
        ("nowhere", "expected module:function"),
        ("nowhere_at_all:read", "ModuleNotFoundError"),
    ],
)
def test_a_wrong_description_is_one_line(described: object, says: str) -> None:
    with pytest.raises(UserError, match=r"algorithm\.output") as refused:
        OutputReader(described)  # type: ignore[arg-type]
    assert says in str(refused.value)


def test_a_plan_is_the_last_match() -> None:
    world = load("gridmap/static")[0].world
    source = PlanOutput(pattern="path (.*)")
    found = source.plan_in("path a\npath b c\n", world)
    assert (found.match and found.match[1], found.place) == ("b c", "pattern 'path (.*)' matched in line 2: path b c")
    assert source.plan_in("no way", world) == NO_PLAN
    assert PlanOutput().plan_in(" \n", world) == GivenPlan(is_blank=True)


def test_a_plan_of_a_plug_in_may_be_any_iterable(monkeypatch: pytest.MonkeyPatch) -> None:
    world = load("gridmap/static")[0].world
    monkeypatch.setattr(type(world), "read_plan", lambda _, text, format: map(str.upper, text.split()))
    assert PlanOutput().plan_in("e s", world).actions == ("E", "S")


def test_numbered_plans_come_in_their_order(tmp_path: Path) -> None:
    for name in ("plan.10", "plan.2", "plan.x", "plan"):
        (tmp_path / name).write_text("")
    assert [file.name for file in PlanOutput(from_="file").files_in(tmp_path)] == ["plan.2", "plan.10", "plan"]
    assert [file.name for file in PlanOutput(from_="plan.?").files_in(tmp_path)] == ["plan.2", "plan.x"]


@pytest.mark.parametrize(
    ("world", "action", "form", "problem"),
    [
        ("npuzzle/random", "U", "moves", "line 1: a plan of more than 10 moves"),
        ("rubik/random", "U2", "moves", "line 1: a plan of more than 10 moves"),
        ("snake/random", "U ", "names", "it has more than 10 actions"),
    ],
)
def test_the_number_of_actions_is_bounded(
    world: str, action: str, form: str, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan_texts, "MAX_ACTIONS", 10)
    read = partial(PlanOutput(format=form).read, world=next(iter(load(world, count=1))).world)
    assert read(10 * action).refusal is None
    refused = read(11 * action)
    assert (refused.actions, refused.refusal) == (None, f"the plan cannot be read: {problem}")
