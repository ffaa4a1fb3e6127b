"""Commands of programs: words with placeholders in braces, and the values and files that take their places."""

from __future__ import annotations

import math
import os
import re
import shlex
import shutil
import string
import struct
import sys
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from algorithms.engine import Limits
from runner.base import UserError, matching_files, open_regular, scalar_text, suggest
from worlds.interface import InputFile, Instance, document_of

INSTANCE, PLAN, FOLDER = "instance", "plan", "folder"
TIME, MEMORY, SEED, ID = "time", "memory", "seed", "id"
COMMON = (INSTANCE, PLAN, FOLDER, SEED, TIME, MEMORY, ID)
"""Placeholders that all domains have."""
_EARLIER = re.compile(rf"{TIME}-(\d+)")
"""Placeholder of the limit of time less some seconds."""
_MIB = 1 << 20
_PATHS = ("./", "../", "~/")
"""Beginnings of words that are paths."""
_ELF = b"\x7fELF"
_MACHINE = slice(18, 20)

Value = str | int | float | bool


@dataclass(frozen=True)
class CommandTemplate:
    """Words of a command with placeholders.

    Attributes
    ----------
    words : tuple of str
        Words. ``{name}`` is a placeholder; ``{{`` and ``}}`` are braces.
    """

    words: tuple[str, ...]

    @classmethod
    def of(cls, command: str | Sequence[Value], where: str) -> CommandTemplate:
        """Return a command that is given as words, or as one text that is split as a shell would.

        Raises
        ------
        UserError
            If there is no word, quotes or braces are not closed, or braces hold no name.
        """
        try:
            words = tuple(shlex.split(command) if isinstance(command, str) else map(scalar_text, command))
        except ValueError as error:
            raise UserError(f"{where}: {str(error).lower()}: {command}") from None
        if not words or not words[0]:
            raise UserError(f"{where}: expected the words of a command, such as ./solver or [./solver, '{{instance}}']")
        for word in words:
            try:
                names = [name for _, name, form, conversion in _parts(word) if name is not None]
                has_format = any(form or conversion for _, _, form, conversion in _parts(word))
            except ValueError:
                raise UserError(f"{where}: {word}: a brace is open or closes nothing; write {{{{ for a brace") from None
            wrong = next((name for name in names if not (name.isidentifier() or _EARLIER.fullmatch(name))), None)
            if wrong is not None or has_format:
                raise UserError(
                    f"{where}: {word}: expected a name in braces, such as {{instance}}; write {{{{ for a brace"
                )
        return cls(words)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the placeholders; of `time-2`, this is `time`."""
        parts = (name for word in self.words for _, name, _, _ in _parts(word))
        return tuple(dict.fromkeys(_EARLIER.sub(TIME, name) for name in parts if name is not None))

    @property
    def files(self) -> list[Path]:
        """Files that the words after the first name, from the current directory."""
        paths = (_path_of(word) for word in self.words[1:])
        return [path for path in paths if path is not None and path.is_file()]

    def located(self) -> CommandTemplate:
        """Return the command with absolute paths, because programs run in a directory of their own.

        The first word is the program. Another word becomes absolute if it is the path of an existing file, or begins
        as a path does.
        """
        program, *others = self.words
        paths = [_path_of(word) for word in others]
        words = [word if path is None else str(path) for word, path in zip(others, paths, strict=True)]
        return CommandTemplate((literal(executable_of(program, "algorithm.command")), *words))

    def filled(self, value: Callable[[str], str]) -> list[str]:
        """Return the words with the values of the placeholders."""
        return [
            "".join(text + ("" if name is None else value(name)) for text, name, _, _ in _parts(word))
            for word in self.words
        ]


def literal(text: Path | str) -> str:
    """Return a path or a text as a word of a command has it, in which braces are doubled."""
    return str(text).replace("{", "{{").replace("}", "}}")


def _path_of(word: str) -> Path | None:
    """Return the absolute path that a word without placeholders is; None for other words."""
    if "{" in word or not word:
        return None
    path = Path(word).expanduser()
    is_path = word.startswith(_PATHS)
    try:
        return path.absolute() if is_path or path.is_file() else None
    except OSError:  # too long for a name
        return None


def _parts(word: str) -> Iterable[tuple[str, str | None, str | None, str | None]]:
    """Return the texts of a word, and the placeholder after each."""
    return list(string.Formatter().parse(word))


def _written(file: Path, text: str) -> Path:
    file.write_text(text, encoding="utf-8")
    return file


def _has_mark(file: Path) -> bool:
    """Return whether a file begins with a byte order mark, which few programs read."""
    with suppress(UserError, OSError), open_regular(file, None) as content:
        return content.read(len(BOM_UTF8)) == BOM_UTF8
    return False


class Placeholders:
    """Values of placeholders for one instance. Files are written when their names are asked for.

    Parameters
    ----------
    instance : Instance
    arguments : mapping
        Values of the algorithm's own arguments, by their names.
    limits : Limits
    folder : Path
        Working directory of the program.
    shared : Path, optional
        Folder of files that several instances have, such as a map with many problems, which are written once. By
        default they are written into the working directory.
    """

    def __init__(
        self,
        instance: Instance,
        arguments: Mapping[str, Value],
        limits: Limits,
        folder: Path,
        shared: Path | None = None,
    ) -> None:
        self._instance, self._arguments, self._limits = instance, arguments, limits
        self._folder, self._shared = folder, shared
        self._inputs = instance.world.inputs()

    def __getitem__(self, name: str) -> str:
        """Return the text for a placeholder.

        Raises
        ------
        UserError
            If there is none for this instance.
        """
        if name in self._arguments:
            return scalar_text(self._arguments[name])
        value = self._inputs.get(name)
        if isinstance(value, str):
            return value
        if value is not None:
            return str(self._file(name, value))
        if name == FOLDER:
            return str(self._folder)
        if name == PLAN:
            return str(self._folder / PLAN)
        if name == SEED:
            return str(self._instance.seed or 0)
        if name == ID:
            return self._instance.id
        if name == TIME:
            return str(seconds_of(self._limits))
        if earlier := _EARLIER.fullmatch(name):
            return str(max(1, seconds_of(self._limits) - int(earlier[1])))
        if name == MEMORY:
            return str(mebibytes_of(self._limits))
        assert name == INSTANCE, name  # `check_names` has refused others
        return str(self._document())

    def input_of(self, name: str) -> Path | str:
        """Return the file of a placeholder, or its text if it is none."""
        is_file = isinstance(self._inputs.get(name), InputFile) or name == INSTANCE
        return Path(self[name]) if is_file and name not in self._arguments else self[name]

    def words(self) -> dict[str, str]:
        """Return the placeholders in the request to a server: words, and files that are not written for it alone."""
        shared = {
            name: value if isinstance(value, str) else str(self._file(name, value))
            for name, value in self._inputs.items()
            if isinstance(value, str) or value.path is not None or value.key is not None
        }
        return shared or {INSTANCE: self[INSTANCE]}

    def _file(self, name: str, file: InputFile) -> Path:
        if file.path is not None and not _has_mark(file.path):
            return file.path
        if file.key is None or self._shared is None:
            return _written(self._folder / f"{name}{file.suffix}", file.text())
        shared = self._shared / f"{file.key}{file.suffix}"
        return shared if shared.exists() else _written(shared, file.text())

    def _document(self) -> Path:
        document = document_of(self._instance)
        if document is None:
            raise UserError(f"{self._instance.world.domain} has no files: {{{INSTANCE}}} has no value")
        return _written(self._folder / f"{INSTANCE}{document.suffix}", document.text)


def seconds_of(limits: Limits) -> int:
    """Return the limit of time in whole seconds; at least 1."""
    if limits.time is None:
        raise UserError(f"algorithm: the command has {{{TIME}}}; set limits.time, such as limits.time=60")
    return max(1, math.floor(limits.time))


def mebibytes_of(limits: Limits) -> int:
    """Return the limit of memory in MiB; at least 1."""
    if limits.memory is None:
        raise UserError(f"algorithm: the command has {{{MEMORY}}}; set limits.memory, such as limits.memory=2GiB")
    return max(1, limits.memory // _MIB)


def check_names(names: Sequence[str], instance: Instance, arguments: Mapping[str, Any], where: str) -> None:
    """Raise `UserError` for a placeholder that an instance does not have."""
    inputs = instance.world.inputs()
    has_document = INSTANCE in inputs or document_of(instance) is not None
    known = [*arguments, *inputs, *(name for name in COMMON if name != INSTANCE or has_document)]
    for name in names:
        if name not in known:
            raise UserError(
                f"{where}: {{{name}}}: {instance.world.domain} has no such placeholder{suggest(name, known)}"
            )


def files_of(pattern: str) -> list[Path]:
    """Return the files that a pattern of the parameter `code` matches."""
    try:
        return sorted(file.absolute() for file in matching_files(Path(pattern).expanduser()))
    except OSError:  # a name that is too long
        return []


def check_code(patterns: Iterable[str], where: str) -> None:
    """Raise `UserError` for a pattern that matches no file."""
    for pattern in patterns:
        if not files_of(pattern):
            raise UserError(f"{where}: no file matches {pattern}")


def executable_of(word: str, where: str) -> Path:
    """Return the file of a program: a path from the current directory, or a name that is looked up on PATH.

    Raises
    ------
    UserError
        If it is not found, not executable, or made for another processor.
    """
    path = Path(word).expanduser()
    found = shutil.which(path if word.startswith("~") else word)
    if found is None:
        if path.is_file():
            raise UserError(f"{where}: {word} is not executable; first: chmod +x {shlex.quote(word)}")
        place = "" if os.sep in word else " on PATH; a program in the current directory begins with ./"
        raise UserError(f"{where}: there is no program {word}{place}")
    file = Path(found).absolute()
    _check_format(file, word, where)
    return file


def _check_format(file: Path, word: str, where: str) -> None:
    """Raise `UserError` for a binary of another processor, as far as its first bytes tell."""
    head, ours = _head(file), _head(Path(sys.executable).resolve())
    if not (head.startswith(_ELF) and ours.startswith(_ELF)):
        if head and not head.startswith((b"#!", _ELF)) and ours.startswith(_ELF):
            raise UserError(f"{where}: {word} is no program: it begins neither as a binary nor with #!")
        return
    if head[_MACHINE] != ours[_MACHINE]:
        (machine,) = struct.unpack("<H", head[_MACHINE])
        raise UserError(f"{where}: {word} is made for another processor (ELF machine {machine})")


def _head(file: Path) -> bytes:
    try:
        with open(file, "rb") as opened:
            return opened.read(20)
    except OSError:
        return b""
