"""Submissions that are programs in any language: built once, and started for each instance."""

from __future__ import annotations

import os
import reprlib
import shutil
import tempfile
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from algorithms.engine import Limits
from algorithms.interface import ALGORITHMS, Algorithm
from algorithms.programs.commands import CommandTemplate, executable_of, literal
from algorithms.programs.execution import Finished
from algorithms.programs.process import Programs
from heuristics.interface import Stack
from runner.base import CPU_LIMIT, MEMORY_LIMIT, TIME_LIMIT, Result, UserError, suggest
from runner.config import SearchParts
from runner.execution import Solver
from runner.features.grading.submission import SubmissionError
from worlds.interface import Instance

FILE, BUILD = "file", "build"
"""Keys of the section `program`, and placeholders: the submitted file, and the folder in which it is built."""
_OWN = ("code", "keep", "title")
"""Keys of `algorithm=program` that a submission has no use for."""
_MAX_CHARACTERS = 1500
_LEAST_SECONDS = 0.01


@dataclass(frozen=True)
class ProgramSection:
    """Section `program` of an exercise: which file is handed in, how it is built, and how it is started.

    Attributes
    ----------
    file : str
        Name under which a submission is saved. Its suffix is that of the files that students hand in.
    build : CommandTemplate or None
        Command that builds the program, started once in the folder of the file.
    parameters : mapping
        Parameters of `algorithm=program`.
    """

    file: str
    build: CommandTemplate | None
    parameters: Mapping[str, Any]

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> ProgramSection:
        """Return the section, checked as far as it does not depend on the world.

        Raises
        ------
        UserError
        """
        file = given.get(FILE)
        if not isinstance(file, str) or not Path(file).suffix or Path(file).name != file:
            raise UserError(f"program.file: expected a name with a suffix, such as search.cpp, got {file!r}")
        parameters = {key: value for key, value in given.items() if key not in (FILE, BUILD)}
        refused = next((key for key in parameters if key in _OWN), None)
        if refused is not None:
            raise UserError(f"program.{refused}: has no effect on a submission; remove it")
        build = None
        if given.get(BUILD) is not None:
            build = CommandTemplate.of(_words(given[BUILD], "program.build"), "program.build")
            unknown = next((name for name in build.names if name not in (FILE, BUILD)), None)
            if unknown is not None:
                raise UserError(f"program.build: {{{unknown}}} is no placeholder{suggest(unknown, (FILE, BUILD))}")
        section = cls(file, build, parameters)
        section.program(Path("folder"))  # checked
        return section

    @property
    def suffix(self) -> str:
        """Suffix of the files that students hand in."""
        return Path(self.file).suffix

    def program(self, folder: Path) -> Algorithm:
        """Return the program, as `algorithm=program` would configure it, without the environment of the grader.

        Parameters
        ----------
        folder : Path
            Folder in which the file is saved and built.
        """
        places = {FILE: folder / self.file, BUILD: folder}
        environment = [*map(literal, _environment()), "HOME={folder}"]
        located = [_with_places(word, places) for word in self._command]
        given = {**self.parameters, "command": [*environment, *located], "title": Path(self.file).stem}
        try:
            return ALGORITHMS.build("program", given, where="algorithm")
        except UserError as error:
            raise _of_section(error) from None

    @property
    def _command(self) -> list[str]:
        """Words of the command that starts the program."""
        if not self.parameters.get("command"):
            raise UserError("program.command: missing; give the words that start the program")
        return _words(self.parameters["command"], "program.command")

    def check(self, instance: Instance) -> None:
        """Raise `UserError` if the world has no such placeholder, or no such format of plans."""
        try:
            self.program(Path("folder")).check(instance)
        except UserError as error:
            raise _of_section(error) from None

    def check_tools(self) -> None:
        """Raise `UserError` if the compiler, or the interpreter, is not installed here."""
        if self.build is not None:
            executable_of(self.build.words[0], "program.build")
        first = self._command[0]
        if "{" not in first:
            executable_of(first, "program.command")


