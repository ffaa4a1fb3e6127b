"""States of a task at the ends of random walks from the start."""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray

from worlds.compile import raise_on_error
from worlds.interface import Problem
from worlds.pddl.packing import Packing
from worlds.pddl.search import MAX_APPLICABLE, constants_of, expand

_STEPS_WITHOUT_ESTIMATE = 10


def sampled_states(problem: Problem, packing: Packing, count: int, estimate: float, seed: int) -> NDArray[np.int64]:
    """Return the values of the variables in sampled states, one state in each row; the first one is the start.

    The lengths of the walks have a binomial distribution, whose mean is twice the estimated number of steps to the
    goal. Source: Haslum, Botea, Helmert, Bonet and Koenig, AAAI 2007.

    Parameters
    ----------
    estimate : float
        Estimated cost of a plan.
    """
    source = random.Random(seed)
    operators = packing.task.operators
    mean_cost = sum(operator.cost for operator in operators) / max(1, len(operators))
    most_steps = 4 * int(np.ceil(estimate / mean_cost)) if estimate and mean_cost else 2 * _STEPS_WITHOUT_ESTIMATE
    states = [problem.initial]
    walk = _RandomWalk(packing)
    for _ in range(count - 1):
        steps = sum(source.getrandbits(1) for _ in range(most_steps))
        states.append(walk.end(problem.initial, steps, source))
    words = np.array(states)
    columns = [(words[:, word] >> np.uint64(shift)) & np.uint64(mask) for word, shift, mask in packing.fields]
    return np.array(columns, np.int64).T


class _RandomWalk:
    """Random walks, and the memory that they use."""

    def __init__(self, packing: Packing) -> None:
        self._constants = constants_of(packing)
        most = max(1, int(self._constants[MAX_APPLICABLE]))
        self._out = np.zeros((most, packing.words), np.uint64)
        self._costs, self._actions = np.zeros(most, np.int32), np.zeros(most, np.int16)

    def end(self, start: NDArray[np.uint64], steps: int, source: random.Random) -> NDArray[np.uint64]:
        """Return the state after some steps. A walk that gets stuck begins again."""
        state = start
        for _ in range(steps):
            successors = expand.compiled(
                self._constants, state, 0, self._out.reshape(-1), 0, self._costs, self._actions, 0
            )
            raise_on_error(successors)
            state = self._out[source.randrange(successors)].copy() if successors else start
        return state
