"""Submissions of a class: one file each, and what Moodle and Gradescope let teachers download, as folders or zip files.

A zip file with one file is one of them. Moodle: ``Name_12345_assignsubmission_file_/file.py``, or without folders
``Name_12345_assignsubmission_file_file.py`` (https://docs.moodle.org/en/Using_Assignment). Gradescope:
``submission_123/file.py``, and the names of the students in ``submission_metadata.yml``.
"""

from __future__ import annotations

import errno
import re
import struct
import tempfile
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path, PurePath, PurePosixPath
from typing import Any
from zipfile import BadZipFile, ZipFile, ZipInfo

from runner.base import UserError, one_line, plural, reason
from runner.records import read_yaml

MAX_BYTES = 1 << 20
"""Maximum size of a submission."""
_MAX_PACKED, _MAX_MEMBERS = 16 * MAX_BYTES, 1000
"""Maximum size of what is read of a zip file of a student, and number of its members."""
_METADATA = "submission_metadata.yml"
_MAX_METADATA, _MAX_VALUES = 64 << 20, 10**6
_MAX_NAME, _MAX_LISTED = 80, 5
_MOODLE = re.compile(r"(.+?)_assignsubmission_(?:file|onlinetext)(?:_.*)?")
_NUMBER = re.compile(r"_\d{1,20}$")
_COPY = re.compile(r" ?\(\d{1,4}\)(?=\.)")
_GRADESCOPE = re.compile(r"submission_\d+")
_NOT_IN_NAMES = re.compile(r'[/\\:*?"<>|\x00]')
_OF_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EACCES, errno.EPERM, errno.EMFILE)
"""Errors that are no fault of a member of a zip file."""
_MAX_PARTS, _MAX_STAND_IN, _MAX_STEM, _MAX_REASON = 100, 3, 150, 80
_CORRUPT = (BadZipFile, struct.error, zlib.error, EOFError, ValueError, LookupError, RuntimeError)
_ZIP = ".zip"


@dataclass(frozen=True)
class HandedIn:
    """Submission of a student.

    Attributes
    ----------
    student : str
        Id of the student.
    file : Path
        File that is graded, or the folder without one.
    fault : str
        Why there is nothing to grade; empty otherwise.
    """

    student: str
    file: Path
    fault: str = ""


def handed_in(paths: Sequence[Path], temporary: Path, suffix: str = ".py", name: str = "") -> list[HandedIn]:
    """Return the submissions in files, folders and zip files. Those of a student without one file have a fault.

    Parameters
    ----------
    temporary : Path
        Folder for what is in zip files.
    suffix : str
        Suffix of the files that students hand in.
    name : str
        Name of the file that is judged, of students who hand in several.

    Raises
    ------
    UserError
        If there is no such file, a zip file cannot be read, or two submissions are of the same student.
    """
    found: list[HandedIn] = []
    reader = _SubmissionReader(temporary, suffix, name)
    for path in paths:
        if path.is_dir():
            found += reader.of_folder(path)
        elif path.suffix.lower() == _ZIP:
            found += reader.of_zip(path)
        elif path.exists():
            found.append(HandedIn(student_id(_name_of(path)), path, fault_of(path)))
        else:
            raise UserError(f"{path}: No such file or directory")
    if not found:
        raise UserError(f"there are no submissions in {', '.join(map(str, paths))}")
    first, ids = dict[str, HandedIn](), set[str]()
    for number, each in enumerate(found):
        other = first.setdefault(each.student, each)
        if other is not each:
            raise UserError(
                f"two submissions are called {each.student} ({other.file}, {each.file}); rename a file, or give "
                "the folder above, whose folders have the names of the students"
            )
        student = each.student
        while student.casefold() in ids:  # their pages are one file on some systems
            student += "_"
        ids.add(student.casefold())
        found[number] = replace(each, student=student)
    return found


def student_id(name: str) -> str:
    """Return a name as an id, which is also the name of a file on every system."""
    text = _NOT_IN_NAMES.sub("_", unicodedata.normalize("NFC", name))
    text = "".join(each if each.isprintable() else "_" for each in text).strip().lstrip(".")
    number = _NUMBER.search(text)
    end = number[0] if number and len(text) > _MAX_NAME else ""  # of the participant in Moodle
    text = text[: _MAX_NAME - len(end)].rstrip(". ") + end
    return f"{text}_" if text.casefold() in ("", "index") else text


def of_student(student: str, path: Path, temporary: Path, suffix: str = ".py", name: str = "") -> HandedIn:
    """Return the submission of a student: a file, or a folder or zip file with one that has the suffix or the name."""
    if path.is_dir() or path.suffix.lower() == _ZIP:
        return _SubmissionReader(temporary, suffix, name).of_student(student, path, [path])
    return HandedIn(student, path)


