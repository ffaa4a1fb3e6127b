"""Parts of a solver that its attempts use, too: the search, the identity of rows, and the session of a planner."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from algorithms.engine import Limits
from algorithms.interface import Algorithm
from algorithms.programs.interface import ExternalPlanner, KeptRun, PlannerSession
from heuristics.interface import Stack, Weighting
from runner.base import PACKAGES, UNSUPPORTED, Declared, Status, UserError, assignments
from runner.config import search_key
from runner.machine import ProcessMeter
from runner.records import code_of, key_of
from worlds.interface import Instance

_ID_DIGITS = 16
"""Number of digits of a `run_id`, and of `content`."""


class SolverBase:
    """Effective algorithm, stack, weighting and limits, and the identity of the rows that follow from them.

    Parameters
    ----------
    declared : Declared
        Metrics and statuses that the domain, the algorithm and the heuristics declare.
    code, label : str, optional
        Values of the columns of these names.
    unsupported : Status
        Status of an instance that cannot be searched because its file cannot be read.
    keeps_outputs : bool
        Whether the outputs of programs are kept in files, which the column `error` then names.
    kept : mapping of int to KeptRun, optional
        Runs of a program whose kept outputs are read again, by the keys of their rows.
    """

    def __init__(
        self,
        algorithm: Algorithm,
        stack: Stack,
        weighting: Weighting | None,
        limits: Limits,
        declared: Declared,
        code: str | None = None,
        label: str | None = None,
        unsupported: Status = UNSUPPORTED,
        *,
        keeps_outputs: bool = False,
        kept: Mapping[int, KeptRun] | None = None,
    ) -> None:
        self.kept = kept
        self.algorithm, self.stack, self.weighting, self.limits = algorithm, stack, weighting, limits
        self.unsupported = unsupported
        self.keeps_outputs = keeps_outputs
        self.declared = declared
        self._session: PlannerSession | None = None
        self._rules: dict[type, str] = {}
        self._columns: dict[str, Any] = {
            "algorithm": algorithm.title,
            "heuristic": stack.name,
            "weighting": None if weighting is None else str(weighting),
            "ties": getattr(algorithm, "ties", None),
            "limits": str(limits) or None,
            "stack": str(stack),
            "label": label,
            "code": code,
        }
        said = self._columns.keys() & {"ties", *algorithm.without_effect}  # others have the name of a column by chance
        self._parameters = {name: value for name, value in algorithm.variant().items() if name not in said}

    @cached_property
    def meter(self) -> ProcessMeter:
        """Meter of the process that searches."""
        return ProcessMeter()

    @property
    def session(self) -> PlannerSession:
        """Session of the planner, which all attempts share until `close`."""
        assert isinstance(self.algorithm, ExternalPlanner)
        if self._session is None:
            self._session = self.algorithm.session()
        return self._session

    def close(self) -> None:
        """End the session of a planner, and what heuristics have started."""
        if self._session is not None:
            self._session.close()
            self._session = None
        for heuristic in self.stack.heuristics:
            heuristic.close()

    @cached_property
    def _search_digest(self) -> hashlib._Hash:
        return hashlib.sha256(_canonical(search_key(self.algorithm, self.stack, self.weighting)))

    def run_id(self, instance: Instance) -> str:
        """Return the identity of a row: 16 hex digits of a digest of the search and the content of the instance."""
        digest = self._search_digest.copy()
        digest.update(_canonical({"world": instance.source, **instance.key()}))
        return digest.hexdigest()[:_ID_DIGITS]

    def lost_output(self, instance: Instance) -> Path | None:
        """Return the kept output that is to be read again, if its file has vanished since the plan was made."""
        if self.kept is None:
            return None
        file = self.kept[key_of(self.run_id(instance))].file
        return None if file.exists() else file

    def _content(self, instance: Instance) -> str:
        """Return the identity of the problem: the domain, the rules if they are a plug-in's, and the parameters.

        A world without parameters is known by the name of its instance alone.
        """
        world = instance.world
        if type(world) not in self._rules:
            is_ours = type(world).__module__.partition(".")[0] in PACKAGES
            self._rules[type(world)] = "" if is_ours else code_of([world]).partition("+")[2]
        content = world.identity() or {"world": instance.source, "id": instance.id}
        parts = [world.domain, self._rules[type(world)], content]
        return hashlib.sha256(_canonical(parts)).hexdigest()[:_ID_DIGITS]

    def columns(self, instance: Instance) -> dict[str, Any]:
        """Return the columns of a row that are known before the search."""
        both = (instance.world.variant(), self._parameters)  # grid maps and `ara` both have `weights`
        return {
            "run_id": self.run_id(instance),
            "world": instance.source,
            "instance": instance.id,
            "seed": instance.seed,
            "content": self._content(instance),
            "parameters": " ".join(assignments(each, " ") for each in both if each) or None,
            **self._columns,
        }


def _canonical(value: Any) -> bytes:
    return msgspec.json.encode(value, enc_hook=_plain, order="sorted")


def _plain(value: Any) -> Any:
    """Return a value of the identity of a world or of a search that has no JSON form: its representation.

    Raises
    ------
    UserError
        If it has none, so that a row could not be found again.
    """
    if isinstance(value, np.ndarray) and value.size > np.get_printoptions()["threshold"]:
        return value.tolist()
    with_address: Any = object.__repr__
    if type(value).__repr__ is with_address:
        kind = type(value).__name__
        raise UserError(
            f"a value of {kind} cannot be part of the identity of a row; make it a dataclass, a tuple or a text"
        )
    return repr(value)
