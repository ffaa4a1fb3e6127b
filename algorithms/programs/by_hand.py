"""Line for a shell that starts a program for one instance, as the runner does."""

from __future__ import annotations

import shlex
from pathlib import Path

import msgspec

from algorithms.engine import Limits
from algorithms.programs.commands import Placeholders
from algorithms.programs.sessions import ProgramSettings, request_of
from worlds.interface import Instance


def line_by_hand(settings: ProgramSettings, instance: Instance, limits: Limits, folder: Path) -> str:
    """Return the line for a shell, and write the files that it names.

    Parameters
    ----------
    folder : Path
        Existing folder for the files.

    Raises
    ------
    UserError
        If a placeholder has no value for this instance.
    """
    placeholders = Placeholders(instance, settings.arguments, limits, folder)
    command = shlex.join(settings.command.filled(placeholders.__getitem__))
    if settings.serve:
        request = msgspec.json.encode(request_of(settings, instance, placeholders)).decode()
        return f"{_printing(request)} | {command}"
    if settings.stdin is None:
        return command
    text = placeholders.input_of(settings.stdin[0])
    if isinstance(text, Path):
        return f"{command} < {shlex.quote(str(text))}"
    return f"{_printing(text)} | {command}"


def _printing(text: str) -> str:
    return f"printf '%s\\n' {shlex.quote(text)}"