class ProgramSubmission(AbstractContextManager["ProgramSubmission"]):
    """Submission that is a program. It is built when it is loaded, and its plans are replayed by the rules.

    Parameters
    ----------
    section : ProgramSection
    file : Path
        File that was handed in.
    seconds, memory : int
        Limits: processor time for all instances, and bytes of memory. They also hold for building it, by itself.
    patience : float
        Seconds to wait for all its answers.

    Attributes
    ----------
    name, cpu_seconds, output, warning, failure
        As of `runner.features.grading.submission.Submission`.
    """

    def __init__(self, section: ProgramSection, file: Path, *, seconds: int, patience: float, memory: int) -> None:
        self._section = section
        self._seconds, self._patience, self._memory = seconds, patience, memory
        self._folder = Path(tempfile.mkdtemp(prefix="submission-")).resolve()
        shutil.copyfile(file, self._folder / section.file)
        self._solver: Solver | None = None
        self.failure: SubmissionError | None = None
        self.name = section.file
        self.cpu_seconds = 0.0
        self.output = self.warning = ""

    def __exit__(self, *_: object) -> None:
        self.end()
        shutil.rmtree(self._folder, ignore_errors=True)

    def load(self) -> None:
        """Build the program. Raise `SubmissionError` if that fails."""
        build = self._section.build
        if build is None:
            return
        places = {FILE: str(self._folder / self._section.file), BUILD: str(self._folder)}
        command = [*_environment(), f"HOME={self._folder}", *build.filled(places.__getitem__)]
        with closing(Programs()) as programs:
            finished = programs.run(command, self._folder, self._limits())
        self.output = _shortened(self._without_folder(finished.stderr.strip() or finished.stdout.strip()))
        if finished.exit_code != 0:
            self.failure = SubmissionError(f"cannot be built: {_reason(finished, self.output)}")
            raise self.failure

    def solve(self, instance: Instance) -> Result:
        """Return what the program answers about an instance, within what is left of its time.

        Raises
        ------
        SubmissionError
            If it exceeds a limit, now or before.
        """
        if self.failure is not None:
            raise self.failure
        if self._solver is None:
            parts = SearchParts(self._section.program(self._folder), Stack(), None).fitted([instance])
            assert parts.algorithm is not None
            self._solver = Solver(parts.algorithm, parts.stack, None, self._limits(), parts.declared)
        self._solver.limits = self._limits()
        began = time.monotonic()
        result = self._solver.attempt(instance).result()
        self._patience -= time.monotonic() - began
        self.cpu_seconds += result.cpu_seconds or 0.0
        if result.output and not self.output:
            _, _, printed = result.output.partition("\n")  # after the command, which has paths of this computer
            self.output = _shortened(self._without_folder(printed))
        self._check(result)
        return result

    def end(self) -> None:
        """End what is running."""
        if self._solver is not None:
            self._solver.close()
            self._solver = None

    def _limits(self) -> Limits:
        left = self._seconds - self.cpu_seconds
        return Limits(time=max(_LEAST_SECONDS, self._patience), cpu=max(_LEAST_SECONDS, left), memory=self._memory)

    def _check(self, result: Result) -> None:
        """Raise `SubmissionError` if the program has exceeded a limit. After one of time it gives no more answers."""
        if result.status == MEMORY_LIMIT.name:
            raise SubmissionError(f"{result.instance}: needed more than {self._memory >> 20:,} MiB (limits.memory)")
        if result.status == TIME_LIMIT.name:
            self.failure = SubmissionError("did not answer in time (limits.wall)")
        elif result.status == CPU_LIMIT.name:
            self.failure = SubmissionError(f"took more than {self._seconds} s of processor time (limits.time)")
        if self.failure is not None:
            raise self.failure

    def _without_folder(self, text: str) -> str:
        return text.replace(f"{self._folder}/", "")


def _reason(finished: Finished, output: str) -> str:
    """Return why a program could not be built: a limit, or the first error in the output of the compiler."""
    if finished.ended_by is not None:
        return f"ended by {finished.ended_by}"
    lines = output.splitlines()
    errors = [line for line in lines if "error" in line.lower()]
    return next(iter(errors or lines), f"exit code {finished.exit_code}")


def _words(given: Any, where: str) -> list[str]:
    """Return the words of a command that is given as words, or as one text."""
    is_list = isinstance(given, list) and all(isinstance(word, str) for word in given)
    if not (is_list or isinstance(given, str)):
        raise UserError(f"{where}: expected the words of a command, or one text, got {reprlib.repr(given)}")
    return list(CommandTemplate.of(given, where).words)


def _environment() -> list[str]:
    """Return words that start a command without the environment of the grader."""
    path = os.environ.get("PATH", os.defpath)
    return ["env", "-i", f"PATH={path}", "LANG=C.UTF-8", "PYTHONHASHSEED=0"]


def _with_places(word: str, places: Mapping[str, Path]) -> str:
    """Return a word of the command with the paths of the file and its folder. Other placeholders stay."""
    for name, path in places.items():
        word = word.replace(f"{{{name}}}", literal(path))
    return word


def _of_section(error: UserError) -> UserError:
    """Return an error about `algorithm=program` as one about the section `program`."""
    return type(error)(str(error).replace("algorithm.", "program.").replace("algorithm:", "program:"))


def _shortened(text: str) -> str:
    return text if len(text) <= 2 * _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}\n...\n{text[-_MAX_CHARACTERS:]}"
