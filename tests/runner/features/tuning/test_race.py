"""Races on planted results: what they find, what they spend, and that they are functions of seed and results."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from runner.base import UserError
from runner.features.tuning.configurations import Configuration
from runner.features.tuning.elimination import mean_ranks, survivors
from runner.features.tuning.optimizers import OPTIMIZERS, random_search
from runner.features.tuning.race import FIRST_LOOK, Race
from runner.features.tuning.results import nearest
from runner.features.tuning.scenario import Parameter, Scenario
from runner.features.tuning.searches import Ask, BoundedValue

SCENARIO = Scenario(
    {
        "weight": Parameter("real", [1, 100], log=True, default=1),
        "engine": Parameter("categorical", values=["slow", "fast"]),
        "parts": Parameter("subset", values=["a", "b", "c"], default=["a"]),
    },
    {"world": "x"},
    {"world": "y"},
    capping=1.2,
    budget=1500,
)
BEST = 20.0


class Planted:
    """Searches whose counts follow from a formula. Like rows, they answer smaller limits, too."""

    def __init__(self) -> None:
        self.asked: dict[tuple[Configuration, int], float] = {}
        self.count = 0

    def counts(self, configuration: Configuration, number: int) -> int:
        values: Any = configuration.values
        hard = 100 * 2 ** (number % 7)
        factor = 1 + abs(math.log(values["weight"] / BEST))
        factor *= {"slow": 10, "fast": 1}[values["engine"]] * (1 + 0.3 * len({*values["parts"]} ^ {"b", "c"}))
        noise = 0.9 + 0.2 * ((hash((values["weight"], number)) % 97) / 97)
        return int(hard * factor * noise) + 1

    def spent(self) -> float:
        return self.count

    def mean_price(self) -> float:
        return 1.0

    def add(self, configurations: list[Configuration], _: str) -> list[Configuration]:
        return configurations

    def accepts(self, configurations: list[Configuration]) -> list[Configuration]:
        return configurations

    def ask(self, asked: Iterable[Ask]) -> list[BoundedValue]:
        outcomes = []
        for each in asked:
            key = each.configuration, each.number
            limit = math.inf if each.limit is None else math.floor(each.limit) + 1
            limit = self.asked[key] if each.limit == -1 else limit
            used = self.counts(*key)
            before = self.asked.get(key, 0)
            if limit > before and used >= before:
                self.count += 1
                self.asked[key] = limit
            is_capped = used >= limit
            outcomes.append(BoundedValue(limit if is_capped else used, is_capped, math.nan if is_capped else used))
        return outcomes


def raced(**changes: Any) -> tuple[Race, Planted, Configuration]:
    planted = Planted()
    race = Race(replace(SCENARIO, **changes), planted, 60)  # type: ignore[arg-type]
    return race, planted, race.run()


@pytest.mark.parametrize("seed", range(3))
def test_a_race_finds_what_was_planted_within_its_budget(seed: int) -> None:
    race, planted, best = raced(seed=seed)
    values: dict[str, Any] = {**best.values}
    assert values["engine"] == "fast"
    assert {"b", "c"} <= {*values["parts"]}
    assert 8 < values["weight"] < 50
    assert 0.9 * int(SCENARIO.budget) <= planted.count <= int(SCENARIO.budget)
    assert {number for _, number in planted.asked} == {*range(60)}  # no instance is unused
    assert race.history[-1].configuration == best
    assert [each.spent for each in race.history] == sorted(each.spent for each in race.history)


def test_most_configurations_that_are_far_behind_leave_after_two_instances() -> None:
    _, planted, _ = raced(seed=0)
    slow = {each for each, _ in planted.asked if each.values["engine"] == "slow"}
    slow.remove(Configuration.of(SCENARIO, SCENARIO.defaults))
    assert len(slow) > 10
    looks = [sum(each == one for one, _ in planted.asked) for each in slow]
    assert looks.count(FIRST_LOOK) > 0.9 * len(looks)


def test_a_race_is_a_function_of_its_seed_and_of_the_results() -> None:
    one, other = raced(seed=5), raced(seed=5)
    assert one[0].history == other[0].history
    assert one[1].asked == other[1].asked
    assert raced(seed=6)[1].asked != one[1].asked


def test_the_incumbent_has_no_value_that_a_limit_has_cut() -> None:
    race, planted, best = raced(seed=1)
    numbers = [number for configuration, number in planted.asked if configuration == best]
    outcomes = planted.ask([Ask(best, number, -1) for number in numbers])
    assert not any(each.is_capped for each in outcomes)
    assert race.history[-1].value == pytest.approx(np.mean([planted.counts(best, number) for number in numbers]))


def test_random_search_spends_its_budget_on_whole_training_sets() -> None:
    planted = Planted()
    race = Race(replace(SCENARIO, budget=300), planted, 60)  # type: ignore[arg-type]
    random_search(race)
    assert planted.count == 300
    assert len({configuration for configuration, _ in planted.asked}) == 5


def test_what_was_tried_is_compared_with_the_best_on_the_same_instances() -> None:
    one, two, three = (Configuration.of(SCENARIO, {"weight": each, "engine": "fast"}) for each in (18.0, 60.0, 22.0))
    planted = Planted()
    planted.ask(Ask(one, number) for number in range(14))
    planted.ask(Ask(two, number) for number in (0, 7))  # easy ones
    planted.ask(Ask(three, number) for number in (5, 6, 12, 13))  # hard ones
    found = nearest(planted, one)  # type: ignore[arg-type]
    assert found.index(three) < found.index(two)


def test_optuna_finds_what_was_planted_within_its_budget() -> None:
    pytest.importorskip("optuna")
    found = []
    for _ in range(2):
        planted = Planted()
        race = Race(replace(SCENARIO, by="optuna", budget=400), planted, 30)  # type: ignore[arg-type]
        found.append((OPTIMIZERS["optuna"](race), planted.asked))
        assert found[-1][0].values["engine"] == "fast"
        assert planted.count <= 400
        assert race.history[-1].value < race.history[0].value
    assert found[0] == found[1]


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # SMAC's own
def test_smac_keeps_its_budget_and_its_incumbent_is_not_worse_than_the_default() -> None:
    pytest.importorskip("smac")
    planted = Planted()
    race = Race(replace(SCENARIO, by="smac", budget=60), planted, 30)  # type: ignore[arg-type]
    OPTIMIZERS["smac"](race)
    assert planted.count <= 60
    assert race.history[-1].value <= race.history[0].value


def test_an_optimizer_that_is_not_installed_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    race = Race(replace(SCENARIO, by="optuna"), Planted(), 30)  # type: ignore[arg-type]
    with pytest.raises(
        UserError, match=r"tune.by: needs optuna; install it with: pip install 'search-runner\[tuners\]'"
    ):
        OPTIMIZERS["optuna"](race)


def test_friedman_keeps_what_is_not_worse() -> None:
    draw = np.random.default_rng(0)
    hard = draw.uniform(1, 100, 20)
    values = np.array([hard, hard * 1.0001, hard * 3, hard * 2])
    values[1, ::2] *= 0.999
    kept = survivors(values)
    assert kept == [0, 1]
    assert survivors(np.tile(hard, (3, 1))) == [0, 1, 2]
    assert survivors(values[[2, 0]]) == [1]
    assert survivors(np.array([hard, np.full(20, math.inf)])) == [0]
    assert mean_ranks(np.array([5.0, 1.0, 5.0])).tolist() == [2.5, 1.0, 2.5]
