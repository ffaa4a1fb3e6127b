"""Programs of others, in any language, as algorithms: the runner starts them, and replays their plans by the rules.

A program is configured by YAML alone (docs/programs.md). `algorithms.programs` has the parts.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec

from algorithms.engine import Limits
from algorithms.interface import ALGORITHMS, Answer
from algorithms.plan_sets import DIVERSE, HYPERVOLUME, SOLUTIONS
from algorithms.programs.commands import (
    COMMON,
    FOLDER,
    MEMORY,
    PLAN,
    TIME,
    CommandTemplate,
    Placeholders,
    Value,
    check_code,
    check_names,
    executable_of,
    files_of,
)
from algorithms.programs.interface import ExternalPlanner
from algorithms.programs.kept_output import PROMPT, KeptOutput
from algorithms.programs.outcome import STATUSES
from algorithms.programs.output import COST, Described, OutputReader, exact
from algorithms.programs.plans import FILE, PlanOutput
from algorithms.programs.sessions import (
    MEASURED,
    OWN_SECONDS,
    ProcessSession,
    ProgramSession,
    ProgramSettings,
    ServerSession,
    request_of,
)
from heuristics.interface import Weighting
from runner.base import Incompatible, Metric, UserError, convert, scalar_text, suggest
from worlds.interface import Instance

_MAX_EXIT_CODE = 255
_PLAN: dict[str, str | None] = {"from": None, "pattern": None, "format": "names", "each": None}
_OF_SETS: dict[Answer, tuple[Metric, ...]] = {
    "plan": (), "plans": (SOLUTIONS, DIVERSE), "front": (SOLUTIONS, HYPERVOLUME),
}  # fmt: skip


@ALGORITHMS.register("program")
@dataclass(frozen=True)
class Program(ExternalPlanner):
    """A program of the user, in any language: started for each instance, or once as a server (docs/programs.md).

    Parameters
    ----------
    command : list or str
        Words of the command, or one text that is split as a shell would. Names in braces are placeholders.
    title : str
        Name in tables; by default that of the program's file.
    arguments : dict
        Values of placeholders of your own, which can be swept.
    stdin : str or list, optional
        Placeholder whose file, or text, the program reads from its standard input. For a server: the placeholders in
        each line.
    output : dict or str
        What the program prints becomes columns: for each column a regular expression, or a mapping with `pattern` or
        `key`, `total`, `scale`, `unit`, `better`, `aggregate`, `digits` and `meaning`; ``json: true`` reads the last
        line that is a JSON object; ``parser: module:function`` calls a function of the text.
    plan : dict
        Where the plan is (`from`: stdout, stderr, file, or a name in the working directory), the regular expression
        that finds it (`pattern`), its `format`, and, if there are several, what is one of them (`each`: line).
    answer_ : {"plan", "plans", "front"}
        What the program gives: a plan, several plans, or the Pareto front of a world with several costs.
    exit_codes : dict
        Status that each exit code stands for if there is no plan.
    optimal_ : {"always", "unit_costs", "never"}
        What the program promises about the cost of its plans. Audits hold it to that.
    bound : float or str, optional
        Factor of the optimal cost within which the program promises its plans, or such a number with placeholders.
    complete_ : bool
        Whether the program promises to find a plan if there is one, and to claim `unsolvable` only if there is none.
    code : list
        Files, or patterns of files, whose change makes older rows stale, as that of the program itself does.
    keep : {"failed", "all", "none"}
        Whose output is kept in the folder `logs` beside the rows.
    serve : bool
        Start the program once, and give it one line of JSON for each instance.
    """

    command: list[Value] | str
    title_: str = ""
    arguments: dict[str, Value] | None = None
    stdin: str | list[str] | None = None
    output: Described | None = None
    plan: dict[str, str | None] = field(default_factory=lambda: dict(_PLAN))
    answer_: Answer = "plan"
    exit_codes: dict[int, str] | None = None
    optimal_: Literal["always", "unit_costs", "never"] = "never"
    bound: float | str | None = None
    complete_: bool = False
    code: list[str] = field(default_factory=list)
    keep: Literal["failed", "all", "none"] = "failed"
    serve: bool = False

    without_effect = ("title", "output", "plan", "answer", "exit_codes", "optimal", "bound", "complete", "code", "keep")

    def __post_init__(self) -> None:
        """Check what does not depend on the instances. Spellings of one command make the same rows.

        Raises
        ------
        UserError
        """
        words = CommandTemplate.of(self.command, "algorithm.command").words
        object.__setattr__(self, "command", list(words))
        if self.arguments is not None:
            given = self.arguments.items()
            arguments = {name: exact(value) if isinstance(value, float) else value for name, value in given}
            object.__setattr__(self, "arguments", arguments)
        _ = self.settings  # which are checked
        for code, status in (self.exit_codes or {}).items():
            if status not in STATUSES:
                where = f"algorithm.exit_codes.{code}"
                raise UserError(f"{where}: there is no status '{status}' without a plan{suggest(status, STATUSES)}")
            if not 0 <= code <= _MAX_EXIT_CODE:
                raise UserError(f"algorithm.exit_codes: expected numbers from 0 to {_MAX_EXIT_CODE}, got {code}")
        wrong = next((name for name in self.values if not name.isidentifier()), None)
        if wrong is not None:
            raise UserError(f"algorithm.arguments: expected names of letters, digits and underscores, got {wrong!r}")
        if self.bound is not None and self.optimal_ != "never":
            raise UserError("algorithm.bound: a program that is optimal needs no bound; give one of optimal and bound")
        if self.bound is not None:
            self._promised()

    @property
    def values(self) -> dict[str, Value]:
        """Values of the arguments."""
        return self.arguments or {}

    @cached_property
    def settings(self) -> ProgramSettings:
        """Settings of a session, checked."""
        command = CommandTemplate.of(self.command, "algorithm.command")
        default = FILE if PLAN in command.names else "stdout"
        stated = {name: value for name, value in self.plan.items() if value is not None}
        plan = convert(PlanOutput, {"from": default, **stated}, where="algorithm.plan")
        plan.check()
        if plan.from_ == FILE and PLAN not in command.names and not self.serve:
            raise UserError("algorithm.plan.from: file needs the placeholder {plan} in the command")
        names = [self.stdin] if isinstance(self.stdin, str) else self.stdin
        if names is not None and len(names) != 1 and not self.serve:
            raise UserError("algorithm.stdin: expected one placeholder; only a server takes several")
        output = OutputReader(self.output or {})
        self._check_set(output, plan)
        if self.serve:
            self._check_server(output, stated)
        else:
            output.check()
        return ProgramSettings(
            command, self.values, None if names is None else tuple(names), output, plan,
            self.exit_codes or {}, self.keep == "all", self.keep != "none",
        )  # fmt: skip

    def _check_set(self, output: OutputReader, plan: PlanOutput) -> None:
        """Refuse an answer that the lines cannot give.

        Raises
        ------
        UserError
        """
        if plan.each is None and self.answer_ != "plan":
            raise UserError(f"algorithm.plan.each: missing; {self.answer_} are in lines: add each: line to plan")
        if plan.each is not None and self.answer_ == "plan":
            raise UserError("algorithm.answer: plan.each gives several plans; choose plans or front, not plan")
        if plan.is_costs_alone and self.answer_ == "plans":
            raise UserError(f"algorithm.plan.pattern: needs a group (?P<{PLAN}>...); only a front may be costs alone")
        if plan.each is not None and COST in output.sources:
            raise UserError("algorithm.output.cost: each plan has its own: (?P<cost>...) in algorithm.plan.pattern")

    def _check_server(self, output: OutputReader, plan: Mapping[str, str]) -> None:
        """Refuse what has no effect on a server, whose answers are lines of JSON.

        Raises
        ------
        UserError
        """
        without_effect = {
            "output": output.reads_text and "regular expressions and functions read",
            "plan.pattern": "pattern" in plan and "regular expressions read",
            "plan.from": "from" in plan and "files hold",
            "plan.each": "each" in plan and "lines hold",
            "exit_codes": self.exit_codes and "exit codes give",
        }
        for key, what in without_effect.items():
            if what:
                raise UserError(f"algorithm.{key}: {what} nothing of a server, which answers by lines of JSON")

    @property
    def title(self) -> str:
        """Name in tables of results."""
        if self.title_:
            return self.title_
        command = self.settings.command
        program = command.words[0]
        is_interpreter = "/" not in program and command.files  # such as python3 solver.py
        return command.files[0].stem if is_interpreter else Path(program).stem

    def variant(self) -> dict[str, Any]:
        """Return the arguments."""
        return dict(self.values)

    @property
    def metrics(self) -> tuple[Metric, ...]:  # type: ignore[override]
        """Columns of all programs, and those that the output fills."""
        own = (OWN_SECONDS,) if self.serve else ()
        return (*MEASURED, *own, *_OF_SETS[self.answer_], *self.settings.output.metrics)

    @property
    def answer(self) -> Answer:
        """The answer that the program gives."""
        return self.answer_

    @property
    def complete(self) -> bool:
        """Whether the program promises to be complete."""
        return self.complete_

    def promised_bound(
        self, weighting: Weighting | None, *, admissible: bool, consistent: bool, unit_costs: bool
    ) -> float | None:
        """Return the factor of the optimum within which the program promises its plans."""
        if self.bound is not None:
            return self._promised()
        is_optimal = self.optimal_ == "always" or (self.optimal_ == "unit_costs" and unit_costs)
        return 1.0 if is_optimal else None

    def _promised(self) -> float:
        """Return the number that `bound` states."""
        where = "algorithm.bound"
        template = CommandTemplate.of([str(self.bound)], where)
        unknown = next((name for name in template.names if name not in self.values), None)
        if unknown is not None:
            raise UserError(f"{where}: {{{unknown}}} is none of the arguments{suggest(unknown, self.values)}")
        (text,) = template.filled(lambda name: scalar_text(self.values[name]))
        try:
            bound = float(text)
        except ValueError:
            bound = math.nan
        if not 1 <= bound < math.inf:
            raise UserError(f"{where}: expected a number of at least 1, got '{text}'")
        return bound

    def check(self, instance: Instance) -> None:
        """Refuse a domain that lacks a placeholder or the format of the plan, and a program that cannot be started."""
        super().check(instance)
        settings = self.settings
        world = instance.world
        executable_of(settings.command.words[0], "algorithm.command")
        taken = next((name for name in self.values if name in (*COMMON, *world.inputs())), None)
        if taken is not None:
            raise UserError(
                f"algorithm.arguments.{taken}: {world.domain} has a placeholder of this name; choose another"
            )
        self._check_command(instance)
        used = {*settings.command.names, *(settings.stdin or ()), *CommandTemplate.of([str(self.bound)], "").names}
        unused = next((name for name in self.values if name not in used), None)
        if unused is not None and not self.serve:
            raise UserError(f"algorithm.arguments.{unused}: has no effect: the command has no {{{unused}}}")
        check_names(settings.stdin or (), instance, self.values, "algorithm.stdin")
        if settings.plan.format not in world.plan_formats:
            hint = suggest(settings.plan.format, world.plan_formats)
            raise Incompatible(f"algorithm.plan.format: {world.domain} has no format '{settings.plan.format}'{hint}")
        if self.answer_ == "front" and world.cost_vectors is None:
            raise Incompatible(f"algorithm.answer: a front needs several costs of a step; {world.domain} has one")
        check_code(self.code, "algorithm.code")

    def _check_command(self, instance: Instance) -> None:
        """Refuse placeholders that the instances do not have, and in the command of a server those of one instance."""
        names = self.settings.command.names
        check_names(names, instance, self.values, "algorithm.command")
        shared = (*self.values, FOLDER, TIME, MEMORY)
        of_instance = [name for name in names if name not in shared]
        if self.serve and of_instance:
            raise UserError(
                f"algorithm.command: {{{of_instance[0]}}}: a server is started once; it finds the placeholders of an "
                "instance in its requests"
            )

    def check_limits(self, limits: Limits) -> None:
        """Refuse limits that a program cannot keep, and the lack of those that its command has."""
        for name, value in (("nodes", limits.nodes), ("call", limits.call), ("solutions", limits.solutions)):
            if value is not None:
                raise Incompatible(
                    f"limits.{name}: {self.title} is a program; limits.time, limits.cpu and limits.memory hold for it"
                )
        for name, value in ((TIME, limits.time), (MEMORY, limits.memory)):
            for where, names in (("command", self.settings.command.names), ("stdin", self.settings.stdin or ())):
                if value is None and name in names:
                    example = "60" if name == TIME else "2GiB"
                    raise Incompatible(f"algorithm.{where}: {{{name}}} needs a limit; add limits.{name}={example}")

    def code_parts(self) -> Iterator[Path | str]:
        """Yield the program, the files that its command names, and those of `code`."""
        settings = self.settings
        yield executable_of(settings.command.words[0], "algorithm.command")
        yield from settings.command.files
        for pattern in self.code:
            yield from files_of(pattern)

    def reading_parts(self) -> Iterator[Path | str]:
        """Yield how its output becomes rows: the settings, and the file of the function that reads it."""
        given = (self.output, self.plan, self.answer_, sorted(self.settings.exit_codes.items()))
        read = (*given, self.optimal_, self.bound, self.title)
        yield msgspec.json.encode(read, order="sorted").decode()
        if self.settings.output.file is not None:
            yield self.settings.output.file

    @property
    def expected(self) -> dict[str, str]:
        """Words on the pattern or the key that should fill each described column."""
        plan = self.settings.plan
        sources = {"valid": f"algorithm.plan.pattern: '{plan.pattern}'"} if plan.pattern is not None else {}
        for name, source in self.settings.output.sources.items():
            sources["claimed_cost" if name == COST else name] = f"algorithm.output.{name}: {source}"
        return sources

    def can_read(self, output: str) -> bool:
        """Return whether a kept output is whole, so that a session can read it again."""
        if self.serve and not output.startswith(PROMPT):
            return True
        return KeptOutput.of(output, self.settings.plan.from_) is not None

    def session(self) -> ProgramSession:
        """Return a new session, which starts the program."""
        return ServerSession(self.settings) if self.serve else ProcessSession(self.settings)

    def by_hand(self, instance: Instance, limits: Limits, folder: Path) -> str:
        """Return the line for a shell that starts the program for an instance, and write the files that it names."""
        settings = self.settings
        placeholders = Placeholders(instance, settings.arguments, limits, folder)
        command = shlex.join(settings.command.filled(placeholders.__getitem__))
        if settings.stdin is None and not self.serve:
            return command
        if self.serve:
            text: Path | str = msgspec.json.encode(request_of(settings, instance, placeholders)).decode()
        else:
            text = placeholders.input_of((settings.stdin or ())[0])
        if isinstance(text, Path):
            return f"{command} < {shlex.quote(str(text))}"
        return f"printf '%s\\n' {shlex.quote(text)} | {command}"
