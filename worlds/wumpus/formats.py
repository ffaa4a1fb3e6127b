"""Cave files: the JSON format of the `wumpus` library (also as YAML) and the 1-based text format of online worlds.

The content tells the format. Every mistake in a file raises a one-line `UserError` that names the file and the field.
"""

from __future__ import annotations

import json
import reprlib
from pathlib import Path
from typing import Any

import yaml

from runner.base import (
    BoundedLoader,
    Fail,
    UserError,
    checked_id,
    content_lines,
    file_error,
    read_text,
    reason_of,
    suggest,
)
from worlds.wumpus.rules import FACINGS, Cave, Square

MAX_SIDE = 1000
MAX_YAML = 256 * 1024
"""Largest length of a YAML file in characters. Reading YAML takes a hundred times longer than reading JSON."""

FIELDS = ("id", "description", "size", "hunters", "pits", "wumpuses", "exits", "golds", "blocks")
REQUIRED = ("size", "hunters", "golds")
TEXT_KEYS = ("size", "wumpus", "gold", "pit")


def load(path: Path) -> tuple[str, Cave]:
    """Read one cave file.

    Returns
    -------
    id : str
        The `id` in the file, or else the file's name without the extension.
    cave : Cave

    Raises
    ------
    UserError
        If the file cannot be read or does not describe a cave.
    """

    def fail(message: str) -> UserError:
        return file_error(path, message)

    text = read_text(path)
    if not text.strip():
        raise fail("the file is empty; expected a cave as JSON, YAML or text")
    first = next((line.split()[0] for _, line in content_lines(text)), "")
    if first in TEXT_KEYS:
        return checked_id(path.stem, fail), parse_text(text, fail)
    return parse_mapping(_decode(text, fail), fail, default_id=path.stem)


def dump(identifier: str, cave: Cave) -> str:
    """Return a cave in the JSON format; `load` is the inverse."""
    data = {
        "id": identifier,
        "size": cave.size,
        "hunters": [[*cave.hunter, cave.facing]],
        "golds": [cave.gold],
        "exits": [cave.exit],
        "wumpuses": [] if cave.wumpus is None else [cave.wumpus],
        "pits": sorted(cave.pits),
        "blocks": sorted(cave.blocks),
    }
    return json.dumps(data) + "\n"


def parse_mapping(data: Any, fail: Fail, default_id: str = "cave") -> tuple[str, Cave]:
    """Return the id and the cave of a decoded JSON or YAML file; `fail` makes the error to raise."""
    if not isinstance(data, dict):
        raise fail(f"expected a mapping with the keys of a cave, got {_kind(data)}")
    for key in data:
        if key not in FIELDS:
            raise fail(f"{key}: unknown field{suggest(str(key), FIELDS)}")
    for key in REQUIRED:
        if key not in data:
            raise fail(f"{key}: missing; a cave file must have {', '.join(REQUIRED[:-1])} and {REQUIRED[-1]}")
    size = _size(data["size"], fail)
    hunter, facing = _hunter(data["hunters"], size, fail)

    def squares(field: str) -> list[Square]:
        return _squares(data.get(field), field, size, fail)

    golds, wumpuses, exits = squares("golds"), squares("wumpuses"), squares("exits")
    cave = Cave(
        size=size,
        hunter=hunter,
        facing=facing,
        gold=_only(golds, "golds", "exactly one gold", fail),
        exit=_only(exits, "exits", "exactly one exit", fail) if "exits" in data else (0, 0),
        wumpus=_only(wumpuses, "wumpuses", "at most one wumpus", fail) if wumpuses else None,
        pits=frozenset(squares("pits")),
        blocks=frozenset(squares("blocks")),
    )
    return _identifier(data.get("id", default_id), fail), _consistent(cave, fail)


def parse_text(text: str, fail: Fail) -> Cave:
    """Return the cave of a text file: `size N`, `wumpus X Y`, `gold X Y`, `pit X Y`, 1-based; the hunter faces east."""
    size: int | None = None
    places: dict[str, list[tuple[int, Square]]] = {"wumpus": [], "gold": [], "pit": []}
    for number, line in content_lines(text):
        key, *arguments = line.split()
        if key not in TEXT_KEYS:
            raise fail(f"line {number}: unknown key '{key}'{suggest(key, TEXT_KEYS)}")
        wanted = 1 if key == "size" else 2
        try:
            numbers = [int(argument) for argument in arguments]
        except ValueError:
            numbers = []
        if len(numbers) != wanted:
            raise fail(f"line {number}: {key} takes {wanted} whole number{'s' if wanted > 1 else ''}, got '{line}'")
        if key != "size":
            places[key].append((number, (numbers[0] - 1, numbers[1] - 1)))
        elif size is not None:
            raise fail(f"line {number}: size is given twice")
        else:
            size = _size([numbers[0], numbers[0]], fail, f"line {number}: size")[0]
    side = 4 if size is None else size
    for key, found in places.items():
        for number, (x, y) in found:
            if not (0 <= x < side and 0 <= y < side):
                raise fail(f"line {number}: {key} ({x + 1}, {y + 1}) is outside the {side} x {side} cave")
            if (x, y) == (0, 0):
                raise fail(f"line {number}: {key} on (1, 1), where the hunter starts")
        if key != "pit" and len(found) != 1:
            raise fail(f"{key}: expected exactly one, got {len(found)}")
    pits = frozenset(square for _, square in places["pit"])
    gold, wumpus = places["gold"][0][1], places["wumpus"][0][1]
    return Cave((side, side), (0, 0), "E", gold, (0, 0), wumpus, pits)


