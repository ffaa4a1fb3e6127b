"""Networks in ONNX files as heuristics, in every domain whose states have arrays (`worlds.interface.StateArrays`).

A file is data: it is bounded, has all its numbers inside, and runs operators of onnxruntime only. The extra `onnx` has
onnxruntime, which is imported when a model is read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from heuristics.interface import HEURISTICS, UNREACHABLE, Checked, Heuristic, Scale, Term, callback_term
from runner.base import (
    Incompatible,
    UserError,
    file_error,
    limited,
    one_line,
    optional_module,
    parameters_of,
    read_bytes,
    suggest,
)
from worlds.compile import MAX_COST, keep
from worlds.interface import Instance, Kernels, OutOfTime, Problem, StateArrays, Unsolvable, Words

DOMAINS = ("gridmap", "hanoi", "npuzzle", "pacman", "pancake", "pddl", "rubik", "topspin")
"""Domains whose states have arrays."""
KINDS = ("values", "one_hot", "facts", "image")
"""Arrays of states that can be inputs. Those that a world has are attributes of its `StateArrays`."""
MAX_BYTES = 256 << 20
_onnxruntime = partial(optional_module, "onnxruntime", "heuristic: onnx", "onnx")
_MAX_NUMBERS = 1 << 24
"""Most numbers of an input in one call: states with more are evaluated in several."""
_NUMBERS = ("float16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool")
_TYPES = {f"tensor({name})": np.dtype(name) for name in _NUMBERS}
_TYPES |= {"tensor(float)": np.dtype("float32"), "tensor(double)": np.dtype("float64")}
"""Types of numpy, by the names of onnxruntime."""
_TOLERANCE = 1e-6
"""Error of a network that is not rounded down."""
_EXTERNAL = re.compile(rb"(?:\x0a|\x8a\x80*\x00)(?:\x08|\x88\x80*\x00)location")
"""Key of protobuf without which no tensor lies in another file (`external_data`); lengths may be padded."""
_ORT_FORMAT = b"ORTM"


class ModelInput(NamedTuple):
    """Input of a model, and the array of the states that it takes, with the shape of one state."""

    name: str
    kind: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]


@dataclass(frozen=True)
class OnnxHeuristic(Heuristic):
    """Value that a network in the format ONNX computes, for many states at once.

    Each input of the model is an array of the states, by its name: `values` (states, variables), `one_hot` (states,
    values of all variables), also (states, variables, values) where all variables have as many values; in planning
    `facts` (states, facts); on grid maps `image` (states, 3, height, width): obstacles, the cell, the goal. An input of
    another name takes the first of these that has its shape. The output has a number for each state: (states,) or
    (states, 1). +inf is a dead end. The content of the file, not its path, determines the `run_id`. The column
    `provider` says what evaluated it. Needs onnxruntime: the extra `onnx`.

    Attributes
    ----------
    path : str
        The model, relative to the working directory. It must be given.
    scale : int
        Values are multiplied by it, then rounded. With 1000, searches that order states by their values alone keep
        three decimals; in A* and others that add costs to them, only 1 makes sense.
    round : {"down", "nearest"}
        How values become whole numbers.
    admissible_, consistent_ : bool
        What you know of the values. An audit checks it.
    providers : list of str
        Execution providers of onnxruntime, the first choice first, such as CUDAExecutionProvider.
    threads : int
        Threads of one evaluation. With several, times depend on what else runs, and sums may differ in the last digit.
    """

    path: str = ""
    scale: Scale = 1
    round: Literal["down", "nearest"] = "down"
    admissible_: bool = False
    consistent_: bool = False
    providers: tuple[str, ...] = ("CPUExecutionProvider",)
    threads: Annotated[int, Meta(ge=1, le=256)] = 1

    texts = ("provider",)

    @property
    def admissible(self) -> bool:
        """Whether the user says so."""
        return self.admissible_

    @property
    def consistent(self) -> bool:
        """Whether the user says so."""
        return self.consistent_

    @cached_property
    def model(self) -> bytes:
        """Content of the file.

        Raises
        ------
        UserError
            If it cannot be read, is no model, or a part of it lies in another file.
        """
        path = Path(self.path).expanduser()
        data = read_bytes(path, MAX_BYTES)
        if not data or data[4:8] == _ORT_FORMAT:
            raise file_error(path, "is no model in the format ONNX" if data else "is empty")
        if _EXTERNAL.search(data):
            raise file_error(path, "refers to data in another file ('location'); save the model as one file")
        return data

    def identity(self) -> dict[str, Any]:
        """Return the parameters that differ from their defaults, with a digest of the file instead of its path."""
        return {**super().identity(), "path": sha256(self.model).hexdigest()}

    def cell_key(self) -> dict[str, Any]:
        """Return all parameters."""
        return parameters_of(self)

    def check(self, instance: Instance) -> None:
        """Read the model, and compare its inputs with the arrays of the world. Nothing is evaluated."""
        if not self.path:
            raise Incompatible("heuristic.path: missing; give a file in the format ONNX")
        if self.scale > 1 and (self.admissible or self.consistent):
            raise UserError("heuristic.scale: values that are declared admissible or consistent need scale=1")
        self._check_outputs()
        with suppress(Unsolvable, OutOfTime):  # then there is no search, or it says so
            assert instance.world.kernels is not None
            self._inputs_of(instance.world.kernels)

    def term(self, problem: Problem) -> Term:
        """Bind the model to the arrays of the problem's states."""
        kernels = problem.world.kernels
        assert kernels is not None
        inputs = self._inputs_of(kernels)
        described: Callable[[Words], Any] = kernels.describe_all
        scale = kernels.engine_scale * self.scale
        shift = 0.5 if self.round == "nearest" else _TOLERANCE
        session = self._session

        def values_of(states: StateArrays) -> NDArray[np.float64]:
            return _evaluate(session, inputs, states)

        evaluate = limited(values_of, problem.call_seconds)
        checked = Checked(f"onnx {self.path}", scale, is_rounded=True)

        def callback(shared: memoryview) -> Callable[[int], int]:
            packed, numbers = np.frombuffer(shared, np.uint64), np.frombuffer(shared, np.int64)
            words = problem.initial.size

            def write(count: int) -> int:
                try:
                    states = described(packed[: count * words].reshape(count, words).copy())
                    found = evaluate(states)
                    rounded = np.floor(np.minimum(found, MAX_COST) * scale + shift)
                    if not (rounded >= 0).all():  # also of a NaN
                        index = int(np.argmin(rounded >= 0))
                        checked(float(found[index]), states[index])
                    numbers[:count] = np.where(found == np.inf, UNREACHABLE, np.minimum(rounded, MAX_COST))
                    return 0
                except BaseException as exception:
                    return keep(exception)

            return write

        return callback_term(problem, callback)

    def measured(self, problem: Problem) -> dict[str, float | str | None]:
        """Return the execution provider in use."""
        return {"provider": self._session.get_providers()[0]}

    @property
    def _session(self) -> Any:
        """The model, ready for evaluation. It belongs to this process: threads do not survive a fork."""
        return _ready(os.getpid(), self.path, self.model, self.providers, self.threads)

    @cached_property
    def _declared(self) -> tuple[list[Any], list[Any]]:
        """Inputs and outputs of the model: objects with `name`, `shape` and `type`."""
        ort = _onnxruntime()
        for each in self.providers:
            if each not in ort.get_available_providers():
                known = ort.get_available_providers()
                raise UserError(f"heuristic.providers: there is no '{each}' here{suggest(each, known)}")
        session = _loaded(self.path, self.model, ("CPUExecutionProvider",), 1, is_optimised=False)
        return session.get_inputs(), session.get_outputs()

    def _check_outputs(self) -> None:
        outputs = self._declared[1]
        if len(outputs) != 1:
            names = ", ".join(each.name for each in outputs[:5])
            raise self._mistake(f"has {len(outputs)} outputs ({names}); expected one, with a number for each state")
        (output,) = outputs
        is_column = len(output.shape) == 2 and output.shape[1] in (1, None)
        if output.type not in _TYPES or not (is_column or len(output.shape) == 1) or isinstance(output.shape[0], int):
            raise self._mistake(f"output {_shown(output)}; expected numbers of the shape (states,) or (states, 1)")

    def _inputs_of(self, kernels: Kernels) -> list[ModelInput]:
        """Return the inputs with the arrays that they take.

        Raises
        ------
        UserError
            If the world has no array for an input, or the model has none.
        """
        inputs = self._declared[0]
        states = kernels.describe_all(kernels.packed(kernels.initial())[np.newaxis])
        assert isinstance(states, StateArrays)
        shapes = [*_shapes(states)]
        if not inputs:
            raise self._mistake("has no inputs")
        return [self._input_of(each, shapes, kernels.domain) for each in inputs]

    def _input_of(self, given: Any, shapes: Sequence[tuple[str, tuple[int, ...]]], domain: str) -> ModelInput:
        allowed = (given.name,) if given.name in KINDS else KINDS
        for kind, shape in shapes:
            if kind in allowed and given.type in _TYPES and _fits(given.shape, shape):
                return ModelInput(given.name, kind, shape, _TYPES[given.type])
        has = ", ".join(f"{kind} (states, {', '.join(map(str, shape))})" for kind, shape in shapes)
        raise self._mistake(f"input {_shown(given)}; the states of this {domain} have {has}, of numbers")

    def _mistake(self, message: str) -> UserError:
        return file_error(Path(self.path), message)


