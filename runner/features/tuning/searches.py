"""Searches of a race as rows of a sweep: each configuration is a cell, found again by its content.

A search with a limit of its own is a row in a part of its cell, ``part-LIMIT``, as tasks of a cluster write them. All
rows that have been made stay: which of them answers a question depends only on the question.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Any, Literal, NamedTuple

import numpy as np

from runner.base import CPU_LIMIT, KINDS, NODE_LIMIT, TIME_LIMIT, Metric, UserError, number_of, override_text
from runner.cli import TerminalDisplay
from runner.config import Parser, Request, parse
from runner.execution import Solver, Stop, Sweep, SweepCell, execute, plan_cells
from runner.features.tuning.configurations import Configuration
from runner.features.tuning.scenario import COVERAGE, PENALTY, Scenario
from runner.records import NUMBER, PART, Job, Log, RecordFile, SweepFolder, SweepLogs, collect

Phase = Literal["train", "test"]
Arm = tuple[Phase, Configuration]
PHASES: tuple[Phase, Phase] = ("train", "test")

SECONDS = "seconds.txt"
"""File with what rows have taken: the cell, the number of the instance, the limit and the seconds, a line for each."""
SLACK = 1.2
"""Default of `capping`."""
_LIMIT_OF = {"expanded": "nodes", "search_seconds": "time", "cpu_seconds": "cpu"}
"""Limit of the search that bounds an objective."""
_STATUS = {"nodes": NODE_LIMIT.name, "time": TIME_LIMIT.name, "cpu": CPU_LIMIT.name}


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
        What the limit counts, of a search that was solved.
    """

    value: float
    is_capped: bool = False
    used: float = math.nan


