"""Files of students as text that Python 3 can read, and their run with the modules of the project."""

from __future__ import annotations

import builtins
import io
import os
import re
import sys
import tokenize
import traceback
from functools import reduce
from pathlib import Path
from typing import Any

from algorithms.pacman_project.modules import modules
from runner.base import DATA, PACKAGES, ROOT

_PRINT = re.compile(r"^([ \t]*(?:(?:if|elif|else|for|while)\b.*:[ \t]*)?)print(?:[ \t]+(.*?))?,?[ \t]*$", re.MULTILINE)
_OF_PYTHON_2 = {"long": int, "reduce": reduce, "unicode": str, "xrange": range}


def run(file: Path) -> dict[str, Any]:
    """Run a file, and return its names. It finds the modules of the project, whatever is installed."""
    known = modules()  # dataclasses look the module of the file up, so it has the name of this package

    def find(name: str, *arguments: Any, **keywords: Any) -> Any:
        return known[name] if name in known else builtins.__import__(name, *arguments, **keywords)

    given = {**vars(builtins), **_OF_PYTHON_2, "__import__": find}
    names = {**vars(known["searchAgents"]), "__name__": __package__, "__file__": str(file), "__builtins__": given}
    for text in _choices(file.read_bytes()):
        file.write_text(text, encoding="utf-8")  # messages look lines up
        try:
            code = compile(text, str(file), "exec", dont_inherit=True)
            break
        except (SyntaxError, ValueError) as error:
            fault = error
    else:
        raise fault
    _keep_to(file)
    exec(code, names)
    return names


def _choices(content: bytes) -> tuple[str, ...]:
    """Return a file as text: as it is, with blanks for tabs, and with calls for prints of Python 2.

    Lines keep their numbers. It is in the encoding that it declares, UTF-8, or else Latin-1.
    """
    try:
        text = content.decode(tokenize.detect_encoding(io.BytesIO(content).readline)[0])
    except (SyntaxError, UnicodeDecodeError):
        text = content.decode("latin-1")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    called = _PRINT.sub(r"\1print(\2)", text)
    return text, text.expandtabs(), called, called.expandtabs()


def _keep_to(file: Path) -> None:
    """Refuse from now on that a file opens files not of its folder, of Python or of the product. This is no sandbox."""
    ours = [sys.prefix, sys.base_prefix, *sys.path, *(str(ROOT / each) for each in PACKAGES)]
    allowed = {os.path.realpath(each) for each in (str(file.parent), os.devnull, *ours)} - {str(ROOT)}

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event in ("open", "os.listdir", "os.scandir") and not isinstance(arguments[0], int):
            place = os.path.realpath(os.fsdecode(arguments[0] or "."))
            is_allowed = any(f"{place}{os.sep}".startswith(f"{each}{os.sep}") for each in allowed)
            is_theirs = any(frame.f_code.co_filename == str(file) for frame, _ in traceback.walk_stack(sys._getframe()))
            if is_theirs and (not is_allowed or place.startswith(str(DATA / "examples"))):
                raise PermissionError(f"opens {Path(place).name!r}: a submission may open its own files only")

    sys.addaudithook(watch)
