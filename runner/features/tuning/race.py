"""Iterated racing, with limits that make it cheaper.

The method is that of Lopez-Ibanez, Dubois-Lacoste, Perez Caceres, Birattari and Stuetzle, "The irace package: iterated
racing for automatic algorithm configuration", Operations Research Perspectives 3 (2016).

A race never looks at the disk: it asks for searches, and everything else follows from their outcomes and the
seed. So a race that is repeated on recorded rows makes the same decisions.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from runner.base import UserError
from runner.features.reports import Numbers
from runner.features.tuning.configurations import Configuration, Model, sampled
from runner.features.tuning.elimination import survivors
from runner.features.tuning.scenario import FIRST_TEST, Scenario
from runner.features.tuning.searches import SLACK, Ask, BoundedValue, Searches

FIRST_LOOK = 2
"""Number of instances after which configurations that are far behind on all of them leave a race."""
_PATIENCE = 3
"""Number of blocks without an elimination after which a race ends: further ones would compare equals."""


class Incumbent(NamedTuple):
    """Best configuration known when a part of the budget was spent, and its mean value on `instances` instances."""

    spent: float
    configuration: Configuration
    value: float
    instances: int


@dataclass
class Race:
    """Iterated race of a scenario.

    Attributes
    ----------
    results : Searches
        Answers and makes searches.
    instances : int
        Number of training instances.
    on_change : callable
        Called with each new entry of `history`.
    history : list of Incumbent
        Incumbents in the order in which they were found.
    elites : list of Configuration
        Configurations that survived the last race, the best first.
    """

    scenario: Scenario
    results: Searches
    instances: int
    on_change: Callable[[Incumbent], None] = lambda _: None
    history: list[Incumbent] = field(default_factory=list)
    elites: list[Configuration] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._draw = random.Random(self.scenario.seed)
        self.order = [*range(self.instances)]
        self._draw.shuffle(self.order)
        self._seen: list[int] = []
        self.kept = self.iterations = 2 + int(math.log2(len(self.scenario.parameters)))
        self._incumbent = Configuration.of(self.scenario, self.scenario.defaults)
        self._models = {self._incumbent: Model.first(self.scenario, self._incumbent)}  # of all that were sampled
        self._iteration = 0

    def check_budget(self) -> None:
        """Raise `UserError` if the budget is below what the first races need.

        These are more configurations than survive, on the first instances; of a time, in one race. For random search,
        the default on all instances.
        """
        budget, is_time = self.scenario.budget_value
        one = (self.kept + 1) * 2 * FIRST_TEST
        searches = one if is_time else min(one * self.iterations + self.instances, 2 * one * self.iterations)
        searches = searches if self.scenario.by == "race" else self.instances
        needed = searches * self.results.mean_price()
        if budget < needed:
            what = f"about {needed:.3g} s" if is_time else f"{needed:.0f} searches"
            raise UserError(f"tune.budget: the first race needs {what}; expected at least as many, got {budget:g}")

    def run(self) -> Configuration:
        """Run all races, and return the best configuration."""
        budget, is_time = self.scenario.budget_value
        self.elites = [self._incumbent]
        if is_time:  # how long a search takes; the first one starts workers and compiles
            for part in (self.order[:1], self.order[1:FIRST_TEST]):
                self.results.ask(Ask(self._incumbent, number) for number in part)
        self.check_budget()
        while self._iterate():
            pass
        self._race(self.elites, budget, to_the_end=True)
        while self._iterate():  # with what is left
            pass
        return self.elites[0]

    def _iterate(self) -> bool:
        """Sample configurations and race them with the elites; return whether the budget allows that.

        The iterations share the budget. Those beyond their number have all that is left, and sample uniformly, too, so
        that a wrong start is left. As many configurations as instances for each are paid for, so that a large budget
        finds out which are better. What the elites need to run on the instances that are left is kept.
        """
        budget, _ = self.scenario.budget_value
        price = self.results.mean_price()
        reserve = min(budget / 2, len(self.elites) * (self.instances - len(self._seen)) * price)
        left = budget - self.results.spent() - reserve
        self._iteration += 1
        share = left / max(1, self.iterations - self._iteration + 1)
        is_left = len(self._seen) < self.instances
        elites = len(self.elites) * FIRST_TEST * is_left * price  # on the new block; the others are known
        per_configuration = (FIRST_TEST + min(FIRST_TEST, self._iteration)) * price
        share = share if share >= elites + per_configuration else left
        wanted = int(min((share - elites) / per_configuration, math.sqrt(max(0.0, share - elites) / price)))
        if wanted < 1:
            return False
        models = [self._models[each] for each in self.elites if self._iteration > 1]
        for model in models:
            model.narrow(self.scenario, wanted, self._iteration, max(self._iteration, self.iterations))
        if not 1 < self._iteration <= self.iterations:
            models.append(Model.first(self.scenario, Configuration(())))
        made = sampled(self.scenario, models, wanted, self._models, self._draw)
        self._models |= {each: parent.child(each) for each, parent in made}
        new = self.results.accepts([each for each, _ in made])
        if new:
            self._race([*self.elites, *new], self.results.spent() + share)
        return bool(new)

    def _race(self, candidates: Sequence[Configuration], until: float, *, to_the_end: bool = False) -> None:
        """Race configurations, the elites first, until a part of the budget is spent or few are left.

        The instances are a block that no elite has seen, those that the elites have seen, and further new ones. Elites
        stay until the others have run on all instances that the elites have seen.
        """
        elites = {*self.elites}
        fresh = [number for number in self.order if number not in {*self._seen}]
        seen = self._draw.sample(self._seen, len(self._seen))
        first = 0 if to_the_end else FIRST_TEST
        order = [*fresh[:first], *seen, *fresh[first:]]
        must = min(len(order), max(FIRST_TEST, first + len(seen)))
        alive, done, last_change = [*candidates], list[int](), 0
        while len(done) < len(order):
            is_settled = len(alive) <= self.kept or len(done) - last_change >= _PATIENCE * FIRST_TEST
            if len(done) >= must and (is_settled if not to_the_end else len(alive) == 1 and not fresh):
                break
            size = FIRST_TEST - len(done) % FIRST_TEST if done or to_the_end else FIRST_LOOK
            block = order[len(done) : len(done) + size]
            price = self.results.mean_price()
            if to_the_end:  # the incumbent runs on all instances, the others as long as the budget allows that
                left = until - self.results.spent() - price * (len(order) - len(done) - len(block))
                alive.sort(key=lambda each: each != self._incumbent)
                del alive[max(1, int(left / price / len(block))) :]
            if done and self.results.spent() + len(block) * len(alive) * price > until:
                break
            self._run(alive, block)
            done += block
            values = self._values(alive, done)
            if len(done) >= must:
                self._settle(alive, done)
            kept, count = self._kept(alive, values), len(alive)
            alive = [each for row, each in enumerate(alive) if row in kept or (len(done) < must and each in elites)]
            last_change = len(done) if len(alive) < count else last_change
        if len(done) >= must:  # otherwise the budget has ended before the others could be compared with the elites
            self._settle(alive, done)
            order_of = dict(zip(alive, self._values(alive, done).mean(axis=1).tolist(), strict=True))
            alive.sort(key=lambda each: (each != self._incumbent, order_of[each]))
            self.elites = alive[: self.kept]
            self._seen = done

    def _run(self, alive: Sequence[Configuration], block: Sequence[int]) -> None:
        """Run configurations on instances: the incumbent first, whose results limit the others."""
        if self.scenario.capping:
            self.results.ask(Ask(self._incumbent, number) for number in block)
        self.results.ask(Ask(each, number, self._cap(number)) for each in alive for number in block)

    def _cap(self, number: int) -> float | None:
        """Return the limit of other searches of an instance: the count of the incumbent times the slack."""
        if not self.scenario.capping:
            return None
        (found,) = self.results.ask([Ask(self._incumbent, number)])
        return None if math.isnan(found.used) else found.used * self.scenario.capping

    def _values(self, alive: Sequence[Configuration], done: Sequence[int]) -> Numbers:
        return np.array([[found.value for found in self._known(each, done)] for each in alive], np.float64)

    def _known(self, configuration: Configuration, done: Sequence[int]) -> list[BoundedValue]:
        """Return the values of searches that have been made, at the largest limit that they had."""
        return self.results.ask(Ask(configuration, number, -1) for number in done)

    def _kept(self, alive: Sequence[Configuration], values: Numbers) -> set[int]:
        """Return the rows of values that stay in the race, among them that of the incumbent.

        Before the first test, those that are within the slack of the incumbent and of the best quarter on one instance.
        Later, those that pass the test and, from the second one on, whose bounds do not exceed the sum of the incumbent
        by half of the slack: with few instances, one that is hard for all would decide.
        """
        place, count = alive.index(self._incumbent), values.shape[1]
        if count < FIRST_TEST:
            good = np.minimum(values[place], np.sort(values, axis=0)[len(alive) // 4])
            near = good + ((self.scenario.capping or SLACK) - 1) * np.abs(good)
            return {*np.flatnonzero((values <= near).any(axis=1)).tolist(), place}
        kept = {*survivors(values), place}
        if self.scenario.capping and count >= 2 * FIRST_TEST:
            sums = values.sum(axis=1)
            kept &= {*np.flatnonzero(sums <= sums[place] * math.sqrt(self.scenario.capping)).tolist()}
        return kept

    def _settle(self, alive: Sequence[Configuration], done: Sequence[int]) -> None:
        """Make the configuration with the least mean the incumbent.

        If some of its values are bounds, they are searched again, with the limit from which on its mean is the larger
        one. So the comparison is exact.
        """
        place = alive.index(self._incumbent)
        while True:
            sums = self._values(alive, done).sum(axis=1)
            best = place if sums[place] <= sums.min() else int(sums.argmin())
            capped = [
                (number, each)
                for number, each in zip(done, self._known(alive[best], done), strict=True)
                if each.is_capped
            ]
            if best == place or not capped:
                break
            spare = float(sums[place] - sums[best])
            for number, each in capped:
                limit = each.value + max(spare, each.value / 1000)  # of a time, a limit that is not the same again
                (found,) = self.results.ask([Ask(alive[best], number, limit)])
                spare -= found.value - each.value
                if spare < 0:
                    break
        self._incumbent = alive[best]
        self.note(alive[best], float(sums[best] / len(done)), len(done))

    def note(self, configuration: Configuration, value: float, instances: int) -> None:
        """Add to the history the best configuration, with its mean value on a number of instances, if it is news."""
        entry = Incumbent(self.results.spent(), configuration, value, instances)
        if not self.history or self.history[-1][1::2] != entry[1::2]:
            self.history.append(entry)
            self.on_change(entry)
