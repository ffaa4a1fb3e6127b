"""Exercises: what is handed in, on which worlds it is judged, and by which criteria. Read from YAML."""

from __future__ import annotations

import hashlib
import pkgutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta

from algorithms.engine import Limits
from runner.base import UserError, convert, suggest
from runner.config import load_plugins
from runner.features.grading import criteria as _criteria  # noqa: F401  # registers ours
from runner.features.grading.criterion import CRITERIA, Criterion, Reference
from runner.features.grading.exam import Exam
from runner.features.grading.material import Material
from runner.features.grading.submitted_program import ProgramSection
from runner.records import read_yaml

_MAX_SECONDS = 3600
HandIn = Literal["heuristic", "algorithm", "world", "program"]


@dataclass(frozen=True)
class Bounds:
    """Limits of one submission.

    Attributes
    ----------
    time : float or str
        Processor time, for all criteria together.
    wall : float or str, optional
        Time to wait for its answers, all in all; default: three times `time`, and 10 seconds.
    memory : int or str
        Memory beyond that of the grader's own libraries.
    output : int
        Bytes of its output, and of any file that it writes.
    call : float or str, optional
        Processor time of each call of a heuristic in plain Python.
    """

    time: float | str = "60s"
    wall: float | str | None = None
    memory: int | str = "1GiB"
    output: Annotated[int, Meta(ge=1000, le=10**9)] = 1_000_000
    call: float | str | None = None

    @property
    def call_seconds(self) -> float | None:
        """Processor time of a call in seconds."""
        return Limits.of({"call": self.call}).call

    @property
    def seconds(self) -> int:
        """Processor time in whole seconds."""
        found = Limits.of({"time": self.time}).time or 1
        return max(1, min(_MAX_SECONDS, round(found)))

    @property
    def patience(self) -> float:
        """Seconds to wait."""
        return Limits.of({"time": self.wall}).time or 3 * self.seconds + 10

    @property
    def bytes(self) -> int:
        """Memory in bytes."""
        return Limits.of({"memory": self.memory}).memory or 0


@dataclass(frozen=True)
class _File:
    """Keys of exercise.yaml."""

    title: str
    hand_in: HandIn
    world: dict[str, Any]
    criteria: list[dict[str, Any]]
    name: str | None = None
    reference: Reference = field(default_factory=list)
    plugins: list[str] = field(default_factory=list)
    skeleton: str | None = None
    program: dict[str, Any] | None = None
    forbid: list[str] = field(default_factory=list)
    form: str = ""
    file: str = ""
    limits: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Exercise:
    """Exercise, checked.

    Attributes
    ----------
    file : Path
    title : str
    hand_in : {"heuristic", "algorithm", "world", "program"}
    name : str or None
        Name under which submissions must register; None for any.
    world : dict
        Section of the world, for criteria without one of their own.
    reference : str or list
        Heuristic of ours.
    plugins : list of Path
        Files with worlds and references of the lecturer.
    skeleton : Path or None
        File with which students begin.
    limits : Bounds
    criteria : list of Criterion
    requirements : dict of int to list of int
        Numbers of the criteria that each criterion requires.
    in_order : list of int
        Numbers of the criteria, each after those that it requires.
    program : ProgramSection or None
        How a program that is handed in is built and started.
    forbid : list of str
        Full names that submissions may not use, such as ``runner.solve``.
    form : str
        Module whose function `load` reads files that register nothing, such as ``algorithms.pacman_project``.
    file_name : str
        Name of the file that is judged, of students who hand in several.
    material : Material
    """

    file: Path
    title: str
    hand_in: HandIn
    name: str | None
    world: dict[str, Any]
    reference: Reference
    plugins: list[Path]
    skeleton: Path | None
    limits: Bounds
    criteria: list[Criterion]
    requirements: dict[int, list[int]]
    in_order: list[int]
    program: ProgramSection | None
    forbid: list[str]
    form: str
    file_name: str
    material: Material = field(default_factory=Material)

    @property
    def points(self) -> float:
        """Points of all criteria."""
        return sum(each.points for each in self.criteria)

    @property
    def suffix(self) -> str:
        """Suffix of the files that students hand in."""
        return ".py" if self.program is None else self.program.suffix

    @property
    def files(self) -> list[Path]:
        """Files of the exercise: itself, its plug-ins, and the files of its worlds."""
        given = [each.get("path") for each in (self.world, *(each.world or {} for each in self.criteria))]
        paths = [
            path if path.is_absolute() else self.file.resolve().parent / path for path in map(Path, filter(None, given))
        ]
        worlds = [
            file for path in paths for file in ([path] if path.is_file() else sorted(path.rglob("*"))) if file.is_file()
        ]
        return list(dict.fromkeys((self.file.resolve(), *self.plugins, *worlds)))

    @property
    def digest(self) -> str:
        """Digest of the files."""
        found = hashlib.sha256()
        for file in self.files:
            found.update(file.read_bytes())
        return found.hexdigest()

    @property
    def domain(self) -> str:
        """Domain of the world."""
        return exam_of(self, None, "").instances(None)[0].world.domain


