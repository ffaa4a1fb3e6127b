"""Door of the checks: how a check is registered, and how what it finds is read."""

from __future__ import annotations

import inspect
import re
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Protocol, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from algorithms.interface import Algorithm
from heuristics.interface import Stack
from runner.base import PluginError, Registry, UserError, is_own_module, one_line
from runner.execution import Stopped

CheckKind = Literal["heuristic", "algorithm", "world"]
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


class CheckError(PluginError):
    """Check of a plug-in that raises an exception, or returns what no check returns. The message names the check."""


class CheckSubject(Protocol):
    """Argument of a check: an `Analysis`, a `Trial` or a `Sample`."""

    @property
    def start(self) -> int:
        """Number of the start state."""

    def size(self, counted: Counted) -> int:
        """Return the number of steps for ``"steps"``, and the number of states otherwise."""


class Found(NamedTuple):
    """Violations that a check finds in one instance.

    Attributes
    ----------
    places : ndarray of int64
        Numbers of the states or steps that violate the check; for checks on instances, the number of the start.
    messages : mapping of int to str
        Messages of the check about some of them.
    looked : str
        Description of the objects that a check of worlds has looked at; empty for all states of the sample.
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
        Whether a check of heuristics is of interest for a stack, and one of algorithms for an algorithm.
    kind : {"heuristic", "algorithm", "world"}
    """

    name: str
    claim: str
    counted: Counted
    function: Callable[[Any], Any]
    declared: Callable[[Any], bool | None]
    otherwise: str = "does not apply here"
    applies: Callable[[Any], bool] = lambda _: True
    kind: CheckKind = "heuristic"

    def __str__(self) -> str:
        return f"check of {self.kind}s '{self.name}'"

    @property
    def __wrapped__(self) -> Callable[[Any], Any]:
        """Function by which a registry tells two checks of one name apart."""
        return self.function

    def look(self, subject: CheckSubject) -> Found:
        """Return the violations that the check finds.

        Raises
        ------
        NotApplicable
            If the check does not apply to the instance.
        CheckError
            If the check returns anything else than violations, or if a check of a plug-in raises an exception. An
            exception in a check of worlds passes: it may come from the world.
        """
        found: list[Any] = []
        with self._naming_errors("failed"):
            try:
                returned = self.function(subject)
                if isinstance(returned, str) and self.kind == "world":
                    return Found(looked=returned)
                if isinstance(returned, np.ndarray):
                    return Found(self._numbers(returned, subject))
                found.extend(self._violations(returned))  # keeps those before an exception
            except Violation as violation:
                found.append(violation)
        places = [self._place(each, subject) for each in found]
        said = [(place, str(each)) for place, each in zip(places, found, strict=True) if isinstance(each, Violation)]
        return Found(np.unique(np.array(places, np.int64)), dict(reversed(said)))

    def is_declared(self, subject: CheckSubject) -> bool | None:
        """Return whether the property is declared to hold; None if nothing is declared.

        Raises
        ------
        CheckError
            As `look`.
        """
        with self._naming_errors("failed in declared="):
            declared = self.declared(subject)
        if declared is not None and not isinstance(declared, (bool, np.bool_)):
            raise CheckError(f"{self}: declared= returns {_shown(declared)}, but must return True, False or None")
        return None if declared is None else bool(declared)

    def is_for(self, part: Stack | Algorithm) -> bool:
        """Return whether a check of heuristics is of interest for a stack, and one of algorithms for an algorithm.

        Raises
        ------
        CheckError
            If `applies` of a plug-in raises an exception.
        """
        with self._naming_errors("failed in applies="):
            return bool(self.applies(part))

    @contextmanager
    def _naming_errors(self, problem: str) -> Iterator[None]:
        try:
            yield
        except (NotApplicable, Stopped, UserError):
            raise
        except BaseException as error:  # a plug-in may raise anything
            if self.kind == "world" or is_own_module(self.function.__module__):
                raise
            raise CheckError(f"{self} of a plug-in {problem}", error) from None

    def _violations(self, returned: Any) -> Iterable[Any]:
        """Return the violations that a function returns or yields."""
        if returned is None or isinstance(returned, Violation):
            return () if returned is None else (returned,)
        if isinstance(returned, str) or not isinstance(returned, Iterable):
            raise self._wrong(returned)
        return returned

    def _place(self, found: Any, subject: CheckSubject) -> int:
        """Return the number that a violation stands for."""
        place = found.place if isinstance(found, Violation) else found
        if place is None and isinstance(found, Violation):
            if self.counted == "steps":
                raise CheckError(f"{self} is of steps: give Violation(message, step) the number of a step")
            return subject.start
        if isinstance(place, bool) or not isinstance(place, (int, np.integer)):
            raise self._wrong(place)
        self._check_number(int(place), subject)
        return int(place)

    def _check_number(self, number: int, subject: CheckSubject) -> None:
        size = subject.size(self.counted)
        if not 0 <= number < size:
            raise CheckError(f"{self} gives the number {number} of a {self._unit}, but there are only 0 to {size - 1}")

    def _numbers(self, places: NDArray[Any], subject: CheckSubject) -> Integers:
        """Return the numbers of states or steps that an array contains, or that a mask marks."""
        if not places.size:
            return NONE
        if places.dtype == bool and places.shape == (subject.size(self.counted),):
            return np.flatnonzero(places)
        if places.ndim != 1 or places.dtype.kind not in "iu":
            raise self._wrong(places)
        for number in (places.min(), places.max()):
            self._check_number(int(number), subject)
        return np.unique(places.astype(np.int64))

    @property
    def _unit(self) -> str:
        return "step" if self.counted == "steps" else "state"

    def _wrong(self, given: Any) -> CheckError:
        allowed = f"None, Violation(message), numbers of {self._unit}s, or a mask of all {self._unit}s"
        text = ", or a text that says what it looked at" if self.kind == "world" else ""
        return CheckError(f"{self} gives {_shown(given)}; it may give {allowed}{text}")