class _PlainLoader(BoundedLoader):
    """YAML loader that refuses aliases, which caves do not need."""

    max_values = MAX_YAML

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases (*name) are not allowed")
        return super().compose_node(parent, index)


def _decode(text: str, fail: Fail) -> Any:
    try:
        if text.lstrip().startswith(("{", "[")):
            return json.loads(text, object_pairs_hook=lambda pairs: _without_duplicates(pairs, fail))
    except (ValueError, RecursionError) as json_error:
        reason = str(json_error)
    else:
        reason = ""
    if len(text) > MAX_YAML:
        raise fail(f"too long for YAML (more than 256 KiB), and not JSON{f' ({reason})' if reason else ''}")
    try:
        return yaml.load(text, Loader=_PlainLoader)
    except yaml.YAMLError as error:
        raise fail(f"neither JSON nor YAML nor the text format of caves ({reason or reason_of(error)})") from None


def _without_duplicates(pairs: list[tuple[str, Any]], fail: Fail) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        keys = [key for key, _ in pairs]
        raise fail(f"{next(key for key in keys if keys.count(key) > 1)}: given twice")
    return data


def _identifier(value: Any, fail: Fail) -> str:
    if not isinstance(value, (str, int)) or isinstance(value, bool):
        raise fail(f"id: expected a text, got {_kind(value)}")
    return checked_id(str(value), fail)


def _kind(value: Any) -> str:
    kinds = {
        type(None): "nothing",
        dict: "a mapping",
        list: "a list",
        str: "a text",
        bool: "true or false",
        int: "a number",
        float: "a number",
    }
    return f"{kinds.get(type(value), 'something else')} ({reprlib.repr(value)})"


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _size(value: Any, fail: Fail, field: str = "size") -> tuple[int, int]:
    if not (isinstance(value, list) and len(value) == 2 and all(_is_whole(side) for side in value)):
        raise fail(f"{field}: expected [width, height], got {_kind(value)}")
    if not all(1 <= side <= MAX_SIDE for side in value):
        raise fail(f"{field}: width and height must be 1 to {MAX_SIDE}, got {value[0]} x {value[1]}")
    return value[0], value[1]


def _hunter(value: Any, size: tuple[int, int], fail: Fail) -> tuple[Square, str]:
    hunters = [value] if isinstance(value, list) and value and not isinstance(value[0], list) else value
    if not isinstance(hunters, list):
        raise fail(f"hunters: expected [[x, y, facing]], got {_kind(value)}")
    if len(hunters) != 1:
        raise fail(f"hunters: expected exactly one hunter, got {len(hunters)}")
    hunter = hunters[0]
    if not isinstance(hunter, list) or len(hunter) not in (2, 3):
        raise fail(f"hunters: expected [x, y, facing], got {_kind(hunter)}")
    facing = hunter[2] if len(hunter) == 3 else "N"
    if not isinstance(facing, str) or facing not in tuple(FACINGS):
        raise fail(f"hunters: the facing must be one of N, E, S, W, got {_kind(facing)}")
    return _square(hunter[:2], "hunters", size, fail), facing


def _squares(value: Any, field: str, size: tuple[int, int], fail: Fail) -> list[Square]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise fail(f"{field}: expected a list of [x, y], got {_kind(value)}")
    if value and not isinstance(value[0], list):
        value = [value]
    return [_square(square, field, size, fail) for square in value]


def _square(value: Any, field: str, size: tuple[int, int], fail: Fail) -> Square:
    if not (isinstance(value, list) and len(value) == 2 and all(_is_whole(part) for part in value)):
        raise fail(f"{field}: expected [x, y] in whole numbers, got {_kind(value)}")
    x, y = value
    if not (0 <= x < size[0] and 0 <= y < size[1]):
        raise fail(f"{field}: [{x}, {y}] is outside the {size[0]} x {size[1]} cave")
    return x, y


def _only(squares: list[Square], field: str, wanted: str, fail: Fail) -> Square:
    if len(squares) != 1:
        raise fail(f"{field}: expected {wanted}, got {len(squares)}")
    return squares[0]


def _consistent(cave: Cave, fail: Fail) -> Cave:
    for field, square in (
        ("hunters", cave.hunter),
        ("golds", cave.gold),
        ("exits", cave.exit),
        ("wumpuses", cave.wumpus),
    ):
        if square is not None and square in cave.blocks:
            raise fail(f"blocks: {list(square)} lies on {field}")
    if cave.hunter in cave.pits:
        raise fail(f"pits: {list(cave.hunter)} lies under the hunter")
    if cave.hunter == cave.wumpus:
        raise fail(f"wumpuses: {list(cave.hunter)} is the hunter's square")
    return cave