@dataclass(frozen=True)
class _SubmissionReader:
    """Reader of folders and zip files.

    Attributes
    ----------
    temporary : Path
        Folder for what is in zip files.
    suffix : str
        Suffix of the files that students hand in, whatever its case.
    name : str
        Name of the file that is judged if there are several.
    """

    temporary: Path
    suffix: str
    name: str = ""

    def of_zip(self, path: Path) -> list[HandedIn]:
        """Return the submissions in a zip file: a download, or what one student handed in."""
        folder = self.unpacked(path)
        inside = _visible(folder)
        is_one = len(inside) == 1 and inside[0].is_file() and not _MOODLE.fullmatch(inside[0].name)
        if is_one or self._named(inside):
            return [self.of_student(_name_of(path), path, inside)]
        return self.of_folder(folder)

    def of_folder(self, folder: Path) -> list[HandedIn]:
        """Return the submissions in a folder: of one student, or one for each file and folder in it."""
        inside = _visible(folder)
        if _MOODLE.fullmatch(folder.name) or _GRADESCOPE.fullmatch(folder.name) or self._named(inside):
            return [self.of_student(folder.name, folder, [folder])]
        if len(inside) == 1 and inside[0].is_dir() and any(each.is_dir() for each in _visible(inside[0])):
            return self.of_folder(inside[0])  # zip files have such a folder
        names, students = _names(folder / _METADATA), dict[str, tuple[str, list[Path]]]()
        for path in inside:
            if path.name != _METADATA:
                name = names.get(path.name) or _name_of(path, self.suffix)
                students.setdefault(student_id(name), (name, []))[1].append(path)
        return [self.of_student(name, paths[0], paths) for name, paths in students.values()]

    def of_student(self, name: str, at: Path, paths: Sequence[Path]) -> HandedIn:
        """Return the submission of one student, who has handed in some files and folders."""
        moodle = _MOODLE.fullmatch(name)
        student = student_id(moodle[1] if moodle else name)
        files = [file for path in paths for file in (_files(path) if path.is_dir() else [path])]
        packed = [file for file in files if file.suffix.lower() == _ZIP]
        why = ""
        if len(packed) == 1 and not self.fitting(files):
            inside, why = self._inside(packed[0])
            files = inside or files
        fitting = self.fitting(files)
        kind = "Python file" if self.suffix == ".py" else f"{self.suffix} file"
        listed = ", ".join(one_line(file.name) for file in (fitting or files)[:_MAX_LISTED])
        if len(fitting) > 1:
            one = f"one named {self.name}" if self.name else "one"
            return HandedIn(student, at, f"{plural(len(fitting), kind)} were handed in ({listed}): hand in {one}")
        if not fitting:
            only = f"only {listed}" if files else "nothing"
            fault = f"no {kind} was handed in ({only}): hand in one file that ends in {self.suffix}{why}"
            return HandedIn(student, at, fault)
        return HandedIn(student, fitting[0], fault_of(fitting[0]))

    def _inside(self, packed: Path) -> tuple[list[Path], str]:
        """Return the files in a zip file of a student, or why there are none, as the end of a message."""
        inside, why = list[Path](), fault_of(packed)
        try:
            inside = [] if why else list(_files(self.unpacked(packed, is_bounded=True)))
        except UserError as error:
            why = f"cannot be unpacked: {str(error).removeprefix(f'{packed}: ')}"
        return inside, "" if inside else f"; {one_line(packed.name)} {why or 'has nothing that can be unpacked'}"

    def fitting(self, files: Sequence[Path]) -> list[Path]:
        """Return the files that have the suffix, or the one that has the name, too."""
        found = [file for file in files if file.suffix.lower() == self.suffix.lower()]
        return self._named(found) if len(self._named(found)) == 1 else found

    def _named(self, files: Sequence[Path]) -> list[Path]:
        """Return the files that have the name, or else those that a browser has renamed, such as ``search (1).py``."""
        named = [(file, file.name.lower(), self.name.lower()) for file in files if self.name]
        found = [file for file, name, wanted in named if name == wanted]
        return found or [file for file, name, wanted in named if _COPY.sub("", name) == wanted]

    def unpacked(self, file: Path, *, is_bounded: bool = False) -> Path:
        """Unpack a zip file into a new folder."""
        self.temporary.mkdir(parents=True, exist_ok=True)
        return _unpacked(file, Path(tempfile.mkdtemp(dir=self.temporary)), self.suffix, is_bounded)


