"""Definitions of tasks: where the SAS+ task of an instance comes from, and what plays its plans."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from runner.base import Unsupported, UserError
from worlds.interface import InputFile, Replay, Unsolvable, impossible
from worlds.pddl import rules
from worlds.pddl.conditions import facts_text
from worlds.pddl.diagnosis import cost_without_value
from worlds.pddl.lifted import Simulator
from worlds.pddl.packing import Packing, PlanningState
from worlds.pddl.places import TaskPlace
from worlds.pddl.reader import Domain, PddlProblem, read_domain, read_problem
from worlds.pddl.syntax import with_blanks
from worlds.pddl.task import CostMode, Task
from worlds.pddl.translator import KEEP_ALL, translate, translation


class Definition(ABC):
    """Definition of a planning task."""

    @property
    @abstractmethod
    def place(self) -> TaskPlace:
        """Place of the file of the task in a collection. It is no part of the task's identity."""

    @abstractmethod
    def key(self) -> dict[str, Any]:
        """Return what distinguishes the task, as JSON-compatible values."""

    @abstractmethod
    def task(self, seconds: float | None = None) -> Task:
        """Return the task in SAS+, with the costs of the files. `seconds` limits the time of a translation.

        Raises
        ------
        worlds.interface.Unsolvable
            If there is proof that the task has no solution.
        worlds.interface.OutOfTime
            If the translation is ended at its limit.
        Unsupported
            If the files have a mistake or need what is not supported.
        """

    @abstractmethod
    def read(self) -> tuple[Domain, PddlProblem]:
        """Read the domain and the problem. Nothing is kept: they may take much memory.

        Raises
        ------
        UserError
            If the files have a mistake, or there is only a SAS+ file.
        """

    @abstractmethod
    def all_facts(self, seconds: float | None = None) -> frozenset[str]:
        """Return the names of all facts that may change, also of those that do not matter for the goal.

        It may translate the task again, as `task`.
        """

    @abstractmethod
    def replay(self, plan: Sequence[str], costs: CostMode) -> Replay:
        """Play a plan by the rules."""

    @abstractmethod
    def inputs(self, seconds: float | None) -> dict[str, str | InputFile]:
        """Return the files for programs. `seconds` limits the time of a translation; it raises what `task` raises.

        Raises
        ------
        Unsupported
            If the files have a mistake or need what is not supported.
        """


@dataclass(frozen=True, eq=False)
class SasDefinition(Definition):
    """A task that was read from a SAS+ file.

    Attributes
    ----------
    text : str
        Content of the file.
    path : Path or None
        The file. It is no part of the task's identity.
    """

    text: str = field(repr=False)
    translated: Task = field(repr=False)
    path: Path | None = field(default=None, repr=False)

    @property
    def place(self) -> TaskPlace:
        """Place of the file; without names if there is none."""
        return TaskPlace("", (), "") if self.path is None else TaskPlace.of(self.path)

    def key(self) -> dict[str, Any]:
        """Return a digest of the file."""
        return {"sas": sha256(self.text.encode()).hexdigest()}

    def task(self, seconds: float | None = None) -> Task:
        """Return the task of the file."""
        return self.translated

    def read(self) -> tuple[Domain, PddlProblem]:
        """Raise a `UserError`."""
        raise UserError(
            "a SAS+ file has no PDDL, from which objects, static facts and STRIPS come; use world=pddl/file"
        )

    def all_facts(self, seconds: float | None = None) -> frozenset[str]:
        """Return the names of the facts of the file."""
        return self.translated.fact_names

    def replay(self, plan: Sequence[str], costs: CostMode) -> Replay:
        """Play a plan by `worlds.pddl.rules`."""
        task = self.translated.with_costs(costs)
        steps = [(task.initial, 0), *rules.play(task, plan)]
        played, (end, cost) = len(steps) - 1, steps[-1]
        if played == len(plan):
            return Replay(rules.is_goal(task, end), cost)
        allowed = (operator.name for operator, _ in rules.successors(task, end))
        packing = Packing(task)
        state = facts_text(PlanningState(packing, packing.pack(end)).facts)
        return Replay(False, cost, failure=impossible(played + 1, plan[played], state, allowed))

    def inputs(self, seconds: float | None) -> dict[str, str | InputFile]:
        """Return the file as `sas`, which is the instance."""
        file = _file_of(".sas", self.text, self.path)
        return {"instance": file, "sas": file}


