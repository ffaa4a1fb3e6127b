"""Limits of a search, and the units in which users give them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from msgspec import Meta

from runner.base import UserError, convert

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
    solutions: Annotated[int, Meta(ge=1, le=10**9)] | None = None


@dataclass(frozen=True)
class Limits:
    """Limits of a search; None is no limit.

    Attributes
    ----------
    time : float or None
        Wall-clock seconds of search per instance.
    nodes : int or None
        Expansions per instance. The limit is exact, so it has the same effect on every machine. A search that has made
        them ends, whatever it finds with the last one.
    memory : int or None
        Bytes of nodes, open list and hash table.
    cpu : float or None
        Seconds of processor time per instance.
    call : float or None
        Seconds of processor time of each call of a heuristic in plain Python; of a program, wall time of a batch.
    solutions : int or None
        Solutions of a search for a set of plans, or of an anytime search.
    """

    time: float | None = None
    nodes: int | None = None
    memory: int | None = None
    cpu: float | None = None
    call: float | None = None
    solutions: int | None = None

    @classmethod
    def of(cls, section: Mapping[str, Any]) -> Limits:
        """Return the limits that a `limits` section describes: seconds or 10s, bytes or 1GiB."""
        checked = convert(_LimitsSection, section, where="limits")
        memory = _quantity(checked.memory, "limits.memory", BYTES, _SIZE)
        if memory is not None and memory < 1:
            raise UserError(f"limits.memory: expected {_SIZE}, got {checked.memory!r}")
        return cls(
            _quantity(checked.time, "limits.time", SECONDS, _TIME),
            checked.nodes,
            None if memory is None else int(memory),
            _quantity(checked.cpu, "limits.cpu", SECONDS, _TIME),
            _quantity(checked.call, "limits.call", SECONDS, _TIME),
            checked.solutions,
        )

    @property
    def has_deadline(self) -> bool:
        """Whether a limit of wall-clock or processor time may end the search."""
        return self.time is not None or self.cpu is not None

    def __str__(self) -> str:
        """Return the limits that are set, as ``nodes=1000 time=10``; empty if none is."""
        given = sorted((name, value) for name, value in vars(self).items() if value is not None)
        return " ".join(f"{name}={value:.10g}" for name, value in given)


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
