"""Explanations of mistakes in submissions: one line that tells where, what happened and what to do."""

from __future__ import annotations

import ast
import io
import os
import reprlib
import tokenize
import traceback
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from runner.base import KINDS, PluginError, UserError, error_text, one_line
from runner.config import registered_parts

_ADVICE: tuple[tuple[type[BaseException], str], ...] = (
    (SyntaxError, "Python cannot read the file: correct this line, or the one before"),
    (ModuleNotFoundError, "the grader does not have this module: do without it"),
    (EOFError, "nothing can be typed here: remove input()"),
    (SystemExit, "a submission must not end the process: remove this call"),
    (RecursionError, "a function calls itself without end"),
    (MemoryError, "the submission needs more memory than it may have (limits.memory)"),
)
_DECORATORS = {
    "heuristic": '@runner.python_heuristic("NAME", domain="DOMAIN")',
    "algorithm": '@runner.python_algorithm("NAME")',
    "world": '@runner.register("world", "NAME")',
}
_MAX_CALLERS = 3
Definition = ast.FunctionDef | ast.ClassDef


def explained(error: BaseException, file: Path, name: str = "", asked: Sequence[Any] = ()) -> str:
    """Return the lines of the submission that raised an error, the error, and what to do.

    Parameters
    ----------
    file : Path
        The submission.
    name : str
        Name under which it is registered. If none of its lines raised the error, the line of this entry is given.
    asked : sequence
        The state whose value it could not give, if there is one. It is shown in full, as the call of a function.
    """
    if isinstance(error, PluginError):
        error = error.__context__ or error
    if isinstance(error, SyntaxError | ValueError) and not name and (fault := _fault_of_encoding(file.read_bytes())):
        return fault
    lines = _lines(error, file)
    if not lines and name:
        lines = _registering(file, name)[:1]
    text = str(error) if isinstance(error, UserError) else error_text(error).removesuffix(": ")
    if isinstance(error, SyntaxError):
        text = f"{type(error).__name__}: {error.msg}"
    advice = next((f"; {each}" for kind, each in _ADVICE if isinstance(error, kind)), "")
    line = one_line(f"{_where(lines)}{text}{advice}".replace(f"{file.parent}{os.sep}", ""))
    for state in asked:
        shortened, call = f"the state {reprlib.repr(state)}", call_of(state)
        line = line.replace(shortened, call) if shortened in line else f"{line}; to see it, call {call}"
    return line


def _fault_of_encoding(content: bytes) -> str:
    """Return what to do with a file that is no text in its encoding; empty if it is one."""
    encoding = "utf-8"
    with suppress(SyntaxError):
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
    try:
        content.decode(encoding)
    except UnicodeDecodeError as error:
        line = 1 + content.count(b"\n", 0, error.start)
        return f"line {line}: save the file as UTF-8: its byte 0x{content[error.start]:02x} is no UTF-8"
    return ""


def call_of(state: Any) -> str:
    """Return the call of a heuristic with a state, as Python that can be pasted if the state can be written so."""
    return f"h({' '.join(repr(state).split())})"


def found_entry(kind: str, domain: str, wanted: str | None, file: Path) -> str:
    """Return the name of the entry that a submission has registered.

    Raises
    ------
    UserError
        If it is not one of the kind, the domain and the name that the exercise asks for; the message tells what to
        change in which line.
    """
    domains = (domain if kind == "heuristic" else None,)
    own = [
        (each, of, name)
        for each in KINDS
        for of, name, entry in registered_parts(each)
        if entry.__module__ == file.stem
    ]
    of_kind = [(of, name) for each, of, name in own if each == kind]
    of_domain = [name for of, name in of_kind if of in domains]
    found = [name for name in of_domain if wanted in (None, name.removeprefix(f"{file.stem}."))]
    if len(found) == 1:
        return found[0]
    asked = f"{kind}{f' for {domain}' if kind == 'heuristic' else ''}{f' {wanted!r}' if wanted else ''}"
    if found:
        lines = sorted(line for name in found for line in _registering(file, name))
        where = f"lines {', '.join(map(str, lines))}: " if lines else ""
        raise UserError(f"{where}expected one {asked}, found {len(found)} ({', '.join(found)}); keep one")
    if of_domain:
        name = of_domain[0]
        change = f"registers '{name}'; change this name to '{wanted}'"
    elif of_kind:
        of, name = of_kind[0]
        change = f"registers '{name}' for the domain '{of}'; change this to '{domain}'"
    elif own:
        other, _, name = own[0]
        change = f"registers the {other} '{name}'; register a {kind}"
    else:
        function = next((each for each in _definitions(file)), None)
        name = wanted or (function.name if function else "NAME")
        decorator = _DECORATORS[kind].replace("NAME", name).replace("DOMAIN", domain)
        place = "in the line before this one" if function else "in the line before your function"
        where = _where([function.lineno] if function else [])
        raise UserError(f"{where}nothing is registered, expected one {asked}; write {decorator} {place}")
    raise UserError(f"{_where(_registering(file, name)[:1])}expected one {asked}, but this {change}")


def _where(lines: list[int]) -> str:
    """Return the beginning of a message: the line of a mistake, and those that called it."""
    if not lines:
        return ""
    callers = " and ".join(map(str, lines[1 : 1 + _MAX_CALLERS]))
    return f"line {lines[0]}{f', from line {callers}' if callers else ''}: "


def _lines(error: BaseException, file: Path) -> list[int]:
    """Return the lines of a file that raised an error, the innermost first."""
    if isinstance(error, SyntaxError) and error.filename == str(file):
        return [error.lineno] if error.lineno else []
    frames = reversed(traceback.extract_tb(error.__traceback__))
    return list(dict.fromkeys(frame.lineno for frame in frames if frame.filename == str(file) and frame.lineno))


def _registering(file: Path, name: str) -> list[int]:
    """Return the lines of the decorators that register a name."""
    return [
        decorator.lineno
        for definition in _definitions(file)
        for decorator in definition.decorator_list
        if isinstance(decorator, ast.Call)
        and any(
            isinstance(each, ast.Constant) and each.value == name
            for each in (*decorator.args, *(keyword.value for keyword in decorator.keywords))
        )
    ]


def _definitions(file: Path) -> Iterator[Definition]:
    """Yield the functions and classes of a file that could be imported."""
    for statement in ast.parse(file.read_bytes()).body:
        if isinstance(statement, Definition):
            yield statement


def printing_line(file: Path) -> int:
    """Return the line of the submission that is running; 0 if it is none."""
    numbers = (line for frame, line in traceback.walk_stack(None) if frame.f_code.co_filename == str(file))
    return next(numbers, 0)
