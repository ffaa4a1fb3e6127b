"""Configurations: values of all parameters that are set, and models from which new ones are sampled."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from runner.features.tuning.scenario import Parameter, Scenario, Value, Values

_TRIES = 200
_TRIES_OF_MODEL = 20
"""Numbers of samples that repeat before sampling ends, and before a model restarts."""


@dataclass(frozen=True)
class Configuration:
    """Values of the parameters that are set."""

    items: tuple[tuple[str, Value], ...]

    @classmethod
    def of(cls, scenario: Scenario, values: Values) -> Configuration:
        """Return the configuration of some values; parameters that are not set are left out."""
        return cls(tuple(scenario.active(values).items()))

    @property
    def values(self) -> dict[str, Value]:
        """Values by parameter."""
        return dict(self.items)

    @property
    def plain(self) -> dict[str, Any]:
        """Values as YAML and JSON have them."""
        return {name: [*value] if isinstance(value, tuple) else value for name, value in self.items}

    def __str__(self) -> str:
        """Return the values as words of a command."""
        shown = {name: f"[{','.join(each)}]" if isinstance(each, list) else each for name, each in self.plain.items()}
        return " ".join(f"{name}={value}" for name, value in shown.items())


@dataclass
class Model:
    """Distribution around an elite: its samples are the children of the elite.

    Numbers are normal around the value of the elite, truncated to the range, with a deviation that shrinks. Each choice
    has a probability that moves towards the value of the elite (Lopez-Ibanez et al. 2016, section 2.2.3).

    Attributes
    ----------
    elite : Configuration
    spread : float
        Standard deviation of numbers, as a share of the range.
    shares : dict of (str, str) to list of float
        Probabilities of values of choices; of a subset, of each member being one.
    """

    elite: Configuration
    spread: float = 0.5
    shares: dict[str, list[float]] = field(default_factory=dict)

    @classmethod
    def first(cls, scenario: Scenario, elite: Configuration) -> Model:
        """Return the first model of an elite. If that has no values, samples are uniform."""
        shares = {
            name: [0.5 if each.type == "subset" else 1 / len(each.values)] * len(each.values)
            for name, each in scenario.parameters.items()
            if not each.is_number
        }
        return cls(elite, 0.5, shares)

    def child(self, elite: Configuration) -> Model:
        """Return the model of an elite that was sampled from this one."""
        return Model(elite, self.spread, {name: [*each] for name, each in self.shares.items()})

    def narrow(self, scenario: Scenario, sampled: int, iteration: int, iterations: int) -> None:
        """Shrink the distribution before an iteration that samples a number of configurations."""
        self.spread *= (1 / max(1, sampled)) ** (1 / len(scenario.parameters))
        weight = min(1.0, (iteration - 1) / iterations)
        for name, shares in self.shares.items():
            value = self.elite.values.get(name)
            if value is not None:
                for place, each in enumerate(scenario.parameters[name].values):
                    is_chosen = str(each) in value if isinstance(value, tuple) else each == value
                    shares[place] = shares[place] * (1 - weight) + weight * is_chosen

    def restart(self, scenario: Scenario, sampled: int) -> None:
        """Widen the distribution because its samples repeat: the deviation of two iterations ago, flatter choices."""
        self.spread = min(0.5, self.spread * max(2, sampled) ** (2 / len(scenario.parameters)))
        for name, shares in self.shares.items():
            middle = 0.5 if scenario.parameters[name].type == "subset" else max(shares)
            flat = [0.9 * each + 0.1 * middle for each in shares]
            total = 1.0 if scenario.parameters[name].type == "subset" else sum(flat)
            self.shares[name] = [each / total for each in flat]

    def sample(self, scenario: Scenario, draw: random.Random) -> Configuration:
        """Return a configuration."""
        values: dict[str, Value] = {}
        own = self.elite.values
        for name, each in scenario.parameters.items():
            if each.is_number:
                centre = own.get(name)
                values[name] = _uniform(each, draw) if centre is None else _near(each, centre, self.spread, draw)
            elif each.type == "categorical":
                values[name] = draw.choices(each.values, self.shares[name])[0]
            else:
                values[name] = _subset(each, self.shares[name], draw)
        return Configuration.of(scenario, values)


def sampled(
    scenario: Scenario, models: list[Model], count: int, known: Iterable[Configuration], draw: random.Random
) -> list[tuple[Configuration, Model]]:
    """Return configurations that are not known, with their models; fewer if samples only repeat.

    The models are in the order of their elites: the parent of rank r of n is chosen with a probability proportional to
    n - r + 1. A model whose samples repeat restarts.
    """
    seen, found, repeated = {*known}, list[tuple[Configuration, Model]](), 0
    ranks = [len(models) - place for place in range(len(models))]
    while len(found) < count and repeated < _TRIES:
        model = draw.choices(models, ranks)[0]
        made = model.sample(scenario, draw)
        if made not in seen:
            seen.add(made)
            found.append((made, model))
            repeated = 0
            continue
        repeated += 1
        if repeated % _TRIES_OF_MODEL == 0:
            model.restart(scenario, count)
    return found


def _ends(parameter: Parameter) -> tuple[float, float]:
    """Return the ends of the scale on which a number is sampled. A whole number has the width 1."""
    low, high = parameter.range
    if parameter.type == "integer":
        low, high = (max(low - 0.5, 0.5) if parameter.log else low - 0.5), high + 0.5
    return (math.log(low), math.log(high)) if parameter.log else (low, high)


def _on_scale(parameter: Parameter, place: float) -> float | int:
    return parameter.number(math.exp(place) if parameter.log else place)


def _uniform(parameter: Parameter, draw: random.Random) -> float | int:
    return _on_scale(parameter, draw.uniform(*_ends(parameter)))


def _near(parameter: Parameter, centre: Any, spread: float, draw: random.Random) -> float | int:
    """Return a sample of a normal distribution that is truncated to the range."""
    low, high = _ends(parameter)
    middle = math.log(centre) if parameter.log else centre
    for _ in range(_TRIES):
        place = draw.gauss(middle, spread * (high - low))
        if low <= place <= high:
            return _on_scale(parameter, place)
    return _uniform(parameter, draw)


def _subset(parameter: Parameter, shares: list[float], draw: random.Random) -> tuple[str, ...]:
    chosen = [each for each, share in zip(parameter.values, shares, strict=True) if draw.random() < share]
    others = [each for each in parameter.values if each not in chosen]
    missing = max(0, parameter.at_least - len(chosen))
    return parameter.subset([*chosen, *draw.sample(others, missing)])