def read(file: Path) -> Exercise:
    """Read and check an exercise. Its plug-ins are imported.

    Raises
    ------
    UserError
        If anything is wrong; the message names the file and the key.
    """
    content = read_yaml(file, "an exercise")
    try:
        return _checked(file, content)
    except UserError as error:
        raise type(error)(f"{file}: {error}") from None


def _checked(file: Path, content: Any) -> Exercise:
    given = convert(_File, content, where="")
    folder = file.resolve().parent
    modules = [folder / (name if name.endswith(".py") else f"{name}.py") for name in given.plugins]
    for module in modules:
        if not module.is_file():
            raise UserError(f"plugins: there is no file '{module}'")
    load_plugins(modules)
    limits = convert(Bounds, given.limits, where="limits")
    limits.seconds, limits.patience, limits.bytes, limits.call_seconds  # noqa: B018  # checked
    for key, is_given, kinds in (
        ("limits.call", limits.call is not None, ("heuristic",)),
        ("forbid", bool(given.forbid), ("heuristic", "algorithm", "world")),
        ("form", bool(given.form), ("heuristic", "algorithm", "world")),
    ):
        if is_given and given.hand_in not in kinds:
            raise UserError(f"{key}: has no effect with hand_in: {given.hand_in}; remove it")
    for name in given.forbid:
        _check_forbidden(name)
    _check_form(given)
    criteria = [_criterion(each, f"criteria[{n}]", given.hand_in, folder) for n, each in enumerate(given.criteria)]
    if not criteria:
        raise UserError("criteria: there are none")
    requirements = {n: _required(criteria, n) for n in range(len(criteria))}
    world = _with_files(given.world, folder)
    program = _program(given)
    exercise = Exercise(
        file, given.title, given.hand_in, given.name, world, given.reference, modules,
        _skeleton(given.skeleton, folder, ".py" if program is None else program.suffix), limits, criteria, requirements,
        _in_order(requirements), program, given.forbid, given.form, given.file,
    )  # fmt: skip
    if any(each.world is None for each in criteria):
        exam_of(exercise, None, "student").check_reference(None, None)
    for n, each in enumerate(criteria):
        try:
            exam = exam_of(exercise, None, "student")
            each.check_parts(exam)
            if program is not None:
                program.check(exam.instances(each.world)[0])
        except UserError as error:
            raise type(error)(f"criteria[{n}] ({each.registered_name}): {error}") from None
    return exercise


def _check_form(given: _File) -> None:
    """Raise `UserError` if no module reads files of the form, or nothing says which part of them is judged."""
    try:
        if given.form:
            pkgutil.resolve_name(f"{given.form}:load")
    except (ImportError, AttributeError, ValueError):
        raise UserError(f"form: there is no module '{given.form}' with a function load") from None
    entries = [number for number, each in enumerate(given.criteria) if "entry" in each]
    if entries and (not given.form or given.name is not None):
        raise UserError(f"criteria[{entries[0]}].entry: only with form, and without name, which all criteria have")
    if given.form and given.name is None and given.hand_in != "algorithm":
        raise UserError("name: missing; give the function or class that is judged")


