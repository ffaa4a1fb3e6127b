"""Line for a shell that starts a program for one instance, as the runner does."""

from __future__ import annotations

import shlex
from pathlib import Path

import msgspec

from algorithms.engine.search import Limits
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
        return f"echo {shlex.quote(request)} | {command}"
    if settings.stdin is None:
        return command
    given = placeholders[settings.stdin[0]]
    if Path(given).is_file():
        return f"{command} < {shlex.quote(given)}"
    return f"echo {shlex.quote(given)} | {command}"
