"""Files of maps and scenarios in the format of the MovingAI benchmarks.

Every mistake in a file raises a one-line `UserError` that names file and line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from runner.base import file_error, read_text
from worlds.gridmap.rules import MAX_SIDE, TERRAIN, GridCell, may_have_weight

_HEADER = ("type octile", "height H", "width W", "map")
_FIELDS = ("bucket", "map", "width", "height", "start x", "start y", "goal x", "goal y", "length")


class ScenarioEntry(NamedTuple):
    """Problem of a scenario.

    Attributes
    ----------
    line : int
        Number of its line in the file.
    bucket : int
    map : str
        Path of the map, as the file gives it.
    size : (int, int)
        Width and height that the map should have.
    start, goal : (int, int)
    length : float
        Published length of an optimal path.
    """

    line: int
    bucket: int
    map: str
    size: tuple[int, int]
    start: GridCell
    goal: GridCell
    length: float


def load_map(path: Path, terrains: str = TERRAIN, *, has_weights: bool = True) -> tuple[str, ...]:
    """Read a map.

    Parameters
    ----------
    path : Path
    terrains : str
        Characters that the map may have.
    has_weights : bool
        Whether other characters may have a weight.

    Returns
    -------
    tuple of str
        Rows of equal length, of these characters.

    Raises
    ------
    UserError
        If the file cannot be read or is no map.
    """
    lines = read_text(path).splitlines()
    header = [line.split() for line in lines[:4]]
    if len(header) < 4 or header[0] != ["type", "octile"] or header[3] != ["map"]:
        raise file_error(path, f"expected the four lines {', '.join(map(repr, _HEADER))} at the top", line=1)
    sides = {}
    for number, words in enumerate(header[1:3], 2):
        if len(words) != 2 or words[0] not in ("height", "width") or not re.fullmatch("[0-9]{1,6}", words[1]):
            raise file_error(path, f"expected 'height H' and 'width W', got {' '.join(words)[:50]!r}", line=number)
        sides[words[0]] = int(words[1])
        if not 1 <= int(words[1]) <= MAX_SIDE:
            raise file_error(path, f"{words[0]}: expected 1 to {MAX_SIDE}, got {words[1]}", line=number)
    if len(sides) < 2:
        raise file_error(path, "expected 'height H' and 'width W'", line=3)
    rows = lines[4 : 4 + sides["height"]]
    if len(rows) < sides["height"]:
        raise file_error(path, f"expected {sides['height']} rows below 'map', got {len(rows)}", line=len(lines))
    for number, row in enumerate(rows, 5):
        if len(row) != sides["width"]:
            raise file_error(path, f"expected {sides['width']} characters, got {len(row)}", line=number)
        unknown = row.strip(terrains)
        if unknown:
            or_factor = ", or give it a factor in world.weights" if may_have_weight(unknown[0]) else ""
            others = or_factor if has_weights else " (obstacles: @ O T)"
            problem = f"unknown terrain {unknown[0]!r}; choose from {' '.join(terrains)}{others}"
            raise file_error(path, problem, line=number)
    if any(line.strip() for line in lines[4 + sides["height"] :]):
        raise file_error(path, f"more than {sides['height']} rows", line=5 + sides["height"])
    return tuple(rows)


def load_scenario(path: Path) -> list[ScenarioEntry]:
    """Read a scenario: a line with its version, then one line for each problem.

    Raises
    ------
    UserError
        If the file cannot be read or is no scenario.
    """
    lines = read_text(path).splitlines()
    if not lines or lines[0].split() not in (["version", "1"], ["version", "1.0"]):
        got = repr(lines[0][:50]) if lines else "an empty file"
        raise file_error(path, f"expected 'version 1' at the top of a scenario, got {got}", line=1)
    return [_entry(path, number, line) for number, line in enumerate(lines[1:], 2) if line.strip()]


def _entry(path: Path, number: int, line: str) -> ScenarioEntry:
    """Read the line of a problem. If tabs separate the fields, the path of the map may contain blanks."""
    words = [word.strip() for word in line.strip().split("\t")] if line.count("\t") >= 8 else line.split()
    if len(words) != len(_FIELDS):
        raise file_error(path, f"expected 9 fields ({', '.join(_FIELDS)}), got {len(words)}", line=number)
    numbers = {}
    for field, word in zip(_FIELDS[:-1], words[:-1], strict=True):
        if field != "map":
            if not re.fullmatch("-?[0-9]{1,9}", word):
                raise file_error(path, f"{field}: expected a whole number, got {word[:50]!r}", line=number)
            numbers[field] = int(word)
    bucket, width, height, *cells = numbers.values()
    try:
        length = float(words[-1])
    except ValueError:
        length = math.nan
    if not 0 <= length < math.inf:
        raise file_error(path, f"length: expected a number of at least 0, got {words[-1][:50]!r}", line=number)
    return ScenarioEntry(number, bucket, words[1], (width, height), (cells[0], cells[1]), (cells[2], cells[3]), length)


def dump_map(rows: tuple[str, ...]) -> str:
    """Return the text of a map."""
    return "\n".join(["type octile", f"height {len(rows)}", f"width {len(rows[0])}", "map", *rows, ""])


def dump_scenario(entries: Iterable[ScenarioEntry]) -> str:
    """Return the text of a scenario."""
    lines = [
        "\t".join(map(str, (entry.bucket, entry.map, *entry.size, *entry.start, *entry.goal, entry.length)))
        for entry in entries
    ]
    return "\n".join(["version 1", *lines, ""])
