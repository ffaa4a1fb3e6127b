"""Sections of a configuration: mappings become checked sources, algorithms, stacks, weightings and limits."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from msgspec import Meta

from algorithms.engine.search import Limits
from algorithms.interface import ALGORITHMS, Algorithm
from heuristics.entries import AS_PUBLISHED as AS_PUBLISHED
from heuristics.entries import Entries as Entries
from heuristics.entries import documented_stack as documented_stack
from heuristics.entries import named
from heuristics.entries import stack_of as stack_of
from heuristics.entries import stack_of_entries as stack_of_entries
from heuristics.stack import Stack
from heuristics.weighting import WEIGHTINGS, Weighting
from runner.base.errors import UserError
from runner.base.parameters import changed_parameters, convert
from worlds.interface import Instance
from worlds.sources import WORLDS, Source

BYTES = {"": 1, "b": 1, "k": 10**3, "kb": 10**3, "m": 10**6, "mb": 10**6, "g": 10**9, "gb": 10**9, "t": 10**12,
         "tb": 10**12, "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}  # fmt: skip
SECONDS = {"": 1.0, "ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_SIZE, _TIME = "bytes or a size such as 500MB or 1GiB", "seconds above 0, or a time such as 500ms, 10s or 2h"


@dataclass(frozen=True)
class _LimitsSection:
    time: float | str | None = None
    nodes: Annotated[int, Meta(ge=1, le=10**15)] | None = None
    memory: str | int | None = None
    cpu: float | str | None = None
    call: float | str | None = None


def checked_instance(value: object) -> Instance:
    """Return an argument of the public API that must be an instance."""
    if isinstance(value, Instance):
        return value
    world = reprlib.repr(value) if isinstance(value, str) else "..."
    raise UserError(f"instance: expected one instance, such as runner.load({world})[0], got {reprlib.repr(value)}")


def source_of(section: Mapping[str, Any]) -> Source:
    """Return the source of instances that a `world` section describes."""
    name, parameters = named(section, "world", WORLDS.names())
    return WORLDS.build(name, parameters)


def algorithm_of(section: Mapping[str, Any]) -> Algorithm:
    """Return the algorithm that an `algorithm` section describes."""
    name, parameters = named(section, "algorithm", ALGORITHMS.names())
    return ALGORITHMS.build(name, parameters)


def weighting_of(section: Mapping[str, Any]) -> Weighting | None:
    """Return the weighting that a `weighting` section describes."""
    name, parameters = named(section, "weighting", WEIGHTINGS.names())
    if name == "none" and not parameters:
        return None
    return WEIGHTINGS.build(name, parameters)


def weighting_of_value(weighting: float | Mapping[str, Any] | None) -> Weighting | None:
    """Return a constant weighting, or the weighting that a mapping describes."""
    if weighting is None or isinstance(weighting, Mapping):
        return weighting_of(weighting or {"name": "none"})
    return WEIGHTINGS.build("constant", {"weight": weighting})


def limits_of(section: Mapping[str, Any]) -> Limits:
    """Return the limits that a `limits` section describes: seconds or 10s, bytes or 1GiB."""
    checked = convert(_LimitsSection, section, where="limits")
    memory = _quantity(checked.memory, "limits.memory", BYTES, _SIZE)
    if memory is not None and memory < 1:
        raise UserError(f"limits.memory: expected {_SIZE}, got {checked.memory!r}")
    return Limits(
        _quantity(checked.time, "limits.time", SECONDS, _TIME),
        checked.nodes,
        None if memory is None else int(memory),
        _quantity(checked.cpu, "limits.cpu", SECONDS, _TIME),
        _quantity(checked.call, "limits.call", SECONDS, _TIME),
    )


def search_key(algorithm: Algorithm, stack: Stack, weighting: Weighting | None) -> dict[str, Any]:
    """Return the part of a `run_id` that is not the instance, as JSON-compatible values.

    Parameters at their defaults are left out, so that a new one changes no `run_id`.
    """
    return {
        "algorithm": {**_entry_key(algorithm, algorithm.without_effect), "name": algorithm.identity_name},
        "heuristic": [{"name": each.registered_name, **each.identity()} for each in stack.heuristics],
        "combine": stack.combine,
        "weighting": None if weighting is None else _entry_key(weighting),
    }


def _entry_key(entry: Any, without: Sequence[str] = ()) -> dict[str, Any]:
    changed = {name: value for name, value in changed_parameters(entry).items() if name not in without}
    return {"name": entry.registered_name, **changed}


def _quantity(value: float | str | None, where: str, units: Mapping[str, float], expected: str) -> float | None:
    """Return a number of seconds or bytes; a text is a number with a unit."""
    number: float | None
    if isinstance(value, str):
        match = re.fullmatch(r"\s*(\d{1,18}(?:\.\d{0,9})?)\s*([a-zA-Z]*)\s*", value)
        number = float(match[1]) * units.get(match[2].lower(), 0) if match else 0.0
    else:
        number = value
    if number is not None and not number > 0:
        raise UserError(f"{where}: expected {expected}, got {value!r}")
    return number
