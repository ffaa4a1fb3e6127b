"""Door of compiled heuristics: makes a registered heuristic, with its kernel, of one function of a packed state."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from heuristics.interface.decorators import NUMBA_TYPES, HeuristicDeclaration, compiled_signature, register, type_of
from heuristics.interface.heuristic import TERM, UNREACHABLE, Heuristic, Term, is_dead_end
from runner.base import Incompatible, Signature, UserError, check_name, merged, signature_of
from worlds.compile import MAX_COST, Kernel, Part, error_code, helper, named
from worlds.interface import Helper, InPlaceTerm, Instance, Problem, Unsolvable

if TYPE_CHECKING:
    from typing_extensions import Unpack

Function = TypeVar("Function", bound=Callable[..., Any])
Tables = Callable[..., NDArray[np.int64]]

ONE_WORD, ANY_WORDS = 2, 3
FORMS = {ONE_WORD: "(constants, state)", ANY_WORDS: "(constants, states, at)"}
"""The parameters without default, by their number: for states of one word, and of any number of words."""
BACKWARD_FORMS = {ONE_WORD + 1: "(constants, state, start)", ANY_WORDS + 1: "(constants, states, at, start)"}
"""The same of a function that estimates the cost from the start."""


def no_tables(problem: Problem) -> NDArray[np.int64]:
    """Return no numbers, for functions of the world alone."""
    return np.zeros(0, np.int64)


def compiled_heuristic(
    name: str = "",
    *,
    domain: str | None = None,
    tables: Tables = no_tables,
    change: Helper | None = None,
    backward: Helper | None = None,
    **declared: Unpack[HeuristicDeclaration],
) -> Callable[[Function], Function]:
    """Register a function of a packed state as a heuristic that numba compiles.

    The function has one of two forms. It may call functions marked with `helper`, and stays a Python function.

    - ``function(constants, state)`` for domains whose states take one word: `state` is that word, a uint64.
    - ``function(constants, states, at)`` for states of any number of words: the state begins at index `at` of `states`.

    `constants` is `Problem.constants`, an array of int64. Further parameters, which must have defaults, are parameters
    of the heuristic in YAML. Their types are bool, int or float, by their type hint or their default.

    The function returns an integer of at least 0 (also as a float), or ``math.inf`` or `UNREACHABLE` for a dead end.
    Sums with `UNREACHABLE` are dead ends, too. All other values are finite, and stop at 2^30, the limit of the engine.
    A search that meets a negative value, or a fraction, ends with an error that names the heuristic.

    Parameters
    ----------
    name : str
        Name in configurations.
    domain : str
        Domain of the worlds that it estimates.
    tables : callable, optional
        ``tables(problem)`` prepares a search: it returns an array of int64, which the function then finds in
        `constants` from the index ``constants[-1]`` on. Further parameters, with defaults, are parameters in YAML, too.
        Their types are any that YAML has. Parameters that the function also takes have the same values.
    change : helper, optional
        Function that returns the change of the value by a move on a board in place
        (`worlds.interface.in_place.InPlaceTerm`). Its table is the `constants` of the function. The heuristic must then
        be positive and finite at all states that are no goals.
    backward : callable, optional
        Function that estimates the cost from the start to a state, for searches that go back from the goals:
        ``backward(constants, state, start)``, where `start` is the word of the start, or ``backward(constants, states,
        at, start)``, where it is the array of the words of the start. The declared properties hold for both functions.
        Further parameters, with defaults, are parameters in YAML, too; those that both functions have, have the same
        values.
    **declared
        Properties, stack and checks, see `heuristics.interface.decorators.HeuristicDeclaration`.

    Raises
    ------
    TypeError
        If the parameters of a function are of another form or type.
    """
    check_name("runner.compiled_heuristic", name, domain=domain)
    assert domain is not None

    def decorate(function: Function) -> Function:
        forward = _HeuristicFunction.of(name, function, FORMS)
        from_start = None if backward is None else _HeuristicFunction.of(name, backward, BACKWARD_FORMS)
        estimates = [forward] if from_start is None else [from_start, forward]
        of_tables = signature_of("heuristic", name, tables, {1: "(problem)"})

        def check(self: Heuristic, instance: Instance) -> None:
            declared.get("check", Heuristic.check)(self, instance)
            for estimate in estimates:
                estimate.check(self, instance)

        def params_of(self: Heuristic, estimate: _HeuristicFunction, problem: Problem) -> NDArray[np.int64]:
            if not (estimate.signature.hints or estimate is from_start or tables is not no_tables):
                return problem.constants
            start = [problem.initial.view(np.int64)] if estimate is from_start else []
            tables_of_problem = of_tables.bound(tables, self)(problem)
            parameters = estimate.parameters(self)
            return np.concatenate([problem.constants, tables_of_problem, *start, parameters, [problem.constants.size]])

        def term(self: Heuristic, problem: Problem) -> Term:
            params = params_of(self, forward, problem)
            in_place = None if change is None else partial(InPlaceTerm, change, params)
            return Term(forward.kernel(problem), params, in_place=in_place)

        def backward_term(self: Heuristic, problem: Problem) -> Term:
            assert from_start is not None
            return Term(from_start.kernel(problem), params_of(self, from_start, problem))

        parameters = merged(of_tables, *(estimate.signature for estimate in estimates))
        methods = {"term": term, "backward_term": None if from_start is None else backward_term}
        register(name, domain, function, parameters, Heuristic, {**declared, "check": check}, **methods)
        return function

    return decorate


@dataclass(frozen=True)
class _HeuristicFunction:
    """Function of a heuristic: it estimates the cost to a goal, or from the start.

    Attributes
    ----------
    name : str
        Name of the heuristic.
    function : helper
    forms : dict
        Its possible parameters without default: for states of one word, and of any number of words.
    signature : Signature
        Its parameters, with the type of each.
    """

    name: str
    function: Helper
    forms: dict[int, str]
    signature: Signature

    @classmethod
    def of(cls, name: str, function: Helper, forms: dict[int, str]) -> _HeuristicFunction:
        """Mark a function as a helper.

        Raises
        ------
        TypeError
            If its parameters are of another form or type.
        """
        what = "the function" if forms is FORMS else "the function of `backward`"
        signature = signature_of("heuristic", name, function, forms, what)
        return cls(name, function, forms, compiled_signature(f"heuristic '{name}'", function, signature))

    @property
    def takes_word(self) -> bool:
        """Whether it takes states of one word."""
        return self.signature.required == min(self.forms)

    def check(self, heuristic: Heuristic, instance: Instance) -> None:
        """Raise `UserError` for a parameter of more than 64 bits, or states that the function cannot read."""
        self.parameters(heuristic)
        if self.takes_word or instance.world.kernels is None:
            with suppress(Unsolvable):  # the search will report it
                self.words(instance.problem())

    def words(self, problem: Problem) -> int:
        """Return the number of words of a state.

        Raises
        ------
        Incompatible
            If the function cannot read the states of the problem.
        """
        words = problem.initial.size
        if problem.calls_python:
            raise Incompatible(
                f"heuristic: {self.name} is a compiled function, and {problem.world.domain} is a world in plain "
                "Python; use python_heuristic"
            )
        if self.takes_word and words > 1:
            one_word, any_words = self.forms.values()
            raise Incompatible(
                f"heuristic: {self.name} takes {one_word}, for states of one word, and a state of "
                f"{problem.instance.id} takes {words}; write {any_words}"
            )
        return words

    def parameters(self, heuristic: Heuristic) -> NDArray[np.int64]:
        """Return the values of the parameters as int64; floats as their bits.

        Raises
        ------
        UserError
            If an integer has more than 64 bits.
        """
        hints = self.signature.hints
        packed = np.zeros(len(hints), np.int64)
        for index, (key, value) in enumerate(self.signature.values(heuristic).items()):
            try:
                packed[index] = np.float64(value).view(np.int64) if type_of(hints[key]) is float else value
            except OverflowError:
                raise UserError(f"heuristic: parameter {key} of {self.name} has more than 64 bits: {value}") from None
        return packed

    def kernel(self, problem: Problem) -> Kernel:
        """Return the kernel for the states of a problem."""
        kinds = tuple(map(type_of, self.signature.hints.values()))
        words = self.words(problem)
        has_start = self.forms is BACKWARD_FORMS
        return _kernel(self.name, self.function, self.takes_word, has_start, kinds, words)


@cache
def _kernel(
    name: str, function: Helper, takes_word: bool, has_start: bool, kinds: tuple[type, ...], words: int
) -> Kernel:
    """Make the kernel of a function.

    In its params, the start, if the function takes it, and the values of the parameters stand before the last number.
    """
    count = len(kinds)
    start_code = "np.uint64(params[first - 1])" if takes_word else f"params[first - {words} : first].view(np.uint64)"
    read = _reader(kinds, start_code if has_start else "")
    negative, not_an_integer = (
        error_code(f"the value of heuristic {name} is {problem}") for problem in ("negative", "not an integer")
    )

    def term(params, states, parent_at, parent_h, out, out_at, action, h, slot, n):
        values = read(params, params.size - 1 - count)
        for k in range(n):
            at = out_at + k * words
            # numba removes the branch that is not taken before it looks at types
            value = function(params, out[at], *values) if takes_word else function(params, out, at, *values)
            if 0 <= value <= MAX_COST:  # the usual case takes one comparison
                whole = np.int64(value)
                if whole != value:
                    return not_an_integer
                h[slot + k] += whole
            elif is_dead_end(value):
                h[slot + k] += UNREACHABLE
            elif value < 0:
                return negative
            elif value == np.floor(value):
                h[slot + k] += MAX_COST
            else:
                return not_an_integer
        return 0

    form = "from_start" if has_start else "to_goal"
    named(term, f"{function.__name__[:40]}.{form}", function, words, kinds, negative, not_an_integer)
    state, start = ("uint64", "uint64") if takes_word else ("uint64[::1], int64", "uint64[::1]")
    arguments = ", ".join(["int64[::1]", state, *[start] * has_start, *(NUMBA_TYPES[kind] for kind in kinds)])
    return Kernel(term, TERM, parts=[Part(function, f"({arguments})")])


_READ = {bool: "params[{}] != 0", int: "params[{}]", float: "np.int64(params[{}]).view(np.float64)"}
"""Code that reads a parameter of a type, which `_HeuristicFunction.parameters` has packed."""


def _reader(kinds: tuple[type, ...], start: str) -> Helper:
    """Return the helper ``read(params, first)``: the start by its code, if any, and the parameters from `first` on.

    Its code names each of them, because numba must know the type of each item of a tuple.
    """
    items = [*filter(None, [start]), *(_READ[kind].format(f"first + {index}") for index, kind in enumerate(kinds))]
    read: Helper = eval(f"lambda params, first: ({''.join(f'{item}, ' for item in items)})", {"np": np})
    return helper(named(read, "read", *items))
