"""Configurations become checked cells. A cell is one source x algorithm x stack x weighting x limits."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from algorithms.engine import Limits
from algorithms.interface import ALGORITHMS, Algorithm, SearchAlgorithm
from algorithms.programs.interface import KeptRun
from heuristics.interface import HEURISTICS, Entries, Heuristic, Stack, Weighting, stack_of, stack_of_entries
from runner.base import Declared, Incompatible, UserError, convert, directory_kept, suggest
from runner.config.cell.keys import OF_CELLS, SETTINGS, CellSections, Settings, SingleSections, keys_of_commands
from runner.config.cell.sections import algorithm_of, search_key, source_of, weighting_of, weighting_of_value
from runner.config.doors.plugins import plugin_names
from worlds.interface import Instance, Source

MAX_WORKERS = 1024


@dataclass(frozen=True)
class Cell:
    """One combination to run, checked.

    The algorithm and the weighting are the effective ones: different spellings of the same search are equal here.

    Attributes
    ----------
    declared : Declared
        Metrics and statuses that rows of this cell may have in addition to the built-in ones.
    label : str or None
        Free text of the user.
    repeat : int
        Number of searches of each instance.
    code : str
        Fingerprint of the code that makes the rows (`runner.records.code`).
    notes : tuple of str
        Notes for the user about settings that have another effect than one might expect.
    kept : mapping of int to KeptRun, optional
        Runs whose kept outputs are read again, by the keys of their rows; then no program is started.
    """

    source: Source
    algorithm: Algorithm
    stack: Stack
    weighting: Weighting | None
    limits: Limits
    declared: Declared = field(default_factory=Declared)
    label: str | None = None
    repeat: int = 1
    code: str = ""
    notes: tuple[str, ...] = ()
    kept: Mapping[int, KeptRun] | None = None

    @property
    def all_notes(self) -> tuple[str, ...]:
        """Notes about the settings, and about the instances."""
        return (*self.notes, *self.source.notes)

    @property
    def parts(self) -> tuple[object, ...]:
        """Source, algorithm, heuristics, their combination, and weighting."""
        chosen = (self.source, self.algorithm, *self.stack.parts, self.weighting)
        return tuple(part for part in chosen if part is not None)

    @property
    def reading(self) -> str:
        """Digest of how the output of a program is read; empty for searches."""
        parts = "\0".join(map(str, self.algorithm.reading_parts()))
        return hashlib.sha256(parts.encode()).hexdigest()[:16] if parts else ""

    def identity(self, *, with_limits: bool = True) -> str:
        """Return a digest that is the same for two cells if they make the same searches."""
        key = search_key(self.algorithm, self.stack, self.weighting)
        named = [{"name": each.registered_name, **each.cell_key()} for each in self.stack.heuristics]
        parts = [{**key, "heuristic": named}, repr(self.source), repr(self.limits) if with_limits else ""]
        return hashlib.sha256(json.dumps(parts, sort_keys=True, default=repr).encode()).hexdigest()[:16]


def cell_sections(configuration: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sections of a configuration that make a cell.

    Raises
    ------
    UserError
        If a key is neither one of them, nor a setting, nor the section of a feature.
    """
    known = (*OF_CELLS, *keys_of_commands())
    for key in configuration:
        if key not in known:
            raise UserError(f"{key}: unknown key{suggest(key, known)}")
    return {key: value for key, value in configuration.items() if key in OF_CELLS}


def settings_of(configuration: Mapping[str, Any]) -> Settings:
    """Return the settings of the whole command, checked."""
    given = {name: configuration[name] for name in SETTINGS if name in configuration}
    settings = convert(Settings, {**given, "plugins": plugin_names(given.get("plugins"))}, where="")
    workers = settings.workers
    if workers != "all" and not (isinstance(workers, int) and 0 <= workers <= MAX_WORKERS):
        raise UserError(f"workers: expected a number from 0 to {MAX_WORKERS}, or all, got {workers!r}")
    if workers == 0:
        for key, is_set in {"pin": settings.pin, "measure": settings.measure == "cgroup"}.items():
            if is_set:
                raise UserError(f"{key}: needs a worker process, workers=1 or more; got workers=0")
    return settings