def _check_forbidden(name: str) -> None:
    """Raise `UserError` if a name is not the full one of a module or its part, or if we have nothing of this name."""
    module, _, part = name.rpartition(".")
    if not all(map(str.isidentifier, name.split("."))):
        raise UserError(f"forbid: expected names such as runner.solve, got {name!r}")
    if name.startswith("runner."):
        try:
            pkgutil.resolve_name(name)
        except (ImportError, AttributeError):
            with suppress(ImportError, AttributeError):
                hint = suggest(part, dir(pkgutil.resolve_name(module)))
                raise UserError(f"forbid: there is no '{name}'{hint}") from None
            raise UserError(f"forbid: there is no '{name}'") from None


def _program(given: _File) -> ProgramSection | None:
    """Return the section `program`, which an exercise has if programs are handed in."""
    if given.hand_in == "program":
        if given.program is None:
            raise UserError("program: missing; it has the file that is handed in, and the command that starts it")
        return ProgramSection.of(given.program)
    if given.program is not None:
        raise UserError(f"program: has no effect with hand_in: {given.hand_in}; remove it, or write hand_in: program")
    return None


def _skeleton(given: str | None, folder: Path, suffix: str) -> Path | None:
    """Return the file with which students begin: by default skeleton.py beside the exercise, if it exists."""
    file = folder / (given or f"skeleton{suffix}")
    if file.is_file():
        return file
    if given is not None:
        raise UserError(f"skeleton: there is no file '{file}'")
    return None


def _criterion(section: Mapping[str, Any], where: str, kind: str, folder: Path) -> Criterion:
    name = section.get("name")
    judged = {kind, "algorithm"} if kind == "program" else {kind}  # a program is an algorithm, too
    fitting = [each for each in CRITERIA.names() if judged.intersection(CRITERIA.find(each).judges)]
    if not isinstance(name, str):
        raise UserError(f"{where}.name: expected one of {', '.join(fitting)}, got {name!r}")
    if name in CRITERIA.names() and name not in fitting:
        raise UserError(f"{where}.name: '{name}' does not judge a {kind}{suggest(name, fitting)}")
    parameters = {key: value for key, value in section.items() if key != "name"}
    if isinstance(parameters.get("world"), dict):
        parameters["world"] = _with_files(parameters["world"], folder)
    criterion = CRITERIA.build(name, parameters, where=where)
    try:
        criterion.check()
    except UserError as error:
        raise UserError(f"{where}.{error}") from None
    return criterion


def _required(criteria: Sequence[Criterion], number: int) -> list[int]:
    """Return the numbers of the criteria that a criterion requires."""
    given = criteria[number].requires
    names = criteria[number].required if given is None else [given] if isinstance(given, str) else given
    found = []
    for name in names:
        named = [n for n, each in enumerate(criteria) if name in (each.registered_name, each.shown_title)]
        if not named and given is not None:
            choices = dict.fromkeys(title for each in criteria for title in (each.registered_name, each.shown_title))
            raise UserError(f"criteria[{number}].requires: there is no criterion '{name}'{suggest(name, choices)}")
        found += named
    return list(dict.fromkeys(found))


def _in_order(requirements: Mapping[int, Sequence[int]]) -> list[int]:
    """Return the numbers of all criteria, each after those that it requires."""
    try:
        return list(TopologicalSorter(requirements).static_order())
    except CycleError as error:
        names = ", ".join(f"criteria[{number}]" for number in sorted(set(error.args[1])))
        raise UserError(f"requires: a criterion cannot require itself, directly or by others ({names})") from None


def exam_of(exercise: Exercise, submission: Any, student: str) -> Exam:
    """Return the exam of a submission."""
    return Exam(
        submission, exercise.hand_in, exercise.world, exercise.reference, student, exercise.material,
        bool(exercise.form),
    )  # fmt: skip


def _with_files(world: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return the section of a world with a path relative to the exercise made absolute."""
    path = world.get("path")
    if isinstance(path, str) and (folder / path).exists():
        return {**world, "path": str(folder / path)}
    return world
