"""Evaluation of one candidate: each instance is searched in a process of its own, and every outcome is an object."""

from __future__ import annotations

import contextlib
import importlib
import json
import logging
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from hydra.core.override_parser.types import Override

from algorithms.engine import Counts, Limits
from runner.base import (
    CRASHED,
    ERROR,
    PluginError,
    UserError,
    error_text,
    is_own_module,
    own_traceback,
    section_of_word,
)
from runner.config import Composition, Request, SearchParts, load_plugins, source_of
from runner.execution import Solver, Stop, Supervision, WorkerLost, supervised
from runner.features.audits import audit_stack
from runner.features.generated.candidates import in_one_line
from runner.features.generated.scores import Row, row_of, summary
from worlds.compile import Identity, load
from worlds.interface import Instance, Source

_MAX_LOST = 3
"""Processes of a candidate that may end before their time. Afterwards its other instances are not searched."""
_AUDITED, _AUDITED_STATES = 3, 1_000_000
"""Instances whose states an audit explores, and the largest number of states of one of them."""

_PLACE = re.compile(r'File "([^"<]+)", line (\d+)')
_LIBRARIES = (str(Path(os.__file__).parent), str(Path(np.__file__).parents[1]))

Given = Composition | Sequence[Override]
"""Configuration of a candidate; or its overrides, if they name code that may only be imported in its own process."""


class Loss(NamedTuple):
    """End of a process before its time: status, reason, and the instance that it searched, if it had begun one."""

    status: str
    error: str | None
    number: int | None
    expanded: int | None


@dataclass
class Evaluator:
    """Evaluate candidates, which are overrides after those of a common request.

    Attributes
    ----------
    request : Request
        Words that all candidates share.
    score : str
        One of `SCORES`.
    audits : bool
        Whether to look for a counterexample in the first instances, too, unless the candidate does not run.
    keeps_kernels : bool
        Whether to load the kernels that candidates have loaded, so that the processes of further ones have them.
    """

    request: Request
    score: str
    stop: Stop
    audits: bool = False
    keeps_kernels: bool = False
    _worlds: dict[str, tuple[Source, list[Instance], list[Instance]]] = field(default_factory=dict)

    def evaluate(self, words: Sequence[str] = ()) -> dict[str, Any]:
        """Return the evaluation of a candidate, as an object for JSON.

        Raises
        ------
        UserError
            If the request is wrong, and not the code of the candidate.
        """
        began = time.perf_counter()
        own = Request(tuple(words))
        swept = self.request.first_sweep() or own.first_sweep()
        if swept is not None:
            raise UserError(f"'{swept.input_line}': a candidate takes one value for each key")
        # the code of a candidate may only be imported in its own process
        imports = any(section_of_word(word) == "plugins" for word in words)
        code = ("plugins", "heuristic") if imports else ()
        composed = self._composed([each for each in own.parsed if section_of_word(each.key_or_group) not in code])
        limits = Limits.of(composed.resolved.get("limits") or {})
        source, _, instances = self._world(composed.resolved["world"])
        given = own.parsed if imports else composed
        search = partial(self._search, given, source)
        rows: dict[int, Row] = {}
        lost: list[Loss] = []
        status, problem = ERROR.name, None
        try:
            while len(rows) < len(instances) and len(lost) < _MAX_LOST and not self.stop.requested:
                left = [number for number in range(len(instances)) if number not in rows]
                ended = self._in_process(search, left, limits, rows)
                if not isinstance(ended, Loss):
                    break
                lost.append(ended)
                status, problem = ended.status, f"not searched: {ended.error}"
                if ended.number is None:
                    break
                own_row = {"status": status, "expanded": ended.expanded, "error": ended.error}
                rows.setdefault(ended.number, {**row_of(instances[ended.number]), **own_row})  # unless it had finished
        except PluginError as error:
            status, problem = ERROR.name, str(error)
        why = {"status": status, "error": in_one_line(problem or "interrupted"), "where": _place_in(problem or "")}
        ordered = [rows.get(number) or {**row_of(each), **why} for number, each in enumerate(instances)]
        found = summary(ordered, self.score, limits)
        if self.audits and problem is None:
            ended = self._in_process(partial(self._audit, given), range(_AUDITED), limits, {})
            if isinstance(ended, dict):
                found.update(ended)
            else:
                found.update(counterexample=None, audit_error=ended.error if isinstance(ended, Loss) else str(ended))
        return {**found, "seconds": round(time.perf_counter() - began, 6), "rows": ordered}

    def warm(self) -> None:
        """Make the instances, and load the compiler and the rules, for all candidates at once."""
        _, samples, _ = self._world(self._composed().resolved["world"])
        with contextlib.suppress(Exception):  # the rows of the candidates tell it
            _ = samples[0].problem().expand.compiled

    def _composed(self, own: Sequence[Override] = ()) -> Composition:
        """Return the configuration with further overrides. The composer of the request composes each choice once."""
        with self.request.locating():
            return self.request.composer.compose([*self.request.parsed, *own])

    def _configuration(self, given: Given) -> Mapping[str, Any]:
        """Return a configuration. Import the plug-ins that overrides name.

        A heuristic of theirs is no choice that the composer knows, which is faster than to compose all choices again.
        """
        if isinstance(given, Composition):
            return given.resolved
        words = {each.key_or_group: each for each in given}
        choices = {*self.request.composer.groups.names("heuristic")}
        named = words.pop("plugins").value()
        load_plugins(named if isinstance(named, list) else [str(named)])
        name = words["heuristic"].value() if "heuristic" in words else None
        if name is None or name in choices:
            return self._composed([*words.values()]).resolved
        own = {key.partition(".")[2]: words.pop(key).value() for key in [*words] if section_of_word(key) == "heuristic"}
        del own[""]
        section = {"combine": own.pop("combine", "sum"), "stack": [{"name": name, **own}]}
        return {**self._composed([*words.values()]).resolved, "heuristic": section}

    def _world(self, section: Mapping[str, Any]) -> tuple[Source, list[Instance], list[Instance]]:
        """Return a source, its samples and its instances, which are made once."""
        key = json.dumps(section, sort_keys=True, default=repr)
        if key not in self._worlds:
            source = source_of(section)
            source.check()
            samples, instances = list(source.samples()), list(source.instances())
            if not instances:
                raise UserError(f"world: {source.registered_name} has no instances with these parameters")
            self._worlds[key] = source, samples, instances
        return self._worlds[key]

    def _in_process(self, search: Any, numbers: Sequence[int], limits: Limits, rows: dict[int, Row]) -> Any:
        """Search instances in a process of their own, and add their rows. Return the result, or the `Loss`."""

        def take(line: str) -> None:
            number, row = msgspec.json.decode(line)
            rows[number] = row

        ended = _ended(partial(_guarded, search, numbers, limits), Limits(), self.stop, take)
        if self.keeps_kernels and isinstance(ended, list):  # the processes of further candidates inherit them
            for module in {module for module, *_ in ended if is_own_module(module)}:
                importlib.import_module(module)
            load(ended)
        return ended

    def _search(
        self, given: Given, source: Source, numbers: Sequence[int], seen: Any, own: Supervision
    ) -> list[Identity]:
        """Search instances in this process, the candidate's own, and announce the rows. Return the loaded kernels."""
        state = seen.state
        own.begin()
        try:
            configuration = self._configuration(given)
            source, samples, instances = self._world(configuration["world"])
            _, parts, limits = SearchParts.configured(configuration)
            parts = parts.fitted(samples)
            assert parts.algorithm is not None
            parts.algorithm.check_limits(limits)
            own.begin()
            for sample in samples:
                parts.stack.build(sample, lambda *_: None)
        except UserError:
            raise
        except BaseException as error:  # the code of a candidate may raise anything
            raise PluginError(f"{error_text(error)}\n{own_traceback(error)}") from None

        def watch(counts: Counts) -> bool:
            state.set_counts(counts)
            return own.is_stopped() or seen.is_stopped()

        is_warm, places = False, _Places()
        logging.getLogger().addHandler(places)
        unsupported = source.series.unsupported_status
        solver = Solver(parts.algorithm, parts.stack, parts.weighting, limits, parts.declared, unsupported=unsupported)
        with closing(solver):
            for number in numbers:
                if seen.is_stopped():
                    break
                attempt = solver.attempt(instances[number])
                state.begin_search(number, {})
                own.begin()
                if not is_warm:
                    is_warm = attempt.warm()
                    if is_warm:
                        attempt.rehearse(watch)
                    own.begin()
                places.last = None
                result = attempt.result(watch)
                row = row_of(instances[number], result, parts.declared, places.last)
                own.announce(msgspec.json.encode((number, row)).decode())
        return own.kernels

    def _audit(self, given: Given, numbers: Sequence[int], _seen: Supervision, own: Supervision) -> dict[str, Any]:
        """Audit the heuristics in all states of the first instances, in this process, which is the candidate's own."""
        own.begin()
        try:
            configuration = self._configuration(given)
            _, parts, limits = SearchParts.configured(configuration)
            instances = self._world(configuration["world"])[2][: len(numbers)]
            bounds = replace(limits, nodes=_AUDITED_STATES)
            audit = audit_stack(instances, parts.stack, bounds, replace(own, announce=lambda _: None))
        except UserError as error:
            return {"counterexample": None, "audit_error": in_one_line(str(error))}
        examples = audit.counterexamples
        # a property that is declared counts more than one that the heuristic does not claim to have
        first = next((each for each in examples if each.check in audit.broken), next(iter(examples), None))
        found = None if first is None else {
            "check": first.check, "declared": first.check in audit.broken, "instance": first.origin, "h": first.h,
            "h_star": first.h_star, "text": first.text,
        }  # fmt: skip
        return {"violated": audit.violated, "counterexample": found}


