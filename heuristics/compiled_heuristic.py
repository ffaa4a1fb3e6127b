"""Compiled heuristics from one function of a packed state."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args, get_origin

import numpy as np
from numpy.typing import NDArray

from heuristics.declared import Declared, register
from heuristics.interface import TERM, UNREACHABLE, Heuristic, Term, is_dead_end
from runner.base.errors import Incompatible, UserError
from runner.base.function_entry import Signature, check_name, signature_of
from worlds.compile.errors import MAX_COST, Part, error_code
from worlds.compile.kernel import Kernel, helper
from worlds.compile.operations import float_of
from worlds.in_place import InPlaceTerm
from worlds.interface import Instance, Problem, Unsolvable

if TYPE_CHECKING:
    from typing_extensions import Unpack

Function = TypeVar("Function", bound=Callable[..., Any])
Helper = Callable[..., Any]
Tables = Callable[..., NDArray[np.int64]]

ONE_WORD, ANY_WORDS = 2, 3
FORMS = {ONE_WORD: "(world, state)", ANY_WORDS: "(world, states, at)"}
"""The parameters without default, by their number: for states of one word, and of any number of words."""

NUMBA_TYPES = {bool: "boolean", int: "int64", float: "float64"}
"""Types of parameters in YAML."""


def no_tables(problem: Problem) -> NDArray[np.int64]:
    """Return no numbers, for functions of the world alone."""
    return np.zeros(0, np.int64)


def compiled_heuristic(
    name: str,
    *,
    domain: str,
    tables: Tables = no_tables,
    change: Helper | None = None,
    **declared: Unpack[Declared],
) -> Callable[[Function], Function]:
    """Register a function of a packed state as a heuristic that numba compiles.

    The function has one of two forms. It may call functions marked with `helper`, and stays a Python function.

    - ``function(world, state)`` for domains whose states take one word: `state` is that word, a uint64.
    - ``function(world, states, at)`` for states of any number of words: the state begins at index `at` of `states`.

    `world` is `Problem.world`, an array of int64. Further parameters, which must have defaults, are parameters of the
    heuristic in YAML. Their types are bool, int or float, by their type hint or their default.

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
        ``tables(problem)`` prepares a search: it returns an array of int64, which the function then finds in `world`,
        from the index ``world[-1]`` on. Further parameters, with defaults, are parameters in YAML, too. Their types are
        any that YAML has. Parameters that the function also takes have the same values.
    change : helper, optional
        Function that returns the change of the value by a move on a board in place (`worlds.in_place.InPlaceTerm`). Its
        table is the `world` of the function. The heuristic must then be positive and finite at all states that are no
        goals.
    **declared
        Properties, stack and checks, see `heuristics.declared.Declared`.

    Raises
    ------
    TypeError
        If the parameters of a function are of another form or type.
    """
    check_name("compiled_heuristic", name)

    def decorate(function: Function) -> Function:
        signature = _typed(name, function, signature_of("heuristic", name, function, FORMS))
        of_tables = signature_of("heuristic", name, tables, {1: "(problem)"})
        errors = tuple(
            error_code(f"the value of heuristic {name} is {what}") for what in ("negative", "not an integer")
        )
        kinds = tuple(map(_type_of, signature.hints.values()))
        # numba's cache pickles the annotations of functions of a script or notebook, and a range cannot be pickled
        function.__annotations__.update({key: _type_of(hint) for key, hint in signature.hints.items()})
        helper(function)

        def check(self: Heuristic, instance: Instance) -> None:
            declared.get("check", Heuristic.check)(self, instance)
            _packed(name, signature, self)
            if signature.required == ONE_WORD or instance.rules.expand_kernel is None:
                with suppress(Unsolvable):  # the search will report it
                    _words(name, signature, instance.problem())

        def term(self: Heuristic, problem: Problem) -> Term:
            kernel = _kernel(function, signature.required == ONE_WORD, kinds, _words(name, signature, problem), errors)
            params = world = problem.world
            if kinds or tables is not no_tables:
                made = of_tables.bound(tables, self)(problem)
                params = np.concatenate([world, made, _packed(name, signature, self), [world.size]])
            return Term(kernel, params, in_place=None if change is None else partial(InPlaceTerm, change, params))

        hints, defaults = signature.hints | of_tables.hints, signature.defaults | of_tables.defaults
        both = Signature(signature.required, hints | signature.hints, defaults | signature.defaults)
        register(name, domain, function, both, Heuristic, {**declared, "check": check}, term=term)
        return function

    return decorate


def _typed(name: str, function: Helper, signature: Signature) -> Signature:
    """Return the signature with the type of each parameter: its type hint, else the type of its default."""
    hints = {key: type(signature.defaults[key]) if hint is Any else hint for key, hint in signature.hints.items()}
    for key, kind in hints.items():
        if _type_of(kind) not in NUMBA_TYPES:
            allowed = ", ".join(each.__name__ for each in NUMBA_TYPES)
            raise TypeError(f"heuristic '{name}': parameter {key} is {kind}; a compiled function takes {allowed}")
    return replace(signature, hints=hints)


def _type_of(hint: Any) -> Any:
    """Return a type without its range."""
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _words(name: str, signature: Signature, problem: Problem) -> int:
    """Return the number of words of a state.

    Raises
    ------
    Incompatible
        If the function cannot read the states of the problem.
    """
    words = problem.initial.size
    if problem.calls_python:
        raise Incompatible(
            f"heuristic: {name} is a compiled function, and {problem.instance.domain} is a world in plain Python; use "
            "python_heuristic"
        )
    if signature.required == ONE_WORD and words > 1:
        raise Incompatible(
            f"heuristic: {name} takes {FORMS[ONE_WORD]}, for states of one word, and a state of {problem.instance.id} "
            f"takes {words}; write {FORMS[ANY_WORDS]}"
        )
    return words


def _packed(name: str, signature: Signature, heuristic: Heuristic) -> NDArray[np.int64]:
    """Return the values of the parameters as int64; floats as their bits.

    Raises
    ------
    UserError
        If an integer has more than 64 bits.
    """
    packed = np.zeros(len(signature.hints), np.int64)
    for index, (key, value) in enumerate(signature.values(heuristic).items()):
        try:
            packed[index] = np.float64(value).view(np.int64) if _type_of(signature.hints[key]) is float else value
        except OverflowError:
            raise UserError(f"heuristic: parameter {key} of {name} has more than 64 bits: {value}") from None
    return packed


@cache
def _kernel(function: Helper, takes_word: bool, kinds: tuple[type, ...], words: int, errors: tuple[int, ...]) -> Kernel:
    """Make the kernel of a function. In its params, the values of the parameters stand before the last number."""
    count, read = len(kinds), _reader(kinds)
    negative, not_an_integer = errors

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

    term.__qualname__ = f"compiled_heuristic.{function.__module__}.{function.__qualname__}.{words}"  # see `Kernel`
    state = "uint64" if takes_word else "uint64[::1], int64"
    arguments = ", ".join(["int64[::1]", state, *(NUMBA_TYPES[kind] for kind in kinds)])
    return Kernel(term, TERM, parts=[Part(function, f"({arguments})")])


@cache
def _reader(kinds: tuple[type, ...]) -> Helper:
    """Return the helper ``read(params, first)``, which returns parameters of the given types as a tuple."""
    if not kinds:

        def read(params, first):
            return ()
    else:
        others, kind, last = _reader(kinds[:-1]), kinds[-1], len(kinds) - 1

        def read(params, first):
            value = params[first + last]
            if kind is bool:
                return (*others(params, first), value != 0)
            if kind is float:
                return (*others(params, first), float_of(value))
            return (*others(params, first), value)

    read.__qualname__ = f"read.{'_'.join(kind.__name__ for kind in kinds)}"
    return helper(read)
