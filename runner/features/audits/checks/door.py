"""Door of the checks: how a check is registered, and how what it finds is read."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from heuristics.stack import Stack
from runner.base.registry import Registry

Kind = Literal["heuristic", "algorithm", "world"]
Counted = Literal["states", "steps", "instances"]
Integers = NDArray[np.int64]
NONE: Integers = np.empty(0, np.int64)
Function = TypeVar("Function", bound=Callable[[Any], Any])


class NotApplicable(Exception):
    """A check does not apply to an instance. The message is the reason, such as "the world has no predecessors"."""


class Violation(Exception):
    """An instance violates a check. A check raises, yields or returns it.

    Parameters
    ----------
    message : str
        How the instance violates the check.
    place : int, optional
        Number of the state or step. Default: the start.
    """

    def __init__(self, message: str, place: int | None = None) -> None:
        super().__init__(message)
        self.place = place


class Found(NamedTuple):
    """What a check finds in one instance.

    Attributes
    ----------
    places : ndarray of int64
        Numbers of the states or steps that violate the check; for checks on instances, the number of the start.
    messages : mapping of int to str
        What the check says about some of them.
    looked : str
        What a check of worlds has looked at; empty for all states of the sample.
    """

    places: Integers = NONE
    messages: Mapping[int, str] = MappingProxyType({})
    looked: str = ""


@dataclass(frozen=True)
class Check:
    """Property that a heuristic, an algorithm or a world may have.

    Attributes
    ----------
    name : str
    claim : str
        The property in a few words.
    counted : {"states", "steps", "instances"}
        Objects on which the property is checked.
    function : callable
        Function that `check` registers.
    declared : callable
        Returns, for the same argument, whether the property is declared to hold; None if nothing is declared.
    otherwise : str
        Why the check did not apply, if it does not say so.
    applies : callable
        Whether a check of heuristics is of interest for a stack.
    """

    name: str
    claim: str
    counted: Counted
    function: Callable[[Any], Any]
    declared: Callable[[Any], bool | None]
    otherwise: str = "does not apply here"
    applies: Callable[[Stack], bool] = lambda _: True

    @property
    def __wrapped__(self) -> Callable[[Any], Any]:
        """Function by which a registry tells two checks of one name apart."""
        return self.function

    def look(self, subject: Any) -> Found:
        """Return what the check finds.

        Raises
        ------
        NotApplicable
            If the check does not apply to the instance.
        """
        found: list[int | Violation] = []
        try:
            returned = self.function(subject)
            if isinstance(returned, str):
                return Found(looked=returned)
            if isinstance(returned, np.ndarray):
                return Found(returned)
            found.extend(() if returned is None else returned)  # keeps those before an exception
        except Violation as violation:
            found.append(violation)
        messages = {self._place(each, subject): str(each) for each in reversed(found) if isinstance(each, Violation)}
        return Found(np.array(sorted({self._place(each, subject) for each in found}), np.int64), messages)

    def _place(self, found: int | Violation, subject: Any) -> int:
        place = found.place if isinstance(found, Violation) else found
        if place is None and self.counted == "steps":
            raise ValueError(f"the check {self.name} is of steps: give Violation(message, step) the number of a step")
        return int(subject.start if place is None else place)


CHECKS: dict[Kind, Registry[Check]] = {kind: Registry(f"check of {kind}s") for kind in get_args(Kind)}


def checks_of(kind: Kind) -> list[Check]:
    """Return the checks of a kind in their order."""
    return [check for _, _, check in CHECKS[kind].entries()]


def check(
    kind: Kind,
    name: str,
    claim: str = "",
    *,
    counted: Counted = "instances",
    declared: Callable[[Any], bool | None] = lambda _: True,
    otherwise: str = Check.otherwise,
    applies: Callable[[Stack], bool] = Check.applies,
) -> Callable[[Function], Function]:
    """Register a function as a check, which ``audit`` and ``check``, `runner.audit` and `runner.check_world` run.

    The function finds violations in one instance. It may yield them, return them, or raise the only one: as
    ``Violation(message)``, or as the number of a state. It returns nothing if there is none, and raises
    ``NotApplicable(reason)`` if the check does not apply to the instance.

    - A check of heuristics takes an `Analysis`: ``h`` and ``h_star`` have the values of each state, in the engine's
      units, ``searched`` the states and steps, ``start`` the number of the start.
    - A check of algorithms takes a `Trial`: ``analysis``, ``algorithm`` and the ``result`` of its search.
    - A check of worlds takes a `Sample`: ``instance``, ``problem`` and ``states``, some states near the start. It may
      return a text on what it has looked at, such as "10 walks"; without one, these are all states.

    Parameters
    ----------
    kind : {"heuristic", "algorithm", "world"}
    name : str
        Name of the check in tables.
    claim : str, optional
        The property in a few words. Default: the first line of the docstring.
    counted : {"states", "steps", "instances"}
        What the numbers of violations stand for.
    declared : callable, optional
        Returns, for the argument of the check, whether the property is declared. A violation fails only then; None if
        nothing is declared. Default: always.
    otherwise : str, optional
        Reason of a ``NotApplicable`` without one.
    applies : callable, optional
        Whether a check of heuristics is of interest for a `Stack`. Default: always.

    Raises
    ------
    ValueError
        If there is no such kind, or another check has the name.

    Examples
    --------
    A heuristic that is never above 40::

        @check("heuristic", "at_most_40", "h <= 40 at every state", counted="states")
        def above_40(analysis):
            return numpy.flatnonzero(analysis.h > 40)

    An algorithm that expands no more nodes than there are states::

        @check("algorithm", "expands_once", "no state is expanded twice")
        def expanded_again(trial):
            if trial.result.expanded > trial.analysis.states:
                yield Violation(f"{trial.result.expanded} expansions of {trial.analysis.states} states")

    A world without dead ends::

        @check("world", "has_no_dead_ends")
        def dead_ends(sample):
            for state in sample.states:
                if not sample.problem.successors(state):
                    yield Violation(f"no step leads on from {sample.show(state)}")
    """
    if kind not in CHECKS:
        raise ValueError(f"kind must be one of {', '.join(CHECKS)}, not {kind!r}")

    def register(function: Function) -> Function:
        text = claim or (inspect.getdoc(function) or name).partition("\n")[0].removesuffix(".")
        CHECKS[kind].add(name, Check(name, text, counted, function, declared, otherwise, applies))
        return function

    return register