def _name_of(path: Path, suffix: str = "") -> str:
    moodle = _MOODLE.fullmatch(path.name)
    return moodle[1] if moodle else path.name if path.is_dir() else path.stem.removesuffix(suffix)


def fault_of(file: Path) -> str:
    """Return why a file cannot be graded; empty if it can."""
    try:
        if not file.is_file():
            return "is not a file"
        with file.open("rb") as content:
            size = len(content.read(MAX_BYTES + 1))
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"
    return f"has more than {MAX_BYTES:,} bytes" if size > MAX_BYTES else ""


def _visible(folder: Path) -> list[Path]:
    """Return what is in a folder, in order, without what systems put there."""
    hidden = ("__MACOSX", "__pycache__")
    return sorted(each for each in folder.iterdir() if not each.name.startswith(".") and each.name not in hidden)


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder and all folders below, which may be very deep."""
    waiting = [folder]
    while waiting:
        for path in _visible(waiting.pop()):
            if path.is_dir() and not path.is_symlink():
                waiting.append(path)
            else:
                yield path


def _names(metadata: Path) -> dict[str, str]:
    """Return the names of the students by the folders of Gradescope; empty without readable metadata."""
    try:
        content = read_yaml(metadata, "metadata of Gradescope", _MAX_VALUES)
    except (UserError, OSError):
        return {}
    return {folder: name for folder, entry in content.items() if (name := _submitters(entry))}


def _submitters(entry: Any) -> str:
    """Return the names and ids of the students who handed something in together."""
    submitters = entry.get(":submitters") if isinstance(entry, dict) else None
    found = []
    for each in submitters if isinstance(submitters, list) else []:
        if isinstance(each, dict):
            own_id = each.get(":sid") or each.get(":email")
            found.append("_".join(str(part) for part in (each.get(":name"), own_id) if part))
    return "+".join(filter(None, found))


def _unpacked(file: Path, folder: Path, suffix: str, is_bounded: bool) -> Path:
    """Write the files with the suffix, zip files and the metadata to a new folder, and the names of all others.

    A member that cannot be read or written is a fault of its student: a name that tells the reason stands for it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with ZipFile(file) as archive:
            sizes = [each.file_size for each in archive.infolist() if _is_read(PurePosixPath(each.filename), suffix)]
            if is_bounded and (sum(sizes) > _MAX_PACKED or len(archive.infolist()) > _MAX_MEMBERS):
                raise UserError(f"{file}: more than {_MAX_PACKED:,} bytes or {_MAX_MEMBERS:,} members")
            for member in archive.infolist():
                parts = PurePosixPath(member.filename).parts
                if member.is_dir() or not parts or parts[0] in ("..", "/", "//"):
                    continue
                try:
                    _write(archive, member, parts, folder, suffix)
                except Exception as error:  # libraries that unpack have errors of their own
                    if isinstance(error, OSError) and error.errno in _OF_DISK:
                        raise
                    _stand_in(folder, parts, getattr(error, "strerror", None) or str(error))
    except _CORRUPT as error:
        raise UserError(f"{file}: not a zip file of submissions ({one_line(str(error)) or 'corrupt'})") from None
    except OSError as error:
        raise UserError(reason(error, file)) from None
    return folder


def _is_read(path: PurePath, suffix: str) -> bool:
    return path.suffix.lower() in (suffix.lower(), _ZIP) or path.name == _METADATA


def _write(archive: ZipFile, member: ZipInfo, parts: Sequence[str], folder: Path, suffix: str) -> None:
    """Write a member of a zip file, or only its name."""
    if ".." in parts or len(parts) > _MAX_PARTS:
        raise ValueError("in a folder outside" if ".." in parts else "in too many folders")
    target, content = folder.joinpath(*parts), b""
    if _is_read(target, suffix):
        with archive.open(member) as packed:
            content = packed.read(_MAX_METADATA if target.name == _METADATA else MAX_BYTES + 1)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)


def _stand_in(folder: Path, parts: Sequence[str], why: str) -> None:
    """Write an empty file in place of a member, in the first of its folders, with the reason in its name."""
    *folders, name = parts
    for part in takewhile(lambda each: each != "..", folders[:_MAX_STAND_IN]):
        try:
            (folder / part).mkdir(exist_ok=True)
        except OSError:
            break
        folder /= part
    fault = student_id(why.replace(".", " "))
    (folder / f"{_cut(name, _MAX_STEM)} ({_cut(fault, _MAX_REASON)})").touch()


def _cut(text: str, most: int) -> str:
    """Return the beginning of a text, of at most so many bytes."""
    return text.encode()[:most].decode(errors="ignore")
