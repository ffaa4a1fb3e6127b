"""Ways to choose configurations instead of a race: random search, Optuna and SMAC3. Their searches are rows, too."""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
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


def _trials(race: Race, searches: int) -> Iterator[None]:
    """Yield as long as the budget allows a number of searches, and trials search what is new."""
    race.check_budget()
    results, budget = race.results, race.scenario.budget_value[0]
    repeats = 0
    while repeats < _REPEATS and results.spent() + searches * results.mean_price() <= budget:
        spent = results.spent()
        yield
        repeats = repeats + 1 if results.spent() == spent else 0


def _mean(race: Race, configuration: Configuration, ends: Callable[[Sequence[int], Sequence[float]], bool]) -> float:
    """Run a configuration on blocks of instances until `ends` says so, and return its mean value.

    The best one that has run on all is the incumbent.
    """
    results, values = race.results, list[float]()
    starts = range(0, race.instances, FIRST_TEST) if results.add([configuration], "train") else ()
    for block in (race.order[start : start + FIRST_TEST] for start in starts):
        after = results.spent() + len(block) * results.mean_price()
        if race.history and after > race.scenario.budget_value[0]:
            break
        found = [each.value for each in results.ask(Ask(configuration, number) for number in block)]
        values += found
        if ends(block, [min(each, _WORST) for each in found]):
            break
    mean = sum(values) / len(values) if values else math.inf
    if len(values) == race.instances and (not race.history or mean < race.history[-1].value):
        race.note(configuration, mean, len(values))
    return min(mean, _WORST)


def random_search(race: Race) -> Configuration:
    """Run configurations that are sampled uniformly on all training instances, without limits of their own."""
    scenario, draw = race.scenario, random.Random(race.scenario.seed)
    tried = [Configuration.of(scenario, scenario.defaults)]
    for _ in _trials(race, min(FIRST_TEST, race.instances)):
        _mean(race, tried[-1], lambda *_: False)
        made = sampled(scenario, [Model.first(scenario, Configuration(()))], 1, tried, draw)
        if not made:
            break
        tried.append(made[0][0])
    return race.history[-1].configuration


def optuna_search(race: Race) -> Configuration:
    """Run configurations of Optuna's sampler, each on instances until its `WilcoxonPruner` ends that."""
    optuna = optional_module("optuna", "tune.by:", "tuners")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        pruner = optuna.pruners.WilcoxonPruner()
    scenario, flat = race.scenario, _flat(race.scenario)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=scenario.seed), pruner=pruner)
    study.enqueue_trial({name: each.initial for name, each in flat.items()})
    for _ in _trials(race, min(FIRST_TEST, race.instances)):
        trial = study.ask()

        def is_pruned(block: Sequence[int], found: Sequence[float], trial: Any = trial) -> bool:
            for number, value in zip(block, found, strict=True):
                trial.report(value, number)
            return bool(trial.should_prune())  # once a block: with ties, the test is slow

        values = {name: _suggested(trial, name, each) for name, each in flat.items()}
        study.tell(trial, _mean(race, _configuration(scenario, values), is_pruned))
    return race.history[-1].configuration


def _suggested(trial: Any, name: str, parameter: Parameter) -> Any:
    if not parameter.is_number:
        return trial.suggest_categorical(name, parameter.values)
    suggest = trial.suggest_float if parameter.type == "real" else trial.suggest_int
    return suggest(name, *map(float if parameter.type == "real" else int, parameter.range), log=parameter.log)


def smac_search(race: Race) -> Configuration:
    """Run what SMAC3 asks for: a configuration on an instance, with a cutoff if there is capping."""
    smac, configspace = (optional_module(name, "tune.by:", "tuners") for name in ("smac", "ConfigSpace"))
    scenario, results = race.scenario, race.results
    found: dict[Configuration, dict[int, float]] = {}
    space = configspace.ConfigurationSpace.from_serialized_dict(exports.space_of(_flat(scenario)))
    space.seed(scenario.seed)
    with TemporaryDirectory() as folder, suppress(StopIteration):  # SMAC has no further configuration
        own = smac.Scenario(
            space, output_directory=folder, deterministic=True, use_default_config=True, seed=scenario.seed,
            n_trials=int(scenario.budget_value[0] / results.mean_price()), instances=[*map(str, race.order)],
            instance_features={str(each): [each] for each in race.order}, adaptive_capping=bool(scenario.capping),
        )  # fmt: skip
        facade = smac.AlgorithmConfigurationFacade
        intensifier = facade.get_intensifier(own, max_incumbents=1)
        tuner = facade(own, None, intensifier=intensifier, logging_level=False, overwrite=True)
        for _ in _trials(race, 1):
            trial = tuner.ask()
            configuration, value = _configuration(scenario, {**trial.config}), math.inf
            if results.add([configuration], "train"):
                cutoff = (trial.additional_info or {}).get("cutoff", 0)
                limit = cutoff if 0 < cutoff < math.inf else None
                (outcome,) = results.ask([Ask(configuration, int(trial.instance), limit)])
                value = outcome.value
            found.setdefault(configuration, {})[int(trial.instance)] = value
            tuner.tell(trial, smac.runhistory.TrialValue(min(value, _WORST)), save=False)
            for each in tuner.intensifier.get_incumbents():
                incumbent = _configuration(scenario, {**each})
                values = found[incumbent].values()
                race.note(incumbent, sum(values) / len(values), len(values))
    return race.history[-1].configuration


def _flat(scenario: Scenario) -> dict[str, Parameter]:
    """Return parameters without subsets: each member is one of its own."""
    flat: dict[str, Parameter] = {}
    for name, each in scenario.parameters.items():
        members = {member: member in each.initial for member in each.values} if each.type == "subset" else {}  # type: ignore[operator]
        flat |= {
            f"{name} {key}": Parameter("categorical", values=[True, False], default=on) for key, on in members.items()
        }
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
