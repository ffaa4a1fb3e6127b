"""Ways to choose configurations instead of a race: random search, Optuna and SMAC3. Their searches are rows, too."""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any

from runner.base import optional_module
from runner.features.tuning import exports
from runner.features.tuning.configurations import Configuration, Model, sampled
from runner.features.tuning.race import Race
from runner.features.tuning.scenario import FIRST_TEST, Parameter, Scenario, Value
from runner.features.tuning.searches import Ask

_REPEATS = 100
"""Number of trials that search nothing new, one after the other, before a tuning ends."""
_WORST = 1e12
"""Value that stands for infinity: neither tool takes that."""


@dataclass
class Proposal:
    """Configuration to run on the training instances.

    Attributes
    ----------
    report : callable
        Takes the numbers of instances and the values on them, and returns whether the trial ends.
    tell : callable
        Takes the mean value.
    """

    configuration: Configuration
    report: Callable[[Sequence[int], Sequence[float]], bool] = lambda *_: False
    tell: Callable[[float], None] = lambda _: None


def random_search(race: Race) -> Configuration:
    """Run configurations that are sampled uniformly on all training instances, without limits of their own."""
    return _run(race, _sampled(race.scenario))


def optuna_search(race: Race) -> Configuration:
    """Run configurations of Optuna's sampler, each on instances until its `WilcoxonPruner` ends that."""
    return _run(race, _of_optuna(race.scenario))


def _run(race: Race, trials: Iterator[Proposal]) -> Configuration:
    """Run trials in blocks of instances until the budget is spent, and return the best of those that were not ended."""
    results, budget = race.results, race.scenario.budget_value[0]
    race.check_budget()
    repeats = 0
    for trial in trials:
        spent, values = results.spent(), list[float]()
        is_ended = not results.add([trial.configuration], "train")
        for first in range(0, race.instances, FIRST_TEST):
            block = race.order[first : first + FIRST_TEST]
            if is_ended:
                break
            if results.spent() + len(block) * results.mean_price() > budget and race.history:
                return race.history[-1].configuration
            found = [each.value for each in results.ask(Ask(trial.configuration, number) for number in block)]
            values += found
            is_ended = trial.report(block, [min(each, _WORST) for each in found])
        mean = sum(values) / len(values) if values else math.inf
        trial.tell(min(mean, _WORST))
        if not is_ended and (not race.history or mean < race.history[-1].value):
            race.note(trial.configuration, mean, len(values))
        repeats = repeats + 1 if results.spent() == spent else 0
        if repeats == _REPEATS:
            break
    return race.history[-1].configuration


def _sampled(scenario: Scenario) -> Iterator[Proposal]:
    draw = random.Random(scenario.seed)
    tried = [Configuration.of(scenario, scenario.defaults)]
    yield Proposal(tried[0])
    while made := sampled(scenario, [Model.first(scenario, Configuration(()))], 1, tried, draw):
        tried.append(made[0][0])
        yield Proposal(tried[-1])


def _of_optuna(scenario: Scenario) -> Iterator[Proposal]:
    optuna = optional_module("optuna", "tune.by:", "tuners")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        pruner = optuna.pruners.WilcoxonPruner()
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=scenario.seed), pruner=pruner)
    flat = _flat(scenario)
    study.enqueue_trial({name: each.initial for name, each in flat.items()})
    while True:
        trial = study.ask()
        values = {name: _suggested(trial, name, each) for name, each in flat.items()}

        def report(block: Sequence[int], found: Sequence[float], trial: Any = trial) -> bool:
            for number, value in zip(block, found, strict=True):
                trial.report(value, number)
            return bool(trial.should_prune())  # once a block: with ties, the test is slow

        yield Proposal(_configuration(scenario, values), report, partial(study.tell, trial))