@dataclass(frozen=True)
class SearchParts:
    """Algorithm, stack and weighting of a search.

    Attributes
    ----------
    algorithm : Algorithm or None
        None for the stack alone.
    declared : Declared
        Metrics and statuses that rows may have in addition to the built-in ones.
    notes : tuple of str
        Notes for the user about settings that have another effect than one might expect.
    """

    algorithm: Algorithm | None
    stack: Stack
    weighting: Weighting | None
    declared: Declared = field(default_factory=Declared)
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, domain: str, algorithm: str | Mapping[str, Any] | None, heuristic: Entries,
        weighting: float | str | Mapping[str, Any] | None, combine: str | Mapping[str, Any], *,
        needs_algorithm: bool = True,
    ) -> SearchParts:  # fmt: skip
        """Return the parts that the arguments of `runner.solve` describe.

        Parameters
        ----------
        needs_algorithm : bool
            Whether to refuse None as the algorithm.

        Raises
        ------
        UserError
            If a name or a value is not valid.
        """
        section: Any = {"name": algorithm} if isinstance(algorithm, str) else algorithm
        chosen = algorithm_of(section) if needs_algorithm or section is not None else None
        return cls(chosen, stack_of_entries(domain, heuristic, combine), weighting_of_value(weighting))

    @classmethod
    def configured(cls, configuration: Mapping[str, Any]) -> tuple[Source, SearchParts, Limits]:
        """Return what a configuration of one search of each instance describes. Its algorithm may be missing.

        Raises
        ------
        UserError
            If a value is not valid; the message names the key.
        """
        sections = convert(SingleSections, cell_sections(configuration), where="")
        source = source_of(sections.world)
        return source, cls.in_sections(source, sections), Limits.of(sections.limits)

    @classmethod
    def in_sections(cls, source: Source, sections: CellSections) -> SearchParts:
        """Return the parts in the sections of a configuration."""
        algorithm = None if sections.algorithm is None else algorithm_of(sections.algorithm)
        return cls(algorithm, stack_of(source.domain, sections.heuristic), weighting_of(sections.weighting))

    def fitted(self, samples: Sequence[Instance]) -> SearchParts:
        """Return the effective parts, after checking that they fit together and to instances.

        Raises
        ------
        Incompatible
            If they do not.
        """
        algorithm = self.algorithm
        if algorithm is None:
            if self.weighting is not None:
                raise Incompatible("weighting: has no effect without an algorithm; also choose algorithm=...")
            return self
        stack, notes = used_stack(algorithm, self.stack)
        check_fit(algorithm, stack, self.weighting, samples)
        effective, weighting = algorithm.effective(self.weighting)
        return SearchParts(effective, stack, weighting, _declared_of(algorithm, stack, samples), notes)


class Parser:
    """Convert configurations to cells. Equal `world` sections are parsed and checked once."""

    def __init__(self) -> None:
        self._sources: dict[str, tuple[Source, list[Instance]]] = {}

    @directory_kept()
    def parse(self, configuration: Mapping[str, Any]) -> Cell:
        """Return the cell of a configuration, checked. Sources make samples only, and read their files.

        Raises
        ------
        UserError
            If anything is wrong; the message names the key.
        Incompatible
            If the parts are valid but do not fit together.
        """
        if "experiment" in configuration:
            raise UserError(
                "experiment: the settings of its file have no effect; begin the file with # @package _global_"
            )
        sections = convert(CellSections, cell_sections(configuration), where="")
        source, samples = self._source(sections.world)
        search = SearchParts.in_sections(source, sections).fitted(samples)
        assert search.algorithm is not None
        limits, label = Limits.of(sections.limits), None if sections.label is None else str(sections.label)
        search.algorithm.check_limits(limits)
        return Cell(
            source, search.algorithm, search.stack, search.weighting, limits, search.declared, label, sections.repeat,
            notes=search.notes,
        )  # fmt: skip

    def _source(self, section: Mapping[str, Any]) -> tuple[Source, list[Instance]]:
        key = json.dumps(section, sort_keys=True, default=repr)
        if key not in self._sources:
            source = source_of(section)
            source.check()
            samples = list(source.samples())
            if not samples:
                raise UserError(f"world: {source.registered_name} has no instances with these parameters")
            self._sources[key] = source, samples
        return self._sources[key]