def _shown(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of the shape {value.shape}"
    return one_line(reprlib.repr(value))


CHECKS: dict[CheckKind, Registry[Check]] = {kind: Registry(f"check of {kind}s") for kind in get_args(CheckKind)}


def checks_of(kind: CheckKind) -> list[Check]:
    """Return the checks of a kind in their order."""
    return [check for _, _, check in CHECKS[kind].entries()]


def check(
    kind: CheckKind,
    name: str,
    claim: str = "",
    *,
    counted: Counted = "instances",
    declared: Callable[[Any], bool | None] = lambda _: True,
    otherwise: str = Check.otherwise,
    applies: Callable[[Any], bool] = Check.applies,
) -> Callable[[Function], Function]:
    """Register a function as a check, which ``audit`` and ``check``, `runner.audit` and `runner.check_world` run.

    The function finds violations in one instance. It may yield them, return one or several, or raise the only one: as
    ``Violation(message)``, or as the number of a state. It may also return an array of numbers, or a mask of all
    states. It returns nothing if there is none, and raises ``NotApplicable(reason)`` if the check does not apply to the
    instance.

    - A check of heuristics takes an `Analysis`: ``h`` and ``h_star`` have the values of each state, in the engine's
      units, ``searched`` the states and steps, ``start`` the number of the start.
    - A check of algorithms takes a `Trial`: ``analysis``, ``algorithm`` and the ``result`` of its search.
    - A check of worlds takes a `Sample`: ``instance``, ``problem`` and ``states``, some states near the start. It may
      return a text on what it has looked at, such as "10 walks"; without one, these are all states.

    Parameters
    ----------
    kind : {"heuristic", "algorithm", "world"}
    name : str
        Name of the check in tables: letters, digits and _.
    claim : str, optional
        The property in a few words. Default: the first line of the docstring.
    counted : {"states", "steps", "instances"}
        Meaning of the numbers of violations. Of checks on instances they name states, and each instance counts once.
    declared : callable, optional
        Returns, for the argument of the check, whether the property is declared. A violation fails only then; None if
        nothing is declared. Default: always.
    otherwise : str, optional
        Reason of a ``NotApplicable`` without one.
    applies : callable, optional
        Whether a check of heuristics is of interest for a `Stack`, and one of algorithms for an algorithm. Default:
        always.

    Raises
    ------
    ValueError
        If there is no such kind or unit, or the name is not valid.
    NameTaken
        If another check has the name.

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
        raise ValueError(f"check '{name}': kind must be one of {', '.join(CHECKS)}, not {kind!r}")
    if not (isinstance(name, str) and re.fullmatch(r"\w+", name)):
        raise ValueError(f"check of {kind}s '{name}': expected a name of letters, digits and _")
    units = [unit for unit in get_args(Counted) if kind != "world" or unit != "steps"]  # a sample has no steps
    if counted not in units:
        raise ValueError(f"check of {kind}s '{name}': counted must be one of {', '.join(units)}, not {counted!r}")

    def register(function: Function) -> Function:
        text = claim or (inspect.getdoc(function) or name).partition("\n")[0].removesuffix(".")
        CHECKS[kind].add(name, Check(name, text, counted, function, declared, otherwise, applies, kind))
        return function

    return register