def _ended(call: Any, limits: Limits, stop: Stop, show: Callable[[str], None]) -> Any:
    """Call a function in a process of its own. Return what it returns, or the loss of the process."""
    try:
        return supervised(call, limits, stop, show)
    except WorkerLost as lost:
        counts, has_begun = lost.state.counts, lost.state.phase != 0
        return Loss(
            lost.ended_at or CRASHED.name,
            "did not stop at its limit, and was killed" if lost.ended_at else lost.reason,
            lost.state.number if has_begun else None,
            counts["expanded"] if has_begun else None,
        )


def _guarded(search: Any, numbers: Sequence[int], limits: Limits, seen: Supervision) -> Any:
    """Search in a further process. This one stands between it and the server, for candidates that kill their parent."""
    return _ended(partial(_confined, search, numbers, seen), limits, Stop(), seen.announce)


def _confined(search: Any, numbers: Sequence[int], seen: Supervision, own: Supervision) -> Any:
    """Search without standard input and output: the answers of a server go there."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for file in (0, 1, 2):
        os.dup2(nothing, file)
    return search(numbers, seen, own)


class _Places(logging.Handler):
    """File and line of the code of the candidate that raised the last exception."""

    last: str | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the place of the exception of a record."""
        if record.exc_info and record.exc_info[1] is not None:
            self.last = _place_in(own_traceback(record.exc_info[1]))


def _place_in(text: str) -> str | None:
    """Return the last file and line that a traceback as text names, outside of Python's libraries."""
    places = [place for place in _PLACE.findall(text) if not place[0].startswith(_LIBRARIES)]
    return ":".join(places[-1]) if places else None