for each in DOMAINS:
    HEURISTICS.add("onnx", OnnxHeuristic, domain=each)


@lru_cache(maxsize=4)
def _ready(process: int, path: str, data: bytes, providers: tuple[str, ...], threads: int) -> Any:
    """Return a session for evaluation in one process. The last ones are kept: many instances share one."""
    return _loaded(path, data, providers, threads, is_optimised=True)


def _loaded(path: str, data: bytes, providers: Sequence[str], threads: int, *, is_optimised: bool) -> Any:
    """Return a session. One that is not optimised evaluates nothing, not even what is constant."""
    ort = _onnxruntime()
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 4  # messages come as errors
    if not is_optimised:
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        return ort.InferenceSession(data, options, providers=[*providers])
    except Exception as error:  # onnxruntime has many classes of errors
        raise file_error(Path(path), f"onnxruntime cannot load it: {one_line(str(error))[:300]}") from None


def _evaluate(session: Any, inputs: Sequence[ModelInput], states: StateArrays) -> NDArray[np.float64]:
    """Return the output of a model for each state."""
    size = max(1, _MAX_NUMBERS // max(prod(each.shape) for each in inputs))
    found = []
    for first in range(0, len(states), size):
        some = states[first : first + size] if len(states) > size else states
        feed = {
            each.name: getattr(some, each.kind).reshape(len(some), *each.shape).astype(each.dtype, copy=False)
            for each in inputs
        }
        (output,) = session.run(None, feed)
        if output.shape not in ((len(some),), (len(some), 1)):
            raise ValueError(f"the model gave an array of shape {output.shape} for {len(some)} states")
        found.append(output.reshape(-1).astype(np.float64))
    return np.concatenate(found)


def _shapes(states: StateArrays) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield each array that states have, with the shape of one state."""
    for kind in KINDS:
        if hasattr(states, kind):
            yield kind, getattr(states, kind).shape[1:]
        counts = {*np.diff(states.world.first_values).tolist()}
        if kind == "one_hot" and len(counts) == 1:
            yield kind, (states.values.shape[1], *counts)


def _fits(declared: Sequence[int | str | None], shape: tuple[int, ...]) -> bool:
    """Return whether an input takes any number of arrays of a shape. Numbers are fixed dimensions, all else is free."""
    free, *rest = declared or (0,)
    is_same = len(rest) == len(shape) and all(
        own == has or not isinstance(own, int) for own, has in zip(rest, shape, strict=True)
    )
    return is_same and not isinstance(free, int)


def _shown(given: Any) -> str:
    shape = ", ".join(str(each) if isinstance(each, int) else "any" for each in given.shape)
    return f"'{given.name[:80]}' is a {given.type} of the shape ({shape})"
