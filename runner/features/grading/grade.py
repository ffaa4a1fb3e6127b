"""``runner grade EXERCISE SUBMISSION...``: mark submissions, for people and for the platforms of courses."""

from __future__ import annotations

import os
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from importlib.metadata import distribution
from pathlib import Path

from runner.base import DATA, PACKAGES, ROOT, SUCCESS, UserError, atomic_write, message, plural, shown, suggest
from runner.cli import TerminalProgress
from runner.config import ArgumentParser, command, load_plugins
from runner.features.grading import course
from runner.features.grading.exercise import Exercise, read
from runner.features.grading.formats import (
    FEEDBACK,
    MOODLE,
    PLATFORMS,
    WORKSHEET,
    feedback_files,
    files_for,
    participant,
    worksheet,
)
from runner.features.grading.grader import Grader, grade_class, not_graded
from runner.features.grading.handed_in import HandedIn, handed_in, of_student, student_id
from runner.features.grading.marks import Marks, number

_SCRIPTS = Path(__file__).parent / "gradescope"


def parser() -> ArgumentParser:
    """Return the parser of the command."""
    result = ArgumentParser(
        prog="python -m runner grade",
        description="Mark submissions of students by the criteria of an exercise. One file: print its marks. Several, "
        "or a download of Moodle or Gradescope: write a table, a page for each student and an overview into a folder; "
        "a second command marks what is new or changed. `grade new gradescope EXERCISE` writes the zip file of an "
        "autograder.",
    )
    result.add_argument("exercise", metavar="EXERCISE", help="exercise.yaml")
    result.add_argument(
        "submissions",
        metavar="FILE",
        nargs="+",
        help="files of students, or downloads of Moodle or Gradescope: folders or zip files",
    )
    platforms = ", ".join(PLATFORMS.names())
    result.add_argument("--format", metavar="FORMAT", help=f"write the marks for a platform: {platforms}")
    result.add_argument(
        "--out", metavar="FOLDER", type=Path, help="folder of what is written (default of a class: marks)"
    )
    result.add_argument("--student", metavar="ID", help="id of the student (default: the name of the file)")
    result.add_argument("--workers", metavar="N", default="1", help="processes that mark a class, or all (default: 1)")
    return result


