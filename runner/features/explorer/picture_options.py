"""Options ``--size`` and ``--step`` of the commands that write animations and pictures."""

from __future__ import annotations

import re

from runner.base.errors import UserError
from runner.plugin import ArgumentParser

_SIDES = 100, 2560
"""Least and largest side of a picture, in pixels."""


def add_picture_options(parser: ArgumentParser, steps: str) -> None:
    """Add the options. `steps` are what a picture is taken after."""
    parser.add_argument("--size", metavar="WIDTHxHEIGHT", help="size of an animation or a picture in pixels (1280x720)")
    parser.add_argument("--step", metavar="N", type=int, help=f"show only the moment after N {steps}")


def parsed_size(text: str | None) -> tuple[int, int] | None:
    """Return the width and the height; None without a size.

    Raises
    ------
    UserError
        If it is not two numbers of pixels.
    """
    if text is None:
        return None
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    sides = (int(match[1]), int(match[2])) if match else (0, 0)
    if not all(_SIDES[0] <= side <= _SIDES[1] for side in sides):
        raise UserError(f"--size: expected WIDTHxHEIGHT with {_SIDES[0]} to {_SIDES[1]} pixels each, got {text!r}")
    return sides
