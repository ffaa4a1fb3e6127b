"""Grade one submission, or those of a class in several processes. Each process has a server of submissions."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import reprlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from runner.base import PluginError, UserError, atomic_write, reason
from runner.execution import WorkerLost, map_in_workers
from runner.features.grading.criterion import Criterion, Outcome
from runner.features.grading.exam import Exam
from runner.features.grading.exercise import Exercise, exam_of, read
from runner.features.grading.handed_in import HandedIn, fault_of
from runner.features.grading.marks import Marks, Verdict
from runner.features.grading.submission import Server, Submission, SubmissionError
from runner.features.grading.submitted_program import ProgramSubmission
from runner.records import code_of
from worlds.drawing import save_figure

_INCHES = 2.0, 2.3
_MARKS: dict[str, Marks] = {}
"""Marks by the digests of all that determines them: a notebook asks for each question of an exercise."""


def key_of(exercise: Exercise, file: Path, student: str) -> str:
    """Return a digest of all that determines the marks of a submission.

    Raises
    ------
    UserError
        If the file cannot be read.
    """
    try:
        content = file.read_bytes()
    except OSError as error:
        raise UserError(reason(error, file)) from None
    parts = (
        content,
        exercise.digest.encode(),
        student.encode(),
        code_of(exercise.criteria).encode(),
    )
    return hashlib.sha256(b"\0".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


class Grader:
    """Grader of the submissions to an exercise, one after the other.

    Parameters
    ----------
    exercise : Exercise
    """

    def __init__(self, exercise: Exercise) -> None:
        if not hasattr(os, "fork"):
            raise UserError("grade: runs on Linux and macOS only; use a container, or WSL on Windows")
        self._exercise = exercise
        exam = exam_of(exercise, None, "")
        self._server: Server | None = None
        if exercise.program is not None:
            exercise.program.check_tools()
        elif exercise.hand_in == "world":  # the right one stays here
            self._server = Server((), ())
        else:
            worlds = (None, *(each.world for each in exercise.criteria if each.world is not None))
            samples = [exercise.material.instances(exam.world(section))[0] for section in worlds]
            self._server = Server(exercise.plugins, samples)

    def close(self) -> None:
        """End the process that runs submissions."""
        if self._server is not None:
            self._server.close()

    def _submission(self, file: Path, student: str) -> Submission | ProgramSubmission:
        exercise = self._exercise
        limits = exercise.limits
        if exercise.program is not None:
            return ProgramSubmission(
                exercise.program, file, seconds=limits.seconds, patience=limits.patience, memory=limits.bytes
            )
        assert self._server is not None
        is_made_of = exercise.form and exercise.hand_in == "world"
        return Submission(
            self._server, file, exercise.hand_in, exercise.domain, exercise.name,
            seconds=limits.seconds, patience=limits.patience, memory=limits.bytes, output=limits.output,
            call=limits.call_seconds, forbidden=exercise.forbid, form=exercise.form,
            boards=exam_of(exercise, None, student).instances(None) if is_made_of else (),
        )  # fmt: skip

    def grade(self, file: Path, student: str, watch: Callable[[str], None] = lambda _: None) -> Marks:
        """Grade one submission.

        Parameters
        ----------
        watch : callable, optional
            Called with the title of each criterion before it is judged.
        """
        exercise = self._exercise
        key = key_of(exercise, file, student)
        failure = fault_of(file)
        verdicts = dict[int, Verdict]()
        in_order = sorted(enumerate(exercise.criteria), key=lambda each: each[1].turn)
        with self._submission(file, student) as submission:
            exam = exam_of(exercise, submission, student)
            hidden_seconds = self._ask_before(exam, file, student) if not failure else 0.0
            try:
                if not failure:
                    submission.load()
            except SubmissionError as error:
                failure = str(error)
            for is_visible in (True, False):  # what hidden criteria ask and print is not in the output and in `limits`
                for number, criterion in in_order:
                    if criterion.visible == is_visible:
                        watch(criterion.shown_title)
                        verdicts[number] = _verdict(criterion, exam, failure)
                if is_visible:
                    submission.end()
                    output, warning = submission.output, submission.warning
                    submission.cpu_seconds += hidden_seconds
            if not failure:
                _require(exercise, verdicts)
            behaviour = "" if failure or exam.failures else exam.digest
        return Marks(
            exercise.title, student, file.name, submission.name, [verdicts[number] for number in sorted(verdicts)],
            failure, output, warning, behaviour, key,
        )  # fmt: skip

    def _ask_before(self, exam: Exam, file: Path, student: str) -> float:
        """Ask for the values in all states that only hidden criteria judge, before the searches of visible ones.

        This needs a process of its own, because visible criteria show its output and its failures. Return its seconds.
        """
        asking = [each for each in self._exercise.criteria if each.asks_all_states]
        shown = {exam.world(each.world) for each in asking if each.visible}
        hidden = [each.world for each in asking if exam.world(each.world) not in shown]
        if not hidden or self._exercise.hand_in != "heuristic":
            return 0.0
        with self._submission(file, student) as other:
            assert isinstance(other, Submission)
            for world in hidden:
                with suppress(SubmissionError):  # the criterion will get it, too
                    exam.values(world, other)
        return other.cpu_seconds


def _verdict(criterion: Criterion, exam: Exam, failure: str) -> Verdict:
    """Judge one criterion. What the submission does instead of answering gets no points."""
    try:
        outcome, is_error = _judged(criterion, exam) if not failure else Outcome(0, failure), False
    except SubmissionError as error:
        outcome, is_error = Outcome(0, str(error)), True
        exam.failures.append(str(error) if criterion.feedback else f"an error in '{criterion.shown_title}'")
    return Verdict(
        criterion.registered_name, criterion.shown_title, float(outcome.points), float(criterion.points), outcome.text,
        _picture(outcome.draw), criterion.visible, criterion.feedback, outcome.value, is_error, outcome.measure,
    )  # fmt: skip


def _judged(criterion: Criterion, exam: Exam) -> Outcome:
    """Return the outcome of a criterion, which may be one of a plug-in.

    Raises
    ------
    UserError
        If it returns none, or points that it does not have.
    PluginError
        If it raises an exception.
    """
    name = f"criterion '{criterion.registered_name}'"
    try:
        outcome: object = criterion.judge(exam)
    except UserError:
        raise
    except Exception as error:
        raise PluginError(f"{name}: judge failed", error) from None
    if not isinstance(outcome, Outcome):
        raise UserError(f"{name}: judge must return an Outcome, got {reprlib.repr(outcome)}")
    if not 0 <= outcome.points <= criterion.points:
        raise UserError(f"{name}: judge must give 0 to {criterion.points:g} points, got {outcome.points!r}")
    return outcome


def _require(exercise: Exercise, verdicts: dict[int, Verdict]) -> None:
    """Take the points and the place of criteria whose required ones do not have all points."""
    for number in exercise.in_order:
        verdict = verdicts[number]
        missing = [verdicts[each] for each in exercise.requirements[number] if not verdicts[each].passed]
        if missing and not verdict.is_error:
            names = ", ".join(f"'{each.title}'" for each in missing if each.visible) or "other criteria"
            text = f"no points: requires all points of {names}\n\n{verdict.text}"
            verdicts[number] = msgspec.structs.replace(verdict, points=0.0, value=None, text=text)


def _picture(draw: Callable[[Any], None] | None) -> str | None:
    """Return a picture as a data URL."""
    if draw is None:
        return None
    out = io.BytesIO()
    save_figure(draw, _INCHES, out, "png")
    return f"data:image/png;base64,{base64.b64encode(out.getvalue()).decode()}"


def grade(exercise: str | Path, submission: str | Path, *, student: str | None = None) -> Marks:
    """Grade one submission.

    Parameters
    ----------
    exercise : str or Path
        File of the exercise.
    submission : str or Path
        Python file that registers a heuristic, an algorithm or a world, or the file of a program, as the exercise says.
        It runs in a process of its own.
    student : str, optional
        Id of the student, on which seeds may depend. Default: the name of the file.

    Returns
    -------
    Marks
        `points`, `max_points` and `verdicts`; an index by the name of a criterion gives its verdict. As text it is
        Markdown.

    Raises
    ------
    runner.UserError
        If the exercise is not valid, or the file cannot be read. A submission never raises an error.
    """
    file = Path(submission)
    checked, known = read(Path(exercise)), student or file.stem
    key = key_of(checked, file, known)
    if key not in _MARKS:
        with closing(Grader(checked)) as grader:
            _MARKS[key] = grader.grade(file, known)
    return _MARKS[key]


# Classes.


def grade_class(
    exercise: Exercise, submissions: Sequence[HandedIn], folder: Path, workers: int
) -> Iterator[tuple[Marks, bool]]:
    """Grade submissions, and yield the marks of each as they come, and whether they are those of an earlier command.

    The marks are on disk before they are yielded.

    Parameters
    ----------
    submissions : sequence of HandedIn
    folder : Path
        Folder of the records, one for each student.
    workers : int
        Number of processes.
    """
    folder.mkdir(parents=True, exist_ok=True)
    left = []
    for each in submissions:
        recorded = _recorded(folder / f"{each.student}.json")
        if each.fault:
            yield not_graded(exercise, each), False
        elif recorded is not None and recorded.key == key_of(exercise, each.file, each.student):
            yield recorded, True
        else:
            left.append((each.file, each.student))
    for marks in _graded(exercise, left, min(workers, len(left))) if left else ():
        with atomic_write(folder / f"{marks.student}.json", "wb") as out:
            out.write(msgspec.json.encode(marks))
        yield marks, False


def not_graded(exercise: Exercise, submission: HandedIn) -> Marks:
    """Return the marks of a student who has handed in nothing that can be graded."""
    verdicts = [
        Verdict(
            each.registered_name, each.shown_title, 0.0, float(each.points), submission.fault,
            visible=each.visible, feedback=each.feedback,
        )
        for each in exercise.criteria
    ]  # fmt: skip
    return Marks(exercise.title, submission.student, submission.file.name, "", verdicts, submission.fault)


def _recorded(file: Path) -> Marks | None:
    try:
        return msgspec.json.decode(file.read_bytes(), type=Marks)
    except (OSError, msgspec.DecodeError):
        return None


def _graded(exercise: Exercise, files: Sequence[tuple[Path, str]], workers: int) -> Iterator[Marks]:
    """Yield the marks of submissions as they come."""

    @contextmanager
    def grading() -> Iterator[Callable[[tuple[Path, str]], Marks]]:
        with closing(Grader(exercise)) as grader:
            yield lambda handed_in: grader.grade(*handed_in)

    try:
        yield from map_in_workers(grading, files, workers)
    except WorkerLost as lost:
        raise UserError(f"a process of the grader ended ({lost.reason})") from None