@dataclass(frozen=True, eq=False)
class PddlDefinition(Definition):
    """A task of PDDL files.

    Attributes
    ----------
    paths : (Path, Path)
        Files of the domain and of the problem, for messages.
    texts : (str, str)
        Their contents.
    """

    paths: tuple[Path, Path]
    texts: tuple[str, str] = field(repr=False)

    @property
    def place(self) -> TaskPlace:
        """Place of the file of the problem."""
        return TaskPlace.of(self.paths[1])

    def key(self) -> dict[str, Any]:
        """Return digests of both files."""
        domain, problem = (sha256(text.encode()).hexdigest() for text in self.texts)
        return {"domain": domain, "problem": problem}

    def read(self) -> tuple[Domain, PddlProblem]:
        """Read both files."""
        domain = read_domain(self.paths[0], self.texts[0])
        return domain, read_problem(self.paths[1], self.texts[1], domain)

    def task(self, seconds: float | None = None) -> Task:
        """Translate the task. Its files are read before: the translator names no lines."""
        definition = self._supported()
        try:
            return translate(*self._for_others, str(self.paths[1]), seconds)
        except Unsolvable as proof:
            missing = cost_without_value(*definition)
            if missing is None:
                raise
            hint = f"{missing} has no value, so actions that cost it are impossible"
            raise Unsolvable(f"{proof}; {hint}") from None

    def all_facts(self, seconds: float | None = None) -> frozenset[str]:
        """Return the names of the facts that the translator has if it keeps all variables."""
        return translate(*self._for_others, str(self.paths[1]), seconds, KEEP_ALL).fact_names

    def _supported(self) -> tuple[Domain, PddlProblem]:
        """Read both files; raise `Unsupported` if they have a mistake or need what is not supported."""
        try:
            return self.read()
        except UserError as error:
            raise Unsupported(str(error)) from None

    @property
    def _for_others(self) -> tuple[str, str]:
        """The contents as the translator and programs read them."""
        domain, problem = map(with_blanks, self.texts)
        return domain, problem

    def replay(self, plan: Sequence[str], costs: CostMode) -> Replay:
        """Play a plan by `worlds.pddl.lifted`."""
        rules_of_pddl = Simulator(*self.read())
        charged = partial(self.task().charged, mode=costs) if costs == "plus_one" else partial(_charged, costs)
        state, total = rules_of_pddl.initial, 0
        for number, action in enumerate(plan, 1):
            try:
                state, cost = rules_of_pddl.act(state, action)
            except ValueError as reason:
                return Replay(False, total, failure=f"action {number}, {action}: {reason}")
            total += charged(cost)
        return Replay(rules_of_pddl.is_goal(state), total)

    def inputs(self, seconds: float | None) -> dict[str, str | InputFile]:
        """Return both files, or copies if they need blanks; the problem is the instance. `sas` is the translation."""
        self._supported()  # else a program might plan for a task that cannot be judged
        given = zip(self.texts, self._for_others, self.paths, strict=True)
        domain, problem = (_file_of(".pddl", text, path if text == own else None) for own, text, path in given)
        sas = InputFile(".sas", partial(translation, *self._for_others, str(self.paths[1]), seconds))
        return {"domain": domain, "problem": problem, "instance": problem, "sas": sas}


def _file_of(suffix: str, text: str, path: Path | None) -> InputFile:
    """Return a text that was read from a file, if there is a path; else a copy, which instances may share."""
    key = sha256(text.encode()).hexdigest()
    return InputFile(suffix, lambda: text, path and path.absolute(), key)


def _charged(costs: CostMode, cost: int) -> int:
    return 1 if costs == "one" else cost