def used_stack(algorithm: Algorithm, stack: Stack) -> tuple[Stack, tuple[str, ...]]:
    """Return the stack that an algorithm uses, and a note if it is not the chosen one, or is used in part backwards."""
    if stack.heuristics and algorithm.heuristic == "ignored":
        return Stack(), (f"{algorithm.title} ignores heuristics: it runs as heuristic=none",)
    if _goes_back(algorithm) and stack.without_backward:
        return stack, (
            f"{algorithm.registered_name} goes back from the goals without an estimate from the start (backward) of "
            f"{', '.join(stack.without_backward)}",
        )
    return stack, ()


def _goes_back(algorithm: Algorithm) -> bool:
    """Return whether an algorithm evaluates states backwards, too."""
    return isinstance(algorithm, SearchAlgorithm) and algorithm.needs_inverse and algorithm.heuristic != "ignored"


def _declared_of(algorithm: Algorithm, stack: Stack, samples: Sequence[Instance]) -> Declared:
    """Return the metrics, statuses and texts that rows may have in addition to the built-in ones."""
    metrics = (
        *(each.world.metrics for each in samples),
        algorithm.metrics,
        *(each.metrics for each in stack.heuristics),
    )
    games = [sample.world.playable for sample in samples if sample.world.playable is not None]
    texts = itertools.chain(*(sample.world.groups for sample in samples), *(each.texts for each in stack.heuristics))
    return Declared.of(itertools.chain(*metrics), itertools.chain(*(game.statuses for game in games)), texts)


def check_fit(algorithm: Algorithm, stack: Stack, weighting: Weighting | None, samples: Sequence[Instance]) -> None:
    """Raise `Incompatible` if an algorithm, a stack and a weighting do not fit together and to instances."""
    name = algorithm.registered_name
    if weighting is not None and not algorithm.uses_weighting:
        users = [user for user in ALGORITHMS.names() if ALGORITHMS.find(user).uses_weighting]
        raise Incompatible(
            f"weighting: {name} has no weight; choose weighting=none, or an algorithm that has one: {', '.join(users)}"
        )
    if algorithm.heuristic == "needed" and not stack.heuristics:
        raise Incompatible(
            f"heuristic: {name} needs one; choose heuristic=..., or an algorithm that searches without one"
        )
    if algorithm.needs_consistent and not stack.consistent:
        raise Incompatible(f"heuristic: {name} needs a consistent one, and {stack} is not declared consistent")
    if algorithm.needs_preferred and not stack.prefers:
        domain = samples[0].world.domain
        entries = {each: HEURISTICS.find(each, domain=domain) for each in HEURISTICS.names(domain=domain)}
        offered = [each for each, entry in entries.items() if entry.prefers is not Heuristic.prefers]
        raise Incompatible(
            f"heuristic: {name} needs one that prefers successors, and {stack} does not; of {domain} there "
            f"{'are' if offered else 'is'} {', '.join(offered) or 'none'}"
        )
    for sample in samples:
        algorithm.check(sample)
    if algorithm.needs_consistent and _goes_back(algorithm):
        stack.check_backward(f"heuristic: {name}")
    for heuristic, sample in itertools.product(stack.heuristics, samples):
        heuristic.check(sample)
