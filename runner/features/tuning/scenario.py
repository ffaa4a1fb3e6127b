"""Scenario of a tuning: the section ``tune`` of a file, checked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from algorithms.engine import Limits
from runner.base import Metric, UserError, convert, did_you_mean, suggest
from runner.features.reports import meets
from runner.records import read_yaml

FIRST_TEST = 5
"""Number of instances before the first test, and of those between two tests."""
PENALTY = 10
COVERAGE = "coverage"

Value = float | int | str | bool | tuple[str, ...]
Values = Mapping[str, Value]


@dataclass(frozen=True)
class Parameter:
    """Parameter of the file.

    Attributes
    ----------
    type : {"real", "integer", "categorical", "subset"}
    range : list of float
        Least and largest value of a number.
    log : bool
        Whether numbers are sampled on a logarithmic scale.
    values : list
        Values of a categorical parameter, or members of a subset.
    default : any
        Value of the default configuration; by default the middle of the range, the first value, or all members.
    at_least : int
        Least number of members of a subset.
    when : str
        Condition on parameters above, or on fixed keys, under which the parameter is set.
    """

    type: Literal["real", "integer", "categorical", "subset"]
    range: list[float] = field(default_factory=list)
    log: bool = False
    values: list[float | int | str | bool] = field(default_factory=list)
    default: Any = None
    at_least: int = 1
    when: str = ""

    @property
    def is_number(self) -> bool:
        """Whether its values are numbers of a range."""
        return self.type in ("real", "integer")

    @property
    def initial(self) -> Value:
        """Value of the default configuration."""
        if self.is_number:
            low, high = self.range
            middle = math.sqrt(low * high) if self.log else (low + high) / 2
            return self.number(middle if self.default is None else self.default)
        if self.type == "subset":
            return self.subset(self.values if self.default is None else self.default)
        return self.values[0] if self.default is None else self.default

    def number(self, value: float) -> float | int:
        """Return a number of the parameter: whole, or with four significant digits, so that numbers can repeat."""
        low, high = self.range
        if self.type == "integer":
            return int(min(max(round(value), low), high))
        return min(max(float(f"{value:.4g}"), low), high)

    def subset(self, members: Sequence[Any]) -> tuple[str, ...]:
        """Return members in the order of the values."""
        return tuple(str(each) for each in self.values if each in members)

    def check(self, where: str) -> None:
        """Raise `UserError` if the parameter has no values, or a default outside of them."""
        for key in ("values",) if self.is_number else ("range", "log"):
            if getattr(self, key):
                raise UserError(f"{where}.{key}: a parameter of the type {self.type} has none")
        names = [*map(str, self.values)]
        if self.is_number:
            if len(self.range) != 2 or not -math.inf < self.range[0] < self.range[1] < math.inf:
                raise UserError(f"{where}.range: expected [LEAST, LARGEST] with LEAST below LARGEST, got {self.range}")
            low, high = self.range
            if self.log and low <= 0:
                raise UserError(f"{where}.range: a logarithmic scale needs numbers above 0, got {self.range}")
            allowed = f"a number from {low:g} to {high:g}"
            is_valid = isinstance(self.default, (int, float)) and low <= self.default <= high
        else:
            if len({*names}) < max(2, len(names)):
                raise UserError(f"{where}.values: expected at least two different values, got {self.values}")
            if not 0 <= self.at_least <= len(names):
                raise UserError(f"{where}.at_least: expected 0 to {len(names)}, got {self.at_least}")
            is_subset = self.type == "subset"
            allowed = f"{f'a list of at least {self.at_least}' if is_subset else 'one'} of {', '.join(names)}"
            members = self.default if is_subset else [self.default]
            is_valid = isinstance(members, list) and all(each in self.values for each in members)
            is_valid = is_valid and (not is_subset or len(self.subset(members)) >= self.at_least)
        if self.default is not None and not is_valid:
            near = did_you_mean(str(self.default), names)
            raise UserError(f"{where}.default: expected {allowed}, got {self.default}{near}")


@dataclass(frozen=True)
class Scenario:
    """Scenario of a tuning, as in the section ``tune``.

    Attributes
    ----------
    parameters : dict of Parameter
        Parameters by their keys on the command line.
    train, test : dict
        Keys and values that choose the instances to tune on, and those to compare by.
    fixed : dict
        Further keys and values of all configurations.
    objective : str
        Metric with a direction, or ``coverage``.
    capping : float or False, optional
        A search ends when it has taken this factor of what the incumbent took. By default 1.2 if the objective is
        limited by ``limits.nodes``, otherwise False.
    budget : int or str
        Number of searches, or time such as ``2h``, that of the clock from search to search.
    by : {"race", "random", "optuna", "smac"}
    seed : int
    """

    parameters: dict[str, Parameter]
    train: dict[str, Any]
    test: dict[str, Any]
    fixed: dict[str, Any] = field(default_factory=dict)
    objective: str = "expanded"
    capping: float | bool | None = None
    budget: int | str = 1000
    by: Literal["race", "random", "optuna", "smac"] = "race"
    seed: int = 0

    @classmethod
    def read(cls, file: Path) -> Scenario:
        """Return the scenario of a file.

        Raises
        ------
        UserError
            If anything in it is wrong.
        """
        content = read_yaml(file, "the file of a tuning")
        for key in content:
            if key != "tune":
                raise UserError(f"{file}: {key}: unknown key{suggest(str(key), ['tune'])}")
        if "tune" not in content:
            raise UserError(f"{file}: tune: missing")
        try:
            found = convert(cls, content["tune"], where="tune")
            found._check()
        except UserError as error:
            raise UserError(f"{file}: {error}") from None
        return found

    def _check(self) -> None:
        if not self.parameters:
            raise UserError("tune.parameters: expected at least one")
        for name, parameter in self.parameters.items():
            parameter.check(f"tune.parameters.{name}")
        for section, keys in {"fixed": self.fixed, "train": self.train, "test": self.test}.items():
            for name in self.parameters.keys() & keys:
                raise UserError(f"tune.{section}.{name}: is a parameter, too")
            if section != "fixed" and "world" not in {**self.fixed, **keys}:
                raise UserError(f"tune.{section}: expected world and its keys")
        if self.capping is True or (self.capping and self.capping <= 1):
            raise UserError(f"tune.capping: expected a factor above 1, such as 1.2, or false, got {self.capping}")
        self.active(self.defaults)
        self.budget_value  # noqa: B018, it checks the budget

    @property
    def defaults(self) -> dict[str, Value]:
        """Values of the default configuration, also of parameters that are not set."""
        return {name: each.initial for name, each in self.parameters.items()}

    def active(self, values: Values) -> dict[str, Value]:
        """Return the values of the parameters that are set: those whose condition ``when`` holds."""
        found: dict[str, Value] = {}
        above = {**self.fixed, **self.train}
        for name, each in self.parameters.items():
            if not each.when or _holds(each.when, above, f"tune.parameters.{name}.when"):
                found[name] = values.get(name, each.initial)
            above[name] = found.get(name, math.nan if each.is_number else "")
        return found

    @property
    def budget_value(self) -> tuple[float, bool]:
        """Budget, and whether it is seconds rather than searches."""
        if isinstance(self.budget, int) or self.budget.isdecimal():
            return float(self.budget), False
        try:
            return Limits.of({"time": self.budget}).time or 0.0, True
        except UserError:
            expected = "expected a number of searches, or a time such as 2h"
            raise UserError(f"tune.budget: {expected}, got {self.budget!r}") from None

    def metric(self, declared: Mapping[str, Metric]) -> Metric:
        """Return the metric of the objective.

        Raises
        ------
        UserError
            If there is none of the name, or no value of it is better than another.
        """
        if self.objective == COVERAGE:
            return Metric(COVERAGE, better="more", aggregate="mean", digits=3, log_scale=False)
        directed = {name: each for name, each in declared.items() if each.better != "neither"}
        if self.objective not in directed:
            hint = suggest(self.objective, [COVERAGE, *directed])
            raise UserError(f"tune.objective: '{self.objective}' is no metric with a better direction{hint}")
        return directed[self.objective]


def _holds(condition: str, values: Mapping[str, Any], where: str) -> bool:
    """Return whether values by their keys meet a condition. A list is the text of its members."""
    plain = {key: " ".join(each) if isinstance(each, tuple) else each for key, each in values.items()}
    texts = {key: pd.Categorical([str(each)]) for key, each in plain.items() if isinstance(each, (str, bool, list))}
    return bool(meets(pd.DataFrame({key: texts.get(key, [each]) for key, each in plain.items()}), condition, where)[0])
