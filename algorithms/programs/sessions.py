"""Programs at work: one start for each instance, or a server that answers one line of JSON for each."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from algorithms.engine import Limits
from algorithms.programs.commands import CommandTemplate, Placeholders, Value
from algorithms.programs.execution import Finished
from algorithms.programs.interface import PlannerAnswer, PlannerSession
from algorithms.programs.kept_output import PROMPT, KeptOutput
from algorithms.programs.outcome import BOUNDS, STATUSES, ProgramOutcome, how_ended, outcome_of
from algorithms.programs.output import OutputReader, PrintedValues, number_of
from algorithms.programs.plans import (
    EMPTY_PLAN,
    EMPTY_PLAN_ALONE,
    NO_PLAN,
    STDOUT,
    GivenPlan,
    Improved,
    PlanFiles,
    PlanOutput,
)
from algorithms.programs.process import Programs
from algorithms.programs.server_process import ServerProcess
from runner.base import AFTER_PLAN, ERROR, INTERRUPTED, LIMITS, SOLVED, UNSOLVABLE, Metric, one_line, suggest
from worlds.interface import Instance

MEASURED = (
    Metric("exit_code", better="neither", is_main=False, log_scale=False, meaning="exit code of the program"),
    Metric("signal", better="neither", is_main=False, log_scale=False, meaning="number of the signal that ended it"),
    Metric(
        "claimed", better="neither", is_main=False, log_scale=False,
        meaning="1 if the program claims that there is no plan, which nothing has checked; 0 if it gives a plan",
    ),
    Metric(
        "claimed_cost", aggregate="mean", is_main=False, log_scale=False,
        meaning="cost that the program states. If it is not the cost of the plan, `valid` is `False`",
    ),
)  # fmt: skip
"""Columns of all programs."""
OWN_SECONDS = Metric("program_seconds", "s", digits=6, is_main=False, meaning="time that a server has measured itself")
_SECONDS, _STATUS, _PLAN, _ERROR = "seconds", "status", "plan", "error"
_SECONDS_OF_PROGRAM = 1.0
_SECONDS_OF_SERVER = 10.0
"""Time in which a program ends, or a server answers, before anything is measured."""
_SHOWN = 200
"""Characters of a wrong answer in the message about it."""

IsStopped = Callable[[], bool]


@dataclass(frozen=True, eq=False)
class ProgramSettings:
    """Settings of a program, checked (`algorithms.programs.program.Program`).

    Attributes
    ----------
    stdin : tuple of str or None
        Placeholders for the standard input; None closes it, or gives a server all that the domain has.
    keeps_all, keeps_failed : bool
        Whether the output of every instance is kept, and that of failures.
    """

    command: CommandTemplate
    arguments: Mapping[str, Value]
    stdin: tuple[str, ...] | None
    output: OutputReader
    plan: PlanOutput
    exit_codes: Mapping[int, str]
    keeps_all: bool
    keeps_failed: bool


class _OutOfTime(Exception):
    """End of warming."""


class ProgramSession(PlannerSession):
    """Program that answers for one instance after the other.

    Parameters
    ----------
    settings : ProgramSettings

    Attributes
    ----------
    warming_seconds : float
        Time after which warming is over, and what still runs is killed.
    """

    warming_seconds: float

    def __init__(self, settings: ProgramSettings) -> None:
        self._settings = settings
        self._command = settings.command.located()
        self._programs = Programs()

    def warm(self, instance: Instance, limits: Limits, is_stopped: IsStopped) -> None:
        """Let the program answer once without counting, so that its files are in memory, and a server runs."""
        end = time.monotonic() + self.warming_seconds

        def raise_at_end() -> bool:
            if is_stopped() or time.monotonic() >= end:
                raise _OutOfTime
            return False

        with suppress(_OutOfTime):  # which kills the program at once
            self.answer(instance, limits, raise_at_end, lambda *_: None)

    def close(self) -> None:
        """End what is still running, and remove the temporary folder."""
        self._programs.close()

    def _placeholders(self, instance: Instance, limits: Limits, folder: Path) -> Placeholders:
        return Placeholders(instance, self._settings.arguments, limits, folder, self._programs.folder)

    @contextmanager
    def _new_folder(self) -> Iterator[Path]:
        """Yield a new folder, which is removed at the end."""
        folder = Path(tempfile.mkdtemp(dir=self._programs.folder))
        try:
            yield folder
        finally:
            with suppress(RecursionError):  # thousands of nested folders, which the supervisor removes in the end
                shutil.rmtree(folder, ignore_errors=True)

    def _made(
        self, plan: GivenPlan, values: PrintedValues, outcome: ProgramOutcome,
        columns: Mapping[str, float | str | None], measured: Mapping[str, float | None], output: str, *,
        ended: str = "", note: str | None = None,
    ) -> PlannerAnswer:  # fmt: skip
        """Return the answer.

        Parameters
        ----------
        outcome : ProgramOutcome
            That without a plan.
        ended : str
            How the program ended, if that is worth a word beside a wrong plan.
        note : str, optional
            The reason of a plan, if `exit_codes` does not say what this end means.
        """
        has_plan = plan.actions is not None or plan.refusal is not None or bool(plan.solutions)
        ended_early = outcome.status in LIMITS or outcome.status == INTERRUPTED.name
        status = outcome.status if ended_early or not has_plan else SOLVED.name
        claim = 0 if has_plan else 1 if outcome.status == UNSOLVABLE.name else None
        reason = note if has_plan else outcome.reason
        return PlannerAnswer(
            status=status, plan=plan.actions, refusal=plan.refusal, cost=values.cost, precision=values.precision,
            reason=reason or values.problem, error=None if has_plan else outcome.error,
            origin="; ".join(filter(None, (plan.place, ended))),
            columns={**values.counts, **columns},
            measured={"claimed": claim, "claimed_cost": values.cost, **values.measured, **measured},
            output=output, keeps_output=self._settings.keeps_all, solutions=plan.solutions,
        )  # fmt: skip


class ProcessSession(ProgramSession):
    """Program that is started for each instance."""

    warming_seconds = _SECONDS_OF_PROGRAM

    def answer(self, instance: Instance, limits: Limits, is_stopped: IsStopped, improved: Improved) -> PlannerAnswer:
        """Start the program in an empty folder, and return its answer."""
        settings = self._settings
        with self._new_folder() as folder:
            placeholders = self._placeholders(instance, limits, folder)
            words = self._command.filled(placeholders.__getitem__)
            stdin = self._stdin(placeholders, folder)
            files = PlanFiles(settings.plan, folder, instance.world, improved)

            def tick() -> bool:
                files.look()
                return is_stopped()

            try:
                finished = self._programs.run(words, folder, limits, stdin=stdin, tick=tick)
            except OSError as error:
                return PlannerAnswer(ERROR.name, error=f"the program cannot be started: {error.strerror or error}")
            has_file = settings.plan.is_in_file and finished.ended_by not in BOUNDS
            plan = files.standing(finished.limit_at) if has_file else NO_PLAN
        output = KeptOutput(finished, settings.plan.from_, plan.text).text(words) if settings.keeps_failed else ""
        return self._read(instance, finished, plan, _columns_of(finished), output)

    def again(self, instance: Instance, output: str, columns: Mapping[str, float | str | None]) -> PlannerAnswer:
        """Return the answer that a kept output has."""
        source = self._settings.plan
        kept = KeptOutput.of(output, source.from_)
        assert kept is not None  # see `can_read`
        plan = NO_PLAN if kept.plan is None or not source.is_in_file else source.plan_in(kept.plan, instance.world)
        return self._read(instance, kept.finished, plan, columns, output)

    def _read(
        self, instance: Instance, finished: Finished, plan: GivenPlan, columns: Mapping[str, float | str | None],
        output: str,
    ) -> PlannerAnswer:  # fmt: skip
        """Return the answer of a program that has ended, given the plan in a file."""
        settings = self._settings
        plan = self._plan_of(instance, finished, plan)
        outcome = outcome_of(finished, settings.exit_codes, f"no plan {settings.plan.place}")
        values = settings.output.read(finished.stdout_in_time)
        is_declared = finished.ended_by is not None or finished.exit_code in (0, *settings.exit_codes)
        ended = "" if plan.match is None and finished.exit_code == 0 else how_ended(finished)
        verb = "ended with" if finished.signal is None else "was"
        note = None if is_declared else f"{AFTER_PLAN}{verb} {ended}"
        return self._made(plan, values, outcome, columns, _measured_of(finished), output, ended=ended, note=note)

    def _stdin(self, placeholders: Placeholders, folder: Path) -> Path | None:
        """Return the file for the standard input: that of a placeholder, or one with its text."""
        if self._settings.stdin is None:
            return None
        text = placeholders.input_of(self._settings.stdin[0])
        if isinstance(text, Path):
            return text
        file = folder / "stdin"
        file.write_text(f"{text}\n", encoding="utf-8")
        return file

    def _plan_of(self, instance: Instance, finished: Finished, plan: GivenPlan) -> GivenPlan:
        """Return the plan that stands at the end, or at the limit, given the one in a file.

        Where the start is a goal, planners that write one action after the other write nothing.
        """
        source = self._settings.plan
        if finished.ended_by in BOUNDS:
            return NO_PLAN
        if not source.is_in_file:
            text = finished.stdout_in_time if source.from_ == STDOUT else finished.stderr
            if finished.ended_by is not None:  # perhaps in the middle of a line
                text = text[: text.rfind("\n") + 1]
            plan = source.plan_in(text, instance.world)
        is_success = finished.exit_code == 0 and finished.ended_by is None and 0 not in self._settings.exit_codes
        is_empty = plan.is_blank and is_success and instance.world.replay(()).reaches_goal
        if is_empty:
            return EMPTY_PLAN if source.each is None else EMPTY_PLAN_ALONE
        return plan


class ServerSession(ProgramSession):
    """Program that is started once, and answers one line of JSON for each instance."""

    warming_seconds = _SECONDS_OF_SERVER

    def __init__(self, settings: ProgramSettings) -> None:
        super().__init__(settings)
        self._server: ServerProcess | None = None
        self._encoder, self._decoder = msgspec.json.Encoder(), msgspec.json.Decoder()

    def answer(self, instance: Instance, limits: Limits, is_stopped: IsStopped, improved: Improved) -> PlannerAnswer:
        """Send the request, and return the answer. A server that has died is started again for the next instance."""
        if self._server is None:
            self._server = self._started(instance, limits)
        if self._writes_files:
            with self._new_folder() as folder:
                return self._asked(self._server, instance, limits, folder, is_stopped)
        return self._asked(self._server, instance, limits, self._programs.folder, is_stopped)

    def _started(self, instance: Instance, limits: Limits) -> ServerProcess:
        """Return the server, whose command may name what all instances share."""
        folder = Path(tempfile.mkdtemp(dir=self._programs.folder))
        placeholders = self._placeholders(instance, limits, folder)
        self._words = self._command.filled(placeholders.__getitem__)
        self._writes_files = self._settings.stdin is not None or not instance.world.inputs()
        return self._programs.serve(self._words, folder)

    def _asked(
        self, server: ServerProcess, instance: Instance, limits: Limits, folder: Path, is_stopped: IsStopped
    ) -> PlannerAnswer:
        settings = self._settings
        request = request_of(settings, instance, self._placeholders(instance, limits, folder))
        reply = server.ask(self._encoder.encode(request), limits, is_stopped)
        if isinstance(reply, Finished):
            return self._ended(reply, _columns_of(reply), KeptOutput(reply).text(self._words))
        columns = {"search_seconds": reply.seconds, "cpu_seconds": reply.cpu_seconds, **vars(reply.usage)}
        return self._read(instance, reply.line, columns, server)

    def again(self, instance: Instance, output: str, columns: Mapping[str, float | str | None]) -> PlannerAnswer:
        """Return the answer that a kept output has: a line, or how the server ended."""
        kept = KeptOutput.of(output, STDOUT) if output.startswith(PROMPT) else None
        if kept is None:
            return self._read(instance, output.encode(), columns)
        return self._ended(kept.finished, columns, output)

    def _ended(self, reply: Finished, columns: Mapping[str, float | str | None], output: str) -> PlannerAnswer:
        outcome = outcome_of(reply, {}, "no answer")
        shown = output if self._settings.keeps_failed else ""
        return self._made(NO_PLAN, PrintedValues(), outcome, columns, _measured_of(reply), shown)

    def _read(
        self, instance: Instance, text: bytes, columns: Mapping[str, float | str | None],
        server: ServerProcess | None = None,
    ) -> PlannerAnswer:  # fmt: skip
        """Return the answer in a line."""
        line = text.decode(errors="replace")
        try:
            answer = self._decoded(instance, text)
            plan = self._plan_of(instance, answer)
            outcome = _stated(answer, plan)
        except (ValueError, RecursionError) as error:  # msgspec's, too
            if server is not None:
                server.close()  # its next line may be the answer to this request
            answer = {}
            plan = NO_PLAN
            outcome = ProgramOutcome(ERROR.name, error=f"the answer of the server: {error}: {one_line(line[:_SHOWN])}")
        values = self._settings.output.values(answer)
        seconds = None
        if answer.get(_SECONDS) is not None:
            try:
                seconds = number_of(answer[_SECONDS], _SECONDS)
            except ValueError as error:
                values = replace(values, problem=values.problem or str(error))
        own = {OWN_SECONDS.name: seconds}
        return self._made(plan, values, outcome, columns, own, line if self._settings.keeps_failed else "")

    def _decoded(self, instance: Instance, line: bytes) -> dict[str, Any]:
        answer = self._decoder.decode(line)
        if not isinstance(answer, dict):
            raise ValueError("expected a JSON object")
        if answer.get("id", instance.id) != instance.id:
            raise ValueError(f"expected that about {instance.id}")
        if "id" not in answer and answer.get(_PLAN) is None:  # nothing else tells that it is no line of before
            raise ValueError("without a plan it needs the id of the request")
        return answer

    def _plan_of(self, instance: Instance, answer: Mapping[str, Any]) -> GivenPlan:
        text = answer.get(_PLAN)
        if text is None:
            return NO_PLAN
        return self._settings.plan.read(text if isinstance(text, str) else json.dumps(text), instance.world)


def request_of(settings: ProgramSettings, instance: Instance, placeholders: Placeholders) -> dict[str, Any]:
    """Return what a server is asked about an instance."""
    names = settings.stdin
    words = placeholders.words() if names is None else {name: placeholders[name] for name in names}
    return {**settings.arguments, "id": instance.id, "seed": instance.seed, **words}


def _stated(answer: Mapping[str, Any], plan: GivenPlan) -> ProgramOutcome:
    """Return the outcome that a server states. A plan decides; without one, the status must be another than solved."""
    if plan != NO_PLAN:
        return ProgramOutcome(SOLVED.name)
    status = answer.get(_STATUS)
    if status == SOLVED.name:
        raise ValueError("it has no plan")
    if status not in STATUSES:
        raise ValueError(f"status '{status}'{suggest(str(status), (SOLVED.name, *STATUSES))}")
    error = answer.get(_ERROR)
    return ProgramOutcome(status, None, str(error or "the server reports an error") if status == ERROR.name else None)


def _columns_of(finished: Finished) -> dict[str, float | str | None]:
    return {
        "search_seconds": finished.seconds,
        "cpu_seconds": finished.cpu_seconds,
        "memory_bytes": finished.memory_bytes,
        **vars(finished.usage),
    }


def _measured_of(finished: Finished) -> dict[str, float | None]:
    return {"exit_code": finished.exit_code, "signal": finished.signal}
