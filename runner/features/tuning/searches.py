"""Searches of a race as rows of a sweep: each configuration is a cell, found again by its content.

A search with a limit of its own is a row in a part of its cell, ``part-LIMIT``, as tasks of a cluster write them. All
rows that have been made stay. A search that was capped at a limit answers for smaller ones, one that ended for all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from time import monotonic
from typing import Any, Literal, NamedTuple

from algorithms.engine import Limits
from runner.base import KINDS, Metric, UserError, number_of, override_text, text_if_any
from runner.cli import TerminalDisplay
from runner.config import Parser, Request, parse
from runner.execution import Solver, Stop, Sweep, SweepCell, execute, plan_cells
from runner.features.tuning.configurations import Configuration
from runner.features.tuning.scenario import COVERAGE, PENALTY, Scenario
from runner.records import NUMBER, PART, Log, SweepFolder, SweepLogs

Phase = Literal["train", "test"]
Digests = tuple[str, str, str]
Search = tuple[Digests, int]
"""Digests of a cell, and the number of an instance in its source."""

SECONDS = "seconds.txt"
"""File with what rows have taken: the cell, the number of the instance, the limit and the seconds, a line for each."""
SLACK = 1.2
"""Default of `capping`."""
_LIMITS = {
    "expanded": ("nodes", "node_limit"),
    "search_seconds": ("time", "time_limit"),
    "cpu_seconds": ("cpu", "cpu_limit"),
}
"""Limit of the search that bounds an objective, and the status of a search that it ends."""


class Ask(NamedTuple):
    """Search that is needed: a configuration, the number of an instance and a limit; None is that of the scenario."""

    configuration: Configuration
    number: int
    limit: float | None = None


class BoundedValue(NamedTuple):
    """Value of a search, the less the better, and whether the limit makes it a lower bound only.

    Attributes
    ----------
    used : float
        What the limit counts, of a search that was solved or that it has ended; otherwise NaN.
    """

    value: float
    is_capped: bool = False
    used: float = math.nan


class Searches:
    """Results of searches of configurations on the instances of a phase.

    Parameters
    ----------
    words : sequence of str
        Overrides of the command, which follow those of the scenario.
    folder : Path
        Folder of the sweep.
    config_dirs : sequence of Path
        Folders with choices of the user.
    """

    def __init__(
        self, scenario: Scenario, words: Sequence[str], folder: Path, stop: Stop, config_dirs: Sequence[Path] = ()
    ) -> None:
        self.folder = SweepFolder(folder)
        self.stop = stop
        self.scenario = scenario
        self.metric = Metric(scenario.objective)
        self.numbers: dict[Phase, list[int]] = {}
        self.asked: dict[tuple[Configuration, int], float] = {}  # the largest limit of each search of a race
        self._limit_name, self._at_limit = _LIMITS.get(scenario.objective, ("nodes", ""))
        fixed = [f"{key}={override_text(value)}" for key, value in scenario.fixed.items()]
        if self._limit_name != "nodes":
            fixed += ["order=random", f"order_seed={scenario.seed}"]
        request = Request((*fixed, *words), is_sweep=True, config_dirs=tuple(config_dirs))
        self.request = request.in_folder(folder.absolute())
        swept = self.request.first_sweep()
        if swept is not None:
            raise UserError(f"'{swept.input_line}': tune takes one value for each key")
        self._settings = replace(self.request.settings, progress=False)
        self._parser = Parser()
        self._worlds: dict[Phase, dict[str, Any]] = {"train": scenario.train, "test": scenario.test}
        self._first = Configuration.of(scenario, scenario.defaults)
        self._arms: dict[tuple[Phase, Configuration], Digests] = {}
        self._cells: dict[Digests, SweepCell] = {}
        self._rows: dict[Search, BoundedValue] = {}
        self._is_time = scenario.budget_value[1]
        self._spent, self._count, self._clock = 0.0, 0, monotonic()
        lines = (line.rpartition(" ") for line in text_if_any(folder / SECONDS).splitlines())
        self._seconds = {search: float(number_of(seconds) or 0) for search, _, seconds in lines}

    def begin(self) -> Scenario:
        """Check the default configuration and the instances, and return the scenario with its capping."""
        try:
            cells = {phase: self._composed(phase, self._first) for phase in self._worlds}
        except UserError as error:
            raise UserError(f"tune.parameters: the default configuration cannot run: {error}") from None
        cell = cells["train"].cell
        self._limits = cell.limits
        full = getattr(cell.limits, self._limit_name) if self._at_limit else None
        self._full = math.inf if full is None else float(full)
        self.metric = self.scenario.metric(cell.declared.all_metrics)
        self._check_instances(cells)
        for phase in cells:
            self.add([self._first], phase)
        problem = "" if self._at_limit else f"no limit counts {self.metric.name}; use false"
        try:
            cell.algorithm.check_limits(self._limits_with(1))
        except UserError as error:
            problem = problem or str(error)
        capping = self.scenario.capping
        if capping and problem:
            raise UserError(f"tune.capping: {problem}")
        if capping is None:
            self.scenario = replace(self.scenario, capping=self._limit_name == "nodes" and not problem and SLACK)
        return self.scenario

    def _check_instances(self, cells: Mapping[Phase, SweepCell]) -> None:
        """Number the different instances of both phases, and refuse those in common."""
        phases: dict[str, Phase] = {}
        for phase, each in cells.items():
            source, solver = each.cell.source, Solver.of(each.cell)
            numbers: dict[str, int] = {}
            for number, instance in enumerate(islice(source.instances(), len(source))):
                content = str(solver.columns(instance)["content"])
                if phases.setdefault(content, phase) != phase:
                    raise UserError(f"tune.test: instance {instance.id} is one of tune.train, too; choose other seeds")
                numbers.setdefault(content, number)
            self.numbers[phase] = [*numbers.values()]

    def add(self, configurations: Sequence[Configuration], phase: Phase) -> list[Configuration]:
        """Compose the cells of configurations, record them, read their rows, and return those that can run."""
        known = len(self._cells)
        for each in configurations:
            if (phase, each) not in self._arms:
                with suppress(UserError):
                    cell = self._composed(phase, each)
                    self._arms[phase, each] = cell.digests
                    self._cells.setdefault(cell.digests, cell)
        if len(self._cells) > known:
            names = zip(self._cells.values(), self.folder.allocate([*self._cells]), strict=True)
            placed = [replace(each, folder=self.folder.path / name) for each, name in names]
            for cell in plan_cells(placed[known:], SweepLogs(), "failed"):
                self._cells[cell.digests] = cell
                self._read(cell, Log(cell.folder, with_parts=True))
            self.folder.path.mkdir(parents=True, exist_ok=True)
            cells = [*self._cells.values()]
            Sweep(self._settings, self.folder, cells, [], TerminalDisplay(), self._recorded, []).record()
        return [each for each in configurations if (phase, each) in self._arms]

    def _composed(self, phase: Phase, configuration: Configuration) -> SweepCell:
        keys = {**self._worlds[phase], **configuration.plain}
        words = parse([f"{key}={override_text(each)}" for key, each in keys.items()])
        with self.request.locating():
            composition = self.request.composer.compose([*self.request.parsed, *words])
            cell = self._parser.parse(composition.resolved)
        label = f"[{len(self._cells)}] {configuration}"
        values = {key: str(each) for key, each in keys.items() if key not in KINDS}
        return SweepCell(len(self._cells), label, cell, composition, values)

    @cached_property
    def _recorded(self) -> Request:
        """Request that is recorded: as a sweep, the folder is that of the default configuration."""
        cells = override_text([{**world, **self._first.plain} for world in self._worlds.values()])
        request = replace(self.request, overrides=(*self.request.overrides, f"sweep.cells={cells}"))
        keys = {**self.scenario.train, **self.scenario.test, **self.scenario.parameters}
        request.space.swept = [key for key in keys if key not in KINDS]  # also what the default does not set
        return request

    @property
    def tried(self) -> int:
        """Number of configurations that have run on training instances."""
        return len({configuration for configuration, _ in self.asked})

    def accepts(self, configurations: Sequence[Configuration]) -> list[Configuration]:
        """Return the configurations that can run on training instances, and search otherwise than earlier ones."""
        able = self.add(configurations, "train")
        first = {digests: each for (_, each), digests in reversed(self._arms.items())}
        return [each for each in able if first[self._arms["train", each]] == each]

    def spent(self) -> float:
        """Return the number of searches that were asked for, or their time."""
        return self._spent if self._is_time else float(self._count)

    def mean_price(self) -> float:
        """Return the mean part of the budget that a search takes."""
        return max(self._spent / max(1, self._count), 1e-6) if self._is_time else 1.0

    def ask(self, asked: Iterable[Ask]) -> list[BoundedValue]:
        """Return the outcomes of searches of training instances, and charge the budget for those that are new."""
        wanted = [(each[:2], self._search("train", *each[:2]), self._limit(each)) for each in asked]
        self._make([(search, limit) for _, search, limit in wanted])
        count = self._count
        for each, search, limit in wanted:
            before = self.asked.get(each)
            if before is None or (limit > before and self._answer(search, before).is_capped):
                self.asked[each] = limit
                self._count += 1
                self._spent += self._seconds.get(self._line(search, limit), self.mean_price())
        if self._count > count:
            self._clock = monotonic()
        return [self._answer(search, limit) for _, search, limit in wanted]

    def values(self, configurations: Sequence[Configuration], phase: Phase) -> list[list[float]]:
        """Return the values of configurations on all instances of a phase, with the limits of the scenario only."""
        self.add(configurations, phase)
        numbers = range(len(self.numbers[phase]))
        searches = [[self._search(phase, each, number) for number in numbers] for each in configurations]
        self._make([(search, math.inf) for search in chain(*searches)])
        return [[self._answer(search, math.inf).value for search in each] for each in searches]

    def _search(self, phase: Phase, configuration: Configuration, number: int) -> Search:
        return self._arms[phase, configuration], self.numbers[phase][number]

    def _line(self, search: Search, limit: float) -> str:
        return f"{self._cells[search[0]].folder.name} {search[1]} {limit:.10g}"

    def _limit(self, asked: Ask) -> float:
        """Return the limit of a search: infinity for that of the scenario; -1 stands for the largest one so far."""
        if asked.limit is None or asked.limit >= self._full:
            return math.inf
        if asked.limit < 0:
            return self.asked[asked[:2]]
        return math.floor(asked.limit) + 1 if self._limit_name == "nodes" else float(f"{asked.limit:.6g}")

    def _limits_with(self, limit: float | None) -> Limits:
        changed: Any = {self._limit_name: limit}
        return replace(self._limits, **changed)

    def _answer(self, search: Search, limit: float) -> BoundedValue:
        """Return the outcome under a limit that follows from the row."""
        row = self._rows[search]
        return BoundedValue(limit, is_capped=True) if row.used >= limit < math.inf else row

    def _missing(self, wanted: Iterable[tuple[Search, float]]) -> list[tuple[Search, float]]:
        rows = ((search, limit, self._rows.get(search)) for search, limit in dict.fromkeys(wanted))
        return [(search, limit) for search, limit, row in rows if row is None or (row.is_capped and row.used < limit)]

    def _make(self, wanted: Sequence[tuple[Search, float]]) -> None:
        """Make the rows that are missing."""
        missing = self._missing(wanted)
        if not missing:
            return
        parts: dict[tuple[Digests, float], SweepCell] = {}
        for (digests, number), limit in sorted(missing, key=lambda each: each[0][1]):
            part = parts.setdefault((digests, limit), self._part(self._cells[digests], limit))
            part.missing.append(range(number, number + 1))
        self.folder.lock()
        try:
            execute([*parts.values()], self.folder, self._settings, self.stop, TerminalDisplay(shows_cells=False))
            self._charge([self._line(*each) for each in missing])
        finally:
            self.folder.unlock()
        for (digests, _), part in parts.items():
            self._read(self._cells[digests], Log(part.folder, with_parts=False), is_new=True)
        self.stop.check()
        for (digests, number), _ in self._missing(missing):
            raise UserError(f"{self._cells[digests].label}: instance {number} has no row; see the errors above")

    def _charge(self, made: Sequence[str]) -> None:
        """Divide the time since the last search among new ones, and keep that: a race that is repeated needs it."""
        seconds = round((monotonic() - self._clock) / len(made), 6)
        self._clock = monotonic()
        self._seconds |= dict.fromkeys(made, seconds)
        with open(self.folder.path / SECONDS, "a", encoding="utf-8") as out:
            out.write("\n")  # after a line that kill -9 has cut
            out.writelines(f"{line} {seconds:.6f}\n" for line in made)

    def _part(self, cell: SweepCell, limit: float) -> SweepCell:
        """Return the part of a cell with a limit, without instances."""
        limits = self._limits if limit == math.inf else self._limits_with(limit)
        folder = cell.folder / f"{PART}{'all' if limit == math.inf else f'{limit:.10g}'}"
        limited, rule = replace(cell.cell, limits=limits), cell.rule._replace(limits=str(limits))
        return replace(cell, cell=limited, rule=rule, folder=folder, missing=[])

    def _read(self, cell: SweepCell, log: Log, *, is_new: bool = False) -> None:
        """Read the rows of a cell that count. Failures that an earlier command has left do not."""
        digests = cell.digests
        for row, (_, values) in enumerate(log.rows(range(len(log)))):
            kind = log.kind(row)
            own = number_of(dict(each.split("=") for each in kind.limits.split()).get(self._limit_name))
            rule = cell.rule._replace(limits=str(self._limits_with(own)))
            if rule.is_current(kind) and (is_new or rule.is_finished(kind)):
                is_solved = kind.status.is_success and values.get("valid") != "False"
                limit = float(own) if own is not None and kind.status.name == self._at_limit else math.nan
                found = self._value(values, limit, is_solved=is_solved)
                search = digests, int(values[NUMBER])
                before = self._rows.get(search, found)
                if before.is_capped or found.is_capped:  # what a limit has ended stays so, also of a time
                    ended = before if found.is_capped else found
                    found = ended._replace(used=max(found.used, before.used))
                self._rows[search] = found

    def _value(self, row: Mapping[str, str], limit: float, *, is_solved: bool) -> BoundedValue:
        """Return the value of a row, given the limit that has ended it. Unsolved counts ten times the full limit."""
        sign = -1.0 if self.metric.better == "more" else 1.0
        if is_solved:
            measured = 1.0 if self.metric.name == COVERAGE else self.metric.value_in(row)
            return BoundedValue(math.inf) if measured is None else BoundedValue(sign * measured, used=measured)
        if limit < self._full:
            return BoundedValue(limit, is_capped=True, used=limit)
        return BoundedValue(PENALTY * self._full if sign > 0 else 0.0, used=limit)