def _suggested(trial: Any, name: str, parameter: Parameter) -> Any:
    if not parameter.is_number:
        return trial.suggest_categorical(name, parameter.values)
    suggest = trial.suggest_float if parameter.type == "real" else trial.suggest_int
    return suggest(name, *map(float if parameter.type == "real" else int, parameter.range), log=parameter.log)


def smac_search(race: Race) -> Configuration:
    """Run what SMAC3 asks for: a configuration on an instance, with a cutoff if there is capping."""
    smac, configspace = (optional_module(name, "tune.by:", "tuners") for name in ("smac", "ConfigSpace"))
    scenario, results = race.scenario, race.results
    budget, _ = scenario.budget_value
    found: dict[Configuration, dict[int, float]] = {}
    errors: list[Exception] = []
    race.check_budget()

    def target(config: Any, instance: str, seed: int = 0, cutoff: float = math.inf) -> float:  # noqa: ARG001
        configuration, number = _configuration(scenario, {**config}), int(instance)
        try:
            if not results.add([configuration], "train"):
                return _WORST
            (outcome,) = results.ask([Ask(configuration, number, cutoff if 0 < cutoff < math.inf else None)])
        except Exception as error:  # SMAC would count it as a crash, and go on
            errors.append(error)
            raise
        found.setdefault(configuration, {})[number] = outcome.value
        return min(outcome.value, _WORST)

    def watch(_: Any, smbo: Any, *__: Any) -> bool:
        if errors:
            raise errors[0]
        for each in smbo.intensifier.get_incumbents():
            incumbent = _configuration(scenario, {**each})
            values = found.get(incumbent, {}).values()
            race.note(incumbent, sum(values) / max(1, len(values)), len(values))
        return bool(results.spent() + results.mean_price() <= budget)

    space = configspace.ConfigurationSpace.from_serialized_dict(exports.space_of(_flat(scenario)))
    space.seed(scenario.seed)
    with TemporaryDirectory() as folder:
        own = smac.Scenario(
            space, output_directory=folder, deterministic=True, n_trials=int(budget / results.mean_price()),
            use_default_config=True, instances=[*map(str, race.order)], seed=scenario.seed,
            instance_features={str(each): [each] for each in race.order}, adaptive_capping=bool(scenario.capping),
        )  # fmt: skip
        facade = smac.AlgorithmConfigurationFacade
        intensifier = facade.get_intensifier(own, max_incumbents=1)
        callback = type("Watch", (smac.Callback,), {"on_tell_end": watch})()
        tuner = facade(own, target, intensifier=intensifier, callbacks=[callback], logging_level=False, overwrite=True)
        return _configuration(scenario, {**tuner.optimize()})


def _flat(scenario: Scenario) -> dict[str, Parameter]:
    """Return parameters without subsets: each member is one of its own."""
    flat: dict[str, Parameter] = {}
    for name, each in scenario.parameters.items():
        members = {f"{name} {member}": member in each.initial for member in each.values if each.type == "subset"}  # type: ignore[operator]
        flat |= {key: Parameter("categorical", values=[True, False], default=on) for key, on in members.items()}
        flat |= {} if members else {name: each}
    return flat


def _configuration(scenario: Scenario, flat: dict[str, Any]) -> Configuration:
    values: dict[str, Value] = {}
    for name, each in scenario.parameters.items():
        if each.is_number:
            values[name] = each.number(float(flat[name]))
        elif each.type == "categorical":
            values[name] = next(value for value in each.values if str(value) == str(flat[name]))
        else:
            ranked = sorted(each.values, key=lambda member: not flat[f"{name} {member}"])
            chosen = sum(bool(flat[f"{name} {member}"]) for member in ranked)
            values[name] = each.subset(ranked[: max(chosen, each.at_least)])
    return Configuration.of(scenario, values)


OPTIMIZERS: dict[str, Callable[[Race], Configuration]] = {
    "race": Race.run, "random": random_search, "optuna": optuna_search, "smac": smac_search,
}  # fmt: skip
