"""SAS+ files: reading, and one line for every mistake."""

from __future__ import annotations

import random
from dataclasses import fields
from pathlib import Path

import pytest

from runner.base.errors import UserError
from tests.planning import DATA, any_task, sas_text, with_axioms
from worlds.pddl import formats
from worlds.pddl.task import Axiom, Effect, Operator, Task

TEXT = (DATA / "two_balls.sas").read_text(encoding="utf-8")
FILE = Path("task.sas")


def test_a_task_is_read() -> None:
    task = formats.parse(FILE, TEXT)
    assert sorted(map(len, task.facts)) == [2, 2, 2, 4, 4]
    assert {operator.name.split()[0] for operator in task.operators} == {"walk", "take", "put"}
    assert task.has_unit_costs
    assert task.true_facts(task.initial) >= {"robot-in(kitchen)", "ball-in(red, kitchen)", "empty(left)"}
    assert all(not fact.startswith("not ") for fact in task.true_facts(task.initial))


def test_costs_count_only_with_a_metric_and_modes_change_them() -> None:
    lines = TEXT.splitlines()
    at = lines.index("end_operator") - 1
    lines[at] = "7"
    assert formats.parse(FILE, "\n".join(lines)).operators[0].cost == 1
    lines[lines.index("begin_metric") + 1] = "1"
    task = formats.parse(FILE, "\n".join(lines))
    assert task.operators[0].cost == 7
    assert task.with_costs("plus_one").operators[0].cost == 8
    assert task.with_costs("one").has_unit_costs
    assert formats.parse(FILE, TEXT).with_costs("plus_one").has_unit_costs


def test_conditional_effects_are_read() -> None:
    lines = TEXT.splitlines()
    at = lines.index("begin_operator")
    effects = at + 2 + int(lines[at + 2]) + 1
    variable, _, after = lines[effects + 1].split()[-3:]
    lines[effects + 1] = f"2 1 0 2 1 {variable} -1 {after}"
    effect = formats.parse(FILE, "\n".join(lines)).operators[0].effects[0]
    assert effect == Effect(int(variable), int(after), ((1, 0), (2, 1)))


MISTAKES = [
    ("begin_version", "begin_vrsion", "line 1: expected 'begin_version', got 'begin_vrsion'"),
    ("begin_version\n3", "begin_version\n4", "line 2: expected version 3 of the format, got '4'"),
    ("begin_metric\n0", "begin_metric\n2", "line 5: expected a number from 0 to 1, got 2"),
    ("begin_metric\n0", "begin_metric\nx", "line 5: expected a number, got 'x'"),
    ("var0\n-1\n", "var0\n-1\n999999", "values, but the file ends before"),
    ("begin_state\n", "begin_state\n99\n", "expected a number from 0 to"),
    ("end_goal", "end_gaol", "expected 'end_goal'"),
    ("begin_goal\n2\n", "begin_goal\n2\n77", "there is no variable 77|has no value"),
]


@pytest.mark.parametrize(("before", "after", "message"), MISTAKES)
def test_mistakes_are_one_line(before: str, after: str, message: str) -> None:
    assert before in TEXT
    with pytest.raises(UserError, match=message) as error:
        formats.parse(FILE, TEXT.replace(before, after, 1))
    assert "\n" not in str(error.value)


def test_a_file_that_is_cut_anywhere_is_refused() -> None:
    lines = TEXT.splitlines()
    for length in range(len(lines)):
        with pytest.raises(UserError, match=r"task\.sas: line"):
            formats.parse(FILE, "\n".join(lines[:length]))


def test_axioms_are_read_and_evaluated_at_the_start() -> None:
    source, applied = random.Random("axioms"), 0
    for _ in range(40):
        task = with_axioms(source, any_task(source))
        read = formats.parse(FILE, sas_text(task))
        for each in fields(Task):
            assert getattr(read, each.name) == getattr(task, each.name)
        applied += sum(read.initial[variable] != value for variable, value in read.defaults.items())
    assert applied > 20


AXIOMS = sas_text(
    Task(
        ("a", "b", "c"),
        (("x", "y"),) * 3,
        (0, 0, 0),
        ((2, 1),),
        (Operator("act", (), (Effect(0, 1),), 1),),
        (Axiom(((0, 1),), 1, 1), Axiom(((1, 0),), 2, 1)),
        (-1, 0, 1),
    )
)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("b\n0\n2\n", "b\n0\n3\nAtom z\n", "line 18: variable b is derived by axioms, so it must have 2 values, not 3"),
        ("0 0 -1 1", "0 1 -1 1", "line 44: variable 1 is derived by axioms, so no operator can change it"),
        ("0 1\n1 0 1", "0 1\n0 0 1", "line 51: an axiom of variable 0, which has no layer of axioms"),
        ("0 1\n1 0 1", "0 1\n1 1 0", "line 51: an axiom must change variable 1 from its value at the start, 0"),
        ("0 1\n1 0 1", "0 1\n1 7 1", "line 51: variable 1 has no value 7; it has 2"),
        ("0 0 -1 1", "-1 0 -1 1", "line 44: expected the number of conditions of an effect, at least 0, got -1"),
        ("0 1\n1 0 1", "1 0\n1 0 1", "line 51: an axiom in layer 0 needs value 0 of variable 1, which is known after"),
        ("0 1\n1 0 1", "2 1\n1 0 1", "line 51: an axiom in layer 0 needs value 1 of variable 2, which is known after"),
        ("end_rule\nbegin", "end_rle\nbegin", "line 52: expected 'end_rule', got 'end_rle'"),
    ],
)  # fmt: skip
def test_mistakes_in_axioms_are_one_line(before: str, after: str, message: str) -> None:
    assert before in AXIOMS
    with pytest.raises(UserError, match=message):
        formats.parse(FILE, AXIOMS.replace(before, after, 1))
