"""The functions of the public API (`runner`) that search, and what they share."""

from __future__ import annotations

import math
import reprlib
import signal
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from algorithms.engine import Limiter, Limits
from algorithms.interface import declaring
from heuristics.interface import Entries, Stack, stack_of_entries
from runner.base import Result, UserError, error_text, message
from runner.config import SearchParts, load_plugins, source_of
from runner.execution import Solver, Stop
from runner.records import code_of
from worlds.interface import Instance, Unsolvable, checked_instance

if TYPE_CHECKING:
    from pandas import DataFrame


def load(world: str, **parameters: Any) -> list[Instance]:
    """Return the instances of a source.

    Parameters
    ----------
    world : str
        Name of the source, for example ``"wumpus/static"``.
    **parameters
        Parameters of the source, as in its YAML file.

    Raises
    ------
    runner.UserError
        If a name or parameter is unknown, a value is not allowed, or a file cannot be read.
    """
    load_plugins()
    source = source_of({"name": world, **parameters}).refusing()
    source.check()
    return list(source.instances())


def solve(
    instance: Instance,
    algorithm: str | Mapping[str, Any] = "astar",
    heuristic: Entries = (),
    weighting: float | str | Mapping[str, Any] | None = None,
    *,
    combine: str | Mapping[str, Any] = "sum",
    limits: Mapping[str, Any] | Limits | None = None,
) -> Result:
    """Search one instance.

    Parameters
    ----------
    instance : Instance
        One of the instances that `load` returns.
    algorithm : str or mapping
        Name, or mapping with `name` and parameters.
    heuristic : list or str
        List of heuristics: names, or mappings with `name` and parameters. A single text is the name of a documented
        stack, as in ``heuristic=...`` on the command line.
    weighting : float, str or mapping, optional
        Constant weight, name of a weighting, or mapping with `name` and parameters.
    combine : str or mapping
        How the values of several heuristics are combined: ``"sum"``, ``"max"``, or a combination of the domain by its
        name, or as a mapping with `name` and parameters.
    limits : mapping, optional
        `time`, `cpu` and `call` (seconds, or a text such as "10s"), `nodes` (expansions), `memory` (bytes, or a text
        such as "1GiB"), `solutions`.

    Returns
    -------
    Result
        Result of the search. If the search raises an exception, its status is "error".

    Raises
    ------
    runner.UserError
        If an argument is not valid.
    KeyboardInterrupt
        On Ctrl-C, even if the search has just ended.
    """
    load_plugins()
    domain = checked_instance(instance).world.domain
    search = SearchParts.of(domain, algorithm, heuristic, weighting, combine).fitted([instance])
    assert search.algorithm is not None
    bounds = limits if isinstance(limits, Limits) else Limits.of(limits or {})
    code = code_of((instance.world, search.algorithm, *search.stack.parts, search.weighting))
    solver = Solver(search.algorithm, search.stack, search.weighting, bounds, search.declared, code)
    search.stack.build(instance, _say_building)
    stop = Stop(second=signal.default_int_handler)
    with stop.listening(), closing(solver):
        attempt = solver.attempt(instance)
        attempt.warm()
        result = attempt.result(lambda _: stop.requested)
    if stop.requested:
        raise KeyboardInterrupt
    return result


def heuristic(
    instance: Instance, stack: Entries, *, combine: str | Mapping[str, Any] = "sum"
) -> Callable[[Any], float]:
    """Return a heuristic as a function of states.

    Returns
    -------
    callable
        Takes a state, as made by `World.state`. Returns a cost, or ``math.inf`` for a dead end. If the
        heuristics prove the instance unsolvable, it returns ``math.inf`` for every state.

    Raises
    ------
    runner.UserError
        If an argument is not valid.
    """
    load_plugins()
    chosen = stack_of_entries(checked_instance(instance).world.domain, stack, combine)
    for part in chosen.heuristics:
        part.check(instance)
    chosen.build(instance, _say_building)
    try:
        bound = chosen.prepare(instance.problem())
    except Unsolvable:
        return lambda _: float("inf")
    scale = instance.world.engine_scale
    is_described = False
    with suppress(Exception):  # other worlds describe states by several values
        instance.world.state(bound.problem.unpack(bound.problem.initial))
        is_described = True

    def value(state: Any) -> float:
        try:
            words = bound.problem.pack(state)
            if is_described and not isinstance(state, np.ndarray):
                instance.world.state(state)
        except UserError:
            raise
        except Exception as error:  # of the user's world
            raise UserError(f"h: {reprlib.repr(state)} is no state of {instance.id}: {error_text(error)}") from error
        h = bound.evaluate(words)
        return h if scale == 1 or h == math.inf else instance.world.user_cost(int(h))

    return value


def levels(instance: Instance, *, save: bool = False) -> DataFrame:
    """Return the number of states at each distance from the goals, by a search of the complete space.

    Parameters
    ----------
    save : bool
        Store the search in the user's cache directory now and then, and continue a stored one.

    Returns
    -------
    DataFrame
        Columns `depth` and `states`.

    Raises
    ------
    runner.UserError
        If the world does not number all states (see the algorithm `frontier`).
    """
    from pandas import DataFrame

    algorithm = declaring(counts_levels=True)(save=save)
    algorithm.check(instance)
    search = algorithm.start(Stack().prepare(instance.problem()), None)
    search.run(Limiter(Limits()))
    return DataFrame({"depth": range(len(search.levels)), "states": search.levels})


def _say_building(title: str, share: float) -> None:
    if share == 0:
        message(f"building the {title} (once)")