@command("grade", "mark submissions of students by the criteria of an exercise", parser=parser)
def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code: 0 whatever the marks are."""
    if list(arguments[:1]) == ["new"]:
        return _new(arguments[1:])
    load_plugins()  # they may have platforms, which `--help` shows
    options = parser().parse_args(arguments)
    workers = _workers(options.workers)
    files = [Path(each) for each in options.submissions]
    exercise = read(Path(options.exercise))
    if options.format is not None:
        PLATFORMS.find(options.format, where="--format")
    if options.student is not None and len(files) > 1:
        raise UserError("--student: only with one submission; the students of a class have the names of their files")
    is_one = options.student is not None or (
        len(files) == 1 and not files[0].is_dir() and files[0].suffix.lower() != ".zip"
    )
    with tempfile.TemporaryDirectory(prefix="grade-") as temporary:
        if options.student is not None:
            submissions = [
                of_student(_student(options.student), files[0], Path(temporary), exercise.suffix, exercise.file_name)
            ]
        else:
            submissions = handed_in(files, Path(temporary), exercise.suffix, exercise.file_name)
        if options.format == MOODLE:
            for each in submissions:
                participant(each.student)
        elif is_one:
            return _one(exercise, submissions[0], options.format, options.out)
        return _class(exercise, submissions, options.format, options.out or Path("marks"), workers)


def _workers(text: str) -> int:
    if text == "all":
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not text.isdecimal() or not 1 <= int(text) <= 1024:
        raise UserError(f"--workers: expected a number from 1 to 1024, or all, got {text!r}")
    return int(text)


def _student(given: str) -> str:
    if given != student_id(given):
        raise UserError(f"--student: {given!r} cannot be the name of a file; write {student_id(given)!r}")
    return given


def _one(exercise: Exercise, submission: HandedIn, kind: str | None, out: Path | None) -> int:
    with closing(Grader(exercise)) as grader:
        marks = not_graded(exercise, submission) if submission.fault else _graded(exercise, grader, submission)
        files = files_for(kind or "markdown", marks)
        if out is None:
            print(next(iter(files.values())), end="", flush=True)
        else:
            _write(out, files)
        if kind is None and exercise.skeleton is not None:
            is_same = _is_skeleton(exercise, submission)
            begun = marks if is_same else grader.grade(exercise.skeleton, submission.student)
            message(f"(for comparison: the file that students begin with gets {_points(begun)})")
    return SUCCESS


def _graded(exercise: Exercise, grader: Grader, submission: HandedIn) -> Marks:
    with TerminalProgress(exercise.title, len(exercise.criteria), True) as progress:

        def watch(title: str) -> None:
            progress.show(title)
            progress.advance()

        return grader.grade(submission.file, submission.student, watch)


def _is_skeleton(exercise: Exercise, submission: HandedIn) -> bool:
    """Return whether a submission is the file with which students begin."""
    if exercise.skeleton is None or submission.fault:
        return False
    return submission.file.read_bytes() == exercise.skeleton.read_bytes()


def _points(marks: Marks) -> str:
    return f"{number(marks.points)} of {number(marks.max_points)} points"


def _class(exercise: Exercise, submissions: Sequence[HandedIn], kind: str | None, folder: Path, workers: int) -> int:
    found: dict[str, Marks] = {}
    earlier = 0
    with TerminalProgress(exercise.title, len(submissions), True) as progress:
        for marks, was_there in grade_class(exercise, submissions, folder / "records", workers):
            found[marks.student] = marks
            earlier += was_there
            progress.advance()
            progress.show(marks.student)
    ordered = [found[each.student] for each in submissions]
    width = max(len(marks.student) for marks in ordered)
    of_platform: dict[str, Mapping[str, str | bytes]] = {}
    if kind == MOODLE:
        of_platform[kind] = {WORKSHEET: worksheet(ordered), FEEDBACK: feedback_files(ordered)}
    elif kind is not None:
        of_platform = {f"{kind}/{marks.student}": files_for(kind, marks) for marks in ordered}
    _write(folder, course.files(ordered))
    for name, files in of_platform.items():
        _write(folder / name, files)
    for marks, submission in zip(ordered, submissions, strict=True):
        points = f"{number(marks.points):>6} of {number(marks.max_points)}"
        remark = marks.problem
        if exercise.skeleton is not None and _is_skeleton(exercise, submission):
            remark = f"{exercise.skeleton.name}, unchanged"
        print(f"{marks.student:<{width}} {points}  {remark}".rstrip())
    if exercise.skeleton is not None:
        begun = HandedIn(exercise.skeleton.stem, exercise.skeleton)
        ((nothing, _),) = grade_class(exercise, [begun], folder / "skeleton", 1)
        print(f"{nothing.submission}, unchanged: {_points(nothing)}")
    unchanged = f", {earlier} of them unchanged" if earlier else ""
    print(f"{plural(len(ordered), 'submission')}{unchanged}: {shown(folder / 'index.html')}", flush=True)
    return SUCCESS


def _write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            with atomic_write(folder / name, "wb" if isinstance(content, bytes) else "w") as out:
                out.write(content)
    except OSError as error:
        raise UserError(f"--out: {error.filename or folder}: {error.strerror or error}") from None


def _new(arguments: Sequence[str]) -> int:
    """Write the zip file of an autograder of Gradescope."""
    result = ArgumentParser(prog="python -m runner grade new")
    result.add_argument("platform", metavar="gradescope", help="platform that wants a package of its own")
    result.add_argument(
        "exercise", metavar="EXERCISE", type=Path, help="exercise.yaml; it is packed with its plug-ins and worlds"
    )
    result.add_argument("--out", metavar="FILE", type=Path, default=Path("autograder.zip"), help="zip file")
    options = result.parse_args(arguments)
    if options.platform != "gradescope":
        raise UserError(
            f"grade new: there is no platform '{options.platform}'{suggest(options.platform, ['gradescope'])}"
        )
    exercise = read(options.exercise)
    folder = exercise.file.resolve().parent
    with atomic_write(options.out, "wb") as target, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as out:
        begun = exercise.skeleton if exercise.skeleton is None else exercise.skeleton.name
        for name in ("setup.sh", "run_autograder", "Dockerfile"):
            text = (_SCRIPTS / name).read_text(encoding="utf-8")
            script = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            script.external_attr = 0o755 << 16
            out.writestr(script, text.replace("EXERCISE", exercise.file.name).replace("SKELETON", begun or "none"))
        own = distribution("search-runner")
        needed = [each for each in own.requires or () if "extra ==" not in each]
        out.writestr("requirements.txt", "\n".join(needed) + "\n")
        metadata = f"search-runner/search_runner-{own.version}.dist-info/METADATA"  # tells the version
        out.writestr(metadata, f"Name: search-runner\nVersion: {own.version}\n")
        folders = (*(ROOT / package for package in ("runner", *PACKAGES)), DATA / "conf")  # may be inside of `runner`
        for file in sorted({file for folder in folders for file in folder.rglob("*")}):
            if file.is_file() and "__pycache__" not in file.parts:
                out.write(file, f"search-runner/{file.relative_to(ROOT).as_posix()}")
        for file in (*filter(None, [exercise.skeleton]), *exercise.files):
            inside = file.relative_to(folder) if file.is_relative_to(folder) else Path(file.name)
            out.write(file, f"exercise/{inside.as_posix()}")
    message(f"{options.out}: upload it to Gradescope as the autograder of the assignment")
    return SUCCESS
