"""Files in the SAS+ format of Fast Downward's translator, version 3.

Every mistake in a file raises a one-line `UserError` that names file and line.
Format: https://www.fast-downward.org/latest/documentation/translator-output-format/
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from runner.base import UserError, line_error
from worlds.compile import MAX_COST
from worlds.pddl import rules
from worlds.pddl.task import Axiom, Effect, Fact, Operator, Task, Values

MAX_BYTES = 128 * 1024 * 1024
"""Largest size of a file. A task may take 16 times its size in memory."""
MAX_NUMBER = 1 << 24
"""Largest number of variables, values, operators or effects."""
_VERSION = 3

T = TypeVar("T")


def parse(path: Path, text: str) -> Task:
    """Read a task.

    Parameters
    ----------
    path : Path
        File of the text, for messages.

    Raises
    ------
    UserError
        If the text is no SAS+ task of version 3.
    """
    return _Reader(path, text).task()


class _Reader:
    """Reader of the lines of a file, from the first to the last."""

    def __init__(self, path: Path, text: str) -> None:
        self._path, self._lines, self._at = path, text.splitlines(), 0
        self._ranges: list[int] = []
        self._layers: list[int] = []

    def task(self) -> Task:
        """Read the whole file."""
        self._section("version", self._version)
        uses_costs = self._section("metric", lambda: self._numbers(1, 0, 1)[0])
        names, facts = [], []
        for _ in range(self._count("variables")):
            name, layer, values = self._section("variable", self._variable)
            names.append(name)
            facts.append(values)
            self._layers.append(layer)
            self._ranges.append(len(values))
        if not names:
            raise self._fail("a task without variables")
        for _ in range(self._count("mutex groups")):
            self._section("mutex_group", self._facts)
        initial = self._section("state", lambda: tuple(self._value(variable) for variable in range(len(names))))
        goal = self._section("goal", self._facts)
        count = self._count("operators")
        operators = [self._section("operator", lambda: self._operator(bool(uses_costs))) for _ in range(count)]
        axioms = [self._section("rule", lambda: self._axiom(initial)) for _ in range(self._count("axioms"))]
        if self._at < len(self._lines):
            self._line()
            raise self._fail("text after the end of the task")
        layers = tuple(self._layers) if max(self._layers) >= 0 else ()
        task = Task(tuple(names), tuple(facts), initial, goal, tuple(operators), tuple(axioms), layers)
        return replace(task, initial=rules.evaluated(task, initial))

    def _fail(self, message: str) -> UserError:
        return line_error(self._path, max(1, self._at), message)

    def _line(self) -> str:
        if self._at >= len(self._lines):
            raise self._fail("the file ends too early")
        self._at += 1
        return self._lines[self._at - 1].strip()

    def _section(self, name: str, read: Callable[[], T]) -> T:
        self._keyword(f"begin_{name}")
        content = read()
        self._keyword(f"end_{name}")
        return content

    def _keyword(self, word: str) -> None:
        line = self._line()
        if line != word:
            raise self._fail(
                f"expected '{word}', got '{line[:40]}'; a SAS+ file of Fast Downward's translator is needed"
            )

    def _numbers(self, count: int, low: int = -1, high: int = MAX_NUMBER) -> list[int]:
        """Read a line of numbers."""
        line = self._line()
        words = line.split()
        if len(words) != count or not all(word.removeprefix("-").isdecimal() and len(word) < 12 for word in words):
            raise self._fail(f"expected {'a number' if count == 1 else f'{count} numbers'}, got '{line[:40]}'")
        numbers = [int(word) for word in words]
        for number in numbers:
            if not low <= number <= high:
                raise self._fail(f"expected a number from {low} to {high:,}, got {number}")
        return numbers

    def _count(self, what: str) -> int:
        try:
            return self._numbers(1, 0)[0]
        except UserError as error:
            raise UserError(f"{error} (number of {what})") from None

    def _version(self) -> None:
        line = self._line()
        if line != str(_VERSION):
            raise self._fail(f"expected version {_VERSION} of the format, got '{line[:40]}'")

    def _variable(self) -> tuple[str, int, tuple[str, ...]]:
        """Read the name of a variable, its layer and its values."""
        name, layer = self._line(), self._numbers(1)[0]
        count = self._numbers(1, 1)[0]
        if layer >= 0 and count != 2:
            raise self._fail(f"variable {name} is derived by axioms, so it must have 2 values, not {count}")
        if count > len(self._lines) - self._at:
            raise self._fail(f"a variable of {count:,} values, but the file ends before")
        return name, layer, tuple(fact_name(self._line()) for _ in range(count))

    def _value(self, variable: int) -> int:
        return self._numbers(1, 0, self._ranges[variable] - 1)[0]

    def _facts(self) -> tuple[Fact, ...]:
        """Read a number of facts, then one fact per line."""
        return tuple(self._checked(*self._numbers(2, 0)) for _ in range(self._numbers(1, 0)[0]))

    def _checked(self, variable: int, value: int) -> Fact:
        if not 0 <= variable < len(self._ranges):
            raise self._fail(f"there is no variable {variable}; the task has {len(self._ranges)}")
        if not 0 <= value < self._ranges[variable]:
            raise self._fail(f"variable {variable} has no value {value}; it has {self._ranges[variable]}")
        return variable, value

    def _operator(self, uses_costs: bool) -> Operator:
        name = self._line()
        conditions = list(self._facts())
        effects = []
        for _ in range(self._numbers(1, 0)[0]):
            effect, before = self._effect()
            effects.append(effect)
            if before is not None:
                conditions.append(before)
        cost = self._numbers(1, 0, MAX_COST)[0]
        required = dict(conditions)
        if any(required[variable] != value for variable, value in conditions):
            raise self._fail(f"operator {name} needs two values of one variable")
        return Operator(name, tuple(required.items()), tuple(effects), cost if uses_costs else 1)

    def _effect(self) -> tuple[Effect, Fact | None]:
        """Read an effect: number of conditions, conditions, variable, value before (or -1), value after."""
        line = self._line()
        words = line.split()
        if not all(word.removeprefix("-").isdecimal() and len(word) < 12 for word in words) or not words:
            raise self._fail(f"expected the numbers of an effect, got '{line[:40]}'")
        count, *numbers = map(int, words)
        if count < 0:
            raise self._fail(f"expected the number of conditions of an effect, at least 0, got {count}")
        if len(numbers) != 2 * count + 3:
            raise self._fail(f"expected {2 * count + 4} numbers of an effect with {count} conditions, got {len(words)}")
        conditions = tuple(self._checked(*numbers[2 * i : 2 * i + 2]) for i in range(count))
        variable, before, after = numbers[-3:]
        if 0 <= variable < len(self._layers) and self._layers[variable] >= 0:
            raise self._fail(f"variable {variable} is derived by axioms, so no operator can change it")
        effect = Effect(*self._checked(variable, after), conditions)
        return effect, None if before == -1 else self._checked(variable, before)

    def _axiom(self, initial: Values) -> Axiom:
        """Read an axiom: its conditions; its variable, the value before and the value after.

        The value at the start is the default. Whether a variable has its default value must be known before the axioms
        of its layer are applied.
        """
        conditions = self._facts()
        variable, before, after = self._numbers(3)
        self._checked(variable, before)
        self._checked(variable, after)
        layer, default = self._layers[variable], initial[variable]
        if layer < 0:
            raise self._fail(f"an axiom of variable {variable}, which has no layer of axioms")
        if after == default or before == after:
            raise self._fail(f"an axiom must change variable {variable} from its value at the start, {default}")
        for needed, value in conditions:
            if self._layers[needed] > layer or (self._layers[needed] == layer and value == initial[needed]):
                raise self._fail(
                    f"an axiom in layer {layer} needs value {value} of variable {needed}, which is known after it"
                )
        return Axiom(conditions, variable, after)


def fact_name(text: str) -> str:
    """Return the name of a value in our notation."""
    if text.startswith("Atom "):
        return text.removeprefix("Atom ").removesuffix("()")
    if text.startswith("NegatedAtom "):
        return f"not {text.removeprefix('NegatedAtom ')}".removesuffix("()")
    return text.strip("<>")
