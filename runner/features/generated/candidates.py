"""Candidates of all kinds, as values of cells: files for Pyperplan, decorated ones, models, programs, and any words."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from algorithms.engine import Limits
from runner.base import UserError, content_lines, find_files, message, one_line, read_text, with_quoted_calls
from runner.config import load_plugins, parse
from runner.execution import Stop, Supervision, WorkerLost, supervised

SCALE = 1000
"""`heuristic.scale` of files for Pyperplan: greedy search then distinguishes values as floats, to three decimals."""
_DECORATORS = ("python_heuristic", "compiled_heuristic")
_DECORATED = re.compile(rf"""^@(?:\w+\.)*(?:{"|".join(_DECORATORS)})\(\s*["']([^"']+)["']""", re.MULTILINE)
_LIST, _OF_FILES = ".txt", "pddl"
_IMPORT_SECONDS = 60.0

CellValues = dict[str, Any]


class Candidate(NamedTuple):
    """Candidate: its name in tables, its values in a cell, and the file that must be imported first, if there is one.

    A file that registers nothing has no values.
    """

    name: str
    cell: CellValues
    plugin: str | None = None


def candidates_in(place: str, group: str, domain: str) -> list[Candidate]:
    """Return the candidates for a group: those in the folder of its name, or else those in the folder itself.

    Parameters
    ----------
    place : str
        Folder, file or pattern; or a file ``.txt`` with the overrides of a candidate in each line.

    Raises
    ------
    UserError
        If there are none, or a line is wrong.
    """
    path = Path(place).expanduser()
    if path.suffix == _LIST and path.is_file():
        lines = content_lines(read_text(path))
        return [Candidate(line, values_of_words(line, f"{place}: line {number}")) for number, line in lines]
    own = path / group
    folder = own if own.is_dir() else path
    pattern = str(folder / "*" if folder.is_dir() else folder)
    files = find_files(pattern, (), "heuristics", "FOLDER") if not folder.is_dir() or any(folder.iterdir()) else []
    found = [each for file in files if file.is_file() for each in _of_file(file, domain)]
    if not found:
        raise UserError(f"FOLDER: the folder {folder} holds no heuristics (.py, .onnx, or programs)")
    return found


def words_of(text: str, where: str) -> list[str]:
    """Return overrides in one text, split as a shell would.

    Raises
    ------
    UserError
        If a quotation does not end.
    """
    try:
        return [with_quoted_calls(word) for word in shlex.split(text)]
    except ValueError as error:
        raise UserError(f"{where}: {error}") from None


def values_of_words(text: str, where: str) -> CellValues:
    """Return the values that overrides in one text give, by their keys."""
    values = {}
    for each in parse(words_of(text, where)):
        if each.is_delete() or each.is_sweep_override():
            raise UserError(f"{where}: '{each.input_line}': expected KEY=VALUE with one value")
        values[each.key_or_group] = each.value()
    return values


def _of_file(file: Path, domain: str) -> list[Candidate]:
    """Return the candidates in a file, which is not imported: one for each decorated function, or the file itself."""
    name = str(file)
    if file.suffix == ".py":
        decorated = _DECORATED.findall(read_text(file))
        own = [(name if len(decorated) == 1 else f"{name}:{each}", each) for each in decorated]
        if own or domain != _OF_FILES:
            return [Candidate(title, {"heuristic": each}, name) for title, each in own] or [Candidate(name, {}, name)]
        return [Candidate(name, {"heuristic": "file", "heuristic.path": name, "heuristic.scale": SCALE})]
    if file.suffix == ".onnx":
        return [Candidate(name, {"heuristic": "onnx", "heuristic.path": name})]
    if os.access(file, os.X_OK):
        return [Candidate(name, {"heuristic": "program", "heuristic.command": [str(file.absolute())]})]
    return []


def importable(groups: Mapping[str, Sequence[Candidate]]) -> dict[str, list[Candidate]]:
    """Return the candidates without those whose files cannot be imported, which a process of its own tries.

    Raises
    ------
    UserError
        If none is left in a group.
    """
    files = {each.plugin: not each.cell for group in groups.values() for each in group if each.plugin is not None}
    problems = {file: why for file, is_empty in files.items() if (why := _problem_of(file, is_empty)) is not None}
    for file, problem in problems.items():
        message(f"note: {file}: left out: {problem}")
    found = {name: [each for each in group if each.plugin not in problems] for name, group in groups.items()}
    for name, group in found.items():
        if not group:
            raise UserError(f"FOLDER: no candidate for {name} can be imported")
    return found


def _problem_of(file: str, registers_nothing: bool) -> str | None:
    """Return why a file cannot be imported or has no heuristic; None if it can be used."""
    try:
        supervised(partial(_import, file), Limits(time=_IMPORT_SECONDS), Stop(), message)
    except WorkerLost as lost:
        return lost.reason
    except UserError as error:
        return in_one_line(str(error))
    return f"it has no heuristic with one of the decorators {', '.join(_DECORATORS)}" if registers_nothing else None


def in_one_line(text: str) -> str:
    """Return the last line of a traceback after the first line of a message."""
    lines = [line for line in text.splitlines() if line.strip()]
    return one_line(": ".join(dict.fromkeys([lines[0], lines[-1]])) if len(lines) > 2 else text)


def _import(file: str, own: Supervision) -> None:
    own.begin()
    load_plugins([file])