class _Row(NamedTuple):
    limit: float | None  # on what the objective counts
    is_solved: bool
    is_at_limit: bool
    used: float
    seconds: float


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
        fixed = [f"{key}={override_text(value)}" for key, value in scenario.fixed.items()]
        if _LIMIT_OF.get(scenario.objective) in ("time", "cpu"):
            fixed += ["order=random", f"order_seed={scenario.seed}"]
        where = f"hydra.sweep.dir={override_text(str(folder.absolute()))}"
        self._request = Request((*fixed, *words, where), is_sweep=True, config_dirs=tuple(config_dirs))
        swept = self._request.first_sweep()
        if swept is not None:
            raise UserError(f"'{swept.input_line}': tune takes one value for each key")
        self.settings = self._request.settings
        self.problem = ""
        self._parser = Parser()
        self._planned: list[SweepCell] = []
        self._digests: dict[tuple[str, str, str], Arm] = {}
        self._same: dict[Arm, Arm | None] = {}  # the first with the same searches; None if a configuration cannot run
        self._cells: dict[Arm, SweepCell] = {}
        self._rows: dict[Arm, dict[int, list[_Row]]] = {}
        self.asked: dict[tuple[Configuration, int], float] = {}  # the largest limit of each search of a race
        self._spent = 0.0
        self._count = 0
        self._clock = monotonic()
        self._seconds = _read_seconds(folder / SECONDS)
        self._full: float | None = None
        self.metric = Metric(COVERAGE)
        self._limit_name = _LIMIT_OF.get(scenario.objective, "")
        self.numbers: dict[Phase, list[int]] = {}

    def begin(self) -> Scenario:
        """Check the default configuration and the instances, and return the scenario with its capping."""
        first = Configuration.of(self.scenario, self.scenario.defaults)
        for phase in PHASES:
            if not self.add([first], phase):
                raise UserError(f"tune.parameters: the default configuration cannot run: {self.problem}")
        cell = self._cells["train", first].cell
        self.metric = self.scenario.metric(cell.declared.all_metrics)
        name = self._limit_name
        capping = self.scenario.capping
        problem = "" if name else f"no limit counts {self.metric.name}; use false"
        if name == "nodes":
            try:
                cell.algorithm.check_limits(replace(cell.limits, nodes=1))
            except UserError as error:
                problem = str(error)
        if capping and problem:
            raise UserError(f"tune.capping: {problem}")
        if capping is None:
            capping = SLACK if name == "nodes" and not problem else False
        self._check_instances(first)
        self.scenario = replace(self.scenario, capping=capping)
        return self.scenario

    def _check_instances(self, first: Configuration) -> None:
        """Number the different instances of both phases, and refuse those in common."""
        phase_of: dict[str, Phase] = {}
        for phase in PHASES:
            source = self._cells[phase, first].cell.source
            solver = Solver.of(self._cells[phase, first].cell)
            numbers: dict[str, int] = {}
            for number, instance in enumerate(islice(source.instances(), len(source))):
                content = str(solver.columns(instance)["content"])
                if phase_of.setdefault(content, phase) != phase:
                    raise UserError(f"tune.test: instance {instance.id} is one of tune.train, too; choose other seeds")
                numbers.setdefault(content, number)
            self.numbers[phase] = [*numbers.values()]

    def add(self, configurations: Iterable[Configuration], phase: Phase) -> list[Configuration]:
        """Compose the cells of configurations, record them, read their rows, and return those that can run."""
        new = [(phase, each) for each in dict.fromkeys(configurations) if (phase, each) not in self._same]
        composed = {arm: cell for arm in new if (cell := self._composed(*arm)) is not None}
        names = self.folder.allocate([each.digests for each in (*self._planned, *composed.values())])
        placed = zip(composed.values(), names[len(self._planned) :], strict=True)
        cells = plan_cells(
            (replace(each, folder=self.folder.path / name) for each, name in placed), SweepLogs(), "failed"
        )
        self._planned += cells
        for arm, cell in zip(composed, cells, strict=True):
            self._cells[arm], self._rows[arm] = cell, {}
            self._full = getattr(cell.cell.limits, self._limit_name) if self._limit_name else None
            self._read(arm, cell, cell.folder)
        for arm in new:
            same = self._same.get(arm)
            if same is not None:
                self._cells[arm], self._rows[arm] = self._cells[same], self._rows[same]
        if cells:
            self.folder.path.mkdir(parents=True, exist_ok=True)
            self._record()
        return [each for each in configurations if (phase, each) in self._cells]

    def _composed(self, phase: Phase, configuration: Configuration) -> SweepCell | None:
        """Return the cell of a configuration; None if it cannot run, or makes the same searches as an earlier one."""
        words = [f"{key}={override_text(each)}" for key, each in {**self._world(phase), **configuration.plain}.items()]
        try:
            with self._request.locating():
                composition = self._request.composer.compose([*self._request.parsed, *parse(words)])
                cell = self._parser.parse(composition.resolved)
        except UserError as error:
            self.problem = str(error)
            self._same[phase, configuration] = None
            return None
        keys = {**self._world(phase), **configuration.plain}
        values = {key: str(each) for key, each in keys.items() if key not in KINDS}
        number = len(self._digests)
        found = SweepCell(number, f"[{number}] {configuration}", cell, composition, values)
        self._same[phase, configuration] = self._digests.setdefault(found.digests, (phase, configuration))
        return found if self._same[phase, configuration] == (phase, configuration) else None

    def _record(self) -> None:
        """Record the cells, and once the command: as a sweep, the folder is that of the default configuration."""
        first = next(iter(self._cells))[1]
        cells = [{**self._world(phase), **first.plain} for phase in PHASES]
        request = replace(self._request, overrides=(*self._request.overrides, f"sweep.cells={override_text(cells)}"))
        if not (self.folder.path / RecordFile.SWEEP).exists():
            Sweep(self.settings, self.folder, [], [], TerminalDisplay(), request, []).record()
        keys = {**self.scenario.train, **self.scenario.test, **self.scenario.parameters}
        swept = [key for key in keys if key not in KINDS]
        jobs: list[Job] = []
        for each in self._planned:
            cell, search, reading = each.digests
            jobs.append(
                Job(
                    each.folder.name, [*each.composition.overrides], cell, search, len(each.cell.source),
                    each.rule.code or "", reading, str(each.cell.limits), each.rule.repeat, True, each.values,
                    swept,
                )
            )  # fmt: skip
        self.folder.record(jobs)

    def _world(self, phase: Phase) -> dict[str, Any]:
        return self.scenario.train if phase == "train" else self.scenario.test

    @property
    def tried(self) -> int:
        """Number of configurations that have run on training instances."""
        return sum(phase == "train" and same == (phase, each) for (phase, each), same in self._same.items())

    def is_group(self, key: str) -> bool:
        """Return whether a key chooses a file of the configuration."""
        return bool(self._request.composer.groups.is_group(key))

    def accepts(self, configurations: Sequence[Configuration]) -> list[Configuration]:
        """Return the configurations that can run on the training instances."""
        able = self.add(configurations, "train")
        return [each for each in able if self._same["train", each] == ("train", each)]

    def spent(self) -> float:
        """Return the number of searches that were asked for, or their time."""
        return self._spent if self.scenario.budget_value[1] else float(self._count)

    def mean_price(self) -> float:
        """Return the mean part of the budget that a search takes."""
        return max(self._spent / max(1, self._count), 1e-6) if self.scenario.budget_value[1] else 1.0

    def ask(self, asked: Iterable[Ask]) -> list[BoundedValue]:
        """Return the outcomes of searches of training instances, and charge the budget for those that are new."""
        wanted = [(each, self._limit(each)) for each in asked]
        self._make([("train", each.configuration, each.number, limit) for each, limit in wanted])
        outcomes: list[BoundedValue] = []
        count = self._count
        for each, limit in wanted:
            arm: Arm = "train", each.configuration
            before = self.asked.get(each[:2])
            row = self._row(arm, each.number, limit)
            assert row is not None
            if before is None or (limit > before and self._is_bound(arm, each.number, before)):
                self.asked[each[:2]] = limit
                self._count += 1
                self._spent += row.seconds
            outcomes.append(self._outcome(row, limit))
        if self._count > count:
            self._clock = monotonic()
        return outcomes

    def values(self, configurations: Sequence[Configuration], phase: Phase) -> list[list[float]]:
        """Return the values of configurations on all instances of a phase, with the limits of the scenario only."""
        self.add(configurations, phase)
        numbers = range(len(self.numbers[phase]))
        self._make([(phase, each, number, math.inf) for each in configurations for number in numbers])
        rows = ([self._row((phase, each), number, math.inf) for number in numbers] for each in configurations)
        return [[self._outcome(row, math.inf).value for row in each if row is not None] for each in rows]

    def _limit(self, asked: Ask) -> float:
        """Return the limit of a search: infinity for that of the scenario; -1 stands for the largest one so far."""
        if asked.limit is not None and asked.limit < 0:
            return self.asked[asked[:2]]
        if asked.limit is None or not math.isfinite(asked.limit) or not self._limit_name:
            return math.inf
        limit = math.floor(asked.limit) + 1 if self._limit_name == "nodes" else float(f"{asked.limit:.6g}")
        return math.inf if self._full is not None and limit >= self._full else limit

    def _row(self, arm: Arm, number: int, limit: float) -> _Row | None:
        """Return the row that answers for a limit: one with this limit, a solved one, or one with a larger limit."""
        rows = self._rows[arm].get(self.numbers[arm[0]][number], ())
        own = None if limit == math.inf else limit
        ranked = sorted(rows, key=lambda row: (row.limit != own, not row.is_solved))
        for row in ranked:
            is_other = not (row.is_solved or row.is_at_limit)  # another limit or an error: a larger limit is no help
            if row.limit == own or row.is_solved or is_other or row.limit is None or row.limit >= limit:
                return row
        return None

    def _outcome(self, row: _Row, limit: float) -> BoundedValue:
        if limit != math.inf:
            is_own = row.limit == limit and self._limit_name != "nodes"  # a time may exceed its limit a little
            if row.is_at_limit or (row.is_solved and row.used >= limit and not is_own):
                return BoundedValue(limit, is_capped=True)
        return BoundedValue(self._value(row), used=row.used if row.is_solved else math.nan)

    def _is_bound(self, arm: Arm, number: int, limit: float) -> bool:
        row = self._row(arm, number, limit)
        return row is not None and self._outcome(row, limit).is_capped

    def _make(self, wanted: Iterable[tuple[Phase, Configuration, int, float]]) -> None:
        """Make the rows that are missing."""
        groups: dict[tuple[Arm, float], set[int]] = {}
        for phase, configuration, number, limit in wanted:
            arm = self._same[phase, configuration]
            assert arm is not None
            if self._row(arm, number, limit) is None:
                groups.setdefault((arm, limit), set()).add(self.numbers[phase][number])
        if groups:
            self.folder.lock()
            try:
                self._search(groups)
            finally:
                self.folder.unlock()

    def _search(self, groups: dict[tuple[Arm, float], set[int]]) -> None:
        cells = [self._limited(self._cells[arm], limit, sorted(numbers)) for (arm, limit), numbers in groups.items()]
        settings = replace(self.settings, progress=False)
        execute(cells, self.folder, settings, self.stop, TerminalDisplay(shows_cells=False))
        self._charge([(arm, number, limit) for (arm, limit), numbers in groups.items() for number in numbers])
        for cell, ((arm, _), numbers) in zip(cells, groups.items(), strict=True):
            self._read(arm, cell, cell.folder)
            missing = numbers.difference(self._rows[arm])
            if missing and not self.stop.requested:
                raise UserError(f"{arm[1]}: instance {min(missing)} of {arm[0]} has no row; see the errors above")
        self.stop.check()

    def _charge(self, made: Sequence[tuple[Arm, int, float]]) -> None:
        """Divide the time since the last search among new ones, and keep that: a race that is repeated needs it."""
        each = round((monotonic() - self._clock) / len(made), 6)
        self._clock = monotonic()
        with open(self.folder.path / SECONDS, "a", encoding="utf-8") as out:
            out.write("\n")  # after a line that kill -9 has cut
            for arm, number, limit in made:
                key = self._cells[arm].folder.name, number, limit
                self._seconds[key] = each
                out.write(f"{key[0]} {number} {limit:.10g} {each:.6f}\n")

    def _limited(self, cell: SweepCell, limit: float, numbers: Sequence[int]) -> SweepCell:
        limits = cell.cell.limits
        if limit != math.inf:
            value = int(limit) if self._limit_name == "nodes" else limit
            changed: Any = {self._limit_name: value}
            limits = replace(limits, **changed)
        name = f"{PART}{'all' if limit == math.inf else f'{limit:.10g}'}"
        parts = np.split(np.array(numbers), np.flatnonzero(np.diff(numbers) != 1) + 1)
        missing = [range(int(part[0]), int(part[-1]) + 1) for part in parts]
        limited = replace(cell.cell, limits=limits)
        rule = cell.rule._replace(limits=str(limits))
        return replace(cell, cell=limited, rule=rule, folder=cell.folder / name, missing=missing)

    def _read(self, arm: Arm, cell: SweepCell, folder: Path) -> None:
        """Read rows of a cell, or of a part. Failures that an earlier command has left are not kept."""
        is_new = folder.name.startswith(PART)
        log = Log(folder, with_parts=not is_new)
        found = self._rows[arm]
        others = _without(str(cell.cell.limits), self._limit_name)
        chosen = [
            row
            for row, kind in enumerate(map(log.kind, range(len(log))))
            if cell.rule.is_current(kind)
            and (is_new or not kind.status.is_made_again("failed"))
            and (kind.repetitions >= cell.rule.repeat or not kind.status.is_end)
            and (kind.status.is_end or _without(kind.limits, self._limit_name) == others)
        ]
        for row, (_, values) in zip(chosen, log.rows(chosen), strict=True):
            made = self._parsed(self._cells[arm].folder.name, log, row, values)
            rows = found.setdefault(int(values[NUMBER]), [])
            if made not in rows:
                rows.append(made)

    def _parsed(self, name: str, log: Log, row: int, values: dict[str, str]) -> _Row:
        kind = log.kind(row)
        own = number_of(dict(part.split("=", 1) for part in kind.limits.split()).get(self._limit_name))
        is_solved = kind.status.is_success and values.get("valid") != "False"
        measured = number_of(values.get(self.scenario.objective))
        used = math.nan if measured is None else float(measured)
        is_at_limit = kind.status.name == _STATUS.get(self._limit_name)
        limit = None if own is None or (self._full is not None and own >= self._full) else float(own)
        key = name, int(values[NUMBER]), math.inf if limit is None else limit
        seconds = self._seconds.get(key, float(values.get("search_seconds") or 0))
        return _Row(limit, is_solved, is_at_limit, used, seconds)

    def _value(self, row: _Row) -> float:
        """Return the value of a row, the less the better. Unsolved counts ten times its limit."""
        if self.metric.name == COVERAGE:
            return -1.0 if row.is_solved else 0.0
        sign = -1.0 if self.metric.better == "more" else 1.0
        if row.is_solved:
            return sign * row.used if not math.isnan(row.used) else math.inf
        if sign < 0:
            return 0.0
        return math.inf if self._full is None else PENALTY * self._full

    def close(self) -> None:
        """Put the parts of each cell together, and write results.csv."""
        self.folder.lock()
        try:
            for cell in self._planned:
                log = Log(cell.folder, with_parts=True)
                rows = np.argsort(log.numbers, kind="stable")
                if not log.is_settled(rows):
                    log.settle(cell.cell.declared.columns, rows)
            collect(self.folder)
        finally:
            self.folder.unlock()


def _read_seconds(file: Path) -> dict[tuple[str, int, float], float]:
    lines = map(str.split, file.read_text(encoding="utf-8").splitlines() if file.exists() else [])
    return {(line[0], int(line[1]), float(line[2])): float(line[3]) for line in lines if len(line) == 4}


def _without(limits: str, name: str) -> str:
    """Return the text of limits without one of them."""
    return " ".join(part for part in limits.split() if not part.startswith(f"{name}="))
